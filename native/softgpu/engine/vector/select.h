// The builds of the vector semantics. Tests compare them; the engine uses select_vector() of wave.h.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "softgpu/engine/vector/form_rule.h"
#include "softgpu/engine/wave/wave.h"

namespace kernloop::softgpu::vector {

namespace baseline {
ExecuteFn select(const Instruction& instruction);
const FormRule* rule_of(Op op);
}  // namespace baseline
namespace v3 {
ExecuteFn select(const Instruction& instruction);
const FormRule* rule_of(Op op);
}  // namespace v3
namespace v4 {
ExecuteFn select(const Instruction& instruction);
const FormRule* rule_of(Op op);
}  // namespace v4

using Select = ExecuteFn (*)(const Instruction&);

// The rule of an operation whose lane arithmetic is a row, or nullptr.
const FormRule* rule_of(Op op);

struct Build {
  const char* name;
  Select select;
  bool runs_here;  // on this host's processor
};
// Builds in this library (KERNLOOP_VECTOR_BUILDS), the best one last.
std::vector<Build> builds();
// Reason why the software GPU cannot run here, and the remedy; empty if one of the builds can.
std::string refusal(std::span<const Build> builds);
// The select functions of those builds that this host can run, the best one last.
std::vector<Select> runnable_builds();

// Makes select_vector() use another build than the best one during its lifetime: for tests, on one thread.
class BuildInUse {
 public:
  explicit BuildInUse(Select build);
  ~BuildInUse();
  BuildInUse(const BuildInUse&) = delete;
  BuildInUse& operator=(const BuildInUse&) = delete;

 private:
  Select before_;
};

}  // namespace kernloop::softgpu::vector
