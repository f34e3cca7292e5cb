// Events of kernloop-recorder, from schemas/native-events.ts by `npm run schemas`.
#pragma once

#include <nlohmann/json.hpp>

namespace kernloop {

// clang-format off
enum class RecorderEvent {
  also_matched,
  captured,
  capturing,
  kernel,
  listening,
  matched,
  note,
  planned,
  process,
  process_end,
  queue,
  refused,
  scope_violation,
  summary,
};

inline constexpr const char* kRecorderEventNames[] = {
  "also_matched",
  "captured",
  "capturing",
  "kernel",
  "listening",
  "matched",
  "note",
  "planned",
  "process",
  "process_end",
  "queue",
  "refused",
  "scope_violation",
  "summary",
};
// clang-format on

inline void to_json(nlohmann::json& json, RecorderEvent event) {
  json = kRecorderEventNames[static_cast<size_t>(event)];
}

}  // namespace kernloop
