// Results of memory operations that have not arrived yet: on hardware a register holds what it held before until the
// wave has waited for the operation (s_waitcnt), and an instruction that reads or writes it earlier goes wrong. The
// checker reports such an instruction, and the adverse order ends there.
//
// Known to have arrived is, per ISA documents ("Data dependency resolution", "Manually inserted wait states") and
// LLVM's SIInsertWaitcnts: of loads counted in vmcnt, and of LDS operations counted in lgkmcnt, all but the last N once
// the wave waited for N outstanding ones, since either kind returns in order; scalar loads return in any order, so only
// waiting for 0 proves anything. CDNA counts vector stores in vmcnt, too; RDNA counts them in vscnt. FLAT counts in
// both: the wait that it needs depends on the memory that its lanes accessed. Stores read their data before anything
// can overwrite it on all targets.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "softgpu/engine/wave/wave.h"

namespace kernloop::softgpu {

struct DecodedInstruction;
struct WaveFault;

class PendingResults {
 public:
  void clear();
  // Before the instruction: an error message if it needs, or overwrites, a result that has not arrived. `entry`: the
  // kernel's.
  std::optional<WaveFault> begin(const Wave& wave, const DecodedInstruction& instruction, uint64_t entry);
  // Called after the instruction: counts it, and marks the operations that it waited for as arrived.
  void issue(const Wave& wave, const DecodedInstruction& instruction);

 private:
  // Counters that have to be waited for.
  struct Paths {
    bool vector = false, lds = false, scalar = false;
    bool operator==(const Paths&) const = default;
  };
  struct Result {
    const DecodedInstruction* of;
    unsigned first, count;  // registers
    Paths paths;
    uint64_t vectors, lds;  // how many of either were issued up to it
  };
  static Paths paths_of(const Wave& wave, const DecodedInstruction& instruction);
  void wait(uint64_t vectors, uint64_t lgkm);
  std::string wait_for(const Result& result) const;

  std::vector<Result> results_;
  uint64_t vectors_ = 0, lds_ = 0;
  Paths paths_;  // paths of the current instruction, before it overwrites its address
};

}  // namespace kernloop::softgpu
