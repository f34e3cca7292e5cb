// Events of kernloop-trace, from schemas/native-events.ts by `npm run schemas`.
#pragma once

#include <nlohmann/json.hpp>

namespace kernloop {

// clang-format off
enum class TraceEvent {
  block_sched,
  dmat,
  exported,
  fit,
  heat_map,
  map,
  page,
  processor,
  progress,
  totals,
  trace,
};

inline constexpr const char* kTraceEventNames[] = {
  "block_sched",
  "dmat",
  "exported",
  "fit",
  "heat_map",
  "map",
  "page",
  "processor",
  "progress",
  "totals",
  "trace",
};
// clang-format on

inline void to_json(nlohmann::json& json, TraceEvent event) {
  json = kTraceEventNames[static_cast<size_t>(event)];
}

}  // namespace kernloop
