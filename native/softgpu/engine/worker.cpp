#include "softgpu/engine/worker.h"

#include <sched.h>

#include <algorithm>
#include <cstdio>
#include <new>

#include "softgpu/isa/decoder.h"

namespace kernloop::softgpu {

namespace {

constexpr uint32_t kFreshSlice = 16384;    // instructions a wave, for a workgroup that is not suspect
constexpr uint32_t kSuspectSlice = 2048;
constexpr uint64_t kReportEvery = 4096;
constexpr unsigned kPollEverySlices = 64;
constexpr size_t kMaxResidentBytes = size_t{2} << 30;  // a worker
constexpr uint32_t kLdsGarbage = 0xC0DEC0DE;           // what a workgroup finds in LDS: the same in every run

std::string raw_words(uint64_t address, uint64_t available) {
  std::string out;
  for (uint64_t k = 0; k < 3 && 4 * (k + 1) <= available; ++k) {
    uint32_t word;
    std::memcpy(&word, reinterpret_cast<const void*>(address + 4 * k), 4);
    char text[16];
    std::snprintf(text, sizeof text, "%s0x%08x", k ? " " : "", word);
    out += text;
  }
  return out;
}

// With VGPR indexing on, M0 shifts the vector registers of the instruction. Compilers use it with v_mov_b32 alone.
Instruction shift_registers(const WaveSlot& wave, const Instruction& instruction) {
  if (instruction.op != Op::v_mov_b32 || instruction.is_sdwa || instruction.is_dpp) {
    raise_unsupported("this operation while VGPR indexing is on (only v_mov_b32 is)");
  }
  Instruction shifted = instruction;
  const uint32_t index = wave.sgpr[kM0] & 0xff, enables = (wave.sgpr[kM0] >> 12) & 0xf;
  const auto shift = [&](Operand& operand) {
    if (operand.kind != Operand::Kind::kVgpr) return;
    if (operand.index + index > 255) raise_unsupported("indexed register v" + std::to_string(operand.index + index) + " does not exist");
    operand.index = static_cast<uint16_t>(operand.index + index);
  };
  if (enables & 1) shift(shifted.src[0]);
  if (enables & 8) shift(shifted.dst[0]);
  return shifted;
}

bool is_runnable(const WaveSlot& wave) { return wave.state == WaveState::kReady || wave.state == WaveState::kIndexed; }

}  // namespace

Worker::Worker(Dispatch& dispatch, SlotPool& pool, const std::function<void()>& poll)
    : dispatch_(dispatch), pool_(pool), poll_(poll),
      recorder_(dispatch.records_accesses() ? std::make_unique<AccessRecorder>() : nullptr),
      memory_(dispatch.space(), recorder_.get()), code_(dispatch.code()) {
  const size_t rows = size_t{dispatch.kernel().vgprs} + dispatch.kernel().agprs;
  bytes_a_workgroup_ = dispatch.lds_bytes() + dispatch.max_waves_per_workgroup() *
                       (rows * sizeof(VectorRegister) + size_t{dispatch.private_bytes()} * kLanes);
}

Worker::~Worker() {
  dispatch_.count_instructions(unreported_);
  Counters counters = memory_.counters;
  const auto count = [&](InstructionClass which) { return by_class_[static_cast<size_t>(which)]; };
  for (uint64_t executed : by_class_) counters.wave_instructions += executed;
  counters.valu = count(InstructionClass::kValu);
  counters.salu = count(InstructionClass::kSalu);
  counters.smem = count(InstructionClass::kSmem);
  counters.branches = count(InstructionClass::kBranch);
  counters.barriers = count(InstructionClass::kBarrier);
  counters.active_lanes = active_lanes_;
  counters.waves = waves_;
  counters.workgroups = workgroups_;
  dispatch_.add_results(counters, std::move(recorder_));
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

bool Worker::is_suspect(const Resident& resident) const {
  const Workgroup& workgroup = resident.workgroup;
  return resident.waits ||
         workgroup.instructions > std::max<uint64_t>(kFreshSlice * workgroup.waves.size(), 2 * dispatch_.longest_workgroup());
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
  const std::optional<uint64_t> ordinal = dispatch_.take_workgroup();
  if (!ordinal) return false;
  std::unique_ptr<Resident> resident;
  if (spare_.empty()) {
    resident = std::make_unique<Resident>();
  } else {
    resident = std::move(spare_.back());
    spare_.pop_back();
  }
  while (resident->slots.size() < dispatch_.waves_of(*ordinal)) resident->slots.push_back(pool_.take());
  resident->lds.assign((dispatch_.lds_bytes() + 3) / 4, kLdsGarbage);
  resident->waits = false;
  Workgroup& workgroup = resident->workgroup;
  workgroup.lds = reinterpret_cast<uint8_t*>(resident->lds.data());
  workgroup.lds_bytes = dispatch_.lds_bytes();
  dispatch_.begin_workgroup(*ordinal, workgroup, resident->slots);
  for (WaveSlot* wave : workgroup.waves) wave->memory = &memory_;
  waves_ += workgroup.waves.size();
  ++workgroups_;
  residents_.push_back(std::move(resident));
  return true;
}

void Worker::retire(Resident& resident) {
  dispatch_.completed_workgroup(resident.workgroup.instructions);
  const auto at = std::find_if(residents_.begin(), residents_.end(), [&](const auto& r) { return r.get() == &resident; });
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
  // While workgroups are still waiting to get in, finishing the oldest one is what helps most.
  const uint64_t for_oldest = dispatch_.has_untaken_workgroups() ? budget / 2 : 0;
  while (budget > for_oldest && !residents_.empty() && is_suspect(*residents_.front()) && for_oldest > 0 && !dispatch_.is_stopped()) {
    Resident* oldest = residents_.front().get();
    run_one(*oldest);
    if (residents_.empty() || residents_.front().get() != oldest || oldest->waits) break;
  }
  // The rest in turn; a round in which everybody sleeps ends here.
  size_t tried = 0;
  bool everyone_sleeps = !residents_.empty();
  while (budget > 0 && tried < std::max<size_t>(residents_.size(), 1) && !residents_.empty() && !dispatch_.is_stopped()) {
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
  if (progress && everyone_sleeps) sched_yield();
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
      if (is_runnable(*wave) && wave->instructions < wave->slice_end) run_wave(*wave);
      if (dispatch_.is_stopped()) return true;
      switch (wave->state) {
        case WaveState::kDone: break;
        case WaveState::kAtBarrier: ++at_barrier; break;
        case WaveState::kSleeping: ++asleep; break;
        default: ++ready; break;
      }
    }
    if (at_barrier + asleep + ready == 0) return false;
    if (asleep + ready > 0) {
      resident.waits = ready == 0;
      return true;
    }
    // A barrier waits for the waves that have not ended.
    for (WaveSlot* wave : waves) {
      if (wave->state == WaveState::kAtBarrier) wave->state = WaveState::kReady;
    }
  }
}

void Worker::run_wave(WaveSlot& wave) {
  const uint64_t start = wave.instructions;
  try {
    const uint64_t end = start + dispatch_.allowance(static_cast<uint32_t>(wave.slice_end - start), unreported_);
    while (is_runnable(wave) && wave.instructions < end) {
      if (wave.state == WaveState::kReady) {
        interpret<false>(wave, end);
      } else {
        interpret<true>(wave, end);
      }
    }
  } catch (const WaveFault& fault) {
    fail(fault, wave);
  } catch (const std::bad_alloc&) {
    fail(WaveFault{.kind = Fault::Kind::kInternal, .detail = "out of host memory"}, wave);
  }
  const uint64_t executed = wave.instructions - start;
  wave.workgroup->instructions += executed;
  account(executed);
  if (!dispatch_.is_stopped() && dispatch_.is_over_limit(unreported_)) {
    fail(WaveFault{.kind = Fault::Kind::kInstructionLimit,
                   .detail = "the dispatch executed more than " + std::to_string(dispatch_.limit()) + " wave-instructions"},
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

template <bool indexed>
void Worker::interpret(WaveSlot& wave, uint64_t end) {
  constexpr WaveState kRunning = indexed ? WaveState::kIndexed : WaveState::kReady;
  CodePage* page = nullptr;
  uint64_t page_base = 1;  // no offset from here is below a page's size and a multiple of 4
  uint64_t exec = ~uint64_t{0};
  uint64_t lanes = kLanes;
  do {
    const uint64_t pc = wave.pc;
    uint64_t offset = pc - page_base;
    if (offset >= CodePage::kBytes || !page) [[unlikely]] {
      page = code_.page_of(pc, memory_);
      page_base = pc & ~(CodePage::kBytes - 1);
      offset = pc - page_base;
    }
    const unsigned slot = static_cast<unsigned>(offset / 4);
    const DecodedInstruction* decoded = page->find(slot);
    if (!decoded) [[unlikely]] decoded = page->prepare(slot);
    wave.next_pc = pc + decoded->size_bytes;
    ++wave.instructions;
    ++by_class_[static_cast<size_t>(decoded->counted_as)];
    if (decoded->is_vector) {
      if (wave.exec() != exec) {
        exec = wave.exec();
        lanes = static_cast<unsigned>(__builtin_popcountll(exec));
      }
      active_lanes_ += lanes;
    }
    if constexpr (indexed) {
      if (decoded->counted_as == InstructionClass::kValu) {
        const Instruction shifted = shift_registers(wave, *decoded);
        shifted.execute(wave, shifted);
      } else {
        decoded->execute(wave, *decoded);
        if (wave.state != kRunning && wave.state != WaveState::kReady) raise_unsupported("leaving VGPR indexing other than by s_set_gpr_idx_off");
      }
    } else {
      decoded->execute(wave, *decoded);
    }
    wave.pc = wave.next_pc;
  } while (wave.state == kRunning && wave.instructions < end);
}

void Worker::fail(const WaveFault& fault, const WaveSlot& wave) {
  Fault out;
  out.kind = fault.kind;
  out.pc = wave.pc;
  out.pc_offset = wave.pc - dispatch_.kernel().entry;
  std::copy_n(wave.workgroup->id, 3, out.workgroup);
  out.wave = wave.index_in_workgroup;
  out.lane = fault.lane;
  out.address = fault.address;
  out.bytes = fault.bytes;
  out.is_write = fault.is_write;
  out.detail = fault.detail;
  uint64_t run_base = 0, run_bytes = 0;
  if (memory_.code_at(wave.pc, &run_base, &run_bytes)) {
    try {
      const unsigned slot = static_cast<unsigned>(wave.pc % CodePage::kBytes / 4);
      CodePage* page = code_.page_of(wave.pc, memory_);
      const DecodedInstruction* decoded = page->find(slot);
      if (!decoded) decoded = page->prepare(slot);
      out.instruction = decoded->encoding != Encoding::kInvalid ? disassemble(*decoded)
                                                                : raw_words(wave.pc, run_base + run_bytes - wave.pc);
    } catch (const WaveFault&) {
    }
  }
  dispatch_.fail(std::move(out));
}

}  // namespace kernloop::softgpu
