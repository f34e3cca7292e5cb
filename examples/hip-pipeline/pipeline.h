// The stages of the pipeline, as main() calls them. Each launches one kernel on the default stream.
#pragma once

#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>

#define HIP_CHECK(call)                                                                              \
  do {                                                                                               \
    hipError_t status = (call);                                                                      \
    if (status != hipSuccess) {                                                                      \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, hipGetErrorString(status)); \
      std::exit(1);                                                                                  \
    }                                                                                                \
  } while (0)

namespace pipeline {

constexpr int kTableSize = 64;
constexpr int kBins = 256;

// linear.hip
void set_table(const float* host_table);  // kTableSize values
void launch_saxpy(float a, const float* x, float* y, int n);
void launch_table_lookup(const unsigned char* index, float* out, int n);
void launch_matmul(const float* a, const float* b, float* c, int n);  // n a multiple of PIPELINE_TILE
void launch_axpby(float alpha, const double* x, float beta, double* y, int n);
void launch_clamp(float* x, float low, float high, int n);

// reductions.hip
void launch_block_sums(const int* x, int* block_sums, int n, int blocks);
void launch_histogram(const unsigned char* x, unsigned* bins, int n);
void launch_softmax(const float* x, float* y, int rows, int columns);

}  // namespace pipeline
