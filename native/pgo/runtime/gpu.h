// What the device's runtime behind this library is asked for: HIP's (hip_gpu.cpp) or CUDA's driver (cuda_gpu.cpp).
// Results are errors of that runtime, 0 is success.
#pragma once

#include "pgo/collect/units.h"
#include "pgo/runtime/rtc_programs.h"

namespace kernloop::pgo::runtime {

struct Gpu {
  const char* name;                 // "HIP": of whom an error is
  const char* compiler;             // "HIPRTC": who made the app's own code
  int (*place)(uint64_t* current);  // the device or context that calls are of
  int (*load)(void** module, const void* image);
  int (*unload)(void* module);
  int (*function)(void** function, void* module, const char* name);
  std::optional<Buffer> (*variable)(void* module, const std::string& name);
  int (*synchronize)();
  // Of an image as the app gives it: empty where it is none that the compiler gives.
  Bytes (*code_at)(const void* image);
  // What to compile for; empty where that is not known.
  std::string (*target)(Bytes code, const RtcProgram& program);
  // A variable that would be there once more in each code; empty where there is none.
  std::string (*variable_of_its_own)(Bytes code);
  Result<std::vector<Unit>> (*units)(Bytes code, const std::string& what);
};

const Gpu& gpu();

}  // namespace kernloop::pgo::runtime
