#include "verdict/free_order.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "base/events/replay.h"

namespace kernloop::replay {

namespace {

std::optional<size_t> index_of(const std::vector<Target>& targets, bool is_variable, const std::string& name) {
  const auto found = std::find_if(targets.begin(), targets.end(), [&](const Target& target) {
    return target.is_variable == is_variable && target.name == name;
  });
  return found != targets.end() ? std::optional(static_cast<size_t>(found - targets.begin())) : std::nullopt;
}

bool fits(uint64_t offset, uint64_t bytes, uint64_t count, uint64_t begin, uint64_t end) {
  return bytes > 0 && count > 0 && offset >= begin && offset <= end && count <= (end - offset) / bytes;
}

Error malformed(const VaryingRange& range, const std::string& what) {
  return {"VARYING_INVALID", what + " of the free order in " + range.target + " does not fit", ""};
}

// Ranges that a layout or a link joins become one.
class Sets {
 public:
  explicit Sets(size_t count) : parent_(count) { std::iota(parent_.begin(), parent_.end(), size_t{0}); }
  size_t root(size_t i) const { return parent_[i] == i ? i : root(parent_[i]); }
  void join(size_t a, size_t b) { parent_[root(b)] = root(a); }

 private:
  std::vector<size_t> parent_;
};

bool is_ignored(const Target& target, uint64_t offset, uint64_t size) {
  return std::any_of(target.ignored.begin(), target.ignored.end(), [&](const AddressRange& ignored) {
    return offset >= ignored.base && offset + size <= ignored.end();
  });
}

}  // namespace

Result<std::vector<FreeOrder>> free_orders(const std::vector<VaryingRange>& ranges,
                                           const std::vector<Target>& targets) {
  Sets sets(ranges.size());
  std::map<uint64_t, std::pair<FoundLayout, size_t>> layouts;  // by order, with a range of it
  std::vector<std::pair<FoundLink, size_t>> links;
  std::vector<std::pair<FoundLayout, size_t>> plain;
  for (size_t r = 0; r < ranges.size(); ++r) {
    const VaryingRange& range = ranges[r];
    const FreeElements* elements = range.free_elements();
    if (!elements) continue;
    const size_t target = *index_of(targets, range.is_variable, range.target);
    const uint64_t begin = range.offset, end = range.offset + range.bytes(), size = targets[target].size;
    if (!elements->records || elements->records->empty())
      plain.push_back({{{{{target, begin, size_of(range.type)}}, range.count(), {}}, true, 0, 0}, r});
    for (const RecordEntry& entry : elements->records.value_or(std::vector<RecordEntry>())) {
      if (!fits(entry.offset, entry.bytes, entry.count, begin, end) || entry.before > entry.offset / entry.bytes ||
          entry.behind > (size - entry.offset) / entry.bytes - entry.count)
        return malformed(range, "a record");
      const auto [found, is_new] = layouts.try_emplace(
          entry.order, FoundLayout{{{}, entry.count, {}}, entry.certain, entry.before, entry.behind}, r);
      auto& [layout, first] = found->second;
      if (layout.layout.count != entry.count || layout.is_certain != entry.certain || layout.before != entry.before ||
          layout.behind != entry.behind)
        return malformed(range, "a record of several arrays");
      layout.layout.columns.push_back({target, entry.offset, entry.bytes});
      if (layout.layout.spans.empty()) layout.layout.spans = entry.spans;
      sets.join(first, r);
    }
    if (!elements->indexes) continue;
    const IndexedRecords& link = *elements->indexes;
    const auto records = index_of(targets, link.is_variable, link.target);
    if ((link.index_bytes != 4 && link.index_bytes != 8) ||
        !fits(link.index_offset, link.index_bytes, link.index_count, begin, end) || !records ||
        !fits(link.offset, link.bytes, link.count, 0, targets[*records].size) ||
        link.bytes * link.count > kMostSearchedBytes || link.index_bytes * link.index_count > kMostSearchedBytes)
      return malformed(range, "an index");
    links.push_back({{{target, link.index_offset, link.index_bytes},
                      link.index_count,
                      {*records, link.offset, link.bytes},
                      link.count},
                     r});
    for (size_t other = 0; other < ranges.size(); ++other) {
      const VaryingRange& one = ranges[other];
      if (one.free_elements() && one.is_variable == link.is_variable && one.target == link.target &&
          overlap({one.offset, one.bytes()}, {link.offset, link.bytes * link.count}))
        sets.join(other, r);
    }
  }
  std::map<size_t, FreeOrder> orders;
  for (size_t r = 0; r < ranges.size(); ++r) {
    if (ranges[r].free_elements()) orders[sets.root(r)].ranges.push_back(r);
  }
  for (auto& [order, entry] : layouts) orders[sets.root(entry.second)].layouts.push_back(std::move(entry.first));
  for (auto& [link, r] : links) orders[sets.root(r)].links.push_back(link);
  for (auto& [layout, r] : plain) {
    FreeOrder& order = orders[sets.root(r)];
    order.layouts.push_back(std::move(layout));
    order.unexamined = ranges[r].free_elements()->records
                           ? "it is too long to be searched for them"
                           : "the capture's self-check is of a version of Kernloop that did not look for "
                             "them: capture again";
  }
  std::vector<FreeOrder> list;
  for (auto& [root, order] : orders) list.push_back(std::move(order));
  return list;
}

Result<JudgedOrder> judge_order(const FreeOrder& order, const std::vector<VaryingRange>& ranges,
                                const std::vector<Target>& targets, const ContentSource& expected,
                                const ContentSource& actual) {
  const auto ignored = [&](const RecordColumn& column, uint64_t count) {
    return is_ignored(targets[column.target], column.offset, column.stride * count);
  };
  const FoundLayout *doubtful = nullptr, *exceeded = nullptr;
  const auto agree = [&](const RecordLayout& layout) -> Result<bool> {
    const auto wanted = multiset_of(expected, layout);
    if (!wanted) return wanted.error();
    const auto got = multiset_of(actual, layout);
    if (!got) return got.error();
    return *wanted == *got;
  };
  for (const FoundLayout& found : order.layouts) {
    FoundLayout judged = found;
    std::erase_if(judged.layout.columns,
                  [&](const RecordColumn& column) { return ignored(column, judged.layout.count); });
    if (judged.layout.columns.empty()) continue;
    const auto same = agree(judged.layout);
    if (!same) return same.error();
    if (*same) continue;
    if (!found.is_certain) {
      doubtful = &found;
      continue;
    }
    if (found.before + found.behind == 0) return JudgedOrder{OrderVerdict::kDifferent, "", {}};
    const auto same_around = agree(with_surroundings(judged));
    if (!same_around) return same_around.error();
    if (!*same_around) return JudgedOrder{OrderVerdict::kDifferent, "", {}};
    exceeded = &found;
  }
  for (const FoundLink& link : order.links) {
    if (ignored(link.index, link.count) || ignored(link.record, link.records)) continue;
    const auto wanted = named_records(expected, link);
    if (!wanted) return wanted.error();
    const auto got = named_records(actual, link);
    if (!got) return got.error();
    if (*wanted != *got) return JudgedOrder{OrderVerdict::kDifferent, "", {}};
  }
  const VaryingRange& first = ranges[order.ranges.front()];
  if (!order.unexamined.empty()) {
    return JudgedOrder{OrderVerdict::kUnknown,
                       first.target + " holds the same " + name_of(first.type) +
                           " values in free order, but of which records is not known: " + order.unexamined,
                       {}};
  }
  if (exceeded) {
    const RecordLayout all = with_surroundings(*exceeded);
    const RecordColumn& column = all.columns.front();
    JudgedOrder judged{
        OrderVerdict::kUnknown,
        "the records of " + targets[column.target].name +
            " are the same in free order, but some moved to or from places beside it that the replays of "
            "the self-check always filled alike: whether those belong to it cannot be known; if they "
            "do, say how long a record is: --record " +
            targets[column.target].name + "=" + std::to_string(column.stride),
        {}};
    for (const RecordColumn& one : all.columns)
      judged.beyond.push_back({one.target, {one.offset, all.count * one.stride}});
    return judged;
  }
  if (!doubtful) return JudgedOrder{};
  std::string parts;
  for (const RecordColumn& column : doubtful->layout.columns) {
    parts += (parts.empty() ? "" : " and ") + targets[column.target].name + " (" + std::to_string(column.stride) +
             " bytes a record)";
  }
  const RecordColumn& column = doubtful->layout.columns.front();
  return JudgedOrder{OrderVerdict::kUnknown,
                     "the values are the same in free order, but not as the longer records that every replay of the "
                     "self-check held in " +
                         parts + ": whether those are records cannot be known; say how long one is: --record " +
                         targets[column.target].name + "=BYTES",
                     {}};
}

Result<bool> passes_free_orders_unchanged(ContentCache& cache, const std::vector<Target>& targets, size_t target,
                                          const std::vector<VaryingRange>& ranges) {
  const auto orders = free_orders(ranges, targets);
  if (!orders) return orders.error();
  const ContentSource post = post_of_targets(cache, targets);
  const ContentSource unchanged = [&](size_t index, uint64_t offset, std::span<uint8_t> into) -> Status {
    return index == target ? read_content(cache, targets[index].pre, offset, into) : post(index, offset, into);
  };
  for (const FreeOrder& order : *orders) {
    const bool concerned = std::any_of(order.ranges.begin(), order.ranges.end(), [&](size_t r) {
      return index_of(targets, ranges[r].is_variable, ranges[r].target) == target;
    });
    if (!concerned) continue;
    const auto judged = judge_order(order, ranges, targets, post, unchanged);
    if (!judged) return judged.error();
    if (judged->verdict == OrderVerdict::kDifferent) return false;
  }
  return true;
}

ContentSource pre_of_targets(ContentCache& cache, const std::vector<Target>& targets) {
  return [&cache, &targets](size_t target, uint64_t offset, std::span<uint8_t> into) {
    return read_content(cache, targets[target].pre, offset, into);
  };
}

ContentSource post_of_targets(ContentCache& cache, const std::vector<Target>& targets) {
  return [&cache, &targets](size_t target, uint64_t offset, std::span<uint8_t> into) {
    return read_content(cache, targets[target].post, offset, into);
  };
}

ContentSource memory_of_targets(Memory& memory, const std::vector<Target>& targets) {
  return [&memory, &targets](size_t target, uint64_t offset, std::span<uint8_t> into) {
    return memory.read(targets[target].address + offset, into);
  };
}

archive::Json to_json(const FreeOrder& order, const std::vector<VaryingRange>& ranges,
                      const std::vector<Target>& targets, const JudgedOrder& judged) {
  constexpr const char* kNames[] = {"same", "unknown", "different"};
  archive::Json arrays = archive::Json::array();
  for (const size_t r : order.ranges) {
    const VaryingRange& range = ranges[r];
    const size_t target = *index_of(targets, range.is_variable, range.target);
    std::set<uint64_t> certain, doubtful;
    bool is_joint = false;
    uint64_t spans = 0;
    for (const FoundLayout& found : order.layouts) {
      for (const RecordColumn& column : found.layout.columns) {
        const bool is_of_range =
            column.target == target && column.offset >= range.offset && column.offset < range.offset + range.bytes();
        if (!is_of_range) continue;
        (found.is_certain ? certain : doubtful).insert(column.stride);
        is_joint = is_joint || found.layout.columns.size() > 1;
        spans = std::max<uint64_t>(spans, found.layout.spans.size());
      }
    }
    archive::Json array = {{range.is_variable ? "variable" : "region", range.target},
                           {"offset", range.offset},
                           {"bytes", range.bytes()},
                           {"record_bytes", certain.empty() ? size_of(range.type) : *certain.rbegin()},
                           {"possible_record_bytes", doubtful},
                           {"together", is_joint}};
    const FreeElements* elements = range.free_elements();
    if (elements && elements->indexes) array["indexes"] = elements->indexes->target;
    if (spans > 0) array["spans"] = spans;
    arrays.push_back(std::move(array));
  }
  archive::Json event = {{"event", ReplayEvent::free_order},
                         {"verdict", kNames[static_cast<size_t>(judged.verdict)]},
                         {"arrays", std::move(arrays)}};
  if (!judged.reason.empty()) event["reason"] = judged.reason;
  return event;
}

}  // namespace kernloop::replay
