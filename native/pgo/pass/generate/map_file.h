#pragma once

#include <string>
#include <vector>

#include "pgo/pass/generate/image.h"
#include "pgo/pass/shared/options.h"
#include "pgo/pass/shared/plan.h"

namespace kernloop::pgo_pass {

/// Writes `kernloop.pgo-map/1` (README.md) if the options name a file.
llvm::Error writeMap(const llvm::Module& module, const std::vector<FunctionPlan>& plans,
                     const std::vector<llvm::Function*>& left_out, const std::string& cuid,
                     const GenerateOptions& options);

}  // namespace kernloop::pgo_pass
