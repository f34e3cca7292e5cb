// Segments of a run: neighbouring vector operations, scalar operations and reads of LDS that the translator compiles as
// one function.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "softgpu/engine/code/code_run.h"
#include "softgpu/engine/translate/lds_read.h"
#include "softgpu/engine/translate/register_use.h"
#include "softgpu/engine/vector/form_rule.h"

namespace kernloop::softgpu {

// Lane arithmetic of a row (vector/rows.h), or without a rule a move of registers.
struct LaneOperation {
  const Instruction* instruction;
  const vector::FormRule* rule;
  Keeps keeps;
};

// One, two of VOPD; none if the interpreter does not execute the instruction by the semantics of the vector rows alone.
std::vector<LaneOperation> lane_operations_of(const DecodedInstruction& instruction);
// Whether the result keeps one half of what its register held.
bool keeps_other_half(const LaneOperation& operation);

// A mask of lanes that a segment writes to scalar registers.
struct SegmentMask {
  uint16_t index;
  uint8_t dwords;
};

// Scalar arithmetic that cannot fault. `may_write_exec`: EXEC is a result like any other.
bool is_scalar_step(const DecodedInstruction& instruction, bool may_write_exec = false);

struct SegmentStep {
  uint16_t step;  // of the run
  const DecodedInstruction* instruction;
  std::vector<LaneOperation> operations;  // none of scalar arithmetic, two of VOPD
  std::optional<LdsRead> lds;             // in their place
  bool is_scalar() const { return operations.empty() && !lds; }
};

struct Segment {
  static constexpr unsigned kMaxMasks = 16;

  uint16_t first = 0, end = 0;  // steps of the run
  uint8_t wave_size = 0;
  uint16_t end_of_lanes = 0;  // scalar steps from here on may read masks that the segment writes, and EXEC
  std::vector<SegmentStep> steps;
  std::vector<SegmentMask> masks;
  bool follows_mode = false;  // to be executed in the default MODE alone
  uint16_t lds_reads = 0;     // the only steps that may fault
  VectorRegisterSet unread;   // nobody reads these before they are written again: they need not be stored
};

// The segments of a run that are worth a function. Its last step is in none: it may look at the program counter.
std::vector<Segment> find_segments(std::span<const CodeRun::Step> run, unsigned wave_size);

}  // namespace kernloop::softgpu
