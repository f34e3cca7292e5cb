#include "pgo/pass/generate/tallies.h"

#include <llvm/IR/Dominators.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

namespace kernloop::pgo_pass {

using namespace llvm;

namespace {

// Last point before the function is left. A call that does not return may be what ends the wave.
Instruction* endOf(BasicBlock& block) {
  Instruction* end = block.getTerminator();
  if (!isa<UnreachableInst>(end)) return end;
  for (Instruction& instruction : reverse(block))
    // The counters themselves are removed, and end nothing.
    if (isa<CallBase>(instruction) && !isa<InstrProfInstBase>(instruction)) return &instruction;
  return end;
}

}  // namespace

Tallies::Tallies(Function& function, const Wave& wave, unsigned slots, bool together)
    : function_(function), wave_(wave), slots_(slots), together_(together) {}

void Tallies::start(Value* slot, const std::vector<BasicBlock*>& left_from) {
  slot_ = slot;
  for (BasicBlock* block : left_from) ends_.push_back(endOf(*block));
}

AllocaInst* Tallies::addVariable() {
  BasicBlock& entry = function_.getEntryBlock();
  Type* i32 = Type::getInt32Ty(function_.getContext());
  auto* variable =
      new AllocaInst(i32, function_.getParent()->getDataLayout().getAllocaAddrSpace(), "pgo.tally", entry.begin());
  IRBuilder<> begin(&entry, std::next(variable->getIterator()));
  begin.CreateStore(begin.getInt32(0), variable);
  variables_.push_back(variable);
  return variable;
}

AllocaInst* Tallies::count(IRBuilderBase& at, Value* amount) {
  AllocaInst* tally = addVariable();
  at.CreateStore(at.CreateAdd(at.CreateLoad(at.getInt32Ty(), tally), amount), tally);
  return tally;
}

AllocaInst* Tallies::mark(IRBuilderBase& at, Value* condition) {
  AllocaInst* mark = addVariable();
  at.CreateStore(at.CreateZExt(condition, at.getInt32Ty()), mark);
  return mark;
}

void Tallies::addTo(AllocaInst* tally, AllocaInst* mark, GlobalVariable* array, unsigned row) {
  sums_.push_back({tally, mark, array, row});
}

void Tallies::addSums(Instruction* before) {
  if (together_) return addOfWave(before);
  IRBuilder<> at(before);
  addOfEachLane(at);
}

// Lanes next to each other add to slots next to each other: in the same one they would have to wait for each other.
void Tallies::addOfEachLane(IRBuilderBase& at) {
  Value* lane = wave_.lanesBefore(at, wave_.fullMask(at));
  if (!wave_.isAmdgpu()) lane = at.CreateUnaryIntrinsic(Intrinsic::ctpop, lane);
  Value* slot = at.CreateAnd(at.CreateAdd(slot_, at.CreateShl(lane, 3)), at.getInt32((slots_ - 1) * 8));
  slot = wave_.perLane(at, slot);
  for (const Sum& sum : sums_) add(at, sum, slot, at.CreateZExt(tallyOf(at, sum), at.getInt64Ty()));
}

// The lanes that leave together: one of them adds for all. The sums are computed one after the other, which needs few
// registers.
void Tallies::addOfWave(Instruction* before) {
  IRBuilder<> start(before);
  Value* mask = wave_.mask(start);
  Value* leader = start.CreateICmpEQ(wave_.lanesBefore(start, mask), start.getInt32(0));
  for (const Sum& sum : sums_) {
    IRBuilder<> at(before);
    Value* value = wave_.sumOfLanes(at, tallyOf(at, sum), mask);
    IRBuilder<> alone(SplitBlockAndInsertIfThen(leader, before, /*Unreachable=*/false));
    add(alone, sum, slot_, value);
  }
}

Value* Tallies::tallyOf(IRBuilderBase& at, const Sum& sum) const {
  Value* value = at.CreateLoad(at.getInt32Ty(), sum.tally);
  if (!sum.mark) return value;
  Value* marked = at.CreateIsNotNull(at.CreateLoad(at.getInt32Ty(), sum.mark));
  return at.CreateSelect(marked, value, at.getInt32(0));
}

void Tallies::add(IRBuilderBase& at, const Sum& sum, Value* slot, Value* value) const {
  Value* offset = at.CreateAdd(slot, at.getInt32(sum.row * slots_ * 8));
  Value* address = at.CreateGEP(at.getInt8Ty(), sum.array, at.CreateZExt(offset, at.getInt64Ty()));
  at.CreateAtomicRMW(AtomicRMWInst::Add, address, value, Align(8), AtomicOrdering::Monotonic, wave_.deviceScope());
}

void Tallies::finish() {
  if (variables_.empty()) return;
  for (Instruction* end : ends_) addSums(end);
  DominatorTree dominators(function_);
  PromoteMemToReg(variables_, dominators);
}

}  // namespace kernloop::pgo_pass
