#include "softgpu/engine/execute/code_cache.h"

#include <algorithm>
#include <cstdio>
#include <span>
#include <utility>

#include "softgpu/engine/code/waiting_run.h"
#include "softgpu/engine/execute/instruction_select.h"
#include "softgpu/engine/execute/observed.h"
#include "softgpu/engine/observe/probes.h"
#include "softgpu/engine/translate/liveness.h"
#include "softgpu/engine/translate/translator.h"
#include "softgpu/engine/wave/wave_fault.h"
#include "softgpu/engine/wave/workgroup.h"
#include "softgpu/isa/decoder.h"

namespace kernloop::softgpu {

namespace {

[[noreturn]] void raise_unmapped_code(uint64_t address) {
  throw WaveFault{.kind = Fault::Kind::kMemoryAccess,
                  .detail = "instruction fetch from an address that is not mapped",
                  .address = address,
                  .bytes = 4};
}

void execute_unmapped(Wave& wave, const Instruction&) {
  raise_unmapped_code(wave.pc);
}

template <Isa isa>
void execute_unknown(Wave&, const Instruction&) {
  throw WaveFault{.kind = Fault::Kind::kUnknownInstruction,
                  .detail = std::string(isa_name(isa)) +
                            " has no such instruction, or one of its reserved fields is set (is this code for another "
                            "target?)"};
}

constexpr ExecuteFn kUnknown[kIsas] = {execute_unknown<Isa::kGfx90a>, execute_unknown<Isa::kGfx1030>,
                                       execute_unknown<Isa::kGfx942>, execute_unknown<Isa::kGfx1100>};

void execute_truncated(Wave&, const Instruction&) {
  throw WaveFault{.kind = Fault::Kind::kUnknownInstruction, .detail = "the code ends inside this instruction"};
}

void execute_unsupported(Wave&, const Instruction&) {
  throw WaveFault{.kind = Fault::Kind::kUnsupportedInstruction,
                  .detail = "the software GPU does not execute this operation or one of its modifiers"};
}

// Counts how often control flow splits a wave: EXEC shrinks, but not to 0, nor to its value before all lanes were
// added.
void execute_watching_exec(Wave& wave, const Instruction& instruction) {
  const uint64_t before = wave.exec();
  static_cast<const DecodedInstruction&>(instruction).untracked(wave, instruction);
  const uint64_t after = wave.exec(), outside = std::exchange(static_cast<WaveSlot&>(wave).lanes_outside, 0);
  if (after == 0 || after == before || (after & ~before) != 0 || after == outside) return;
  ++wave.memory->counters.divergent_branches;
}

// Functions save and restore registers of inactive lanes, too: s_or_saveexec s[0:1], -1.
void execute_adding_all_lanes(Wave& wave, const Instruction& instruction) {
  static_cast<WaveSlot&>(wave).lanes_outside = wave.exec();
  static_cast<const DecodedInstruction&>(instruction).untracked(wave, instruction);
}

bool covers_exec(const Operand& operand) {
  return operand.kind == Operand::Kind::kSgpr && operand.index <= kExec + 1 && operand.index + operand.dwords > kExec;
}

bool writes_exec(const Instruction& instruction) {
  for (unsigned k = 0; k < instruction.dst_count; ++k) {
    if (covers_exec(instruction.dst[k])) return true;
  }
  return facts_of(instruction.op).effect == OpEffect::kWritesExec;
}

void resolve(Target target, DecodedInstruction& decoded) {
  decoded.counted_as = facts_of(decoded.op).counted_as;
  decoded.is_vector = is_vector_alu(decoded.encoding) || is_vector_memory(decoded.encoding);
  decoded.execute = select_for(target, decoded);
  if (!decoded.execute) {
    decoded.execute = execute_unsupported;
  } else if (writes_exec(decoded)) {
    decoded.untracked = decoded.execute;
    decoded.execute = adds_all_lanes(decoded) ? execute_adding_all_lanes : execute_watching_exec;
  }
}

void count_execution(unsigned wave_size, DecodedInstruction& decoded, uint32_t number) {
  decoded.number = number;
  decoded.counted = decoded.execute;
  decoded.execute = profiled_execute(wave_size, decoded);
}

}  // namespace

CodePage::CodePage(Target target, uint64_t base, uint64_t first, uint64_t end, Use use, Numbers* numbers,
                   const ProbeProgram* probes)
    : target_(target),
      base_(base),
      first_(first),
      end_(end),
      use_(use),
      numbers_(numbers),
      probes_(probes),
      words_((kBytes + kTailBytes) / 4) {
  std::memcpy(reinterpret_cast<uint8_t*>(words_.data()) + (first - base), reinterpret_cast<const void*>(first),
              end - first);
}

bool CodePage::is_current(uint64_t first, uint64_t end) const {
  return first == first_ && end == end_ &&
         std::memcmp(reinterpret_cast<const uint8_t*>(words_.data()) + (first - base_),
                     reinterpret_cast<const void*>(first), end - first) == 0;
}

PreparedInstruction CodePage::prepare(unsigned slot) {
  auto decoded = std::make_unique<DecodedInstruction>();
  const uint64_t address = base_ + uint64_t{slot} * 4;
  if (address < first_ || address + 4 > end_) {
    decoded->execute = execute_unmapped;
  } else {
    const DecodeResult result = decode(target_, std::span<const uint32_t>(&words_[slot], (end_ - address) / 4));
    if (result.status == DecodeStatus::kOk) {
      static_cast<Instruction&>(*decoded) = result.instruction;
      resolve(target_, *decoded);
    } else {
      decoded->execute =
          result.status == DecodeStatus::kTruncated ? execute_truncated : kUnknown[static_cast<unsigned>(target_.isa)];
    }
  }
  decoded->address = address;
  if (use_ == Use::kAccesses) {
    if (const ExecuteFn wait = select_memory_wait(*decoded)) decoded->execute = wait;
    decoded->counted = decoded->execute;
    decoded->execute = execute_waited;
  }
  if (numbers_) {
    const uint32_t number = numbers_->instructions.fetch_add(1, std::memory_order_relaxed);
    count_execution(target_.wave_size, *decoded, number);
  }
  if (probes_ && probes_->events.has(decoded->counted_as)) {
    decoded->counted = decoded->execute;
    decoded->execute = execute_probed;
  }
  std::lock_guard lock(mutex_);
  if (const PreparedInstruction other = find(slot)) return other;
  const PreparedInstruction prepared(*decoded);
  owned_.push_back(std::move(decoded));
  slots_[slot].store(prepared.bits(), std::memory_order_release);
  return prepared;
}

const CodeRun& CodePage::prepare_run(unsigned slot) {
  auto run = std::make_unique<CodeRun>();
  for (unsigned at = slot; at < kSlots && run->steps.size() < CodeRun::kMaxSteps;) {
    PreparedInstruction prepared = find(at);
    if (!prepared) prepared = prepare(at);
    if (!may_continue(*run, *prepared)) break;
    run->add(*prepared);
    if (ends_run(*prepared) || (use_ == Use::kAccesses && accesses_memory(*prepared))) break;
    if (probes_ && probes_->ends_run(*prepared)) break;
    at += prepared.size_bytes() / 4;
  }
  run->waits = is_waiting(*run);
  const bool is_plain = use_ == Use::kExecute || use_ == Use::kRegisters;
  Translator* const translator = is_plain && !run->waits ? Translator::shared() : nullptr;
  if (translator) {
    const auto find = [this](uint64_t address) -> const CodeRun* {
      return has_slot(address) ? runs_[(address - base_) / 4].load(std::memory_order_acquire) : nullptr;
    };
    const auto find_instruction = [this](uint64_t address) -> const DecodedInstruction* {
      return use_ == Use::kExecute ? instruction_at(address) : nullptr;
    };
    run->translation = std::make_shared<RunTranslation>(*translator, target_.wave_size, find, find_instruction);
  }
  if (numbers_) run->number = numbers_->runs.fetch_add(1, std::memory_order_relaxed);
  std::lock_guard lock(mutex_);
  if (const CodeRun* other = runs_[slot].load(std::memory_order_acquire)) return *other;
  owned_runs_.push_back(std::move(run));
  runs_[slot].store(owned_runs_.back().get(), std::memory_order_release);
  return *owned_runs_.back();
}

const DecodedInstruction* CodePage::instruction_at(uint64_t address) {
  if (!has_slot(address)) return nullptr;
  const auto slot = static_cast<unsigned>((address - base_) / 4);
  const PreparedInstruction known = find(slot);
  return known ? &*known : &*prepare(slot);
}

VectorRegisterSet CodePage::read_before_written(uint64_t address) {
  {
    std::lock_guard lock(mutex_);
    if (const auto known = read_before_written_.find(address); known != read_before_written_.end())
      return known->second;
  }
  Liveness liveness([this](uint64_t at) { return instruction_at(at); });
  const VectorRegisterSet found = liveness.in_any_lane(address);
  std::lock_guard lock(mutex_);
  return read_before_written_.emplace(address, found).first->second;
}

std::shared_ptr<CodePage> CodeCache::page(Target target, uint64_t base, uint64_t first, uint64_t end) {
  std::lock_guard lock(mutex_);
  std::shared_ptr<CodePage>& page = pages_[key(target, base)];
  if (!page || !page->is_current(first, end)) {
    page = std::make_shared<CodePage>(target, base, first, end, use_,
                                      use_ == CodePage::Use::kProfile ? &numbers_ : nullptr, probes_);
  }
  return page;
}

void CodeCache::forget(uint64_t base, uint64_t size) {
  std::lock_guard lock(mutex_);
  std::erase_if(pages_, [&](const auto& entry) {
    const uint64_t page = entry.first & ~(CodePage::kBytes - 1);
    return page < base + size && base < page + CodePage::kBytes;
  });
}

CodePage* CodeView::page_of(uint64_t address, MemoryPort& memory) {
  const uint64_t number = address / CodePage::kBytes;
  Entry& entry = entries_[number % kEntries];
  if (entry.number != number) entry = Entry{number, add(address, memory)};
  return entry.page;
}

CodePage* CodeView::add(uint64_t address, MemoryPort& memory) {
  const uint64_t base = address & ~(CodePage::kBytes - 1);
  const auto known = pages_.find(base);
  if (known != pages_.end() && known->second->contains(address)) return known->second.get();
  uint64_t run_base = 0, run_bytes = 0;
  if (!memory.code_at(address, &run_base, &run_bytes)) raise_unmapped_code(address);
  const uint64_t first = std::max(base, (run_base + 3) & ~uint64_t{3});
  const uint64_t end = std::min(base + CodePage::kBytes + CodePage::kTailBytes, (run_base + run_bytes) & ~uint64_t{3});
  if (first >= end) raise_unmapped_code(address);
  std::shared_ptr<CodePage>& page = pages_[base];
  page = cache_.page(target_, base, first, end);
  return page.get();
}

}  // namespace kernloop::softgpu
