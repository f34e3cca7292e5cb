#include "softgpu/engine/code/wait_loops.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "softgpu/engine/code/path_values.h"

namespace kernloop::softgpu {

namespace {

constexpr unsigned kMostLoopSteps = 4096;  // on all paths; a loop that waits is short

// All paths from a load to the next load of the same address: by itself, or by the load of a loop behind it.
class Paths {
 public:
  using FindLoop = std::function<const WaitLoop*(uint64_t pc)>;
  // `find_loop`: for paths to the loop of another load.
  Paths(const WaitLoops::Decode& decode, const DecodedInstruction& load, FindLoop find_loop = nullptr)
      : decode_(decode), load_(load), find_loop_(std::move(find_loop)) {}

  std::optional<WaitLoop> find() {
    PathState state;
    PathFollower(passing_stores_).load(state, load_);
    explore(load_.address + load_.size_bytes, std::move(state), {});
    if (steps_ > kMostLoopSteps) return std::nullopt;
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

  void explore(uint64_t pc, PathState state, Path path) {
    while (++steps_ <= kMostLoopSteps) {
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
        if (!PathFollower(path.stores).follow(state, *instruction)) return;
        path.instructions.push_back(instruction);
        pc = next;
        continue;
      }
      // No path goes through an inner loop more than once.
      if (std::any_of(path.turns.begin(), path.turns.end(), [&](const Turn& turn) { return turn.branch == pc; }))
        return;
      const PathValue value = PathFollower::condition(state, condition);
      state.has_parted |= value.depends;
      path.turns.push_back({pc, true, value.depends, value.is_shared});
      explore(target, state, path);
      path.turns.back().is_taken = false;
      pc = next;
    }
  }

  static PathValue address(const PathState& state, const DecodedInstruction& load) {
    PathValue value;
    for (unsigned k = 0; k < load.src_count; ++k) value = combine(value, read_all(state, load.src[k]));
    return value;
  }

  // The instruction is the load of a loop that waits for this load's address. The address may be loaded anew.
  bool enters_loop(const PathState& state, const DecodedInstruction& instruction, Path& path) const {
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

  void end(PathState state, Path path) {
    const PathValue first = address(state, load_);
    std::vector<uint64_t> again;
    PathFollower follower(again);
    follower.load(state, load_);
    for (const DecodedInstruction* instruction : path.instructions) follower.follow(state, *instruction);
    const PathValue second = address(state, load_);
    if (first.number == second.number && !second.depends) paths_.push_back(std::move(path));
  }

  // Whether the paths are alike up to a turn, and part there.
  static bool part(const Path& one, const Path& other, size_t at) {
    return other.turns.size() > at && std::equal(&one.turns[0], &one.turns[at], other.turns.begin()) &&
           other.turns[at].branch == one.turns[at].branch && other.turns[at].is_taken != one.turns[at].is_taken;
  }

  // After this turn, the path returns because of another load's value: it waits for more than one thing.
  bool waits_for_another(const Path& path, size_t turn) const {
    for (size_t at = turn + 1; at < path.turns.size(); ++at) {
      if (!path.turns[at].is_shared) continue;
      if (std::none_of(paths_.begin(), paths_.end(), [&](const Path& other) { return part(path, other, at); }))
        return true;
    }
    return false;
  }

  // With another value it would be a different path.
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
  if (is_new) loop = find_around(pc);  // finds none around loads in front of each other's loops
  return loop ? &*loop : nullptr;
}

}  // namespace kernloop::softgpu
