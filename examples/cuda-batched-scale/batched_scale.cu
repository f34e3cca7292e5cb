// Scales a batch of arrays of different lengths, each in its own allocation, through a device array of pointers (T**).
// The arrays are reachable only through memory: no kernel argument names them.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#define CUDA_CHECK(call)                                                                              \
  do {                                                                                                \
    cudaError_t status = (call);                                                                      \
    if (status != cudaSuccess) {                                                                      \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(status)); \
      std::exit(1);                                                                                   \
    }                                                                                                 \
  } while (0)

template <typename T>
__global__ void scale_batch(T** arrays, const int* lengths, T factor) {
  T* array = arrays[blockIdx.y];
  const int length = lengths[blockIdx.y];
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < length; i += gridDim.x * blockDim.x) {
    array[i] *= factor;
  }
}

namespace {

constexpr int kBatches = 16;
constexpr int kLaunches = 3;
constexpr float kFactor = 1.5f;
constexpr size_t kWeightBytes = 64u << 20;  // other memory of the app, which the kernel never touches

float initial(int batch, int i) {
  return static_cast<float>(batch + 1) + 0.25f * static_cast<float>(i % 17);
}

}  // namespace

int main() {
  std::vector<float*> arrays(kBatches);
  std::vector<int> lengths(kBatches);
  for (int batch = 0; batch < kBatches; ++batch) {
    lengths[batch] = 500 + 377 * batch;
    std::vector<float> host(lengths[batch]);
    for (int i = 0; i < lengths[batch]; ++i) host[i] = initial(batch, i);
    CUDA_CHECK(cudaMalloc(&arrays[batch], host.size() * sizeof(float)));
    CUDA_CHECK(cudaMemcpy(arrays[batch], host.data(), host.size() * sizeof(float), cudaMemcpyHostToDevice));
  }

  std::vector<unsigned> weights(kWeightBytes / sizeof(unsigned));
  unsigned state = 1;
  for (unsigned& word : weights) word = state = state * 1664525u + 1013904223u;
  unsigned* device_weights = nullptr;
  CUDA_CHECK(cudaMalloc(&device_weights, kWeightBytes));
  CUDA_CHECK(cudaMemcpy(device_weights, weights.data(), kWeightBytes, cudaMemcpyHostToDevice));

  float** device_arrays = nullptr;
  int* device_lengths = nullptr;
  CUDA_CHECK(cudaMalloc(&device_arrays, kBatches * sizeof(float*)));
  CUDA_CHECK(cudaMalloc(&device_lengths, kBatches * sizeof(int)));
  CUDA_CHECK(cudaMemcpy(device_arrays, arrays.data(), kBatches * sizeof(float*), cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(device_lengths, lengths.data(), kBatches * sizeof(int), cudaMemcpyHostToDevice));

  for (int launch = 0; launch < kLaunches; ++launch) {
    scale_batch<float><<<dim3(4, kBatches), 256>>>(device_arrays, device_lengths, kFactor);
    CUDA_CHECK(cudaGetLastError());
  }
  CUDA_CHECK(cudaDeviceSynchronize());

  int wrong = 0;
  for (int batch = 0; batch < kBatches; ++batch) {
    std::vector<float> host(lengths[batch]);
    CUDA_CHECK(cudaMemcpy(host.data(), arrays[batch], host.size() * sizeof(float), cudaMemcpyDeviceToHost));
    for (int i = 0; i < lengths[batch]; ++i) {
      float expected = initial(batch, i);
      for (int launch = 0; launch < kLaunches; ++launch) expected *= kFactor;
      wrong += host[i] != expected;
    }
    CUDA_CHECK(cudaFree(arrays[batch]));
  }
  CUDA_CHECK(cudaFree(device_weights));
  CUDA_CHECK(cudaFree(device_arrays));
  CUDA_CHECK(cudaFree(device_lengths));
  std::printf("cuda-batched-scale: %d batches, %d launches, %d wrong\n", kBatches, kLaunches, wrong);
  return wrong == 0 ? 0 : 1;
}
