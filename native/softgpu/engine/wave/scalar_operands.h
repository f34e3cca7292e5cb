// Reading and writing scalar operands.
#pragma once

#include "softgpu/engine/wave/apertures.h"
#include "softgpu/engine/wave/wave.h"
#include "softgpu/engine/wave/wave_fault.h"

namespace kernloop::softgpu {

uint64_t read_special(const Wave& wave, const Operand& operand);

inline uint32_t read32(const Wave& wave, const Operand& operand) {
  if (operand.kind == Operand::Kind::kSgpr) return wave.sgpr[operand.index];
  if (operand.kind == Operand::Kind::kConstant) return static_cast<uint32_t>(operand.value);
  return static_cast<uint32_t>(read_special(wave, operand));
}

inline uint64_t read64(const Wave& wave, const Operand& operand) {
  if (operand.kind == Operand::Kind::kSgpr) return wave.sgpr64(operand.index);
  if (operand.kind == Operand::Kind::kConstant) return operand.value;
  return read_special(wave, operand);
}

template <typename T>
inline T read_scalar(const Wave& wave, const Operand& operand) {
  if constexpr (sizeof(T) == 8) {
    return static_cast<T>(read64(wave, operand));
  } else {
    return static_cast<T>(read32(wave, operand));
  }
}

template <typename T>
inline void write_scalar(Wave& wave, const Operand& operand, T value) {
  if constexpr (sizeof(T) == 8) {
    wave.set_sgpr64(operand.index, static_cast<uint64_t>(value));
  } else {
    wave.sgpr[operand.index] = static_cast<uint32_t>(value);
  }
}

inline void jump(Wave& wave, uint64_t target) {
  if ((target & 3) != 0) {
    throw WaveFault{.kind = Fault::Kind::kMisaligned,
                    .detail = "jump to an address that is no multiple of 4",
                    .address = target,
                    .bytes = 4};
  }
  wave.next_pc = target;
}

}  // namespace kernloop::softgpu
