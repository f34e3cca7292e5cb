// One wave with registers that a test sets, which executes the snippets of kernels/snippets.s (gfx1030:
// kernels/rdna2.s).
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "softgpu/engine/access/memory_port.h"
#include "softgpu/engine/execute/code_cache.h"
#include "softgpu/engine/execute/interpreter.h"
#include "softgpu/engine/tests/program.h"
#include "softgpu/engine/wave/apertures.h"
#include "softgpu/engine/wave/lds_end.h"
#include "softgpu/engine/wave/wave_fault.h"

namespace kernloop::softgpu::testing {

class LoneWave {
 public:
  static constexpr uint32_t kLdsBytes = 4096, kPrivateBytes = 256;

  explicit LoneWave(const char* snippets = KERNLOOP_TEST_SNIPPETS, Target of = kGfx90a)
      : target(of), program(space, snippets), lds(kLdsBytes + kBehindLdsBytes) {
    wave.begin_wave(256, 256, fill, 0);
    wave.scratch.begin_wave(kPrivateBytes, fill);
    workgroup.lds = lds.data();
    workgroup.lds_bytes = workgroup.lds_allocated = kLdsBytes;
    wave.workgroup = &workgroup;
    wave.set_exec(target.wave_size == 64 ? ~uint64_t{0} : 0xffffffff);
    wave.set_sgpr64(kFlatScratch, kScratchWaveBase);
    wave.scc = false;
  }

  // The fault that stopped the snippet, or nothing if it reached s_endpgm.
  std::optional<WaveFault> try_run(const std::string& snippet) {
    // A port of its own: it sees buffers made since, and its counters begin at 0.
    port.emplace(space, nullptr);
    Interpreter interpreter(*port, code, target);
    wave.memory = &*port;
    wave.state = WaveState::kReady;
    wave.pc = program.symbol(snippet);
    wave.instructions = 0;
    try {
      interpreter.run(wave, 10000);
    } catch (const WaveFault& fault) {
      return fault;
    }
    EXPECT_EQ(wave.state, WaveState::kDone) << snippet;
    counters = port->counters;
    interpreter.add_to(counters);
    return std::nullopt;
  }

  void run(const std::string& snippet) {
    const std::optional<WaveFault> fault = try_run(snippet);
    ASSERT_FALSE(fault) << snippet << ": " << fault->detail;
  }

  Fault::Kind fault_kind(const std::string& snippet) {
    const std::optional<WaveFault> fault = try_run(snippet);
    EXPECT_TRUE(fault) << snippet << " must fault";
    return fault ? fault->kind : Fault::Kind::kInternal;
  }

  // Unwritten content of private memory.
  uint32_t unwritten_private(uint32_t dword, unsigned lane) const {
    std::vector<uint32_t> words((size_t{dword} + 1) * kLanes);
    fill.copy(words.data(), words.size(), 0);
    return words[dword * kLanes + lane];
  }

  void set_vector64(unsigned row, unsigned lane, uint64_t value) {
    wave.vgpr[row][lane] = static_cast<uint32_t>(value);
    wave.vgpr[row + 1][lane] = static_cast<uint32_t>(value >> 32);
  }
  uint64_t vector64(unsigned row, unsigned lane) const {
    return wave.vgpr[row][lane] | uint64_t{wave.vgpr[row + 1][lane]} << 32;
  }

  const Target target;
  const UnwrittenFill fill{0};
  AddressSpace space;
  Program program;
  CodeCache code{CodePage::Use::kRegisters};
  std::vector<uint8_t> lds;
  Workgroup workgroup;
  WaveSlot wave;
  std::optional<MemoryPort> port;
  Counters counters;
};

}  // namespace kernloop::softgpu::testing
