// Whether something else in this process uses CUPTI or wants to: CUPTI serves one subscriber a process.
#pragma once

#include <string>

namespace kernloop::replay {

// Empty: CUPTI is available to us. Otherwise the reason, for people.
std::string reason_against_cupti(char** environment);

// Our own capture agent, which a replay is never to load.
bool names_capture_agent(const std::string& injection_path);

}  // namespace kernloop::replay
