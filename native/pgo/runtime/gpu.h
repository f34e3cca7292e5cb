// Interface to the device's runtime behind this library: HIP's (hip_gpu.cpp) or CUDA's driver (cuda_gpu.cpp). Results
// are errors of that runtime, 0 is success.
#pragma once

#include "pgo/collect/units.h"
#include "pgo/runtime/rtc_programs.h"

namespace kernloop::pgo::runtime {

struct Gpu {
  const char* name;                 // "HIP": the origin of errors
  const char* compiler;             // "HIPRTC": the compiler of the app's own code
  int (*place)(uint64_t* current);  // the device or context that calls are of
  int (*load)(void** module, const void* image);
  int (*unload)(void* module);
  int (*function)(void** function, void* module, const char* name);
  std::optional<Buffer> (*variable)(void* module, const std::string& name);
  int (*synchronize)();
  // Code of an image as the app passes it: empty if the compiler did not make it.
  Bytes (*code_at)(const void* image);
  // Target to compile for; empty if that is unknown.
  std::string (*target)(Bytes code, const RtcProgram& program);
  // A variable that would be duplicated in each code; empty if there is none.
  std::string (*variable_of_its_own)(Bytes code);
  Result<std::vector<Unit>> (*units)(Bytes code, const std::string& what);
};

const Gpu& gpu();

}  // namespace kernloop::pgo::runtime
