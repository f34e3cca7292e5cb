// printf on the device: the hostcall service of the HIP runtime prints what lanes hand over.
#include "device.h"

KERNEL void print_formats(const int* in, unsigned n) {
  const unsigned i = global_index();
  if (i >= n || in[i] < 0) return;
  printf("lane %u: int %d hex %08x long %lld double %.3f char %c string %s %%\n", i, in[i], in[i],
         1000000000000ll * in[i], in[i] * 0.25, 'a' + in[i] % 26, in[i] % 2 ? "odd" : "even");
}

// What printf returns, and text in a loop with lanes that leave it.
KERNEL void print_loop(int* returned) {
  const unsigned t = threadIdx.x;
  for (unsigned k = 0; k < t % 3; ++k) returned[t] = printf("loop %u of thread %u\n", k, t);
}
