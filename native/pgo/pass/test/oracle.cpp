#include "oracle.h"

#include <algorithm>

namespace kernloop::pgo_pass {

HostWave::HostWave(Expected& expected, const Launch& launch, unsigned size, const std::array<unsigned, 3>& workgroup,
                   unsigned first)
    : launch(launch), workgroup(workgroup), expected_(expected), size_(size), first_(first) {
  const unsigned lanes = std::min(size, launch.block - first);
  all_ = lanes == 64 ? ~Mask{0} : (Mask{1} << lanes) - 1;
}

void HostWave::add(Visits& visits, Mask mask, Mask before) const {
  const auto lanes = static_cast<unsigned>(std::popcount(mask));
  visits.lanes += lanes;
  visits.waves += 1;
  if (mask == before) visits.uniform += lanes;
  if (lanes == size_) visits.full += lanes;
}

void HostWave::at(unsigned block, Mask mask, Mask before) {
  Visits& visits = expected_[function_].blocks[block];
  if (mask != 0) add(visits, mask, before);
}

void HostWave::laneAt(unsigned block) {
  expected_[function_].lanes_only = true;
  ++expected_[function_].blocks[block].lanes;
}

void HostWave::select(unsigned order, Mask active, const std::function<bool(unsigned)>& condition) {
  Visits& visits = expected_[function_].selects[order];
  const Mask taken = where(active, condition);
  if (taken != 0) add(visits, taken, active);
}

Mask HostWave::where(Mask mask, const std::function<bool(unsigned)>& condition) const {
  Mask result = 0;
  for (unsigned lane = 0; lane < size_; ++lane)
    if ((mask >> lane & 1) != 0 && condition(lane)) result |= Mask{1} << lane;
  return result;
}

const std::vector<Launch>& launchesToCount() {
  static const std::vector<Launch> launches = {
      {{5, 1, 1}, 64, 300, 5}, {{6, 1, 1}, 48, 280, 3}, {{4, 4, 3}, 64, 250, 1}, {{3, 2, 1}, 112, 331, 7}};
  return launches;
}

std::string inWords(const Oracle& oracle, const Launch& launch) {
  return oracle.kernel + " in groups of " + std::to_string(launch.block) + ", grid " + std::to_string(launch.grid[0]) +
         "x" + std::to_string(launch.grid[1]) + "x" + std::to_string(launch.grid[2]);
}

bool isChosen(uint32_t x, uint32_t y, uint32_t z, unsigned one_in) {
  const uint32_t hash = (x + y * 0x9E3779B1u + z * 0x85EBCA77u) * 0x9E3779B1u >> 16;
  return hash % one_in == 0;
}

void expect(Expected& expected, const Oracle& oracle, const Launch& launch, unsigned wave_size,
            const std::function<bool(const std::array<unsigned, 3>&)>& counts) {
  for (unsigned z = 0; z < launch.grid[2]; ++z)
    for (unsigned y = 0; y < launch.grid[1]; ++y)
      for (unsigned x = 0; x < launch.grid[0]; ++x) {
        if (!counts({x, y, z})) continue;
        for (unsigned first = 0; first < launch.block; first += wave_size) {
          HostWave wave(expected, launch, wave_size, {x, y, z}, first);
          wave.in(oracle.kernel);
          oracle.run(wave);
        }
      }
}

}  // namespace kernloop::pgo_pass
