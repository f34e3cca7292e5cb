// Events of kernloop-archive, from schemas/native-events.ts by `npm run schemas`.
#pragma once

#include <nlohmann/json.hpp>

namespace kernloop {

// clang-format off
enum class ArchiveEvent {
  code_object,
  described,
  described_kernel,
  exported,
  exported_chunk,
  imported,
  info,
  packed,
  shrunk,
  store_collected,
  store_stats,
  store_verified,
  unpacked,
  verified,
};

inline constexpr const char* kArchiveEventNames[] = {
  "code_object",
  "described",
  "described_kernel",
  "exported",
  "exported_chunk",
  "imported",
  "info",
  "packed",
  "shrunk",
  "store_collected",
  "store_stats",
  "store_verified",
  "unpacked",
  "verified",
};
// clang-format on

inline void to_json(nlohmann::json& json, ArchiveEvent event) {
  json = kArchiveEventNames[static_cast<size_t>(event)];
}

}  // namespace kernloop
