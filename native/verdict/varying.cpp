#include "verdict/varying.h"

#include <algorithm>

#include "archive/files/file.h"
#include "verdict/free_order.h"

namespace kernloop::replay {

namespace {

constexpr uint64_t kMaxVaryingFile = 256u << 20;

Error bad_varying(const std::filesystem::path& path, const std::string& why) {
  return {"VARYING_INVALID", path.string() + ": " + why, "calibrate again (the capture's self-check writes this file)"};
}

// Both bounds of every element, around the values seen; or none at all.
bool read_passing(const archive::Json& json, NumberIntervals& intervals) {
  const auto low = json.find("low"), high = json.find("high");
  if (low == json.end() && high == json.end()) return true;
  if (low == json.end() || high == json.end() || !low->is_array() || !high->is_array() ||
      low->size() != intervals.seen.size() || high->size() != intervals.seen.size()) {
    return false;
  }
  for (size_t i = 0; i < low->size(); ++i) {
    const auto from = number_from_json((*low)[i]), to = number_from_json((*high)[i]);
    const auto& seen = intervals.seen[i];
    if (!from || !to || !is_finite(*from) || !is_finite(*to) || *from > seen.low || *to < seen.high) return false;
    intervals.passing.push_back({*from, *to});
  }
  return true;
}

// Fields that every object of a kind has: false if one is missing or no count.
bool read_counts(const archive::Json& json, std::initializer_list<std::pair<const char*, uint64_t*>> fields) {
  return json.is_object() && std::all_of(fields.begin(), fields.end(), [&](const auto& field) {
           const auto found = json.find(field.first);
           if (found == json.end() || !found->is_number_unsigned()) return false;
           *field.second = found->template get<uint64_t>();
           return true;
         });
}

// [begin, end, begin, end, ...] of records: sorted, disjoint, none empty.
bool read_spans(const archive::Json& list, RecordEntry& entry) {
  if (!list.is_array() || list.size() % 2 != 0) return false;
  uint64_t last = 0;
  for (size_t i = 0; i < list.size(); i += 2) {
    if (!list[i].is_number_unsigned() || !list[i + 1].is_number_unsigned()) return false;
    const RecordSpan span{list[i].get<uint64_t>(), list[i + 1].get<uint64_t>()};
    if (span.begin < last || span.end <= span.begin || span.end > entry.count) return false;
    last = span.end;
    entry.spans.push_back(span);
  }
  return true;
}

bool read_order(const archive::Json& json, FreeElements& elements) {
  if (const auto records = json.find("records"); records != json.end()) {
    if (!records->is_array()) return false;
    elements.records.emplace();
    for (const archive::Json& item : *records) {
      RecordEntry entry;
      if (!read_counts(
              item,
              {{"bytes", &entry.bytes}, {"offset", &entry.offset}, {"count", &entry.count}, {"order", &entry.order}}))
        return false;
      const auto certain = item.find("certain");
      if (certain == item.end() || !certain->is_boolean()) return false;
      entry.certain = certain->get<bool>();
      for (const auto& [name, into] : {std::pair("before", &entry.before), std::pair("behind", &entry.behind)}) {
        if (item.contains(name) && !read_counts(item, {{name, into}})) return false;
      }
      if (item.contains("spans") && !read_spans(item["spans"], entry)) return false;
      elements.records->push_back(entry);
    }
  }
  if (const auto indexes = json.find("indexes"); indexes != json.end()) {
    IndexedRecords& link = elements.indexes.emplace();
    if (!read_counts(*indexes, {{"offset", &link.offset},
                                {"bytes", &link.bytes},
                                {"count", &link.count},
                                {"index_offset", &link.index_offset},
                                {"index_bytes", &link.index_bytes},
                                {"index_count", &link.index_count}}))
      return false;
    link.is_variable = indexes->contains("variable");
    const auto name = indexes->find(link.is_variable ? "variable" : "region");
    if (name == indexes->end() || !name->is_string()) return false;
    link.target = name->get<std::string>();
  }
  return true;
}

std::optional<VaryingRange> read_range(const archive::Json& json) {
  if (!json.is_object()) return std::nullopt;
  const auto text = [&](const char* name) {
    const auto found = json.find(name);
    return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  VaryingRange range;
  range.is_variable = json.contains("variable");
  range.target = text(range.is_variable ? "variable" : "region");
  const auto type = element_type_of(text("dtype"));
  const auto offset = json.find("offset"), count = json.find("count"), min = json.find("min"), max = json.find("max");
  if (range.target.empty() || !type || offset == json.end() || !offset->is_number_unsigned() || count == json.end() ||
      !count->is_number_unsigned() || count->get<uint64_t>() == 0 || min == json.end() || !min->is_array() ||
      max == json.end() || !max->is_array() || max->size() != min->size()) {
    return std::nullopt;
  }
  range.type = *type;
  range.offset = offset->get<uint64_t>();
  if (json.value("permuted", false)) {
    FreeElements& elements = range.values.emplace<FreeElements>();
    elements.count = count->get<uint64_t>();
    const bool fits = elements.count <= UINT64_MAX / size_of(*type) && min->empty() && read_order(json, elements);
    return fits ? std::optional(std::move(range)) : std::nullopt;
  }
  if (json.value("order_dependent", false)) {
    range.values = OrderDependentElements{count->get<uint64_t>()};
    const bool fits = range.count() <= UINT64_MAX / size_of(*type) && min->empty();
    return fits ? std::optional(std::move(range)) : std::nullopt;
  }
  if (min->size() != count->get<uint64_t>()) return std::nullopt;
  NumberIntervals& intervals = range.values.emplace<NumberIntervals>();
  for (size_t i = 0; i < min->size(); ++i) {
    const auto low = number_from_json((*min)[i]), high = number_from_json((*max)[i]);
    if (!low || !high || !is_finite(*low) || !is_finite(*high) || *low > *high) return std::nullopt;
    intervals.seen.push_back({*low, *high});
  }
  return read_passing(json, intervals) ? std::optional(std::move(range)) : std::nullopt;
}

}  // namespace

bool within_spread(Number value, Number min, Number max) {
  const Number spread = max - min;
  return is_finite(value) && spread > 0 && value >= min - spread && value <= max + spread;
}

bool NumberIntervals::passes(size_t element, Number value) const {
  if (passing.empty()) return within_spread(value, seen[element].low, seen[element].high);
  return is_finite(value) && value >= passing[element].low && value <= passing[element].high;
}

uint64_t VaryingRange::count() const {
  if (const NumberIntervals* numbers = intervals()) return numbers->seen.size();
  if (const FreeElements* elements = free_elements()) return elements->count;
  return std::get<OrderDependentElements>(values).count;
}

namespace {

using Interval = NumberIntervals::Interval;

archive::Json bounds_to_json(ElementType type, const std::vector<Interval>& intervals, Number Interval::*bound) {
  archive::Json json = archive::Json::array();
  for (const Interval& interval : intervals) json.push_back(number_to_json(type, interval.*bound));
  return json;
}

void add_order(const FreeElements& elements, archive::Json& json) {
  json["permuted"] = true;
  if (elements.records) {
    archive::Json& records = json["records"] = archive::Json::array();
    for (const RecordEntry& entry : *elements.records) {
      records.push_back({{"bytes", entry.bytes},
                         {"offset", entry.offset},
                         {"count", entry.count},
                         {"order", entry.order},
                         {"certain", entry.certain}});
      if (entry.before > 0) records.back()["before"] = entry.before;
      if (entry.behind > 0) records.back()["behind"] = entry.behind;
      for (const RecordSpan& span : entry.spans) {
        records.back()["spans"].push_back(span.begin);
        records.back()["spans"].push_back(span.end);
      }
    }
  }
  if (!elements.indexes) return;
  const IndexedRecords& link = *elements.indexes;
  json["indexes"] = {{link.is_variable ? "variable" : "region", link.target},
                     {"offset", link.offset},
                     {"bytes", link.bytes},
                     {"count", link.count},
                     {"index_offset", link.index_offset},
                     {"index_bytes", link.index_bytes},
                     {"index_count", link.index_count}};
}

}  // namespace

archive::Json to_json(const VaryingRange& range) {
  static const NumberIntervals kNone;
  const NumberIntervals& numbers = range.intervals() ? *range.intervals() : kNone;
  archive::Json json = {{range.is_variable ? "variable" : "region", range.target},
                        {"offset", range.offset},
                        {"dtype", name_of(range.type)},
                        {"count", range.count()},
                        {"min", bounds_to_json(range.type, numbers.seen, &Interval::low)},
                        {"max", bounds_to_json(range.type, numbers.seen, &Interval::high)}};
  if (!numbers.passing.empty()) {
    json["low"] = bounds_to_json(range.type, numbers.passing, &Interval::low);
    json["high"] = bounds_to_json(range.type, numbers.passing, &Interval::high);
  }
  if (range.is_order_dependent()) json["order_dependent"] = true;
  if (const FreeElements* elements = range.free_elements()) add_order(*elements, json);
  return json;
}

Result<std::vector<VaryingRange>> read_varying(const std::filesystem::path& path, const std::vector<Target>& targets,
                                               const ExpectedFiles& expected) {
  auto text = read_expected(expected, path, kMaxVaryingFile);
  if (!text) return text.error();
  auto json = parse_json(*text, path.string());
  if (!json) return json.error();
  const auto list = json->is_object() ? json->find("varying") : json->end();
  if (!json->is_object() || list == json->end() || !list->is_array())
    return bad_varying(path, "it has no list \"varying\"");
  std::vector<VaryingRange> ranges;
  for (const archive::Json& item : *list) {
    auto range = read_range(item);
    if (!range) return bad_varying(path, "entry " + std::to_string(ranges.size()) + " of varying is malformed");
    const auto target = std::find_if(targets.begin(), targets.end(), [&](const Target& candidate) {
      return candidate.is_variable == range->is_variable && candidate.name == range->target;
    });
    if (target == targets.end())
      return bad_varying(path, "it names " + range->target + ", which the capture does not have");
    if (range->offset > target->size || range->bytes() > target->size - range->offset) {
      return bad_varying(path, "a varying range ends beyond " + range->target);
    }
    ranges.push_back(std::move(*range));
  }
  if (const auto orders = free_orders(ranges, targets); !orders) return bad_varying(path, orders.error().message);
  return ranges;
}

namespace {

bool concerns(const VaryingRange& range, const Target& target) {
  return range.is_variable == target.is_variable && range.target == target.name;
}

// Calls `visit(offset in the range, bytes, passes)` for each element.
template <typename Visit>
void judge_numbers(ElementType type, const NumberIntervals& numbers, Bytes actual, const Visit& visit) {
  const size_t size = size_of(type);
  for (size_t i = 0; i < numbers.seen.size(); ++i) {
    visit(i * size, size, numbers.passes(i, load_number(type, &actual[i * size])));
  }
}

}  // namespace

Result<AcceptedBytes> accept_varying(Memory& memory, const Target& target, const std::vector<VaryingRange>& ranges) {
  AcceptedBytes result;
  Buffer actual;
  for (const VaryingRange& range : ranges) {
    if (!concerns(range, target)) continue;
    if (range.is_order_dependent()) result.accepted.push_back({range.offset, range.bytes()});
    const NumberIntervals* numbers = range.intervals();
    if (!numbers) continue;
    actual.resize(range.bytes());
    if (auto read = memory.read(target.address + range.offset, actual); !read) return read.error();
    judge_numbers(range.type, *numbers, actual, [&](uint64_t at, uint64_t bytes, bool passes) {
      if (passes) result.accepted.push_back({range.offset + at, bytes});
    });
    result.judged_bytes += range.bytes();
  }
  std::sort(result.accepted.begin(), result.accepted.end(), [](auto& a, auto& b) { return a.base < b.base; });
  return result;
}

std::vector<AddressRange> unjudged_in(const Target& target, const std::vector<VaryingRange>& ranges) {
  std::vector<AddressRange> unjudged;
  for (const VaryingRange& range : ranges) {
    if (concerns(range, target) && range.is_order_dependent()) unjudged.push_back({range.offset, range.bytes()});
  }
  return merge_ranges(std::move(unjudged));
}

Result<bool> passes_unchanged(ContentCache& cache, const std::vector<Target>& targets, size_t index,
                              const std::vector<VaryingRange>& ranges, const Overlay& overlay) {
  const Target& target = targets[index];
  bool has_changed = false, passes_all = true;
  for (const VaryingRange& range : ranges) {
    if (!concerns(range, target) || range.is_order_dependent()) continue;
    const NumberIntervals* numbers = range.intervals();
    auto before = read_content(cache, target.pre, range.offset, range.bytes());
    if (!before) return before.error();
    const auto after = read_content(cache, target.post, range.offset, range.bytes());
    if (!after) return after.error();
    if (overlay) {
      const Buffer captured = *before;
      overlay(range.offset, *before);
      // Values that no launch leaves there cannot be another order of the values that it does.
      if (!numbers && *before != captured) return false;
    }
    if (!numbers) {
      has_changed = has_changed || *before != *after;
      continue;
    }
    judge_numbers(range.type, *numbers, *before, [&](uint64_t at, uint64_t bytes, bool passes) {
      if (std::equal(&(*before)[at], &(*before)[at] + bytes, &(*after)[at])) return;
      has_changed = true;
      passes_all = passes_all && passes;
    });
  }
  if (!has_changed || !passes_all) return false;
  return passes_free_orders_unchanged(cache, targets, index, ranges);
}

}  // namespace kernloop::replay
