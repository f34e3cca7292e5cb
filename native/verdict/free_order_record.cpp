// Writes a calibration's record of arrays in free order.
#include <algorithm>

#include "verdict/claimed_spans.h"
#include "verdict/free_order.h"

namespace kernloop::replay {

namespace {

// Counts the records in front and behind that the dispatch changed and whose parts are all within their segments.
Status find_surroundings(const std::vector<FreeArray>& arrays, const ContentSource& before, const ContentSource& after,
                         FoundLayout& found) {
  const RecordLayout& layout = found.layout;
  const auto segment_of = [&](const RecordColumn& column) {
    const auto array = std::find_if(arrays.begin(), arrays.end(), [&](const FreeArray& one) {
      return one.target == column.target && overlap({column.offset, column.stride * layout.count}, one.part);
    });
    return array != arrays.end() ? array->segment : AddressRange{column.offset, column.stride * layout.count};
  };
  uint64_t most_before = UINT64_MAX, most_behind = UINT64_MAX;
  for (const RecordColumn& column : layout.columns) {
    const AddressRange segment = segment_of(column);
    most_before = std::min(most_before, (column.offset - segment.base) / column.stride);
    most_behind = std::min(most_behind, (segment.end() - column.offset) / column.stride - layout.count);
  }
  // Counted from the first record; records in front of it have negative numbers.
  const auto is_changed = [&](int64_t record) -> Result<bool> {
    for (const RecordColumn& column : layout.columns) {
      const uint64_t at = column.offset + static_cast<uint64_t>(record * static_cast<int64_t>(column.stride));
      Buffer pre(column.stride), post(column.stride);
      if (auto read = before(column.target, at, pre); !read) return read.error();
      if (auto read = after(column.target, at, post); !read) return read.error();
      if (pre != post) return true;
    }
    return false;
  };
  for (; found.before < most_before; ++found.before) {
    const auto changed = is_changed(-static_cast<int64_t>(found.before) - 1);
    if (!changed) return changed.error();
    if (!*changed) break;
  }
  for (; found.behind < most_behind; ++found.behind) {
    const auto changed = is_changed(static_cast<int64_t>(layout.count + found.behind));
    if (!changed) return changed.error();
    if (!*changed) break;
  }
  return Unit{};
}

bool is_inside(const AddressRange& range, const AddressRange& outer) {
  return range.base >= outer.base && range.end() <= outer.end();
}

}  // namespace

Result<std::vector<VaryingRange>> varying_ranges(const std::vector<FreeArray>& arrays,
                                                 const std::vector<ContentSource>& sources, const ContentSource& before,
                                                 const std::vector<Target>& targets) {
  auto found = find_orders(arrays, sources);
  if (!found) return found.error();
  if (auto bounded = bound_by_counters(arrays, sources, before, targets, found->layouts); !bounded)
    return bounded.error();
  for (FoundLayout& layout : found->layouts) {
    if (auto told = find_surroundings(arrays, before, sources.front(), layout); !told) return told.error();
  }
  std::vector<VaryingRange> ranges;
  for (const FreeArray& array : arrays) {
    AddressRange all = array.part;
    std::vector<RecordEntry> records;
    for (size_t order = 0; order < found->layouts.size(); ++order) {
      const auto& [layout, is_certain, in_front, at_end] = found->layouts[order];
      for (const RecordColumn& column : layout.columns) {
        const AddressRange filled{column.offset, layout.count * column.stride};
        const bool is_own =
            column.target == array.target && is_inside(filled, array.segment) && overlap(filled, array.part);
        if (!is_own) continue;
        records.push_back({column.stride, column.offset, layout.count, order, is_certain, in_front, at_end, {}});
        if (&column == &layout.columns.front()) records.back().spans = layout.spans;
        const uint64_t begin = std::min(all.base, filled.base);
        all = {begin, std::max(all.end(), filled.end()) - begin};
      }
    }
    const Target& target = targets[array.target];
    FreeElements elements{all.size / array.unit, std::move(records)};
    for (const FoundLink& link : found->links) {
      if (link.index.target != array.target || !overlap({link.index.offset, 1}, all)) continue;
      const Target& named = targets[link.record.target];
      elements.indexes = {named.is_variable, named.name,        link.record.offset, link.record.stride,
                          link.records,      link.index.offset, link.index.stride,  link.count};
    }
    ranges.push_back({target.is_variable, target.name, all.base, array.type, std::move(elements)});
  }
  return ranges;
}

}  // namespace kernloop::replay
