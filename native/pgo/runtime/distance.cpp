#include "pgo/runtime/distance.h"

#include <algorithm>

namespace kernloop::pgo::runtime {

namespace {

using Wide = unsigned __int128;

Wide sum_of(std::span<const uint64_t> counts) {
  Wide sum = 0;
  for (const uint64_t count : counts) sum += count;
  return sum;
}

// Bits to drop so that products of two sums, and of those with 20,000, fit.
unsigned excess_bits(Wide sum) {
  constexpr unsigned kBits = 56;
  unsigned bits = 0;
  while (sum >> bits >> kBits) ++bits;
  return bits;
}

}  // namespace

uint32_t distance_of(std::span<const uint64_t> a, std::span<const uint64_t> b) {
  if (a.size() != b.size()) return kFarthest;
  const unsigned cut_a = excess_bits(sum_of(a)), cut_b = excess_bits(sum_of(b));
  Wide total_a = 0, total_b = 0;
  for (size_t i = 0; i < a.size(); ++i) total_a += a[i] >> cut_a, total_b += b[i] >> cut_b;
  if (total_b == 0) return 0;
  if (total_a == 0) return kFarthest;
  Wide differences = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    const Wide left = (a[i] >> cut_a) * total_b, right = (b[i] >> cut_b) * total_a;
    differences += left > right ? left - right : right - left;
  }
  const Wide whole = 2 * total_a * total_b;
  // 2^113 times 10,000 would not fit: the quotient in two steps.
  constexpr Wide kStep = 100;
  const Wide coarse = differences * kStep / whole, rest = differences * kStep % whole;
  return static_cast<uint32_t>(coarse * kStep + rest * kStep / whole);
}

uint32_t distance_from(const CountsOfFunctions& profile, const CountsOfFunctions& sample) {
  uint32_t farthest = 0;
  for (const auto& [function, counts] : sample) {
    if (sum_of(counts) == 0) continue;
    const auto known = profile.find(function);
    farthest = std::max(farthest, known == profile.end() ? kFarthest : distance_of(known->second, counts));
  }
  return farthest;
}

}  // namespace kernloop::pgo::runtime
