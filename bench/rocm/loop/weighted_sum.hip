// Sums an array by weights in `__constant__` memory, through LDS and one atomic a workgroup. Prints "ok" if the device
// agrees with the host.
#include <hip/hip_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                      \
  do {                                                                                   \
    const hipError_t error = (call);                                                     \
    if (error != hipSuccess) {                                                           \
      std::printf("FAILED %s: %s (line %d)\n", #call, hipGetErrorName(error), __LINE__); \
      std::exit(1);                                                                      \
    }                                                                                    \
  } while (false)

constexpr uint32_t kBlock = 256;
constexpr uint32_t kItems = 4;  // elements a thread
#ifndef UNROLL
#define UNROLL 1
#endif
__constant__ uint32_t weights[64];

__global__ void weighted_sum(const uint32_t* in, uint32_t* total, uint32_t n) {
  __shared__ uint32_t sums[kBlock];
  uint32_t sum = 0;
#pragma unroll UNROLL
  for (uint32_t k = 0; k < kItems; ++k) {
    const uint32_t i = (blockIdx.x * kItems + k) * kBlock + threadIdx.x;
    if (i < n) sum += in[i] * weights[i % 64];
  }
  sums[threadIdx.x] = sum;
  __syncthreads();
  for (uint32_t half = kBlock / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(total, sums[0]);
}

int main() {
  constexpr uint32_t count = 10'000;  // no multiple of a workgroup
  std::vector<uint32_t> input(count), table(64);
  uint32_t seed = 1, expected = 0;
  for (uint32_t& value : input) value = seed = seed * 1664525u + 1013904223u;
  for (uint32_t& value : table) value = seed = seed * 1664525u + 1013904223u;
  for (uint32_t i = 0; i < count; ++i) expected += input[i] * table[i % 64];
  uint32_t *in, *total, got = 0;
  CHECK(hipMalloc(&in, count * sizeof(uint32_t)));
  CHECK(hipMalloc(&total, sizeof(uint32_t)));
  CHECK(hipMemcpy(in, input.data(), count * sizeof(uint32_t), hipMemcpyHostToDevice));
  CHECK(hipMemset(total, 0, sizeof(uint32_t)));
  CHECK(hipMemcpyToSymbol(HIP_SYMBOL(weights), table.data(), 64 * sizeof(uint32_t)));
  constexpr uint32_t each = kBlock * kItems;
  weighted_sum<<<(count + each - 1) / each, kBlock>>>(in, total, count);
  CHECK(hipGetLastError());
  CHECK(hipMemcpy(&got, total, sizeof(uint32_t), hipMemcpyDeviceToHost));
  CHECK(hipFree(in));
  CHECK(hipFree(total));
  std::printf(got == expected ? "ok\n" : "WRONG: %u instead of %u\n", got, expected);
  return got == expected ? 0 : 1;
}
