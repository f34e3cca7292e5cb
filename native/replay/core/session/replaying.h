// Steps common to every kind of session.
#pragma once

#include "replay/core/device/device.h"
#include "replay/core/launch/program.h"
#include "replay/core/memory/snapshot.h"
#include "replay/core/session/options.h"
#include "verdict/compare.h"

namespace kernloop::replay {

// The code object and symbol that the command line names, if any.
Result<VariantOptions> named_variant(const Options& options);

// Sets only what was asked for; the rest stays as the environment has it. Emits `cache` if a state of the caches was
// asked for.
Status configure_device(const Options& options, DeviceReplay& device, EventSink& sink);
// Sets the fill of on-chip memory and registers that nobody wrote; the other pattern of its pair if `is_opposite`.
Status set_unwritten_fill(const Options& options, SoftwareExecution& execution, bool is_opposite);

// Loads the captured code or `variant` in its place, with the launch that the options ask for. Emits `overridden` if
// that is not the captured one.
Result<Program> load_for_replay(const Options& options, ContentCache& cache, DeviceReplay& device,
                                const VariantOptions& variant, EventSink& sink);

// Targets that a program is judged by: regions and its module variables, with their marks.
Result<std::vector<Target>> targets_of(const Options& options, const Snapshot& snapshot, const Program& program);

// Facts that are written beside dumped memory.
Json dump_facts(const Options& options, const archive::Manifest& manifest, const Program& program);

struct Launched {
  bool is_complete = false;
  bool is_limit = false;     // if it is not complete: it ran past its limit; otherwise it faulted
  bool device_lost = false;  // see LaunchOutcome
  std::optional<uint64_t> wave_instructions;
  std::vector<Access> accesses;  // if it is complete and accesses are recorded
  std::optional<uint64_t> accesses_by_lane;
  Json past_lds = Json::array();  // LaunchOutcome::past_lds

  const char* verdict() const { return is_complete ? "ran" : is_limit ? "limit" : "fault"; }
};

// Prepares a lens: checks that nothing would be overwritten, and closes its surroundings with --guard.
Status prepare_lens(const Options& options, DeviceReplay& device, const Program& program);
// Writes the lens's content after the last launch into files. Emits `lens`.
Status tell_lens(const Options& options, DeviceReplay& device, const Program& program,
                 const archive::Manifest& manifest, EventSink& sink);

// One launch of restored memory, with the caches in the requested state. `iteration`: fields of the `iteration` event
// of a measured launch; null for one that is not measured. The last launch also reports its profile. A fault or a limit
// emits a `fault` event.
Result<Launched> launch_and_tell(DeviceReplay& device, Snapshot& snapshot, Program& program, Json iteration,
                                 bool is_last, EventSink& sink);

// Emits `conditions` of the measured launches if the device tells any.
void tell_conditions(const Program& program, EventSink& sink);

// Against *post*, module variables that a variant keeps included.
Result<Comparison> compare_replay(DeviceReplay& device, ContentCache& cache, const Program& program,
                                  const std::vector<Target>& targets, const Snapshot& snapshot, uint8_t poison,
                                  const std::vector<VaryingRange>& varying, EventSink& sink);

}  // namespace kernloop::replay
