#include "verdict/known_order.h"

#include <algorithm>
#include <map>

namespace kernloop::replay {

namespace {

struct Surroundings {
  uint64_t before = 0, behind = 0;                              // records that are needed
  uint64_t most_before = UINT64_MAX, most_behind = UINT64_MAX;  // records that the targets have room for
};

bool is_in(const Target& target, const VaryingRange& range) {
  return target.is_variable == range.is_variable && target.name == range.target;
}

bool touch(const VaryingRange& a, const VaryingRange& b) {
  return a.is_variable == b.is_variable && a.target == b.target && a.offset <= b.offset + b.bytes() &&
         b.offset <= a.offset + a.bytes();
}

uint64_t records_in(uint64_t bytes, uint64_t record) {
  return (bytes + record - 1) / record;
}

}  // namespace

std::vector<VaryingRange> in_known_order(const std::vector<VaryingRange>& now, const std::vector<VaryingRange>& known,
                                         const std::vector<Target>& targets) {
  std::vector<VaryingRange> ranges;
  for (const VaryingRange& range : known) {
    const FreeElements* elements = range.free_elements();
    if (elements && elements->records) ranges.push_back(range);
  }
  if (ranges.empty()) return ranges;
  // Arrays of one order are judged together: with as many records around each.
  std::map<uint64_t, Surroundings> around;
  for (const VaryingRange& range : ranges) {
    const auto target = std::find_if(targets.begin(), targets.end(), [&](const Target& t) { return is_in(t, range); });
    if (target == targets.end()) return {};
    for (const RecordEntry& entry : *range.free_elements()->records) {
      if (entry.bytes == 0 || entry.offset + entry.bytes * entry.count > target->size) return {};
      Surroundings& needed = around[entry.order];
      needed.before = std::max(needed.before, entry.before);
      needed.behind = std::max(needed.behind, entry.behind);
      needed.most_before = std::min(needed.most_before, entry.offset / entry.bytes);
      needed.most_behind = std::min(needed.most_behind, (target->size - entry.offset) / entry.bytes - entry.count);
      for (const VaryingRange& one : now) {
        if (!one.free_elements() || !touch(one, range)) continue;
        const uint64_t end = entry.offset + entry.bytes * entry.count, its_end = one.offset + one.bytes();
        if (one.offset < entry.offset)
          needed.before = std::max(needed.before, records_in(entry.offset - one.offset, entry.bytes));
        if (its_end > end) needed.behind = std::max(needed.behind, records_in(its_end - end, entry.bytes));
      }
    }
  }
  for (VaryingRange& range : ranges) {
    for (RecordEntry& entry : *range.free_elements()->records) {
      const Surroundings& needed = around[entry.order];
      entry.before = std::min(needed.before, needed.most_before);
      entry.behind = std::min(needed.behind, needed.most_behind);
    }
  }
  const size_t in_order = ranges.size();
  for (const VaryingRange& one : now) {
    const bool is_replaced =
        std::any_of(ranges.begin(), ranges.begin() + static_cast<ptrdiff_t>(in_order),
                    [&](const VaryingRange& range) { return one.free_elements() && touch(one, range); });
    if (!is_replaced) ranges.push_back(one);
  }
  return ranges;
}

}  // namespace kernloop::replay
