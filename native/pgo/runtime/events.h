// Events in an app: for the stage, one JSON object a line in a file of each process; for people, on stderr.
#pragma once

#include <mutex>
#include <nlohmann/json.hpp>
#include <set>

#include "base/events/pgo_runtime.h"
#include "pgo/runtime/config.h"

namespace kernloop::pgo::runtime {

class Events {
 public:
  explicit Events(std::filesystem::path folder) : folder_(std::move(folder)) {}
  void write(const nlohmann::json& event);
  // Also on stderr, once for each text.
  void refused(const std::string& program, const std::string& code, const std::string& reason);

 private:
  std::filesystem::path folder_;
  std::mutex mutex_;
  std::set<std::string> said_;
};

}  // namespace kernloop::pgo::runtime
