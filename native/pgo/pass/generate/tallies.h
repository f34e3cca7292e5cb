// Counts that lanes keep in registers until they leave the function.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

#include <vector>

#include "pgo/pass/generate/wave.h"

namespace kernloop::pgo_pass {

class Tallies {
 public:
  /// `together`: lanes that leave together add up first. That pays off if all workgroups count, and wait for each other
  /// at the arrays; if few do, they decide the launch's duration, and the sum costs them more instructions.
  Tallies(llvm::Function& function, const Wave& wave, unsigned slots, bool together);

  /// Called before the first tally. `left_from`: the blocks from which the function is left.
  void start(llvm::Value* slot, const std::vector<llvm::BasicBlock*>& left_from);

  /// A new tally, to which `amount` (an i32) is added here.
  llvm::AllocaInst* count(llvm::IRBuilderBase& at, llvm::Value* amount);
  /// A new mark, set here in the lanes in which the condition holds.
  llvm::AllocaInst* mark(llvm::IRBuilderBase& at, llvm::Value* condition);
  /// The row of the array to which each lane adds its tally at the end; only marked lanes, if there is a mark.
  void addTo(llvm::AllocaInst* tally, llvm::AllocaInst* mark, llvm::GlobalVariable* array, unsigned row);

  /// Keeps tallies in registers, and adds them to the arrays where the function is left.
  void finish();

 private:
  struct Sum {
    llvm::AllocaInst *tally, *mark;
    llvm::GlobalVariable* array;
    unsigned row;
  };

  llvm::AllocaInst* addVariable();
  void addSums(llvm::Instruction* before);
  void addOfEachLane(llvm::IRBuilderBase& at);
  void addOfWave(llvm::Instruction* before);
  llvm::Value* tallyOf(llvm::IRBuilderBase& at, const Sum& sum) const;
  void add(llvm::IRBuilderBase& at, const Sum& sum, llvm::Value* slot, llvm::Value* value) const;

  llvm::Function& function_;
  const Wave& wave_;
  unsigned slots_;
  bool together_;
  llvm::Value* slot_ = nullptr;
  std::vector<llvm::Instruction*> ends_;
  std::vector<llvm::AllocaInst*> variables_;
  std::vector<Sum> sums_;
};

}  // namespace kernloop::pgo_pass
