#include "softgpu/engine/execute/interpreter.h"

#include <cstdio>
#include <iterator>
#include <utility>

#include "softgpu/engine/observe/checker.h"
#include "softgpu/engine/observe/late_stores.h"
#include "softgpu/engine/translate/translator.h"
#include "softgpu/engine/wave/wave_fault.h"
#include "softgpu/isa/decoder.h"

namespace kernloop::softgpu {

namespace {

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

// With VGPR indexing on, M0 shifts the vector registers of the instruction. Compilers use it only with v_mov_b32.
DecodedInstruction shift_registers(const WaveSlot& wave, const DecodedInstruction& instruction) {
  if (!facts_of(instruction.op).has(kIndexable) || instruction.is_sdwa || instruction.is_dpp) {
    raise_unsupported("this operation while VGPR indexing is on (only v_mov_b32 is)");
  }
  DecodedInstruction shifted = instruction;
  const uint32_t index = wave.sgpr[kM0] & 0xff, enables = (wave.sgpr[kM0] >> 12) & 0xf;
  const auto shift = [&](Operand& operand) {
    if (operand.kind != Operand::Kind::kVgpr) return;
    if (operand.index + index > 255)
      raise_unsupported("indexed register v" + std::to_string(operand.index + index) + " does not exist");
    operand.index = static_cast<uint16_t>(operand.index + index);
  };
  if (enables & 1) shift(shifted.src[0]);
  if (enables & 8) shift(shifted.dst[0]);
  return shifted;
}

}  // namespace

Interpreter::Interpreter(MemoryPort& memory, CodeCache& code, Target target) : memory_(memory), code_(code, target) {
  region_.by_class = by_class_;
  region_.active_lanes = &active_lanes_;
  region_.valu_lanes = &valu_lanes_;
  region_.lds = &memory.counters.lds;
  region_.divergent_branches = &memory.counters.divergent_branches;
}

void Interpreter::run(WaveSlot& wave, uint64_t end, uint32_t accesses) {
  const bool runs_end_with_accesses = code_.use() == CodePage::Use::kAccesses;
  while (wave.instructions < end) {
    if (wave.state == WaveState::kReady && runs_end_with_accesses) {
      if (execute_to_accesses(wave, end, accesses)) return;
    } else if (wave.state == WaveState::kReady && memory_.checker) {
      interpret<false>(wave, end);  // the checker wants the pc of every access
    } else if (wave.state == WaveState::kReady) {
      execute_runs(wave, end);
    } else if (wave.state == WaveState::kIndexed) {
      interpret<true>(wave, end);
    } else {
      return;
    }
  }
}

inline uint64_t Interpreter::lanes_of(uint64_t exec) {
  if (exec != last_exec_) {
    last_exec_ = exec;
    last_lanes_ = static_cast<unsigned>(__builtin_popcountll(exec));
  }
  return last_lanes_;
}

void Interpreter::execute_runs(WaveSlot& wave, uint64_t end) {
  CodePage* page = nullptr;
  uint64_t page_base = 0;
  do {
    const Translated& known = translated_[wave.pc / 4 % kTranslated];
    if (known.run && known.pc == wave.pc) {
      const uint64_t before = wave.instructions;
      execute_region(wave, *known.run, end);
      if (wave.instructions == before) [[unlikely]]  // the run goes beyond the end
        return interpret<false>(wave, end);
      continue;
    }
    uint64_t offset = wave.pc - page_base;
    if (offset >= CodePage::kBytes || !page) [[unlikely]] {
      page = code_.page_of(wave.pc, memory_);
      page_base = wave.pc & ~(CodePage::kBytes - 1);
      offset = wave.pc - page_base;
    }
    const CodeRun& run = page->run_at(static_cast<unsigned>(offset / 4));
    if (run.steps.size() > end - wave.instructions) [[unlikely]]
      return interpret<false>(wave, end);
    if (const TranslatedRun* translated = run.translation ? run.translation->at_execution(run) : nullptr) {
      translated_[wave.pc / 4 % kTranslated] = {wave.pc, translated};
      execute_region(wave, *translated, end);
      continue;
    }
    execute_run(wave, run);
    if (run.waits && wave.pc == run.steps.front().instruction->address) [[unlikely]]
      wave.state = WaveState::kSleeping;
  } while (wave.state == WaveState::kReady && wave.instructions < end);
}

bool Interpreter::execute_to_accesses(WaveSlot& wave, uint64_t end, uint32_t& accesses) {
  do {
    const CodeRun& run = code_.page_of(wave.pc, memory_)->run_at(wave.pc % CodePage::kBytes / 4);
    if (run.steps.size() > end - wave.instructions) {
      interpret<false>(wave, end);
      return false;
    }
    if (!run.ends_with_access) {
      execute_run(wave, run);
      continue;
    }
    execute_access_run(wave, run);
    // Other waves do not see private memory.
    const bool is_scalar = run.steps.back().instruction->counted_as == InstructionClass::kSmem;
    const bool counts = is_scalar || memory_.last_address != 0;
    // A compare-and-swap loop would never get ahead of the others' if it stopped at each turn; a loop that waits does.
    const bool is_crossing = wave.repeats_access ? memory_.last_kind == AccessKind::kLoad
                                                 : wave.met_another || wave.is_narrow || wave.read_shared;
    if (counts && accesses > 0 && (is_crossing || --accesses == 0)) return true;
  } while (wave.state == WaveState::kReady && wave.instructions < end);
  return false;
}

inline void Interpreter::execute_access_run(WaveSlot& wave, const CodeRun& run) {
  count(wave, run);
  const CodeRun::Step* step = run.steps.data();
  const CodeRun::Step* const last = step + run.steps.size() - 1;
  try {
    for (; step != last; ++step) step->execute(wave, *step->instruction);
    wave.pc = last->instruction->address;
    wave.next_pc = wave.pc + last->instruction->size_bytes;
    begin_access(wave, *last->instruction);
    last->execute(wave, *last->instruction);
    end_access(wave, *last->instruction);
  } catch (...) {
    take_back(wave, run, *step);
    throw;
  }
  wave.pc = wave.next_pc;
}

inline void Interpreter::begin_access(WaveSlot& wave, const DecodedInstruction& instruction) {
  memory_.last_address = 0;
  RaceDetector* races = memory_.checker ? memory_.checker->races() : nullptr;
  if (races) races->begin_access(wave, instruction);
  LateStores* late = memory_.checker ? memory_.checker->late_stores : nullptr;
  if (late) late->begin_access(wave, instruction);
}

// Volatile loads, and atomic ones of more than a workgroup's scope, are glc, dlc, or sc1 (scc here) of gfx942. An
// atomic with glc returns the old value.
inline bool Interpreter::reads_shared(const DecodedInstruction& instruction) const {
  if (memory_.last_address == 0 || memory_.last_address >= kSharedApertureBase) return false;
  if (memory_.last_kind == AccessKind::kStore) return false;
  const bool is_atomic = memory_.last_kind == AccessKind::kAtomic;
  return instruction.glc || (!is_atomic && (instruction.dlc || instruction.scc));
}

inline void Interpreter::end_access(WaveSlot& wave, const DecodedInstruction& instruction) {
  RaceDetector* races = memory_.checker ? memory_.checker->races() : nullptr;
  if (races) races->end_access();
  const Meetings::With met = memory_.last_address == 0 ? Meetings::With::kNobody
                                                       : meetings_.note(wave, memory_.last_address, memory_.last_kind);
  wave.met_another = met != Meetings::With::kNobody;
  wave.was_published = met == Meetings::With::kWorkgroup && memory_.last_kind != AccessKind::kLoad;
  LateStores* late = memory_.checker ? memory_.checker->late_stores : nullptr;
  if (late) late->end_access(wave.was_published);
  const bool is_scalar = instruction.counted_as == InstructionClass::kSmem;
  wave.is_narrow = is_scalar || lanes_of(wave.exec()) == 1;
  wave.read_shared = reads_shared(instruction);
  if (is_scalar || memory_.last_address == 0) return;
  wave.repeats_access = wave.last_access_pc == wave.pc && wave.last_access_address == memory_.last_address;
  wave.last_access_pc = wave.pc;
  wave.last_access_address = memory_.last_address;
}

inline void Interpreter::count(WaveSlot& wave, const CodeRun& run) {
  wave.instructions += run.steps.size();
  for (size_t k = 0; k < std::size(by_class_); ++k) by_class_[k] += run.by_class[k];
  active_lanes_ += run.vectors * lanes_of(wave.exec());
  valu_lanes_ += run.valus * lanes_of(wave.exec());
  if (Profiler* profiler = memory_.profiler) [[unlikely]] {
    Profiler::RunCounts& counts = profiler->run(run.number);
    ++counts.executed;
    counts.lanes += lanes_of(wave.exec());
  }
}

void Interpreter::count_in_profile(const Wave& wave, const DecodedInstruction& instruction) {
  PcCounts& counts = memory_.profiler->at(instruction.number);
  ++counts.executed;
  if (instruction.is_vector) counts.lanes += lanes_of(wave.exec());
}

// Instructions behind the culprit have not been executed.
void Interpreter::take_back(WaveSlot& wave, const CodeRun& run, const CodeRun::Step& culprit) {
  for (const CodeRun::Step* step = &run.steps.back(); step != &culprit; --step) {
    --wave.instructions;
    --by_class_[static_cast<size_t>(step->instruction->counted_as)];
    if (step->instruction->is_vector) active_lanes_ -= lanes_of(wave.exec());
    if (is_vector_alu(step->instruction->counted_as)) valu_lanes_ -= lanes_of(wave.exec());
  }
  wave.pc = culprit.instruction->address;
  if (!memory_.profiler) return;
  Profiler::RunCounts& counts = memory_.profiler->run(run.number);
  --counts.executed;
  counts.lanes -= lanes_of(wave.exec());
  for (const CodeRun::Step* step = run.steps.data(); step <= &culprit; ++step)
    count_in_profile(wave, *step->instruction);
}

void Interpreter::execute_region(WaveSlot& wave, const TranslatedRun& run, uint64_t end) {
  region_.end = end;
  const uint32_t faulted = run.function(&wave, &region_, run.entry);
  if (faulted == 0) [[likely]]
    return;
  take_back(wave, *run.region->runs[faulted - 1], *region_.step);
  std::rethrow_exception(std::exchange(region_.fault, nullptr));
}

[[gnu::always_inline]] inline void Interpreter::execute_run(WaveSlot& wave, const CodeRun& run) {
  count(wave, run);
  const CodeRun::Step* step = run.steps.data();
  const CodeRun::Step* const last = step + run.steps.size() - 1;
  try {
    for (; step != last; ++step) step->execute(wave, *step->instruction);
    wave.pc = last->instruction->address;
    wave.next_pc = wave.pc + last->instruction->size_bytes;
    last->execute(wave, *last->instruction);
  } catch (...) {
    take_back(wave, run, *step);
    throw;
  }
  wave.pc = wave.next_pc;
}

template <bool indexed>
void Interpreter::interpret(WaveSlot& wave, uint64_t end) {
  constexpr WaveState kRunning = indexed ? WaveState::kIndexed : WaveState::kReady;
  CodePage* page = nullptr;
  uint64_t page_base = 0;
  do {
    const uint64_t pc = wave.pc;
    uint64_t offset = pc - page_base;
    if (offset >= CodePage::kBytes || !page) [[unlikely]] {
      page = code_.page_of(pc, memory_);
      page_base = pc & ~(CodePage::kBytes - 1);
      offset = pc - page_base;
    }
    const unsigned slot = static_cast<unsigned>(offset / 4);
    PreparedInstruction decoded = page->find(slot);
    if (!decoded) [[unlikely]]
      decoded = page->prepare(slot);
    wave.next_pc = pc + decoded.size_bytes();
    ++wave.instructions;
    ++by_class_[static_cast<size_t>(decoded.counted_as())];
    if (decoded.is_vector()) {
      active_lanes_ += lanes_of(wave.exec());
      if (is_vector_alu(decoded.counted_as())) valu_lanes_ += lanes_of(wave.exec());
    }
    if (memory_.profiler) [[unlikely]]
      count_in_profile(wave, *decoded);
    if constexpr (indexed) {
      if (is_vector_alu(decoded.counted_as())) {
        const DecodedInstruction shifted = shift_registers(wave, *decoded);
        shifted.execute(wave, shifted);
      } else {
        const bool is_access = memory_.checker && accesses_memory(*decoded);
        if (is_access) begin_access(wave, *decoded);
        decoded->execute(wave, *decoded);
        if (is_access) end_access(wave, *decoded);
        if (wave.state != kRunning && wave.state != WaveState::kReady) {
          raise_unsupported("leaving VGPR indexing other than by s_set_gpr_idx_off");
        }
      }
    } else if (memory_.checker && accesses_memory(*decoded)) {
      begin_access(wave, *decoded);
      decoded->execute(wave, *decoded);
      end_access(wave, *decoded);
    } else {
      decoded->execute(wave, *decoded);
    }
    wave.pc = wave.next_pc;
  } while (wave.state == kRunning && wave.instructions < end);
}

const DecodedInstruction* Interpreter::look_up(uint64_t pc) {
  uint64_t run_base = 0, run_bytes = 0;
  if (pc % 4 != 0 || !memory_.code_at(pc, &run_base, &run_bytes)) return nullptr;
  try {
    const unsigned slot = static_cast<unsigned>(pc % CodePage::kBytes / 4);
    CodePage* page = code_.page_of(pc, memory_);
    PreparedInstruction decoded = page->find(slot);
    if (!decoded) decoded = page->prepare(slot);
    return &*decoded;
  } catch (const WaveFault&) {
    return nullptr;
  }
}

std::optional<uint64_t> Interpreter::address_of(const Instruction& instruction) const {
  std::optional<uint64_t> address;
  code_.for_each_page([&](const CodePage& page) {
    page.for_each_prepared([&](const DecodedInstruction& decoded) {
      if (&decoded == &instruction || decoded.equivalent.get() == &instruction) address = decoded.address;
    });
  });
  return address;
}

std::string Interpreter::describe(uint64_t pc) {
  const DecodedInstruction* const decoded = look_up(pc);
  if (!decoded) return {};
  if (decoded->encoding != Encoding::kInvalid) return disassemble(*decoded);
  uint64_t run_base = 0, run_bytes = 0;
  memory_.code_at(pc, &run_base, &run_bytes);
  return raw_words(pc, run_base + run_bytes - pc);
}

void Interpreter::add_to(Counters& counters) const {
  const auto count = [&](InstructionClass which) { return by_class_[static_cast<size_t>(which)]; };
  for (uint64_t executed : by_class_) counters.wave_instructions += executed;
  counters.valu += count(InstructionClass::kValu) + count(InstructionClass::kMfma);
  counters.mfma += count(InstructionClass::kMfma);
  counters.salu += count(InstructionClass::kSalu);
  counters.smem += count(InstructionClass::kSmem);
  counters.branches += count(InstructionClass::kBranch);
  counters.barriers += count(InstructionClass::kBarrier);
  counters.other += count(InstructionClass::kOther);
  counters.active_lanes += active_lanes_;
  counters.valu_lanes += valu_lanes_;
}

void Interpreter::add_to(KernelProfile& profile) {
  if (!memory_.profiler) return;
  Profiler& profiler = *memory_.profiler;
  code_.for_each_page([&](const CodePage& page) {
    page.for_each_run([&](const CodeRun& run) {
      const Profiler::RunCounts counts = std::as_const(profiler).run(run.number);
      if (counts.executed == 0) return;
      for (const CodeRun::Step& step : run.steps) {
        PcCounts& pc = profiler.at(step.instruction->number);
        pc.executed += counts.executed;
        if (step.instruction->is_vector) pc.lanes += counts.lanes;
      }
    });
  });
  code_.for_each_page([&](const CodePage& page) {
    page.for_each_prepared([&](const DecodedInstruction& instruction) {
      const PcCounts& counts = std::as_const(profiler).at(instruction.number);
      if (counts.executed == 0) return;
      PcProfile& pc = profile[instruction.address];
      if (pc.size_bytes == 0) {
        pc.address = instruction.address;
        pc.size_bytes = instruction.size_bytes;
        pc.is_conditional_branch = is_conditional_branch(instruction);
        pc.is_vector = instruction.is_vector;
        pc.instruction = describe(instruction.address);
      }
      pc.counts += counts;
    });
  });
}

}  // namespace kernloop::softgpu
