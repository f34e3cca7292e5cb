// Events of kernloop-pgo, from schemas/native-events.ts by `npm run schemas`.
#pragma once

#include <nlohmann/json.hpp>

namespace kernloop {

// clang-format off
enum class PgoEvent {
  converted,
  function,
  merged,
  note,
  shown,
};

inline constexpr const char* kPgoEventNames[] = {
  "converted",
  "function",
  "merged",
  "note",
  "shown",
};
// clang-format on

inline void to_json(nlohmann::json& json, PgoEvent event) {
  json = kPgoEventNames[static_cast<size_t>(event)];
}

}  // namespace kernloop
