// The counters by which a wave waits for its vector memory operations (s_waitcnt): late stores, missing waits and races
// over barriers go by them. CDNA counts loads and stores in vmcnt; RDNA counts operations without a result in vscnt.
#pragma once

#include <cstdint>

#include "softgpu/isa/instruction.h"
#include "softgpu/isa/target.h"

namespace kernloop::softgpu {

struct Wave;

inline bool is_vector_memory_beyond_lds(const Instruction& instruction) {
  switch (instruction.encoding) {
    case Encoding::kFlat:
    case Encoding::kGlobal:
    case Encoding::kScratch:
    case Encoding::kMubuf:
    case Encoding::kMtbuf:
      return true;
    default:
      return false;
  }
}

// To registers or to LDS.
inline bool gives_something_back(const Instruction& instruction) {
  return instruction.dst_count > 0 || instruction.lds;
}

inline bool is_counted_with_loads(const Instruction& instruction) {
  return is_vector_memory_beyond_lds(instruction) && (!is_rdna(instruction.isa) || gives_something_back(instruction));
}

inline bool is_counted_with_stores(const Instruction& instruction) {
  return is_vector_memory_beyond_lds(instruction) && (!is_rdna(instruction.isa) || !gives_something_back(instruction));
}

// The 6 bits of vmcnt are not contiguous in s_waitcnt of gfx9 and gfx10.
constexpr uint32_t vmcnt_of(uint32_t fields) {
  return (fields & 0xf) | (fields >> 14 & 3) << 4;
}

// Number of operations that may be outstanding after a wait, for each counter.
struct MemoryWaits {
  static constexpr uint64_t kAny = ~uint64_t{0};
  uint64_t vectors = kAny;  // vmcnt
  uint64_t stores = kAny;   // vmcnt on CDNA, vscnt on RDNA
  uint64_t lgkm = kAny;
};

// For an instruction that waits for memory operations (MemoryWait in op_facts.h).
MemoryWaits waits_of(const Wave& wave, const Instruction& instruction);

}  // namespace kernloop::softgpu
