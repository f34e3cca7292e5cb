// Decides which of the varying elements are numbers around a centre, with which intervals, and which cannot be judged.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "verdict/calibration.h"

namespace kernloop::replay {

namespace {

constexpr size_t kUnexplainedListed = 64;
constexpr uint64_t kUnseenReach = 4096;     // from an element that varies to one that may
constexpr size_t kElementsPerRange = 4096;  // keeps one event a line of moderate length

}  // namespace

AddressRange widened(const Target& target, uint64_t begin, uint64_t end) {
  const uint64_t low = (target.address + begin) / 8 * 8, high = (target.address + end + 7) / 8 * 8;
  const uint64_t from = std::max(low, target.address) - target.address;
  return AddressRange{from, std::min(high - target.address, target.size) - from};
}

namespace {

bool overlaps_any(const std::vector<AddressRange>& ranges, uint64_t offset, uint64_t size) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [&](const AddressRange& range) { return offset < range.end() && range.base < offset + size; });
}

// Elements arrive in ascending order; `post` is among the values seen.
void add_element(const Target& target, ElementType type, uint64_t offset, Number min, Number max, Number low,
                 Number high, CalibrationResult& result) {
  result.varying_bytes += size_of(type);
  VaryingRange* last = result.varying.empty() ? nullptr : &result.varying.back();
  const bool continues = last && last->intervals() && last->is_variable == target.is_variable &&
                         last->target == target.name && last->type == type && last->offset + last->bytes() == offset &&
                         last->count() < kElementsPerRange;
  if (!continues) {
    result.varying.push_back({target.is_variable, target.name, offset, type, NumberIntervals()});
    last = &result.varying.back();
  }
  if (!is_float(type)) {
    low = std::ceil(low);
    high = std::floor(high);
    if (least_of(type) > low) low = least_of(type);
    if (greatest_of(type) < high) high = greatest_of(type);
  }
  last->intervals()->seen.push_back({min, max});
  last->intervals()->passing.push_back({std::min(low, min), std::max(high, max)});
}

void add_shape(const Target& target, const AddressRange& range, CalibrationResult& result) {
  result.order_dependent_bytes += range.size;
  result.varying.push_back(
      {target.is_variable, target.name, range.base, ElementType::kU8, OrderDependentElements{range.size}});
}

void add_unexplained(const Target& target, ElementType type, const ElementSample& element, CalibrationResult& result) {
  ++result.unexplained_elements;
  if (result.unexplained.size() == kUnexplainedListed) return;
  result.unexplained.push_back(
      {target.is_variable, target.name, element.offset, type, element.post, element.spread.min, element.spread.max});
}

}  // namespace

// Bytes that the kernel wrote beside varying elements and that were the same in all replays may belong to the array as
// well.
Result<std::vector<Calibration::Unseen>> Calibration::unseen_beside(const Target& target, const ArraySample& array,
                                                                    uint64_t reach,
                                                                    const std::vector<AddressRange>& taken) const {
  constexpr uint64_t kPieceBytes = 1u << 20;
  const uint64_t size = size_of(array.type), first = array.elements.front().offset;
  const uint64_t from = first - std::min(first, reach) / size * size, to = std::min(target.size, array.end() + reach);
  std::vector<Unseen> unseen;
  auto behind = array.elements.begin();  // the first element that does not end before `at`
  for (uint64_t piece = from; piece + size <= to; piece += kPieceBytes) {
    const uint64_t bytes = std::min(kPieceBytes, (to - piece) / size * size);
    const auto pre = read_content(cache_, target.pre, piece, bytes);
    if (!pre) return pre.error();
    const auto post = read_content(cache_, target.post, piece, bytes);
    if (!post) return post.error();
    for (uint64_t at = piece; at < piece + bytes; at += size) {
      while (behind != array.elements.end() && behind->offset < at) ++behind;
      const bool is_known = behind != array.elements.end() && behind->offset == at;
      const bool is_near = (behind != array.elements.end() && behind->offset - at <= reach) ||
                           (behind != array.elements.begin() && at - std::prev(behind)->offset <= reach);
      const uint8_t *before = &(*pre)[at - piece], *after = &(*post)[at - piece];
      if (is_known || !is_near || std::memcmp(before, after, size) == 0 || overlaps_any(taken, at, size)) continue;
      const Number value = load_number(array.type, after);
      if (is_finite(value)) unseen.push_back({at, value});
    }
  }
  return unseen;
}

