// Counting for a whole wave. At the first block of each class:
//
//   mask    = active lanes                                 also what the classes behind it compare with
//   uniform = mask == mask of the reference class          not where statically uniform
//   if this lane is the first active one:                  one lane adds for all
//     waves[class]     += 1
//     lanes[counter]   += popcount(mask)                   where LLVM put a counter into the class
//     uniform[row]     += uniform ? popcount(mask) : 0
//
// and at each counted select the same for the lanes in which its condition holds.
//
// In a loop no memory is touched: each lane keeps tallies in registers (32 bits: of one launch), and adds them to the
// arrays where it leaves the function.
//
//   lanes += 1,  waves += this lane is the first active one,  uniform += mask == reference
//
// A class that always has the lanes of one outside of all loops needs one tally that they have in common, in a scalar
// register: its visits. The first lane of that class adds them as waves, and each of its lanes as lanes.
#include "pgo/pass/generate/lowering.h"

#include <llvm/IR/CFG.h>
#include <llvm/IR/Dominators.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <map>

#include "pgo/pass/generate/tallies.h"
#include "pgo/pass/generate/wave.h"

namespace kernloop::pgo_pass {

using namespace llvm;

namespace {

// Many at once, in a launch that counts.
bool everyGroupCounts(Sampling sampling) {
  return sampling == Sampling::all || sampling == Sampling::launches;
}

class Lowering {
 public:
  Lowering(const FunctionPlan& plan, const Image& image, const Rows& rows, const GenerateOptions& options)
      : plan_(plan),
        image_(image),
        rows_(rows),
        options_(options),
        function_(*plan.function),
        wave_(function_),
        masks_(plan.classes.size()),
        tallies_(function_, wave_, options.slots, everyGroupCounts(options.sampling) && wave_.canAddUp()) {}

  /// `blocks`: those of the plan, also after the sampled copy was inserted beside them.
  void run(const std::vector<BasicBlock*>& blocks) {
    blocks_ = blocks;
    keepVariablesTogether();
    for (size_t i = 0; i < plan_.classes.size(); ++i) {
      IRBuilder<> at(first(i), placeIn(first(i)));
      masks_[i] = wave_.mask(at);
    }
    computeSlot();
    planTallies();
    std::vector<Value*> references(plan_.classes.size());
    for (size_t i = 0; i < plan_.classes.size(); ++i)
      if (rows_.uniform_of_class[i]) references[i] = referenceMask(i);
    for (size_t i = 0; i < plan_.classes.size(); ++i) countClass(i, references[i]);
    for (size_t i = 0; i < plan_.counters.size(); ++i)
      if (plan_.counters[i].select) countSelect(i);
    for (const Counter& counter : plan_.counters)
      if (counter.increment) counter.increment->eraseFromParent();
    tallies_.finish();
  }

 private:
  struct Sum {
    GlobalVariable* array;
    unsigned row;
    Value* value;  // an i64
  };

  BasicBlock* first(size_t of) const { return blocks_[plan_.classes[of].blocks.front()]; }

  // A counted block is split, and a variable behind the split would be allocated anew at each visit.
  void keepVariablesTogether() {
    BasicBlock& entry = function_.getEntryBlock();
    for (Instruction& instruction : make_early_inc_range(entry)) {
      auto* variable = dyn_cast<AllocaInst>(&instruction);
      if (variable && isa<Constant>(variable->getArraySize())) variable->moveBefore(entry, entry.begin());
    }
  }

  // Behind phis and variables.
  static BasicBlock::iterator placeIn(BasicBlock* block) {
    auto place = block->getFirstInsertionPt();
    while (isa<AllocaInst>(*place)) ++place;
    return place;
  }

  void computeSlot() {
    BasicBlock* entry = first(*plan_.class_of_block[0]);
    IRBuilder<> at(entry, placeIn(entry));
    slot_ = at.getInt32(0);
    if (options_.slots == 1) return;
    Value* number = wave_.workgroup(at);
    if (function_.getCallingConv() == CallingConv::AMDGPU_KERNEL ||
        function_.getCallingConv() == CallingConv::PTX_Kernel)
      number = at.CreateAdd(at.CreateShl(number, 2), wave_.waveOfWorkgroup(at));
    slot_ = at.CreateShl(at.CreateAnd(number, at.getInt32(options_.slots - 1)), 3);
  }

