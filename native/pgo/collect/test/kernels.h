// A kernel whose branches can be counted by hand, and how often each side is taken.
#pragma once

// Clang 22 does not define it, and the headers of HIP 5.2 need it: to be included before them.
#if defined(__GFX10__)
#define __AMDGCN_WAVEFRONT_SIZE 32
#else
#define __AMDGCN_WAVEFRONT_SIZE 64
#endif

constexpr int kElements = 997, kBlock = 256;

#define KERNEL_BODY(out, n, i)                      \
  if ((i) >= (n)) return;                           \
  int sum = 0;                                      \
  for (int k = 0; k < (i) % 7; ++k) sum += k * (i); \
  if ((i) % 64 < 24) sum ^= 5;                      \
  (out)[i] = sum
