#include "pgo/pass/shared/plan.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DepthFirstIterator.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/CycleAnalysis.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/Analysis/UniformityAnalysis.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Dominators.h>
#include <llvm/ProfileData/InstrProf.h>

#include <algorithm>

namespace kernloop::pgo_pass {

using namespace llvm;

namespace {

std::string profileName(const InstrProfIncrementInst& increment) {
  StringRef name = getPGOFuncNameVarInitializer(increment.getName());
  return name.str();
}

class Planner {
 public:
  Planner(Function& function, FunctionAnalysisManager& analyses)
      : function_(function),
        dominators_(analyses.getResult<DominatorTreeAnalysis>(function)),
        postdominators_(analyses.getResult<PostDominatorTreeAnalysis>(function)),
        cycles_(analyses.getResult<CycleAnalysis>(function)),
        uniformity_(analyses.getResult<UniformityInfoAnalysis>(function)) {
    for (const auto& [ordinal, block] : enumerate(function)) ordinals_[&block] = static_cast<unsigned>(ordinal);
  }

  FunctionPlan plan() {
    plan_.function = &function_;
    plan_.class_of_block.resize(function_.size());
    findClasses();
    findReferences();
    findWhoseLanes();
    findCounters();
    return std::move(plan_);
  }

 private:
  unsigned classOf(const BasicBlock* block) const { return *plan_.class_of_block[ordinals_.lookup(block)]; }

  BasicBlock* immediateDominator(BasicBlock* block) const {
    const auto* node = dominators_.getNode(block)->getIDom();
    return node ? node->getBlock() : nullptr;
  }

  // Whether some path from the edges goes on to `target`, and not through `barrier` before.
  template <typename Next>
  static bool reaches(ArrayRef<BasicBlock*> from, const BasicBlock* target, const BasicBlock* barrier, Next next) {
    SmallPtrSet<BasicBlock*, 16> seen;
    SmallVector<BasicBlock*, 16> open(from.begin(), from.end());
    while (!open.empty()) {
      BasicBlock* block = open.pop_back_val();
      if (block == target) return true;
      if (block == barrier || !seen.insert(block).second) continue;
      append_range(open, next(block));
    }
    return false;
  }

  // Each of two blocks in a cycle may be on all ways from and to the other, and still one may be visited more often:
  // `continue` goes round past the other.
  static bool alternate(BasicBlock* above, BasicBlock* block) {
    const auto forward = [](BasicBlock* at) { return successors(at); };
    const auto backward = [](BasicBlock* at) { return predecessors(at); };
    return !reaches(SmallVector<BasicBlock*>(successors(above)), above, block, forward) &&
           !reaches(SmallVector<BasicBlock*>(predecessors(block)), block, above, backward);
  }

  // The first dominator with which the block is of one class, or null.
  BasicBlock* companion(BasicBlock* block) const {
    const Cycle* cycle = cycles_.getCycle(block);
    for (BasicBlock* above = immediateDominator(block); above; above = immediateDominator(above)) {
      if (cycle && !cycle->contains(above)) return nullptr;
      if (cycles_.getCycle(above) == cycle && postdominators_.dominates(block, above) &&
          (!cycle || alternate(above, block)))
        return above;
    }
    return nullptr;
  }

  void findClasses() {
    // This order visits dominators first; the numbers are those of the function's order.
    DenseMap<BasicBlock*, BasicBlock*> first;
    for (BasicBlock* block : ReversePostOrderTraversal<Function*>(&function_)) {
      BasicBlock* above = companion(block);
      first[block] = above ? first[above] : block;
    }
    DenseMap<BasicBlock*, unsigned> numbers;
    for (BasicBlock& block : function_) {
      if (!first.count(&block) || first[&block] != &block) continue;
      numbers[&block] = static_cast<unsigned>(plan_.classes.size());
      plan_.classes.push_back(
          {{ordinals_[&block]}, std::nullopt, false, std::nullopt, cycles_.getCycleDepth(&block), {}});
    }
    for (BasicBlock& block : function_) {
      if (!first.count(&block)) continue;
      const unsigned number = numbers[first[&block]];
      plan_.class_of_block[ordinals_[&block]] = number;
      if (first[&block] != &block) plan_.classes[number].blocks.push_back(ordinals_[&block]);
    }
  }

  // Leaves cycles that do not contain the block: a wave has lost lanes by the time it leaves one, but gets them back
  // after it.
  BasicBlock* outOfForeignCycles(BasicBlock* above, const BasicBlock* block) const {
    while (above) {
      const Cycle* cycle = cycles_.getCycle(above);
      if (!cycle || cycle->contains(block)) return above;
      above = immediateDominator(above);
    }
    return nullptr;
  }

  BasicBlock* commonDominator(ArrayRef<BasicBlock*> blocks) const {
    BasicBlock* common = blocks.front();
    for (BasicBlock* block : blocks.drop_front()) common = dominators_.findNearestCommonDominator(common, block);
    return common;
  }

