// The launched program: the captured code objects at their addresses, or a variant in place of the one that owns the
// kernel.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "replay/core/device/device.h"
#include "replay/core/device/layout.h"
#include "replay/core/launch/launch_check.h"
#include "replay/core/launch/own_state.h"
#include "replay/core/lenses/lens_state.h"
#include "verdict/content_cache.h"
#include "verdict/events.h"
#include "verdict/target.h"

namespace kernloop::replay {

struct LoadedCodeObject {
  const archive::CodeObject* captured = nullptr;
  codeobject::CodeObjectInfo captured_info;
  codeobject::CodeObjectInfo info;  // the loaded code's: the same, or the variant's
  bool is_variant = false;
  LoadedCode code;
};

// A variable that was unchanged between load and capture, and whose initializer the variant's source changed: the
// variant's initializer applies.
struct KeptVariable {
  std::string name;
  uint64_t address = 0;
  Buffer content;
};

// Memory in which floating-point atomics have this effect on the real GPU (float_atomics.h).
struct WatchedRegion {
  std::string id;
  AddressRange range;
  std::string effect;
};

// A captured word that holds the former address of a function, or of a table of them.
struct CodeAddress {
  std::string where;  // "region r3", "module variable table", "the memory of the arguments"
  uint64_t offset = 0, value = 0;
  bool is_written = false;  // by the dispatch: it is in *post* alone
};

struct Program {
  Launch launch;
  codeobject::Kernel kernel;               // the launched kernel
  std::vector<std::string> null_services;  // hidden arguments that are not filled (kernarg.h)
  codeobject::Kernel captured_kernel;
  bool is_variant = false;  // the launched kernel is the variant's
  LaunchOf launch_of = LaunchOf::kApp;
  std::vector<LoadedCodeObject> code_objects;
  std::vector<Target> variables;
  std::vector<KeptVariable> kept;
  OwnState own_state;
  std::optional<LensState> lens;
  // Former ranges of the capture's code and variables: a captured pointer into these is stale.
  std::vector<AddressRange> stale_ranges;
  uint64_t stale_in_memory = 0;  // pointers into these in captured memory, counted when that is first restored
  // Former ranges of functions and of tables that lead to them, if the device chooses where code is: a call through a
  // captured pointer may meet other code there.
  std::vector<AddressRange> moved_functions;
  std::optional<CodeAddress> code_address;  // the first captured pointer into these
  bool is_counted = false;
  bool is_restored = false;         // once at least
  uint64_t relocated_kernargs = 0;  // words of the kernel arguments that now follow a module variable
  std::vector<WatchedRegion> watched;
  ConditionsSeen conditions;  // during its measured launches
};

// Writes the parameters for this launch of `--iterations` into the arguments.
void set_lens_parameters(Program& program, uint64_t launch);

struct VariantOptions {
  std::optional<Buffer> file;  // code object or bundle
  std::string file_name;
  std::string symbol;        // empty: the captured one
  std::optional<Lens> lens;  // goes with a file
};

// Emits `variable_missing`, `variable_kept` and `variable_restored`.
Result<Program> load_program(ContentCache& cache, DeviceReplay& device, const VariantOptions& variant, EventSink& sink);

}  // namespace kernloop::replay
