// Events that programs print in tests, for schemas/native-events.spec.ts, which compares them with their schemas.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

namespace kernloop {

// Appends the event to a file of this process in the folder that KERNLOOP_TEST_EVENTS names; nothing without it.
inline void saw_event(const std::string& program, const nlohmann::json& event) {
  const char* folder = std::getenv("KERNLOOP_TEST_EVENTS");
  if (!folder) return;
  std::ofstream file(std::string(folder) + "/" + program + "." + std::to_string(::getpid()), std::ios::app);
  file << event.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
}

}  // namespace kernloop
