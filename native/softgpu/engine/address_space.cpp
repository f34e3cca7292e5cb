#include <map>
#include <mutex>
#include <set>
#include <vector>

#include "softgpu/engine/engine.h"

namespace kernloop::softgpu {

struct AddressSpace::State {
  mutable std::mutex mutex;
  std::map<uint64_t, Mapping> mappings;  // by base; they never overlap
  // Rebuilt on demand, so that a burst of allocations costs one copy.
  mutable std::shared_ptr<const std::vector<Mapping>> snapshot;

  uint64_t next_reader = 1;
  std::set<uint64_t> readers;
  // Memory that is unmapped, by the number that the next reader had then: those before it may still reach it.
  std::multimap<uint64_t, std::function<void()>> unreleased;

  void carve_out(uint64_t base, uint64_t end);
};

void AddressSpace::State::carve_out(uint64_t base, uint64_t end) {
  auto it = mappings.upper_bound(base);
  if (it != mappings.begin()) --it;
  while (it != mappings.end() && it->first < end) {
    const Mapping old = it->second;
    const uint64_t old_end = old.base + old.size;
    if (old_end <= base) {
      ++it;
      continue;
    }
    it = mappings.erase(it);
    if (old.base < base) mappings[old.base] = Mapping{old.base, base - old.base, old.access, old.label};
    if (old_end > end) mappings[end] = Mapping{end, old_end - end, old.access, old.label};
  }
}

AddressSpace::AddressSpace() : state_(std::make_unique<State>()) {}
AddressSpace::~AddressSpace() = default;

void AddressSpace::map(uint64_t base, uint64_t size, Access access, std::string label) {
  if (size == 0 || base + size < base) return;
  std::lock_guard lock(state_->mutex);
  state_->carve_out(base, base + size);
  state_->mappings[base] = Mapping{base, size, access, std::move(label)};
  state_->snapshot.reset();
}

void AddressSpace::unmap(uint64_t base, uint64_t size, std::function<void()> release) {
  if (size != 0 && base + size >= base) {
    std::lock_guard lock(state_->mutex);
    state_->carve_out(base, base + size);
    state_->snapshot.reset();
    if (release && !state_->readers.empty()) {
      state_->unreleased.emplace(state_->next_reader, std::move(release));
      return;
    }
  }
  if (release) release();
}

uint64_t AddressSpace::begin_reading() {
  std::lock_guard lock(state_->mutex);
  return *state_->readers.insert(state_->next_reader++).first;
}

void AddressSpace::end_reading(uint64_t reader) {
  std::vector<std::function<void()>> due;
  {
    std::lock_guard lock(state_->mutex);
    state_->readers.erase(reader);
    const uint64_t oldest = state_->readers.empty() ? UINT64_MAX : *state_->readers.begin();
    const auto end = state_->unreleased.upper_bound(oldest);
    for (auto it = state_->unreleased.begin(); it != end; ++it) due.push_back(std::move(it->second));
    state_->unreleased.erase(state_->unreleased.begin(), end);
  }
  for (const auto& release : due) release();
}

AddressSpace::Reader::Reader(AddressSpace& space) : space_(space), number_(space.begin_reading()) {}
AddressSpace::Reader::~Reader() {
  space_.end_reading(number_);
}

std::shared_ptr<const std::vector<AddressSpace::Mapping>> AddressSpace::snapshot() const {
  std::lock_guard lock(state_->mutex);
  if (!state_->snapshot) {
    auto copy = std::make_shared<std::vector<Mapping>>();
    copy->reserve(state_->mappings.size());
    for (const auto& [base, mapping] : state_->mappings) copy->push_back(mapping);
    state_->snapshot = std::move(copy);
  }
  return state_->snapshot;
}

}  // namespace kernloop::softgpu
