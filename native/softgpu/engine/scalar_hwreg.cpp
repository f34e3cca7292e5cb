// s_getreg / s_setreg: the hardware registers a kernel may look at, and MODE, the only one it may change.
#include "softgpu/engine/mode_register.h"
#include "softgpu/engine/register_field.h"
#include "softgpu/engine/scalar_operands.h"
#include "softgpu/engine/scalar_select.h"

namespace kernloop::softgpu {

namespace {

enum Register : unsigned { kMode = 1, kStatus = 2, kTrapStatus = 3, kHardwareId = 4, kMemoryBases = 15, kXccId = 20 };

bool is_readable(Isa isa, unsigned id) {
  if (id == kXccId) return isa == Isa::kGfx942;
  return id == kMode || id == kStatus || id == kTrapStatus || id == kHardwareId || id == kMemoryBases;
}

uint32_t read_register(const Wave& wave, unsigned id) {
  switch (id) {
    case kMode:
      return mode_to_bits(wave.mode, wave.state == WaveState::kIndexed);
    case kStatus:  // SCC, EXECZ, VCCZ, VALID
      return uint32_t{wave.scc} | uint32_t{wave.exec() == 0} << 9 | uint32_t{wave.vcc() == 0} << 10 | 1u << 16;
    case kTrapStatus:
      return wave.trap_status;
    // WAVE_ID is the only field that can differ here: one compute unit, one queue.
    case kHardwareId:
      return wave.index_in_workgroup & 0xf;
    case kMemoryBases:
      return static_cast<uint32_t>(kPrivateApertureBase >> 48) | static_cast<uint32_t>(kSharedApertureBase >> 48) << 16;
    case kXccId:  // this gfx942 has one of these dies
      return 0;
    default:
      raise_unsupported("hardware register " + std::to_string(id));
  }
}

void get_register(Wave& wave, const Instruction& i) {
  const RegisterField field(i);
  wave.sgpr[i.dst[0].index] = (read_register(wave, field.id) >> field.offset) & field.mask;
}

void set_register(Wave& wave, const Instruction& i) {
  const RegisterField field(i);
  const uint32_t value = i.op == Op::s_setreg_imm32_b32 ? i.literal_dword
                         : i.src_count > 0              ? read32(wave, i.src[0])
                                                        : read32(wave, i.dst[0]);
  const bool indexed = wave.state == WaveState::kIndexed;
  const uint32_t old = mode_to_bits(wave.mode, indexed);
  const uint32_t next = (old & ~(field.mask << field.offset)) | (value & field.mask) << field.offset;
  if (!is_supported_mode(next) || ((next ^ old) & kModeIndexing) != 0) {
    raise_unsupported("MODE bits beyond rounding, denormals, DX10_CLAMP, IEEE and FP16_OVFL");
  }
  wave.mode = mode_from_bits(next);
}

}  // namespace

ExecuteFn select_hwreg(const Instruction& instruction) {
  const RegisterField field(instruction);
  switch (instruction.op) {
    case Op::s_getreg_b32:
      return is_readable(instruction.isa, field.id) ? get_register : nullptr;
    case Op::s_setreg_b32:
    case Op::s_setreg_imm32_b32:
      return field.id == kMode ? set_register : nullptr;
    default:
      return nullptr;
  }
}

}  // namespace kernloop::softgpu
