#include "pgo/pass/use/profile.h"

#include <llvm/IR/CFG.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/ProfileData/InstrProfReader.h>
#include <llvm/Support/VirtualFileSystem.h>
#include <llvm/Transforms/Instrumentation/PGOInstrumentation.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <algorithm>

#include "pgo/pass/use/flow.h"

namespace kernloop::pgo_pass {

namespace {

llvm::Error refuse_profile(const llvm::Twine& what) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), what);
}

std::string hex_of(uint64_t number) {
  return "0x" + llvm::utohexstr(number, /*LowerCase=*/true);
}

ProfiledFunction describe(const FunctionPlan& plan, llvm::Function& original, const llvm::ValueToValueMapTy& clones) {
  ProfiledFunction function;
  function.symbol = plan.function->getName().str();
  function.name = plan.name;
  function.hash = plan.hash;
  for (const auto& counter : plan.counters)
    function.counter_blocks.push_back(counter.select ? std::nullopt : std::optional(counter.block));
  function.classes = plan.classes.size();
  llvm::DenseMap<const llvm::BasicBlock*, unsigned> ordinals;
  for (const auto& block : *plan.function) ordinals.insert({&block, static_cast<unsigned>(ordinals.size())});
  for (const auto& block : *plan.function) {
    auto& entry = function.blocks.emplace_back();
    entry.info.function = plan.name;
    entry.info.block = ordinals.lookup(&block);
    entry.in_class = plan.class_of_block[entry.info.block];
    find_line(block, entry.info);
    for (const auto* next : llvm::successors(&block)) entry.successors.push_back(ordinals.lookup(next));
  }
  for (auto& block : original) {
    const auto* clone = llvm::dyn_cast_or_null<llvm::BasicBlock>(clones.lookup(&block));
    if (const auto found = ordinals.find(clone); found != ordinals.end())
      function.blocks[found->second].original = &block;
  }
  return function;
}

// Lanes of every block: LLVM computes them from its counters, too, and keeps them as 32-bit weights.
std::vector<std::optional<uint64_t>> lanes_of(const ProfiledFunction& function) {
  const size_t outside = function.blocks.size();
  FlowGraph graph(outside + 1);
  std::vector<size_t> first(function.classes, outside);
  graph.add_edge(outside, 0);
  for (size_t block = 0; block < outside; ++block) {
    const auto& entry = function.blocks[block];
    for (unsigned next : entry.successors) graph.add_edge(block, next);
    if (entry.successors.empty()) graph.add_edge(block, outside);
    if (!entry.in_class) {
      graph.counts[block] = 0;  // cannot be reached
    } else if (first[*entry.in_class] == outside) {
      first[*entry.in_class] = block;
    } else {
      graph.together[block] = first[*entry.in_class];
    }
  }
  for (size_t i = 0; i < function.counters.size(); ++i)
    if (function.counter_blocks[i]) graph.counts[*function.counter_blocks[i]] = function.counters[i];
  solve(graph);
  return graph.counts;
}

// A block with a counter has the counter's letter; other blocks have their class's.
char letter_of(const ProfiledFunction& function, size_t block, std::optional<uint64_t> lanes) {
  if (!function.waves || function.waves->pattern.empty()) return '?';
  for (size_t i = 0; i < function.counters.size(); ++i)
    if (function.counter_blocks[i] == block) return function.waves->pattern[i];
  const auto in_class = function.blocks[block].in_class;
  if (!in_class || function.waves->classes.empty() || !lanes) return '?';
  const auto& measured = function.waves->classes[*in_class];
  return measured.static_uniform || is_uniform(measured.uniform_lanes, *lanes) ? 'U' : 'D';
}

// Refuses profiles that LLVM's own reader accepts and this mapping of counters to blocks cannot handle.
llvm::Error check_kind(const llvm::IndexedInstrProfReader& reader) {
  if (!reader.isIRLevelProfile()) return refuse_profile("it is none of LLVM's IR level instrumentation");
  if (reader.hasCSIRLevelProfile() || reader.functionEntryOnly() || reader.hasSingleByteCoverage() ||
      reader.instrEntryBBEnabled())
    return refuse_profile(
        "it is context sensitive, of function entries only, of coverage, or counts entries first "
        "(-pgo-instrument-entry), none of which -kernloop-pgo=generate makes");
  return llvm::Error::success();
}

}  // namespace

