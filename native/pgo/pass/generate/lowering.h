#pragma once

#include "pgo/pass/generate/image.h"
#include "pgo/pass/shared/options.h"
#include "pgo/pass/shared/plan.h"

namespace kernloop::pgo_pass {

/// Replaces the counters of a function by code that counts for a whole wave. The plan's ordinals index `blocks`.
void lowerCounters(const FunctionPlan& plan, const std::vector<llvm::BasicBlock*>& blocks, const Image& image,
                   const Rows& rows, const GenerateOptions& options);

/// Puts a copy of the body without counters beside the function's own, and at its entry the choice between them.
void addUncountedBody(const FunctionPlan& plan, const GenerateOptions& options);

}  // namespace kernloop::pgo_pass
