// Approximate record of the addresses at which waves meet, by the first lane's address; the oldest are dropped if room
// is needed. The adverse order uses it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "softgpu/engine/lanes/access.h"
#include "softgpu/engine/wave/apertures.h"
#include "softgpu/engine/wave/permutation.h"
#include "softgpu/engine/wave/workgroup.h"

namespace kernloop::softgpu {

class Meetings {
 public:
  enum class With : uint8_t { kNobody, kWave, kWorkgroup };

  // Notes the wave's last access, and returns whether another wave was there last and one of the two stored: a wave of
  // its own workgroup, or of another one.
  With note(const WaveSlot& wave, uint64_t address, AccessKind kind) {
    const bool in_lds = address >= kSharedApertureBase;
    const uint64_t ordinal = wave.workgroup->ordinal;
    const uint64_t place = mix(address / 4 ^ (in_lds ? mix(ordinal) : 0));
    const uint64_t who = ordinal << 6 | wave.index_in_workgroup;
    // Visits of one set, the last one first: the oldest is replaced.
    const auto set = visits_.begin() + static_cast<ptrdiff_t>(place % kSets * kWays);
    auto visit = std::find_if(set, set + kWays, [&](const Visit& other) { return other.place == place; });
    const bool is_known = visit != set + kWays;
    if (!is_known) --visit;
    const bool stores = kind != AccessKind::kLoad;
    const bool met = is_known && visit->who != who && (visit->stored || stores);
    const bool is_of_workgroup = visit->who >> 6 == ordinal;
    *visit = {place, who, stores || (is_known && visit->stored)};
    std::rotate(set, visit, visit + 1);
    return !met ? With::kNobody : is_of_workgroup ? With::kWave : With::kWorkgroup;
  }

 private:
  // Several to a set: which places come together differs from process to process, and is hardly ever to matter.
  static constexpr size_t kWays = 8, kSets = 1024;
  struct Visit {
    uint64_t place = 0, who = 0;
    bool stored = false;
  };
  std::vector<Visit> visits_ = std::vector<Visit>(kWays * kSets);
};

}  // namespace kernloop::softgpu
