#include "verdict/values/order_search.h"

#include <algorithm>
#include <cstring>

#include "verdict/values/record_strides.h"

namespace kernloop::replay {

namespace {

// A longer struct could be a chunk of shorter ones that one wave claimed together.
constexpr uint64_t kLongestStruct = 32;
// Fewer say too little.
constexpr size_t kFewestArrangements = 3;

// An array and the records that its arrangements allow, by offsets in its target.
struct Studied {
  FreeArray array;
  std::vector<Stride> strides;  // none: too long
  size_t arrangements = 0;
  uint64_t record = 0;  // bytes; the length that is certain

  const Stride* stride(uint64_t bytes) const {
    const auto found = std::find_if(strides.begin(), strides.end(), [&](const Stride& s) { return s.bytes == bytes; });
    return found != strides.end() ? &*found : nullptr;
  }
  bool is_telling() const { return arrangements >= kFewestArrangements; }
};

Result<Studied> study(const FreeArray& array, const std::vector<ContentSource>& sources) {
  Studied studied{array, {}, 0, array.unit};
  if (array.part.size > kMostSearchedBytes) return studied;
  const uint64_t unit = array.unit;
  const auto in_units = [&](uint64_t bytes) { return bytes / unit * unit; };
  // Records may begin before the varying part, and end after it.
  const uint64_t before = in_units(std::min(kLongestRecord, array.part.base - array.segment.base));
  const uint64_t behind = in_units(std::min(kLongestRecord, array.segment.end() - array.part.end()));
  const uint64_t from = array.part.base - before;
  Arrangements seen{{}, before, before + array.part.size};
  for (const ContentSource& source : sources) {
    Buffer bytes(before + array.part.size + behind);
    if (auto read = source(array.target, from, bytes); !read) return read.error();
    seen.samples.push_back(std::move(bytes));
  }
  studied.arrangements = distinct_arrangements(seen);
  studied.strides =
      consistent_strides(seen, unit, static_cast<int64_t>(array.segment.base) - static_cast<int64_t>(from));
  for (Stride& stride : studied.strides) stride.begin += from;
  if (studied.strides.empty()) return studied;
  const std::vector<Stride> longest = longest_of(studied.strides);
  if (array.pointee == Pointee::kRecord && studied.stride(array.record_bytes)) {
    studied.record = array.record_bytes;
  } else if (array.pointee == Pointee::kStruct && longest.size() == 1 && longest.front().bytes <= kLongestStruct &&
             studied.is_telling()) {
    studied.record = longest.front().bytes;
  }
  return studied;
}

RecordLayout layout_of(const Studied& studied, const Stride& stride) {
  return {{{studied.array.target, stride.begin, stride.bytes}}, stride.count};
}

// --- arrays that the same permutation orders ---

// Record of the other array that a record corresponds to.
enum class Alignment : uint8_t {
  kSegments,  // the record of the same index, from where each pointer points
  kParts,     // the record at the same place of the varying part
};

struct Group {
  std::vector<size_t> members;
  std::vector<const Stride*> strides;
  RecordLayout layout;
};

// The first record of an array whose records are aligned to `stride`.
uint64_t first_record(const Studied& studied, const Stride& stride) {
  return studied.array.segment.base + (stride.begin - studied.array.segment.base) % stride.bytes;
}

std::optional<RecordLayout> extended(const Group& group, const std::vector<Studied>& all, size_t member,
                                     const Stride& stride, Alignment alignment) {
  const Studied& first = all[group.members.front()];
  const RecordColumn& own = group.layout.columns.front();
  const Studied& other = all[member];
  // Index of the other array's first varying record among the group's records.
  int64_t at = 0;
  if (alignment == Alignment::kSegments) {
    const uint64_t mine = (own.offset - first_record(first, *group.strides.front())) / own.stride;
    const uint64_t its = (stride.begin - first_record(other, stride)) / stride.bytes;
    at = static_cast<int64_t>(its) - static_cast<int64_t>(mine);
  }
  const int64_t from = std::min<int64_t>(0, at);
  const int64_t to = std::max(static_cast<int64_t>(group.layout.count), at + static_cast<int64_t>(stride.count));
  // Records that were equal by chance are outside the varying part: all arrays are completed to the same records.
  RecordLayout layout = group.layout;
  layout.columns.push_back({other.array.target, stride.begin, stride.bytes});
  layout.count = static_cast<uint64_t>(to - from);
  for (size_t c = 0; c < layout.columns.size(); ++c) {
    RecordColumn& column = layout.columns[c];
    const Studied& owner = c + 1 < layout.columns.size() ? all[group.members[c]] : other;
    const int64_t shift = c + 1 < layout.columns.size() ? from : from - at;
    const int64_t offset = static_cast<int64_t>(column.offset) + shift * static_cast<int64_t>(column.stride);
    if (offset < static_cast<int64_t>(owner.array.segment.base)) return std::nullopt;
    column.offset = static_cast<uint64_t>(offset);
    if (column.offset + layout.count * column.stride > owner.array.segment.end()) return std::nullopt;
  }
  return layout;
}

// The lengths that a record may well have: the certain one, the shortest and the longest.
std::vector<const Stride*> likely(const Studied& studied) {
  std::vector<const Stride*> strides;
  const auto add = [&](const Stride* stride) {
    if (stride && std::find(strides.begin(), strides.end(), stride) == strides.end()) strides.push_back(stride);
  };
  add(studied.stride(studied.record));
  add(studied.stride(studied.array.unit));
  for (const Stride& stride : longest_of(studied.strides)) add(studied.stride(stride.bytes));
  return strides;
}

Result<bool> try_member(Group& group, const std::vector<Studied>& all, size_t member,
                        const std::vector<ContentSource>& sources) {
  const std::vector<const Stride*> own =
      group.members.size() > 1 ? std::vector<const Stride*>{group.strides.front()} : likely(all[group.members.front()]);
  for (const Stride* mine : own) {
    for (const Stride* its : likely(all[member])) {
      for (const Alignment alignment : {Alignment::kSegments, Alignment::kParts}) {
        Group candidate = group;
        if (group.members.size() == 1) {
          candidate.strides = {mine};
          candidate.layout = layout_of(all[group.members.front()], *mine);
        }
        auto layout = extended(candidate, all, member, *its, alignment);
        if (!layout) continue;
        const auto joint = agree(sources, *layout);
        if (!joint) return joint.error();
        if (!*joint) continue;
        candidate.members.push_back(member);
        candidate.strides.push_back(its);
        candidate.layout = std::move(*layout);
        group = std::move(candidate);
        return true;
      }
    }
  }
  return false;
}

Result<std::vector<Group>> find_groups(const std::vector<Studied>& all, const std::vector<ContentSource>& sources) {
  std::vector<Group> groups;
  std::vector<bool> taken(all.size(), false);
  for (size_t i = 0; i < all.size(); ++i) {
    if (taken[i] || all[i].strides.empty()) continue;
    const Stride* own = all[i].stride(all[i].record);
    Group group{{i}, {own}, layout_of(all[i], *own)};
    for (size_t j = i + 1; j < all.size(); ++j) {
      if (taken[j] || all[j].strides.empty()) continue;
      const auto joined = try_member(group, all, j, sources);
      if (!joined) return joined.error();
      taken[j] = *joined;
    }
    groups.push_back(std::move(group));
  }
  return groups;
}

// The same arrays in chunks of several records each, the longest of which all arrangements hold the same.
Result<std::optional<RecordLayout>> in_chunks(const Group& group, const std::vector<Studied>& all,
                                              const std::vector<ContentSource>& sources) {
  const Studied& first = all[group.members.front()];
  for (size_t s = first.strides.size(); s-- > 0;) {
    const Stride& chunk = first.strides[s];
    const uint64_t own = group.layout.columns.front().stride;
    if (chunk.bytes % own != 0 || chunk.bytes == own) continue;
    const uint64_t records = chunk.bytes / own;
    // Whole chunks inside of what the records fill.
    const int64_t into = static_cast<int64_t>(chunk.begin) - static_cast<int64_t>(group.layout.columns.front().offset);
    const int64_t step = static_cast<int64_t>(chunk.bytes);
    const uint64_t skipped = static_cast<uint64_t>((into % step + step) % step) / own;
    if (skipped >= group.layout.count) continue;
    RecordLayout layout = group.layout;
    layout.count = (group.layout.count - skipped) / records;
    for (RecordColumn& column : layout.columns) {
      column.offset += skipped * column.stride;
      column.stride *= records;
    }
    if (layout.count < 2) continue;
    const auto joint = agree(sources, layout);
    if (!joint) return joint.error();
    if (*joint) return std::optional(std::move(layout));
  }
  return std::optional<RecordLayout>();
}

// Layouts that one array is judged by on its own.
void add_layouts_of(const Studied& one, std::vector<FoundLayout>& layouts) {
  layouts.push_back({layout_of(one, *one.stride(one.record)), true});
  if (one.array.pointee == Pointee::kRecord && one.record == one.array.record_bytes) return;
  for (const Stride& longest : longest_of(one.strides)) {
    if (longest.bytes != one.record) layouts.push_back({layout_of(one, longest), false});
  }
}

Status add_layouts_of(const Group& group, const std::vector<Studied>& all, const std::vector<ContentSource>& sources,
                      std::vector<FoundLayout>& layouts) {
  const bool is_telling =
      std::all_of(group.members.begin(), group.members.end(), [&](size_t member) { return all[member].is_telling(); });
  if (!is_telling) {
    for (const RecordColumn& column : group.layout.columns) layouts.push_back({{{column}, group.layout.count}, true});
  }
  layouts.push_back({group.layout, is_telling});
  auto chunks = in_chunks(group, all, sources);
  if (!chunks) return chunks.error();
  if (*chunks) layouts.push_back({std::move(**chunks), false});
  return Unit{};
}

// --- arrays that hold places of others ---

Result<std::optional<FoundLink>> find_link(const Studied& index, uint64_t size, const Studied& records,
                                           const std::vector<ContentSource>& sources) {
  const Stride* own = index.stride(size);
  if (!own || !index.is_telling()) return std::optional<FoundLink>();
  for (const Stride* stride : likely(records)) {
    const uint64_t begin = first_record(records, *stride);
    FoundLink link{{index.array.target, own->begin, size},
                   own->count,
                   {records.array.target, begin, stride->bytes},
                   (stride->begin - begin) / stride->bytes + stride->count};
    if (link.records * stride->bytes > kMostSearchedBytes) continue;
    std::optional<Fingerprint> first;
    bool same = true;
    for (size_t s = 0; s < sources.size() && same; ++s) {
      const auto named = named_records(sources[s], link);
      if (!named) return named.error();
      same = named->has_value() && (!first || *first == **named);
      if (named->has_value()) first = **named;
    }
    if (same) return std::optional(link);
  }
  return std::optional<FoundLink>();
}

Result<std::optional<FoundLink>> find_link(size_t index, const std::vector<Studied>& all,
                                           const std::vector<ContentSource>& sources) {
  for (const uint64_t size : {4, 8}) {
    for (size_t records = 0; records < all.size(); ++records) {
      if (records == index) continue;
      auto link = find_link(all[index], size, all[records], sources);
      if (!link || *link) return link;
    }
  }
  return std::optional<FoundLink>();
}

}  // namespace

RecordLayout with_surroundings(const FoundLayout& found) {
  RecordLayout layout = found.layout;
  layout.count += found.before + found.behind;
  for (RecordSpan& span : layout.spans) span.begin += found.before, span.end += found.before;
  for (RecordColumn& column : layout.columns) column.offset -= found.before * column.stride;
  return layout;
}

Result<std::optional<Fingerprint>> named_records(const ContentSource& source, const FoundLink& link) {
  Buffer numbers(link.count * link.index.stride), records(link.records * link.record.stride);
  if (auto read = source(link.index.target, link.index.offset, numbers); !read) return read.error();
  if (auto read = source(link.record.target, link.record.offset, records); !read) return read.error();
  Fingerprint sequence;
  for (uint64_t i = 0; i < link.count; ++i) {
    uint64_t number = 0;
    std::memcpy(&number, numbers.data() + i * link.index.stride, link.index.stride);
    if (number >= link.records) return std::optional<Fingerprint>();
    sequence = fingerprint(Bytes(records).subspan(number * link.record.stride, link.record.stride), sequence);
  }
  return std::optional(sequence);
}

Result<FoundOrders> find_orders(const std::vector<FreeArray>& arrays, const std::vector<ContentSource>& sources) {
  std::vector<Studied> all;
  for (const FreeArray& array : arrays) {
    auto studied = study(array, sources);
    if (!studied) return studied.error();
    all.push_back(std::move(*studied));
  }
  const auto groups = find_groups(all, sources);
  if (!groups) return groups.error();
  FoundOrders found;
  for (const Group& group : *groups) {
    if (group.members.size() == 1) {
      add_layouts_of(all[group.members.front()], found.layouts);
    } else if (auto added = add_layouts_of(group, all, sources, found.layouts); !added) {
      return added.error();
    }
  }
  for (size_t i = 0; i < all.size(); ++i) {
    auto link = find_link(i, all, sources);
    if (!link) return link.error();
    if (*link) found.links.push_back(**link);
  }
  return found;
}

}  // namespace kernloop::replay
