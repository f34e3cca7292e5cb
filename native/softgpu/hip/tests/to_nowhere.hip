#include <hip/hip_runtime.h>

__device__ int value;
__device__ int* pointer = &value;  // gives the code object a relocation

extern "C" __global__ void to_nowhere(int* out) {
  *out = 1;
}
