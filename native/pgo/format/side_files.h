// Side files for data that a raw profile of LLVM 22 cannot hold: uniform lanes per counter in the RFC's layout
// (.unifcnts), and visits of waves in one of Kernloop's own (.wavecnts). README.md describes the bytes.
#pragma once

#include <string_view>

#include "base/result.h"
#include "pgo/format/bytes.h"
#include "pgo/format/profile.h"

namespace kernloop::pgo {

inline constexpr uint64_t kUniformMagic = 0x55434e5450524f46;  // "UCNTPROF", read as a number
inline constexpr uint64_t kUniformVersion = 1;
inline constexpr uint64_t kWavesMagic = 0x53455641574c4b01;  // "\x01KLWAVES"
inline constexpr uint32_t kWavesVersion = 1;

// One value for each of the raw profile's counters, in its order.
Buffer write_uniform_counters(std::span<const uint64_t> values);
Result<std::vector<uint64_t>> read_uniform_counters(Bytes file, const std::string& what);

// Wave counts of one translation unit.
struct WaveFunction {
  uint64_t name_ref = 0;
  uint64_t hash = 0;
  std::vector<uint32_t> counter_class;  // one a counter
  std::vector<WaveClass> classes;
};

struct WaveFile {
  std::string arch;  // "gfx90a", "sm_90"
  std::string cuid;
  uint32_t wave_size = 0;
  Sampling sampling;
  UniformRule uniform_rule = UniformRule::kBranch;
  std::vector<WaveFunction> functions;
};

Buffer write_waves(const WaveFile& waves);
Result<WaveFile> read_waves(Bytes file, const std::string& what);

}  // namespace kernloop::pgo
