// Regions: hot runs that branch to each other. One function executes them until control leaves, the interpreter's loop
// included: it counts, calls segments and the interpreter's functions of other steps, and branches.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "softgpu/engine/translate/emitter.h"
#include "softgpu/engine/translate/liveness.h"
#include "softgpu/engine/translate/translated_run.h"

namespace kernloop::softgpu {

// The run at an address, if there is one that the region may have; else nullptr.
using FindRun = std::function<const CodeRun*(uint64_t address)>;

// The run and those that it reaches by branches with a constant target.
std::vector<const CodeRun*> runs_of_region(const CodeRun& first, const FindRun& find);

// A region whose functions are still missing, and the text of them.
struct RegionText {
  std::shared_ptr<TranslatedRegion> region;
  ModuleText module;
  std::string name;                   // of its function
  std::vector<std::string> segments;  // of theirs
};
// `find`: the code around the runs.
RegionText write_region(std::vector<const CodeRun*> runs, unsigned wave_size, const std::string& name,
                        FindInstruction find);

}  // namespace kernloop::softgpu
