// Decoded instructions, found by address. Pages of code are decoded lazily and shared by all workers; a page whose
// bytes or extent changed since (code unloaded, memory used again) is decoded anew: stale code is never executed.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "softgpu/engine/access/memory_port.h"
#include "softgpu/engine/code/code_run.h"
#include "softgpu/engine/wave/decoded_instruction.h"
#include "softgpu/engine/wave/vector_register_set.h"

namespace kernloop::softgpu {

struct ProbeProgram;

// A prepared instruction: besides the pointer, the fields that the interpreter needs of every one. Touching less memory
// per instruction makes it fast.
class PreparedInstruction {
 public:
  PreparedInstruction() = default;
  explicit PreparedInstruction(uint64_t bits) : bits_(bits) {}
  explicit PreparedInstruction(const DecodedInstruction& instruction)
      : bits_(reinterpret_cast<uint64_t>(&instruction) | static_cast<uint64_t>(instruction.counted_as) << 48 |
              uint64_t{instruction.is_vector} << 56 | uint64_t{instruction.size_bytes / 4u} << 60) {}

  explicit operator bool() const { return bits_ != 0; }
  uint64_t bits() const { return bits_; }
  const DecodedInstruction& operator*() const {
    return *reinterpret_cast<const DecodedInstruction*>(bits_ & ((uint64_t{1} << 48) - 1));
  }
  const DecodedInstruction* operator->() const { return &**this; }
  InstructionClass counted_as() const { return static_cast<InstructionClass>(bits_ >> 48 & 0xff); }
  bool is_vector() const { return (bits_ >> 56 & 1) != 0; }
  unsigned size_bytes() const { return static_cast<unsigned>(bits_ >> 60) * 4; }

 private:
  uint64_t bits_ = 0;
};

class CodePage {
 public:
  static constexpr uint64_t kBytes = 4096;
  static constexpr unsigned kSlots = kBytes / 4;
  static constexpr uint64_t kTailBytes = 16;  // an instruction may run on into the next page

  // Numbers given out by a profiled cache.
  struct Numbers {
    std::atomic<uint32_t> instructions{0}, runs{0};
  };

  // Purpose of the decoded instructions: execution; a profile, in which each counts its effects (profile.h); accesses,
  // in which a run ends after every access to memory, to look at it there and to interrupt the wave; probes, which are
  // called before the instructions that they wait for (probes.h); or execution of waves whose registers are looked at
  // when they have ended (tests).
  enum class Use : uint8_t { kExecute, kProfile, kAccesses, kProbes, kRegisters };

  // `first` and `end`: mapped part of [base, base + kBytes + kTailBytes). `numbers`: nullptr in a cache that is not
  // profiled. `probes`: for a cache with probes.
  CodePage(Target target, uint64_t base, uint64_t first, uint64_t end, Use use, Numbers* numbers,
           const ProbeProgram* probes = nullptr);

  bool contains(uint64_t address) const { return address >= first_ && address < end_; }
  bool is_current(uint64_t first, uint64_t end) const;
  // Empty until prepared.
  PreparedInstruction find(unsigned slot) const {
    return PreparedInstruction(slots_[slot].load(std::memory_order_acquire));
  }
  // Decodes the instruction at the address. Faults (unmapped, unknown) become instructions that raise them.
  PreparedInstruction prepare(unsigned slot);
  // Likewise; nullptr outside of the page.
  const DecodedInstruction* instruction_at(uint64_t address);
  // Registers that a wave which begins at the address may read before it writes them.
  VectorRegisterSet read_before_written(uint64_t address);
  // The run that begins at the address.
  const CodeRun& run_at(unsigned slot) {
    const CodeRun* run = runs_[slot].load(std::memory_order_acquire);
    return run ? *run : prepare_run(slot);
  }
  template <typename F>
  void for_each_prepared(F&& f) const {
    for (unsigned slot = 0; slot < kSlots; ++slot) {
      if (const PreparedInstruction prepared = find(slot)) f(*prepared);
    }
  }
  template <typename F>
  void for_each_run(F&& f) const {
    for (const auto& run : runs_) {
      if (const CodeRun* prepared = run.load(std::memory_order_acquire)) f(*prepared);
    }
  }

 private:
  const CodeRun& prepare_run(unsigned slot);
  bool has_slot(uint64_t address) const {
    return contains(address) && address >= base_ && address - base_ < kBytes && address % 4 == 0;
  }

  Target target_;
  uint64_t base_, first_, end_;
  Use use_;
  Numbers* numbers_;
  const ProbeProgram* probes_;
  std::vector<uint32_t> words_;  // a copy: the executed words are the decoded ones
  std::atomic<uint64_t> slots_[kSlots] = {};
  std::atomic<const CodeRun*> runs_[kSlots] = {};
  std::mutex mutex_;
  std::vector<std::unique_ptr<DecodedInstruction>> owned_;
  std::vector<std::unique_ptr<CodeRun>> owned_runs_;
  std::unordered_map<uint64_t, VectorRegisterSet> read_before_written_;
};

class CodeCache {
 public:
  explicit CodeCache(CodePage::Use use = CodePage::Use::kExecute) : use_(use) {}
  // For one dispatch: it refers to `probes`.
  explicit CodeCache(const ProbeProgram& probes) : use_(CodePage::Use::kProbes), probes_(&probes) {}
  CodePage::Use use() const { return use_; }
  std::shared_ptr<CodePage> page(Target target, uint64_t base, uint64_t first, uint64_t end);
  void forget(uint64_t base, uint64_t size);

 private:
  // Pages begin at multiples of their size: the low bits hold the wave size for which one is decoded.
  static uint64_t key(Target target, uint64_t base) { return base | target.wave_size; }

  const CodePage::Use use_;
  const ProbeProgram* const probes_ = nullptr;
  CodePage::Numbers numbers_;
  std::mutex mutex_;
  std::unordered_map<uint64_t, std::shared_ptr<CodePage>> pages_;
};

// One worker's view during one dispatch: the pages it has checked. No locks once a page is in view.
class CodeView {
 public:
  CodeView(CodeCache& cache, Target target) : cache_(cache), target_(target) {}
  CodePage::Use use() const { return cache_.use(); }
  // Throws when the address is not mapped.
  CodePage* page_of(uint64_t address, MemoryPort& memory);
  // f(page) for each in view.
  template <typename F>
  void for_each_page(F&& f) const {
    for (const auto& [base, page] : pages_) f(*page);
  }

 private:
  CodePage* add(uint64_t address, MemoryPort& memory);

  CodeCache& cache_;
  Target target_;
  struct Entry {
    uint64_t number = ~uint64_t{0};
    CodePage* page = nullptr;
  };
  static constexpr unsigned kEntries = 64;
  Entry entries_[kEntries];
  std::unordered_map<uint64_t, std::shared_ptr<CodePage>> pages_;
};

}  // namespace kernloop::softgpu
