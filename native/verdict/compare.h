// The verdict's evidence: every region, every module variable and the poison around them, against *post*.
#pragma once

#include <vector>

#include "verdict/events.h"
#include "verdict/target.h"
#include "verdict/values/address_range.h"
#include "verdict/varying.h"

namespace kernloop::replay {

struct Comparison {
  uint64_t compared_bytes = 0;   // regions and variables
  uint64_t padding_bytes = 0;    // checked for poison
  uint64_t varying_bytes = 0;    // part of compared_bytes: judged by the range that a calibration recorded
  uint64_t tolerance_bytes = 0;  // part of compared_bytes: elements within their tolerance, though not equal
  uint64_t ignored_bytes = 0;    // not compared, as asked
  uint64_t unjudged_bytes = 0;   // not compared: the order of waves decides them
  uint64_t stray_bytes = 0;      // stray writes, where the captured code touches nothing (untouched.h)
  uint64_t differing_bytes = 0;  // anywhere, these included
  uint64_t undecided_bytes = 0;  // part of varying_bytes: in free order, with unknown records
  std::string undecided;         // why, of the first
};

// Emits a `free_order` event for arrays in free order that are judged together, and a `compared` event for each target;
// if it differs, also `difference` events (its first ranges) and a `differences` event with totals; a `tolerance` event
// with its counts for each tolerance.
Result<Comparison> compare_with_post(Memory& memory, ContentCache& cache, const std::vector<Target>& targets,
                                     const std::vector<AddressRange>& padding, uint8_t poison,
                                     const std::vector<VaryingRange>& varying, EventSink& sink);

// Bytes beside a variable that belong to no variable, on its pages: only a write past a variable's end changes them.
struct Margin {
  AddressRange range;
  Buffer initial;
};

// Adds writes beside the variables of a lens, as padding.
Status compare_margins(Memory& memory, const std::vector<Margin>& margins, Comparison& comparison, EventSink& sink);

}  // namespace kernloop::replay
