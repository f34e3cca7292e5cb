#include "softgpu/engine/translate/translated_run.h"

namespace kernloop::softgpu {

namespace {

constexpr uint32_t kCostOfNan = 16, kTooManyNans = 4096;

}  // namespace

void TranslatedSegment::execute(Wave& wave, const CodeRun::Step* run) const {
  const uint32_t nans = nans_.load(std::memory_order_relaxed);
  if (nans >= kTooManyNans || (follows_mode_ && !wave.mode.is_default())) [[unlikely]]
    return interpret(wave, run);
  uint64_t partial[Segment::kMaxMasks];
  const unsigned done = function_(&wave, run, partial);
  if (done < kLanes && (wave.exec() >> done) != 0) [[unlikely]]
    return finish(wave, run, done, partial);
  if (nans != 0) [[unlikely]]
    nans_.store(nans - 1, std::memory_order_relaxed);
}

void TranslatedSegment::interpret(Wave& wave, const CodeRun::Step* run) const {
  for (unsigned k = first_; k < end_; ++k) run[k].execute(wave, *run[k].instruction);
}

// The lanes that are left. No step of a segment looks at EXEC, but for the lanes that it writes.
void TranslatedSegment::finish(Wave& wave, const CodeRun::Step* run, unsigned done, const uint64_t* partial) const {
  nans_.store(nans_.load(std::memory_order_relaxed) + kCostOfNan, std::memory_order_relaxed);
  const uint64_t exec = wave.exec();
  wave.set_exec(exec & ~uint64_t{0} << done);
  interpret(wave, run);
  wave.set_exec(exec);
  for (size_t k = 0; k < masks_.size(); ++k) {
    wave.sgpr[masks_[k].index] |= static_cast<uint32_t>(partial[k]);
    if (masks_[k].dwords == 2) wave.sgpr[masks_[k].index + 1] |= static_cast<uint32_t>(partial[k] >> 32);
  }
}

}  // namespace kernloop::softgpu
