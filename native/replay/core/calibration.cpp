#include "replay/core/calibration.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "replay/core/differences.h"
#include "replay/core/free_arrays.h"
#include "replay/core/free_order.h"

namespace kernloop::replay {

namespace {

// More than this varies only where something is broken (or the whole result is random): numbers would say nothing.
constexpr size_t kMaxBytes = 256u << 20;
constexpr size_t kMaxRuns = 8u << 20;
constexpr uint64_t kClusterGap = 64;          // closer bytes belong to one array or struct
constexpr uint64_t kClusterBytes = 1u << 20;  // a multiple of every element size
constexpr size_t kUnexplainedListed = 64;
constexpr uint64_t kUnseenReach = 4096;     // from an element that varies to one that may
constexpr size_t kElementsPerRange = 4096;  // keeps one event a line of moderate length

// To eight-byte bounds, so that no element is cut.
AddressRange widen(const Target& target, uint64_t begin, uint64_t end) {
  const uint64_t low = (target.address + begin) / 8 * 8, high = (target.address + end + 7) / 8 * 8;
  const uint64_t from = std::max(low, target.address) - target.address;
  return AddressRange{from, std::min(high - target.address, target.size) - from};
}

}  // namespace

struct Calibration::Cluster {
  uint64_t offset = 0;  // in the target
  Observations seen;    // the replays, then *post*
};

Calibration::Calibration(ContentCache& cache, const std::vector<Target>& targets)
    : cache_(cache), targets_(targets), histories_(targets.size()) {}

Result<bool> Calibration::record_replay(DeviceReplay& device) {
  ++replays_;
  bool too_much = false;
  for (size_t t = 0; t < targets_.size(); ++t) {
    std::vector<Run>& runs = histories_[t].runs.emplace_back();
    auto walked = walk_target(device, cache_, targets_[t], targets_[t].post,
                              [&](uint64_t offset, Bytes post, Bytes actual) -> Status {
                                for_each_difference(post, actual, [&](size_t at, size_t size) {
                                  if (too_much || bytes_.size() + size > kMaxBytes || runs_ == kMaxRuns) {
                                    too_much = true;
                                    return;
                                  }
                                  runs.push_back({offset + at, size, bytes_.size()});
                                  bytes_.insert(bytes_.end(), actual.begin() + at, actual.begin() + at + size);
                                  ++runs_;
                                });
                                return Unit{};
                              });
    if (!walked) return walked.error();
  }
  return !too_much;
}

void Calibration::forget_last_replay() {
  for (History& history : histories_) history.runs.pop_back();
  --replays_;
}

bool Calibration::is_settled() const {
  for (const History& history : histories_) {
    std::vector<AddressRange> earlier, later;
    for (size_t i = 0; i < history.runs.size(); ++i) {
      // The bytes of a number vary at different times.
      for (const Run& run : history.runs[i]) {
        const uint64_t from = run.offset / 8 * 8;
        (i < history.runs.size() / 2 ? earlier : later).push_back({from, (run.offset + run.size + 7) / 8 * 8 - from});
      }
    }
    earlier = merge_ranges(std::move(earlier));
    for (const AddressRange& range : merge_ranges(std::move(later))) {
      const auto after = std::upper_bound(earlier.begin(), earlier.end(), range.base,
                                          [](uint64_t at, const AddressRange& other) { return at < other.base; });
      if (after == earlier.begin() || std::prev(after)->end() < range.end()) return false;
    }
  }
  return true;
}

std::optional<ElementType> Calibration::declared_type(const Target& target) const {
  if (target.is_variable) return std::nullopt;
  const archive::Manifest& manifest = cache_.reader().manifest();
  const std::vector<std::string> parameters = parameter_types(manifest.kernel.name);
  std::optional<ElementType> declared;
  size_t position = 0;
  for (const archive::KernargSlot& slot : manifest.kernarg.slots) {
    if (slot.kind.starts_with("hidden_")) continue;
    const size_t parameter = position++;
    if (slot.region != target.name) continue;
    const std::string type_name = slot.type_name                  ? *slot.type_name
                                  : parameter < parameters.size() ? parameters[parameter]
                                                                  : "";
    const auto type = pointee_type(type_name);
    if (!type || (declared && *declared != *type)) return std::nullopt;
    declared = type;
  }
  return declared;
}

std::vector<AddressRange> Calibration::varying_bytes_of(const History& history) const {
  std::vector<AddressRange> all;
  for (const auto& runs : history.runs) {
    for (const Run& run : runs) all.push_back({run.offset, run.size});
  }
  return merge_ranges(std::move(all));
}

Result<Calibration::Cluster> Calibration::gather(const Target& target, const History& history,
                                                 const AddressRange& extent, std::vector<AddressRange> varying) const {
  Cluster cluster;
  cluster.offset = extent.base;
  cluster.seen.address = target.address + extent.base;
  for (AddressRange& range : varying) range.base -= extent.base;
  cluster.seen.varying = std::move(varying);

  auto post = read_content(cache_, target.post, extent.base, extent.size);
  if (!post) return post.error();
  for (const auto& runs : history.runs) cluster.seen.samples.push_back(sample(runs, extent, *post));
  cluster.seen.samples.push_back(std::move(*post));
  return cluster;
}

archive::Buffer Calibration::sample(const std::vector<Run>& runs, const AddressRange& extent,
                                    const archive::Buffer& post) const {
  archive::Buffer bytes(post);
  auto run =
      std::partition_point(runs.begin(), runs.end(), [&](const Run& r) { return r.offset + r.size <= extent.base; });
  for (; run != runs.end() && run->offset < extent.end(); ++run) {
    const uint64_t from = std::max(run->offset, extent.base), to = std::min(run->offset + run->size, extent.end());
    std::memcpy(bytes.data() + (from - extent.base), bytes_.data() + run->data + (from - run->offset), to - from);
  }
  return bytes;
}

ElementType Calibration::type_of(const Target& target, const Observations& seen) const {
  const ElementType declared = declared_type(target).value_or(ElementType::kU8);
  std::vector<uint64_t> offsets;
  return declared != ElementType::kU8 && elements_of(seen, size_of(declared), offsets) ? declared : infer_type(seen);
}

std::vector<ContentSource> Calibration::sources() const {
  std::vector<ContentSource> sources = {post_of_targets(cache_, targets_)};
  for (size_t replay = 0; replay < replays_; ++replay) {
    sources.push_back([this, replay](size_t target, uint64_t offset, std::span<uint8_t> into) -> Status {
      auto post = read_content(cache_, targets_[target].post, offset, into.size());
      if (!post) return post.error();
      const archive::Buffer bytes = sample(histories_[target].runs[replay], {offset, into.size()}, *post);
      std::memcpy(into.data(), bytes.data(), bytes.size());
      return Unit{};
    });
  }
  return sources;
}

namespace {

bool overlaps_any(const std::vector<AddressRange>& ranges, uint64_t offset, uint64_t size) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [&](const AddressRange& range) { return offset < range.end() && range.base < offset + size; });
}

