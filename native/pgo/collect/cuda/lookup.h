// Look-ups of functions that this library stands in front of, by dlsym and cuGetProcAddress, are answered with its own.
// A library that links this has `dlsym`, cuGetProcAddress and cuGetProcAddress_v2 among its exports.
#pragma once

#include <span>

#include "cuda/driver.h"

namespace kernloop::pgo::cuda {

using namespace kernloop::cuda;

struct Gate {
  const char* symbol;
  const char* name;  // that cuGetProcAddress knows it under; empty: none
  void* function;
  const char* library = "libcuda.so";  // whose function it is
  void** next = nullptr;               // where that is kept, for who cannot find it otherwise
};

// Of each library: what it stands in front of, and the driver behind it, null where there is none.
std::span<const Gate> gates();
const Driver* driver();

// While one of these lives, this thread gets what is behind.
class OwnLookup {
 public:
  OwnLookup();
  ~OwnLookup();
  OwnLookup(const OwnLookup&) = delete;
  OwnLookup& operator=(const OwnLookup&) = delete;
};

}  // namespace kernloop::pgo::cuda
