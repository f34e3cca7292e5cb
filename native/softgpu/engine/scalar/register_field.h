// The bits of a hardware register that s_getreg and s_setreg name in their immediate: register in bits 5..0, first bit
// in 10..6, width less one in 15..11.
#pragma once

#include "softgpu/isa/instruction.h"

namespace kernloop::softgpu {

struct RegisterField {
  unsigned id, offset;
  uint32_t mask;
  explicit RegisterField(const Instruction& i)
      : id(static_cast<unsigned>(i.simm16) & 0x3f),
        offset((static_cast<unsigned>(i.simm16) >> 6) & 0x1f),
        mask(static_cast<uint32_t>((uint64_t{2} << ((static_cast<unsigned>(i.simm16) >> 11) & 0x1f)) - 1)) {}
};

}  // namespace kernloop::softgpu
