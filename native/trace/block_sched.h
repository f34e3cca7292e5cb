// Distribution of blocks over the processors (SM, CU), from a map with a start, a duration and a processor for every
// warp.
#pragma once

#include "trace/scan.h"

namespace kernloop::trace {

// A block from the start of its first warp to the end of its last one.
struct BlockInterval {
  uint64_t block = 0;
  uint64_t processor = 0;
  uint64_t lane = 0;  // lane among those that the processor runs at a time, the first that was free
  uint64_t start = 0, end = 0;
};

struct Processor {
  uint64_t id = 0;
  uint64_t blocks = 0;
  uint64_t lanes = 0;  // the most blocks at a time
  uint64_t first = 0, last = 0;
  uint64_t busy = 0;  // with at least one block
  uint64_t work = 0;  // summed over blocks
  uint64_t gaps = 0;  // between a block and the next one in its lane: the cost of scheduling
};

struct BlockSchedule {
  std::vector<Processor> processors;     // by id
  std::vector<BlockInterval> intervals;  // by processor, then start
  uint64_t unwritten_units = 0;          // warps without a record
  uint64_t blocks_on_several = 0;        // blocks whose warps name several processors: counted where their first one is
};

struct BlockSchedFields {
  size_t start, elapsed, processor;
};

Result<BlockSchedule> block_schedule(const Trace& trace, size_t map, const BlockSchedFields& fields);

}  // namespace kernloop::trace
