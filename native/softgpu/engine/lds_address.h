// The address of a DS instruction: a vector register of byte offsets plus an immediate.
#pragma once

#include "softgpu/engine/memory_select.h"

namespace kernloop::softgpu {

inline LdsAccess check_lds_access(Wave& wave, const Instruction& i, uint32_t offset, uint32_t bytes, AccessKind kind) {
  ++wave.memory->counters.lds;
  return wave.memory->check_lds(wave, *register_rows(wave, i.src[0]), offset, wave.exec(), bytes, kind);
}

// Of an instruction with two addresses, whose first result may overwrite the register of the addresses.
struct LdsPair {
  VectorRegister offsets;
  LdsAccess first, second;

  LdsPair(Wave& wave, const Instruction& i, uint32_t unit, uint32_t bytes, AccessKind kind) {
    ++wave.memory->counters.lds;
    std::memcpy(offsets, *register_rows(wave, i.src[0]), sizeof offsets);
    first = wave.memory->check_lds(wave, offsets, i.offset0 * unit, wave.exec(), bytes, kind);
    second = wave.memory->check_lds(wave, offsets, i.offset1 * unit, wave.exec(), bytes, kind);
  }
  LdsPair(const LdsPair&) = delete;
  LdsPair& operator=(const LdsPair&) = delete;
};

}  // namespace kernloop::softgpu
