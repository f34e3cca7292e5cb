// The HIP functions in use, as hip_runtime_api.h declares them: nothing of HIP is needed to build.
#pragma once

#include <cstddef>

namespace kernloop::pgo::hip {

using Error = int;  // hipError_t; 0 is success
constexpr int kDeviceToHost = 2;

struct Dim3 {
  unsigned x, y, z;
};

// The next function of that name behind this library; null without HIP.
void* next_function(const char* name);

#define FUNCTION(result, name, parameters)                                        \
  inline auto next_##name() {                                                     \
    using Pointer = result(*) parameters;                                         \
    static const auto function = reinterpret_cast<Pointer>(next_function(#name)); \
    return function;                                                              \
  }
#include "pgo/collect/hip/hip_functions.def"
#undef FUNCTION

}  // namespace kernloop::pgo::hip
