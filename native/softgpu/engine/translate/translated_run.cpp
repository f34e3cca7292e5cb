#include "softgpu/engine/translate/translated_run.h"

#include "softgpu/engine/access/memory_port.h"

namespace kernloop::softgpu {

namespace {

constexpr uint32_t kCost = 16, kTooOften = 4096;

}  // namespace

void TranslatedSegment::execute(Wave& wave, const CodeRun::Step* run, const CodeRun::Step*& step) const {
  const uint32_t given_up = given_up_.load(std::memory_order_relaxed);
  // Instructions may set bits of EXEC behind the lanes of a narrow wave.
  const bool is_wide = wave_size_ < kLanes && wave.exec() >> wave_size_ != 0;
  if (given_up >= kTooOften || (follows_mode_ && !wave.mode.is_default()) || is_wide) [[unlikely]]
    return interpret(wave, run, step, first_, end_);
  uint64_t partial[Segment::kMaxMasks];
  const unsigned done = function_(&wave, partial);
  if (done < wave_size_) [[unlikely]]
    return finish(wave, run, step, done, partial);
  if (lds_reads_ != 0) wave.memory->counters.lds += lds_reads_;
  if (given_up != 0) [[unlikely]]
    given_up_.store(given_up - 1, std::memory_order_relaxed);
}

bool has_default_mode(const Wave* wave) {
  return wave->mode.is_default();
}

bool RegionState::execute_step(Wave* wave, RegionState* state, const CodeRun::Step* step) {
  try {
    step->execute(*wave, *step->instruction);
    return false;
  } catch (...) {
    state->step = step;
    state->fault = std::current_exception();
    return true;
  }
}

bool RegionState::execute_steps(Wave* wave, RegionState* state, const CodeRun::Step* first, const CodeRun::Step* end) {
  try {
    for (; first != end; ++first) first->execute(*wave, *first->instruction);
    return false;
  } catch (...) {
    state->step = first;
    state->fault = std::current_exception();
    return true;
  }
}

bool RegionState::execute_segment(Wave* wave, RegionState* state, const TranslatedSegment* segment,
                                  const CodeRun::Step* run) {
  const CodeRun::Step* step = run;
  try {
    segment->execute(*wave, run, step);
    return false;
  } catch (...) {
    state->step = step;
    state->fault = std::current_exception();
    return true;
  }
}

bool RegionState::finish_segment(Wave* wave, RegionState* state, const TranslatedSegment* segment,
                                 const CodeRun::Step* run, uint32_t done, const uint64_t* partial) {
  const CodeRun::Step* step = run;
  try {
    segment->finish(*wave, run, step, done, partial);
    return false;
  } catch (...) {
    state->step = step;
    state->fault = std::current_exception();
    return true;
  }
}

void TranslatedSegment::interpret(Wave& wave, const CodeRun::Step* run, const CodeRun::Step*& step, unsigned first,
                                  unsigned end) {
  for (unsigned k = first; k < end; ++k) {
    step = run + k;
    step->execute(wave, *step->instruction);
  }
}

// The lanes that are left. No step before the end of the lanes looks at EXEC, but for the lanes that it writes or
// reads. A fault is theirs, too: nothing of the others went wrong.
void TranslatedSegment::finish(Wave& wave, const CodeRun::Step* run, const CodeRun::Step*& step, unsigned done,
                               const uint64_t* partial) const {
  given_up_.store(given_up_.load(std::memory_order_relaxed) + kCost, std::memory_order_relaxed);
  struct AllLanes {
    Wave& wave;
    const uint64_t exec = wave.exec();
    ~AllLanes() { wave.set_exec(exec); }
  };
  {
    const AllLanes afterwards{wave};
    wave.set_exec(afterwards.exec & ~uint64_t{0} << done);
    interpret(wave, run, step, first_, end_of_lanes_);
  }
  for (size_t k = 0; k < masks_.size(); ++k) {
    wave.sgpr[masks_[k].index] |= static_cast<uint32_t>(partial[k]);
    if (masks_[k].dwords == 2) wave.sgpr[masks_[k].index + 1] |= static_cast<uint32_t>(partial[k] >> 32);
  }
  interpret(wave, run, step, end_of_lanes_, end_);
}

}  // namespace kernloop::softgpu
