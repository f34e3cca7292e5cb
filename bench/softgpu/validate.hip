// Kernels of several kinds and sizes, for bench/validate-adverse.mjs: streaming, LDS and barriers, atomics, one that
// looks back.
//   validate SCALE
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

void check(hipError_t error) {
  if (error == hipSuccess) return;
  std::fprintf(stderr, "%s\n", hipGetErrorString(error));
  std::exit(1);
}

__global__ void add(const float* a, const float* b, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a[i] + b[i];
}

__global__ void matmul(const float* a, const float* b, float* out, int n) {
  __shared__ float left[16][16], right[16][16];
  const int x = threadIdx.x, y = threadIdx.y, column = blockIdx.x * 16 + x, row = blockIdx.y * 16 + y;
  float sum = 0;
  for (int k = 0; k < n; k += 16) {
    left[y][x] = a[row * n + k + x];
    right[y][x] = b[(k + y) * n + column];
    __syncthreads();
    for (int j = 0; j < 16; ++j) sum += left[y][j] * right[j][x];
    __syncthreads();
  }
  out[row * n + column] = sum;
}

__global__ void histogram(const int* in, int* bins, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&bins[in[i] & 255], 1);
}

// The last block sums what all have left.
__global__ void reduce(const int* in, int* partials, unsigned* arrived, int* out) {
  __shared__ int values[256];
  __shared__ unsigned ticket;
  const int t = threadIdx.x;
  values[t] = in[blockIdx.x * 256 + t];
  __syncthreads();
  for (int step = 128; step > 0; step /= 2) {
    if (t < step) values[t] += values[t + step];
    __syncthreads();
  }
  if (t == 0) {
    partials[blockIdx.x] = values[0];
    __threadfence();
    ticket = atomicInc(arrived, gridDim.x);
  }
  __syncthreads();
  if (ticket != gridDim.x - 1 || t != 0) return;
  __threadfence();
  int sum = 0;
  for (unsigned k = 0; k < gridDim.x; ++k) sum += partials[k];
  *out = sum;
}

template <typename T>
T* device(size_t count, int step) {
  auto& host = *new std::vector<T>(count);  // stays: HIP may keep it locked
  for (size_t i = 0; i < count; ++i) host[i] = static_cast<T>(i * step % 1000);
  T* at;
  check(hipMalloc(&at, count * sizeof(T)));
  check(hipMemcpy(at, host.data(), count * sizeof(T), hipMemcpyHostToDevice));
  return at;
}

int main(int, char** argv) {
  const int scale = std::atoi(argv[1]), n = 65536 * scale, side = 16 * scale;
  add<<<n / 256, 256>>>(device<float>(n, 7), device<float>(n, 3), device<float>(n, 0), n);
  matmul<<<dim3(side / 16, side / 16), dim3(16, 16)>>>(device<float>(side * side, 7), device<float>(side * side, 3),
                                                       device<float>(side * side, 0), side);
  histogram<<<64, 256>>>(device<int>(n, 7919), device<int>(256, 0), n);
  reduce<<<n / 256, 256>>>(device<int>(n, 7), device<int>(n / 256, 0), device<unsigned>(1, 0), device<int>(1, 0));
  check(hipDeviceSynchronize());
  return 0;
}
