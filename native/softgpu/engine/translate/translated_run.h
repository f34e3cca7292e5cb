// Runs that are functions of the host.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <vector>

#include "softgpu/engine/translate/emitter.h"
#include "softgpu/engine/wave/wave.h"

namespace kernloop::softgpu {

class TranslatedSegment {
 public:
  TranslatedSegment(const Segment& segment, SegmentFn function)
      : wave_size_(segment.wave_size),
        first_(segment.first),
        end_of_lanes_(segment.end_of_lanes),
        end_(segment.end),
        follows_mode_(segment.follows_mode),
        lds_reads_(segment.lds_reads),
        masks_(segment.masks),
        function_(function) {}
  TranslatedSegment(const TranslatedSegment&) = delete;
  TranslatedSegment& operator=(const TranslatedSegment&) = delete;

  unsigned first() const { return first_; }
  unsigned end() const { return end_; }
  bool follows_mode() const { return follows_mode_; }
  unsigned lds_reads() const { return lds_reads_; }
  // Zero as long as the function does all lanes.
  const std::atomic<uint32_t>* given_up() const { return &given_up_; }
  void set(SegmentFn function) { function_ = function; }

  // Executes the steps [first(), end()) of the run, and leaves `step` at the last one; at the one that faults if it
  // throws.
  void execute(Wave& wave, const CodeRun::Step* run, const CodeRun::Step*& step) const;
  // Executes the lanes that the function has left.
  void finish(Wave& wave, const CodeRun::Step* run, const CodeRun::Step*& step, unsigned done,
              const uint64_t* partial) const;

 private:
  static void interpret(Wave& wave, const CodeRun::Step* run, const CodeRun::Step*& step, unsigned first, unsigned end);

  const uint8_t wave_size_;
  const uint16_t first_, end_of_lanes_, end_;
  const bool follows_mode_;
  const uint16_t lds_reads_;
  const std::vector<SegmentMask> masks_;
  SegmentFn function_;
  // How often the function gave up of late: where that is usual, the interpreter alone is faster.
  mutable std::atomic<uint32_t> given_up_{0};
};

// State of a region's function besides the wave.
struct RegionState {
  uint64_t end = 0;  // of the wave's instructions
  // Counts.
  uint64_t *by_class = nullptr, *active_lanes = nullptr, *valu_lanes = nullptr, *lds = nullptr,
           *divergent_branches = nullptr;
  const CodeRun::Step* step = nullptr;  // the one that faulted
  std::exception_ptr fault;

  // Called by it; true after a fault. Exceptions do not pass through its frames.
  static bool execute_step(Wave* wave, RegionState* state, const CodeRun::Step* step);
  static bool execute_steps(Wave* wave, RegionState* state, const CodeRun::Step* first, const CodeRun::Step* end);
  static bool execute_segment(Wave* wave, RegionState* state, const TranslatedSegment* segment,
                              const CodeRun::Step* run);
  static bool finish_segment(Wave* wave, RegionState* state, const TranslatedSegment* segment, const CodeRun::Step* run,
                             uint32_t done, const uint64_t* partial);
};
bool has_default_mode(const Wave* wave);

// Executes runs, beginning with that of the number `entry`, until control leaves them, the wave's state changes, or the
// next run goes beyond the end. Returns the number of the run that faulted plus 1, or 0.
using RegionFn = uint32_t (*)(Wave* wave, RegionState* state, uint32_t entry);

struct TranslatedRegion {
  std::vector<const CodeRun*> runs;
  std::deque<TranslatedSegment> segments;  // in the order of runs
  std::vector<size_t> run_of_segment;
  RegionFn function = nullptr;
  std::shared_ptr<const void> code;
};

struct TranslatedRun {
  RegionFn function;
  uint32_t entry;
  std::shared_ptr<const TranslatedRegion> region;
};

}  // namespace kernloop::softgpu
