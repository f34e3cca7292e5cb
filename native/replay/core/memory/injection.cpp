#include "replay/core/memory/injection.h"

#include <algorithm>
#include <random>

#include "verdict/compare.h"
#include "verdict/overwritten.h"

namespace kernloop::replay {

namespace {

constexpr size_t kMissedListed = 16;

class Discard final : public EventSink {
 public:
  void emit(const archive::Json&) override {}
};

bool contains(const std::vector<AddressRange>& ranges, uint64_t offset) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [&](const AddressRange& range) { return offset >= range.base && offset < range.end(); });
}

// One of the bytes of the ranges.
uint64_t byte_of(const std::vector<AddressRange>& ranges, uint64_t random) {
  uint64_t left = random % total_bytes(ranges);
  auto range = ranges.begin();
  for (; left >= range->size; ++range) left -= range->size;
  return range->base + left;
}

// Bytes judged as numbers, or not at all, are not exact: one flipped low bit is no error there.
bool is_exact(const Target& target, const std::vector<VaryingRange>& varying, uint64_t offset) {
  if (contains(target.ignored, offset) || contains(target.dropped, offset)) return false;
  return std::none_of(varying.begin(), varying.end(), [&](const VaryingRange& range) {
    return range.is_variable == target.is_variable && range.target == target.name && offset >= range.offset &&
           offset < range.offset + range.bytes();
  });
}

}  // namespace

Result<Injection> inject_bit_flips(DeviceReplay& device, ContentCache& cache, const std::vector<Target>& targets,
                                   const std::vector<AddressRange>& padding, uint8_t poison,
                                   const std::vector<VaryingRange>& varying, uint64_t count, uint64_t seed) {
  std::vector<const Target*> all, changed;
  for (const Target& target : targets) {
    if (target.size == 0) continue;
    all.push_back(&target);
    auto bytes = count_changed_bytes(cache, target.pre, target.post, target.ignored);
    if (!bytes) return bytes.error();
    if (*bytes > 0 || !target.overwritten.empty()) changed.push_back(&target);
  }
  std::mt19937_64 random(seed);
  Discard discard;
  Injection injection;
  // All ranges may be compared otherwise than byte for byte: the attempts are bounded.
  for (uint64_t attempt = 0; injection.flips < count && attempt < 64 * (count + 16); ++attempt) {
    const auto& from = attempt % 2 == 0 && !changed.empty() ? changed : all;
    if (from.empty()) break;
    const Target& target = *from[random() % from.size()];
    // If a target began with other values in its overwritten bytes, half of its flips go there.
    const bool is_overwritten = !target.overwritten.empty() && random() % 2 == 0;
    const uint64_t offset = is_overwritten ? byte_of(target.overwritten, random()) : random() % target.size;
    const auto bit = static_cast<unsigned>(random() % 8);
    if (!is_exact(target, varying, offset)) continue;

    uint8_t byte = 0;
    if (auto read = device.read(target.address + offset, {&byte, 1}); !read) return read.error();
    const auto flipped = static_cast<uint8_t>(byte ^ (1u << bit));
    if (auto written = device.write(target.address + offset, {&flipped, 1}); !written) return written.error();
    auto compared = compare_with_post(device, cache, targets, padding, poison, varying, discard);
    if (auto written = device.write(target.address + offset, {&byte, 1}); !written) return written.error();
    if (!compared) return compared.error();

    ++injection.flips;
    if (is_overwritten) ++injection.overwritten;
    if (compared->differing_bytes > 0) {
      ++injection.detected;
    } else if (injection.missed.size() < kMissedListed) {
      injection.missed.push_back({{target.kind(), target.name}, {"offset", offset}, {"bit", bit}});
    }
  }
  if (injection.flips == 0) {
    return Error{"INJECTION_EMPTY", "no byte of this capture is compared byte for byte",
                 "replay it without --inject-bit-flips"};
  }
  return injection;
}

}  // namespace kernloop::replay
