// Executes the instructions of a wave, one after the other: the hot loop of the engine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "softgpu/engine/access/memory_port.h"
#include "softgpu/engine/execute/code_cache.h"
#include "softgpu/engine/observe/meetings.h"
#include "softgpu/engine/translate/translated_run.h"
#include "softgpu/engine/wave/workgroup.h"

namespace kernloop::softgpu {

class Interpreter {
 public:
  Interpreter(MemoryPort& memory, CodeCache& code, Target target = kGfx90a);

  // Runs until the wave ends, waits, or has executed `end` instructions in all. Throws WaveFault with wave.pc at the
  // culprit. `accesses`: limit of accesses to memory in runs that end at accesses (0: no limit).
  void run(WaveSlot& wave, uint64_t end, uint32_t accesses = 0);

  // The instruction at the address; nullptr if there is none. It lives as long as the dispatch.
  const DecodedInstruction* look_up(uint64_t pc);
  // Address of an instruction that this executes; none for any other.
  std::optional<uint64_t> address_of(const Instruction& instruction) const;
  // The instruction that look_up finds, disassembled, or its raw dwords; empty if nothing is mapped there.
  std::string describe(uint64_t pc);
  void add_to(Counters& counters) const;
  // The profiler's counts, by address.
  void add_to(KernelProfile& profile);

 private:
  void execute_runs(WaveSlot& wave, uint64_t end);
  void execute_run(WaveSlot& wave, const CodeRun& run);
  void execute_region(WaveSlot& wave, const TranslatedRun& run, uint64_t end);
  // The same if runs end with an access. True: enough have been made.
  bool execute_to_accesses(WaveSlot& wave, uint64_t end, uint32_t& accesses);
  void execute_access_run(WaveSlot& wave, const CodeRun& run);
  void begin_access(WaveSlot& wave, const DecodedInstruction& instruction);
  void end_access(WaveSlot& wave, const DecodedInstruction& instruction);
  void count(WaveSlot& wave, const CodeRun& run);
  void count_in_profile(const Wave& wave, const DecodedInstruction& instruction);
  bool reads_shared(const DecodedInstruction& instruction) const;
  void take_back(WaveSlot& wave, const CodeRun& run, const CodeRun::Step& culprit);
  // One instruction after the other.
  template <bool indexed>
  void interpret(WaveSlot& wave, uint64_t end);
  uint64_t lanes_of(uint64_t exec);

  MemoryPort& memory_;
  CodeView code_;
  Meetings meetings_;
  uint64_t by_class_[static_cast<size_t>(InstructionClass::kCount)] = {};
  uint64_t active_lanes_ = 0, valu_lanes_ = 0;
  uint64_t last_exec_ = ~uint64_t{0}, last_lanes_ = kLanes;
  RegionState region_;
  // Translated runs by address, to find them without pages: waves return to the same places after each barrier.
  struct Translated {
    uint64_t pc = 0;
    const TranslatedRun* run = nullptr;
  };
  static constexpr unsigned kTranslated = 64;
  Translated translated_[kTranslated];
};

}  // namespace kernloop::softgpu
