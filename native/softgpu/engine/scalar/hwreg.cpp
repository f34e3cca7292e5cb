// s_getreg / s_setreg: the hardware registers a kernel may look at, and MODE, the only one it may change.
#include "softgpu/engine/scalar/mode_register.h"
#include "softgpu/engine/scalar/register_field.h"
#include "softgpu/engine/scalar/select.h"
#include "softgpu/engine/wave/permutation.h"
#include "softgpu/engine/wave/scalar_operands.h"
#include "softgpu/engine/wave/workgroup.h"

namespace kernloop::softgpu {

namespace {

enum Register : unsigned { kMode = 1, kStatus = 2, kTrapStatus = 3, kHardwareId = 4, kMemoryBases = 15, kXccId = 20 };

bool is_readable(Isa isa, unsigned id) {
  if (id == kXccId) return isa == Isa::kGfx942;
  return id == kMode || id == kStatus || id == kTrapStatus || id == kHardwareId || id == kMemoryBases;
}

// WAVE_ID in 3..0, SIMD_ID in 5..4, CU_ID in 11..8, SE_ID in 15..13, TG_ID in 19..16. On a machine that has just begun
// WAVE_ID is the only one that differs: one compute unit, one queue. On one in use workgroups are anywhere, each with
// all of its waves on one compute unit.
uint32_t hardware_id(const Wave& wave) {
  const uint32_t index = wave.index_in_workgroup;
  if (wave.clock.start == 0) return index & 0xf;
  constexpr uint64_t kLaterWave = 100'000'000'000;  // far more than clocks of one machine differ by
  constexpr uint32_t kEngines = 8, kUnits = 13;     // gfx90a; fewer than the fields hold
  const uint64_t place = mix(mix(wave.clock.start / kLaterWave) ^ wave.workgroup->ordinal);
  const auto unit = static_cast<uint32_t>(place % kUnits), engine = static_cast<uint32_t>((place >> 8) % kEngines);
  const auto group = static_cast<uint32_t>(place >> 16) & 0xf, before = static_cast<uint32_t>(place >> 20) & 7;
  return ((before + index / 4) & 0xf) | (index & 3) << 4 | unit << 8 | engine << 13 | group << 16;
}

uint32_t read_register(const Wave& wave, unsigned id) {
  switch (id) {
    case kMode:
      return mode_to_bits(wave.mode, wave.state == WaveState::kIndexed);
    case kStatus:  // SCC, EXECZ, VCCZ, VALID
      return uint32_t{wave.scc} | uint32_t{wave.exec() == 0} << 9 | uint32_t{wave.vcc() == 0} << 10 | 1u << 16;
    case kTrapStatus:
      return wave.trap_status;
    case kHardwareId:
      return hardware_id(wave);
    case kMemoryBases:
      return static_cast<uint32_t>(kPrivateApertureBase >> 48) | static_cast<uint32_t>(kSharedApertureBase >> 48) << 16;
    case kXccId:  // this gfx942 has a single die
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
