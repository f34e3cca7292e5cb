#include "pipeline.h"

namespace pipeline {
namespace {

constexpr int kThreads = 256;

}  // namespace

__global__ void block_sums(const int* x, int* sums, int n) {
  __shared__ int partial[kThreads];
  int sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += x[i];
  partial[threadIdx.x] = sum;
  __syncthreads();
  for (int half = kThreads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = partial[0];
}

// Integer atomics, in shared and in global memory: the order does not show in the result.
__global__ void histogram(const unsigned char* x, unsigned* bins, int n) {
  __shared__ unsigned local[kBins];
  local[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&local[x[i]], 1u);
  __syncthreads();
  if (local[threadIdx.x] != 0) atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

// One block a row: maximum, sum of exponentials, quotient.
__global__ void softmax_rows(const float* x, float* y, int columns) {
  extern __shared__ float shared[];
  const float* in = x + static_cast<size_t>(blockIdx.x) * columns;
  float* out = y + static_cast<size_t>(blockIdx.x) * columns;
  const int t = threadIdx.x;

  float highest = -3.402823466e38f;
  for (int i = t; i < columns; i += blockDim.x) highest = fmaxf(highest, in[i]);
  shared[t] = highest;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (t < half) shared[t] = fmaxf(shared[t], shared[t + half]);
    __syncthreads();
  }
  highest = shared[0];
  __syncthreads();

  float sum = 0.0f;
  for (int i = t; i < columns; i += blockDim.x) sum += expf(in[i] - highest);
  shared[t] = sum;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (t < half) shared[t] += shared[t + half];
    __syncthreads();
  }
  sum = shared[0];
  for (int i = t; i < columns; i += blockDim.x) out[i] = expf(in[i] - highest) / sum;
}

void launch_block_sums(const int* x, int* sums, int n, int blocks) {
  block_sums<<<blocks, kThreads>>>(x, sums, n);
  CUDA_CHECK(cudaGetLastError());
}

void launch_histogram(const unsigned char* x, unsigned* bins, int n) {
  histogram<<<528, kBins>>>(x, bins, n);
  CUDA_CHECK(cudaGetLastError());
}

void launch_softmax(const float* x, float* y, int rows, int columns) {
  softmax_rows<<<rows, kThreads, kThreads * sizeof(float)>>>(x, y, columns);
  CUDA_CHECK(cudaGetLastError());
}

}  // namespace pipeline
