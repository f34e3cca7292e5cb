// DS: data exchange between lanes through the LDS crossbar; no LDS memory is touched.
#include "softgpu/engine/access/select.h"

namespace kernloop::softgpu {

namespace {

// RDNA moves values within each 32 lanes: `kSpan`.
template <unsigned kSpan>
unsigned named_lane(unsigned lane, uint32_t address) {
  return (lane & ~(kSpan - 1)) | (address / 4) % kSpan;
}

// Each lane pushes its value to the lane it names; the highest pushing lane wins, unnamed lanes get 0.
template <unsigned kSpan>
void permute(Wave& wave, const Instruction& i) {
  ++wave.memory->counters.lds;
  const VectorRegister& address = *register_rows(wave, i.src[0]);
  const VectorRegister& data = *register_rows(wave, i.src[1]);
  VectorRegister values = {};
  for_lanes(wave.exec(), [&](unsigned lane) {
    values[named_lane<kSpan>(lane, address[lane] + static_cast<uint32_t>(i.offset))] = data[lane];
  });
  VectorRegister& result = *register_rows(wave, i.dst[0]);
  for_lanes(wave.exec(), [&](unsigned lane) { result[lane] = values[lane]; });
}

// Each lane pulls the value of the lane it names; inactive lanes give 0.
template <unsigned kSpan>
void permute_backward(Wave& wave, const Instruction& i) {
  ++wave.memory->counters.lds;
  const VectorRegister& address = *register_rows(wave, i.src[0]);
  VectorRegister sources;
  for (unsigned lane = 0; lane < kLanes; ++lane)
    sources[lane] = named_lane<kSpan>(lane, address[lane] + static_cast<uint32_t>(i.offset));
  pull_lanes(*register_rows(wave, i.dst[0]), *register_rows(wave, i.src[1]), sources, wave.exec());
}

template <auto SourceLane>
void swizzle(Wave& wave, const Instruction& i) {
  ++wave.memory->counters.lds;
  VectorRegister sources;
  for (unsigned lane = 0; lane < kLanes; ++lane) sources[lane] = SourceLane(lane, static_cast<uint32_t>(i.offset));
  pull_lanes(*register_rows(wave, i.dst[0]), *register_rows(wave, i.src[0]), sources, wave.exec());
}

unsigned quad_source(unsigned lane, uint32_t pattern) {
  return (lane & ~3u) | ((pattern >> (2 * (lane & 3))) & 3);
}

unsigned mask_source(unsigned lane, uint32_t pattern) {
  const unsigned and_mask = pattern & 31, or_mask = (pattern >> 5) & 31, xor_mask = (pattern >> 10) & 31;
  return (lane & 32) | ((((lane & 31) & and_mask) | or_mask) ^ xor_mask);
}

}  // namespace

ExecuteFn select_lds_exchange(const Instruction& instruction) {
  switch (instruction.op) {
    case Op::ds_permute_b32:
      return is_rdna(instruction.isa) ? permute<32> : permute<kLanes>;
    case Op::ds_bpermute_b32:
      return is_rdna(instruction.isa) ? permute_backward<32> : permute_backward<kLanes>;
    case Op::ds_swizzle_b32:
      if ((instruction.offset & 0x8000) == 0) return swizzle<mask_source>;
      if ((instruction.offset & 0xff00) == 0x8000) return swizzle<quad_source>;
      return nullptr;  // FFT and rotate patterns
    default:
      return nullptr;
  }
}

}  // namespace kernloop::softgpu
