#pragma once

#include <llvm/Passes/PassBuilder.h>

namespace kernloop::pgo_pass {

/// Registers the passes of -kernloop-pgo=generate.
void registerGenerate(llvm::PassBuilder& builder);

}  // namespace kernloop::pgo_pass
