// Exception by which semantics stop a wave. Thrown only on the fault path and always caught by the worker that runs the
// wave.
#pragma once

#include <cstdint>
#include <string>

#include "softgpu/engine/wave/fault.h"

namespace kernloop::softgpu {

struct WaveFault {
  Fault::Kind kind = Fault::Kind::kInternal;
  std::string detail;
  int32_t lane = -1;
  uint64_t address = 0;
  uint32_t bytes = 0;
  bool is_write = false;
};

// For operations or operand values that only show at run time to be beyond us.
[[noreturn]] void raise_unsupported(std::string detail, int32_t lane = -1);

}  // namespace kernloop::softgpu
