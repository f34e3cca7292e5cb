// Scalar instructions that gfx90a lacks: MODE in parts, and the hardware registers.
#include "softgpu/engine/access/select.h"
#include "softgpu/engine/access/store_order.h"
#include "softgpu/engine/execute/instruction_select.h"
#include "softgpu/engine/execute/rdna2.h"
#include "softgpu/engine/scalar/mode_register.h"
#include "softgpu/engine/scalar/register_field.h"
#include "softgpu/engine/wave/scalar_operands.h"
#include "softgpu/engine/wave/workgroup.h"

namespace kernloop::softgpu {

namespace {

template <bool zero>
void branch_if_narrow_vcc(Wave& wave, const Instruction& i) {
  if ((wave.sgpr[kVcc] == 0) == zero) {
    wave.next_pc = wave.pc + 4 + static_cast<uint64_t>(static_cast<int64_t>(i.simm16) * 4);
  }
}

void set_rounding(Wave& wave, const Instruction& i) {
  wave.mode.round_f32 = i.simm16 & 3;
  wave.mode.round_f64_f16 = (i.simm16 >> 2) & 3;
}

void set_denormals(Wave& wave, const Instruction& i) {
  wave.mode.denorm_f32 = i.simm16 & 3;
  wave.mode.denorm_f64_f16 = (i.simm16 >> 2) & 3;
}

enum RdnaRegister : unsigned { kFlatScratchLow = 20, kFlatScratchHigh = 21, kHardwareId1 = 23, kShaderCycles = 29 };

uint32_t read_rdna_register(const Wave& wave, unsigned id) {
  constexpr uint32_t kCycleBits = 0xfffff;
  const auto& slot = static_cast<const WaveSlot&>(wave);
  switch (id) {
    case kFlatScratchLow:
      return static_cast<uint32_t>(slot.flat_scratch);
    case kFlatScratchHigh:
      return static_cast<uint32_t>(slot.flat_scratch >> 32);
    case kHardwareId1:  // WAVE_ID is the only field that can differ here
      return wave.index_in_workgroup & 0x1f;
    default:
      return static_cast<uint32_t>(wave.clock.cycles(wave.instructions) / 4) & kCycleBits;
  }
}

void get_rdna_register(Wave& wave, const Instruction& i) {
  const RegisterField field(i);
  wave.sgpr[i.dst[0].index] = (read_rdna_register(wave, field.id) >> field.offset) & field.mask;
}

void set_flat_scratch(Wave& wave, const Instruction& i) {
  const RegisterField field(i);
  auto& slot = static_cast<WaveSlot&>(wave);
  const unsigned shift = field.id == kFlatScratchHigh ? 32 : 0;
  const uint32_t value = i.op == Op::s_setreg_imm32_b32 ? i.literal_dword : read32(wave, i.src[0]);
  const uint32_t old = static_cast<uint32_t>(slot.flat_scratch >> shift);
  const uint32_t next = (old & ~(field.mask << field.offset)) | (value & field.mask) << field.offset;
  slot.flat_scratch = (slot.flat_scratch & ~(uint64_t{0xffffffff} << shift)) | uint64_t{next} << shift;
}

ExecuteFn select_register(const Instruction& instruction) {
  const unsigned id = RegisterField(instruction).id;
  const bool flat_scratch = id == kFlatScratchLow || id == kFlatScratchHigh;
  // On gfx1100 only the hardware sets it.
  if (instruction.op != Op::s_getreg_b32)
    return flat_scratch && instruction.isa == Isa::kGfx1030 ? set_flat_scratch : nullptr;
  return flat_scratch || id == kHardwareId1 || id == kShaderCycles ? get_rdna_register : nullptr;
}

}  // namespace

ExecuteFn select_rdna2_scalar(unsigned wave_size, const Instruction& instruction) {
  switch (instruction.op) {
    case Op::s_cbranch_vccz:
      return wave_size == 32 ? branch_if_narrow_vcc<true> : nullptr;
    case Op::s_cbranch_vccnz:
      return wave_size == 32 ? branch_if_narrow_vcc<false> : nullptr;
    case Op::s_round_mode:
      return set_rounding;
    case Op::s_denorm_mode:
      return set_denormals;
    case Op::s_getreg_b32:
    case Op::s_setreg_b32:
    case Op::s_setreg_imm32_b32:
      return select_register(instruction);
    case Op::s_waitcnt_vscnt:
      return waits_for_stores(instruction) ? order_stores : execute_nothing;
    // Loads have their results at once.
    case Op::s_version:
    case Op::s_clause:
    case Op::s_inst_prefetch:
    case Op::s_wait_idle:
    case Op::s_waitcnt_depctr:
    case Op::s_waitcnt_vmcnt:
    case Op::s_waitcnt_expcnt:
    case Op::s_waitcnt_lgkmcnt:
    case Op::s_ttracedata_imm:
      return execute_nothing;
    case Op::s_gl1_inv:
    case Op::buffer_gl0_inv:
    case Op::buffer_gl1_inv:
      return invalidate_caches;
    default:
      return nullptr;
  }
}

}  // namespace kernloop::softgpu
