#pragma once

#include <llvm/CodeGen/MachineBasicBlock.h>
#include <llvm/CodeGen/MachineLoopInfo.h>
#include <llvm/Support/BranchProbability.h>

#include <vector>

#include "pgo/pass/use/gate_blocks.h"
#include "pgo/pass/use/options.h"

namespace kernloop::pgo_pass {

struct GateResult {
  unsigned branches = 0;  // blocks with several successors
  unsigned set = 0;
};

// The probabilities of all branches of a function, to be put back.
class SavedProbabilities {
 public:
  void save(llvm::MachineFunction& function);
  void restore(llvm::MachineFunction& function);

 private:
  struct Branch {
    llvm::MachineBasicBlock* block;
    std::vector<llvm::MachineBasicBlock*> successors;
    std::vector<llvm::BranchProbability> probabilities;
  };
  std::vector<Branch> branches_;
};

GateResult set_probabilities(llvm::MachineFunction& function, const MachineProfile& profile, Gate gate);

}  // namespace kernloop::pgo_pass
