#include "verdict/compare.h"

#include <algorithm>

#include "verdict/free_order.h"
#include "verdict/values/differences.h"

namespace kernloop::replay {

namespace {

constexpr uint64_t kPieceBytes = 1u << 20;

void emit_differences(const char* kind, const std::string& name, uint64_t address, const DifferenceCollector& found,
                      EventSink& sink) {
  for (const Difference& difference : found.listed()) {
    sink.emit({{"event", ReplayEvent::difference},
               {kind, name},
               {"offset", difference.offset},
               {"address", to_hex_number(address + difference.offset)},
               {"bytes", difference.bytes},
               {"lead", to_hex(difference.lead)},
               {"first_expected", to_hex(difference.first_expected)},
               {"first_actual", to_hex(difference.first_actual)},
               {"differing_bytes", difference.differing_bytes}});
  }
  if (found.ranges() == 0) return;
  sink.emit({{"event", ReplayEvent::differences},
             {kind, name},
             {"ranges", found.ranges()},
             {"listed", found.listed().size()},
             {"differing_bytes", found.differing_bytes()}});
}

// The actual bytes with *post* in place of bytes already accepted, which lets the rest be compared as bytes.
Bytes with_accepted(uint64_t offset, Bytes expected, Bytes actual, const std::vector<AddressRange>& accepted,
                    Buffer& copy) {
  const uint64_t end = offset + actual.size();
  auto range = std::lower_bound(accepted.begin(), accepted.end(), offset,
                                [](const AddressRange& r, uint64_t at) { return r.end() <= at; });
  if (range == accepted.end() || range->base >= end) return actual;
  copy.assign(actual.begin(), actual.end());
  for (; range != accepted.end() && range->base < end; ++range) {
    const uint64_t from = std::max(range->base, offset) - offset, to = std::min(range->end(), end) - offset;
    std::copy(expected.begin() + from, expected.begin() + to, copy.begin() + from);
  }
  return copy;
}

void emit_tolerance(const Target& target, size_t index, const ToleranceCount& count, bool excused, EventSink& sink) {
  archive::Json event = to_json(target.tolerances[index], count, excused);
  event["event"] = ReplayEvent::tolerance;
  event[target.kind()] = target.name;
  sink.emit(event);
}

// Differences of one target.
struct Found {
  explicit Found(uint64_t size) : map(size) {}

  uint64_t differing_bytes = 0;
  std::optional<uint64_t> first;  // offset
  DifferenceMap map;

