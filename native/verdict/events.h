// Sinks for results: NDJSON on stdout in the program, a list in tests.
#pragma once

#include <vector>

#include "archive/manifest/manifest.h"
#include "base/events/replay.h"
#include "base/exit_code.h"
#include "base/json.h"

namespace kernloop::replay {

class EventSink {
 public:
  virtual ~EventSink() = default;
  virtual void emit(const archive::Json& event) = 0;
};

// Holds events back, to emit later or not at all.
class HeldBack final : public EventSink {
 public:
  void emit(const archive::Json& event) override { events_.push_back(event); }
  void tell(EventSink& sink) const {
    for (const archive::Json& event : events_) sink.emit(event);
  }

 private:
  std::vector<archive::Json> events_;
};

}  // namespace kernloop::replay
