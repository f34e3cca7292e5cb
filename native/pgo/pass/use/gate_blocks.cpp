#include "pgo/pass/use/gate_blocks.h"

#include <llvm/ADT/DepthFirstIterator.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/CodeGen/MachineBlockFrequencyInfo.h>
#include <llvm/CodeGen/MachineBranchProbabilityInfo.h>
#include <llvm/CodeGen/MachineDominators.h>
#include <llvm/CodeGen/MachineLoopInfo.h>
#include <llvm/CodeGen/MachinePostDominators.h>
#include <llvm/ProfileData/InstrProf.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "pgo/pass/use/flow.h"

namespace kernloop::pgo_pass {

void ProfiledBlocks::collect(llvm::Function& function) {
  blocks_.clear();
  for (auto& block : function)
    if (auto info = info_of(block)) blocks_.push_back({llvm::WeakVH(&block), std::move(*info)});
}

llvm::DenseMap<const llvm::BasicBlock*, const BlockInfo*> ProfiledBlocks::by_block() const {
  llvm::DenseMap<const llvm::BasicBlock*, const BlockInfo*> result;
  for (const auto& entry : blocks_)
    if (const llvm::Value* block = entry.block) result[llvm::cast<llvm::BasicBlock>(block)] = &entry.info;
  return result;
}

namespace {

size_t number_of(const llvm::MachineBasicBlock& block) {
  return static_cast<size_t>(block.getNumber());
}

// Instruction selection and later passes split blocks: the pieces all name the same IR block, and only the one that is
// entered from other blocks is known to be visited as often as the block. If several are, none is known.
bool is_entry_piece(const llvm::MachineBasicBlock& piece) {
  const auto from_elsewhere = [](const llvm::MachineBasicBlock& block) {
    if (block.pred_empty()) return true;
    for (const auto* before : block.predecessors())
      if (before->getBasicBlock() != block.getBasicBlock()) return true;
    return false;
  };
  if (!from_elsewhere(piece)) return piece.pred_size() == 1 && *piece.pred_begin() == &piece;
  for (const auto& other : *piece.getParent())
    if (&other != &piece && other.getBasicBlock() == piece.getBasicBlock() && from_elsewhere(other)) return false;
  return true;
}

// Whether control can return from a block to itself without passing the other one: a `continue` does, though the other
// block is on all ways in and out.
bool goes_round_without(const llvm::MachineBasicBlock& block, const llvm::MachineBasicBlock& other) {
  llvm::SmallPtrSet<const llvm::MachineBasicBlock*, 16> seen;
  llvm::SmallVector<const llvm::MachineBasicBlock*, 16> open(block.succ_begin(), block.succ_end());
  while (!open.empty()) {
    const auto* next = open.pop_back_val();
    if (next == &block) return true;
    if (next == &other || !seen.insert(next).second) continue;
    open.append(next->succ_begin(), next->succ_end());
  }
  return false;
}

// Blocks of which each is executed exactly when the other is.
void find_classes(llvm::MachineFunction& function, FlowGraph& graph) {
  llvm::MachineDominatorTree dominators(function);
  llvm::MachinePostDominatorTree post_dominators(function);
  llvm::MachineLoopInfo loops(dominators);
  for (const auto* node : llvm::depth_first(dominators.getRootNode())) {
    const auto* block = node->getBlock();
    for (const auto* up = node->getIDom(); up; up = up->getIDom()) {
      const auto* above = up->getBlock();
      if (loops.getLoopFor(above) != loops.getLoopFor(block) || !post_dominators.dominates(block, above)) continue;
      if (goes_round_without(*above, *block) || goes_round_without(*block, *above)) continue;
      graph.together[number_of(*block)] = graph.together[number_of(*above)];
      break;
    }
  }
}

FlowGraph graph_of(llvm::MachineFunction& function) {
  const size_t outside = function.getNumBlockIDs();
  FlowGraph graph(outside + 1);
  graph.add_edge(outside, number_of(function.front()));
  for (const auto& block : function) {
    for (const auto* next : block.successors()) graph.add_edge(number_of(block), number_of(*next));
    if (block.succ_empty()) graph.add_edge(number_of(block), outside);
  }
  find_classes(function, graph);
  return graph;
}

// The machine blocks that are copies of one block, with the waves that came by all of them together.
struct Copies {
  uint64_t waves = 0;
  std::vector<size_t> numbers;
};

// Solves block counts from measurements of this function alone: an inlined function's counts cover all its calls.
class MeasuredWaves {
 public:
  MeasuredWaves(const std::string& of, const MachineProfile& profile, const std::vector<double>& frequencies,
                FlowGraph& graph)
      : frequencies_(frequencies), graph_(graph) {
    for (const auto& entry : profile.blocks) {
      if (!entry.block || !entry.info || entry.info->function != of || !entry.info->waves) continue;
      if (!is_entry_piece(*entry.block)) continue;
      auto& copies = copies_[entry.info->block];
      copies.waves = *entry.info->waves;
      copies.numbers.push_back(number_of(*entry.block));
    }
  }

