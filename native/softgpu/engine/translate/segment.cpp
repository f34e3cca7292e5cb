#include "softgpu/engine/translate/segment.h"

#include <algorithm>

#include "softgpu/engine/vector/select.h"
#include "softgpu/engine/wave/wave.h"

namespace kernloop::softgpu {

namespace {

using Kind = Operand::Kind;
using vector::FormRule;
using vector::RowShape;
using vector::SourceRule;

// Fewer operations are executed sooner one by one.
constexpr unsigned kLeastOperations = 2;

// Scalar registers [first, end).
struct Range {
  unsigned first, end;
  bool meets(const Range& other) const { return first < other.end && other.first < end; }
};
constexpr Range kExecRange{kExec, kExec + 2};

bool is_move(Op op) {
  return op == Op::v_accvgpr_read_b32 || op == Op::v_accvgpr_write_b32 || op == Op::v_accvgpr_mov_b32 ||
         op == Op::v_pk_mov_b32;
}

bool has_no_modifiers(const Instruction& instruction) {
  return !instruction.is_sdwa && !instruction.is_dpp && !instruction.clamp && instruction.omod == 0;
}

bool is_operand(const Operand& operand) {
  return operand.kind == Kind::kVgpr || operand.kind == Kind::kAgpr || operand.kind == Kind::kSgpr ||
         operand.kind == Kind::kConstant;
}

// False if the interpreter does not execute it by the semantics of the vector rows alone.
bool find_operation(const DecodedInstruction& decoded, LaneOperation& operation) {
  const Instruction& same = decoded.equivalent ? *decoded.equivalent : decoded;
  const ExecuteFn execute = decoded.equivalent ? same.execute : decoded.execute;
  if (decoded.keeps == Keeps::kOther || decoded.untracked || !execute || !has_no_modifiers(same)) return false;
  if (execute != select_vector(same)) return false;
  operation = {&same, vector::rule_of(same.op), decoded.keeps};
  if (!operation.rule && !is_move(same.op)) return false;
  return std::all_of(same.src, same.src + same.src_count, is_operand);
}

bool is_scalar_operand(const Operand& operand) {
  return operand.kind == Kind::kSgpr || operand.kind == Kind::kConstant;
}

// Reading two registers is as much as any of them does.
Range pair_at(const Operand& operand) {
  return {operand.index, operand.index + 2u};
}

class Builder {
 public:
  explicit Builder(unsigned wave_size) : mask_dwords_(static_cast<uint8_t>(wave_size / 32)) {}

  std::vector<Segment> build(std::span<const CodeRun::Step> run) {
    for (size_t k = 0; k + 1 < run.size(); ++k) {
      const auto step = static_cast<uint16_t>(k);
      if (add(step, *run[k].instruction)) continue;
      close();
      add(step, *run[k].instruction);
    }
    close();
    return std::move(segments_);
  }

 private:
  // False if the instruction cannot follow what the segment has.
  bool add(uint16_t step, const DecodedInstruction& decoded) {
    if (decoded.execute == execute_nothing) return append(step);
    if (is_scalar_step(decoded)) return add_scalar(step, decoded);
    if (segment_.end_of_lanes != 0) return false;
    if (const std::optional<LdsRead> lds = lds_read_of(decoded)) {
      ++segment_.lds_reads;
      return add_step({step, &decoded, {}, lds});
    }
    std::vector<LaneOperation> operations = lane_operations_of(decoded);
    if (operations.empty()) return false;
    const size_t masks = segment_.masks.size();
    for (const LaneOperation& operation : operations) {
      if (reads_fit(operation) && add_mask(operation)) continue;
      segment_.masks.resize(masks);
      return false;
    }
    for (const LaneOperation& operation : operations)
      segment_.follows_mode |= operation.rule && operation.rule->follows_mode;
    return add_step({step, &decoded, std::move(operations), {}});
  }

  // Scalar steps come before the lanes, or behind them all if they need a mask of theirs.
  bool add_scalar(uint16_t step, const DecodedInstruction& decoded) {
    if (segment_.end_of_lanes == 0 && !scalar_fits(decoded)) {
      if (segment_.masks.empty()) return false;
      segment_.end_of_lanes = step;
    }
    return add_step({step, &decoded, {}, {}});
  }

  bool add_step(SegmentStep step) {
    append(step.step);
    segment_.steps.push_back(std::move(step));
    return true;
  }

  bool append(uint16_t step) {
    if (segment_.end == 0) segment_.first = step;
    segment_.end = static_cast<uint16_t>(step + 1);
    return true;
  }

  bool is_written_mask(const Range& range) const {
    return std::any_of(segment_.masks.begin(), segment_.masks.end(), [&](const SegmentMask& mask) {
      return Range{mask.index, mask.index + unsigned{mask.dwords}}.meets(range);
    });
  }

  bool scalar_fits(const DecodedInstruction& decoded) const {
    const Instruction& same = decoded.equivalent ? *decoded.equivalent : decoded;
    const auto fits = [&](const Operand& operand) {
      return operand.kind != Kind::kSgpr || (!pair_at(operand).meets(kExecRange) && !is_written_mask(pair_at(operand)));
    };
    return std::all_of(same.dst, same.dst + same.dst_count, fits) &&
           std::all_of(same.src, same.src + same.src_count, fits);
  }

