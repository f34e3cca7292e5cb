// Vector registers that an instruction reads and overwrites, as far as that is certain.
#pragma once

#include <cstdint>

#include "softgpu/engine/wave/decoded_instruction.h"
#include "softgpu/engine/wave/vector_register_set.h"

namespace kernloop::softgpu {

struct RegisterUse {
  // The way on of a wave. kUnknown: anywhere, with any reads.
  enum class Way : uint8_t { kOn, kBranches, kJumps, kEnds, kUnknown };
  // The lanes of EXEC afterwards. kShrinks, kGrows: none is added, none is removed.
  enum class Exec : uint8_t { kKept, kShrinks, kGrows, kOther };

  Way way = Way::kUnknown;
  Exec exec = Exec::kKept;
  bool crosses_lanes = false;  // lanes that are not active may be read, too
  VectorRegisterSet reads;
  VectorRegisterSet writes;  // whole registers, in all active lanes
};
RegisterUse register_use_of(const DecodedInstruction& instruction);

}  // namespace kernloop::softgpu
