#include "pgo/pass/use/gate.h"

#include <llvm/CodeGen/LiveDebugVariables.h>
#include <llvm/CodeGen/LiveIntervals.h>
#include <llvm/CodeGen/LiveRegMatrix.h>
#include <llvm/CodeGen/LiveStacks.h>
#include <llvm/CodeGen/LiveVariables.h>
#include <llvm/CodeGen/MachineDominators.h>
#include <llvm/CodeGen/MachineFunctionPass.h>
#include <llvm/CodeGen/MachineLoopInfo.h>
#include <llvm/CodeGen/MachinePostDominators.h>
#include <llvm/CodeGen/Passes.h>
#include <llvm/CodeGen/SlotIndexes.h>
#include <llvm/CodeGen/TargetPassConfig.h>
#include <llvm/CodeGen/VirtRegMap.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/PassRegistry.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Target/RegisterTargetPassConfigCallback.h>
#include <llvm/Target/TargetMachine.h>

#include <map>
#include <memory>

#include "pgo/pass/shared/options.h"
#include "pgo/pass/use/gate_blocks.h"
#include "pgo/pass/use/gate_probabilities.h"
#include "pgo/pass/use/options.h"
#include "pgo/pass/use/report.h"

namespace kernloop::pgo_pass {

namespace {

// The last pass before the first of AMDGPU's three allocations (SGPRs, whole-wave registers, VGPRs), and the first
// behind the last one. Each runs once.
constexpr char kBeforeAllocation[] = "amdgpu-pre-ra-long-branch-reg";
constexpr char kBehindAllocation[] = "amdgpu-mark-last-scratch-load";

struct GatedFunction {
  ProfiledBlocks blocks;
  SavedProbabilities saved;
  GateResult result;
};

// AMDGPU generates code callees first, pass by pass for the whole module up to some point: all functions are known at a
// time.
struct GateState {
  std::map<const llvm::Function*, GatedFunction> functions;
  GatedFunction& of(const llvm::MachineFunction& function) { return functions[&function.getFunction()]; }
};

class CollectBlocks : public llvm::FunctionPass {
 public:
  explicit CollectBlocks(std::shared_ptr<GateState> state) : FunctionPass(id_), state_(std::move(state)) {}
  llvm::StringRef getPassName() const override { return "Kernloop: the profile of each block"; }
  void getAnalysisUsage(llvm::AnalysisUsage& usage) const override { usage.setPreservesAll(); }
  bool runOnFunction(llvm::Function& function) override {
    state_->functions[&function].blocks.collect(function);
    return false;
  }

 private:
  static inline char id_ = 0;
  std::shared_ptr<GateState> state_;
};

// Everything but the frequencies, which must be computed anew.
class ProbabilityPass : public llvm::MachineFunctionPass {
 public:
  ProbabilityPass(char& id, std::shared_ptr<GateState> state) : MachineFunctionPass(id), state_(std::move(state)) {}
  void getAnalysisUsage(llvm::AnalysisUsage& usage) const override {
    usage.addPreserved<llvm::LiveDebugVariablesWrapperLegacy>();
    usage.addPreserved<llvm::LiveIntervalsWrapperPass>();
    usage.addPreserved<llvm::LiveRegMatrixWrapperLegacy>();
    usage.addPreserved<llvm::LiveStacksWrapperLegacy>();
    usage.addPreserved<llvm::LiveVariablesWrapperPass>();
    usage.addPreserved<llvm::MachineDominatorTreeWrapperPass>();
    usage.addPreserved<llvm::MachineLoopInfoWrapperPass>();
    usage.addPreserved<llvm::MachinePostDominatorTreeWrapperPass>();
    usage.addPreserved<llvm::SlotIndexesWrapperPass>();
    usage.addPreserved<llvm::VirtRegMapWrapperLegacy>();
    MachineFunctionPass::getAnalysisUsage(usage);
  }

 protected:
  std::shared_ptr<GateState> state_;
};

class SetProbabilities : public ProbabilityPass {
 public:
  explicit SetProbabilities(std::shared_ptr<GateState> state) : ProbabilityPass(id_, std::move(state)) {}
  llvm::StringRef getPassName() const override { return "Kernloop: frequencies for register allocation"; }
  bool runOnMachineFunction(llvm::MachineFunction& function) override {
    GatedFunction& gated = state_->of(function);
    if (gated.blocks.empty()) return false;
    gated.saved.save(function);
    gated.result = set_probabilities(function, profile_of(function, gated.blocks), use_options().gate);
    return gated.result.set != 0;
  }

 private:
  static inline char id_ = 0;
};

class RestoreProbabilities : public ProbabilityPass {
 public:
  explicit RestoreProbabilities(std::shared_ptr<GateState> state) : ProbabilityPass(id_, std::move(state)) {}
  llvm::StringRef getPassName() const override { return "Kernloop: the profile's frequencies again"; }
  bool runOnMachineFunction(llvm::MachineFunction& function) override {
    GatedFunction& gated = state_->of(function);
    if (gated.result.set == 0) return false;
    gated.saved.restore(function);
    return true;
  }

 private:
  static inline char id_ = 0;
};

class ReportSpills : public llvm::MachineFunctionPass {
 public:
  explicit ReportSpills(std::shared_ptr<GateState> state) : MachineFunctionPass(id_), state_(std::move(state)) {}
  llvm::StringRef getPassName() const override { return "Kernloop: spills by block"; }
  void getAnalysisUsage(llvm::AnalysisUsage& usage) const override {
    usage.setPreservesAll();
    MachineFunctionPass::getAnalysisUsage(usage);
  }
  bool runOnMachineFunction(llvm::MachineFunction& function) override {
    const GatedFunction& gated = state_->of(function);
    if (!gated.blocks.empty()) report().add_machine_code(function, profile_of(function, gated.blocks), gated.result);
    return false;
  }
  bool doFinalization(llvm::Module&) override {
    report().write();
    return false;
  }

 private:
  static inline char id_ = 0;
  std::shared_ptr<GateState> state_;
};

llvm::AnalysisID pass_named(llvm::StringRef name) {
  if (const auto* info = llvm::PassRegistry::getPassRegistry()->getPassInfo(name)) return info->getTypeInfo();
  llvm::reportFatalUsageError(llvm::Twine("kernloop-pgo: this LLVM has no pass ") + name +
                              ", beside which the gate of the register allocator stands");
}

void add_passes(llvm::TargetMachine& machine, llvm::PassManagerBase& passes, llvm::TargetPassConfig* config) {
  if (mode() != Mode::use || !config || !machine.getTargetTriple().isAMDGCN()) return;
  // Without optimisation no frequencies are used.
  if (machine.getOptLevel() == llvm::CodeGenOptLevel::None) return;
  const auto state = std::make_shared<GateState>();
  passes.add(new CollectBlocks(state));
  config->insertPass(pass_named(kBeforeAllocation), new SetProbabilities(state));
  config->insertPass(pass_named(kBehindAllocation), new RestoreProbabilities(state));
  config->insertPass(&llvm::PrologEpilogCodeInserterID, new ReportSpills(state));
}

}  // namespace

void register_gate() {
  static llvm::RegisterTargetPassConfigCallback callback(add_passes);
}

}  // namespace kernloop::pgo_pass
