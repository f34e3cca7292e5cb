// A run in which some segments are functions of the host.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "softgpu/engine/translate/emitter.h"
#include "softgpu/engine/wave/wave.h"

namespace kernloop::softgpu {

class TranslatedSegment {
 public:
  TranslatedSegment(const Segment& segment, SegmentFn function)
      : first_(segment.first),
        end_(segment.end),
        follows_mode_(segment.follows_mode),
        lds_reads_(segment.lds_reads),
        masks_(segment.masks),
        function_(function) {}
  TranslatedSegment(TranslatedSegment&& other) noexcept
      : first_(other.first_),
        end_(other.end_),
        follows_mode_(other.follows_mode_),
        lds_reads_(other.lds_reads_),
        masks_(std::move(other.masks_)),
        function_(other.function_) {}

  unsigned first() const { return first_; }
  unsigned end() const { return end_; }

  // Executes the steps [first(), end()) of the run, and leaves `step` at the last one; at the one that faults if it
  // throws.
  void execute(Wave& wave, const CodeRun::Step* run, const CodeRun::Step*& step) const;

 private:
  void interpret(Wave& wave, const CodeRun::Step* run, const CodeRun::Step*& step) const;
  void finish(Wave& wave, const CodeRun::Step* run, const CodeRun::Step*& step, unsigned done,
              const uint64_t* partial) const;

  uint16_t first_, end_;
  bool follows_mode_;
  uint16_t lds_reads_;
  std::vector<SegmentMask> masks_;
  SegmentFn function_;
  // How often the function gave up of late: where that is usual, the interpreter alone is faster.
  mutable std::atomic<uint32_t> given_up_{0};
};

struct TranslatedRun {
  std::vector<TranslatedSegment> segments;
  std::shared_ptr<const void> code;
};

}  // namespace kernloop::softgpu
