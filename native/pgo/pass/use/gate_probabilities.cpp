#include "pgo/pass/use/gate_probabilities.h"

#include <llvm/CodeGen/MachineDominators.h>

#include <algorithm>
#include <numeric>

namespace kernloop::pgo_pass {

namespace {

// BranchProbabilityInfo's own weights for edges that stay in a loop and that leave it.
constexpr uint64_t kStays = 124, kLeaves = 4;

void set_weights(llvm::MachineBasicBlock& block, const std::vector<uint64_t>& weights) {
  const uint64_t sum = std::accumulate(weights.begin(), weights.end(), uint64_t{0});
  size_t i = 0;
  for (auto next = block.succ_begin(); next != block.succ_end(); ++next, ++i)
    block.setSuccProbability(next, llvm::BranchProbability::getBranchProbability(weights[i], sum));
}

// LLVM's guess without a profile: loops repeat, other branches go either way.
void set_estimate(llvm::MachineBasicBlock& block, const llvm::MachineLoopInfo& loops) {
  const auto* loop = loops.getLoopFor(&block);
  std::vector<uint64_t> weights;
  for (const auto* next : block.successors()) weights.push_back(!loop || loop->contains(next) ? kStays : kLeaves);
  set_weights(block, weights);
}

bool leads_to_divergent(const llvm::MachineBasicBlock& block, const MachineProfile& profile) {
  return std::any_of(block.succ_begin(), block.succ_end(), [&](const llvm::MachineBasicBlock* next) {
    const auto* info = profile.blocks[static_cast<size_t>(next->getNumber())].info;
    return info && info->letter == 'D';
  });
}

bool set_branch(llvm::MachineBasicBlock& block, const MachineProfile& profile, const llvm::MachineLoopInfo& loops,
                Gate gate) {
  const auto& waves = profile.branches[static_cast<size_t>(block.getNumber())].waves;
  switch (gate) {
    case Gate::off:
      return false;
    case Gate::uniform:
      if (!leads_to_divergent(block, profile)) return false;
      set_estimate(block, loops);
      return true;
    case Gate::flatten:
      set_estimate(block, loops);
      return true;
    case Gate::wave:
      // If no wave came by, or it is unknown, the profile's lanes stay.
      if (std::all_of(waves.begin(), waves.end(), [](uint64_t count) { return count == 0; })) return false;
      set_weights(block, waves);
      return true;
  }
  return false;
}

}  // namespace

void SavedProbabilities::save(llvm::MachineFunction& function) {
  branches_.clear();
  for (auto& block : function) {
    if (block.succ_size() < 2) continue;
    Branch branch{&block, {}, {}};
    for (auto next = block.succ_begin(); next != block.succ_end(); ++next) {
      branch.successors.push_back(*next);
      branch.probabilities.push_back(block.getSuccProbability(next));
    }
    branches_.push_back(std::move(branch));
  }
}

void SavedProbabilities::restore(llvm::MachineFunction& function) {
  for (auto& block : function) {
    const auto found =
        std::find_if(branches_.begin(), branches_.end(), [&](const Branch& branch) { return branch.block == &block; });
    if (found == branches_.end()) continue;
    for (auto next = block.succ_begin(); next != block.succ_end(); ++next) {
      const auto to = std::find(found->successors.begin(), found->successors.end(), *next);
      if (to != found->successors.end())
        block.setSuccProbability(next, found->probabilities[static_cast<size_t>(to - found->successors.begin())]);
    }
  }
  branches_.clear();
}

GateResult set_probabilities(llvm::MachineFunction& function, const MachineProfile& profile, Gate gate) {
  GateResult result;
  llvm::MachineDominatorTree dominators(function);
  llvm::MachineLoopInfo loops(dominators);
  for (auto& block : function) {
    if (block.succ_size() < 2) continue;
    ++result.branches;
    result.set += set_branch(block, profile, loops, gate);
  }
  return result;
}

}  // namespace kernloop::pgo_pass
