#include "replay/core/untouched.h"

#include <algorithm>
#include <cstring>

#include "replay/core/overwritten.h"
#include "replay/core/poison_fill.h"

namespace kernloop::replay {

namespace {

// A store that goes astray lies beside what the kernel writes; more would cost time in every replay.
constexpr uint64_t kBeside = 64u << 10;

// Both ends of a range, or all of a short one.
void add_ends(const AddressRange& range, std::vector<AddressRange>& ends) {
  if (range.size <= 2 * kBeside) return ends.push_back(range);
  ends.push_back({range.base, kBeside});
  ends.push_back({range.end() - kBeside, kBeside});
}

// Of the untouched bytes in a chunk: offsets in the target.
std::vector<AddressRange> untouched_in(const Target& target, const AddressRange& chunk) {
  std::vector<AddressRange> found;
  auto range = std::lower_bound(target.untouched.begin(), target.untouched.end(), chunk.base,
                                [](const AddressRange& r, uint64_t at) { return r.end() <= at; });
  for (; range != target.untouched.end() && range->base < chunk.end(); ++range) {
    const uint64_t from = std::max(range->base, chunk.base), to = std::min(range->end(), chunk.end());
    found.push_back({from, to - from});
  }
  return found;
}

// Writes into `bytes`, which lie at `offset`, what a disturbed launch begins with: each byte of `ranges` differs from
// what the app had, and no number by much.
void disturb(const Target& target, std::vector<AddressRange> ranges, uint64_t offset, Bytes app,
             std::span<uint8_t> bytes) {
  Target disturbed = {target.is_variable, target.name, target.address, target.size, {}, {}};
  disturbed.overwritten = std::move(ranges);
  poison(Fill::kAbove, disturbed, offset, bytes, app);
}

// Calls `visit(ranges, span, app, actual)` for each chunk with untouched bytes: `span` around these, what the app had
// in it, and what the device holds, which is written back.
template <typename Visit>
Status change_untouched(DeviceReplay& device, ContentCache& cache, const Target& target, const Visit& visit) {
  if (target.untouched.empty()) return Unit{};
  const uint64_t chunk_bytes = cache.reader().manifest().chunk_bytes;
  Buffer app, actual;
  for (uint64_t offset = 0; offset < target.size; offset += chunk_bytes) {
    const auto ranges = untouched_in(target, {offset, std::min(chunk_bytes, target.size - offset)});
    if (ranges.empty()) continue;
    const AddressRange span = {ranges.front().base, ranges.back().end() - ranges.front().base};
    app.resize(span.size);
    if (auto read = read_content(cache, target.pre, span.base, app); !read) return read;
    actual = app;
    if (auto read = read_kept(device, target, span.base, actual); !read) return read;
    visit(ranges, span, Bytes(app), std::span<uint8_t>(actual));
    if (auto written = write_kept(device, target, span.base, actual); !written) return written;
  }
  return Unit{};
}

}  // namespace

std::vector<std::vector<AddressRange>> untouched_by(const std::vector<Access>& accesses,
                                                    const std::vector<Target>& targets) {
  std::vector<AddressRange> touched;
  if (accesses.empty()) return std::vector<std::vector<AddressRange>>(targets.size());  // not recorded
  for (const Access& access : accesses) touched.push_back({access.base, access.size});
  touched = merge_ranges(std::move(touched));
  std::vector<std::vector<AddressRange>> found;
  for (const Target& target : targets) {
    std::vector<AddressRange>& ends = found.emplace_back();
    for (AddressRange range : without({{target.address, target.size}}, touched)) {
      range.base -= target.address;
      add_ends(range, ends);
    }
    ends = without(ends, target.dropped);
  }
  return found;
}

void leave_unjudged_untouched(const std::vector<VaryingRange>& varying, std::vector<Target>& targets) {
  for (Target& target : targets) {
    std::vector<AddressRange> unjudged = target.ignored;
    for (const VaryingRange& range : varying) {
      if (range.is_variable == target.is_variable && range.target == target.name)
        unjudged.push_back({range.offset, range.bytes()});
    }
    target.untouched = without(target.untouched, merge_ranges(std::move(unjudged)));
  }
}

Status disturb_untouched(DeviceReplay& device, ContentCache& cache, const std::vector<Target>& targets) {
  for (const Target& target : targets) {
    auto changed = change_untouched(
        device, cache, target, [&](const auto& ranges, const AddressRange& span, Bytes app, std::span<uint8_t> actual) {
          disturb(target, ranges, span.base, app, actual);
        });
    if (!changed) return changed;
  }
  return Unit{};
}

Result<uint64_t> settle_untouched(DeviceReplay& device, ContentCache& cache, const std::vector<Target>& targets,
                                  EventSink& sink) {
  uint64_t all = 0;
  Buffer expected;
  for (const Target& target : targets) {
    uint64_t bytes = 0, first = 0;
    auto changed = change_untouched(
        device, cache, target, [&](const auto& ranges, const AddressRange& span, Bytes app, std::span<uint8_t> actual) {
          expected.assign(app.begin(), app.end());
          disturb(target, ranges, span.base, app, expected);
          for (const AddressRange& range : ranges) {
            const uint64_t at = range.base - span.base;
            for (uint64_t i = at; i < at + range.size; ++i) {
              if (actual[i] != expected[i] && bytes++ == 0) first = span.base + i;
            }
            std::memcpy(&actual[at], &app[at], range.size);
          }
        });
    if (!changed) return changed.error();
    if (bytes > 0) sink.emit({{"event", "stray"}, {target.kind(), target.name}, {"offset", first}, {"bytes", bytes}});
    all += bytes;
  }
  return all;
}

}  // namespace kernloop::replay
