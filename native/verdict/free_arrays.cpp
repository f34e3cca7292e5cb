#include "verdict/free_arrays.h"

#include <algorithm>
#include <cstring>
#include <set>

#include "verdict/values/element_type.h"

namespace kernloop::replay {

namespace {

constexpr uint64_t kClusterGap = 64;  // closer bytes belong to one array
// Adjacent arrays without a pointer to each are few and large: otherwise one array fell into pieces, since few of its
// elements vary.
constexpr size_t kMostParts = 8;
constexpr uint64_t kLeastPart = 256;

struct Pointer {
  Pointee pointee = Pointee::kUnknown;
  std::optional<ElementType> element;
  uint64_t record_bytes = 0;
};

ElementType type_of_unit(uint64_t bytes) {
  return bytes == 8   ? ElementType::kU64
         : bytes == 4 ? ElementType::kU32
         : bytes == 2 ? ElementType::kU16
                      : ElementType::kU8;
}

class ArraySearch {
 public:
  ArraySearch(const archive::Manifest& manifest, const std::vector<Target>& targets, size_t target,
              const std::vector<ContentSource>& sources)
      : manifest_(manifest), target_(targets[target]), index_(target), sources_(sources) {}

  Result<std::vector<FreeArray>> take(std::vector<AddressRange>& varying) {
    std::vector<FreeArray> found;
    std::vector<AddressRange> left;
    for (const AddressRange& segment : segments()) {
      std::vector<AddressRange> own;
      for (const AddressRange& range : varying) {
        const uint64_t from = std::max(range.base, segment.base), to = std::min(range.end(), segment.end());
        if (from < to) own.push_back({from, to - from});
      }
      auto arrays = in_segment(segment, own);
      if (!arrays) return arrays.error();
      if (arrays->empty()) left.insert(left.end(), own.begin(), own.end());
      for (const FreeArray& array : *arrays) {
        auto parts = in_equal_parts(array, own);
        if (!parts) return parts.error();
        found.insert(found.end(), parts->begin(), parts->end());
      }
    }
    // Two pointers may lead into one array.
    if (!left.empty() && left.size() < varying.size() + segments().size()) {
      auto whole = array_in({varying.front().base, varying.back().end() - varying.front().base}, {0, target_.size});
      if (!whole) return whole.error();
      if (*whole) found = {**whole}, left.clear();
    }
    varying = merge_ranges(std::move(left));
    return found;
  }

 private:
  // Segments from each pointer argument's target up to the next one's.
  std::vector<AddressRange> segments() const {
    std::set<uint64_t> starts = {0};
    const Buffer& arguments = manifest_.kernarg.bytes;
    for (size_t at = 0; at + 8 <= arguments.size(); at += 8) {
      uint64_t value;
      std::memcpy(&value, arguments.data() + at, 8);
      if (value >= target_.address && value - target_.address < target_.size) starts.insert(value - target_.address);
    }
    std::vector<AddressRange> segments;
    for (auto start = starts.begin(); start != starts.end(); ++start) {
      const auto next = std::next(start);
      segments.push_back({*start, (next != starts.end() ? *next : target_.size) - *start});
    }
    return segments;
  }

  Result<std::vector<FreeArray>> in_segment(const AddressRange& segment, const std::vector<AddressRange>& varying) {
    std::vector<FreeArray> found;
    if (varying.empty()) return found;
    std::vector<AddressRange> parts;
    bool in_pieces = false;
    for (const AddressRange& range : varying) {
      if (parts.empty() || range.base > parts.back().end() + kClusterGap) parts.push_back(range);
      parts.back().size = range.end() - parts.back().base;
    }
    for (const AddressRange& part : parts) in_pieces = in_pieces || part.size < kLeastPart;
    in_pieces = parts.size() > 1 && (in_pieces || parts.size() > kMostParts);
    if (!in_pieces) {
      for (const AddressRange& part : parts) {
        auto array = array_in(part, segment);
        if (!array) return array.error();
        if (*array) found.push_back(**array);
      }
      if (found.size() == parts.size()) return found;
    }
    found.clear();
    auto whole = array_in({varying.front().base, varying.back().end() - varying.front().base}, segment);
    if (!whole) return whole.error();
    if (*whole) found.push_back(**whole);
    return found;
  }

  // Two adjacent arrays, out[p] and out[n + p], hold the same units together as well; one permutation that orders both
  // distinguishes them.
  Result<std::vector<FreeArray>> in_equal_parts(const FreeArray& array, const std::vector<AddressRange>& varying) {
    const AddressRange& segment = array.segment;
    for (const uint64_t total : {segment.size, array.part.end() - segment.base}) {
      for (uint64_t count = kMostParts; count > 1; --count) {
        if (total % (count * array.unit) != 0) continue;
        RecordLayout layout{{}, total / count / array.unit};
        std::vector<FreeArray> parts;
        for (uint64_t i = 0; i < count; ++i) {
          const AddressRange part{segment.base + i * (total / count), total / count};
          layout.columns.push_back({index_, part.base, array.unit});
          const auto differing = differing_part(part, varying, array.unit);
          if (!differing) break;
          parts.push_back(array);
          parts.back().segment = part;
          parts.back().part = *differing;
        }
        if (parts.size() < count) continue;
        // Cheap check; false for a single array.
        const auto same_first = holds_same({{layout.columns.front()}, layout.count});
        if (!same_first) return same_first.error();
        if (!*same_first) continue;
        const auto same = holds_same(layout);
        if (!same) return same.error();
        if (*same) return parts;
      }
    }
    return std::vector<FreeArray>{array};
  }

