// Connection of an agent to its recorder: the environment that the stage set for the app (docs/contributing/seams.md).
#pragma once

#include <memory>
#include <string>

#include "capture/core/recorder_client.h"

namespace kernloop::capture {

struct Connection {
  std::unique_ptr<RecorderClient> recorder;  // null: nothing is to be captured here
  std::string log_file;                      // pattern, see log.h
};

// Reports in the log, and on stderr, why there is no recorder although one was named. `runtime`: the runtime that
// loaded the agent.
Connection connect_to_recorder(const std::string& runtime);

// For an agent that finds that it cannot work here.
void decline(RecorderClient& recorder, const char* code, const std::string& text);
// The same, said to the user, too: in the log and on stderr.
void give_up(const Connection& connection, const char* code, const std::string& text);

}  // namespace kernloop::capture
