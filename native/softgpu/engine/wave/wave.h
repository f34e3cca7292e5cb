// The architectural state of one wavefront, as instructions see it.
#pragma once

#include <cstdint>
#include <cstring>

#include "softgpu/engine/lanes/vector_register.h"
#include "softgpu/engine/wave/global_wave_sync.h"
#include "softgpu/engine/wave/wave_clock.h"
#include "softgpu/isa/instruction.h"

namespace kernloop::softgpu {

inline constexpr unsigned kVcc = 106, kM0 = 124, kExec = 126, kFlatScratch = 102;

class MemoryPort;  // access/memory_port.h: checked global/flat/scratch/LDS access of this wave
struct Workgroup;  // wave/workgroup.h

// MODE register fields (ISA 3.4). Denormal modes: bit0 allow inputs' denormals, bit1 allow outputs' (0 flush both, 3
// keep).
struct Mode {
  uint8_t round_f32 = 0, round_f64_f16 = 0;  // 0 nearest even, 1 +inf, 2 -inf, 3 zero
  uint8_t denorm_f32 = 3, denorm_f64_f16 = 3;
  bool dx10_clamp = true, ieee = true, fp16_overflow = false;
  bool is_default() const {
    return round_f32 == 0 && round_f64_f16 == 0 && denorm_f32 == 3 && denorm_f64_f16 == 3 && !fp16_overflow;
  }
};

// kIndexed: ready, with VGPR indexing (s_set_gpr_idx_on) switched on. kAtGridBarrier: held by `grid_barrier`.
enum class WaveState : uint8_t { kReady, kAtBarrier, kSleeping, kDone, kIndexed, kAtGridBarrier };

struct Wave {
  alignas(64) uint32_t sgpr[128] = {};  // vcc, m0, exec, flat_scratch live here under their operand numbers
  VectorRegister* vgpr = nullptr;       // 256 registers
  VectorRegister* agpr = nullptr;       // 256 accumulation registers
  uint64_t pc = 0;       // address of the instruction being executed; advanced before execute(): see next_pc
  uint64_t next_pc = 0;  // branches overwrite it
  bool scc = false;
  Mode mode;
  WaveState state = WaveState::kReady;
  GlobalWaveSync::Ticket grid_barrier;
  uint32_t trap_status = 0;
  Workgroup* workgroup = nullptr;
  MemoryPort* memory = nullptr;
  uint32_t index_in_workgroup = 0;
  uint64_t instructions = 0;
  WaveClock clock;

  uint64_t sgpr64(unsigned i) const {
    uint64_t v;
    std::memcpy(&v, &sgpr[i], 8);
    return v;
  }
  void set_sgpr64(unsigned i, uint64_t v) { std::memcpy(&sgpr[i], &v, 8); }
  uint64_t exec() const { return sgpr64(kExec); }
  void set_exec(uint64_t v) { set_sgpr64(kExec, v); }
  uint64_t vcc() const { return sgpr64(kVcc); }
  void set_vcc(uint64_t v) { set_sgpr64(kVcc, v); }
};

// Semantics live in engine/: each returns the function that executes `instruction`, or nullptr when the operation or
// one of its modifiers is not supported (the engine then faults the dispatch when a wave reaches it; it never guesses).
ExecuteFn select_scalar(const Instruction& instruction);  // SOP1/SOP2/SOPK/SOPC/SOPP, SMEM        (engine/scalar)
ExecuteFn select_memory(const Instruction& instruction);  // DS, FLAT/GLOBAL/SCRATCH, MUBUF        (engine/access)
ExecuteFn select_vector(const Instruction& instruction);  // VOP1/VOP2/VOPC/VOP3/VOP3P, SDWA, DPP  (engine/vector)
inline void execute_nothing(Wave&, const Instruction&) {}

}  // namespace kernloop::softgpu
