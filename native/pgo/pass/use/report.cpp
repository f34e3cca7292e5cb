#include "pgo/pass/use/report.h"

#include <llvm/CodeGen/MachineFrameInfo.h>
#include <llvm/CodeGen/PseudoSourceValue.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <cmath>

namespace kernloop::pgo_pass {

namespace {

using llvm::json::Array;
using llvm::json::Object;
using llvm::json::Value;

Value optional(std::optional<uint64_t> count) {
  return count ? Value(*count) : Value(nullptr);
}

void add_block_fields(Object& fields, const BlockInfo& info) {
  fields["letter"] = std::string(1, info.letter);
  fields["lanes"] = optional(info.lanes);
  if (info.line == 0) return;
  fields["line"] = info.line;
  fields["file"] = info.file;
}

Array profiled_blocks(const ProfiledFunction& function) {
  Array blocks;
  for (const auto& block : function.blocks) {
    Object fields{{"block", block.info.block}, {"waves", optional(block.info.waves)}};
    add_block_fields(fields, block.info);
    blocks.push_back(std::move(fields));
  }
  return blocks;
}

struct Spills {
  uint64_t store_dwords = 0, load_dwords = 0;
  uint64_t all() const { return store_dwords + load_dwords; }
};

// Spills of each lane to memory: values that AMDGPU keeps in accumulation registers or in lanes of a VGPR have no
// memory operand.
Spills spills_of(const llvm::MachineBasicBlock& block, const llvm::MachineFrameInfo& frame) {
  Spills spills;
  for (const auto& instruction : block.instrs()) {
    for (const auto* operand : instruction.memoperands()) {
      const auto* slot = llvm::dyn_cast_or_null<llvm::FixedStackPseudoSourceValue>(operand->getPseudoValue());
      if (!slot || !frame.isSpillSlotObjectIndex(slot->getFrameIndex()) || !operand->getSize().hasValue()) continue;
      const uint64_t dwords = (operand->getSize().getValue().getKnownMinValue() + 3) / 4;
      (operand->isStore() ? spills.store_dwords : spills.load_dwords) += dwords;
    }
  }
  return spills;
}

// Estimates by the frequencies of the profile's lanes, if the profile leaves a block out.
std::optional<uint64_t> estimate(const llvm::MachineFunction& function, const MachineProfile& profile,
                                 const llvm::MachineBasicBlock& block) {
  const auto entry = profile.blocks[static_cast<size_t>(function.front().getNumber())].waves;
  if (!entry) return std::nullopt;
  return static_cast<uint64_t>(static_cast<double>(*entry) *
                               profile.frequencies[static_cast<size_t>(block.getNumber())]);
}

std::string path_for(const llvm::Module& module, std::string path, std::string& arch) {
  for (const auto& function : module) {
    const auto processor = function.getFnAttribute("target-cpu").getValueAsString();
    if (arch.empty()) arch = processor.str();
  }
  if (const auto at = path.find("%a"); at != std::string::npos) path.replace(at, 2, arch);
  return path;
}

}  // namespace

void UseReport::begin(const llvm::Module& module, const UseOptions& options,
                      const std::vector<ProfiledFunction>& functions) {
  std::string arch;
  path_ = path_for(module, options.report, arch);
  head_ = Object{{"schema", "kernloop.pgo-report/1"},
                 {"module", module.getSourceFileName()},
                 {"arch", arch},
                 {"gate", name_of(options.gate)},
                 {"weights", options.weights}};
  functions_.clear();
  for (const auto& profiled : functions) {
    Object fields{{"name", profiled.name},
                  {"symbol", profiled.symbol},
                  {"hash", "0x" + llvm::utohexstr(profiled.hash, true)},
                  {"profile", profiled.found ? "used" : "absent"}};
    if (profiled.waves && !profiled.waves->pattern.empty()) fields["pattern"] = profiled.waves->pattern;
    if (profiled.found) fields["blocks"] = profiled_blocks(profiled);
    functions_.push_back({profiled.symbol, std::move(fields)});
  }
  write();
}

void UseReport::add_machine_code(llvm::MachineFunction& function, const MachineProfile& profile,
                                 const GateResult& gate) {
  const auto found = std::find_if(functions_.begin(), functions_.end(),
                                  [&](const Function& entry) { return entry.symbol == function.getName(); });
  if (path_.empty() || found == functions_.end()) return;
  Array blocks;
  Spills total;
  std::optional<uint64_t> score = 0;
  for (const auto& block : function) {
    const auto& known = profile.blocks[static_cast<size_t>(block.getNumber())];
    const auto spills = spills_of(block, function.getFrameInfo());
    const auto waves = known.waves ? known.waves : estimate(function, profile, block);
    total.store_dwords += spills.store_dwords;
    total.load_dwords += spills.load_dwords;
    if (spills.all() != 0) score = score && waves ? std::optional(*score + spills.all() * *waves) : std::nullopt;
    Object fields{{"number", block.getNumber()},
                  {"store_dwords", spills.store_dwords},
                  {"load_dwords", spills.load_dwords},
                  {"waves", optional(waves)}};
    if (!known.waves && waves) fields["estimated"] = true;
    if (known.info) {
      if (known.info->function != *found->fields.getString("name")) fields["function"] = known.info->function;
      fields["block"] = known.info->block;
      add_block_fields(fields, *known.info);
    }
    blocks.push_back(std::move(fields));
  }
  found->fields["machine_blocks"] = std::move(blocks);
  found->fields["spills"] = Object{{"store_dwords", total.store_dwords}, {"load_dwords", total.load_dwords}};
  found->fields["score"] = optional(score);
  found->fields["branches"] = Object{{"all", gate.branches}, {"set", gate.set}};
}

void UseReport::write() {
  if (path_.empty()) return;
  Object root = head_;
  Array functions;
  for (const auto& function : functions_) functions.push_back(Object(function.fields));
  root["functions"] = std::move(functions);
  std::error_code error;
  llvm::raw_fd_ostream out(path_, error);
  if (!error) {
    out << llvm::formatv("{0:2}\n", Value(std::move(root)));
    out.close();
    error = out.error();
    out.clear_error();
  }
  if (error)
    llvm::reportFatalUsageError("kernloop-pgo: the report " + llvm::Twine(path_) +
                                " cannot be written: " + error.message());
}

UseReport& report() {
  static UseReport of_this_process;
  return of_this_process;
}

}  // namespace kernloop::pgo_pass
