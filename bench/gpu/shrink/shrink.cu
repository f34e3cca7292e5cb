// Kernels that use a part of what their arguments lead to. Compiled by nvcc or, as HIP, for the software GPU.
#ifdef __CUDACC__
#include <cuda_runtime.h>
#define hipMalloc cudaMalloc
#define hipMemcpy cudaMemcpy
#define hipMemset cudaMemset
#define hipMemcpyHostToDevice cudaMemcpyHostToDevice
#define hipDeviceSynchronize cudaDeviceSynchronize
#define hipSuccess cudaSuccess
#else
#include <hip/hip_runtime.h>
#endif

#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call) \
  if ((call) != hipSuccess) std::exit(1)

#ifndef UNIT
#define UNIT (2 << 20)
#endif

constexpr int kThreads = 256, kUnit = UNIT / 4;  // elements of what a device maps as a whole

// A window of two arrays.
__global__ void part(const float* in, float* out, int first, int count) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
    out[first + i] = in[first + i] * 2.0f;
}

// Some of many buffers, and the beginning of these.
__global__ void rows(float* const* row, const int* which, int count) {
  if (blockIdx.x < count) row[which[blockIdx.x]][threadIdx.x] += static_cast<float>(blockIdx.x);
}

// All of what it is given.
__global__ void whole(const float* in, float* sums, int count) {
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) sum += in[i];
  sums[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

int main() {
  const int total = 16 * kUnit, first = 5 * kUnit + 17, count = 3 * kUnit - 5;
  std::vector<float> numbers(total);
  for (int i = 0; i < total; ++i) numbers[i] = static_cast<float>((i * 7919ll) % 1009) - 20;
  float *in, *out, *sums;
  CHECK(hipMalloc(&in, total * sizeof(float)));
  CHECK(hipMalloc(&out, total * sizeof(float)));
  CHECK(hipMalloc(&sums, 8 * kThreads * sizeof(float)));
  CHECK(hipMemcpy(in, numbers.data(), total * sizeof(float), hipMemcpyHostToDevice));
  CHECK(hipMemcpy(out, numbers.data(), total * sizeof(float), hipMemcpyHostToDevice));
  std::vector<float*> row(8);
  for (float*& each : row) {
    CHECK(hipMalloc(&each, 4 * kUnit * sizeof(float)));
    CHECK(hipMemcpy(each, numbers.data(), 4 * kUnit * sizeof(float), hipMemcpyHostToDevice));
  }
  const std::vector<int> chosen = {6, 1, 3};
  float** list;
  int* which;
  CHECK(hipMalloc(&list, row.size() * sizeof(float*)));
  CHECK(hipMalloc(&which, chosen.size() * sizeof(int)));
  CHECK(hipMemcpy(list, row.data(), row.size() * sizeof(float*), hipMemcpyHostToDevice));
  CHECK(hipMemcpy(which, chosen.data(), chosen.size() * sizeof(int), hipMemcpyHostToDevice));
  part<<<64, kThreads>>>(in, out, first, count);
  rows<<<3, kThreads>>>(list, which, 3);
  whole<<<8, kThreads>>>(in, sums, total);
  CHECK(hipDeviceSynchronize());
  std::puts("shrink: done");
  return 0;
}
