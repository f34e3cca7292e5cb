// Why a dispatch ends before its time, or a finding of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace kernloop::softgpu {

// Every reason for which a dispatch is stopped. Nothing else stops one, and nothing unsupported is ignored.
struct Fault {
  enum class Kind : uint8_t {
    kUnknownInstruction,
    kUnsupportedInstruction,
    kMemoryAccess,
    kMisaligned,
    kLdsOutOfRange,  // a finding, unless DispatchOptions::faults_past_lds
    kScratchOutOfRange,
    kInstructionLimit,
    kCancelled,
    kTrap,
    kBadDispatch,
    kInternal,
    // Findings of the checker: they do not stop the dispatch.
    kOutOfBounds,
    kUninitialized,
    kRace,
    kMissingWait,  // stops the adverse order (pending_results.h)
    kFloatAtomic,  // on watched memory (float_atomic_watch.h)
  };
  Kind kind = Kind::kInternal;
  std::string kernel;
  uint64_t pc = 0;          // absolute address
  uint64_t pc_offset = 0;   // from the kernel's entry
  std::string instruction;  // disassembled, or the raw dwords
  uint32_t workgroup[3] = {0, 0, 0};
  uint32_t wave = 0;
  int32_t lane = -1;     // -1: whole wave
  uint64_t address = 0;  // memory faults
  uint32_t bytes = 0;
  bool is_write = false;
  bool in_lds = false;  // for a race: the address is one of the workgroup's LDS
  std::string detail;   // e.g. the nearest allocation
  // The earlier access of a race.
  struct Other {
    uint64_t pc = 0;
    uint64_t pc_offset = 0;
    std::string instruction;
    uint32_t workgroup[3] = {0, 0, 0};
    uint32_t wave = 0;
    bool is_write = false;
  };
  std::optional<Other> other;
  // For a race over a barrier that does not order the two accesses: the wait that its wave lacks before the barrier.
  std::string missing_wait;
  // For a load that waits in a loop: the cache that may answer it with the value before the store for ever.
  std::string stale_cache;
  const char* kind_name() const;  // "memory_access", …
  std::string text() const;       // one readable sentence with all of the above
  std::string json() const;
};

}  // namespace kernloop::softgpu
