// Inputs that repeat: the same numbers in every build.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

namespace kernloop::softgpu::corpus {

inline std::vector<uint32_t> random_words(size_t count, uint32_t seed = 1) {
  std::mt19937 source(seed);
  std::vector<uint32_t> words(count);
  for (uint32_t& word : words) word = static_cast<uint32_t>(source());
  return words;
}

inline std::vector<uint64_t> random_longs(size_t count, uint32_t seed = 1) {
  std::mt19937_64 source(seed);
  std::vector<uint64_t> words(count);
  for (uint64_t& word : words) word = source();
  return words;
}

// Spread evenly over [low, high).
template <typename Real>
std::vector<Real> random_reals(size_t count, Real low, Real high, uint32_t seed = 1) {
  std::mt19937_64 source(seed);
  std::vector<Real> values(count);
  for (Real& value : values) {
    const double part = static_cast<double>(source() >> 11) * 0x1p-53;
    value = static_cast<Real>(static_cast<double>(low) + part * (static_cast<double>(high) - static_cast<double>(low)));
  }
  return values;
}

}  // namespace kernloop::softgpu::corpus
