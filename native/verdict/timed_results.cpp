#include "verdict/timed_results.h"

#include <algorithm>

#include "verdict/overwritten.h"

namespace kernloop::replay {

namespace {

uint64_t wrong_bytes(const Comparison& compared) {
  return compared.differing_bytes + compared.undecided_bytes;
}

}  // namespace

TimedResults::TimedResults(Memory& memory, const std::vector<Target>& targets) : memory_(memory) {
  for (const Target& target : targets) {
    for (const AddressRange& kept : without(target.kept({0, target.size}), target.ignored))
      ranges_.push_back({target.address + kept.base, kept.size});
  }
}

void TimedResults::count(uint64_t differing_bytes) {
  ++launches_;
  if (differing_bytes > 0) ++wrong_launches_;
  differing_bytes_ = std::max(differing_bytes_, differing_bytes);
}

Status TimedResults::begin(const Comparison& compared) {
  auto digest = memory_.digest(ranges_);
  if (!digest) return digest.error();
  first_ = *digest;
  first_differing_ = wrong_bytes(compared);
  count(first_differing_);
  return Unit{};
}

Status TimedResults::check(const std::function<Result<Comparison>()>& compare) {
  const auto digest = memory_.digest(ranges_);
  if (!digest) return digest.error();
  if (*digest == first_) return count(first_differing_), Unit{};
  const auto compared = compare();
  if (!compared) return compared.error();
  count(wrong_bytes(*compared));
  return Unit{};
}

}  // namespace kernloop::replay