Status Calibration::judge_numbers(const Target& target, const ArraySample& array, double miss,
                                  const std::vector<AddressRange>& taken, CalibrationResult& result) const {
  std::vector<Spread> spreads;
  for (const ElementSample& element : array.elements) {
    if (element.is_finite) spreads.push_back(element.spread);
  }
  const IntervalModel model(array.type, spreads, replays_, miss);
  std::vector<Unseen> unseen;
  if (is_float(array.type) && (model.rare() > 0 || model.is_small())) {
    const uint64_t reach = model.rare() > 1 ? kUnseenReach : kClusterGap;
    auto found = unseen_beside(target, array, reach, taken);
    if (!found) return found.error();
    // A few sums among many elements that never vary have another cause.
    if (model.rare() > 1 || found->size() <= spreads.size()) unseen = std::move(*found);
  }
  auto next = unseen.begin();
  const auto add_unseen = [&](uint64_t end) {
    for (; next != unseen.end() && next->offset < end; ++next) {
      const Number half = model.half_width_unseen(next->value);
      if (!model.is_rounding(half, next->value)) continue;
      add_element(target, array.type, next->offset, next->value, next->value, next->value - half, next->value + half,
                  result);
    }
  };
  for (const ElementSample& element : array.elements) {
    add_unseen(element.offset);
    if (overlaps_any(taken, element.offset, size_of(array.type))) continue;
    const Spread& spread = element.spread;
    const bool is_rare = is_float(array.type) && !spread.varies() && (model.rare() > 0 || model.is_small());
    const Number half = spread.varies() ? model.half_width(spread) : is_rare ? model.half_width_unseen(spread.mean) : 0;
    const Number low = std::min(spread.min, spread.mean - half), high = std::max(spread.max, spread.mean + half);
    if (!element.is_finite || !is_finite(element.post) || element.post < low || element.post > high) {
      add_unexplained(target, array.type, element, result);
      continue;
    }
    add_element(target, array.type, element.offset, std::min(spread.min, element.post),
                std::max(spread.max, element.post), low, high, result);
  }
  add_unseen(target.size);
  return Unit{};
}

Result<std::optional<AddressRange>> Calibration::take_shape(const Target& target, const ArraySample& array,
                                                            CalibrationResult& result) const {
  // If the replays agree with each other and differ from the app, the order is not the cause: in one element that is
  // chance, in most of them the capture lacks something.
  const auto varying =
      static_cast<size_t>(std::count_if(array.elements.begin(), array.elements.end(), [](const ElementSample& element) {
        return !element.is_finite || element.spread.varies();
      }));
  if (varying * 2 < array.elements.size()) {
    for (const ElementSample& element : array.elements) {
      if (element.is_finite && !element.spread.varies()) add_unexplained(target, array.type, element, result);
    }
    return std::optional<AddressRange>();
  }
  // The bytes that the kernel wrote around it go along: in a list, for example, only the links between waves vary.
  constexpr uint64_t kPiece = 64 << 10;
  uint64_t from = array.elements.front().offset, to = array.end();
  const auto changed_near = [&](uint64_t begin, uint64_t end, bool backwards) -> Result<std::optional<uint64_t>> {
    const auto pre = read_content(cache_, target.pre, begin, end - begin);
    if (!pre) return pre.error();
    const auto post = read_content(cache_, target.post, begin, end - begin);
    if (!post) return post.error();
    std::optional<uint64_t> edge;
    uint64_t last = backwards ? end : begin;
    for (uint64_t i = 0; i < end - begin; ++i) {
      const uint64_t at = backwards ? end - 1 - i : begin + i;
      if ((*pre)[at - begin] == (*post)[at - begin]) continue;
      if ((backwards ? last - at : at - last) > kClusterGap) break;
      last = at;
      edge = at;
    }
    return edge;
  };
  for (bool grows = true; grows && from > 0;) {
    const auto edge = changed_near(from - std::min(from, kPiece), from, true);
    if (!edge) return edge.error();
    grows = edge->has_value();
    if (grows) from = **edge;
  }
  for (bool grows = true; grows && to < target.size;) {
    const auto edge = changed_near(to, std::min(target.size, to + kPiece), false);
    if (!edge) return edge.error();
    grows = edge->has_value();
    if (grows) to = **edge + 1;
  }
  return std::optional(widened(target, from, to));
}

Status Calibration::judge(const Target& target, const std::vector<ArraySample>& arrays, double miss,
                          std::vector<AddressRange> taken, CalibrationResult& result) const {
  std::vector<AddressRange> shapes;
  for (const ArraySample& array : arrays) {
    if (!array.is_shape) continue;
    const auto shape = take_shape(target, array, result);
    if (!shape) return shape.error();
    if (*shape) shapes.push_back(**shape);
  }
  shapes = merge_ranges(std::move(shapes));
  for (const AddressRange& range : shapes) add_shape(target, range, result);
  taken.insert(taken.end(), shapes.begin(), shapes.end());
  for (const ArraySample& array : arrays) {
    if (array.is_shape) continue;
    if (auto judged = judge_numbers(target, array, miss, taken, result); !judged) return judged;
  }
  return Unit{};
}

}  // namespace kernloop::replay
