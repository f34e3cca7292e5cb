#include "softgpu/engine/code/path_values.h"

#include <string_view>

#include "softgpu/engine/wave/wave.h"

namespace kernloop::softgpu {

namespace {

constexpr uint32_t kWaitScc = 253, kWaitVgprs = 256, kWaitAgprs = 512, kWaitLanes = 1024;

std::optional<uint32_t> register_of(const Operand& operand) {
  switch (operand.kind) {
    case Operand::Kind::kSgpr:
      return operand.index;
    case Operand::Kind::kVgpr:
      return kWaitVgprs + operand.index;
    case Operand::Kind::kAgpr:
      return kWaitAgprs + operand.index;
    case Operand::Kind::kSpecial:
      if (operand.index == kWaitScc) return kWaitScc;
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

bool is_of_exec(const Operand& operand) {
  return operand.kind == Operand::Kind::kSgpr && operand.index == kExec;
}

bool has(std::string_view name, std::string_view part) {
  return name.find(part) != std::string_view::npos;
}

bool reads_destination(const Instruction& instruction) {
  const OpFacts& facts = facts_of(instruction.op);
  if (instruction.is_dpp || (instruction.is_sdwa && instruction.dst_unused == 2)) return true;
  return facts.has(kReadsResult) || facts.has(kLowHalf) || facts.has(kHighHalf);
}

bool is_copy(const Instruction& instruction) {
  if (instruction.is_dpp || instruction.is_sdwa) return false;
  switch (instruction.op) {
    case Op::v_mov_b32:
    case Op::s_mov_b32:
    case Op::s_mov_b64:
    case Op::v_accvgpr_read_b32:
    case Op::v_accvgpr_write_b32:
    case Op::v_accvgpr_mov_b32:
      return true;
    default:
      return false;
  }
}

void write(PathState& state, const Operand& operand, const PathValue& value) {
  const auto reg = register_of(operand);
  if (!reg) return;
  for (unsigned k = 0; k < operand.dwords; ++k)
    state.registers[*reg + k] = {mix(value.number + k), value.depends, value.is_shared};
}

void copy(PathState& state, const Operand& to, unsigned dword, PathValue value) {
  if (const auto reg = register_of(to)) state.registers[*reg + dword] = value;
}

PathValue sources(const PathState& state, const DecodedInstruction& instruction) {
  PathValue value{mix(instruction.address)};
  for (unsigned k = 0; k < instruction.src_count; ++k) value = combine(value, read_all(state, instruction.src[k]));
  return value;
}

uint64_t address_of(const PathState& state, const DecodedInstruction& instruction, bool& depends) {
  PathValue value{mix(static_cast<uint64_t>(instruction.encoding))};
  const bool is_buffer = instruction.encoding == Encoding::kMubuf;
  for (unsigned k = 0; k < instruction.src_count; ++k) {
    const bool is_data = instruction.dst_count == 0 && k == (is_buffer ? 0u : 1u);
    if (!is_data) value = combine(value, read_all(state, instruction.src[k]));
  }
  depends = value.depends;
  return value.number;
}

bool load_scalar(PathState& state, const DecodedInstruction& instruction) {
  if (instruction.dst_count == 0) return false;
  PathValue value = sources(state, instruction);
  if (!has(op_name(instruction.op), "load")) value.number = mix(value.number ^ state.round);  // a clock
  write(state, instruction.dst[0], value);
  return true;
}

// Registers that spill are kept in lanes.
void move_lane(PathState& state, const DecodedInstruction& instruction) {
  const bool reads = instruction.op == Op::v_readlane_b32;
  const Operand& vector = reads ? instruction.src[0] : instruction.dst[0];
  const uint32_t lane = kWaitLanes + uint32_t{vector.index} * 64 + static_cast<uint32_t>(instruction.src[1].value & 63);
  if (!reads) {
    state.registers[lane] = read_dword(state, instruction.src[0], 0);
  } else if (state.registers.contains(lane)) {
    copy(state, instruction.dst[0], 0, state.read(lane));
  } else {
    write(state, instruction.dst[0], combine(state.read(lane), read_all(state, vector)));
  }
}

void compute(PathState& state, const DecodedInstruction& instruction) {
  const OpFacts& facts = facts_of(instruction.op);
  if (is_copy(instruction)) {
    for (unsigned k = 0; k < instruction.dst[0].dwords; ++k) {
      PathValue value = read_dword(state, instruction.src[0], k);
      // The choice of the constant reveals which way the branch went.
      value.depends |= state.has_parted && instruction.src[0].kind == Operand::Kind::kConstant;
      copy(state, instruction.dst[0], k, value);
    }
    return;
  }
  if (instruction.op == Op::v_pk_mov_b32) {
    const PathValue low = read_dword(state, instruction.src[0], instruction.op_sel & 1);
    const PathValue high = read_dword(state, instruction.src[1], instruction.op_sel >> 1 & 1);
    copy(state, instruction.dst[0], 0, low);
    return copy(state, instruction.dst[0], 1, high);
  }
  const bool is_lane_move = instruction.op == Op::v_writelane_b32 || instruction.op == Op::v_readlane_b32;
  if (is_lane_move && instruction.src[1].kind == Operand::Kind::kConstant) return move_lane(state, instruction);
  // Lanes that left come back.
  const bool is_or = instruction.op == Op::s_or_b64 || instruction.op == Op::s_or_b32;
  if (is_or && is_of_exec(instruction.dst[0]) && (is_of_exec(instruction.src[0]) || is_of_exec(instruction.src[1]))) {
    const Operand& lanes = instruction.src[is_of_exec(instruction.src[0]) ? 1 : 0];
    for (unsigned k = 0; k < lanes.dwords; ++k) copy(state, instruction.dst[0], k, read_dword(state, lanes, k));
    return;
  }
  PathValue value = sources(state, instruction);
  if (facts.has(kReadsScc)) value = combine(value, state.read(kWaitScc));
  if (reads_destination(instruction)) value = combine(value, read_all(state, instruction.dst[0]));
  if (facts.has(kSavesExec)) {
    const PathValue exec[] = {state.read(kExec), state.read(kExec + 1)};
    value = combine(value, combine(exec[0], exec[1]));
    for (unsigned k = 0; k < instruction.dst[0].dwords; ++k) copy(state, instruction.dst[0], k, exec[k]);
  } else {
    for (unsigned k = 0; k < instruction.dst_count; ++k) write(state, instruction.dst[k], value);
  }
  if (facts.effect == OpEffect::kWritesExec) state.registers[kExec] = state.registers[kExec + 1] = value;
  if (facts.counted_as == InstructionClass::kSalu && !facts.has(kKeepsScc)) state.registers[kWaitScc] = value;
}

}  // namespace

PathValue combine(const PathValue& a, const PathValue& b) {
  return {mix(a.number * 3 + b.number), a.depends || b.depends, a.is_shared || b.is_shared};
}

PathValue read_dword(const PathState& state, const Operand& operand, unsigned dword) {
  if (const auto reg = register_of(operand)) return state.read(*reg + dword);
  PathValue value{mix(operand.value ^ uint64_t{operand.index} << 40 ^ dword)};
  if (operand.kind == Operand::Kind::kConstant) value.constant = static_cast<uint32_t>(operand.value >> 32 * dword);
  return value;
}

PathValue read_all(const PathState& state, const Operand& operand) {
  PathValue value;
  for (unsigned k = 0; k < operand.dwords; ++k) value = combine(value, read_dword(state, operand, k));
  return value;
}

void PathFollower::load(PathState& state, const DecodedInstruction& instruction) {
  ++state.round;
  state.has_parted = false;
  const uint64_t number = mix(instruction.address ^ uint64_t{state.round} << 48);
  for (unsigned k = 0; k < instruction.dst_count; ++k) write(state, instruction.dst[k], {number, true, true});
}

bool PathFollower::follow(PathState& state, const DecodedInstruction& instruction) {
  switch (instruction.counted_as) {
    case InstructionClass::kVectorMemory:
      return access(state, instruction);
    case InstructionClass::kSmem:
      return load_scalar(state, instruction);
    case InstructionClass::kBranch:
    case InstructionClass::kBarrier:
    case InstructionClass::kCount:
      return false;
    case InstructionClass::kOther:
      if (instruction.encoding == Encoding::kSmem || instruction.encoding == Encoding::kMubuf)
        return instruction.src_count == 0;  // cache control
      return facts_of(instruction.op).has(kPassesTime);
    default:
      compute(state, instruction);
      return instruction.encoding != Encoding::kInvalid;
  }
}

PathValue PathFollower::condition(const PathState& state, BranchCondition condition) {
  switch (condition) {
    case BranchCondition::kScc0:
    case BranchCondition::kScc1:
      return state.read(kWaitScc);
    case BranchCondition::kVccz:
    case BranchCondition::kVccnz:
      return combine(state.read(kVcc), state.read(kVcc + 1));
    case BranchCondition::kExecz:
    case BranchCondition::kExecnz:
      return combine(state.read(kExec), state.read(kExec + 1));
    case BranchCondition::kNone:
      break;
  }
  return {};
}

bool PathFollower::access(PathState& state, const DecodedInstruction& instruction) {
  const std::string_view name = op_name(instruction.op);
  if (instruction.gds || instruction.lds || instruction.encoding == Encoding::kMtbuf) return false;
  if (instruction.encoding == Encoding::kDs && (has(name, "permute") || has(name, "swizzle"))) {
    compute(state, instruction);
    return true;
  }
  const bool is_load = instruction.dst_count > 0 && (has(name, "load") || has(name, "ds_read"));
  const bool may_be_private = instruction.encoding == Encoding::kFlat || instruction.encoding == Encoding::kMubuf ||
                              instruction.encoding == Encoding::kScratch;
  if (!may_be_private) {
    if (!is_load) return false;
    PathValue value = sources(state, instruction);
    value.number = mix(value.number ^ state.round);  // another wave may have stored since
    value.is_shared = true;
    write(state, instruction.dst[0], value);
    return true;
  }
  bool depends = false;
  const uint64_t slot = address_of(state, instruction, depends) + static_cast<uint64_t>(int64_t{instruction.offset});
  if (is_load) {
    for (unsigned k = 0; k < instruction.dst[0].dwords; ++k) {
      const auto found = state.slots.find(slot + 4 * k);
      PathValue value = found == state.slots.end() ? PathValue{mix(slot + 4 * k)} : found->second;
      value.depends |= depends;
      copy(state, instruction.dst[0], k, value);
    }
    return true;
  }
  if (!has(name, "store")) return false;
  if (instruction.encoding != Encoding::kScratch) stores_.push_back(instruction.address);
  const Operand& data = instruction.src[instruction.encoding == Encoding::kMubuf ? 0 : 1];
  for (unsigned k = 0; k < data.dwords; ++k) state.slots[slot + 4 * k] = read_dword(state, data, k);
  return true;
}

}  // namespace kernloop::softgpu