  void add(uint64_t bytes, uint64_t at) {
    if (bytes == 0) return;
    differing_bytes += bytes;
    first = std::min(first.value_or(at), at);
  }
  void add(const DifferenceCollector& differences) {
    if (differences.ranges() > 0) add(differences.differing_bytes(), differences.listed().front().offset);
    map.add(differences.map());
  }
};

// Adds the differences by tolerances alone to the bytes that `accept` left different.
void judge_elements(const Target& target, const ToleranceJudge& judge, Found& found, Comparison& comparison,
                    EventSink& sink) {
  for (size_t i = 0; i < target.tolerances.size(); ++i) {
    const ToleranceCount& count = judge.counts()[i];
    const uint64_t size = size_of(target.tolerances[i].type);
    const bool excused = judge.are_excused(i);
    comparison.tolerance_bytes += (count.within + (excused ? count.excusable() : 0)) * size;
    found.add(count.refused * size, count.first_outside.empty() ? 0 : count.first_outside.front().offset);
    if (!excused) {
      found.add(judge.excusable(i));
      emit_differences(target.kind(), target.name, target.address, judge.excusable(i), sink);
    }
    emit_tolerance(target, i, count, excused, sink);
  }
}

// Counts only bytes that are not ignored.
uint64_t unjudged_bytes_of(const Target& target, const std::vector<VaryingRange>& varying) {
  std::vector<AddressRange> neither = unjudged_in(target, varying);
  if (neither.empty()) return 0;
  neither.insert(neither.end(), target.ignored.begin(), target.ignored.end());
  uint64_t bytes = 0;
  for (const AddressRange& range : merge_ranges(std::move(neither))) bytes += range.size;
  return bytes - target.ignored_bytes();
}

archive::Json to_json(const DifferenceMap& map) {
  archive::Json bins = archive::Json::array();
  for (size_t i = 0; i < map.bins().size(); ++i) {
    if (map.bins()[i] > 0) bins.push_back({i, map.bins()[i]});
  }
  return {{"bin_bytes", map.bin_bytes()}, {"bins", std::move(bins)}};
}

void emit_compared(const Target& target, const Found& found, uint64_t varying, uint64_t unjudged, EventSink& sink) {
  archive::Json event = {{"event", ReplayEvent::compared},
                         {target.kind(), target.name},
                         {"address", to_hex_number(target.address)},
                         {"bytes", target.size},
                         {"changed", target.pre.content->chunks != target.post.content->chunks},
                         {"ignored_bytes", target.ignored_bytes()},
                         {"varying_bytes", varying},
                         {"differing_bytes", found.differing_bytes}};
  if (unjudged > 0) event["unjudged_bytes"] = unjudged;
  if (found.first) event["first_difference"] = *found.first;
  if (!found.map.bins().empty()) event["difference_map"] = to_json(found.map);
  sink.emit(event);
}

// Accepts records in any order, across all targets: arrays of several may belong together.
Result<std::vector<AcceptedBytes>> accept_free_orders(Memory& memory, ContentCache& cache,
                                                      const std::vector<Target>& targets,
                                                      const std::vector<VaryingRange>& varying, Comparison& comparison,
                                                      EventSink& sink) {
  std::vector<AcceptedBytes> accepted(targets.size());
  const auto orders = free_orders(varying, targets);
  if (!orders) return orders.error();
  for (const FreeOrder& order : *orders) {
    const auto judged =
        judge_order(order, varying, targets, post_of_targets(cache, targets), memory_of_targets(memory, targets));
    if (!judged) return judged.error();
    sink.emit(to_json(order, varying, targets, *judged));
    for (const size_t r : order.ranges) {
      const VaryingRange& range = varying[r];
      const auto target = std::find_if(targets.begin(), targets.end(), [&](const Target& candidate) {
        return candidate.is_variable == range.is_variable && candidate.name == range.target;
      });
      AcceptedBytes& own = accepted[static_cast<size_t>(target - targets.begin())];
      own.judged_bytes += range.bytes();
      if (judged->verdict != OrderVerdict::kDifferent) own.accepted.push_back({range.offset, range.bytes()});
      if (judged->verdict == OrderVerdict::kUnknown) comparison.undecided_bytes += range.bytes();
    }
    for (const auto& [target, bytes] : judged->beyond) accepted[target].accepted.push_back(bytes);
    if (comparison.undecided.empty()) comparison.undecided = judged->reason;
  }
  return accepted;
}

Status compare_target(Memory& memory, ContentCache& cache, const Target& target,
                      const std::vector<VaryingRange>& varying, const AcceptedBytes& in_free_order,
                      Comparison& comparison, EventSink& sink) {
  const auto numbers = accept_varying(memory, target, varying);
  if (!numbers) return numbers.error();
  const uint64_t judged_bytes = numbers->judged_bytes + in_free_order.judged_bytes;
  std::vector<AddressRange> accepted = target.ignored;
  accepted.insert(accepted.end(), numbers->accepted.begin(), numbers->accepted.end());
  accepted.insert(accepted.end(), in_free_order.accepted.begin(), in_free_order.accepted.end());
  accepted = merge_ranges(std::move(accepted));
  DifferenceCollector found(target.size);
  ToleranceJudge judge(target.tolerances, accepted, target.size);
  Buffer copy;
  auto walked =
      walk_target(memory, cache, target, target.post, [&](uint64_t offset, Bytes expected, Bytes actual) -> Status {
        const Bytes unaccepted = with_accepted(offset, expected, actual, accepted, copy);
        found.compare(offset, expected, judge.accept(offset, expected, unaccepted, copy));
        return Unit{};
      });
  if (!walked) return walked;
  const uint64_t unjudged = unjudged_bytes_of(target, varying);
  comparison.compared_bytes += target.size - target.ignored_bytes() - target.dropped_bytes() - unjudged;
  comparison.unjudged_bytes += unjudged;
  comparison.ignored_bytes += target.ignored_bytes();
  comparison.varying_bytes += judged_bytes;
  emit_differences(target.kind(), target.name, target.address, found, sink);
  Found all(target.size);
  all.add(found);
  judge_elements(target, judge, all, comparison, sink);
  comparison.differing_bytes += all.differing_bytes;
  emit_compared(target, all, judged_bytes, unjudged, sink);
  return Unit{};
}

// Calls `visit` with pieces of the range that are cheap to hold.
template <typename Visit>
Status for_each_piece(const AddressRange& range, const Visit& visit) {
  for (uint64_t offset = 0; offset < range.size; offset += kPieceBytes) {
    if (auto visited = visit(offset, std::min(kPieceBytes, range.size - offset)); !visited) return visited;
  }
  return Unit{};
}

// `expected_at(offset, size)`: these bytes before the launch.
template <typename Expected>
Status compare_unowned(Memory& memory, const AddressRange& range, const Expected& expected_at, Comparison& comparison,
                       EventSink& sink) {
  DifferenceCollector found;
  Buffer copy;
  auto walked = for_each_piece(range, [&](uint64_t offset, uint64_t size) -> Status {
    const Bytes expected = expected_at(offset, size);
    const auto actual = memory.view(range.base + offset, size, copy);
    if (!actual) return actual.error();
    found.compare(offset, expected, *actual);
    return Unit{};
  });
  if (!walked) return walked;
  comparison.padding_bytes += range.size;
  comparison.differing_bytes += found.differing_bytes();
  emit_differences("padding", to_hex_number(range.base), range.base, found, sink);
  return Unit{};
}

Status compare_padding(Memory& memory, const AddressRange& range, uint8_t poison, Comparison& comparison,
                       EventSink& sink) {
  Buffer expected;
  const auto poisoned = [&](uint64_t, uint64_t size) -> Bytes {
    expected.assign(size, poison);
    return expected;
  };
  return compare_unowned(memory, range, poisoned, comparison, sink);
}

}  // namespace

Result<Comparison> compare_with_post(Memory& memory, ContentCache& cache, const std::vector<Target>& targets,
                                     const std::vector<AddressRange>& padding, uint8_t poison,
                                     const std::vector<VaryingRange>& varying, EventSink& sink) {
  Comparison comparison;
  const auto in_free_order = accept_free_orders(memory, cache, targets, varying, comparison, sink);
  if (!in_free_order) return in_free_order.error();
  for (size_t t = 0; t < targets.size(); ++t) {
    auto compared = compare_target(memory, cache, targets[t], varying, (*in_free_order)[t], comparison, sink);
    if (!compared) return compared.error();
  }
  for (const AddressRange& range : padding) {
    if (auto compared = compare_padding(memory, range, poison, comparison, sink); !compared) return compared.error();
  }
  return comparison;
}

Status compare_margins(Memory& memory, const std::vector<Margin>& margins, Comparison& comparison, EventSink& sink) {
  for (const Margin& margin : margins) {
    const auto initial = [&](uint64_t offset, uint64_t size) { return Bytes(margin.initial).subspan(offset, size); };
    if (auto compared = compare_unowned(memory, margin.range, initial, comparison, sink); !compared) return compared;
  }
  return Unit{};
}

}  // namespace kernloop::replay
