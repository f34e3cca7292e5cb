#include "pgo/pass/generate/guards.h"

#include <llvm/Analysis/CFG.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

namespace kernloop::pgo_pass {

using namespace llvm;

namespace {

// From here on there is only the return.
bool onlyReturns(const BasicBlock* block) {
  for (unsigned steps = 0; steps < 4; ++steps) {
    for (const Instruction& instruction : *block)
      if (!isa<PHINode>(instruction) && !instruction.isTerminator() && !instruction.isDebugOrPseudoInst()) return false;
    if (isa<ReturnInst>(block->getTerminator())) return true;
    block = block->getUniqueSuccessor();
    if (!block) return false;
  }
  return false;
}

bool hasOneGuard(const Function& function) {
  const BasicBlock* guard = nullptr;
  for (const BasicBlock& block : function) {
    if (block.getTerminator()->getNumSuccessors() < 2) continue;
    if (guard) return false;
    guard = &block;
  }
  if (!guard) return true;
  SmallVector<std::pair<const BasicBlock*, const BasicBlock*>, 2> back;
  FindFunctionBackedges(function, back);
  return back.empty() && any_of(successors(guard), onlyReturns);
}

}  // namespace

std::vector<Function*> kernelsOfOneGuard(Module& module) {
  std::vector<Function*> result;
  for (Function& function : module) {
    const bool kernel =
        function.getCallingConv() == CallingConv::AMDGPU_KERNEL || function.getCallingConv() == CallingConv::PTX_Kernel;
    if (kernel && !function.isDeclaration() && hasOneGuard(function)) result.push_back(&function);
  }
  return result;
}

}  // namespace kernloop::pgo_pass
