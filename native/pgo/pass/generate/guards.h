#pragma once

#include <llvm/IR/Module.h>

#include <vector>

namespace kernloop::pgo_pass {

/// Kernels without a branch, or whose only branch is a guard around all the rest (`if (i >= n) return;`): a profile
/// would not change their code, and counting costs short kernels most.
std::vector<llvm::Function*> kernelsOfOneGuard(llvm::Module& module);

}  // namespace kernloop::pgo_pass
