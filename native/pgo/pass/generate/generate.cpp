// Instrumentation: stock's passes, LLVM's own choice of counters, then a lowering for waves instead of LLVM's for
// threads.
#include "pgo/pass/generate/generate.h"

#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Instrumentation/PGOInstrumentation.h>

#include "pgo/pass/generate/guards.h"
#include "pgo/pass/generate/image.h"
#include "pgo/pass/generate/lowering.h"
#include "pgo/pass/generate/map_file.h"
#include "pgo/pass/shared/device_triple.h"
#include "pgo/pass/shared/options.h"
#include "pgo/pass/shared/plan.h"
#include "pgo/pass/shared/stock_pipeline.h"

namespace kernloop::pgo_pass {

using namespace llvm;

namespace {

// Removes attributes by which callers, or the front end, marked inputs that functions did not use: they use them now.
void forgetUnusedInputs(Module& module) {
  for (Function& function : module) {
    SmallVector<StringRef, 16> names;
    for (const Attribute& attribute : function.getAttributes().getFnAttrs())
      if (attribute.isStringAttribute() && attribute.getKindAsString().starts_with("amdgpu-no-"))
        names.push_back(attribute.getKindAsString());
    for (const StringRef name : names) function.removeFnAttr(name);
  }
}

void eraseValueProfiles(Module& module) {
  for (Function& function : module)
    for (BasicBlock& block : function)
      for (Instruction& instruction : make_early_inc_range(block))
        if (isa<InstrProfValueProfileInst>(instruction)) instruction.eraseFromParent();
}

// LLVM's lowering, which does not run, would have used them.
void eraseLeftOvers(Module& module) {
  for (GlobalVariable& variable : make_early_inc_range(module.globals())) {
    const StringRef name = variable.getName();
    if (!name.starts_with(getInstrProfNameVarPrefix()) && name != "__llvm_profile_raw_version") continue;
    variable.removeDeadConstantUsers();
    if (variable.use_empty()) variable.eraseFromParent();
  }
}

class Lower : public PassInfoMixin<Lower> {
 public:
  static bool isRequired() { return true; }

  PreservedAnalyses run(Module& module, ModuleAnalysisManager& analyses) {
    if (Error error = instrument(module, analyses)) module.getContext().emitError(toString(std::move(error)));
    return PreservedAnalyses::none();
  }

 private:
  static Error instrument(Module& module, ModuleAnalysisManager& analyses) {
    Expected<GenerateOptions> options = generateOptions();
    if (!options) return options.takeError();
    const std::vector<Function*> left_out = options->skip_guards ? kernelsOfOneGuard(module) : std::vector<Function*>();
    addCounters(module, analyses, left_out);
    auto& functions = analyses.getResult<FunctionAnalysisManagerModuleProxy>(module).getManager();
    const std::vector<FunctionPlan> plans = planModule(module, functions);
    if (Error error = Image::check(plans, *options)) return error;
    if (plans.empty()) {
      eraseLeftOvers(module);
      return writeMap(module, plans, left_out, "", *options);
    }
    forgetUnusedInputs(module);
    const Image image(module, plans, *options);
    if (Error error = writeMap(module, plans, left_out, image.cuid(), *options)) return error;
    for (size_t i = 0; i < plans.size(); ++i) {
      std::vector<BasicBlock*> blocks;
      for (BasicBlock& block : *plans[i].function) blocks.push_back(&block);
      if (options->sampling != Sampling::all) addUncountedBody(plans[i], *options);
      lowerCounters(plans[i], blocks, image, image.rows(i), *options);
    }
    eraseLeftOvers(module);
    return Error::success();
  }

  static void addCounters(Module& module, ModuleAnalysisManager& analyses, ArrayRef<Function*> left_out) {
    for (Function* function : left_out) function->addFnAttr(Attribute::SkipProfile);
    analyses.invalidate(module, PGOInstrumentationGen().run(module, analyses));
    // Stock's own instrumentation, asked for by an -fprofile-generate that was meant for the host, would count our
    // counting.
    for (Function& function : module)
      if (!function.isDeclaration()) function.addFnAttr(Attribute::SkipProfile);
    eraseValueProfiles(module);
  }
};

// A pipeline of its own, for device modules only.
class Generate : public PassInfoMixin<Generate> {
 public:
  Generate(PassBuilder& builder, OptimizationLevel level, ThinOrFullLTOPhase phase) {
    addPassesBeforeInstrumentation(passes_, builder, level, phase);
    passes_.addPass(Lower());
  }

  static bool isRequired() { return true; }

  PreservedAnalyses run(Module& module, ModuleAnalysisManager& analyses) {
    if (!isDevice(module)) return PreservedAnalyses::all();
    return passes_.run(module, analyses);
  }

 private:
  ModulePassManager passes_;
};

}  // namespace

void registerGenerate(PassBuilder& builder) {
  builder.registerPipelineEarlySimplificationEPCallback(
      [&builder](ModulePassManager& passes, OptimizationLevel level, ThinOrFullLTOPhase phase) {
        if (mode() == Mode::generate) passes.addPass(Generate(builder, level, phase));
      });
}

}  // namespace kernloop::pgo_pass
