// Kernels that show what they find where nobody has written: four words a work-item.
#include "gpu.h"

__device__ inline uint item() {
  return group_x() * 128 + local_x();
}

__device__ inline uint vector_register() {
  uint found;
  __asm__ volatile("v_mov_b32 %0, v45" : "=v"(found)::"v45");
  return found;
}

__device__ inline uint scalar_register() {
  uint found;
  __asm__ volatile("s_mov_b32 %0, s53" : "=s"(found)::"s53");
  return found;
}

__device__ inline uint accumulation_register() {
#ifdef __gfx90a__
  uint found;
  __asm__ volatile("v_accvgpr_read_b32 %0, a3" : "=v"(found)::"a3");
  return found;
#else
  uint found;
  __asm__ volatile("v_mov_b32 %0, v46" : "=v"(found)::"v46");
  return found;
#endif
}

extern "C" __global__ void registers(uint* out) {
  out[item() * 4] = vector_register();
  out[item() * 4 + 1] = scalar_register();
  out[item() * 4 + 2] = accumulation_register();
  out[item() * 4 + 3] = __builtin_amdgcn_read_exec() != 0;
}

extern __shared__ uint dynamic_lds[];

// Every fourth word is written, and not shown.
extern "C" __global__ void lds(uint* out) {
  __shared__ volatile uint words[128 * 4];
  words[local_x() * 4 + 3] = 0;
  barrier();
  out[item() * 4] = words[local_x() * 4];
  out[item() * 4 + 1] = words[local_x() * 4 + 1];
  out[item() * 4 + 2] = words[local_x() * 4 + 2];
  out[item() * 4 + 3] = ((volatile __attribute__((address_space(3))) uint*)dynamic_lds)[local_x()];
}

// `stride` 1: four words of the beginning; 250: as far apart as they can be.
extern "C" __global__ void private_words(uint* out, uint stride) {
  volatile uint words[1000];
  for (uint k = 0; k < 4; ++k) out[item() * 4 + k] = words[k * stride];
}

// Leaves as many of them written as it is told.
extern "C" __global__ void write_private_words(uint* out, uint count) {
  volatile uint words[1000];
  for (uint k = 0; k < count; ++k) words[k] = 0;
  out[item()] = words[0];
}
