#include "pgo/pass/shared/stock_pipeline.h"

#include <llvm/Analysis/InlineCost.h>
#include <llvm/Transforms/IPO/CalledValuePropagation.h>
#include <llvm/Transforms/IPO/GlobalDCE.h>
#include <llvm/Transforms/IPO/GlobalOpt.h>
#include <llvm/Transforms/IPO/ModuleInliner.h>
#include <llvm/Transforms/IPO/SCCP.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>

namespace kernloop::pgo_pass {

using namespace llvm;

namespace {

SimplifyCFGPass simplifyCfg() {
  return SimplifyCFGPass(SimplifyCFGOptions().convertSwitchRangeToICmp(true));
}

// Functions of ROCm's device libraries without a name (those behind printf): all of a unit would share one name in a
// profile. Other units have the same ones, and the linker may keep either.
struct LeaveOutNameless : PassInfoMixin<LeaveOutNameless> {
  static bool isRequired() { return true; }
  static PreservedAnalyses run(Module& module, ModuleAnalysisManager&) {
    for (Function& function : module)
      if (!function.hasName()) function.addFnAttr(Attribute::SkipProfile);
    return PreservedAnalyses::all();
  }
};

}  // namespace

void addPassesBeforeInstrumentation(ModulePassManager& passes, PassBuilder& builder, OptimizationLevel level,
                                    ThinOrFullLTOPhase phase) {
  passes.addPass(LeaveOutNameless());
  if (level == OptimizationLevel::O0) return;

  const bool before_link = phase == ThinOrFullLTOPhase::ThinLTOPreLink || phase == ThinOrFullLTOPhase::FullLTOPreLink;
  const bool specialise = level != OptimizationLevel::Os && level != OptimizationLevel::Oz && !before_link;
  passes.addPass(IPSCCPPass(IPSCCPOptions(specialise)));
  passes.addPass(CalledValuePropagationPass());
  passes.addPass(GlobalOptPass());
  FunctionPassManager cleanup;
  cleanup.addPass(InstCombinePass());
  builder.invokePeepholeEPCallbacks(cleanup, level);
  cleanup.addPass(simplifyCfg());
  passes.addPass(createModuleToFunctionPassAdaptor(std::move(cleanup), true));

  InlineParams inlining;
  inlining.DefaultThreshold = 75;  // -preinline-threshold
  inlining.HintThreshold = level.isOptimizingForSize() ? 75 : 325;
  ModuleInlinerWrapperPass inliner(inlining, /*MandatoryFirst=*/true, InlineContext{phase, InlinePass::EarlyInliner});
  FunctionPassManager after;
  after.addPass(SROAPass(SROAOptions::ModifyCFG));
  after.addPass(EarlyCSEPass());
  after.addPass(simplifyCfg());
  after.addPass(InstCombinePass());
  builder.invokePeepholeEPCallbacks(after, level);
  inliner.getPM().addPass(createCGSCCToFunctionPassAdaptor(std::move(after), true));
  passes.addPass(std::move(inliner));
  passes.addPass(GlobalDCEPass());
}

}  // namespace kernloop::pgo_pass
