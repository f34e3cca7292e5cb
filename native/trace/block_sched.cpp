#include "trace/block_sched.h"

#include <algorithm>
#include <functional>
#include <queue>

namespace kernloop::trace {

namespace {

constexpr uint64_t kMostBlocks = uint64_t{1} << 28;

// The blocks of one processor, by start: which lane each has, and the sums.
Processor schedule(std::span<BlockInterval> blocks) {
  Processor processor{.id = blocks.front().processor, .blocks = blocks.size(), .first = blocks.front().start};
  // Free lanes, by the time since when they are free; the one that has been free longest is reused first.
  using Lane = std::pair<uint64_t, uint64_t>;  // end, lane
  std::priority_queue<Lane, std::vector<Lane>, std::greater<>> lanes;
  uint64_t covered = blocks.front().start;
  for (BlockInterval& block : blocks) {
    if (!lanes.empty() && lanes.top().first <= block.start) {
      block.lane = lanes.top().second;
      processor.gaps += block.start - lanes.top().first;
      lanes.pop();
    } else {
      block.lane = processor.lanes++;
    }
    lanes.emplace(block.end, block.lane);
    processor.work += block.end - block.start;
    if (block.end > covered) processor.busy += block.end - std::max(covered, block.start);
    covered = std::max(covered, block.end);
  }
  processor.last = covered;
  return processor;
}

}  // namespace

Result<BlockSchedule> block_schedule(const Trace& trace, size_t map, const BlockSchedFields& names) {
  const Rows rows = rows_of(trace, map);
  if (rows.count() > 0 && rows.blocks > kMostBlocks) {
    return Error{"FILE_TOO_LARGE", "the grid has " + std::to_string(rows.blocks) + " blocks",
                 "analyse a smaller launch"};
  }
  const std::vector<Field>& fields = trace.maps[map].fields;
  BlockSchedule result;
  BlockInterval current;
  bool has_block = false, on_several = false;
  const auto finish = [&] {
    if (has_block) result.intervals.push_back(current);
    result.blocks_on_several += on_several;
    has_block = on_several = false;
  };
  const uint64_t of_block = std::max<uint64_t>(rows.of_block(), 1);  // if there are none, nothing is scanned
  const Status scanned = scan(trace, map, [&](const Run& run) -> Status {
    for (uint64_t i = 0; i < run.count; ++i) {
      const uint8_t* record = run.bytes + i * run.stride;
      const uint64_t row = run.row + i, block = row / of_block;
      if (row % of_block == 0) finish();
      if (is_empty(record, run.stride)) {
        result.unwritten_units += row % rows.records == 0;
        continue;
      }
      const uint64_t start = value_at(record, fields[names.start]), elapsed = value_at(record, fields[names.elapsed]);
      const uint64_t processor = value_at(record, fields[names.processor]);
      uint64_t end;
      if (__builtin_add_overflow(start, elapsed, &end)) {
        return Error{"TRACE_INVALID",
                     "block " + std::to_string(block) + ": " + fields[names.start].name + " and " +
                         fields[names.elapsed].name + " together are beyond 2^64",
                     "name the fields of the start and of the time with --start and --elapsed"};
      }
      if (!has_block) {
        current = {block, processor, 0, start, end};
        has_block = true;
        continue;
      }
      on_several = on_several || processor != current.processor;
      current.start = std::min(current.start, start);
      current.end = std::max(current.end, end);
    }
    return Unit{};
  });
  if (!scanned) return scanned.error();
  finish();
  std::sort(result.intervals.begin(), result.intervals.end(), [](const BlockInterval& a, const BlockInterval& b) {
    return std::tie(a.processor, a.start, a.block) < std::tie(b.processor, b.start, b.block);
  });
  for (size_t begin = 0; begin < result.intervals.size();) {
    size_t end = begin + 1;
    while (end < result.intervals.size() && result.intervals[end].processor == result.intervals[begin].processor) ++end;
    result.processors.push_back(schedule(std::span(result.intervals).subspan(begin, end - begin)));
    begin = end;
  }
  return result;
}

}  // namespace kernloop::trace
