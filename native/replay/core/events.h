// Where results go: NDJSON on stdout in the program, a list in tests.
#pragma once

#include "archive/manifest.h"
#include "base/exit_code.h"
#include "base/json.h"

namespace kernloop::replay {

class EventSink {
 public:
  virtual ~EventSink() = default;
  virtual void emit(const archive::Json& event) = 0;
};

}  // namespace kernloop::replay