std::vector<ProfiledFunction> functions_of(llvm::Module& module) {
  llvm::ValueToValueMapTy clones;
  const auto clone = llvm::CloneModule(module, clones);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  llvm::ModulePassManager passes;
  passes.addPass(llvm::PGOInstrumentationGen());
  passes.run(*clone, modules);
  std::vector<ProfiledFunction> result;
  for (const auto& plan : planModule(*clone, functions))
    result.push_back(describe(plan, *module.getFunction(plan.function->getName()), clones));
  return result;
}

llvm::Error look_up(std::vector<ProfiledFunction>& functions, const std::string& profile) {
  auto reader = llvm::IndexedInstrProfReader::create(profile, *llvm::vfs::getRealFileSystem());
  if (!reader) return reader.takeError();
  if (auto error = check_kind(**reader)) return error;
  for (auto& function : functions) {
    auto record = (*reader)->getInstrProfRecord(function.name, function.hash);
    if (record) {
      if (record->Counts.size() != function.counter_blocks.size())
        return refuse_profile(function.name + " has " + llvm::Twine(record->Counts.size()) + " counters there and " +
                              llvm::Twine(function.counter_blocks.size()) + " here");
      function.found = true;
      function.counters = record->Counts;
      continue;
    }
    bool is_unknown = false;
    auto rest = llvm::handleErrors(record.takeError(), [&](std::unique_ptr<llvm::InstrProfError> error) -> llvm::Error {
      is_unknown = error->get() == llvm::instrprof_error::unknown_function;
      if (is_unknown) return llvm::Error::success();
      return llvm::Error(std::move(error));
    });
    if (is_unknown) {
      llvm::consumeError(std::move(rest));
      continue;
    }
    return refuse_profile(
        "it does not fit " + function.name + " (hash " + hex_of(function.hash) +
        " here): " + llvm::toString(std::move(rest)) +
        "; its control flow is another than when it was instrumented: profile this source, with these options");
  }
  return llvm::Error::success();
}

llvm::Error look_up(std::vector<ProfiledFunction>& functions, const WaveProfile& waves) {
  for (auto& function : functions) {
    if (!function.found) continue;
    const auto found = waves.functions.find({function.name, function.hash});
    const bool elsewhere = std::any_of(waves.functions.begin(), waves.functions.end(),
                                       [&](const auto& entry) { return entry.first.first == function.name; });
    if (found == waves.functions.end())
      return refuse_profile(function.name + " (hash " + hex_of(function.hash) + ") is in the profile and " +
                            (elsewhere ? "has another hash here" : "not here"));
    const auto& entry = found->second;
    if (entry.counters != function.counters)
      return refuse_profile("its lanes of " + function.name +
                            " are not those of the profile: the two are of different merges");
    if (!entry.classes.empty() && entry.classes.size() != function.classes)
      return refuse_profile(function.name + " has " + llvm::Twine(entry.classes.size()) +
                            " classes of blocks here and " + llvm::Twine(function.classes) + " in the module");
    for (size_t i = 0; i < entry.counter_class.size(); ++i)
      if (function.counter_blocks[i] && function.blocks[*function.counter_blocks[i]].in_class != entry.counter_class[i])
        return refuse_profile("counter " + llvm::Twine(i) + " of " + function.name + " is of class " +
                              llvm::Twine(entry.counter_class[i]) + " here, and of another one in the module");
    function.waves = &entry;
  }
  return llvm::Error::success();
}

void measure(ProfiledFunction& function) {
  const auto lanes = lanes_of(function);
  for (size_t block = 0; block < function.blocks.size(); ++block) {
    auto& entry = function.blocks[block];
    entry.info.lanes = lanes[block];
    entry.info.letter = letter_of(function, block, lanes[block]);
    if (entry.in_class && function.waves && !function.waves->classes.empty())
      entry.info.waves = function.waves->classes[*entry.in_class].waves;
  }
}

}  // namespace kernloop::pgo_pass
