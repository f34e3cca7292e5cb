#include "pgo/pass/use/use.h"

#include <llvm/Analysis/ProfileSummaryInfo.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/PassInstrumentation.h>
#include <llvm/Support/VirtualFileSystem.h>
#include <llvm/Transforms/Instrumentation/PGOInstrumentation.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "pgo/pass/shared/device_triple.h"
#include "pgo/pass/shared/options.h"
#include "pgo/pass/shared/stock_pipeline.h"
#include "pgo/pass/use/block_info.h"
#include "pgo/pass/use/block_marks.h"
#include "pgo/pass/use/gate.h"
#include "pgo/pass/use/options.h"
#include "pgo/pass/use/profile.h"
#include "pgo/pass/use/report.h"

namespace kernloop::pgo_pass {

namespace {

constexpr char kUniformityAttribute[] = "amdgpu-block-uniformity";

// Blocks are known by their order: PGOInstrumentationUse splits the edges that PGOInstrumentationGen split.
bool attach_behind_use(llvm::Function& function, const ProfiledFunction& profiled) {
  llvm::DenseMap<const llvm::BasicBlock*, unsigned> ordinals;
  for (const auto& block : function) ordinals.insert({&block, static_cast<unsigned>(ordinals.size())});
  if (ordinals.size() != profiled.blocks.size()) return false;
  for (const auto& block : function) {
    std::vector<unsigned> next;
    for (const auto* successor : llvm::successors(&block)) next.push_back(ordinals.lookup(successor));
    if (next != profiled.blocks[ordinals.lookup(&block)].successors) return false;
  }
  for (auto& block : function) attach(block, profiled.blocks[ordinals.lookup(&block)].info);
  return true;
}

class Use : public llvm::PassInfoMixin<Use> {
 public:
  Use(llvm::PassBuilder& builder, llvm::OptimizationLevel level, llvm::ThinOrFullLTOPhase phase)
      : options_(use_options()) {
    addPassesBeforeInstrumentation(before_, builder, level, phase);
    apply_.addPass(llvm::PGOInstrumentationUse(options_.profile, "", /*IsCS=*/false, llvm::vfs::getRealFileSystem()));
    apply_.addPass(llvm::RequireAnalysisPass<llvm::ProfileSummaryAnalysis, llvm::Module>());
  }

  static bool isRequired() { return true; }

  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses) {
    if (!isDevice(module)) return llvm::PreservedAnalyses::all();
    if (auto error = check_options(module)) return fail(module, "", std::move(error));
    return options_.weights ? apply(module, analyses) : only_report(module, analyses);
  }

 private:
  static llvm::PreservedAnalyses fail(llvm::Module& module, const std::string& file, llvm::Error error) {
    module.getContext().emitError("kernloop-pgo: " + (file.empty() ? "" : file + ": ") +
                                  llvm::toString(std::move(error)));
    return llvm::PreservedAnalyses::none();
  }

  static llvm::Error refuse(const llvm::Twine& what) {
    return llvm::createStringError(llvm::inconvertibleErrorCode(), what);
  }

  llvm::Error check_options(const llvm::Module& module) const {
    if (options_.profile.empty())
      return refuse("-kernloop-pgo=use needs -kernloop-pgo-profile=FILE, an indexed profile (llvm-profdata merge)");
    if (options_.gate == Gate::off) return llvm::Error::success();
    const std::string gate = std::string("-kernloop-pgo-gate=") + name_of(options_.gate);
    if (!module.getTargetTriple().isAMDGCN())
      return refuse(gate + " cannot be applied to " + module.getTargetTriple().str() +
                    ": ptxas allocates its registers; only weights are used there, so leave the gate off");
    if (options_.gate != Gate::flatten && options_.waves.empty())
      return refuse(gate + " needs -kernloop-pgo-waves=FILE, which says how waves went");
    if (!options_.weights) return refuse(gate + " makes no sense with -kernloop-pgo-weights=false");
    return llvm::Error::success();
  }

