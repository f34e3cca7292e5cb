// Surveys the instructions of a target that the engine executes, with random instruction words of every opcode.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "softgpu/isa/instruction.h"
#include "softgpu/isa/target.h"

namespace kernloop::softgpu {

struct MnemonicSurvey {
  std::set<std::string> encodings;
  unsigned executed = 0, refused = 0;
  // Counts of modifiers that were on, by assembler name.
  std::map<std::string, unsigned> on_executed, on_refused;
  std::string why_refused = "not met in compiled code yet";  // reason in the table of operations

  bool is_done() const { return refused == 0; }
  bool is_refused() const { return executed == 0; }
  // Modifiers that only refused forms have; empty if none distinguishes them.
  std::vector<std::string> refused_modifiers() const;
};

// By mnemonic. The same in every run.
std::map<std::string, MnemonicSurvey> survey(Target target);

}  // namespace kernloop::softgpu
