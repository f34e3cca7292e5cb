// Distance of two runs of a program: the total variation distance of their counters. A function's counts are shares of
// its sum; half the sum of the differences of the shares is its distance, 0 (the same) to 1 (nothing in common). A
// program's distance is that of its farthest function.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

namespace kernloop::pgo::runtime {

inline constexpr uint32_t kFarthest = 10000;  // represents 1

using CountsOfFunctions = std::map<std::pair<uint64_t, uint64_t>, std::vector<uint64_t>>;  // by name and hash

// In 10,000ths, rounded down, in integers: the same on every machine.
uint32_t distance_of(std::span<const uint64_t> a, std::span<const uint64_t> b);

// Functions that `sample` did not execute do not count; one that only `sample` executed is as far as possible.
uint32_t distance_from(const CountsOfFunctions& profile, const CountsOfFunctions& sample);

}  // namespace kernloop::pgo::runtime
