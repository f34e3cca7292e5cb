#include "pgo/pass/generate/map_file.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/ProfileData/InstrProf.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/JSON.h>
#include <llvm/Support/raw_ostream.h>

#include "pgo/pass/generate/wave.h"

namespace kernloop::pgo_pass {

using namespace llvm;

namespace {

// Source of the code that was inlined last: the line that an author would edit.
void addPlace(json::OStream& json, const DILocation* place) {
  if (!place || place->getLine() == 0) return;
  json.attribute("line", place->getLine());
  json.attribute("column", place->getColumn());
  json.attribute("file", place->getFilename());
}

const DILocation* placeOf(const BasicBlock& block) {
  for (const Instruction& instruction : block) {
    const DILocation* place = instruction.getDebugLoc();
    if (place && place->getLine() != 0 && !isa<PHINode>(instruction)) return place;
  }
  return nullptr;
}

void addBlocks(json::OStream& json, const FunctionPlan& plan) {
  DenseMap<const BasicBlock*, unsigned> ordinals;
  for (const auto& [ordinal, block] : enumerate(*plan.function)) ordinals[&block] = static_cast<unsigned>(ordinal);
  json.attributeArray("blocks", [&] {
    for (const auto& [ordinal, block] : enumerate(*plan.function))
      json.object([&] {
        if (const auto of = plan.class_of_block[ordinal])
          json.attribute("class", *of);
        else
          json.attribute("class", nullptr);
        json.attributeArray("successors", [&] {
          SmallSetVector<unsigned, 4> next;
          for (const BasicBlock* successor : successors(&block)) next.insert(ordinals[successor]);
          for (const unsigned ordinal : next) json.value(ordinal);
        });
        addPlace(json, placeOf(block));
      });
  });
}

void addCounters(json::OStream& json, const FunctionPlan& plan) {
  json.attributeArray("counters", [&] {
    for (const Counter& counter : plan.counters)
      json.object([&] {
        json.attribute("kind", counter.select ? "select" : "block");
        json.attribute("block", counter.block);
        json.attribute("class", counter.in_class);
        json.attribute("static_uniform", counter.statically_uniform);
        const auto& block = *std::next(plan.function->begin(), counter.block);
        addPlace(json, counter.select && counter.increment ? counter.increment->getDebugLoc().get() : placeOf(block));
      });
  });
}

void addClasses(json::OStream& json, const FunctionPlan& plan) {
  json.attributeArray("classes", [&] {
    for (const BlockClass& of : plan.classes)
      json.object([&] {
        json.attributeArray("blocks", [&] {
          for (const unsigned block : of.blocks) json.value(block);
        });
        json.attribute("static_uniform", of.statically_uniform);
      });
  });
}

bool isKernel(const Function& function) {
  return function.getCallingConv() == CallingConv::AMDGPU_KERNEL ||
         function.getCallingConv() == CallingConv::PTX_Kernel;
}

}  // namespace

Error writeMap(const Module& module, const std::vector<FunctionPlan>& plans, const std::vector<Function*>& left_out,
               const std::string& cuid, const GenerateOptions& options) {
  if (options.map_file.empty()) return Error::success();
  const std::string architecture = Wave::architecture(module);
  std::string path = options.map_file;
  for (size_t at; (at = path.find("%a")) != std::string::npos;) path.replace(at, 2, architecture);
  std::error_code error;
  raw_fd_ostream file(path, error, sys::fs::OF_Text);
  if (error) return createStringError("kernloop-pgo: the map " + path + " cannot be written: " + error.message());

  json::OStream json(file, 1);
  json.object([&] {
    json.attribute("schema", "kernloop.pgo-map/1");
    json.attribute("module", module.getSourceFileName());
    json.attribute("arch", architecture);
    json.attribute("cuid", cuid);
    if (!plans.empty()) json.attribute("wave_size", Wave(*plans.front().function).size());
    json.attribute("slots", options.slots);
    json.attribute("sampling", samplingName(options));
    json.attribute("uniform", options.uniform == UniformRule::branch ? "branch" : "full-mask");
    json.attributeArray("functions", [&] {
      for (const FunctionPlan& plan : plans)
        json.object([&] {
          json.attribute("name", plan.name);
          json.attribute("symbol", plan.function->getName());
          json.attribute("hash", "0x" + utohexstr(plan.hash, /*LowerCase=*/true));
          json.attribute("kernel", isKernel(*plan.function));
          addBlocks(json, plan);
          addCounters(json, plan);
          addClasses(json, plan);
        });
      for (const Function* function : left_out)
        json.object([&] {
          json.attribute("name", getPGOFuncName(*function));
          json.attribute("symbol", function->getName());
          json.attribute("kernel", isKernel(*function));
          json.attribute("skipped", "guard");
        });
    });
  });
  file << '\n';
  return Error::success();
}

}  // namespace kernloop::pgo_pass
