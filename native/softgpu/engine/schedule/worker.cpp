#include "softgpu/engine/schedule/worker.h"

#include <sched.h>

#include <algorithm>
#include <cstdio>
#include <new>

#include "softgpu/engine/execute/textures.h"
#include "softgpu/engine/wave/lds_end.h"

namespace kernloop::softgpu {

namespace {

constexpr uint32_t kFreshSlice = 16384;              // instructions a wave, for a workgroup that is not suspect
constexpr uint32_t kMaxFreshInstructions = 1 << 20;  // a wave: longer than this is suspect, even if the others took as
                                                     // long
constexpr uint32_t kSuspectSlice = 2048;
constexpr uint64_t kWaitCharge = 64;  // instructions that a look at a closed grid barrier counts for, toward the limit
constexpr uint64_t kReportEvery = 32768;  // instructions: every report takes a line from the other workers
constexpr unsigned kPollEverySlices = 64;
constexpr size_t kMaxResidentBytes = size_t{2} << 30;  // a worker

}  // namespace

Worker::Worker(Dispatch& dispatch, SlotPool& pool, const std::function<void()>& poll)
    : dispatch_(dispatch),
      pool_(pool),
      poll_(poll),
      recorder_(dispatch.records_accesses() ? std::make_unique<AccessRecorder>() : nullptr),
      profiler_(dispatch.is_profiled() ? std::make_unique<Profiler>(dispatch.target().isa) : nullptr),
      prober_(dispatch.probes() ? std::make_unique<Prober>(*dispatch.probes()) : nullptr),
      memory_(dispatch.space(), recorder_.get(), profiler_.get(), prober_.get()),
      interpreter_(memory_, dispatch.code(), dispatch.kernel().target) {
  if (dispatch.checks()) checker_ = make_checker(dispatch.checks());
  memory_.check_by(checker_.get());
  memory_.lane_seed = dispatch.seed();
  memory_.float_atomics = dispatch.float_atomics();
  if (!dispatch.faults_past_lds()) {
    memory_.past_lds = [this](const WaveFault& fault, const Wave& wave, const Instruction& instruction) {
      add_past_lds(fault, static_cast<const WaveSlot&>(wave), instruction);
    };
  }
  const size_t rows = size_t{dispatch.kernel().vgprs} + dispatch.kernel().agprs;
  bytes_a_workgroup_ =
      allocated_lds(dispatch.lds_bytes()) + kBehindLdsBytes +
      dispatch.max_waves_per_workgroup() * (rows * sizeof(VectorRegister) + size_t{dispatch.private_bytes()} * kLanes);
}

std::unique_ptr<Checker> Worker::make_checker(const Checks& checks) {
  return std::make_unique<Checker>(
      checks, dispatch_.space(),
      Checker::Services{.entry = dispatch_.kernel().entry,
                        .place = [this](const WaveFault& fault, const WaveSlot& wave) { return place(fault, wave); },
                        .describe = [this](uint64_t pc) { return interpreter_.describe(pc); },
                        .decode = [this](uint64_t pc) { return interpreter_.look_up(pc); },
                        .has_split_memory = dispatch_.kernel().runs_on_two_units,
                        .report = [this](Fault finding) { dispatch_.add_finding(std::move(finding)); }});
}

Worker::~Worker() {
  dispatch_.count_instructions(unreported_);
  Counters counters = memory_.counters;
  interpreter_.add_to(counters);
  if (adverse_interpreter_) adverse_interpreter_->add_to(counters);
  counters.waves = waves_;
  counters.workgroups = workgroups_;
  dispatch_.add_results(counters, std::move(recorder_), prober_.get(), interpreter_);
  for (auto* list : {&residents_, &spare_}) {
    for (auto& resident : *list) {
      for (auto& slot : resident->slots) pool_.give_back(std::move(slot));
    }
  }
}

void Worker::run() {
  while (!dispatch_.is_stopped()) {
    Resident* fresh = find_fresh();
    if (!fresh && admit()) fresh = residents_.back().get();
    if (residents_.empty()) return;
    const uint64_t spent = fresh ? run_slice(*fresh, kFreshSlice) : 0;
    run_suspects(fresh ? spent : kFreshSlice);
  }
}

Worker::Resident* Worker::find_fresh() const {
  for (const auto& resident : residents_) {
    if (!is_suspect(*resident)) return resident.get();
  }
  return nullptr;
}

bool Worker::admit() {
  // Past this much memory a workgroup that waits for one that is not resident waits until the instruction limit.
  if (!residents_.empty() && (residents_.size() + 1) * bytes_a_workgroup_ > kMaxResidentBytes) return false;
  if (!dispatch_.take_place()) return false;
  const std::optional<uint64_t> ordinal = dispatch_.take_workgroup(share_);
  if (!ordinal) {
    dispatch_.leave_place();
    return false;
  }
  std::unique_ptr<Resident> resident;
  if (spare_.empty()) {
    resident = std::make_unique<Resident>();
  } else {
    resident = std::move(spare_.back());
    spare_.pop_back();
  }
  while (resident->slots.size() < dispatch_.waves_of(*ordinal)) resident->slots.push_back(pool_.take());
  const uint32_t allocated = allocated_lds(dispatch_.lds_bytes());
  resident->lds.resize((allocated + kBehindLdsBytes) / 4);
  dispatch_.fill().copy(resident->lds.data(), allocated / 4, UnwrittenFill::line_of_workgroup(*ordinal));
  resident->waits = resident->suspect = false;
  Workgroup& workgroup = resident->workgroup;
  workgroup.lds = reinterpret_cast<uint8_t*>(resident->lds.data());
  workgroup.lds_bytes = dispatch_.lds_bytes();
  workgroup.lds_allocated = allocated;
  workgroup.wave_sync = &dispatch_.wave_sync();
  dispatch_.begin_workgroup(*ordinal, workgroup, resident->slots);
  for (WaveSlot* wave : workgroup.waves) wave->memory = &memory_;
  if (memory_.checker) memory_.checker->begin_workgroup(workgroup);
  if (prober_) prober_->begin_workgroup(workgroup);
  waves_ += workgroup.waves.size();
  ++workgroups_;
  residents_.push_back(std::move(resident));
  return true;
}

void Worker::retire(Resident& resident) {
  dispatch_.completed_workgroup(resident.workgroup.instructions, unreported_);
  dispatch_.leave_place();
  const auto at =
      std::find_if(residents_.begin(), residents_.end(), [&](const auto& r) { return r.get() == &resident; });
  spare_.push_back(std::move(*at));
  residents_.erase(at);
}

void Worker::run_suspects(uint64_t budget) {
  if (residents_.empty()) return;
  bool progress = false;
  const auto run_one = [&](Resident& resident) {
    const uint64_t executed = run_slice(resident, kSuspectSlice);
    budget -= std::min(budget, std::max<uint64_t>(executed, 1));
    progress = true;
  };
  // While workgroups are still waiting to be admitted, finishing the oldest one helps most.
  const uint64_t for_oldest = !share_.is_empty() || dispatch_.has_untaken_workgroups() ? budget / 2 : 0;
  while (budget > for_oldest && !residents_.empty() && is_suspect(*residents_.front()) && for_oldest > 0 &&
         !dispatch_.is_stopped()) {
    Resident* oldest = residents_.front().get();
    run_one(*oldest);
    if (residents_.empty() || residents_.front().get() != oldest || oldest->waits) break;
  }
  // The rest in turn; a round in which every wave sleeps ends here.
  size_t tried = 0;
  bool everyone_sleeps = !residents_.empty();
  while (budget > 0 && tried < std::max<size_t>(residents_.size(), 1) && !residents_.empty() &&
         !dispatch_.is_stopped()) {
    if (next_suspect_ >= residents_.size()) next_suspect_ = 0;
    Resident* resident = residents_[next_suspect_].get();
    ++tried;
    if (!is_suspect(*resident)) {
      ++next_suspect_;
      everyone_sleeps = false;
      continue;
    }
    const size_t before = residents_.size();
    run_one(*resident);
    if (residents_.size() < before) {
      everyone_sleeps = false;
    } else {
      everyone_sleeps &= resident->waits;
      ++next_suspect_;
    }
  }
  // Not every time: on a busy machine each yield costs the time slices of all others.
  if (progress && everyone_sleeps && ++idle_rounds_ % 64 == 0) sched_yield();
}

uint64_t Worker::run_slice(Resident& resident, uint32_t instructions_a_wave) {
  Workgroup& workgroup = resident.workgroup;
  for (WaveSlot* wave : workgroup.waves) {
    wave->slice_end = wave->instructions + instructions_a_wave;
    if (wave->state == WaveState::kSleeping) wave->state = WaveState::kReady;
  }
  const uint64_t before = workgroup.instructions;
  const bool alive = advance(resident);
  const uint64_t executed = workgroup.instructions - before;
  if (executed == 0 && alive) account_waiting(*workgroup.waves.front());
  const uint64_t harmless =
      std::clamp<uint64_t>(2 * dispatch_.longest_workgroup(), kFreshSlice * workgroup.waves.size(),
                           kMaxFreshInstructions * workgroup.waves.size());
  resident.suspect |= workgroup.instructions > harmless;
  if (++slices_since_poll_ >= kPollEverySlices) {
    slices_since_poll_ = 0;
    poll_();
  }
  if (!alive) retire(resident);
  return executed;
}

// Runs every wave as far as its slice, barriers and sleep allow. False when the workgroup is done.
bool Worker::advance(Resident& resident) {
  std::vector<WaveSlot*>& waves = resident.workgroup.waves;
  for (;;) {
    size_t at_barrier = 0, asleep = 0, ready = 0;
    for (WaveSlot* wave : waves) {
      if (wave->state == WaveState::kAtGridBarrier) try_pass_grid_barrier(*wave);
      if (is_runnable(*wave) && wave->instructions < wave->slice_end) run_wave(*wave);
      if (dispatch_.is_stopped()) return true;
      switch (wave->state) {
        case WaveState::kDone:
          break;
        case WaveState::kAtBarrier:
          ++at_barrier;
          break;
        case WaveState::kSleeping:
        case WaveState::kAtGridBarrier:
          ++asleep;
          break;
        default:
          ++ready;
          break;
      }
    }
    if (at_barrier + asleep + ready == 0) return false;
    if (asleep + ready > 0) {
      resident.waits = ready == 0;
      return true;
    }
    open_barrier(resident.workgroup);
  }
}

// A barrier waits for the waves that have not ended.
void Worker::open_barrier(Workgroup& workgroup) {
  if (workgroup.races) memory_.checker->races()->barrier(workgroup);
  for (WaveSlot* wave : workgroup.waves) {
    if (wave->state == WaveState::kAtBarrier) wave->state = WaveState::kReady;
  }
}

bool Worker::try_pass_grid_barrier(WaveSlot& wave) {
  if (!dispatch_.wave_sync().is_open(wave.grid_barrier)) return false;
  if (wave.workgroup->races) memory_.checker->races()->pass_grid_barrier(wave);
  wave.state = WaveState::kReady;
  return true;
}

void Worker::run_wave(WaveSlot& wave, uint32_t accesses) {
  const uint64_t start = wave.instructions;
  if (memory_.checker) memory_.checker->begin_wave(wave);
  if (prober_) prober_->begin_slice(wave);
  if (recorder_) recorder_->begin_wave(wave.workgroup->ordinal * kLanes + wave.index_in_workgroup);
  try {
    const uint64_t end = start + dispatch_.allowance(static_cast<uint32_t>(wave.slice_end - start), unreported_);
    interpreter_in_use_->run(wave, end, accesses);
    if (prober_) prober_->end_slice(wave);
    const bool opens = wave.workgroup->races && wave.state == WaveState::kAtGridBarrier &&
                       dispatch_.wave_sync().is_open(wave.grid_barrier);
    if (opens) memory_.checker->races()->open_grid_barrier();
  } catch (const WaveFault& fault) {
    fail(fault, wave);
  } catch (const std::bad_alloc&) {
    fail(WaveFault{.kind = Fault::Kind::kInternal, .detail = "out of host memory"}, wave);
  }
  const uint64_t executed = wave.instructions - start;
  wave.workgroup->instructions += executed;
  account(executed);
  enforce_limit(wave);
}

// Waves held at a grid barrier execute nothing; if it never opened, only this would end the dispatch.
void Worker::account_waiting(const WaveSlot& wave) {
  account(kWaitCharge);
  enforce_limit(wave);
}

void Worker::enforce_limit(const WaveSlot& wave) {
  if (!dispatch_.is_stopped() && dispatch_.is_over_limit(unreported_)) {
    fail(WaveFault{.kind = Fault::Kind::kInstructionLimit,
                   .detail = dispatch_.words_of_limit() + dispatch_.words_of_no_place()},
         wave);
  }
}

void Worker::account(uint64_t executed) {
  unreported_ += executed;
  if (unreported_ < kReportEvery) return;
  dispatch_.count_instructions(unreported_);
  unreported_ = 0;
  poll_();
}

void Worker::fail(const WaveFault& fault, const WaveSlot& wave) {
  dispatch_.fail(place(fault, wave));
}

Fault Worker::place(const WaveFault& fault, const WaveSlot& wave) {
  return place(fault, wave, wave.pc);
}

// The wave's own pc is that of its run of instructions until the run's last.
void Worker::add_past_lds(const WaveFault& fault, const WaveSlot& wave, const Instruction& instruction) {
  if (!past_lds_.insert(&instruction).second) return;
  dispatch_.add_finding(place(fault, wave, interpreter_in_use_->address_of(instruction).value_or(wave.pc)));
}

Fault Worker::place(const WaveFault& fault, const WaveSlot& wave, uint64_t pc) {
  Fault out;
  out.kind = fault.kind;
  out.pc = pc;
  out.pc_offset = pc - dispatch_.kernel().entry;
  std::copy_n(wave.workgroup->id, 3, out.workgroup);
  out.wave = wave.index_in_workgroup;
  out.lane = fault.lane;
  out.address = fault.address;
  out.bytes = fault.bytes;
  out.is_write = fault.is_write;
  out.detail = fault.detail;
  out.instruction = interpreter_.describe(pc);
  name_textures(out);
  return out;
}

// A kernel that uses textures first fails elsewhere, because there are none: that fault is a consequence.
void Worker::name_textures(Fault& fault) {
  const bool may_follow = fault.kind == Fault::Kind::kMemoryAccess || fault.kind == Fault::Kind::kMisaligned ||
                          fault.kind == Fault::Kind::kUnknownInstruction ||
                          fault.kind == Fault::Kind::kUnsupportedInstruction;
  if (!may_follow) return;
  const auto at = first_image_instruction(dispatch_.target(), memory_, dispatch_.kernel().entry, fault.pc);
  if (!at) return;
  char place[24];
  std::snprintf(place, sizeof place, "+0x%llx", static_cast<unsigned long long>(*at));
  fault.kind = Fault::Kind::kUnsupportedInstruction;
  fault.detail =
      std::string("the kernel reads or writes textures or surfaces (at ") + place + "), which the software GPU has not";
}

}  // namespace kernloop::softgpu
