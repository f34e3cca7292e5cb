#include "replay/core/session/steps/steps.h"

namespace kernloop::replay {

Steps steps_of(Run& run) {
  const Options& options = run.options;
  const bool calibrates = !options.calibrate.empty();
  Steps steps;
  const auto add = [&](bool is_requested, std::unique_ptr<Step> (*make)(Run&)) {
    if (is_requested) steps.push_back(make(run));
  };
  add(!calibrates, conditions_step);
  add(options.find_overwritten, find_overwritten_step);
  add(options.find_unused > 0 && !calibrates, find_unused_step);
  add(options.dump.has_value(), dump_step);
  add(options.lens.has_value(), lens_step);
  // Bytes that vary are not filled: they are read first.
  add(options.known_varying.has_value(), known_varying_step);
  add(options.compare && options.adverse == 0, own_state_step);
  // The record of accesses is that of the last launch, which began with the first fill.
  add(takes_accesses(options.disturb_untouched), disturbed_step);
  add(options.overwritten.has_value(), fills_step);
  add(options.probes.has_value(), probes_step);
  add(options.machine_in_use != 0, machine_in_use_step);
  add(options.search_overwritten.has_value(), search_overwritten_step);
  add(options.inject_bit_flips > 0, injection_step);
  return steps;
}

}  // namespace kernloop::replay
