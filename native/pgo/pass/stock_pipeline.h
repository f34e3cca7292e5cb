#pragma once

#include <llvm/Passes/PassBuilder.h>

namespace kernloop::pgo_pass {

/// What stock runs between PipelineEarlySimplification, where a plugin may add passes, and its own PGO instrumentation
/// (PassBuilder::buildModuleSimplificationPipeline and addPreInlinerPasses of LLVM 22, which are private). The hashes
/// of functions depend on it.
void addPassesBeforeInstrumentation(llvm::ModulePassManager& passes, llvm::PassBuilder& builder,
                                    llvm::OptimizationLevel level, llvm::ThinOrFullLTOPhase phase);

}  // namespace kernloop::pgo_pass
