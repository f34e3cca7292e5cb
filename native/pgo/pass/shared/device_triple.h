#pragma once

#include <llvm/IR/Module.h>
#include <llvm/TargetParser/Triple.h>

namespace kernloop::pgo_pass {

/// The plugin's passes leave every other module alone: the host's half of a HIP compile loads the plugin too.
inline bool isDevice(const llvm::Module& module) {
  const llvm::Triple& triple = module.getTargetTriple();
  return triple.isAMDGCN() || triple.getArch() == llvm::Triple::nvptx64;
}

}  // namespace kernloop::pgo_pass
