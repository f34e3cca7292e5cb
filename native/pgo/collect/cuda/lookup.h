// Answers look-ups of intercepted functions, by dlsym and cuGetProcAddress, with this library's own. A library that
// links this exports `dlsym`, cuGetProcAddress and cuGetProcAddress_v2.
#pragma once

#include <span>

#include "cuda/driver.h"

namespace kernloop::pgo::cuda {

using namespace kernloop::cuda;

struct Gate {
  const char* symbol;
  const char* name;  // its name for cuGetProcAddress; empty: none
  void* function;
  const char* library = "libcuda.so";  // the library that exports the function
  void** next = nullptr;               // storage of the original, for callers that cannot find it otherwise
};

// Functions that each library intercepts, and the driver behind it, null if there is none.
std::span<const Gate> gates();
const Driver* driver();

// While an object of this type lives, this thread gets the original functions.
class OwnLookup {
 public:
  OwnLookup();
  ~OwnLookup();
  OwnLookup(const OwnLookup&) = delete;
  OwnLookup& operator=(const OwnLookup&) = delete;
};

}  // namespace kernloop::pgo::cuda
