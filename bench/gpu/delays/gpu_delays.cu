// Kernels that need their barriers, fences and atomics; bench/gpu-delays.mjs edits them.
#include <cstdio>
#include <vector>

constexpr int kBlock = 256, kBlocks = 64, kCount = kBlock * kBlocks, kTile = 16, kMatrix = 64, kBins = 64;

__global__ void block_sums(const int* x, int* sums) {
  __shared__ int s[kBlock];
  const int t = threadIdx.x;
  s[t] = x[blockIdx.x * kBlock + t];
  __syncthreads();  // loaded
  for (int step = kBlock / 2; step > 0; step /= 2) {
    if (t < step) s[t] += s[t + step];
    __syncthreads();  // step
  }
  if (t == 0) sums[blockIdx.x] = s[0];
}

__global__ void transpose(const int* x, int* y) {
  __shared__ int tile[kTile][kTile + 1];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int column = blockIdx.x * kTile, row = blockIdx.y * kTile;
  tile[ty][tx] = x[(row + ty) * kMatrix + column + tx];
  __syncthreads();  // loaded
  y[(column + ty) * kMatrix + row + tx] = tile[tx][ty];
}

__global__ void scan(const int* x, int* y) {
  __shared__ int s[kBlock];
  const int t = threadIdx.x;
  s[t] = x[blockIdx.x * kBlock + t];
  __syncthreads();
  for (int step = 1; step < kBlock; step *= 2) {
    const int before = t >= step ? s[t - step] : 0;
    __syncthreads();  // read
    s[t] += before;
    __syncthreads();  // written
  }
  y[blockIdx.x * kBlock + t] = s[t];
}

__global__ void window_sums(const int* x, int* y) {
  __shared__ int s[kBlock];
  const int t = threadIdx.x;
  s[t] = x[blockIdx.x * kBlock + t];
  __syncthreads();  // loaded
  int sum = 0;
  for (int k = 0; k < 8; ++k) sum += s[(t + k * 32) % kBlock];
  y[blockIdx.x * kBlock + t] = sum;
}

__global__ void distances(const int* x, int* y) {
  __shared__ int s[kBlock];
  const int t = threadIdx.x, own = x[blockIdx.x * kBlock + t];
  s[t] = own;
  __syncthreads();
  for (int step = kBlock / 2; step > 0; step /= 2) {
    if (t < step) s[t] = max(s[t], s[t + step]);
    __syncthreads();
  }
  const int most = s[0];
  __syncthreads();  // reused
  s[t] = most - own;
  __syncthreads();
  for (int step = kBlock / 2; step > 0; step /= 2) {
    if (t < step) s[t] += s[t + step];
    __syncthreads();
  }
  y[blockIdx.x * kBlock + t] = s[0] - own;
}

__global__ void histogram(const int* x, unsigned* bins) {
  __shared__ unsigned own[kBins];
  const int t = threadIdx.x;
  if (t < kBins) own[t] = 0;
  __syncthreads();  // cleared
  atomicAdd(&own[x[blockIdx.x * kBlock + t] % kBins], 1u);
  __syncthreads();  // counted
  if (t < kBins) atomicAdd(&bins[t], own[t]);
}

__global__ void multiply(const int* a, const int* b, int* c) {
  __shared__ int at[kTile][kTile], bt[kTile][kTile];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * kTile + ty, column = blockIdx.x * kTile + tx;
  int sum = 0;
  for (int k = 0; k < kMatrix; k += kTile) {
    at[ty][tx] = a[row * kMatrix + k + tx];
    bt[ty][tx] = b[(k + ty) * kMatrix + column];
    __syncthreads();  // loaded
    for (int i = 0; i < kTile; ++i) sum += at[ty][i] * bt[i][tx];
    __syncthreads();  // used
  }
  c[row * kMatrix + column] = sum;
}

__global__ void last_block(const int* x, volatile int* partial, unsigned* tickets, int* total) {
  __shared__ int s[kBlock];
  __shared__ bool isLast;
  const int t = threadIdx.x;
  s[t] = x[blockIdx.x * kBlock + t];
  __syncthreads();
  for (int step = kBlock / 2; step > 0; step /= 2) {
    if (t < step) s[t] += s[t + step];
    __syncthreads();
  }
  if (t == 0) {
    partial[blockIdx.x] = s[0];
    __threadfence();
    isLast = atomicAdd(tickets, 1u) == gridDim.x - 1;
  }
  __syncthreads();  // ticket
  const int lane = t - (kBlock - 32);
  if (isLast && lane >= 0) {
    __threadfence();
    int sum = partial[lane] + partial[lane + 32];
    for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
    if (lane == 0) *total = sum;
  }
}

__global__ void neighbours(const int* x, int* y, int* z, int n) {
  const int i = blockIdx.x * kBlock + threadIdx.x;
  const int other = (i + kBlock) % n;
  y[i] = x[i] * 3;
  z[i] = x[other] * 3 + x[i];
}

