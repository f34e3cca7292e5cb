#include "softgpu/engine/scalar/select.h"

namespace kernloop::softgpu {

ExecuteFn select_scalar(const Instruction& instruction) {
  if (ExecuteFn control = select_control(instruction)) return control;
  switch (instruction.encoding) {
    case Encoding::kSop1:
      return select_sop1(instruction.op);
    case Encoding::kSop2:
      return select_sop2(instruction.op);
    case Encoding::kSopC:
      return select_sopc(instruction.op);
    case Encoding::kSopK:
      if (ExecuteFn hwreg = select_hwreg(instruction)) return hwreg;
      return select_sopk(instruction.op);
    case Encoding::kSmem:
      return select_smem(instruction);
    default:
      return nullptr;
  }
}

}  // namespace kernloop::softgpu
