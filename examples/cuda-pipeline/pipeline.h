// The stages of the pipeline, as main() calls them. Each launches one kernel on the default stream.
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

#define CUDA_CHECK(call)                                                                              \
  do {                                                                                                \
    cudaError_t status = (call);                                                                      \
    if (status != cudaSuccess) {                                                                      \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(status)); \
      std::exit(1);                                                                                   \
    }                                                                                                 \
  } while (0)

namespace pipeline {

constexpr int kTableSize = 64;
constexpr int kBins = 256;

// linear.cu
void set_table(const float* host_table);  // kTableSize values
void launch_saxpy(float a, const float* x, float* y, int n);
void launch_table_lookup(const unsigned char* index, float* out, int n);
void launch_matmul(const float* a, const float* b, float* c, int n);  // n a multiple of PIPELINE_TILE
void launch_axpby(float alpha, const double* x, float beta, double* y, int n);
void launch_clamp(float* x, float low, float high, int n);

// reductions.cu
void launch_block_sums(const int* x, int* block_sums, int n, int blocks);
void launch_histogram(const unsigned char* x, unsigned* bins, int n);
void launch_softmax(const float* x, float* y, int rows, int columns);

}  // namespace pipeline
