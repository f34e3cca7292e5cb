// Values put before a launch into bytes whose content the captured dispatch does not read (overwritten.h).
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "verdict/target.h"

namespace kernloop::replay {

// kCaptured: the app's values. Each byte differs from the app's result under kHuge or kOpposite at least, which exposes
// unwritten bytes. The patterns also expose variants that depend on the value they find:
// - Most words are huge and positive under one of these two and huge and negative under the other (f16, bf16, f32, f64,
//   and signed integers): a maximum shows under one, a minimum under the other. The first four of each range are always
//   such; of others one of sixteen is a NaN under one of the two, one a small odd number, two are 0 and all bits set.
// - Under kZeros every byte is 0: a minimum of unsigned numbers shows, and so does code that expects "anything but 0".
// To find reads, kAbove and kBelow are the app's result, each word a little greater or less, so that every byte differs
// and what compares with it notices; under kOnes every bit is set.
enum class Fill : uint8_t { kCaptured, kHuge, kOpposite, kZeros, kAbove, kBelow, kOnes };

std::optional<Fill> fill_of(std::string_view name);
std::string_view name_of(Fill fill);

// Writes `fill` over the overwritten bytes among `bytes`, which are at `offset` of the target. `post`: the app's result
// there.
void poison(Fill fill, const Target& target, uint64_t offset, std::span<uint8_t> bytes, Bytes post);
inline bool needs_post(Fill fill) {
  return fill == Fill::kAbove || fill == Fill::kBelow;
}

// The same on the memory, which holds *pre* now.
Status poison_overwritten(Fill fill, Memory& memory, ContentCache& cache, const std::vector<Target>& targets);

// Counts overwritten bytes that still hold `fill` and not the app's result: nobody wrote them.
Result<uint64_t> count_unwritten(Fill fill, Memory& memory, ContentCache& cache, const std::vector<Target>& targets);

}  // namespace kernloop::replay
