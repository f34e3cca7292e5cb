// Events of kernloop-pgo-runtime, from schemas/native-events.ts by `npm run schemas`.
#pragma once

#include <nlohmann/json.hpp>

namespace kernloop {

// clang-format off
enum class PgoRuntimeEvent {
  entry,
  kernel,
  measured,
  program,
  refused,
  sampled,
};

inline constexpr const char* kPgoRuntimeEventNames[] = {
  "entry",
  "kernel",
  "measured",
  "program",
  "refused",
  "sampled",
};
// clang-format on

inline void to_json(nlohmann::json& json, PgoRuntimeEvent event) {
  json = kPgoRuntimeEventNames[static_cast<size_t>(event)];
}

}  // namespace kernloop
