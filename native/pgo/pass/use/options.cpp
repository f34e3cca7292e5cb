#include "pgo/pass/use/options.h"

#include <llvm/Support/CommandLine.h>

namespace kernloop::pgo_pass {

namespace {

namespace cl = llvm::cl;

struct UseCommandLine {
  cl::opt<std::string> profile{"kernloop-pgo-profile", cl::desc("Indexed profile to optimise by"), cl::init("")};
  cl::opt<std::string> waves{"kernloop-pgo-waves", cl::desc("Wave visits and uniform lanes that belong to the profile"),
                             cl::init("")};
  cl::opt<std::string> report{"kernloop-pgo-report",
                              cl::desc("File for the spills of each block; %a is the architecture"), cl::init("")};
  cl::opt<Gate> gate{"kernloop-pgo-gate", cl::desc("Which frequencies AMDGPU's register allocation sees"),
                     cl::init(Gate::off),
                     cl::values(clEnumValN(Gate::off, "off", "those of the profile, which are lanes"),
                                clEnumValN(Gate::uniform, "uniform", "estimates where the profile says divergent"),
                                clEnumValN(Gate::flatten, "flatten", "estimates everywhere"),
                                clEnumValN(Gate::wave, "wave", "measured waves"))};
  cl::opt<bool> weights{"kernloop-pgo-weights",
                        cl::desc("Optimise by the profile; without, it is only used for the report"), cl::init(true)};
};

UseCommandLine* use_command_line = nullptr;

}  // namespace

void register_use_options() {
  if (!use_command_line) use_command_line = new UseCommandLine;
}

UseOptions use_options() {
  const auto& given = *use_command_line;
  return {given.profile, given.waves, given.report, given.gate, given.weights};
}

const char* name_of(Gate gate) {
  switch (gate) {
    case Gate::off:
      return "off";
    case Gate::uniform:
      return "uniform";
    case Gate::flatten:
      return "flatten";
    case Gate::wave:
      return "wave";
  }
  return "";
}

}  // namespace kernloop::pgo_pass
