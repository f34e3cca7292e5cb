#include "capture/core/outside.h"

namespace kernloop::capture {

// The program may unmap memory of its own at any time: none of it, then, is left to compare.
std::optional<Error> Outside::checksums(const Allocation& of, std::vector<Checksum>* result) {
  auto refusal = device_.checksums(of, result);
  if (!refusal || !of.host_owned) return refusal;
  result->clear();
  return std::nullopt;
}

std::optional<Error> Outside::read_before() {
  before_.assign(allocations_.size(), {});
  for (size_t i = 0; i < allocations_.size(); ++i) {
    if (scope_.contains(i)) continue;
    if (auto refusal = checksums(allocations_[i], &before_[i])) return refusal;
  }
  return std::nullopt;
}

std::optional<Error> Outside::compare_after(std::vector<Allocation>* changed) {
  std::vector<Checksum> now;
  for (size_t i = 0; i < allocations_.size(); ++i) {
    if (scope_.contains(i)) continue;
    if (auto refusal = checksums(allocations_[i], &now)) return refusal;
    if (now != before_[i]) changed->push_back(allocations_[i]);
  }
  return std::nullopt;
}

}  // namespace kernloop::capture
