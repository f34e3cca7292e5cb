// The recorder's results: NDJSON on stdout, one whole line at a time.
#pragma once

#include <mutex>
#include <ostream>

#include "archive/manifest.h"
#include "support/result.h"

namespace kernloop::recorder {

class Events {
 public:
  explicit Events(std::ostream& out) : out_(out) {}

  void print(const char* event, archive::Json fields = archive::Json::object()) {
    fields["event"] = event;
    // Names of files and kernels may hold bytes that are no UTF-8.
    const std::string line = fields.dump(-1, ' ', false, archive::Json::error_handler_t::replace);
    std::lock_guard lock(mutex_);
    out_ << line << '\n' << std::flush;
  }
  void error(const Error& error) {
    print("error", {{"code", error.code}, {"message", error.message}, {"hint", error.hint}});
  }

 private:
  std::mutex mutex_;
  std::ostream& out_;
};

}  // namespace kernloop::recorder
