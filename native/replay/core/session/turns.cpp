#include "replay/core/session/turns.h"

namespace kernloop::replay {

namespace {

// SplitMix64 (Steele, Lea, Flood 2014): the same order for the same seed everywhere.
uint64_t next_random(uint64_t& state) {
  uint64_t z = state += 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

}  // namespace

std::vector<Turn> take_turns(uint64_t launches, uint64_t seed) {
  std::vector<Turn> turns;
  uint64_t state = seed;
  for (uint64_t done = 0, round = 0; done < launches; done += 2, ++round) {
    const int first = static_cast<int>(next_random(state) >> 63);
    turns.insert(turns.end(), {{round, first}, {round, 1 - first}});
    if (done + 1 < launches) turns.insert(turns.end(), {{round, 1 - first}, {round, first}});
  }
  return turns;
}

}  // namespace kernloop::replay