  // One profile an architecture: blocks, waves and divergence differ.
  llvm::Error read_side_file(const llvm::Module& module, std::vector<ProfiledFunction>& functions, WaveProfile& waves) {
    if (options_.waves.empty()) return llvm::Error::success();
    auto read = read_waves(options_.waves);
    if (!read) return read.takeError();
    waves = std::move(*read);
    for (const auto& function : module) {
      const auto processor = function.getFnAttribute("target-cpu").getValueAsString();
      if (!processor.empty() && !waves.arch.empty() && processor != waves.arch)
        return refuse("it was measured on " + waves.arch + ", and " + function.getName() + " is compiled for " +
                      processor + ": profile each architecture for itself");
    }
    if (auto error = look_up(functions, waves)) return error;
    for (const auto& function : functions) {
      if (!function.waves) continue;
      if (options_.gate == Gate::wave && function.waves->classes.empty())
        return refuse("it has no wave visits of " + function.name + ", which -kernloop-pgo-gate=wave needs");
      if (options_.gate == Gate::uniform && function.waves->pattern.empty())
        return refuse("it does not say which blocks of " + function.name +
                      " are uniform, which -kernloop-pgo-gate=uniform needs");
    }
    return llvm::Error::success();
  }

  llvm::PreservedAnalyses apply(llvm::Module& module, llvm::ModuleAnalysisManager& analyses) {
    before_.run(module, analyses);
    WaveProfile waves;
    auto functions = functions_of(module);
    if (!read_profile(module, functions, waves)) return llvm::PreservedAnalyses::none();
    apply_.run(module, analyses);
    for (const auto& profiled : functions) {
      if (!profiled.found) continue;
      auto* function = module.getFunction(profiled.symbol);
      if (!attach_behind_use(*function, profiled))
        return fail(module, "",
                    refuse(profiled.symbol + " has other blocks than its instrumented clone: report this as a defect"));
      if (profiled.waves && !profiled.waves->pattern.empty())
        function->addFnAttr(kUniformityAttribute, profiled.waves->pattern);
    }
    report().begin(module, options_, functions);
    return llvm::PreservedAnalyses::none();
  }

  // Only the marks on the blocks are changed: the profile is that of a clone that is processed like instrumented code.
  llvm::PreservedAnalyses only_report(llvm::Module& module, llvm::ModuleAnalysisManager& analyses) {
    BlockMarks marks(module);
    const auto clone = llvm::CloneModule(module);
    before_.run(*clone, analyses);
    WaveProfile waves;
    auto functions = functions_of(*clone);
    const bool is_read = read_profile(module, functions, waves);
    if (is_read) marks.attach_all(functions);
    marks.remove();
    analyses.clear(*clone, clone->getName());
    if (is_read) report().begin(module, options_, functions);
    return llvm::PreservedAnalyses::none();
  }

  bool read_profile(llvm::Module& module, std::vector<ProfiledFunction>& functions, WaveProfile& waves) {
    if (auto error = look_up(functions, options_.profile))
      return fail(module, options_.profile, std::move(error)), false;
    if (auto error = read_side_file(module, functions, waves))
      return fail(module, options_.waves, std::move(error)), false;
    for (auto& function : functions)
      if (function.found) measure(function);
    return true;
  }

  UseOptions options_;
  llvm::ModulePassManager before_, apply_;
};

// LLVM 22's control height reduction copies convergent operations into both of the paths that it makes
// (llvm/llvm-project#180882), which lanes that have to meet there then execute apart.
void forbid_height_reduction(llvm::PassBuilder& builder) {
  auto* callbacks = builder.getPassInstrumentationCallbacks();
  if (!callbacks) return;
  callbacks->registerShouldRunOptionalPassCallback([](llvm::StringRef pass, llvm::Any unit) {
    if (mode() != Mode::use || pass != "ControlHeightReductionPass") return true;
    const auto* function = llvm::any_cast<const llvm::Function*>(&unit);
    return !function || !isDevice(*(*function)->getParent());
  });
}

}  // namespace

void register_use(llvm::PassBuilder& builder) {
  builder.registerPipelineEarlySimplificationEPCallback(
      [&builder](llvm::ModulePassManager& passes, llvm::OptimizationLevel level, llvm::ThinOrFullLTOPhase phase) {
        if (mode() == Mode::use) passes.addPass(Use(builder, level, phase));
      });
  forbid_height_reduction(builder);
  register_gate();
}

}  // namespace kernloop::pgo_pass
