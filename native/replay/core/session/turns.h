// Order in which two kernels take turns, in which neither benefits from a drifting clock.
#pragma once

#include <cstdint>
#include <vector>

namespace kernloop::replay {

// One launch: of side 0 or 1, in a round of two launches each.
struct Turn {
  uint64_t round = 0;
  int side = 0;
  bool operator==(const Turn&) const = default;
};

// `launches` of each side, in rounds of ABBA or BAAB as drawn from `seed`: within a round each side has the same mean
// position, so that a drift cancels. An odd number leaves a last round of AB or BA.
std::vector<Turn> take_turns(uint64_t launches, uint64_t seed);

}  // namespace kernloop::replay
