// The HIP functions in use, as hip_runtime_api.h declares them: nothing of HIP is needed to build.
#pragma once

#include <atomic>
#include <cstddef>

namespace kernloop::pgo::hip {

using Error = int;                    // hipError_t; 0 is success
constexpr Error kNotInitialised = 3;  // hipErrorNotInitialized
constexpr int kDeviceToHost = 2;

struct Dim3 {
  unsigned x, y, z;
};

// The next definition of that name behind this library; null without HIP.
void* next_function(const char* name);

// The same for a function of the list below, kept once it is found.
void* next_function(const char* name, std::atomic<void*>& known);

#define FUNCTION(result, name, parameters)                                      \
  inline auto next_##name() {                                                   \
    static std::atomic<void*> known{nullptr};                                   \
    return reinterpret_cast<result(*) parameters>(next_function(#name, known)); \
  }
#include "pgo/collect/hip/hip_functions.def"
#undef FUNCTION

}  // namespace kernloop::pgo::hip