// Elements arrive in ascending order; `post` is one of the values seen.
void add_element(const Target& target, ElementType type, uint64_t offset, Number min, Number max, Number low,
                 Number high, CalibrationResult& result) {
  result.varying_bytes += size_of(type);
  VaryingRange* last = result.varying.empty() ? nullptr : &result.varying.back();
  const bool continues = last && !last->min.empty() && last->is_variable == target.is_variable &&
                         last->target == target.name && last->type == type && last->offset + last->bytes() == offset &&
                         last->count() < kElementsPerRange;
  if (!continues) {
    result.varying.push_back({target.is_variable, target.name, offset, type, {}, {}});
    last = &result.varying.back();
  }
  if (!is_float(type)) {
    low = std::ceil(low);
    high = std::floor(high);
    if (least_of(type) > low) low = least_of(type);
    if (greatest_of(type) < high) high = greatest_of(type);
  }
  last->min.push_back(min);
  last->max.push_back(max);
  last->low.push_back(std::min(low, min));
  last->high.push_back(std::max(high, max));
}

void add_shape(const Target& target, const AddressRange& range, CalibrationResult& result) {
  result.order_dependent_bytes += range.size;
  VaryingRange shape{target.is_variable, target.name, range.base, ElementType::kU8, {}, {}};
  shape.order_dependent = range.size;
  result.varying.push_back(std::move(shape));
}

void add_unexplained(const Target& target, ElementType type, const ElementSample& element, CalibrationResult& result) {
  ++result.unexplained_elements;
  if (result.unexplained.size() == kUnexplainedListed) return;
  result.unexplained.push_back(
      {target.is_variable, target.name, element.offset, type, element.post, element.spread.min, element.spread.max});
}

}  // namespace