  bool mask_fits(const Operand& operand) const {
    if (operand.kind != Kind::kSgpr) return true;
    const Range range{operand.index, operand.index + unsigned{mask_dwords_}};
    if (range.meets(kExecRange)) return false;
    const auto same = std::find_if(segment_.masks.begin(), segment_.masks.end(), [&](const SegmentMask& mask) {
      return mask.index == operand.index && mask.dwords == mask_dwords_;
    });
    return same != segment_.masks.end() || !is_written_mask(range);
  }

  bool reads_fit(const LaneOperation& operation) const {
    const Instruction& i = *operation.instruction;
    const FormRule* rule = operation.rule;
    for (unsigned k = 0; k < i.src_count; ++k) {
      const Operand& operand = i.src[k];
      const SourceRule source = rule && k < rule->sources ? rule->source[k] : SourceRule{};
      if (source.kind == SourceRule::kMask) {
        if (!mask_fits(operand)) return false;
        continue;
      }
      if (operand.kind != Kind::kSgpr) continue;
      const bool is_pair = i.op == Op::v_pk_mov_b32 || (rule && rule->shape == RowShape::kPair);
      const unsigned dwords = is_pair ? 2 : source.dwords;
      const Range range{operand.index, operand.index + dwords};
      if (range.meets(kExecRange) || is_written_mask(range)) return false;
    }
    if (!rule || !rule->reads_vcc) return true;
    Operand vcc;
    vcc.kind = Kind::kSgpr;
    vcc.index = kVcc;
    return mask_fits(vcc);
  }

  bool add_mask(const LaneOperation& operation) {
    const FormRule* rule = operation.rule;
    if (!rule || (rule->shape != RowShape::kComparison && !rule->has_bit)) return true;
    const Operand& operand = operation.instruction->dst[rule->has_bit ? 1 : 0];
    const bool narrow = operation.keeps == Keeps::kMaskNeighbour;
    const SegmentMask mask{operand.index, narrow ? uint8_t{1} : uint8_t{2}};
    for (const SegmentMask& other : segment_.masks) {
      if (other.index == mask.index && other.dwords == mask.dwords) return true;
    }
    const Range range{mask.index, mask.index + unsigned{mask.dwords}};
    if (range.meets(kExecRange) || is_written_mask(range) || segment_.masks.size() == Segment::kMaxMasks) return false;
    segment_.masks.push_back(mask);
    return true;
  }

  void close() {
    if (segment_.steps.size() >= kLeastOperations) {
      segment_.end = static_cast<uint16_t>(segment_.steps.back().step + 1);
      if (segment_.end_of_lanes == 0) segment_.end_of_lanes = segment_.end;
      segment_.wave_size = static_cast<uint8_t>(32 * mask_dwords_);
      segments_.push_back(std::move(segment_));
    }
    segment_ = {};
  }

  const uint8_t mask_dwords_;
  Segment segment_;
  std::vector<Segment> segments_;
};

}  // namespace

bool is_scalar_step(const DecodedInstruction& decoded, bool may_write_exec) {
  const Instruction& same = decoded.equivalent ? *decoded.equivalent : decoded;
  const bool writes_exec = decoded.untracked != nullptr;
  const ExecuteFn execute = decoded.equivalent ? same.execute : writes_exec ? decoded.untracked : decoded.execute;
  const bool is_alu = same.encoding == Encoding::kSop1 || same.encoding == Encoding::kSop2 ||
                      same.encoding == Encoding::kSopC || same.encoding == Encoding::kSopK;
  if (!is_alu || decoded.counted_as != InstructionClass::kSalu || (writes_exec && !may_write_exec)) return false;
  if (decoded.keeps != Keeps::kNothing || !execute || execute != select_scalar(same)) return false;
  const OpEffect effect = facts_of(decoded.op).effect;
  if (effect != OpEffect::kNone && !(writes_exec && effect == OpEffect::kWritesExec)) return false;
  if (same.op == Op::s_movrels_b32 || same.op == Op::s_movrels_b64) return false;
  return std::all_of(same.dst, same.dst + same.dst_count, is_scalar_operand) &&
         std::all_of(same.src, same.src + same.src_count, is_scalar_operand);
}

std::vector<LaneOperation> lane_operations_of(const DecodedInstruction& instruction) {
  std::vector<LaneOperation> found(1);
  if (instruction.encoding != Encoding::kVopd) {
    if (!find_operation(instruction, found[0])) found.clear();
    return found;
  }
  if (!instruction.equivalent) return {};
  const auto& dual = static_cast<const DualInstruction&>(*instruction.equivalent);
  found.resize(2);
  if (!find_operation(dual.first, found[0]) || !find_operation(dual.second, found[1])) found.clear();
  return found;
}

bool keeps_other_half(const LaneOperation& operation) {
  const Instruction& i = *operation.instruction;
  const bool is_half = operation.rule && operation.rule->result_bits == 16;
  if (is_half && i.encoding == Encoding::kVop3 && (i.op_sel & 8)) return true;
  return (is_half && operation.rule->preserve_high) || operation.keeps == Keeps::kHighHalf;
}

std::vector<Segment> find_segments(std::span<const CodeRun::Step> run, unsigned wave_size) {
  return Builder(wave_size).build(run);
}

}  // namespace kernloop::softgpu
