#include "clamp.h"
#include "pipeline.h"

namespace pipeline {
namespace {

constexpr int kThreads = 256;
int blocks_for(int n) {
  return (n + kThreads - 1) / kThreads;
}

}  // namespace

__constant__ float table[kTableSize];

// In place: y is both read and written, so a replay has to start from what y held before the launch.
__global__ void saxpy(float a, const float* __restrict__ x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

__global__ void table_lookup(const unsigned char* index, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = table[index[i] % kTableSize];
}

__global__ void matmul_tiled(const float* a, const float* b, float* c, int n) {
  constexpr int kTile = PIPELINE_TILE;
  __shared__ float tile_a[kTile][kTile];
  __shared__ float tile_b[kTile][kTile];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int column = blockIdx.x * kTile + tx, row = blockIdx.y * kTile + ty;
  float sum = 0.0f;
  for (int t = 0; t < n / kTile; ++t) {
    tile_a[ty][tx] = a[row * n + t * kTile + tx];
    tile_b[ty][tx] = b[(t * kTile + ty) * n + column];
    __syncthreads();
    for (int k = 0; k < kTile; ++k) sum += tile_a[ty][k] * tile_b[k][tx];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

// A template over two types and a constant: its symbol is one of several instances.
template <typename Vector, typename Scalar, int kPerThread>
__global__ void axpby(Scalar alpha, const Vector* x, Scalar beta, Vector* y, int n) {
  const int first = (blockIdx.x * blockDim.x + threadIdx.x) * kPerThread;
  for (int k = 0; k < kPerThread; ++k) {
    if (first + k < n) y[first + k] = alpha * x[first + k] + beta * y[first + k];
  }
}

void set_table(const float* host_table) {
  CUDA_CHECK(cudaMemcpyToSymbol(table, host_table, sizeof(table)));
}

void launch_saxpy(float a, const float* x, float* y, int n) {
  saxpy<<<blocks_for(n), kThreads>>>(a, x, y, n);
  CUDA_CHECK(cudaGetLastError());
}

void launch_table_lookup(const unsigned char* index, float* out, int n) {
  table_lookup<<<blocks_for(n), kThreads>>>(index, out, n);
  CUDA_CHECK(cudaGetLastError());
}

void launch_matmul(const float* a, const float* b, float* c, int n) {
  const dim3 block(PIPELINE_TILE, PIPELINE_TILE), grid(n / PIPELINE_TILE, n / PIPELINE_TILE);
  matmul_tiled<<<grid, block>>>(a, b, c, n);
  CUDA_CHECK(cudaGetLastError());
}

void launch_axpby(float alpha, const double* x, float beta, double* y, int n) {
  axpby<double, float, 4><<<blocks_for((n + 3) / 4), kThreads>>>(alpha, x, beta, y, n);
  CUDA_CHECK(cudaGetLastError());
}

void launch_clamp(float* x, float low, float high, int n) {
  clamp_to_range<<<blocks_for(n), kThreads>>>(x, Range{low, high}, n);
  CUDA_CHECK(cudaGetLastError());
}

}  // namespace pipeline
