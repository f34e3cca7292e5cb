// One run of the recorder with a program beside it, as a stage does it.
#pragma once

#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/testing/seen_events.h"
#include "capture/test/program.h"

namespace kernloop::testing {

// A folder that is gone after the test.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "kernloop-test-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) abort();
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

class RecordedRun {
 public:
  using Json = nlohmann::json;

  explicit RecordedRun(std::string recorder) : recorder_path_(std::move(recorder)) {
    config = {{"mode", "capture"},     {"selections", Json::array()}, {"store", nullptr},     {"drain_limit_ms", 20000},
              {"run_limit_ms", 20000}, {"tool_version", "0.0.1"},     {"app", Json::object()}};
  }
  RecordedRun(const RecordedRun&) = delete;
  ~RecordedRun() {
    if (!recorder) return;
    for (const Json& event : events()) saw_event("kernloop-recorder", event);
  }
  Json config;

  std::filesystem::path folder() const { return folder_.path(); }
  std::filesystem::path output(const std::string& id = "s") const { return folder() / id / "capture"; }
  std::string socket() const { return (folder() / "socket").string(); }
  void select(const std::string& match, uint64_t ordinal = 1, const std::string& scope = "reachable",
              const std::string& id = "s") {
    config["selections"].push_back(
        {{"id", id}, {"match", match}, {"ordinal", ordinal}, {"scope", scope}, {"output", output(id).string()}});
  }
  // Several dispatches: `ordinals` as [[first, last], …], each into a folder of its own.
  Json& select_several(const std::string& match, Json ordinals, uint64_t limit, const std::string& id = "s") {
    config["selections"].push_back({{"id", id},
                                    {"match", match},
                                    {"ordinals", std::move(ordinals)},
                                    {"limit", limit},
                                    {"outputs", outputs(id).string()}});
    return config["selections"].back();
  }
  std::filesystem::path outputs(const std::string& id = "s") const { return folder() / id / "captures"; }
  bool start() {
    const std::string path = (folder() / "config.json").string();
    std::ofstream(path) << config.dump();
    recorder =
        std::make_unique<Program>(Program::Options{{recorder_path_, "--socket", socket(), "--config", path}, {}, true});
    return recorder->wait_for("\"listening\"");
  }
  // Ends the recorder as a stage does; its exit code.
  int finish() {
    recorder->close_stdin();
    return recorder->wait();
  }
  std::vector<Json> events(const std::string& name = "") {
    std::vector<Json> result;
    std::istringstream lines(recorder->output());
    for (std::string line; std::getline(lines, line);) {
      const Json event = Json::parse(line, nullptr, false);
      if (event.is_object() && (name.empty() || event.value("event", "") == name)) result.push_back(event);
    }
    return result;
  }
  Json event(const std::string& name) {
    const auto all = events(name);
    return all.empty() ? Json() : all.back();
  }
  // Files beside the capture that should not exist.
  std::vector<std::string> leftovers(const std::string& id = "s") const {
    std::vector<std::string> names;
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator(output(id).parent_path(), none)) {
      if (entry.path().filename() != "capture") names.push_back(entry.path().filename().string());
    }
    return names;
  }
  std::unique_ptr<Program> recorder;

 private:
  TemporaryFolder folder_;
  std::string recorder_path_;
};

}  // namespace kernloop::testing
