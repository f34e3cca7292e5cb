#pragma once

#include <llvm/Passes/PassBuilder.h>

namespace kernloop::pgo_pass {

/// Registers what -kernloop-pgo=generate does.
void registerGenerate(llvm::PassBuilder& builder);

}  // namespace kernloop::pgo_pass
