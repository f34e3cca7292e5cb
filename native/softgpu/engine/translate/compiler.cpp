#include "softgpu/engine/translate/compiler.h"

#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <utility>

#include "softgpu/engine/translate/lane_code.h"
#include "softgpu/engine/translate/llvm_library.h"

namespace kernloop::softgpu {

namespace {

constexpr char kTriple[] = "x86_64-pc-linux-gnu";
// The arithmetic of an operation comes as one function, which was optimised at build time. Calls of libraries must not
// come out of this: nothing here makes loops to memset.
std::string passes(unsigned version) {
  // Versions from 18 on end the program if one round was not enough.
  const std::string combine = version >= 18 ? "instcombine<no-verify-fixpoint>" : "instcombine";
  return "always-inline,function(sroa,early-cse," + combine + ",simplifycfg,early-cse,adce),globaldce";
}

// LLVMCodeGenOptLevel, LLVMRelocMode, LLVMCodeModel, LLVMCodeGenFileType.
constexpr int kLess = 1, kPic = 2, kDefaultModel = 0, kObjectFile = 1;

const char* processor() {
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    return "x86-64-v4";
  return "x86-64-v3";
}

// One compilation.
class Compilation {
 public:
  explicit Compilation(const LlvmLibrary& llvm) : llvm_(llvm), context_(llvm.ContextCreate()) {
    llvm_.ContextSetDiagnosticHandler(context_, note, this);
  }
  ~Compilation() {
    if (machine_) llvm_.DisposeTargetMachine(machine_);
    if (module_) llvm_.DisposeModule(module_);
    llvm_.ContextDispose(context_);
  }
  Compilation(const Compilation&) = delete;
  Compilation& operator=(const Compilation&) = delete;

  std::string compile(const std::string& text) {
    if (!parse(text) || !add_lanes() || !make_machine()) return {};
    LlvmLibrary::yield();
    if (!optimise()) return {};
    LlvmLibrary::yield();
    char* message = nullptr;
    void* buffer = nullptr;
    if (llvm_.TargetMachineEmitToMemoryBuffer(machine_, module_, kObjectFile, &message, &buffer)) {
      fail(message);
      return {};
    }
    const std::string object(llvm_.GetBufferStart(buffer), llvm_.GetBufferSize(buffer));
    llvm_.DisposeMemoryBuffer(buffer);
    return problem_.empty() ? object : std::string();
  }
  const std::string& problem() const { return problem_; }

 private:
  // Without a handler LLVM would end the program.
  static void note(void* diagnostic, void* data) {
    auto& self = *static_cast<Compilation*>(data);
    constexpr int kError = 0;
    if (self.llvm_.GetDiagInfoSeverity(diagnostic) != kError) return;
    char* const message = self.llvm_.GetDiagInfoDescription(diagnostic);
    self.problem_ = message;
    self.llvm_.DisposeMessage(message);
  }
  bool fail(char* message) {
    problem_ = message ? message : "no reason given";
    if (message) llvm_.DisposeMessage(message);
    return false;
  }

  bool parse(const std::string& text) {
    char* message = nullptr;
    void* const buffer = llvm_.CreateMemoryBufferWithMemoryRange(text.data(), text.size(), "segments", 1);
    return llvm_.ParseIRInContext(context_, buffer, &module_, &message) == 0 || fail(message);
  }

  // Those that the module calls: the others are read, but not their bodies.
  bool add_lanes() {
    void* lanes = nullptr;
    void* const buffer = llvm_.CreateMemoryBufferWithMemoryRange(lane_code().data(), lane_code().size(), "lanes", 0);
    if (llvm_.GetBitcodeModuleInContext2(context_, buffer, &lanes)) {
      if (problem_.empty()) problem_ = "the lane code cannot be read";
      llvm_.DisposeMemoryBuffer(buffer);
      return false;
    }
    if (llvm_.LinkModules2(module_, lanes) == 0) return true;
    if (problem_.empty()) problem_ = "the lane code cannot be linked";
    return false;
  }

  bool make_machine() {
    char* message = nullptr;
    void* target = nullptr;
    if (llvm_.GetTargetFromTriple(kTriple, &target, &message)) return fail(message);
    machine_ = llvm_.CreateTargetMachine(target, kTriple, processor(), "", kLess, kPic, kDefaultModel);
    if (!machine_) problem_ = "no code for this processor";
    return machine_ != nullptr;
  }

  bool optimise() {
    void* const options = llvm_.CreatePassBuilderOptions();
    llvm_.PassBuilderOptionsSetLoopVectorization(options, 0);
    llvm_.PassBuilderOptionsSetLoopUnrolling(options, 0);
    void* const error = llvm_.RunPasses(module_, passes(llvm_.version()).c_str(), machine_, options);
    llvm_.DisposePassBuilderOptions(options);
    if (!error) return true;
    char* const message = llvm_.GetErrorMessage(error);
    problem_ = message;
    llvm_.DisposeErrorMessage(message);
    return false;
  }

  const LlvmLibrary& llvm_;
  void* const context_;
  void* module_ = nullptr;
  void* machine_ = nullptr;
  std::string problem_;
};

// For people who look for a mistake.
void keep(const std::string& folder, const std::string& module, const std::string& object) {
  static std::atomic<unsigned> next{0};
  const std::string name =
      folder + "/" + std::to_string(::getpid()) + "-" + std::to_string(next.fetch_add(1, std::memory_order_relaxed));
  std::ofstream(name + ".ll") << module;
  std::ofstream(name + ".o", std::ios::binary) << object;
}

}  // namespace

bool LaneCompiler::is_built() {
  return !lane_code().empty() && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

std::string LaneCompiler::find_llvm() {
  if (!is_built()) return "this build has no lane code, or the processor no AVX2";
  std::string problem;
  return LlvmLibrary::open(lane_code_llvm(), problem) ? std::string() : problem;
}

std::string LaneCompiler::compile(const std::string& module, std::string& problem) const {
  const LlvmLibrary* const llvm = LlvmLibrary::open(lane_code_llvm(), problem);
  if (!llvm) return {};
  std::string object, why;
  const auto work = [&] {
    Compilation compilation(*llvm);
    object = compilation.compile(module);
    why = compilation.problem();
  };
  if (!llvm->use(work, problem)) return {};
  if (const char* folder = std::getenv("KERNLOOP_SOFTGPU_TRANSLATE_KEEP")) keep(folder, module, object);
  if (object.empty()) problem = llvm->name() + ": " + why.substr(0, 500);
  return object;
}

}  // namespace kernloop::softgpu
