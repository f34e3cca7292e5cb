// SMEM: loads through the scalar cache, and the clocks. Scalar stores and atomics are refused (no compiler emits them
// for gfx90a).
#include "softgpu/engine/access/memory_port.h"
#include "softgpu/engine/scalar/select.h"
#include "softgpu/engine/wave/scalar_operands.h"

namespace kernloop::softgpu {

namespace {

// An SGPR offset and an immediate one may both be given; a constant operand only repeats the immediate.
uint64_t offset_of(const Wave& wave, const Instruction& i) {
  const uint64_t soffset = i.src[1].kind == Operand::Kind::kSgpr ? wave.sgpr[i.src[1].index] : 0;
  return soffset + static_cast<uint64_t>(static_cast<int64_t>(i.offset));
}

template <unsigned dwords>
void load(Wave& wave, const Instruction& i) {
  // The two lowest bits of the address are ignored (ISA "Scalar Memory Operations").
  const uint64_t address = (read64(wave, i.src[0]) + offset_of(wave, i)) & ~uint64_t{3};
  std::memcpy(&wave.sgpr[i.dst[0].index], wave.memory->check_scalar_load(address, dwords * 4), dwords * 4);
}

template <unsigned dwords>
void buffer_load(Wave& wave, const Instruction& i) {
  const uint32_t* resource = &wave.sgpr[i.src[0].index];
  const uint64_t base = resource[0] | uint64_t{resource[1] & 0xffff} << 32;
  const uint32_t stride = (resource[1] >> 16) & 0x3fff;
  // In bytes without a stride, in strides with one; per dword, reads out of range give 0.
  const uint64_t records = uint64_t{resource[2]} * (stride ? stride : 1);
  const uint64_t offset = offset_of(wave, i) & ~uint64_t{3};
  uint32_t values[dwords] = {};
  unsigned in_range = 0;
  while (in_range < dwords && offset + 4 * (in_range + 1) <= records) ++in_range;
  if (in_range > 0) std::memcpy(values, wave.memory->check_scalar_load(base + offset, in_range * 4), in_range * 4);
  std::memcpy(&wave.sgpr[i.dst[0].index], values, sizeof values);
}

void read_clock(Wave& wave, const Instruction& i) {
  wave.set_sgpr64(i.dst[0].index, wave.clock.cycles(wave.instructions));
}
void read_real_time(Wave& wave, const Instruction& i) {
  wave.set_sgpr64(i.dst[0].index, wave.clock.real_time(wave.instructions));
}

}  // namespace

ExecuteFn select_smem(const Instruction& instruction) {
  switch (instruction.op) {
    case Op::s_load_dword:
      return load<1>;
    case Op::s_load_dwordx2:
      return load<2>;
    case Op::s_load_dwordx4:
      return load<4>;
    case Op::s_load_dwordx8:
      return load<8>;
    case Op::s_load_dwordx16:
      return load<16>;
    case Op::s_buffer_load_dword:
      return buffer_load<1>;
    case Op::s_buffer_load_dwordx2:
      return buffer_load<2>;
    case Op::s_buffer_load_dwordx4:
      return buffer_load<4>;
    case Op::s_buffer_load_dwordx8:
      return buffer_load<8>;
    case Op::s_buffer_load_dwordx16:
      return buffer_load<16>;
    case Op::s_memtime:
      return read_clock;
    case Op::s_memrealtime:
      return read_real_time;
    case Op::s_dcache_inv:
    case Op::s_dcache_inv_vol:
    case Op::s_dcache_wb:
    case Op::s_dcache_wb_vol:
      return execute_nothing;
    default:
      return nullptr;
  }
}

}  // namespace kernloop::softgpu
