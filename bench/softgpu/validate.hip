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

// Each block waits for the sum of those before it; which one it is it learns by a ticket.
__global__ void scan(const int* in, int* tickets, volatile int* flags, int* prefixes, int* out) {
  __shared__ int values[256];
  __shared__ int before, block;
  const int t = threadIdx.x;
  if (t == 0) block = atomicAdd(tickets, 1);
  __syncthreads();
  const int i = block * 256 + t;
  values[t] = in[i];
  __syncthreads();
  for (int step = 1; step < 256; step *= 2) {
    const int left = t >= step ? values[t - step] : 0;
    __syncthreads();
    values[t] += left;
    __syncthreads();
  }
  if (t == 0) {
    int sum = 0;
    if (block > 0) {
      while (flags[block - 1] == 0) {
      }
      __threadfence();
      sum = prefixes[block - 1];
    }
    before = sum;
    prefixes[block] = sum + values[255];
    __threadfence();
    flags[block] = 1;
  }
  __syncthreads();
  out[i] = before + values[t];
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
  scan<<<n / 256, 256>>>(device<int>(n, 7), device<int>(1, 0), device<int>(n / 256, 0), device<int>(n / 256, 0),
                         device<int>(n, 0));
  check(hipDeviceSynchronize());
  return 0;
}
