#include "capture/cuda/memory/tensor_maps.h"

#include <algorithm>
#include <cstring>

namespace kernloop::capture {

void TensorMaps::encoded(const cuda::CUtensorMap& map, uint64_t global_address) {
  Key key;
  std::memcpy(key.data(), &map, sizeof key);
  std::lock_guard lock(mutex_);
  // Programs encode few, or the same again and again; one that does neither starts anew.
  if (addresses_.size() >= kMaxMaps) addresses_.clear();
  addresses_[key] = global_address;
}

std::vector<uint64_t> TensorMaps::addresses_in(std::span<const uint8_t> bytes) const {
  std::vector<uint64_t> found;
  std::lock_guard lock(mutex_);
  if (addresses_.empty()) return found;
  Key key;
  // The hardware wants them aligned to 64 bytes, but a piece of the arguments may start anywhere.
  for (size_t at = 0; at + sizeof key <= bytes.size(); at += 8) {
    std::memcpy(key.data(), bytes.data() + at, sizeof key);
    const auto known = addresses_.find(key);
    if (known != addresses_.end()) found.push_back(known->second);
  }
  return found;
}

std::map<TensorMaps::Key, uint64_t> TensorMaps::all() const {
  std::lock_guard lock(mutex_);
  return addresses_;
}

TensorMapScan::TensorMapScan(const TensorMaps& maps) : maps_(maps.all()) {
  for (const auto& [key, address] : maps_) first_words_.set(bit_of(key[0]));
}

void TensorMapScan::search(uint64_t address, std::span<const uint8_t> bytes, size_t end,
                           std::vector<uint64_t>* found) const {
  constexpr uint64_t kAlignment = 64;  // required by the hardware
  TensorMaps::Key key;
  for (size_t at = -address % kAlignment; at < end && at + sizeof key <= bytes.size(); at += kAlignment) {
    std::memcpy(key.data(), bytes.data() + at, sizeof key[0]);
    if (!first_words_[bit_of(key[0])]) continue;
    std::memcpy(key.data(), bytes.data() + at, sizeof key);
    const auto known = maps_.find(key);
    if (known != maps_.end()) found->push_back(known->second);
  }
}

void TensorMapScan::feed(uint64_t address, std::span<const uint8_t> bytes, std::vector<uint64_t>* found) {
  if (maps_.empty()) return;
  constexpr size_t kPart = sizeof(TensorMaps::Key) - 1;  // all of a map that may be in one piece without the whole
  if (address != next_) rest_.clear();
  const size_t begun = rest_.size();
  const auto part = bytes.first(std::min(kPart, bytes.size()));
  rest_.insert(rest_.end(), part.begin(), part.end());
  search(address - begun, rest_, begun, found);
  search(address, bytes, bytes.size(), found);
  if (bytes.size() >= kPart) rest_.assign(bytes.end() - static_cast<std::ptrdiff_t>(kPart), bytes.end());
  if (rest_.size() > kPart) rest_.erase(rest_.begin(), rest_.end() - static_cast<std::ptrdiff_t>(kPart));
  next_ = address + bytes.size();
}

}  // namespace kernloop::capture
