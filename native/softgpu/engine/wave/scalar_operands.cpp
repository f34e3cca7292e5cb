#include "softgpu/engine/wave/scalar_operands.h"

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

}  // namespace kernloop::softgpu