__global__ void total(const int* x, int* sum) {
  __shared__ int s[kBlock];
  const int t = threadIdx.x;
  s[t] = x[blockIdx.x * kBlock + t];
  __syncthreads();
  for (int step = kBlock / 2; step > 0; step /= 2) {
    if (t < step) s[t] += s[t + step];
    __syncthreads();
  }
  if (t == 0) atomicAdd(sum, s[0]);
}

__global__ void chain(const int* x, volatile int* sums, volatile int* ready, int* y) {
  const int t = threadIdx.x, b = blockIdx.x;
  if (t == 0) {
    int before = 0;
    if (b > 0) {
      while (ready[b - 1] == 0) {
      }
      __threadfence();
      before = sums[b - 1];
    }
    sums[b] = before + x[b * kBlock];
    __threadfence();
    ready[b] = 1;
  }
  __syncthreads();  // chained
  y[b * kBlock + t] = sums[b] + x[b * kBlock + t];
}

__global__ void warp_sums(const int* x, int* y) {
  __shared__ int s[kBlock / 32];
  const int t = threadIdx.x;
  int sum = x[blockIdx.x * kBlock + t];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
  if (t % 32 == 0) s[t / 32] = sum;
  __syncthreads();  // warps
  int all = 0;
  for (int k = 0; k < kBlock / 32; ++k) all += s[k];
  y[blockIdx.x * kBlock + t] = all;
}

__global__ void sort(const int* x, int* y) {
  __shared__ int s[kBlock];
  const int t = threadIdx.x;
  s[t] = x[blockIdx.x * kBlock + t];
  __syncthreads();
  for (int size = 2; size <= kBlock; size *= 2) {
    for (int step = size / 2; step > 0; step /= 2) {
      const int other = t ^ step;
      if (other > t && (s[t] > s[other]) == ((t & size) == 0)) {
        const int held = s[t];
        s[t] = s[other];
        s[other] = held;
      }
      __syncthreads();  // step
    }
  }
  y[blockIdx.x * kBlock + t] = s[t];
}

__global__ void rounds(const int* x, int* y) {
  __shared__ int s[2][kBlock];
  const int t = threadIdx.x;
  s[0][t] = x[blockIdx.x * kBlock + t];
  __syncthreads();
  for (int round = 0; round < 6; ++round) {
    const int* from = s[round % 2];
    int* to = s[(round + 1) % 2];
    to[t] = from[(t + 32) % kBlock] + (from[t] & 0xffff);
    __syncthreads();  // round
  }
  y[blockIdx.x * kBlock + t] = s[0][t];
}

#define CHECK(call)                                                        \
  do {                                                                     \
    const cudaError_t status = (call);                                     \
    if (status != cudaSuccess) {                                           \
      std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(status)); \
      return 1;                                                            \
    }                                                                      \
  } while (0)

template <typename T>
T* device_array(size_t count) {
  void* array = nullptr;
  if (cudaMalloc(&array, count * sizeof(T)) != cudaSuccess) return nullptr;
  cudaMemset(array, 0, count * sizeof(T));
  return static_cast<T*>(array);
}

int main() {
  std::vector<int> values(kCount);
  unsigned state = 12345;
  for (int& value : values) {
    state = state * 1664525u + 1013904223u;
    value = static_cast<int>(state >> 20) + 1;
  }
  int* x = device_array<int>(kCount);
  CHECK(cudaMemcpy(x, values.data(), kCount * sizeof(int), cudaMemcpyHostToDevice));
  const dim3 tiles(kMatrix / kTile, kMatrix / kTile), tile(kTile, kTile);
  block_sums<<<kBlocks, kBlock>>>(x, device_array<int>(kBlocks));
  transpose<<<tiles, tile>>>(x, device_array<int>(kMatrix * kMatrix));
  scan<<<kBlocks, kBlock>>>(x, device_array<int>(kCount));
  window_sums<<<kBlocks, kBlock>>>(x, device_array<int>(kCount));
  distances<<<kBlocks, kBlock>>>(x, device_array<int>(kCount));
  histogram<<<kBlocks, kBlock>>>(x, device_array<unsigned>(kBins));
  multiply<<<tiles, tile>>>(x, x + kMatrix * kMatrix, device_array<int>(kMatrix * kMatrix));
  last_block<<<kBlocks, kBlock>>>(x, device_array<int>(kBlocks), device_array<unsigned>(1), device_array<int>(1));
  neighbours<<<kBlocks, kBlock>>>(x, device_array<int>(kCount), device_array<int>(kCount), kCount);
  total<<<kBlocks, kBlock>>>(x, device_array<int>(1));
  chain<<<kBlocks, kBlock>>>(x, device_array<int>(kBlocks), device_array<int>(kBlocks), device_array<int>(kCount));
  warp_sums<<<kBlocks, kBlock>>>(x, device_array<int>(kCount));
  sort<<<kBlocks, kBlock>>>(x, device_array<int>(kCount));
  rounds<<<kBlocks, kBlock>>>(x, device_array<int>(kCount));
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaGetLastError());
  std::puts("ok");
  return 0;
}
