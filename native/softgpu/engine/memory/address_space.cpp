#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <vector>

#include "softgpu/engine/memory/address_space.h"
#include "softgpu/engine/memory/byte_shadow.h"

namespace kernloop::softgpu {

struct AddressSpace::State {
  mutable std::mutex mutex;
  std::map<uint64_t, Mapping> mappings;  // by base; they never overlap
  // Rebuilt on demand, so that a burst of allocations costs one copy.
  mutable std::shared_ptr<const std::vector<Mapping>> snapshot;

  uint64_t next_reader = 1;
  std::set<uint64_t> readers;
  // Unmapped memory, by the number of the next reader at that time: earlier readers may still reach it.
  std::multimap<uint64_t, std::function<void()>> unreleased;

  // Newest first, a bounded number of them.
  std::deque<Freed> freed;

  void carve_out(uint64_t base, uint64_t end);
  void remember_freed(uint64_t base, uint64_t end);
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
    if (old.base < base)
      mappings[old.base] = Mapping{old.base, base - old.base, old.access, old.label, old.used, old.written};
    if (old_end > end) mappings[end] = Mapping{end, old_end - end, old.access, old.label, 0, old.written};
  }
}

void AddressSpace::State::remember_freed(uint64_t base, uint64_t end) {
  constexpr size_t kMost = 1024;
  for (auto it = mappings.lower_bound(base); it != mappings.end() && it->first < end; ++it) {
    freed.push_front(Freed{it->second.base, it->second.size, it->second.label});
  }
  if (freed.size() > kMost) freed.resize(kMost);
}

AddressSpace::AddressSpace() : state_(std::make_unique<State>()) {}
AddressSpace::~AddressSpace() = default;

void AddressSpace::map(uint64_t base, uint64_t size, Access access, std::string label) {
  map(Mapping{base, size, access, std::move(label)});
}

void AddressSpace::map(Mapping mapping) {
  const uint64_t base = mapping.base, end = base + mapping.size;
  if (end <= base) return;
  std::lock_guard lock(state_->mutex);
  state_->carve_out(base, end);
  state_->mappings[base] = std::move(mapping);
  state_->snapshot.reset();
}

std::optional<AddressSpace::Freed> AddressSpace::freed_at(uint64_t address) const {
  std::lock_guard lock(state_->mutex);
  for (const Freed& freed : state_->freed)
    if (address - freed.base < freed.size) return freed;
  return std::nullopt;
}

void AddressSpace::mark_written(uint64_t address, uint64_t bytes) const {
  const auto mappings = snapshot();
  for (const Mapping& mapping : *mappings)
    if (mapping.written && mapping.base < address + bytes && address < mapping.base + mapping.size)
      mapping.written->mark(address, bytes);
}

void AddressSpace::unmap(uint64_t base, uint64_t size, std::function<void()> release) {
  if (size != 0 && base + size >= base) {
    std::lock_guard lock(state_->mutex);
    state_->remember_freed(base, base + size);
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
