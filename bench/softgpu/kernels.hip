// The kernels of bench/softgpu-speed.mjs: what users write first, and rocRAND's device generators from its headers.
#include <hip/hip_runtime.h>
#include <rocrand/rocrand_kernel.h>

constexpr unsigned kTile = 16, kBlock = 256;

extern "C" __global__ void vadd(const float* a, const float* b, float* c, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

extern "C" __global__ void matmul(const float* a, const float* b, float* c, unsigned n) {
  __shared__ float left[kTile][kTile], right[kTile][kTile];
  const unsigned x = threadIdx.x, y = threadIdx.y;
  const unsigned column = blockIdx.x * kTile + x, row = blockIdx.y * kTile + y;
  float sum = 0;
  for (unsigned tile = 0; tile < n; tile += kTile) {
    left[y][x] = a[row * n + tile + x];
    right[y][x] = b[(tile + y) * n + column];
    __syncthreads();
    for (unsigned k = 0; k < kTile; ++k) sum += left[y][k] * right[k][x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

extern "C" __global__ void histogram(const unsigned char* values, unsigned* counts, unsigned n) {
  __shared__ unsigned local[kBlock];
  local[threadIdx.x] = 0;
  __syncthreads();
  for (unsigned i = blockIdx.x * kBlock + threadIdx.x; i < n; i += gridDim.x * kBlock) atomicAdd(&local[values[i]], 1u);
  __syncthreads();
  atomicAdd(&counts[threadIdx.x], local[threadIdx.x]);
}

template <class Combine>
__device__ float reduce(float* shared, float value, Combine combine) {
  shared[threadIdx.x] = value;
  __syncthreads();
  for (unsigned half = kBlock / 2; half; half >>= 1) {
    if (threadIdx.x < half) shared[threadIdx.x] = combine(shared[threadIdx.x], shared[threadIdx.x + half]);
    __syncthreads();
  }
  const float result = shared[0];
  __syncthreads();
  return result;
}

// One block a row.
extern "C" __global__ void softmax(const float* in, float* out, unsigned n) {
  __shared__ float shared[kBlock];
  const float* row = in + size_t{blockIdx.x} * n;
  float* to = out + size_t{blockIdx.x} * n;
  float largest = -INFINITY;
  for (unsigned i = threadIdx.x; i < n; i += kBlock) largest = fmaxf(largest, row[i]);
  largest = reduce(shared, largest, [](float a, float b) { return fmaxf(a, b); });
  float sum = 0;
  for (unsigned i = threadIdx.x; i < n; i += kBlock) sum += expf(row[i] - largest);
  sum = reduce(shared, sum, [](float a, float b) { return a + b; });
  for (unsigned i = threadIdx.x; i < n; i += kBlock) to[i] = expf(row[i] - largest) / sum;
}

// `n` values a thread, each thread a subsequence of its own.
template <class State>
__device__ void generate(unsigned* out, unsigned n) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
  State state;
  rocrand_init(20261121, thread, 0, &state);
  for (unsigned i = 0; i < n; ++i) out[i * threads + thread] = rocrand(&state);
}
extern "C" __global__ void philox(unsigned* out, unsigned n) {
  generate<rocrand_state_philox4x32_10>(out, n);
}
