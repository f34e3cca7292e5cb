#include "verdict/calibration.h"

#include <algorithm>
#include <cstring>

#include "verdict/free_arrays.h"
#include "verdict/free_order.h"
#include "verdict/values/differences.h"

namespace kernloop::replay {

namespace {

// More than this varies only if something is broken (or the whole result is random): numbers would mean nothing.
constexpr size_t kMaxBytes = 256u << 20;
constexpr size_t kMaxRuns = 8u << 20;
constexpr uint64_t kClusterBytes = 1u << 20;  // a multiple of every element size

}  // namespace

struct Calibration::Cluster {
  uint64_t offset = 0;  // in the target
  Observations seen;    // the replays, then *post*
};

Calibration::Calibration(ContentCache& cache, const std::vector<Target>& targets)
    : cache_(cache), targets_(targets), histories_(targets.size()) {}

Result<bool> Calibration::record_replay(Memory& memory) {
  ++replays_;
  bool too_much = false;
  for (size_t t = 0; t < targets_.size(); ++t) {
    std::vector<Run>& runs = histories_[t].runs.emplace_back();
    auto walked = walk_target(memory, cache_, targets_[t], targets_[t].post,
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

Buffer Calibration::sample(const std::vector<Run>& runs, const AddressRange& extent, const Buffer& post) const {
  Buffer bytes(post);
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
      const Buffer bytes = sample(histories_[target].runs[replay], {offset, into.size()}, *post);
      std::memcpy(into.data(), bytes.data(), bytes.size());
      return Unit{};
    });
  }
  return sources;
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
      const AddressRange wide = widened(target, piece.base, piece.end());
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
    if (auto judged = judge(targets_[t], arrays[t], miss, taken[t], result); !judged) return judged.error();
  }
  auto in_free_order = varying_ranges(free_arrays, all, pre_of_targets(cache_, targets_), targets_);
  if (!in_free_order) return in_free_order.error();
  for (VaryingRange& range : *in_free_order) {
    result.varying_bytes += range.bytes();
    result.varying.push_back(std::move(range));
  }
  return result;
}

}  // namespace kernloop::replay
