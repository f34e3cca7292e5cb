#include "softgpu/isa/instruction.h"

namespace kernloop::softgpu {

const char* op_name(Op op) {
  static constexpr const char* kNames[] = {
      "invalid",
#define KERNLOOP_OP(name) #name,
#include "softgpu/isa/ops.def"
#undef KERNLOOP_OP
  };
  return op < Op::kCount ? kNames[static_cast<unsigned>(op)] : "invalid";
}

}  // namespace kernloop::softgpu