  std::optional<AddressRange> differing_part(const AddressRange& part, const std::vector<AddressRange>& varying,
                                             uint64_t unit) const {
    uint64_t low = part.end(), high = part.base;
    for (const AddressRange& range : varying) {
      const uint64_t from = std::max(range.base, part.base), to = std::min(range.end(), part.end());
      if (from < to) low = std::min(low, from), high = std::max(high, to);
    }
    if (low >= high) return std::nullopt;
    low = part.base + (low - part.base) / unit * unit;
    high = part.base + (high - part.base + unit - 1) / unit * unit;
    return AddressRange{low, high - low};
  }

  // Tries units from the signature's first, down to the smallest.
  Result<std::optional<FreeArray>> array_in(const AddressRange& varying, const AddressRange& segment) {
    const Pointer pointer = pointer_to(target_.address + segment.base);
    const uint64_t most = pointer.element ? size_of(*pointer.element) : 4;
    for (uint64_t unit = most; unit > 0; unit /= 2) {
      const uint64_t low = (target_.address + varying.base) / unit * unit;
      const uint64_t high = (target_.address + varying.end() + unit - 1) / unit * unit;
      if (low < target_.address + segment.base || high > target_.address + segment.end()) continue;
      const AddressRange part{low - target_.address, high - low};
      const auto same = holds_same({{{index_, part.base, unit}}, part.size / unit});
      if (!same) return same.error();
      if (!*same) continue;
      FreeArray array{index_, part, segment, unit, pointer.pointee, pointer.record_bytes, type_of_unit(unit)};
      const bool is_declared = pointer.element && unit == most;
      if (is_declared) array.type = *pointer.element;
      if (pointer.element && !is_declared) array.pointee = Pointee::kUnknown;
      return std::optional(array);
    }
    return std::optional<FreeArray>();
  }

  Result<bool> holds_same(const RecordLayout& layout) { return agree(sources_, layout); }

  Pointer pointer_to(uint64_t address) const {
    const std::vector<std::string> parameters = parameter_types(manifest_.kernel.name);
    std::optional<Pointer> said;
    size_t position = 0;
    for (const archive::KernargSlot& slot : manifest_.kernarg.slots) {
      if (slot.kind.starts_with("hidden_")) continue;
      const size_t parameter = position++;
      uint64_t value = 0;
      if (slot.region != target_.name || slot.size != 8 || slot.offset + 8 > manifest_.kernarg.bytes.size()) continue;
      std::memcpy(&value, manifest_.kernarg.bytes.data() + slot.offset, 8);
      if (value != address) continue;
      const std::string type = slot.type_name                  ? *slot.type_name
                               : parameter < parameters.size() ? parameters[parameter]
                                                               : "";
      const Pointer one = pointer_of(type);
      if (said && (said->pointee != one.pointee || said->element != one.element)) return Pointer();
      said = one;
    }
    return said.value_or(Pointer());
  }

  static Pointer pointer_of(const std::string& type) {
    if (const auto element = pointee_type(type)) return {Pointee::kScalar, element, 0};
    if (const auto bytes = vector_bytes(type)) return {Pointee::kRecord, std::nullopt, *bytes};
    const bool is_opaque =
        !type.ends_with('*') || type.find("void") != type.npos || std::count(type.begin(), type.end(), '*') > 1;
    return {is_opaque ? Pointee::kUnknown : Pointee::kStruct, std::nullopt, 0};
  }

  const archive::Manifest& manifest_;
  const Target& target_;
  size_t index_;
  const std::vector<ContentSource>& sources_;
};

}  // namespace

Result<std::vector<FreeArray>> take_free_arrays(const archive::Manifest& manifest, const std::vector<Target>& targets,
                                                size_t target, const std::vector<ContentSource>& sources,
                                                std::vector<AddressRange>& varying) {
  if (varying.empty()) return std::vector<FreeArray>();
  return ArraySearch(manifest, targets, target, sources).take(varying);
}

std::optional<uint64_t> vector_bytes(std::string_view pointer_type) {
  std::string type;
  for (const char c : pointer_type) {
    if (c != ' ' && c != '*') type += c;
  }
  for (const std::string_view word : {"const", "volatile", "__restrict__", "__restrict"}) {
    if (const size_t at = type.find(word); at != type.npos) type.erase(at, word.size());
  }
  constexpr std::string_view kHip = "HIP_vector_type<";
  constexpr std::pair<std::string_view, uint64_t> kElements[] = {
      {"unsignedchar", 1},  {"signedchar", 1},   {"char", 1},     {"uchar", 1},
      {"unsignedshort", 2}, {"short", 2},        {"ushort", 2},   {"int", 4},
      {"uint", 4},          {"unsignedint", 4},  {"float", 4},    {"long", 8},
      {"ulong", 8},         {"unsignedlong", 8}, {"longlong", 8}, {"unsignedlonglong", 8},
      {"ulonglong", 8},     {"double", 8}};
  std::string name;
  char digit = 0;
  if (type.starts_with(kHip) && type.ends_with("u>")) {
    const size_t comma = type.find(',');
    if (comma == type.npos || comma + 4 != type.size()) return std::nullopt;
    name = type.substr(kHip.size(), comma - kHip.size());
    digit = type[comma + 1];
  } else if (!type.empty()) {
    name = type.substr(0, type.size() - 1);
    digit = type.back();
  }
  if (digit < '1' || digit > '4') return std::nullopt;
  for (const auto& [element, bytes] : kElements) {
    if (name == element) return bytes * static_cast<uint64_t>(digit - '0');
  }
  return std::nullopt;
}

}  // namespace kernloop::replay
