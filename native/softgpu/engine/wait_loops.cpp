#include "softgpu/engine/wait_loops.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <tuple>
#include <utility>

#include "softgpu/engine/permutation.h"
#include "softgpu/engine/wave.h"

namespace kernloop::softgpu {

namespace {

constexpr unsigned kMostSteps = 4096;  // on all paths; a loop that waits is short
constexpr uint32_t kWaitScc = 253, kWaitVgprs = 256, kWaitAgprs = 512, kWaitLanes = 1024;

struct Value {
  uint64_t number = 0;
  bool depends = false;    // on what the load gave
  bool is_shared = false;  // it depends on what that or another load of shared memory gave
  std::optional<uint32_t> constant = std::nullopt;
};

struct State {
  std::unordered_map<uint32_t, Value> registers;
  std::unordered_map<uint64_t, Value> slots;  // of private memory, by address
  unsigned round = 0;
  bool has_parted = false;  // by a branch that depends on the load

  Value read(uint32_t reg) const {
    const auto found = registers.find(reg);
    return found == registers.end() ? Value{mix(reg + 1)} : found->second;
  }
};

Value combine(const Value& a, const Value& b) {
  return {mix(a.number * 3 + b.number), a.depends || b.depends, a.is_shared || b.is_shared};
}

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

Value read_dword(const State& state, const Operand& operand, unsigned dword) {
  if (const auto reg = register_of(operand)) return state.read(*reg + dword);
  Value value{mix(operand.value ^ uint64_t{operand.index} << 40 ^ dword)};
  if (operand.kind == Operand::Kind::kConstant) value.constant = static_cast<uint32_t>(operand.value >> 32 * dword);
  return value;
}

Value read_all(const State& state, const Operand& operand) {
  Value value;
  for (unsigned k = 0; k < operand.dwords; ++k) value = combine(value, read_dword(state, operand, k));
  return value;
}

bool is_of_exec(const Operand& operand) {
  return operand.kind == Operand::Kind::kSgpr && operand.index == kExec;
}

bool has(std::string_view name, std::string_view part) {
  return name.find(part) != std::string_view::npos;
}

// Leaves the condition code as it was.
bool keeps_scc(std::string_view name) {
  static constexpr std::array<std::string_view, 13> kParts = {"mov",    "cselect", "s_mul_", "brev",    "s_bfm",
                                                              "s_pack", "s_ff",    "s_ctz",  "s_flbit", "s_cl",
                                                              "bitset", "reg",     "sext"};
  return std::any_of(kParts.begin(), kParts.end(), [&](std::string_view part) { return has(name, part); });
}

bool reads_scc(std::string_view name) {
  return has(name, "cselect") || has(name, "cmov") || has(name, "addc") || has(name, "subb") ||
         has(name, "add_co_ci") || has(name, "sub_co_ci");
}

// A part of what it writes, or of what it computes with, is what its destination held.
bool reads_destination(const Instruction& instruction, std::string_view name) {
  if (instruction.is_dpp || (instruction.is_sdwa && instruction.dst_unused == 2)) return true;
  if (facts_of(instruction.op).has(kLowHalf) || facts_of(instruction.op).has(kHighHalf)) return true;
  if (instruction.encoding == Encoding::kSopK && !has(name, "s_movk") && !has(name, "getreg")) return true;
  return has(name, "mac") || has(name, "dot2c") || has(name, "cmov") || has(name, "bitset") || has(name, "v_swap");
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

// Follows what one path does to the registers.
class Follower {
 public:
  explicit Follower(std::vector<uint64_t>& stores) : stores_(stores) {}

  // The load whose loop is looked for.
  void load(State& state, const DecodedInstruction& instruction) {
    ++state.round;
    state.has_parted = false;
    const uint64_t number = mix(instruction.address ^ uint64_t{state.round} << 48);
    for (unsigned k = 0; k < instruction.dst_count; ++k) write(state, instruction.dst[k], {number, true, true});
  }

  // False: whoever comes here does not just wait.
  bool follow(State& state, const DecodedInstruction& instruction) {
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
          return instruction.src_count == 0;  // of a cache
        return instruction.encoding == Encoding::kSopP && may_pass(instruction.op);
      default:
        compute(state, instruction);
        return instruction.encoding != Encoding::kInvalid;
    }
  }

  static Value condition(const State& state, BranchCondition condition) {
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

 private:
  static bool may_pass(Op op) {
    const std::string_view name = op_name(op);
    return has(name, "s_waitcnt") || has(name, "s_wait_idle") || has(name, "s_nop") || has(name, "s_sleep") ||
           has(name, "s_setprio") || has(name, "s_delay_alu") || has(name, "s_clause") || has(name, "prefetch") ||
           has(name, "s_icache_inv") || has(name, "s_wakeup");
  }

  static void write(State& state, const Operand& operand, const Value& value) {
    const auto reg = register_of(operand);
    if (!reg) return;
    for (unsigned k = 0; k < operand.dwords; ++k)
      state.registers[*reg + k] = {mix(value.number + k), value.depends, value.is_shared};
  }

  static void copy(State& state, const Operand& to, unsigned dword, Value value) {
    if (const auto reg = register_of(to)) state.registers[*reg + dword] = value;
  }

  static Value sources(const State& state, const DecodedInstruction& instruction) {
    Value value{mix(instruction.address)};
    for (unsigned k = 0; k < instruction.src_count; ++k) value = combine(value, read_all(state, instruction.src[k]));
    return value;
  }

  static uint64_t address_of(const State& state, const DecodedInstruction& instruction, bool& depends) {
    Value value{mix(static_cast<uint64_t>(instruction.encoding))};
    const bool is_buffer = instruction.encoding == Encoding::kMubuf;
    for (unsigned k = 0; k < instruction.src_count; ++k) {
      const bool is_data = instruction.dst_count == 0 && k == (is_buffer ? 0u : 1u);
      if (!is_data) value = combine(value, read_all(state, instruction.src[k]));
    }
    depends = value.depends;
    return value.number;
  }

  bool access(State& state, const DecodedInstruction& instruction) {
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
      Value value = sources(state, instruction);
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
        Value value = found == state.slots.end() ? Value{mix(slot + 4 * k)} : found->second;
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

  static bool load_scalar(State& state, const DecodedInstruction& instruction) {
    if (instruction.dst_count == 0) return false;
    Value value = sources(state, instruction);
    if (!has(op_name(instruction.op), "load")) value.number = mix(value.number ^ state.round);  // a clock
    write(state, instruction.dst[0], value);
    return true;
  }

  static void compute(State& state, const DecodedInstruction& instruction) {
    const std::string_view name = op_name(instruction.op);
    const bool is_scalar = instruction.counted_as == InstructionClass::kSalu;
    if (is_copy(instruction)) {
      for (unsigned k = 0; k < instruction.dst[0].dwords; ++k) {
        Value value = read_dword(state, instruction.src[0], k);
        // Which constant it is tells which way the branch went.
        value.depends |= state.has_parted && instruction.src[0].kind == Operand::Kind::kConstant;
        copy(state, instruction.dst[0], k, value);
      }
      return;
    }
    if (instruction.op == Op::v_pk_mov_b32) {
      const Value low = read_dword(state, instruction.src[0], instruction.op_sel & 1);
      const Value high = read_dword(state, instruction.src[1], instruction.op_sel >> 1 & 1);
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
    Value value = sources(state, instruction);
    if (is_scalar && reads_scc(name)) value = combine(value, state.read(kWaitScc));
    if (reads_destination(instruction, name)) value = combine(value, read_all(state, instruction.dst[0]));
    if (has(name, "saveexec")) {
      const Value exec[] = {state.read(kExec), state.read(kExec + 1)};
      value = combine(value, combine(exec[0], exec[1]));
      for (unsigned k = 0; k < instruction.dst[0].dwords; ++k) copy(state, instruction.dst[0], k, exec[k]);
    } else {
      for (unsigned k = 0; k < instruction.dst_count; ++k) write(state, instruction.dst[k], value);
    }
    if (facts_of(instruction.op).effect == OpEffect::kWritesExec)
      state.registers[kExec] = state.registers[kExec + 1] = value;
    if (is_scalar && !keeps_scc(name)) state.registers[kWaitScc] = value;
  }

  // Registers that spill are kept in lanes.
  static void move_lane(State& state, const DecodedInstruction& instruction) {
    const bool reads = instruction.op == Op::v_readlane_b32;
    const Operand& vector = reads ? instruction.src[0] : instruction.dst[0];
    const uint32_t lane =
        kWaitLanes + uint32_t{vector.index} * 64 + static_cast<uint32_t>(instruction.src[1].value & 63);
    if (!reads) {
      state.registers[lane] = read_dword(state, instruction.src[0], 0);
    } else if (state.registers.contains(lane)) {
      copy(state, instruction.dst[0], 0, state.read(lane));
    } else {
      write(state, instruction.dst[0], combine(state.read(lane), read_all(state, vector)));
    }
  }

  std::vector<uint64_t>& stores_;
};

// All paths from a load to where the same address is looked at again: by itself, or by the load of a loop behind it.
class Paths {
 public:
  using FindLoop = std::function<const WaitLoop*(uint64_t pc)>;
  // `find_loop`: for paths to the loop of another load.
  Paths(const WaitLoops::Decode& decode, const DecodedInstruction& load, FindLoop find_loop = nullptr)
      : decode_(decode), load_(load), find_loop_(std::move(find_loop)) {}

  std::optional<WaitLoop> find() {
    State state;
    Follower(passing_stores_).load(state, load_);
    explore(load_.address + load_.size_bytes, std::move(state), {});
    if (steps_ > kMostSteps) return std::nullopt;
    for (const Path& path : paths_) {
      if (is_decided(path)) return WaitLoop{path.stores, path.in_lds};
    }
    return std::nullopt;
  }

 private:
  struct Turn {
    uint64_t branch;
    bool is_taken, depends, is_shared;
    bool operator==(const Turn& other) const { return branch == other.branch && is_taken == other.is_taken; }
  };
  struct Path {
    std::vector<const DecodedInstruction*> instructions;  // behind the load
    std::vector<Turn> turns;
    std::vector<uint64_t> stores;
    std::optional<WaitLoop::Place> in_lds;
  };

  void explore(uint64_t pc, State state, Path path) {
    while (++steps_ <= kMostSteps) {
      if (pc == load_.address) return find_loop_ ? void() : end(std::move(state), std::move(path));
      const DecodedInstruction* const instruction = decode_(pc);
      if (!instruction) return;
      if (find_loop_ && enters_loop(state, *instruction, path)) return paths_.push_back(std::move(path));
      const uint64_t next = pc + instruction->size_bytes;
      const uint64_t target = next + static_cast<uint64_t>(int64_t{instruction->simm16} * 4);
      if (instruction->op == Op::s_branch) {
        pc = target;
        continue;
      }
      const BranchCondition condition = facts_of(instruction->op).branch;
      if (condition == BranchCondition::kNone) {
        if (!Follower(path.stores).follow(state, *instruction)) return;
        path.instructions.push_back(instruction);
        pc = next;
        continue;
      }
      // No path goes through an inner loop more than once.
      if (std::any_of(path.turns.begin(), path.turns.end(), [&](const Turn& turn) { return turn.branch == pc; }))
        return;
      const Value value = Follower::condition(state, condition);
      state.has_parted |= value.depends;
      path.turns.push_back({pc, true, value.depends, value.is_shared});
      explore(target, state, path);
      path.turns.back().is_taken = false;
      pc = next;
    }
  }

  static Value address(const State& state, const DecodedInstruction& load) {
    Value value;
    for (unsigned k = 0; k < load.src_count; ++k) value = combine(value, read_all(state, load.src[k]));
    return value;
  }

  // The instruction is the load of a loop that waits where this load looked. Its address may be loaded anew.
  bool enters_loop(const State& state, const DecodedInstruction& instruction, Path& path) const {
    const auto immediates = [](const Instruction& of) { return std::tuple(of.op, of.offset, of.offset0, of.offset1); };
    if (!state.has_parted || immediates(instruction) != immediates(load_)) return false;
    if (address(state, instruction).number != address({}, load_).number) {
      const std::optional<uint32_t> constant = read_dword(state, instruction.src[0], 0).constant;
      if (instruction.encoding != Encoding::kDs || !constant) return false;
      path.in_lds = {*constant + static_cast<uint32_t>(instruction.offset), uint32_t{instruction.dst[0].dwords} * 4};
    }
    const WaitLoop* const loop = find_loop_(instruction.address);
    if (!loop || loop->in_lds) return false;
    path.stores.insert(path.stores.end(), loop->stores.begin(), loop->stores.end());
    return true;
  }

  void end(State state, Path path) {
    const Value first = address(state, load_);
    std::vector<uint64_t> again;
    Follower follower(again);
    follower.load(state, load_);
    for (const DecodedInstruction* instruction : path.instructions) follower.follow(state, *instruction);
    const Value second = address(state, load_);
    if (first.number == second.number && !second.depends) paths_.push_back(std::move(path));
  }

  // Whether a path is like this one up to a turn, and goes the other way there.
  static bool part(const Path& one, const Path& other, size_t at) {
    return other.turns.size() > at && std::equal(&one.turns[0], &one.turns[at], other.turns.begin()) &&
           other.turns[at].branch == one.turns[at].branch && other.turns[at].is_taken != one.turns[at].is_taken;
  }

  // Behind this turn, the path comes back by another load's value: it waits for more than one thing.
  bool waits_for_another(const Path& path, size_t turn) const {
    for (size_t at = turn + 1; at < path.turns.size(); ++at) {
      if (!path.turns[at].is_shared) continue;
      if (std::none_of(paths_.begin(), paths_.end(), [&](const Path& other) { return part(path, other, at); }))
        return true;
    }
    return false;
  }

  // With another value it would be none of these paths.
  bool is_decided(const Path& path) const {
    for (size_t at = 0; at < path.turns.size(); ++at) {
      if (!path.turns[at].depends) continue;
      const bool comes_back_anyway = std::any_of(paths_.begin(), paths_.end(), [&](const Path& other) {
        return part(path, other, at) && !waits_for_another(other, at);
      });
      if (!comes_back_anyway) return true;
    }
    return false;
  }

  const WaitLoops::Decode& decode_;
  const DecodedInstruction& load_;
  const FindLoop find_loop_;
  unsigned steps_ = 0;
  std::vector<uint64_t> passing_stores_;
  std::vector<Path> paths_;
};

}  // namespace

std::optional<WaitLoop> WaitLoops::find_around(uint64_t pc) {
  const DecodedInstruction* const load = decode_(pc);
  if (!load || load->dst_count == 0) return std::nullopt;
  if (std::optional<WaitLoop> own = Paths(decode_, *load).find()) return own;
  return Paths(decode_, *load, [this](uint64_t other) { return find(other); }).find();
}

const WaitLoop* WaitLoops::find(uint64_t pc) {
  const auto [known, is_new] = known_.try_emplace(pc);
  std::optional<WaitLoop>& loop = known->second;
  if (is_new) loop = find_around(pc);  // which finds none around loads in front of each other's loops
  return loop ? &*loop : nullptr;
}

}  // namespace kernloop::softgpu
