// Where results go: NDJSON on stdout in the program, a list in tests.
#pragma once

#include "archive/manifest.h"

namespace kernloop::replay {

class EventSink {
 public:
  virtual ~EventSink() = default;
  virtual void emit(const archive::Json& event) = 0;
};

// Exit codes of docs/contributing/seams.md.
enum ExitCode : int {
  kExitPass = 0,
  kExitFail = 1,
  kExitBadInput = 2,
  kExitVacuous = 3,
  kExitDevice = 4,
  kExitEnvironment = 5
};

inline archive::Json error_event(const Error& error) {
  return {{"event", "error"}, {"code", error.code}, {"message", error.message}, {"hint", error.hint}};
}

}  // namespace kernloop::replay
