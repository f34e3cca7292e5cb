// Counters as LLVM's PGO instrumentation placed them, and the blocks that a wave always visits together. Shared by
// generate, which lowers the counters, and use, which finds the same ones on a clone of the module: both run this on a
// module right behind PGOInstrumentationGen.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PassManager.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kernloop::pgo_pass {

/// A counter of a function. Blocks are ordinals in the function's order.
struct Counter {
  llvm::InstrProfIncrementInst* increment;
  unsigned block;
  unsigned in_class;
  bool select;  // counts the lanes in which a select's condition holds, not the block's
  bool statically_uniform;
};

/// Reference whose mask a block's mask is compared with. A block that several kinds of edge enter has one for each.
struct Reference {
  unsigned in_class;                  // its mask is the one of the class's first block
  std::vector<unsigned> from_blocks;  // predecessors to which it applies; empty: all
};

/// Blocks of which each dominates the next, which postdominates it, in one innermost cycle: a wave visits them equally
/// often, with the same lanes.
struct BlockClass {
  std::vector<unsigned> blocks;     // the first one dominates the rest
  std::optional<unsigned> counter;  // the block counter that counts its lanes, if LLVM placed one
  bool statically_uniform;          // under the rule "branch": no divergent branch is on the way to it
  // Under that rule: a class outside of all cycles that has the same lanes at every visit.
  std::optional<unsigned> lanes_of;
  unsigned depth;                     // cycles around it
  std::vector<Reference> references;  // none for the entry; one, or two for the header of a cycle (way in, way round)
};

struct FunctionPlan {
  llvm::Function* function;
  std::string name;  // in the profile: local functions have their file before it
  uint64_t hash;
  std::vector<Counter> counters;
  std::vector<BlockClass> classes;
  std::vector<std::optional<unsigned>> class_of_block;  // none: not reachable
};

/// The functions of a module that LLVM instrumented, in the module's order.
std::vector<FunctionPlan> planModule(llvm::Module& instrumented, llvm::FunctionAnalysisManager& analyses);

}  // namespace kernloop::pgo_pass