  // The deepest loops first: registers are few.
  void planTallies() {
    tallied_.resize(plan_.classes.size());
    std::vector<BasicBlock*> left;  // the function, from these
    for (BasicBlock* block : blocks_)
      if (succ_empty(block)) left.push_back(block);
    if (left.empty()) return;
    std::vector<size_t> order;
    for (size_t i = 0; i < plan_.classes.size(); ++i)
      if (plan_.classes[i].depth > 0) order.push_back(i);
    stable_sort(order, [&](size_t a, size_t b) { return plan_.classes[a].depth > plan_.classes[b].depth; });
    unsigned registers = 0;
    for (const size_t of : order) {
      unsigned needed = plan_.classes[of].lanes_of ? 0 : 3;
      for (const Counter& counter : plan_.counters)
        if (counter.select && counter.in_class == of) needed += 2;
      if (registers + needed > 40) break;
      registers += needed;
      tallied_[of] = true;
    }
    if (is_contained(tallied_, true)) tallies_.start(slot_, left);
  }

  // The mask that the class's own is compared with.
  Value* referenceMask(size_t of) {
    BasicBlock* block = first(of);
    if (options_.uniform == UniformRule::full_mask) {
      IRBuilder<> at(block, placeIn(block));
      return wave_.fullMask(at);
    }
    const auto& references = plan_.classes[of].references;
    if (references.size() == 1) return masks_[references.front().in_class];
    IRBuilder<> at(block, block->begin());
    PHINode* mask = at.CreatePHI(masks_[of]->getType(), pred_size(block));
    for (BasicBlock* edge : predecessors(block)) {
      Value* value = PoisonValue::get(mask->getType());  // an edge that is never taken
      for (const Reference& reference : references)
        if (any_of(reference.from_blocks, [&](unsigned from) { return blocks_[from] == edge; }))
          value = masks_[reference.in_class];
      mask->addIncoming(value, edge);
    }
    return mask;
  }

  void countClass(size_t of, Value* reference) {
    auto* mask = cast<Instruction>(masks_[of]);
    IRBuilder<> at(mask->getNextNode());
    if (tallied_[of]) return tallyClass(at, of, reference);
    Value* lanes = at.CreateZExt(at.CreateUnaryIntrinsic(Intrinsic::ctpop, mask), at.getInt64Ty());
    SmallVector<Sum, 3> sums;
    sums.push_back({image_.waves(), rows_.first_class + static_cast<unsigned>(of), at.getInt64(1)});
    if (const auto& counter = plan_.classes[of].counter)
      sums.push_back({image_.lanes(), rows_.first_counter + *counter, lanes});
    if (const auto& row = rows_.uniform_of_class[of])
      sums.push_back(
          {image_.uniformLanes(), *row, at.CreateSelect(at.CreateICmpEQ(mask, reference), lanes, at.getInt64(0))});
    Value* leader = at.CreateICmpEQ(wave_.lanesBefore(at, mask), at.getInt32(0));
    addFrom(leader, &*at.GetInsertPoint(), sums);
  }

  void tallyClass(IRBuilder<>& at, size_t of, Value* reference) {
    const auto& counter = plan_.classes[of].counter;
    const auto& uniform = rows_.uniform_of_class[of];
    const unsigned wave_row = rows_.first_class + static_cast<unsigned>(of);
    if (const auto& lanes_of = plan_.classes[of].lanes_of) {
      AllocaInst* visits = tallies_.count(at, at.getInt32(1));
      tallies_.addTo(visits, marks(*lanes_of).first, image_.waves(), wave_row);
      if (counter) tallies_.addTo(visits, nullptr, image_.lanes(), rows_.first_counter + *counter);
      if (uniform) tallies_.addTo(visits, marks(*lanes_of).full, image_.uniformLanes(), *uniform);
      return;
    }
    Value* leader = at.CreateICmpEQ(wave_.lanesBefore(at, masks_[of]), at.getInt32(0));
    tallies_.addTo(tallies_.count(at, at.CreateZExt(leader, at.getInt32Ty())), nullptr, image_.waves(), wave_row);
    if (counter)
      tallies_.addTo(tallies_.count(at, at.getInt32(1)), nullptr, image_.lanes(), rows_.first_counter + *counter);
    if (uniform) {
      Value* together = at.CreateZExt(at.CreateICmpEQ(masks_[of], reference), at.getInt32Ty());
      tallies_.addTo(tallies_.count(at, together), nullptr, image_.uniformLanes(), *uniform);
    }
  }

  // The first lane of a class outside of loops, and whether its lanes are a whole wave.
  struct Marks {
    AllocaInst *first, *full;
  };
  const Marks& marks(unsigned of) {
    const auto [found, fresh] = marks_.try_emplace(of, Marks{nullptr, nullptr});
    if (fresh) {
      auto* mask = cast<Instruction>(masks_[of]);
      IRBuilder<> at(mask->getNextNode());
      found->second.first = tallies_.mark(at, at.CreateICmpEQ(wave_.lanesBefore(at, mask), at.getInt32(0)));
      if (options_.uniform == UniformRule::full_mask)
        found->second.full = tallies_.mark(at, at.CreateICmpEQ(mask, wave_.fullMask(at)));
    }
    return found->second;
  }

