// The clocks that a wave reads (s_memtime, s_memrealtime, SHADER_CYCLES). They follow the wave's own progress, its
// instructions and requested sleep, so that a dispatch repeats exactly. Code that waits for a time to pass sleeps
// meanwhile.
#pragma once

#include <cstdint>

#include "softgpu/engine/wave/permutation.h"

namespace kernloop::softgpu {

struct WaveClock {
  uint64_t start = 0;
  uint64_t pace = 4;   // cycles of an instruction
  uint64_t slept = 0;  // cycles

  // A machine that has run for hours: waves begin at different times, and no two instructions take the same time.
  static WaveClock of_machine_in_use(uint32_t seed, uint64_t workgroup, uint32_t wave) {
    constexpr uint64_t kHour = uint64_t{3600} * 1'700'000'000;
    const uint64_t random = mix(seed), own = mix(random ^ mix(mix(workgroup) + wave + 1));
    return {3 * kHour + random % (200 * kHour) + own % 100'000, 9 + own % 32};
  }

  // 1.7 GHz.
  uint64_t cycles(uint64_t instructions) const {
    const uint64_t jitter = start == 0 ? 0 : mix(start ^ instructions) % pace;
    return start + slept + instructions * pace + jitter;
  }
  // 100 MHz.
  uint64_t real_time(uint64_t instructions) const { return cycles(instructions) / 17; }
};

}  // namespace kernloop::softgpu
