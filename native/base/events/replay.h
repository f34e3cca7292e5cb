// Events of kernloop-replay, from schemas/native-events.ts by `npm run schemas`.
#pragma once

#include <nlohmann/json.hpp>

namespace kernloop {

// clang-format off
enum class ReplayEvent {
  access,
  adverse,
  cache,
  checked,
  compared,
  conditions,
  derived,
  device,
  difference,
  differences,
  fault,
  finding,
  float_atomic,
  free_order,
  guard,
  hot_spot,
  injection,
  iteration,
  lens,
  overridden,
  overwritten,
  past_lds,
  probes,
  reread,
  restored,
  result,
  stale_code_pointers,
  stray,
  tolerance,
  unexplained,
  untouched,
  untouched_read,
  unused,
  variable_kept,
  variable_missing,
  variable_restored,
  varying,
};

inline constexpr const char* kReplayEventNames[] = {
  "access",
  "adverse",
  "cache",
  "checked",
  "compared",
  "conditions",
  "derived",
  "device",
  "difference",
  "differences",
  "fault",
  "finding",
  "float_atomic",
  "free_order",
  "guard",
  "hot_spot",
  "injection",
  "iteration",
  "lens",
  "overridden",
  "overwritten",
  "past_lds",
  "probes",
  "reread",
  "restored",
  "result",
  "stale_code_pointers",
  "stray",
  "tolerance",
  "unexplained",
  "untouched",
  "untouched_read",
  "unused",
  "variable_kept",
  "variable_missing",
  "variable_restored",
  "varying",
};
// clang-format on

inline void to_json(nlohmann::json& json, ReplayEvent event) {
  json = kReplayEventNames[static_cast<size_t>(event)];
}

}  // namespace kernloop