  void solve_all() {
    for (auto& [block, copies] : copies_)
      if (copies.numbers.size() == 1) graph_.counts[copies.numbers.front()] = copies.waves;
    do solve(graph_);
    while (settle_copies(/*guess=*/false) || settle_copies(/*guess=*/true));
  }

 private:
  // Distributes a block's count over its copies: the rest is for the last one, or for several that are visited alike. A
  // guess uses the frequencies of the profile's lanes.
  bool settle_copies(bool guess) {
    for (const auto& [block, copies] : copies_) {
      uint64_t left = copies.waves;
      std::vector<size_t> open;
      for (size_t number : copies.numbers) {
        if (graph_.counts[number])
          left -= std::min(left, *graph_.counts[number]);
        else
          open.push_back(number);
      }
      if (open.empty()) continue;
      const bool alike = std::all_of(open.begin(), open.end(), [&](size_t number) {
        return graph_.together[number] == graph_.together[open.front()];
      });
      if (!alike && !guess) continue;
      share(left, open, alike);
      return true;
    }
    return false;
  }

  void share(uint64_t left, const std::vector<size_t>& open, bool alike) {
    double sum = 0;
    for (size_t number : open) sum += frequencies_[number];
    for (size_t number : open) {
      const double part = alike || sum == 0 ? 1.0 / static_cast<double>(open.size()) : frequencies_[number] / sum;
      graph_.counts[number] = static_cast<uint64_t>(static_cast<double>(left) * part);
    }
  }

  const std::vector<double>& frequencies_;
  FlowGraph& graph_;
  std::map<unsigned, Copies> copies_;
};

std::vector<double> frequencies_of(llvm::MachineFunction& function) {
  llvm::MachineBranchProbabilityInfo probabilities;
  llvm::MachineDominatorTree dominators(function);
  llvm::MachineLoopInfo loops(dominators);
  const llvm::MachineBlockFrequencyInfo frequencies(function, probabilities, loops);
  std::vector<double> result(function.getNumBlockIDs());
  for (const auto& block : function) result[number_of(block)] = frequencies.getBlockFreqRelativeToEntryBlock(&block);
  return result;
}

// Known for all successors, or for none.
void take_branches(llvm::MachineFunction& function, const FlowGraph& graph, const std::string& of, bool is_own,
                   MachineProfile& profile) {
  size_t edge = 1;  // the first one leads into the function
  for (const auto& block : function) {
    auto& branch = profile.branches[number_of(block)];
    const auto* info = profile.blocks[number_of(block)].info;
    std::vector<uint64_t> waves;
    for (size_t i = 0; i < block.succ_size(); ++i, ++edge)
      if (graph.edges[edge].count) waves.push_back(*graph.edges[edge].count);
    edge += block.succ_empty();
    const bool is_of = info ? info->function == of : is_own;
    if (waves.size() == block.succ_size() && (is_of || branch.waves.empty())) branch.waves = std::move(waves);
  }
}

}  // namespace

MachineProfile profile_of(llvm::MachineFunction& function, const ProfiledBlocks& blocks) {
  MachineProfile profile;
  profile.blocks.resize(function.getNumBlockIDs());
  profile.branches.resize(function.getNumBlockIDs());
  const auto known = blocks.by_block();
  std::set<std::string> functions;
  for (const auto& block : function) {
    auto& entry = profile.blocks[number_of(block)];
    entry.block = &block;
    const auto found = block.getBasicBlock() ? known.find(block.getBasicBlock()) : known.end();
    if (found == known.end()) continue;
    entry.info = found->second;
    functions.insert(entry.info->function);
  }
  profile.frequencies = frequencies_of(function);
  const std::string own = llvm::getIRPGOFuncName(function.getFunction());
  const FlowGraph empty = graph_of(function);
  for (const auto& name : functions) {
    FlowGraph graph = empty;
    MeasuredWaves(name, profile, profile.frequencies, graph).solve_all();
    take_branches(function, graph, name, name == own, profile);
    if (name != own) continue;
    for (auto& entry : profile.blocks)
      if (entry.block) entry.waves = graph.counts[number_of(*entry.block)];
  }
  return profile;
}

}  // namespace kernloop::pgo_pass
