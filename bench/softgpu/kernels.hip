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

// Five points of a plane of n x n.
extern "C" __global__ void stencil(const float* in, float* out, unsigned n) {
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x == 0 || y == 0 || x >= n - 1 || y >= n - 1) return;
  const unsigned at = y * n + x;
  out[at] = 0.5f * in[at] + 0.125f * (in[at - 1] + in[at + 1] + in[at - n] + in[at + n]);
}

// Each block sorts 512 words (bitonic).
extern "C" __global__ void sort(const unsigned* in, unsigned* out, unsigned) {
  __shared__ unsigned words[2 * kBlock];
  const unsigned thread = threadIdx.x, first = blockIdx.x * 2 * kBlock;
  words[thread] = in[first + thread];
  words[thread + kBlock] = in[first + thread + kBlock];
  for (unsigned size = 2; size <= 2 * kBlock; size *= 2) {
    for (unsigned stride = size / 2; stride; stride /= 2) {
      __syncthreads();
      const unsigned low = 2 * thread - (thread & (stride - 1)), high = low + stride;
      const unsigned a = words[low], b = words[high];
      if ((a > b) != ((low & size) != 0)) words[low] = b, words[high] = a;
    }
  }
  __syncthreads();
  out[first + thread] = words[thread];
  out[first + thread + kBlock] = words[thread + kBlock];
}

// Products by matrix instructions, a wave a tile of 32 x 32: c = a * b, where b is transposed.
typedef _Float16 half4 __attribute__((ext_vector_type(4)));
typedef float float16 __attribute__((ext_vector_type(16)));
typedef int int16 __attribute__((ext_vector_type(16)));

template <class Sum>
__device__ void store_tile(float* c, const Sum& sum, unsigned row, unsigned column, unsigned n) {
  for (unsigned k = 0; k < 16; ++k)
    c[(row + 8 * (k / 4) + 4 * (threadIdx.x / 32) + k % 4) * n + column + threadIdx.x % 32] = sum[k];
}
extern "C" __global__ void matmul_half(const half4* a, const half4* b, float* c, unsigned n) {
  const unsigned row = blockIdx.y * 32, column = blockIdx.x * 32, of = threadIdx.x % 32, part = threadIdx.x / 32;
  float16 sum = {};
  for (unsigned k = part; k < n / 4; k += 2)
    sum =
        __builtin_amdgcn_mfma_f32_32x32x8f16(a[(row + of) * (n / 4) + k], b[(column + of) * (n / 4) + k], sum, 0, 0, 0);
  store_tile(c, sum, row, column, n);
}
extern "C" __global__ void matmul_int8(const int* a, const int* b, float* c, unsigned n) {
  const unsigned row = blockIdx.y * 32, column = blockIdx.x * 32, of = threadIdx.x % 32, part = threadIdx.x / 32;
  int16 sum = {};
  for (unsigned k = part; k < n / 4; k += 2)
    sum =
        __builtin_amdgcn_mfma_i32_32x32x8i8(a[(row + of) * (n / 4) + k], b[(column + of) * (n / 4) + k], sum, 0, 0, 0);
  store_tile(c, sum, row, column, n);
}

// Attention of n queries of 32 elements over n keys, a wave 32 queries: the softmax goes on while the keys come.
// `values` is transposed; `out` is, too.
extern "C" __global__ void attention(const half4* queries_keys, const half4* values, float* out, unsigned n) {
  const unsigned of = threadIdx.x % 32, part = threadIdx.x / 32, first = blockIdx.x * 32;
  half4 query[4];
  for (unsigned k = 0; k < 4; ++k) query[k] = queries_keys[(first + of) * 8 + 2 * k + part];
  float16 sum = {};
  float largest = -1e30f, total = 0;
  for (unsigned key = 0; key < n; key += 32) {
    float16 score = {};
    for (unsigned k = 0; k < 4; ++k)
      score = __builtin_amdgcn_mfma_f32_32x32x8f16(queries_keys[(n + key + of) * 8 + 2 * k + part], query[k], score, 0,
                                                   0, 0);
    float most = largest;
    for (unsigned k = 0; k < 16; ++k) most = fmaxf(most, score[k]);
    most = fmaxf(most, __shfl_xor(most, 32));
    const float scale = exp2f(largest - most);
    largest = most;
    float row = 0;
    for (unsigned k = 0; k < 16; ++k) {
      score[k] = exp2f(score[k] - most);
      row += score[k];
    }
    total = total * scale + row + __shfl_xor(row, 32);
    for (unsigned k = 0; k < 16; ++k) sum[k] *= scale;
    for (unsigned k = 0; k < 4; ++k) {
      half4 weight;
      for (unsigned j = 0; j < 4; ++j) weight[j] = static_cast<_Float16>(score[4 * k + j]);
      sum = __builtin_amdgcn_mfma_f32_32x32x8f16(values[of * (n / 4) + key / 4 + 2 * k + part], weight, sum, 0, 0, 0);
    }
  }
  for (unsigned k = 0; k < 16; ++k) sum[k] /= total;
  store_tile(out, sum, 0, first, n);
}