  static Value* conditionOf(InstrProfIncrementInst& increment) {
    auto* step = dyn_cast<ZExtInst>(increment.getStep());
    if (step && step->getOperand(0)->getType()->isIntegerTy(1)) return step->getOperand(0);
    auto* constant = dyn_cast<ConstantInt>(increment.getStep());
    if (constant && constant->getValue().ule(1)) return ConstantInt::getBool(increment.getContext(), constant->isOne());
    reportFatalInternalError("kernloop-pgo: in " + increment.getFunction()->getName() +
                             " LLVM counts something else than the condition of a select");
  }

  void countSelect(size_t index) {
    const Counter& counter = plan_.counters[index];
    Value* condition = conditionOf(*counter.increment);
    IRBuilder<> at(counter.increment);
    // On NVPTX lanes that were together at the start of the class may have left since.
    Value* active = wave_.isAmdgpu() ? masks_[counter.in_class] : wave_.mask(at);
    Value* taken = wave_.ballot(at, condition, active);
    const auto& row = rows_.uniform_of_counter[index];
    const unsigned lane_row = rows_.first_counter + static_cast<unsigned>(index);
    Value* all = options_.uniform == UniformRule::full_mask ? wave_.fullMask(at) : active;
    Value* together = at.CreateICmpEQ(taken, all);
    if (tallied_[counter.in_class]) {
      tallies_.addTo(tallies_.count(at, at.CreateZExt(condition, at.getInt32Ty())), nullptr, image_.lanes(), lane_row);
      if (row)
        tallies_.addTo(tallies_.count(at, at.CreateZExt(together, at.getInt32Ty())), nullptr, image_.uniformLanes(),
                       *row);
      return;
    }
    Value* lanes = at.CreateZExt(at.CreateUnaryIntrinsic(Intrinsic::ctpop, taken), at.getInt64Ty());
    SmallVector<Sum, 2> sums;
    sums.push_back({image_.lanes(), lane_row, lanes});
    if (row) sums.push_back({image_.uniformLanes(), *row, at.CreateSelect(together, lanes, at.getInt64(0))});
    Value* leader = at.CreateAnd(condition, at.CreateICmpEQ(wave_.lanesBefore(at, taken), at.getInt32(0)));
    addFrom(leader, counter.increment, sums);
  }

  void addFrom(Value* leader, Instruction* before, ArrayRef<Sum> sums) {
    IRBuilder<> at(SplitBlockAndInsertIfThen(leader, before, /*Unreachable=*/false));
    for (const Sum& sum : sums) {
      Value* offset = at.CreateAdd(slot_, at.getInt32(sum.row * options_.slots * 8));
      offset = at.CreateZExt(wave_.perLane(at, offset), at.getInt64Ty());
      Value* address = at.CreateGEP(at.getInt8Ty(), sum.array, offset);
      at.CreateAtomicRMW(AtomicRMWInst::Add, address, sum.value, Align(8), AtomicOrdering::Monotonic,
                         wave_.deviceScope());
    }
  }

  const FunctionPlan& plan_;
  const Image& image_;
  const Rows& rows_;
  const GenerateOptions& options_;
  Function& function_;
  const Wave wave_;
  std::vector<BasicBlock*> blocks_;
  std::vector<Value*> masks_;  // by class
  Value* slot_ = nullptr;      // offset in a row, in bytes
  std::vector<bool> tallied_;  // classes
  Tallies tallies_;
  std::map<unsigned, Marks> marks_;  // by class
};

// Drops attributes that hold only for a function that counts nothing.
void forgetPromises(Function& function) {
  function.removeFnAttr(Attribute::Memory);
  function.removeFnAttr(Attribute::Speculatable);
  for (User* user : function.users())
    if (auto* call = dyn_cast<CallBase>(user)) {
      call->removeFnAttr(Attribute::Memory);
      call->removeFnAttr(Attribute::Speculatable);
    }
}

}  // namespace

void lowerCounters(const FunctionPlan& plan, const std::vector<BasicBlock*>& blocks, const Image& image,
                   const Rows& rows, const GenerateOptions& options) {
  forgetPromises(*plan.function);
  Lowering(plan, image, rows, options).run(blocks);
}

}  // namespace kernloop::pgo_pass
