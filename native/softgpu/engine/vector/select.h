// The two builds of the vector semantics. Tests compare them; the engine uses select_vector() of wave.h.
#pragma once

#include "softgpu/engine/wave.h"

namespace kernloop::softgpu::vector {

bool host_has_v3();
namespace baseline {
ExecuteFn select(const Instruction& instruction);
}
namespace v3 {
ExecuteFn select(const Instruction& instruction);
}

}  // namespace kernloop::softgpu::vector
