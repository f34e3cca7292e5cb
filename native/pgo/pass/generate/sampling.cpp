// One workgroup (or launch, or both) in N counts: the function gets a second body without counters, and chooses at its
// entry. A function that is not inlined chooses for itself, by the same expression; an inlined one takes its caller's
// choice.
#include <llvm/IR/CFG.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "pgo/pass/generate/lowering.h"
#include "pgo/pass/generate/wave.h"

namespace kernloop::pgo_pass {

using namespace llvm;

void addUncountedBody(const FunctionPlan& plan, const GenerateOptions& options) {
  Function& function = *plan.function;
  std::vector<BasicBlock*> body;
  for (BasicBlock& block : function) body.push_back(&block);
  BasicBlock* entry = &function.getEntryBlock();
  LLVMContext& context = function.getContext();

  BasicBlock* choice = BasicBlock::Create(context, "pgo.choice", &function, entry);
  for (Instruction& instruction : make_early_inc_range(*entry)) {
    auto* variable = dyn_cast<AllocaInst>(&instruction);
    if (variable && isa<Constant>(variable->getArraySize())) variable->moveBefore(*choice, choice->end());
  }

  ValueToValueMapTy copies;
  SmallVector<BasicBlock*, 16> uncounted;
  for (BasicBlock* block : body) {
    BasicBlock* copy = CloneBasicBlock(block, copies, ".uncounted", &function);
    copies[block] = copy;
    uncounted.push_back(copy);
  }
  remapInstructionsInBlocks(uncounted, copies);
  for (BasicBlock* block : uncounted)
    for (Instruction& instruction : make_early_inc_range(*block))
      if (isa<InstrProfIncrementInst>(instruction)) instruction.eraseFromParent();

  IRBuilder<> at(choice);
  const Wave wave(function);
  const auto is_chosen = [&](Value* subject, uint32_t one_in) {
    Value* hash = at.CreateLShr(at.CreateMul(subject, at.getInt32(0x9E3779B1)), 16);
    return at.CreateICmpEQ(at.CreateAnd(hash, at.getInt32(one_in - 1)), at.getInt32(0));
  };
  Value* counts = options.sampling == Sampling::launches ? is_chosen(wave.launch(at), options.sample_one_in)
                                                         : is_chosen(wave.workgroup(at), options.sample_one_in);
  if (options.sampling == Sampling::sparse) {
    Value* launch = wave.launch(at);
    Value* first = at.CreateICmpULT(launch, at.getInt32(kSparseFirst));
    counts = at.CreateAnd(counts, at.CreateOr(first, is_chosen(launch, kSparseOneIn)));
  }
  at.CreateCondBr(counts, entry, uncounted.front(),
                  MDBuilder(context).createBranchWeights(1, options.sample_one_in - 1));
}

}  // namespace kernloop::pgo_pass
