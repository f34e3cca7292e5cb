#include "softgpu/engine/translate/translated_run.h"

#include "softgpu/engine/access/memory_port.h"

namespace kernloop::softgpu {

namespace {

constexpr uint32_t kCost = 16, kTooOften = 4096;

}  // namespace

void TranslatedSegment::execute(Wave& wave, const CodeRun::Step* run, const CodeRun::Step*& step) const {
  const uint32_t given_up = given_up_.load(std::memory_order_relaxed);
  if (given_up >= kTooOften || (follows_mode_ && !wave.mode.is_default())) [[unlikely]]
    return interpret(wave, run, step);
  uint64_t partial[Segment::kMaxMasks];
  const unsigned done = function_(&wave, run, partial);
  if (done < kLanes && (wave.exec() >> done) != 0) [[unlikely]]
    return finish(wave, run, step, done, partial);
  if (lds_reads_ != 0) wave.memory->counters.lds += lds_reads_;
  if (given_up != 0) [[unlikely]]
    given_up_.store(given_up - 1, std::memory_order_relaxed);
}

void TranslatedSegment::interpret(Wave& wave, const CodeRun::Step* run, const CodeRun::Step*& step) const {
  for (unsigned k = first_; k < end_; ++k) {
    step = run + k;
    step->execute(wave, *step->instruction);
  }
}

// The lanes that are left. No step of a segment looks at EXEC, but for the lanes that it writes or reads. A fault is
// theirs, too: nothing of the others went wrong.
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
    interpret(wave, run, step);
  }
  for (size_t k = 0; k < masks_.size(); ++k) {
    wave.sgpr[masks_[k].index] |= static_cast<uint32_t>(partial[k]);
    if (masks_[k].dwords == 2) wave.sgpr[masks_[k].index + 1] |= static_cast<uint32_t>(partial[k] >> 32);
  }
}

}  // namespace kernloop::softgpu
