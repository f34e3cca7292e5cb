// Reads of LDS that a segment may have: plain ones, which change nothing but their registers.
#pragma once

#include <cstdint>
#include <optional>

#include "softgpu/engine/wave/decoded_instruction.h"

namespace kernloop::softgpu {

struct LdsRead {
  unsigned bytes;                                                // at each address: 1, 2, or a number of dwords
  bool is_signed;                                                // fewer than four bytes are extended
  unsigned addresses;                                            // 1 or 2
  uint32_t offsets[2];                                           // added to the register
  unsigned dwords() const { return bytes < 4 ? 1 : bytes / 4; }  // at each address
  uint32_t reach() const;  // the end of what is read behind the address in the register
};

// nullopt if it is none, or not executed by the interpreter's plain function.
std::optional<LdsRead> lds_read_of(const DecodedInstruction& decoded);

}  // namespace kernloop::softgpu
