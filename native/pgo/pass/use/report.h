// -kernloop-pgo-report: the profile of each block, and its spills by register allocation. kernloop.pgo-report/1,
// README.md.
#pragma once

#include <llvm/CodeGen/MachineFunction.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/JSON.h>

#include <string>
#include <vector>

#include "pgo/pass/use/gate_blocks.h"
#include "pgo/pass/use/gate_probabilities.h"
#include "pgo/pass/use/options.h"
#include "pgo/pass/use/profile.h"

namespace kernloop::pgo_pass {

class UseReport {
 public:
  // Begins the report of a module, from its functions before optimisation, and writes it: on NVPTX, where ptxas
  // allocates registers, the report ends with that.
  void begin(const llvm::Module& module, const UseOptions& options, const std::vector<ProfiledFunction>& functions);
  void add_machine_code(llvm::MachineFunction& function, const MachineProfile& profile, const GateResult& gate);
  void write();

 private:
  std::string path_;
  llvm::json::Object head_;
  struct Function {
    std::string symbol;
    llvm::json::Object fields;
  };
  std::vector<Function> functions_;
};

// Report of the module that is being compiled.
UseReport& report();

}  // namespace kernloop::pgo_pass