  // Whether all lanes that are at the end of `reference` come to `block` together, or none, judged by the branches on
  // the way: if lanes part, both sides have to lead to the block, and not round by the reference again.
  bool alwaysTogether(BasicBlock* reference, BasicBlock* block, ArrayRef<BasicBlock*> from) {
    SmallPtrSet<BasicBlock*, 16> way;
    SmallVector<BasicBlock*, 16> open(from.begin(), from.end());
    while (!open.empty()) {
      BasicBlock* between = open.pop_back_val();
      if (!dominators_.isReachableFromEntry(between) || !way.insert(between).second || between == reference) continue;
      append_range(open, predecessors(between));
    }
    SmallPtrSet<BasicBlock*, 16> followed;
    for (BasicBlock* between : way) {
      if (!uniformity_.hasDivergentTerminator(*between)) continue;
      append_range(open, successors(between));
    }
    while (!open.empty()) {
      BasicBlock* next = open.pop_back_val();
      if (next == block || !followed.insert(next).second) continue;
      if (next == reference || !way.contains(next)) return false;
      append_range(open, successors(next));
    }
    return true;
  }

  void addReference(BlockClass& result, BasicBlock* block, ArrayRef<BasicBlock*> from, bool all) {
    BasicBlock* reference = outOfForeignCycles(commonDominator(from), block);
    if (!alwaysTogether(reference, block, from)) result.statically_uniform = false;
    Reference added{classOf(reference), {}};
    if (!all)
      for (BasicBlock* edge : from) added.from_blocks.push_back(ordinals_[edge]);
    result.references.push_back(std::move(added));
  }

  void findReferences() {
    std::vector<BasicBlock*> blocks;
    for (BasicBlock& block : function_) blocks.push_back(&block);
    for (BlockClass& result : plan_.classes) {
      BasicBlock* block = blocks[result.blocks.front()];
      result.statically_uniform = true;
      SmallVector<BasicBlock*, 4> in, round;
      const Cycle* cycle = cycles_.getCycle(block);
      // In an irreducible cycle no block dominates the back edges of another: the entry edges stand for both.
      const bool header = cycle && cycle->isReducible() && cycle->getHeader() == block;
      for (BasicBlock* edge : predecessors(block)) {
        if (!dominators_.isReachableFromEntry(edge)) continue;
        auto& side = header && cycle->contains(edge) ? round : in;
        if (!is_contained(side, edge)) side.push_back(edge);
      }
      if (!in.empty() && round.empty()) {
        // Uses the immediate dominator also if an irreducible cycle's own edges are among them.
        addReference(result, block, in, true);
      } else {
        if (!in.empty()) addReference(result, block, in, false);
        if (!round.empty()) addReference(result, block, round, false);
      }
    }
  }

  // A class that is compared with others of the same lanes, and is uniform, has them, too. In a cycle of comparisons,
  // as of a loop, that is so unless one says otherwise.
  void findWhoseLanes() {
    enum State { open, known, none };
    std::vector<State> states(plan_.classes.size(), open);
    for (bool changed = true; changed;) {
      changed = false;
      for (auto [number, of] : enumerate(plan_.classes)) {
        State state = open;
        std::optional<unsigned> lanes;
        for (const Reference& reference : of.references) {
          const State its = states[reference.in_class];
          if (its == open) continue;
          const auto& theirs = plan_.classes[reference.in_class].lanes_of;
          state = its == none || (lanes && lanes != theirs) ? none : state == none ? none : known;
          lanes = theirs;
        }
        if (!of.statically_uniform || of.references.empty()) state = none;
        if (state == none && of.depth == 0) {
          state = known;
          lanes = static_cast<unsigned>(number);
        }
        if (state == none) lanes.reset();
        if (state == states[number] && lanes == of.lanes_of) continue;
        states[number] = state;
        of.lanes_of = lanes;
        changed = true;
      }
    }
  }

  void findCounters() {
    for (BasicBlock& block : function_) {
      for (Instruction& instruction : block) {
        auto* increment = dyn_cast<InstrProfIncrementInst>(&instruction);
        if (!increment) continue;
        if (plan_.counters.empty()) {
          plan_.name = profileName(*increment);
          plan_.hash = increment->getHash()->getZExtValue();
          plan_.counters.resize(increment->getNumCounters()->getZExtValue());
        }
        const bool select = isa<InstrProfIncrementInstStep>(increment);
        const auto index = static_cast<unsigned>(increment->getIndex()->getZExtValue());
        Counter& counter = plan_.counters[index];
        counter = {increment, ordinals_[&block], 0, select, false};
        if (!plan_.class_of_block[counter.block]) continue;  // never executed
        counter.in_class = *plan_.class_of_block[counter.block];
        BlockClass& its = plan_.classes[counter.in_class];
        if (select) {
          counter.statically_uniform = uniformity_.isUniform(increment->getStep());
        } else {
          counter.statically_uniform = its.statically_uniform;
          its.counter = index;
        }
      }
    }
  }

  Function& function_;
  DominatorTree& dominators_;
  PostDominatorTree& postdominators_;
  CycleInfo& cycles_;
  UniformityInfo& uniformity_;
  DenseMap<const BasicBlock*, unsigned> ordinals_;
  FunctionPlan plan_{};
};

bool isInstrumented(Function& function) {
  return any_of(function, [](BasicBlock& block) {
    return any_of(block, [](Instruction& instruction) { return isa<InstrProfIncrementInst>(instruction); });
  });
}

}  // namespace

std::vector<FunctionPlan> planModule(Module& instrumented, FunctionAnalysisManager& analyses) {
  std::vector<FunctionPlan> plans;
  for (Function& function : instrumented)
    if (!function.isDeclaration() && isInstrumented(function)) plans.push_back(Planner(function, analyses).plan());
  return plans;
}

}  // namespace kernloop::pgo_pass
