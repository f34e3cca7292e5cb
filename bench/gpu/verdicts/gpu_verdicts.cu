// Kernels whose results are easy to judge wrongly: free order, sums whose rounding depends on the order, shared memory,
// structures whose shape depends on the order. bench/gpu-verdicts.mjs edits them.
#include <cstdio>
#include <vector>

struct Record {
  float value;
  int index;
};

struct Node {
  int value;
  int next;
};

constexpr int kCount = 8192, kSums = 8, kBlock = 256, kHalo = 8;

__global__ void collect_records(const float* x, Record* out, unsigned* count, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n || x[i] < 0.5f) return;
  const unsigned place = atomicAdd(count, 1u);
  out[place] = Record{x[i], i};
}

__global__ void collect_pairs(const float* x, float* keys, int* values, unsigned* count, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n || x[i] < 0.5f) return;
  const unsigned place = atomicAdd(count, 1u);
  keys[place] = x[i];
  values[place] = i;
}

__global__ void block_sums(const float* x, float* sums) {
  __shared__ float s[kBlock];
  const int t = threadIdx.x;
  s[t] = x[blockIdx.x * kBlock + t];
  __syncthreads();
  for (int step = kBlock / 2; step > 0; step /= 2) {
    if (t < step) s[t] += s[t + step];
    __syncthreads();
  }
  if (t == 0) sums[blockIdx.x] = s[0];
}

__global__ void scatter_sums(const float* x, float* sums, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&sums[i % kSums], x[i]);
}

__global__ void cancelling_sums(const float* x, float* sums, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&sums[i % kSums], (i / kSums) % 2 ? -0.999f * x[i - kSums] : x[i]);
}

__global__ void slot_maxima(const float* x, float* maxima, int n) {
  __shared__ float slots[1024];
  const int t = threadIdx.x;
  for (int slot = t; slot < 1024; slot += kBlock) slots[slot] = -INFINITY;
  __syncthreads();
  slots[(t * 4) % 1024] = x[(blockIdx.x * kBlock + t) % n];
  __syncthreads();
  if (t == 0) {
    float most = -INFINITY;
    for (float slot : slots) most = fmaxf(most, slot);
    maxima[blockIdx.x] = most;
  }
}

__global__ void push_nodes(Node* nodes, int* head, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  nodes[i].value = i * 3;
  nodes[i].next = atomicExch(head, i);
}

__global__ void window_sums(const float* x, float* y, int n) {
  __shared__ float s[kBlock + kHalo];
  const int t = threadIdx.x, first = blockIdx.x * kBlock;
  for (int k = t; k < kBlock + kHalo; k += kBlock) s[k] = first + k < n ? x[first + k] : 0.0f;
  __syncthreads();
  float sum = 0.0f;
  for (int k = 0; k <= kHalo; ++k) sum += s[t + k];
  y[first + t] = sum;
}

__global__ void scale(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2.0f * x[i];
}

__device__ float bias_set = 1.0f, bias_own = 1.0f;

__global__ void add_biases(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] + bias_set + bias_own;
}

// One block a row.
__global__ void softmax_rows(const float* x, float* y, int columns) {
  __shared__ float s[kBlock];
  const int t = threadIdx.x;
  const float* in = x + blockIdx.x * columns;
  float highest = -3.402823466e38f;
  for (int i = t; i < columns; i += kBlock) highest = fmaxf(highest, in[i]);
  s[t] = highest;
  __syncthreads();
  for (int step = kBlock / 2; step > 0; step /= 2) {
    if (t < step) s[t] = fmaxf(s[t], s[t + step]);
    __syncthreads();
  }
  highest = s[0];
  __syncthreads();
  float sum = 0.0f;
  for (int i = t; i < columns; i += kBlock) sum += expf(in[i] - highest);
  s[t] = sum;
  __syncthreads();
  for (int step = kBlock / 2; step > 0; step /= 2) {
    if (t < step) s[t] += s[t + step];
    __syncthreads();
  }
  for (int i = t; i < columns; i += kBlock) y[blockIdx.x * columns + i] = expf(in[i] - highest) / s[0];
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
  std::vector<float> x(kCount);
  unsigned state = 12345;
  for (float& value : x) {
    state = state * 1664525u + 1013904223u;
    value = (state >> 8) * (1.0f / 16777216.0f);
  }
  const int blocks = kCount / kBlock;
  float* in = device_array<float>(kCount);
  CHECK(cudaMemcpy(in, x.data(), kCount * sizeof(float), cudaMemcpyHostToDevice));
  collect_records<<<blocks, kBlock>>>(in, device_array<Record>(kCount), device_array<unsigned>(1), kCount);
  collect_pairs<<<blocks, kBlock>>>(in, device_array<float>(kCount), device_array<int>(kCount),
                                    device_array<unsigned>(1), kCount);
  block_sums<<<blocks, kBlock>>>(in, device_array<float>(blocks));
  // Four blocks, as in the false FAIL that was met: about 128 addends a sum.
  scatter_sums<<<4, kBlock>>>(in, device_array<float>(kSums), 4 * kBlock);
  cancelling_sums<<<4, kBlock>>>(in, device_array<float>(kSums), 4 * kBlock);
  // Below zero, so that whatever is not written may win.
  std::vector<float> negative(x);
  for (float& value : negative) value = -5.0f - value * 4.0f;
  float* below = device_array<float>(kCount);
  CHECK(cudaMemcpy(below, negative.data(), kCount * sizeof(float), cudaMemcpyHostToDevice));
  slot_maxima<<<blocks, kBlock>>>(below, device_array<float>(blocks), kCount);
  push_nodes<<<blocks, kBlock>>>(device_array<Node>(kCount), device_array<int>(1), kCount);
  window_sums<<<blocks, kBlock>>>(in, device_array<float>(kCount), kCount);
  scale<<<blocks, kBlock>>>(in, device_array<float>(kCount), kCount);
  const float bias = 1.0f;  // as it is initialised
  CHECK(cudaMemcpyToSymbol(bias_set, &bias, sizeof bias));
  add_biases<<<blocks, kBlock>>>(in, device_array<float>(kCount), kCount);
  softmax_rows<<<16, kBlock>>>(in, device_array<float>(kCount), kCount / 16);
  CHECK(cudaDeviceSynchronize());
  std::puts("done");
  return 0;
}
