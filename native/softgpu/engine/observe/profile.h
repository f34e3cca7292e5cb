// Counts for each instruction of a dispatch: by one Profiler a worker, merged at the end. Like the counters they are
// the same in every run.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "softgpu/engine/observe/counters.h"

namespace kernloop::softgpu {

struct DecodedInstruction;

// One instruction: its share of the dispatch's counters, and:
//   executed      times that a wave executed it
//   lanes         active lanes, summed (vector instructions)
//   taken         times that it jumped (conditional branches)
//   splits        times that it made EXEC smaller, but not empty
//   split_before  s_cbranch_exec*: times that the last change of EXEC before it was such a split
//   true_lanes, false_lanes  comparisons and selections: active lanes for which the condition held, and others; of
//                            scalar ones, waves
// clang-format off
#define KERNLOOP_PC_FIELDS(X)                                                     \
  X(executed) X(lanes) X(taken) X(splits) X(split_before)                         \
  X(true_lanes) X(false_lanes)                                                    \
  X(memory_transactions) X(memory_lines_128) X(bytes_read) X(bytes_written)       \
  X(scratch_bytes_read) X(scratch_bytes_written)                                  \
  X(lds_passes) X(lds_bank_conflicts) X(lds_address_conflicts)
// clang-format on

struct PcCounts {
#define KERNLOOP_FIELD(name) uint64_t name = 0;
  KERNLOOP_PC_FIELDS(KERNLOOP_FIELD)
#undef KERNLOOP_FIELD

  PcCounts& operator+=(const PcCounts& more) {
#define KERNLOOP_FIELD(name) name += more.name;
    KERNLOOP_PC_FIELDS(KERNLOOP_FIELD)
#undef KERNLOOP_FIELD
    return *this;
  }
  bool operator==(const PcCounts&) const = default;
};

struct PcProfile {
  uint64_t address = 0;
  uint32_t size_bytes = 0;
  bool is_conditional_branch = false;
  bool is_vector = false;   // executed by the active lanes
  std::string instruction;  // disassembled
  PcCounts counts;
};

// By address; instructions that no wave reached are not in it.
using KernelProfile = std::map<uint64_t, PcProfile>;

// Instructions and runs (code_run.h) of a profiled code cache are numbered. A run is counted at once, like everywhere
// else; counts that only the instruction itself knows are made by its `execute`.
class Profiler {
 public:
  explicit Profiler(Isa isa) : counts_lds_banks(has_lds_bank_model(isa)) {}

  const bool counts_lds_banks;

  struct RunCounts {
    uint64_t executed = 0, lanes = 0;
  };

  PcCounts& at(uint32_t number) { return element(counts_, number); }
  const PcCounts& at(uint32_t number) const { return number < counts_.size() ? counts_[number] : kNothing; }
  RunCounts& run(uint32_t number) { return element(runs_, number); }
  RunCounts run(uint32_t number) const { return number < runs_.size() ? runs_[number] : RunCounts{}; }

 private:
  static const PcCounts kNothing;
  template <typename T>
  static T& element(std::vector<T>& list, uint32_t number) {
    if (number >= list.size()) list.resize(size_t{number} + 256);
    return list[number];
  }
  std::vector<PcCounts> counts_;
  std::vector<RunCounts> runs_;
};

}  // namespace kernloop::softgpu
