#pragma once

#include <llvm/Passes/PassBuilder.h>

namespace kernloop::pgo_pass {

/// Passes that stock LLVM runs between PipelineEarlySimplification, where a plugin may add passes, and its own PGO
/// instrumentation (PassBuilder::buildModuleSimplificationPipeline and addPreInlinerPasses of LLVM 22, which are
/// private). The hashes of functions depend on them.
void addPassesBeforeInstrumentation(llvm::ModulePassManager& passes, llvm::PassBuilder& builder,
                                    llvm::OptimizationLevel level, llvm::ThinOrFullLTOPhase phase);

}  // namespace kernloop::pgo_pass
