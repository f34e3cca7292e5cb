// Events of kernloop-sandbox, from schemas/native-events.ts by `npm run schemas`.
#pragma once

#include <nlohmann/json.hpp>

namespace kernloop {

// clang-format off
enum class SandboxEvent {
  sandbox,
};

inline constexpr const char* kSandboxEventNames[] = {
  "sandbox",
};
// clang-format on

inline void to_json(nlohmann::json& json, SandboxEvent event) {
  json = kSandboxEventNames[static_cast<size_t>(event)];
}

}  // namespace kernloop
