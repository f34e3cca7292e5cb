// TMA descriptors: 128 opaque bytes that hold a global address. Every descriptor that the app encodes is remembered, so
// that one among the arguments of a launch leads to its memory.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <vector>

#include "abi/cuda/driver.h"

namespace kernloop::capture {

class TensorMaps {
 public:
  using Key = std::array<uint64_t, 16>;
  void encoded(const cuda::CUtensorMap& map, uint64_t global_address);
  // The addresses behind the descriptors in the bytes.
  std::vector<uint64_t> addresses_in(std::span<const uint8_t> bytes) const;
  // All of them, by their bytes.
  std::map<Key, uint64_t> all() const;

 private:
  static constexpr size_t kMaxMaps = 1u << 20;
  mutable std::mutex mutex_;
  std::map<Key, uint64_t> addresses_;
};

// Descriptors in memory, whose bytes come in pieces. Knows those that were encoded before it was made.
class TensorMapScan {
 public:
  explicit TensorMapScan(const TensorMaps& maps);
  bool knows_none() const { return maps_.empty(); }
  // The bytes at this address; a descriptor may begin in one piece and end in the next.
  void feed(uint64_t address, std::span<const uint8_t> bytes, std::vector<uint64_t>* found);

 private:
  static size_t bit_of(uint64_t first_word) { return first_word * 0x9e3779b97f4a7c15ull >> 48; }
  // Searches for descriptors that begin before `end`.
  void search(uint64_t address, std::span<const uint8_t> bytes, size_t end, std::vector<uint64_t>* found) const;

  const std::map<TensorMaps::Key, uint64_t> maps_;
  std::bitset<1u << 16> first_words_;  // first words of all maps
  std::vector<uint8_t> rest_;          // the end of the piece before
  uint64_t next_ = 0;                  // the address behind it
};

}  // namespace kernloop::capture
