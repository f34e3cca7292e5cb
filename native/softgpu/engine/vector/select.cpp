// Picks the build of the vector semantics that this host can run.
#include "softgpu/engine/vector/select.h"

namespace kernloop::softgpu {

bool vector::host_has_v3() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
}

ExecuteFn select_vector(const Instruction& instruction) {
  static const bool v3 = vector::host_has_v3();
  return v3 ? vector::v3::select(instruction) : vector::baseline::select(instruction);
}

}  // namespace kernloop::softgpu
