// The command line of kernloop-replay (docs/contributing/seams.md).
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "replay/core/device/device.h"
#include "replay/core/launch/overrides.h"
#include "replay/core/lenses/dump.h"
#include "replay/core/lenses/lens_output.h"
#include "replay/core/lenses/probes.h"
#include "verdict/expected_files.h"
#include "verdict/given_records.h"
#include "verdict/poison_fill.h"
#include "verdict/untouched.h"
#include "verdict/values/tolerance.h"

namespace kernloop::replay {

// Bytes of a region that --ignore leaves out of the comparison.
struct IgnoredBytes {
  std::string region;
  uint64_t offset = 0;
  uint64_t size = 0;
};

// A calibration may end after this many replays if further ones show nothing new, or if time is short.
struct Settling {
  size_t replays = 0;
  double seconds = 0;
};

// A whole number among the kernel's arguments.
struct DerivedScalar {
  std::string name;
  uint64_t offset = 0;  // in the kernel-argument segment
  ElementType type = ElementType::kI32;
};

// Inputs derived from the captured one (derived_inputs.h).
struct Derivation {
  uint64_t inputs = 0;  // number of inputs that must count
  uint64_t seed = 1;
  uint64_t only = 0;                         // the number of one input; 0: all
  bool special = false;                      // with NaN, infinities, -0 and subnormal numbers
  std::vector<ElementTolerance> types = {};  // declared types of elements; bounds are unused
  std::vector<DerivedScalar> scalars = {};   // arguments that may be less than captured
  std::vector<IgnoredBytes> kept = {};       // bytes kept as captured
  std::vector<GivenRecord> records = {};     // arrays whose records change places as wholes
};

struct Options {
  std::filesystem::path capture;
  std::vector<std::filesystem::path> stores;
  ExpectedFiles expected;
  std::filesystem::path hsa_runtime;  // empty: the software GPU installed beside the program
  bool launches_with_hip = false;     // through the HIP runtime instead of a queue of ours
  std::filesystem::path hip_runtime;  // empty: libamdhip64 by its usual names
  std::optional<std::filesystem::path> code_object;
  std::string symbol;
  uint64_t iterations = 1;
  uint64_t warmup = 0;
  uint8_t poison = 0xa5;
  std::optional<uint64_t> seed;
  uint32_t machine_in_use = 0;  // seed; software GPU only: one more compared launch there
  uint32_t threads = 0;
  uint64_t limit_wave_instructions = 0;
  double limit_seconds = 0;
  bool compare = false;
  bool side_by_side = false;  // the captured code and --code-object take turns
  uint64_t order_seed = 0;    // order of these turns
  std::optional<std::filesystem::path> known_varying;
  std::vector<uint64_t> calibrate;                        // seeds; empty: no calibration
  std::optional<Settling> settle;                         // else all of them, and all iterations, are replayed
  std::optional<std::filesystem::path> calibration_file;  // replays of earlier processes, then also of this one
  std::vector<IgnoredBytes> ignored;
  std::vector<ElementTolerance> tolerances;
  std::optional<std::filesystem::path> overwritten;         // a selfcheck.json
  std::vector<Fill> fills = {Fill::kCaptured};              // one compared launch for each
  Disturbed disturb_untouched = Disturbed::kNothing;        // likewise (untouched.h): launches begin with other values
  bool find_overwritten = false;                            // if the device records reads
  std::optional<std::filesystem::path> search_overwritten;  // by launches; continues from the state in the file
  std::optional<std::filesystem::path> dropped;  // more memory that is not there (archive/manifest/dropped.h)
  uint64_t find_unused = 0;                      // in granules of this many bytes; software GPU only
  std::vector<GivenRecord> records;
  uint64_t inject_bit_flips = 0;
  std::optional<Derivation> derivation;
  bool record_accesses = false;  // software GPU only
  bool profile = false;          // software GPU only
  uint64_t adverse = 0;          // software GPU only: wave-instructions in the adverse order
  std::optional<DumpRequest> dump;
  std::optional<LensRequest> lens;
  std::optional<ProbesRequest> probes;  // software GPU only
  bool guard = false;
  bool leave_padding = false;  // unwritten, for a tool that tells of reads of what nobody wrote  // what lies around
                               // the regions is closed to the kernel
  Overrides overrides;
  CacheState cache = CacheState::kAsIs;
  uint32_t device = 0;          // index, if there are several
  std::string describe_device;  // a device kind: describe that one and do nothing else
};

Result<Options> parse_options(const std::vector<std::string>& arguments);

}  // namespace kernloop::replay
