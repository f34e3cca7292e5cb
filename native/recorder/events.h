// The recorder's results: NDJSON on stdout, one whole line at a time.
#pragma once

#include <mutex>
#include <ostream>

#include "archive/manifest/manifest.h"
#include "base/events/recorder.h"
#include "base/json.h"

namespace kernloop::recorder {

class Events {
 public:
  explicit Events(std::ostream& out) : out_(out) {}

  void print(RecorderEvent kind, archive::Json fields = archive::Json::object()) {
    fields["event"] = kind;
    print(fields);
  }
  void error(const Error& error) { print(error_event(error)); }

 private:
  void print(const archive::Json& event) {
    const std::string line = ndjson(event);
    std::lock_guard lock(mutex_);
    out_ << line << '\n' << std::flush;
  }

  std::mutex mutex_;
  std::ostream& out_;
};

}  // namespace kernloop::recorder
