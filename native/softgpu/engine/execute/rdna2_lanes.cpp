// Vector instructions that gfx90a lacks or that look at the wave's size: between lanes, and registers relative to M0.
#include "softgpu/engine/execute/rdna2.h"
#include "softgpu/engine/wave/scalar_operands.h"
#include "softgpu/engine/wave/wave.h"

namespace kernloop::softgpu {

namespace {

using Kind = Operand::Kind;

template <typename F>
void for_active(const Wave& wave, F&& f) {
  for (uint64_t left = wave.exec(); left != 0; left &= left - 1) f(static_cast<unsigned>(__builtin_ctzll(left)));
}

unsigned narrow_lane(const Wave& wave, const Operand& select) {
  return read32(wave, select) & 31;
}
void readlane(Wave& wave, const Instruction& i) {
  wave.sgpr[i.dst[0].index] = wave.vgpr[i.src[0].index][narrow_lane(wave, i.src[1])];
}
void writelane(Wave& wave, const Instruction& i) {
  wave.vgpr[i.dst[0].index][narrow_lane(wave, i.src[1])] = read32(wave, i.src[0]);
}

// Lane k of a row of 16 reads the lane of its own (`across`: the neighbouring) row that nibble k of src2:src1 names.
// op_sel: bit 0: inactive lanes are read too; bit 1: else they give 0, and without it the result stays.
template <bool across>
void permute_row(Wave& wave, const Instruction& i) {
  const uint64_t selects = read32(wave, i.src[1]) | uint64_t{read32(wave, i.src[2])} << 32;
  const uint64_t exec = wave.exec();
  uint32_t* result = wave.vgpr[i.dst[0].index];
  VectorRegister source;
  __builtin_memcpy(source, wave.vgpr[i.src[0].index], sizeof source);
  const bool fetch_inactive = i.op_sel & 1, bound_control = i.op_sel & 2;
  for_active(wave, [&](unsigned lane) {
    const unsigned row = (lane & ~15u) ^ (across ? 16u : 0u);
    const unsigned from = row | static_cast<unsigned>(selects >> (4 * (lane & 15)) & 15);
    if (fetch_inactive || (exec >> from & 1)) {
      result[lane] = source[from];
    } else if (bound_control) {
      result[lane] = 0;
    }
  });
}

unsigned relative_register(const Wave& wave, const Operand& base) {
  const uint64_t index = uint64_t{base.index} + wave.sgpr[kM0];
  if (index > 255) {
    raise_unsupported("relative register v" + std::to_string(index) + " does not exist (m0 is " +
                      std::to_string(wave.sgpr[kM0]) + ")");
  }
  return static_cast<unsigned>(index);
}

void move_from_relative(Wave& wave, const Instruction& i) {
  const uint32_t* source = wave.vgpr[relative_register(wave, i.src[0])];
  uint32_t* result = wave.vgpr[i.dst[0].index];
  for_active(wave, [&](unsigned lane) { result[lane] = source[lane]; });
}

void move_to_relative(Wave& wave, const Instruction& i) {
  uint32_t* result = wave.vgpr[relative_register(wave, i.dst[0])];
  if (i.src[0].kind == Kind::kVgpr) {
    const uint32_t* source = wave.vgpr[i.src[0].index];
    for_active(wave, [&](unsigned lane) { result[lane] = source[lane]; });
    return;
  }
  const uint32_t value = read32(wave, i.src[0]);
  for_active(wave, [&](unsigned lane) { result[lane] = value; });
}

bool is_plain(const Instruction& i) {
  return !i.is_sdwa && !i.is_dpp && !i.clamp && i.omod == 0 && i.op_sel == 0;
}

}  // namespace

ExecuteFn select_rdna2_lanes(unsigned wave_size, const Instruction& instruction) {
  switch (instruction.op) {
    case Op::v_readlane_b32:
      return wave_size == 32 ? readlane : nullptr;
    case Op::v_writelane_b32:
      return wave_size == 32 ? writelane : nullptr;
    case Op::v_permlane16_b32:
      return permute_row<false>;
    case Op::v_permlanex16_b32:
      return permute_row<true>;
    case Op::v_movrels_b32:
      return is_plain(instruction) ? move_from_relative : nullptr;
    case Op::v_movreld_b32:
      return is_plain(instruction) ? move_to_relative : nullptr;
    default:
      return nullptr;
  }
}

}  // namespace kernloop::softgpu
