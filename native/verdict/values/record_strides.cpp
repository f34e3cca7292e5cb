#include "verdict/values/record_strides.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <set>

#include "verdict/values/record_multiset.h"

namespace kernloop::replay {

namespace {

constexpr uint64_t kBase = 0x9e3779b97f4a7c15ull | 1;

uint64_t mix(uint64_t x) {
  x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93ull;
  x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93ull;
  return x ^ (x >> 32);
}

// Polynomials over the units before each one, so that the hash of any window is a difference of two.
std::vector<uint64_t> prefixes(const Buffer& bytes, uint64_t unit) {
  std::vector<uint64_t> sums(bytes.size() / unit + 1, 0);
  for (size_t i = 0; i + 1 < sums.size(); ++i) {
    uint64_t value = 0;
    std::memcpy(&value, bytes.data() + i * unit, unit);
    sums[i + 1] = sums[i] * kBase + mix(value + 1);
  }
  return sums;
}

// All places where records of so many units may begin, as remainders.
class Candidate {
 public:
  Candidate(uint64_t units, uint64_t begin, uint64_t end, uint64_t total) : units_(units), begin_(begin), end_(end) {
    for (uint64_t i = 0; i < units; ++i) power_ *= kBase;
    for (uint64_t phase = 0; phase < units; ++phase) {
      const bool fits = first(phase) >= 0 && static_cast<uint64_t>(first(phase)) + count(phase) * units <= total;
      if (fits) phases_.push_back(phase);
    }
  }

  // Drops the offsets at which the two do not hold the same records.
  void test(const std::vector<uint64_t>& post, const std::vector<uint64_t>& replay) {
    std::vector<uint64_t> difference(units_, 0);
    const uint64_t from = begin_ >= units_ - 1 ? begin_ - (units_ - 1) : 0;
    const uint64_t to = std::min<uint64_t>(end_, post.size() - units_);
    uint64_t phase = from % units_;
    for (uint64_t at = from; at < to; ++at) {
      difference[phase] += mix(replay[at + units_] - replay[at] * power_) - mix(post[at + units_] - post[at] * power_);
      if (++phase == units_) phase = 0;
    }
    std::erase_if(phases_, [&](uint64_t one) { return difference[one] != 0; });
  }

  bool is_refuted() const { return phases_.empty(); }

  // In units.
  Stride stride(uint64_t preferred) const {
    const bool has = std::find(phases_.begin(), phases_.end(), preferred) != phases_.end();
    const uint64_t phase = has ? preferred : phases_.front();
    return {units_, static_cast<uint64_t>(first(phase)), count(phase)};
  }

 private:
  // The record that holds the first differing unit; negative if it would begin before the bytes.
  int64_t first(uint64_t phase) const {
    const uint64_t into = (begin_ + units_ - phase) % units_;
    return static_cast<int64_t>(begin_) - static_cast<int64_t>(into);
  }
  uint64_t count(uint64_t phase) const {
    return (static_cast<uint64_t>(static_cast<int64_t>(end_) - first(phase)) + units_ - 1) / units_;
  }

  uint64_t units_, begin_, end_, power_ = 1;
  std::vector<uint64_t> phases_;
};

}  // namespace

std::vector<Stride> consistent_strides(const Arrangements& seen, uint64_t unit, int64_t origin) {
  const uint64_t total = seen.samples.front().size() / unit;
  std::vector<Candidate> candidates;
  const uint64_t most = std::min(kLongestRecord / unit, total);
  for (uint64_t units = 1; units <= most; ++units)
    candidates.emplace_back(units, seen.begin / unit, seen.end / unit, total);
  const std::vector<uint64_t> post = prefixes(seen.samples.front(), unit);
  std::vector<bool> refuted(candidates.size(), false);
  for (size_t replay = 1; replay < seen.samples.size(); ++replay) {
    const std::vector<uint64_t> sums = prefixes(seen.samples[replay], unit);
    for (size_t i = 0; i < candidates.size(); ++i) {
      if (!refuted[i]) candidates[i].test(post, sums);
      refuted[i] = candidates[i].is_refuted();
    }
  }
  std::vector<Stride> strides;
  for (size_t i = 0; i < candidates.size(); ++i) {
    if (candidates[i].is_refuted()) continue;
    const int64_t bytes = static_cast<int64_t>((i + 1) * unit);
    const uint64_t phase = static_cast<uint64_t>((origin % bytes + bytes) % bytes);
    // An origin between two units is no such place.
    Stride stride = candidates[i].stride(phase % unit == 0 ? phase / unit : i + 1);
    strides.push_back({stride.bytes * unit, stride.begin * unit, stride.count});
  }
  return strides;
}

std::vector<Stride> longest_of(const std::vector<Stride>& strides) {
  std::vector<Stride> longest;
  for (const Stride& stride : strides) {
    const bool is_part = std::any_of(strides.begin(), strides.end(), [&](const Stride& other) {
      return other.bytes > stride.bytes && other.bytes % stride.bytes == 0;
    });
    if (!is_part) longest.push_back(stride);
  }
  return longest;
}

size_t distinct_arrangements(const Arrangements& seen) {
  std::set<std::pair<uint64_t, uint64_t>> prints;
  for (const Buffer& sample : seen.samples) {
    const Fingerprint print = fingerprint(sample);
    prints.insert({print.a, print.b});
  }
  return prints.size();
}

}  // namespace kernloop::replay
