// Finds a module's blocks again in an optimised clone of it: a number on each terminator stays with the block, as far
// as the block survives.
#pragma once

#include <llvm/IR/Module.h>

#include <vector>

#include "pgo/pass/use/profile.h"

namespace kernloop::pgo_pass {

class BlockMarks {
 public:
  explicit BlockMarks(llvm::Module& module);
  // Copies the data of the clone's blocks to those of the module. Code that was inlined in several places was visited
  // in all of them; if those are in several functions, it is left out.
  void attach_all(const std::vector<ProfiledFunction>& of_clone);
  void remove();

 private:
  std::vector<llvm::BasicBlock*> blocks_;
};

}  // namespace kernloop::pgo_pass
