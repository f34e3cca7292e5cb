// The recorder's results: NDJSON on stdout, one whole line at a time.
#pragma once

#include <mutex>
#include <ostream>

#include "archive/manifest/manifest.h"
#include "base/json.h"

namespace kernloop::recorder {

class Events {
 public:
  explicit Events(std::ostream& out) : out_(out) {}

  void print(const char* event, archive::Json fields = archive::Json::object()) {
    fields["event"] = event;
    const std::string line = ndjson(fields);
    std::lock_guard lock(mutex_);
    out_ << line << '\n' << std::flush;
  }
  void error(const Error& error) { print("error", error_event(error)); }

 private:
  std::mutex mutex_;
  std::ostream& out_;
};

}  // namespace kernloop::recorder
