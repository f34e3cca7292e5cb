#include "capture/cuda/memory/address_space.h"

#include <algorithm>

namespace kernloop::capture {

void AddressSpace::reserve(uint64_t base, uint64_t size) {
  reservations_[base].size = size;
}

MappingChange AddressSpace::release(uint64_t base) {
  MappingChange change;
  const auto found = reservations_.find(base);
  if (found == reservations_.end()) return change;
  change.gone = std::move(found->second.runs);
  reservations_.erase(found);
  return change;
}

void AddressSpace::handle_imported(uint64_t handle) {
  ++imported_[handle];
}

void AddressSpace::handle_released(uint64_t handle) {
  const auto found = imported_.find(handle);
  if (found != imported_.end() && --found->second == 0) imported_.erase(found);
}

AddressSpace::Reservation* AddressSpace::reservation_of(uint64_t address) {
  auto after = reservations_.upper_bound(address);
  if (after == reservations_.begin()) return nullptr;
  auto& [base, reservation] = *std::prev(after);
  return address - base < reservation.size ? &reservation : nullptr;
}

MappingChange AddressSpace::map(uint64_t base, uint64_t size, uint64_t handle) {
  Reservation* reservation = reservation_of(base);
  if (reservation == nullptr || size == 0) return {};
  reservation->mappings[base] = {size, false, imported_.contains(handle)};
  return update(*reservation);
}

MappingChange AddressSpace::set_access(uint64_t base, uint64_t size, bool accessible) {
  Reservation* reservation = reservation_of(base);
  if (reservation == nullptr) return {};
  auto& mappings = reservation->mappings;
  // The driver takes whole mappings only.
  for (auto it = mappings.lower_bound(base); it != mappings.end() && it->first - base < size; ++it) {
    it->second.accessible = accessible;
  }
  return update(*reservation);
}

MappingChange AddressSpace::unmap(uint64_t base, uint64_t size) {
  Reservation* reservation = reservation_of(base);
  if (reservation == nullptr) return {};
  auto& mappings = reservation->mappings;
  const auto first = mappings.lower_bound(base);
  auto last = first;
  while (last != mappings.end() && last->first - base < size) ++last;
  mappings.erase(first, last);
  return update(*reservation);
}

MappingChange AddressSpace::update(Reservation& reservation) {
  std::vector<MappedRun> runs;
  for (const auto& [base, mapping] : reservation.mappings) {
    if (!mapping.accessible) continue;
    if (!runs.empty() && runs.back().base + runs.back().size == base && runs.back().shared == mapping.shared) {
      runs.back().size += mapping.size;
    } else {
      runs.push_back({base, mapping.size, mapping.shared});
    }
  }
  MappingChange change;
  const auto missing_in = [](const std::vector<MappedRun>& list) {
    return [&list](const MappedRun& run) { return std::find(list.begin(), list.end(), run) == list.end(); };
  };
  // Runs are few beside mappings: neighbours are merged.
  std::copy_if(reservation.runs.begin(), reservation.runs.end(), std::back_inserter(change.gone), missing_in(runs));
  std::copy_if(runs.begin(), runs.end(), std::back_inserter(change.added), missing_in(reservation.runs));
  reservation.runs = std::move(runs);
  return change;
}

}  // namespace kernloop::capture
