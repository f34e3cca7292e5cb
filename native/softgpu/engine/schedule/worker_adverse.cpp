// The adverse order of a worker (adverse_order.h).
#include <sched.h>

#include <algorithm>

#include "softgpu/engine/observe/late_stores.h"
#include "softgpu/engine/schedule/adverse_order.h"
#include "softgpu/engine/schedule/worker.h"

namespace kernloop::softgpu {

namespace {

// Resident workgroups: this many, or more until there are kWaves waves.
constexpr size_t kFewestWorkgroups = 4, kMostWorkgroups = 16, kWaves = 32;
constexpr uint64_t kShareOfLimit = 4;
constexpr uint32_t kSlice = 4096;  // instructions without an access to memory

}  // namespace

void Worker::run_adverse() {
  const Adverse& adverse = dispatch_.adverse();
  if (!adverse) return;
  if (adverse.races && !dispatch_.checks().races) {
    adverse_checker_ = make_checker({.races = true, .waits = true});
    memory_.check_by(adverse_checker_.get());
  }
  adverse_interpreter_.emplace(memory_, dispatch_.access_code(), dispatch_.kernel().target);
  interpreter_in_use_ = &*adverse_interpreter_;

  LateStores late_stores(dispatch_.seed());
  RaceDetector* const races = memory_.checker ? memory_.checker->races() : nullptr;
  if (adverse.races) memory_.checker->late_stores = &late_stores;
  if (races) races->expect_waits(true);
  AdverseOrder order(dispatch_.seed());
  std::vector<WaveSlot*> at_grid_barrier;
  uint64_t executed = 0, idle = 0;
  size_t waves = 0;
  const auto admit_one = [&] {
    if (!admit()) return false;
    for (WaveSlot* wave : residents_.back()->workgroup.waves) order.add(*wave);
    waves += residents_.back()->workgroup.waves.size();
    return true;
  };
  const auto pass_grid_barrier = [&] {
    return std::erase_if(at_grid_barrier, [&](WaveSlot* wave) {
             if (!try_pass_grid_barrier(*wave)) return false;
             order.add(*wave);
             return true;
           }) > 0;
  };

  // Loops that compare and swap, and others that wait, take longer in this order: the limit is not meant for that.
  const uint64_t enough = std::min(adverse.wave_instructions, dispatch_.limit() / kShareOfLimit);
  while (!dispatch_.is_stopped() && executed < enough) {
    while (residents_.size() < kMostWorkgroups && (residents_.size() < kFewestWorkgroups || waves < kWaves)) {
      if (!admit_one()) break;
    }
    if (residents_.empty()) break;
    // Waiting waves may wait for a workgroup that is not admitted yet.
    if (order.is_empty() || order.turns_of_waiting() > order.waves() / 2 + 8) {
      late_stores.arrive_all();
      const bool helped = pass_grid_barrier() || admit_one();
      if (order.is_empty() && !helped) account_waiting(*residents_.front()->workgroup.waves.front());
      // For another queue's dispatch, perhaps.
      if (!helped && ++idle % 64 == 0) sched_yield();
      if (order.is_empty()) continue;
    }
    const AdverseOrder::Turn turn = order.next();
    WaveSlot& wave = *turn.wave;
    wave.slice_end = wave.instructions + kSlice;
    const uint64_t before = wave.instructions;
    late_stores.show(*wave.workgroup);
    run_wave(wave, turn.accesses);
    executed += wave.instructions - before;
    if (dispatch_.is_stopped()) break;
    if (is_runnable(wave) || wave.state == WaveState::kSleeping) {
      const bool sleeps = wave.state == WaveState::kSleeping;
      if (sleeps) wave.state = WaveState::kReady;
      order.take_back(wave, sleeps || wave.repeats_access, late_stores.has_of(wave));
      continue;
    }
    if (wave.state != WaveState::kAtBarrier) {
      late_stores.arrive(wave);
      if (races) races->release(wave);
    }
    if (wave.state == WaveState::kAtGridBarrier) {
      at_grid_barrier.push_back(&wave);
      pass_grid_barrier();
      continue;
    }
    const std::vector<WaveSlot*>& all = wave.workgroup->waves;
    const auto in_state = [&](WaveState state) {
      return static_cast<size_t>(
          std::count_if(all.begin(), all.end(), [&](const WaveSlot* other) { return other->state == state; }));
    };
    const size_t done = in_state(WaveState::kDone);
    if (done == all.size()) {
      waves -= all.size();
      retire(resident_of(wave));
    } else if (done + in_state(WaveState::kAtBarrier) == all.size()) {
      open_barrier(*wave.workgroup);
      for (WaveSlot* other : all) {
        if (other->state == WaveState::kReady) order.add(*other);
      }
    }
  }
  dispatch_.add_adverse_instructions(executed);
  late_stores.arrive_all();
  if (memory_.checker) memory_.checker->late_stores = nullptr;
  if (races) races->expect_waits(false);

  // From here on as usual.
  interpreter_in_use_ = &interpreter_;
  if (!adverse_checker_) return;
  memory_.check_by(checker_.get());
  adverse_checker_.reset();
  for (auto* list : {&residents_, &spare_}) {
    for (auto& resident : *list) resident->workgroup.races.reset();
  }
}

Worker::Resident& Worker::resident_of(const WaveSlot& wave) {
  return **std::find_if(residents_.begin(), residents_.end(),
                        [&](const auto& resident) { return &resident->workgroup == wave.workgroup; });
}

}  // namespace kernloop::softgpu
