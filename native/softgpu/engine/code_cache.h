// Decoded instructions, found by address. Pages of code are decoded lazily and shared by all workers; a page whose
// bytes or extent changed since (code unloaded, memory used again) is decoded anew, so that nothing stale is ever
// executed.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "softgpu/engine/memory_port.h"
#include "softgpu/isa/instruction.h"

namespace kernloop::softgpu {

// What the interpreter loop counts an instruction as. Memory instructions count themselves (memory_port.h).
enum class InstructionClass : uint8_t { kOther, kValu, kSalu, kSmem, kBranch, kBarrier, kVectorMemory, kCount };

struct DecodedInstruction : Instruction {
  InstructionClass counted_as = InstructionClass::kOther;
  bool is_vector = false;         // executed by the active lanes
  ExecuteFn untracked = nullptr;  // what `execute` wraps, where writes of EXEC are watched
  uint64_t address = 0;
};

class CodePage {
 public:
  static constexpr uint64_t kBytes = 4096;
  static constexpr unsigned kSlots = kBytes / 4;
  static constexpr uint64_t kTailBytes = 16;  // an instruction may run on into the next page

  // `first` and `end`: which part of [base, base + kBytes + kTailBytes) is mapped.
  CodePage(uint64_t base, uint64_t first, uint64_t end);

  bool contains(uint64_t address) const { return address >= first_ && address < end_; }
  bool is_current(uint64_t first, uint64_t end) const;
  // nullptr until prepared.
  const DecodedInstruction* find(unsigned slot) const { return slots_[slot].load(std::memory_order_acquire); }
  // Decodes the instruction at the address. Faults (unmapped, unknown) become instructions that raise them.
  const DecodedInstruction* prepare(unsigned slot);

 private:
  uint64_t base_, first_, end_;
  std::vector<uint32_t> words_;  // a copy: what is executed is what was decoded
  std::atomic<const DecodedInstruction*> slots_[kSlots] = {};
  std::mutex mutex_;
  std::vector<std::unique_ptr<DecodedInstruction>> owned_;
};

class CodeCache {
 public:
  std::shared_ptr<CodePage> page(uint64_t base, uint64_t first, uint64_t end);
  void forget(uint64_t base, uint64_t size);

 private:
  std::mutex mutex_;
  std::unordered_map<uint64_t, std::shared_ptr<CodePage>> pages_;
};

// One worker's view during one dispatch: the pages it has checked. No locks once a page is in view.
class CodeView {
 public:
  explicit CodeView(CodeCache& cache) : cache_(cache) {}
  // Throws when the address is not mapped.
  CodePage* page_of(uint64_t address, MemoryPort& memory);

 private:
  CodePage* add(uint64_t address, MemoryPort& memory);

  CodeCache& cache_;
  struct Entry {
    uint64_t number = ~uint64_t{0};
    CodePage* page = nullptr;
  };
  static constexpr unsigned kEntries = 64;
  Entry entries_[kEntries];
  std::unordered_map<uint64_t, std::shared_ptr<CodePage>> pages_;
};

}  // namespace kernloop::softgpu
