// The address of a DS instruction: a vector register of byte offsets plus an immediate.
#pragma once

#include <algorithm>
#include <cstring>

#include "softgpu/engine/access/select.h"

namespace kernloop::softgpu {

inline LdsAccess check_lds_access(Wave& wave, const Instruction& i, uint32_t offset, uint32_t bytes, AccessKind kind) {
  MemoryPort& port = *wave.memory;
  ++port.counters.lds;
  const uint32_t* offsets = *register_rows(wave, i.src[0]);
  const LdsAccess access = port.check_lds(wave, i, offsets, offset, wave.exec(), bytes, kind);
  port.count_lds(offsets, offset, wave.exec(), bytes, kind);
  return access;
}

// Accesses of an instruction with two addresses, whose first result may overwrite the address register.
struct LdsPair {
  VectorRegister copy;
  LdsAccess first, second;

  LdsPair(Wave& wave, const Instruction& i, uint32_t unit, uint32_t bytes, AccessKind kind) {
    MemoryPort& port = *wave.memory;
    ++port.counters.lds;
    const uint32_t* offsets = *register_rows(wave, i.src[0]);
    if (i.dst_count > 0 && overwrites_address(i)) {
      std::memcpy(copy, offsets, sizeof copy);
      offsets = copy;
    }
    const uint32_t near = std::min(i.offset0, i.offset1) * unit, far = std::max(i.offset0, i.offset1) * unit;
    LdsAccess& to_near = i.offset0 <= i.offset1 ? first : second;
    LdsAccess& to_far = i.offset0 <= i.offset1 ? second : first;
    to_far = port.check_lds(wave, i, offsets, far, wave.exec(), bytes, kind);
    // An access in range at the far offset is in range at the near one (and aligned, the unit being a multiple of the
    // size).
    const bool far_did_not_wrap = to_far.offsets == offsets && !port.checker;
    to_near = far_did_not_wrap ? LdsAccess{to_far.base - far + near, offsets}
                               : port.check_lds(wave, i, offsets, near, wave.exec(), bytes, kind);
    // Neighbours are one access of twice the width (bank_conflicts.h).
    if (far - near == bytes && kind != AccessKind::kAtomic) {
      port.count_lds(offsets, near, wave.exec(), 2 * bytes, kind);
    } else {
      port.count_lds(offsets, near, wave.exec(), bytes, kind);
      port.count_lds(offsets, far, wave.exec(), bytes, kind);
    }
  }
  static bool overwrites_address(const Instruction& i) {
    const Operand &address = i.src[0], &result = i.dst[0];
    return address.kind == result.kind && address.index - result.index < result.dwords && address.index >= result.index;
  }
  LdsPair(const LdsPair&) = delete;
  LdsPair& operator=(const LdsPair&) = delete;
};

}  // namespace kernloop::softgpu
