// Parameters of the kernels in kernels.cu, as the host's compiler sees them too: its offsetof and sizeof are what the
// readers of cubins are tested against.
#pragma once

#include <cstdint>

struct Pair {
  float a;
  double b;
};

struct Mixed {
  char tag;
  short count;
  Pair pair;
  unsigned char tail[3];
};

// As a CUtensorMap: opaque, by value, with a stricter alignment than its size would give it.
struct alignas(128) Opaque {
  uint64_t words[16];
};

// Beyond the 4 KiB that were the limit before CUDA 12.1.
struct Large {
  float weights[1500];
};

// Kernel parameters are laid out as the members of a structure in the order of declaration.
struct MixedParameters {
  char first;
  Mixed mixed;
  float* out;
  bool last;
};

struct OpaqueParameters {
  int n;
  Opaque map;
  float* out;
};

struct LargeParameters {
  float* out;
  Large large;
  short n;
};
