// An agent's description of the process that it is in.
#pragma once

#include <string>

#include "capture/core/protocol.h"

namespace kernloop::capture {

// `runtime`: file of the device's runtime that loaded the agent.
Hello describe_this_process(const std::string& runtime);

// The file that contains an address: for a function, its library. Empty if the loader does not know it.
std::string library_of(const void* address);

// The arguments of a process as /proc/PID/cmdline holds them: each ends with a zero byte. The last one may be cut.
std::vector<std::string> split_command(std::string_view bytes);

}  // namespace kernloop::capture
