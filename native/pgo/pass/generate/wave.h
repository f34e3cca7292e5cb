// Queries of a wave about itself, on either target: its active lanes, the lane that acts for all, and its workgroup.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <cstdint>
#include <string>

namespace kernloop::pgo_pass {

class Wave {
 public:
  explicit Wave(const llvm::Function& function);

  unsigned size() const { return size_; }
  bool isAmdgpu() const { return amdgpu_; }
  static std::string architecture(const llvm::Module& module);

  /// The active lanes: an integer of as many bits as the wave has.
  llvm::Value* mask(llvm::IRBuilderBase& at) const;
  /// The active lanes in which the condition holds. `active` is mask() at the same place.
  llvm::Value* ballot(llvm::IRBuilderBase& at, llvm::Value* condition, llvm::Value* active) const;
  llvm::Value* fullMask(llvm::IRBuilderBase& at) const;
  /// Number of lanes of the mask before this one: 0 in the one that acts for all. An i32.
  llvm::Value* lanesBefore(llvm::IRBuilderBase& at, llvm::Value* mask) const;
  /// Whether the lanes that are here can add up their values without memory.
  bool canAddUp() const { return adds_up_; }
  /// The sum of an i32 of each lane of the mask, which is mask() at the same place: an i64, the same in all of them.
  llvm::Value* sumOfLanes(llvm::IRBuilderBase& at, llvm::Value* value, llvm::Value* mask) const;
  /// An i32 of the same value in each lane, hidden from the compiler: it would otherwise add up over the lanes again
  /// what one lane adds.
  llvm::Value* perLane(llvm::IRBuilderBase& at, llvm::Value* value) const;

  /// x + A y + B z of the workgroup, an i32.
  llvm::Value* workgroup(llvm::IRBuilderBase& at) const;
  /// The low half of the number of the dispatch.
  llvm::Value* launch(llvm::IRBuilderBase& at) const;
  /// The wave of its workgroup, roughly: only spreads waves over slots.
  llvm::Value* waveOfWorkgroup(llvm::IRBuilderBase& at) const;
  llvm::SyncScope::ID deviceScope() const;

 private:
  llvm::LLVMContext& context_;
  bool amdgpu_;
  unsigned size_;
  bool adds_up_;
};

}  // namespace kernloop::pgo_pass
