// Program flow and the state of the wave: SOPP, jumps through registers, VGPR indexing.
#include "softgpu/engine/access/store_order.h"
#include "softgpu/engine/scalar/select.h"
#include "softgpu/engine/wave/scalar_operands.h"

namespace kernloop::softgpu {

namespace {

uint64_t branch_target(const Wave& wave, const Instruction& i) {
  return wave.pc + 4 + static_cast<uint64_t>(static_cast<int64_t>(i.simm16) * 4);
}

void branch(Wave& wave, const Instruction& i) {
  wave.next_pc = branch_target(wave, i);
}

template <auto Condition>
void branch_if(Wave& wave, const Instruction& i) {
  if (Condition(wave)) wave.next_pc = branch_target(wave, i);
}

void trap(Wave&, const Instruction& i) {
  const unsigned id = static_cast<unsigned>(i.simm16) & 0xff;
  // AMDGPUUsage "Trap Handler ABI": 2 is llvm.trap; 3 is llvm.debugtrap, which does nothing without a debugger.
  if (id == 3) return;
  throw WaveFault{.kind = Fault::Kind::kTrap,
                  .detail = id == 2 ? std::string("the kernel gave up (llvm.trap: abort, assert or __builtin_trap)")
                                    : "trap " + std::to_string(id)};
}

// About 64 clocks for each of SIMM16[6:0] ("Vega ISA", S_SLEEP).
void sleep(Wave& wave, const Instruction& i) {
  wave.clock.slept += 64 * (static_cast<uint64_t>(i.simm16) & 0x7f);
  wave.state = WaveState::kSleeping;
}

// VGPR indexing (ISA 3.9): M0[7:0] is the index, M0[15:12] tells which operands it is added to.
constexpr uint32_t kIndexField = 0xff, kIndexEnableField = 0xf000;

uint32_t index_enables(const Instruction& i) {
  return static_cast<uint32_t>(i.simm16) & 0xf;
}

void index_on(Wave& wave, const Instruction& i) {
  const uint32_t index = read32(wave, i.src[0]) & kIndexField;
  wave.sgpr[kM0] = (wave.sgpr[kM0] & ~(kIndexField | kIndexEnableField)) | index | index_enables(i) << 12;
  wave.state = WaveState::kIndexed;
}

void index_off(Wave& wave, const Instruction&) {
  wave.state = WaveState::kReady;
}

void index_mode(Wave& wave, const Instruction& i) {
  wave.sgpr[kM0] = (wave.sgpr[kM0] & ~kIndexEnableField) | index_enables(i) << 12;
}

void index_index(Wave& wave, const Instruction& i) {
  wave.sgpr[kM0] = (wave.sgpr[kM0] & ~kIndexField) | (read32(wave, i.src[0]) & kIndexField);
}

}  // namespace

ExecuteFn select_control(const Instruction& instruction) {
  switch (instruction.op) {
    case Op::s_branch:
      return branch;
    case Op::s_cbranch_scc0:
      return branch_if<[](const Wave& w) { return !w.scc; }>;
    case Op::s_cbranch_scc1:
      return branch_if<[](const Wave& w) { return w.scc; }>;
    case Op::s_cbranch_vccz:
      return branch_if<[](const Wave& w) { return w.vcc() == 0; }>;
    case Op::s_cbranch_vccnz:
      return branch_if<[](const Wave& w) { return w.vcc() != 0; }>;
    case Op::s_cbranch_execz:
      return branch_if<[](const Wave& w) { return w.exec() == 0; }>;
    case Op::s_cbranch_execnz:
      return branch_if<[](const Wave& w) { return w.exec() != 0; }>;
    // No debugger is ever attached, so these conditions are false.
    case Op::s_cbranch_cdbgsys:
    case Op::s_cbranch_cdbguser:
    case Op::s_cbranch_cdbgsys_or_user:
    case Op::s_cbranch_cdbgsys_and_user:
      return execute_nothing;

    case Op::s_getpc_b64:
      return [](Wave& wave, const Instruction& i) { wave.set_sgpr64(i.dst[0].index, wave.next_pc); };
    case Op::s_setpc_b64:
      return [](Wave& wave, const Instruction& i) { jump(wave, read64(wave, i.src[0])); };
    case Op::s_swappc_b64:
      return [](Wave& wave, const Instruction& i) {
        const uint64_t target = read64(wave, i.src[0]);
        wave.set_sgpr64(i.dst[0].index, wave.next_pc);
        jump(wave, target);
      };
    case Op::s_call_b64:
      return [](Wave& wave, const Instruction& i) {
        wave.set_sgpr64(i.dst[0].index, wave.next_pc);
        wave.next_pc = branch_target(wave, i);
      };

    case Op::s_endpgm:
      return [](Wave& wave, const Instruction&) { wave.state = WaveState::kDone; };
    case Op::s_barrier:
      return [](Wave& wave, const Instruction&) { wave.state = WaveState::kAtBarrier; };
    case Op::s_sleep:
      return sleep;
    case Op::s_trap:
      return trap;

    // Waves are scheduled fairly, and loads have their results at once.
    case Op::s_waitcnt:
      return waits_for_stores(instruction) ? order_stores : execute_nothing;
    case Op::s_nop:
    case Op::s_setprio:
    case Op::s_wakeup:
    case Op::s_icache_inv:
    case Op::s_incperflevel:
    case Op::s_decperflevel:
    case Op::s_ttracedata:
      return execute_nothing;
    case Op::s_sethalt:
      return (instruction.simm16 & 1) == 0 ? execute_nothing : nullptr;
    // MSG_INTERRUPT wakes the host, which here watches the signal's memory. Every other message talks to hardware we
    // lack.
    case Op::s_sendmsg:
      return (instruction.simm16 & 0xf) == 1 ? execute_nothing : nullptr;

    case Op::s_set_gpr_idx_on:
      return index_on;
    case Op::s_set_gpr_idx_off:
      return index_off;
    case Op::s_set_gpr_idx_mode:
      return index_mode;
    case Op::s_set_gpr_idx_idx:
      return index_index;
    default:
      return nullptr;
  }
}

}  // namespace kernloop::softgpu
