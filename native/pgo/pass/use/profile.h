// The profile of a module's functions, checked: stock's reader only warns if code and profile do not belong together.
#pragma once

#include <llvm/IR/Module.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "pgo/pass/shared/plan.h"
#include "pgo/pass/use/block_info.h"
#include "pgo/pass/use/waves.h"

namespace kernloop::pgo_pass {

// A block of a function as instrumentation sees it, with its source line. measure() fills in the measurements.
struct ProfiledBlock {
  BlockInfo info;
  std::optional<unsigned> in_class;
  std::vector<unsigned> successors;
  // The block of the given module; none for blocks that instrumentation inserts on edges.
  llvm::BasicBlock* original = nullptr;
};

// A function of the module as instrumentation sees it, with its profile.
struct ProfiledFunction {
  std::string symbol, name;  // `name` is that in the profile
  uint64_t hash = 0;
  bool found = false;                                   // in the profile
  std::vector<uint64_t> counters;                       // lanes
  std::vector<std::optional<unsigned>> counter_blocks;  // none: of a select
  std::vector<ProfiledBlock> blocks;
  size_t classes = 0;
  const FunctionWaves* waves = nullptr;  // in the side file
};

// Instruments a clone.
std::vector<ProfiledFunction> functions_of(llvm::Module& module);

// Looks every function up. Errors name the function; a function that is not in the profile is no error.
llvm::Error look_up(std::vector<ProfiledFunction>& functions, const std::string& profile);
llvm::Error look_up(std::vector<ProfiledFunction>& functions, const WaveProfile& waves);

// Fills in the known facts of each block: its lanes, waves, and whether it is uniform.
void measure(ProfiledFunction& function);

}  // namespace kernloop::pgo_pass
