// The side file of a merged profile, kernloop.pgo-waves/1 (native/pgo/format/README.md): data that the stock format has
// no place for.
#pragma once

#include <llvm/Support/Error.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace kernloop::pgo_pass {

struct WaveClass {
  uint64_t waves = 0, uniform_lanes = 0;
  bool static_uniform = false;  // all of its lanes are uniform, and uniform_lanes may not tell
};

struct FunctionWaves {
  std::vector<uint64_t> counters;  // lanes
  std::vector<uint64_t> uniform;  // this and the following members are empty if the profile's tools do not measure them
  std::string pattern;            // one letter a counter, U or D
  std::vector<WaveClass> classes;
  std::vector<uint64_t> counter_class;
};

struct WaveProfile {
  std::string arch;                                                     // empty: unknown
  uint64_t wave_size = 0;                                               // 0: unknown
  std::map<std::pair<std::string, uint64_t>, FunctionWaves> functions;  // by name in the profile and hash
};

// The 90% rule, in integers.
inline bool is_uniform(uint64_t uniform_lanes, uint64_t lanes) {
  return lanes == 0 || uniform_lanes >= lanes - lanes / 10;
}

// Names the place of an error in the text.
llvm::Expected<WaveProfile> parse_waves(llvm::StringRef text);
llvm::Expected<WaveProfile> read_waves(llvm::StringRef path);

}  // namespace kernloop::pgo_pass
