#include "softgpu/engine/scalar_operands.h"
#include "softgpu/engine/scalar_select.h"

namespace kernloop::softgpu {

uint64_t read_special(const Wave& wave, const Operand& operand) {
  if (operand.kind == Operand::Kind::kSpecial) {
    switch (operand.index) {
      case 251:
        return wave.vcc() == 0;
      case 252:
        return wave.exec() == 0;
      case 253:
        return wave.scc;
      // Only 64-bit reads of the apertures are defined on GFX9 (LLVM reads them so, too).
      case 235:
        if (operand.dwords == 2) return kSharedApertureBase;
        break;
      case 236:
        if (operand.dwords == 2) return kSharedApertureLimit;
        break;
      case 237:
        if (operand.dwords == 2) return kPrivateApertureBase;
        break;
      case 238:
        if (operand.dwords == 2) return kPrivateApertureLimit;
        break;
      default:
        break;
    }
  }
  raise_unsupported("scalar source operand " + std::to_string(operand.index) + " of " +
                    std::to_string(operand.dwords * 32) + " bits has no defined value here");
}

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
