// Scales a batch of arrays of different lengths, each in its own allocation, through a device array of pointers (T**).
// The arrays are reachable only through memory: no kernel argument names them.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#define HIP_CHECK(call)                                                                              \
  do {                                                                                               \
    hipError_t status = (call);                                                                      \
    if (status != hipSuccess) {                                                                      \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, hipGetErrorString(status)); \
      std::exit(1);                                                                                  \
    }                                                                                                \
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
    HIP_CHECK(hipMalloc(&arrays[batch], host.size() * sizeof(float)));
    HIP_CHECK(hipMemcpy(arrays[batch], host.data(), host.size() * sizeof(float), hipMemcpyHostToDevice));
  }

  std::vector<unsigned> weights(kWeightBytes / sizeof(unsigned));
  unsigned state = 1;
  for (unsigned& word : weights) word = state = state * 1664525u + 1013904223u;
  unsigned* device_weights = nullptr;
  HIP_CHECK(hipMalloc(&device_weights, kWeightBytes));
  HIP_CHECK(hipMemcpy(device_weights, weights.data(), kWeightBytes, hipMemcpyHostToDevice));

  float** device_arrays = nullptr;
  int* device_lengths = nullptr;
  HIP_CHECK(hipMalloc(&device_arrays, kBatches * sizeof(float*)));
  HIP_CHECK(hipMalloc(&device_lengths, kBatches * sizeof(int)));
  HIP_CHECK(hipMemcpy(device_arrays, arrays.data(), kBatches * sizeof(float*), hipMemcpyHostToDevice));
  HIP_CHECK(hipMemcpy(device_lengths, lengths.data(), kBatches * sizeof(int), hipMemcpyHostToDevice));

  for (int launch = 0; launch < kLaunches; ++launch) {
    scale_batch<float><<<dim3(4, kBatches), 256>>>(device_arrays, device_lengths, kFactor);
    HIP_CHECK(hipGetLastError());
  }
  HIP_CHECK(hipDeviceSynchronize());

  int wrong = 0;
  for (int batch = 0; batch < kBatches; ++batch) {
    std::vector<float> host(lengths[batch]);
    HIP_CHECK(hipMemcpy(host.data(), arrays[batch], host.size() * sizeof(float), hipMemcpyDeviceToHost));
    for (int i = 0; i < lengths[batch]; ++i) {
      float expected = initial(batch, i);
      for (int launch = 0; launch < kLaunches; ++launch) expected *= kFactor;
      wrong += host[i] != expected;
    }
    HIP_CHECK(hipFree(arrays[batch]));
  }
  HIP_CHECK(hipFree(device_weights));
  HIP_CHECK(hipFree(device_arrays));
  HIP_CHECK(hipFree(device_lengths));
  std::printf("batched-scale: %d batches, %d launches, %d wrong\n", kBatches, kLaunches, wrong);
  return wrong == 0 ? 0 : 1;
}
