// Counters of a dispatch. All of them are exact and the same in every run of the same dispatch, for any threads, seed
// and host (spin-waits aside). docs/reference/softgpu.md defines each one.
#pragma once

#include <cstdint>

#include "softgpu/isa/target.h"

namespace kernloop::softgpu {

// Always counted. Instructions are counted once a wave. Memory instructions count by the memory that their lanes
// accessed: a FLAT one may count as vmem_*, as lds and as scratch; the private segment counts as scratch, however it is
// addressed.
//   valu                 with mfma, which is of these
//   flat                 FLAT-encoded instructions, which also count by the memory that their lanes accessed
//   other                s_waitcnt, s_nop, s_endpgm, cache control, …
//   divergent_branches   times EXEC shrank, but not to nothing
//   active_lanes, valu_lanes   active lanes, summed over vector instructions and over those of valu
//   bytes_*              global memory, by lanes; with scalar loads, once a wave, and atomics in both directions
//   lane_bytes           global memory, by the lanes of vector instructions alone, each once: what transactions carry
//   memory_transactions  distinct 64-byte lines that a vector memory instruction touches, summed; transactions_bN: of
//                        instructions that access N bits a lane
//   scratch_bytes_*      private memory, by lanes
//   atomic_lanes         lanes of atomics on global memory
// clang-format off
#define KERNLOOP_BASIC_COUNTERS(X)                                                                            \
  X(wave_instructions)                                                                                        \
  X(valu) X(mfma) X(salu) X(smem) X(vmem_read) X(vmem_write) X(atomics) X(flat) X(lds) X(scratch) X(branches) \
  X(barriers) X(other)                                                                                        \
  X(divergent_branches) X(active_lanes) X(valu_lanes)                                                         \
  X(bytes_read) X(bytes_written) X(lane_bytes) X(atomic_lanes)                                                \
  X(memory_transactions) X(transactions_b8) X(transactions_b16) X(transactions_b32) X(transactions_b64)       \
  X(transactions_b96) X(transactions_b128)                                                                    \
  X(scratch_bytes_read) X(scratch_bytes_written)                                                              \
  X(waves) X(workgroups)
// clang-format on

// Counted when a profile is asked for (DispatchOptions::profile), since they take time.
//   conditional_branches, branches_taken   s_cbranch_*, and how often they jumped
//   memory_lines_128     as memory_transactions, with lines of 128 bytes
//   lds_bytes_*          LDS, by lanes
// clang-format off
#define KERNLOOP_PROFILED_COUNTERS(X)            \
  X(conditional_branches) X(branches_taken)      \
  X(memory_lines_128)                            \
  X(lds_bytes_read) X(lds_bytes_written)
// clang-format on

// Counts of the model in bank_conflicts.h for these; it is one of gfx90a.
#define KERNLOOP_LDS_BANK_COUNTERS(X) X(lds_passes) X(lds_bank_conflicts) X(lds_address_conflicts)

enum class CounterSet : uint8_t { kBasic, kProfiled, kProfiledWithBanks };

inline bool has_lds_bank_model(Isa isa) {
  return isa == Isa::kGfx90a;
}
inline CounterSet counted_by_profiles(Isa isa) {
  return has_lds_bank_model(isa) ? CounterSet::kProfiledWithBanks : CounterSet::kProfiled;
}

struct Counters {
#define KERNLOOP_COUNTER(name) uint64_t name = 0;
  KERNLOOP_BASIC_COUNTERS(KERNLOOP_COUNTER)
  KERNLOOP_PROFILED_COUNTERS(KERNLOOP_COUNTER)
  KERNLOOP_LDS_BANK_COUNTERS(KERNLOOP_COUNTER)
#undef KERNLOOP_COUNTER

  bool operator==(const Counters&) const = default;

  Counters& operator+=(const Counters& more) {
#define KERNLOOP_COUNTER(name) name += more.name;
    KERNLOOP_BASIC_COUNTERS(KERNLOOP_COUNTER)
    KERNLOOP_PROFILED_COUNTERS(KERNLOOP_COUNTER)
    KERNLOOP_LDS_BANK_COUNTERS(KERNLOOP_COUNTER)
#undef KERNLOOP_COUNTER
    return *this;
  }

  // f(name, value) for each counter that was counted.
  template <typename F>
  void for_each(CounterSet counted, F&& f) const {
#define KERNLOOP_COUNTER(name) f(#name, name);
    KERNLOOP_BASIC_COUNTERS(KERNLOOP_COUNTER)
    if (counted == CounterSet::kBasic) return;
    KERNLOOP_PROFILED_COUNTERS(KERNLOOP_COUNTER)
    if (counted == CounterSet::kProfiled) return;
    KERNLOOP_LDS_BANK_COUNTERS(KERNLOOP_COUNTER)
#undef KERNLOOP_COUNTER
  }
};

}  // namespace kernloop::softgpu
