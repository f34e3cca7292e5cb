// A program whose host side has counters of its own, of stock clang.
#include "kernels.h"

#include <hip/hip_runtime.h>

__global__ void work(int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  KERNEL_BODY(out, n, i);
}

__attribute__((noinline)) int twice_if_odd(int value) {
  return value % 2 ? value * 2 : value;
}

int main() {
  int sum = 0;
  for (int i = 0; i < 10; ++i) sum += twice_if_odd(i);
  int* out;
  if (hipMalloc(reinterpret_cast<void**>(&out), kElements * sizeof(int)) != hipSuccess) return 3;
  work<<<(kElements + kBlock - 1) / kBlock, kBlock>>>(out, kElements);
  return hipDeviceSynchronize() == hipSuccess && sum == 70 ? 0 : 4;
}
