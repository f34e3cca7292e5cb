// Random streams of valid instructions, and a wave that executes them again and again from one state.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "softgpu/engine/execute/code_cache.h"
#include "softgpu/engine/tests/program.h"
#include "softgpu/engine/vector/select.h"
#include "softgpu/engine/wave/wave_fault.h"
#include "softgpu/isa/testing/word_generator.h"

namespace kernloop::softgpu::testing {

// Instructions, most of which the engine executes, with jumps that mostly stay inside; at the end scalars read some of
// their results, and s_endpgm or a word that is no instruction follows.
struct RandomStream {
  Target target;
  std::vector<uint32_t> words;

  // Replaces the instruction at a word by s_nop.
  void drop(size_t word);
  std::string listing() const;
};
// `change`: what becomes of the words of each instruction, which are drawn again if they are no instruction then.
RandomStream random_stream(Target target, std::mt19937_64& random, WordGenerator& generator,
                           const std::function<void(const Instruction&, Words&)>& change = {});

// State after a run.
struct StreamEnd {
  std::optional<WaveFault> fault;
  uint64_t pc = 0, instructions = 0;
  WaveState state = WaveState::kReady;
  bool scc = false;
  std::vector<uint8_t> scalars, vectors, data, lds;

  // Describes the difference; empty if there is none.
  std::string difference(const StreamEnd& other) const;
};

class StreamMachine {
 public:
  static constexpr uint32_t kDataBytes = 4096, kLdsBytes = 1024, kPrivateBytes = 128;

  explicit StreamMachine(Target target);

  // Registers and memory for the next runs: pointers, small numbers, special floats, anything.
  void draw_state(std::mt19937_64& random);
  // `step_by_step`: one instruction at a time, rather than in straight-line runs; `before_step` is called before each.
  StreamEnd run(const RandomStream& stream, uint64_t limit, bool step_by_step,
                CodePage::Use use = CodePage::Use::kRegisters, const std::function<void(WaveSlot&)>& before_step = {});
  // Most streams would fault at their first memory instructions and reach little of the rest: faulting instructions
  // become s_nop, in seven of eight.
  StreamEnd run_past_faults(RandomStream& stream, uint64_t limit, std::mt19937_64& random);
  uint64_t text_address() const { return text_.address(); }

 private:
  void restore();

  const Target target_;
  AddressSpace space_;
  Array<uint8_t> data_{space_, kDataBytes, "data"};
  Buffer text_;
  std::vector<uint8_t> lds_;
  Workgroup workgroup_;
  const UnwrittenFill fill_{0};
  WaveSlot wave_;
  // The initial state of runs.
  std::vector<uint8_t> first_vectors_, first_data_, first_lds_;
  uint32_t first_scalars_[128] = {};
  Mode first_mode_;
};

}  // namespace kernloop::softgpu::testing
