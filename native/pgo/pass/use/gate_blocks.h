// Machine blocks and their profile data.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/CodeGen/MachineFunction.h>
#include <llvm/IR/ValueHandle.h>

#include <optional>
#include <vector>

#include "pgo/pass/use/block_info.h"

namespace kernloop::pgo_pass {

// The blocks of one function as code generation begins. Handles, not pointers: the structurizer's new blocks reuse
// addresses of blocks that CodeGenPrepare deleted.
class ProfiledBlocks {
 public:
  void collect(llvm::Function& function);
  void clear() { blocks_.clear(); }
  bool empty() const { return blocks_.empty(); }
  llvm::DenseMap<const llvm::BasicBlock*, const BlockInfo*> by_block() const;

 private:
  struct Entry {
    llvm::WeakVH block;
    BlockInfo info;
  };
  std::vector<Entry> blocks_;
};

struct MachineBlock {
  const llvm::MachineBasicBlock* block = nullptr;
  const BlockInfo* info = nullptr;  // info of the IR block that it comes from, or is a piece of
  // Waves that come by: measured, or following from those; for own code of the function only.
  std::optional<uint64_t> waves;
};

// Waves that leave a block, by successor; empty if unknown. Counted in the function that the branch came from: only
// their proportion matters.
struct MachineBranch {
  std::vector<uint64_t> waves;
};

struct MachineProfile {
  std::vector<MachineBlock> blocks;  // by number of the machine block
  std::vector<MachineBranch> branches;
  std::vector<double> frequencies;  // by the probabilities as they are, relative to the entry
};

MachineProfile profile_of(llvm::MachineFunction& function, const ProfiledBlocks& blocks);

}  // namespace kernloop::pgo_pass
