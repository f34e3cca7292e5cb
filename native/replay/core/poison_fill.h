// What is put where the captured dispatch does not care what memory held (overwritten.h), before a launch.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "replay/core/target.h"

namespace kernloop::replay {

// kCaptured: what the app had there. Of the others, each byte differs from the app's result under kHuge or kOpposite at
// least, so that what is not written shows. For what a variant might do by the value that it finds:
// - Most words are huge and positive under one of these two and huge and negative under the other (f16, bf16, f32, f64,
//   and signed integers): a maximum shows under one, a minimum under the other. The first four of each range are always
//   such; of others one of sixteen is a NaN under one of the two, one a small odd number, two are 0 and all bits set.
// - Under kZeros every byte is 0: a minimum of unsigned numbers shows, and who hopes for "anything but 0".
// Of use to who looks for reads: kAbove and kBelow are the app's result, each word a little greater or less, so that
// every byte differs and what compares with it notices; under kOnes every bit is set.
enum class Fill : uint8_t { kCaptured, kHuge, kOpposite, kZeros, kAbove, kBelow, kOnes };

std::optional<Fill> fill_of(std::string_view name);
std::string_view name_of(Fill fill);

// Writes `fill` over what of `bytes`, which lie at `offset` in the target, the dispatch overwrites. `post`: what the
// app left there.
void poison(Fill fill, const Target& target, uint64_t offset, std::span<uint8_t> bytes, Bytes post);
inline bool needs_post(Fill fill) {
  return fill == Fill::kAbove || fill == Fill::kBelow;
}

// The same on the device, which holds *pre* now.
Status poison_overwritten(Fill fill, DeviceReplay& device, ContentCache& cache, const std::vector<Target>& targets);

// Of overwritten bytes, those that still hold `fill`, and not what the app left there: nobody wrote them.
Result<uint64_t> count_unwritten(Fill fill, DeviceReplay& device, ContentCache& cache,
                                 const std::vector<Target>& targets);

}  // namespace kernloop::replay