// What the kernel wrote beside elements that vary, and was the same in all replays: it may be of the array all the
// same.
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
    // A sum or two beside much that never varies are something else than that.
    if (model.rare() > 1 || found->size() <= spreads.size()) unseen = std::move(*found);
  }
  auto next = unseen.begin();
  const auto add_unseen = [&](uint64_t end) {
    for (; next != unseen.end() && next->offset < end; ++next) {
      const Number half = model.half_width_unseen(next->value);
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
  // Where the replays agree with each other and differ from the app, it is no matter of order: of one element that is
  // chance, of most it is a capture that lacks something.
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
  // With it goes what the kernel wrote around it: of a list only the links between waves vary, say.
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
  return std::optional(widen(target, from, to));
}

Result<std::vector<ArraySample>> Calibration::arrays_of(const Target& target, const History& history,
                                                        const std::vector<AddressRange>& varying) const {
  std::vector<ArraySample> arrays;
  // Extents never cross a multiple of kClusterBytes.
  std::vector<AddressRange> members;
  AddressRange extent;
  const auto close = [&]() -> Status {
    if (members.empty()) return Unit{};
    auto cluster = gather(target, history, extent, std::move(members));
    members.clear();
    if (!cluster) return cluster.error();
    const auto type = [&](const Observations& seen) { return type_of(target, seen); };
    for (ArraySample& array : sample_arrays(cluster->seen, cluster->offset, targets_, type))
      add_array(arrays, std::move(array));
    return Unit{};
  };
  for (AddressRange range : varying) {
    while (range.size > 0) {
      const uint64_t bound =
          (target.address + range.base) / kClusterBytes * kClusterBytes + kClusterBytes - target.address;
      const AddressRange piece{range.base, std::min(range.size, bound - range.base)};
      const AddressRange wide = widen(target, piece.base, piece.end());
      const bool joins =
          !members.empty() && piece.base <= extent.end() + kClusterGap &&
          (target.address + piece.base) / kClusterBytes == (target.address + extent.base) / kClusterBytes;
      if (!joins) {
        if (auto closed = close(); !closed) return closed.error();
        extent = wide;
      } else {
        extent.size = std::max(extent.end(), wide.end()) - extent.base;
      }
      members.push_back(piece);
      range.base += piece.size;
      range.size -= piece.size;
    }
  }
  if (auto closed = close(); !closed) return closed.error();
  return arrays;
}

Result<CalibrationResult> Calibration::finish() {
  CalibrationResult result;
  const std::vector<ContentSource> all = sources();
  std::vector<FreeArray> free_arrays;
  std::vector<std::vector<ArraySample>> arrays;
  std::vector<std::vector<AddressRange>> taken(targets_.size());
  size_t elements = 0;
  for (size_t t = 0; t < targets_.size(); ++t) {
    std::vector<AddressRange> varying = varying_bytes_of(histories_[t]);
    const auto free = take_free_arrays(cache_.reader().manifest(), targets_, t, all, varying);
    if (!free) return free.error();
    for (const FreeArray& array : *free) taken[t].push_back(array.part);
    free_arrays.insert(free_arrays.end(), free->begin(), free->end());
    auto found = arrays_of(targets_[t], histories_[t], varying);
    if (!found) return found.error();
    for (const ArraySample& array : *found) elements += array.elements.size();
    arrays.push_back(std::move(*found));
  }
  const double miss = kMissPerReplay / static_cast<double>(std::max<size_t>(elements, 1));
  for (size_t t = 0; t < targets_.size(); ++t) {
    std::vector<AddressRange> shapes;
    for (const ArraySample& array : arrays[t]) {
      if (!array.is_shape) continue;
      const auto shape = take_shape(targets_[t], array, result);
      if (!shape) return shape.error();
      if (*shape) shapes.push_back(**shape);
    }
    shapes = merge_ranges(std::move(shapes));
    for (const AddressRange& range : shapes) add_shape(targets_[t], range, result);
    taken[t].insert(taken[t].end(), shapes.begin(), shapes.end());
    for (const ArraySample& array : arrays[t]) {
      if (array.is_shape) continue;
      if (auto judged = judge_numbers(targets_[t], array, miss, taken[t], result); !judged) return judged.error();
    }
  }
  auto in_free_order = varying_ranges(free_arrays, all, targets_);
  if (!in_free_order) return in_free_order.error();
  for (VaryingRange& range : *in_free_order) {
    result.varying_bytes += range.bytes();
    result.varying.push_back(std::move(range));
  }
  return result;
}

}  // namespace kernloop::replay
