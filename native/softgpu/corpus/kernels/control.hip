// Control flow: lanes of a wave that go different ways, and come together again.
#include "device.h"

KERNEL void early_exit(const int* in, int* out, unsigned n) {
  const unsigned i = global_index();
  if (i >= n) return;
  if (in[i] < 0) {
    out[i] = -1;
    return;
  }
  for (int k = 0; k < in[i]; ++k) {
    if (k * k > in[i]) {
      out[i] = k;
      return;
    }
  }
  out[i] = 1000 + in[i];
}

KERNEL void collatz(const unsigned* in, unsigned* steps, unsigned n) {
  const unsigned i = global_index();
  if (i >= n) return;
  unsigned long x = in[i];
  unsigned count = 0;
  while (x > 1) {
    x = x % 2 ? 3 * x + 1 : x / 2;
    ++count;
  }
  steps[i] = count;
}

KERNEL void nested(const int* in, int* out, unsigned n) {
  const unsigned i = global_index();
  if (i >= n) return;
  int sum = 0;
  for (int a = 0; a < in[i] % 7; ++a) {
    if ((a + in[i]) % 3 == 0) continue;
    for (int b = a; b < in[i] % 11; ++b) {
      if (b == 8) break;
      if ((a ^ b) & 1) {
        sum += a * b;
        if (sum > 40) goto done;
      } else {
        sum -= b & a ? 1 : 2;
      }
    }
    sum *= 2;
  }
done:
  out[i] = sum;
}

KERNEL void switches(const unsigned* in, unsigned* out, unsigned n) {
  const unsigned i = global_index();
  if (i >= n) return;
  unsigned x = in[i], steps = 0;
  for (unsigned state = x % 8; steps < 20; ++steps) {
    switch (state) {
      case 0:
        x = x * 5 + 1;
        state = x >> 3 & 7;
        break;
      case 1:
        x ^= x >> 7;  // and on
      case 2:
        x += 77;
        state = 4;
        break;
      case 3:
        x = ~x;
        state = x % 3;
        break;
      case 4:
        state = x & 1 ? 6 : 5;
        break;
      case 5:
        x >>= 1;
        state = 7;
        break;
      case 6:
        x = x << 3 | x >> 29;
        state = x % 5;
        break;
      default:
        x += steps;
        state = x % 7;
        break;
    }
    if (x == 0) break;
  }
  out[i] = x ^ steps << 24;
}

// Barriers in a loop whose length is the same for all threads of a block, but not for all blocks.
KERNEL void uniform_loop(const int* rounds, int* out) {
  __shared__ int shared[128];
  const unsigned t = threadIdx.x;
  shared[t] = static_cast<int>(t);
  __syncthreads();
  for (int round = 0; round < rounds[blockIdx.x]; ++round) {
    const int next = shared[(t + 1) % blockDim.x] + round;
    __syncthreads();
    shared[t] = next;
    __syncthreads();
  }
  out[global_index()] = shared[t];
}

KERNEL void three_dimensions(unsigned* out, unsigned width, unsigned height, unsigned depth) {
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned y = blockIdx.y * blockDim.y + threadIdx.y;
  const unsigned z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x >= width || y >= height || z >= depth) return;
  out[(z * height + y) * width + x] = x | y << 8 | z << 16 | (gridDim.x + gridDim.y + gridDim.z) << 24;
}

// Long enough that its branches do not reach over it in one jump.
template <int n>
__device__ unsigned churn(unsigned x) {
#pragma unroll
  for (int k = 0; k < n; ++k) x = (x ^ x >> (k % 13 + 1)) * (2654435761u + 2 * k);
  return x;
}
KERNEL void long_branches(const unsigned* in, unsigned* out, unsigned n) {
  const unsigned i = global_index();
  if (i >= n) return;
  unsigned x = in[i];
  for (unsigned round = 0; round < in[i] % 4; ++round) {
    if (x & 1) {
      x = churn<1500>(x);
      if (x & 2) continue;
      x += 3;
    }
    x = churn<1800>(x + round);
  }
  out[i] = x;
}
