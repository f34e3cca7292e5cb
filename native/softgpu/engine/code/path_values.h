// The registers after one path through code, for wait_loops.h: a number for each value, the same if the value is
// certainly the same.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "softgpu/engine/wave/decoded_instruction.h"
#include "softgpu/engine/wave/permutation.h"

namespace kernloop::softgpu {

struct PathValue {
  uint64_t number = 0;
  bool depends = false;    // on what the load gave
  bool is_shared = false;  // it depends on the result of that or another load of shared memory
  std::optional<uint32_t> constant = std::nullopt;
};

PathValue combine(const PathValue& a, const PathValue& b);

struct PathState {
  std::unordered_map<uint32_t, PathValue> registers;
  std::unordered_map<uint64_t, PathValue> slots;  // private memory, by address
  unsigned round = 0;
  bool has_parted = false;  // by a branch that depends on the load

  PathValue read(uint32_t reg) const {
    const auto found = registers.find(reg);
    return found == registers.end() ? PathValue{mix(reg + 1)} : found->second;
  }
};

PathValue read_dword(const PathState& state, const Operand& operand, unsigned dword);
PathValue read_all(const PathState& state, const Operand& operand);

class PathFollower {
 public:
  // `stores`: takes the stores on the path that have to be to private memory.
  explicit PathFollower(std::vector<uint64_t>& stores) : stores_(stores) {}

  // Starts with the load whose loop is searched for.
  void load(PathState& state, const DecodedInstruction& instruction);
  // False: a wave on this path does not just wait.
  bool follow(PathState& state, const DecodedInstruction& instruction);
  // By what a branch is decided.
  static PathValue condition(const PathState& state, BranchCondition condition);

 private:
  bool access(PathState& state, const DecodedInstruction& instruction);

  std::vector<uint64_t>& stores_;
};

}  // namespace kernloop::softgpu
