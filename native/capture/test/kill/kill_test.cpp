// SIGKILL in the middle of captures: afterwards the capture is absent or complete, every chunk of the store is whole,
// and the next capture succeeds and leaves nothing of the dead one behind.
//
// A kill point is a number of calls (kill_point.cpp), drawn from a seed: KERNLOOP_KILL_ROUNDS (a device; default 12),
// KERNLOOP_KILL_SEED and KERNLOOP_KILL_FIRST (the first round) say which (docs/contributing/robustness.md).
#include <gtest/gtest.h>
#include <zstd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <random>
#include <set>

#include "base/digest.h"
#include "capture/test/recorded_run.h"

namespace kernloop::capture {
namespace {

using testing::Program;
using testing::TemporaryFolder;
using Environment = std::map<std::string, std::string>;
using Json = nlohmann::json;

namespace fs = std::filesystem;

uint64_t setting(const char* name, uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

// Behind what is preloaded already: the emulated kernel driver opens its devices itself.
std::string preloaded(const std::string& library) {
  const char* const others = std::getenv("LD_PRELOAD");
  return others != nullptr ? others + (":" + library) : library;
}

std::string file_text(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

// A program whose kernel is captured, and the environment that loads the agent into it.
struct App {
  std::vector<std::string> command;
  std::string kernel;  // regular expression
  Environment environment;
};

// KERNLOOP_TEST_SOFTGPU names the folder of another runtime.
App softgpu_app() {
  const char* const other = std::getenv("KERNLOOP_TEST_SOFTGPU");
  return {{KERNLOOP_TEST_HIP_APP, "large", "1"},
          "^add_one\\(",
          {{"LD_LIBRARY_PATH", other != nullptr ? other : KERNLOOP_TEST_SOFTGPU_FOLDER},
           {"HSA_TOOLS_LIB", KERNLOOP_TEST_HSA_AGENT}}};
}

App cuda_app() {
  return {{KERNLOOP_TEST_CUDA_APP, "batched"},
          "^batched\\(",
          {{"LD_LIBRARY_PATH", KERNLOOP_TEST_FAKE_FOLDER}, {"CUDA_INJECTION64_PATH", KERNLOOP_TEST_CUDA_AGENT}}};
}

// The process that dies, and the one that counts calls until then.
enum class Victim { kRecorder, kApp, kAppByRecordersProgress, kBoth, kStage };
constexpr const char* kVictimNames[] = {"recorder", "app", "app, by the recorder's progress", "recorder and app",
                                        "stage"};
constexpr const char* kVictimSettings[] = {"self", "self", "peer", "peer self", "peer term"};

struct Plan {
  Victim victim = Victim::kRecorder;
  bool to_store = false;     // else the chunks are in the capture's own pack
  bool fresh = false;        // no capture and no store of before
  bool tear = false;         // half of a write is done
  bool no_exchange = false;  // the file system cannot exchange two folders
  uint64_t at = 0;           // call
};

struct Outcome {
  bool killed = false;
  int app_exit = -1;  // -1: not started
  int recorder_exit = -1;
  std::string events, app_output;
};

class Workshop {
 public:
  explicit Workshop(App app) : app_(std::move(app)) {}

  fs::path output() const { return folder_.path() / "out" / "capture"; }
  fs::path store() const { return folder_.path() / "store"; }
  fs::path count_file() const { return folder_.path() / "count"; }

  void clear() {
    fs::remove_all(output().parent_path());
    fs::remove_all(store());
  }

  // One run as a stage does it. `hook`: settings of the kill point, in the program that counts.
  Outcome capture(bool to_store, Environment hook = {}, bool app_counts = false) {
    write_config(to_store);
    const fs::path peer = folder_.path() / "peer";
    fs::remove(peer);
    if (!hook.empty()) {
      hook["LD_PRELOAD"] = preloaded(KERNLOOP_TEST_KILL_POINT);
      hook["KERNLOOP_KILL_PEER_FILE"] = peer.string();
    }
    Program recorder({{KERNLOOP_TEST_RECORDER, "--socket", socket(), "--config", config()},
                      app_counts ? Environment() : hook,
                      true});
    Outcome outcome;
    if (recorder.wait_for("\"listening\"")) {
      Environment environment = app_.environment;
      environment["KERNLOOP_RECORDER_SOCKET"] = socket();
      if (app_counts) environment.insert(hook.begin(), hook.end());
      Program app({app_.command, environment, false});
      std::ofstream(peer) << app.pid();
      outcome.app_exit = app.wait();
      outcome.app_output = app.output();
    }
    recorder.close_stdin();
    outcome.recorder_exit = recorder.wait();
    outcome.events = recorder.output();
    outcome.killed = outcome.app_exit == 128 + SIGKILL || outcome.recorder_exit == 128 + SIGKILL ||
                     outcome.recorder_exit == 128 + SIGTERM;
    return outcome;
  }

  // Empty when every byte of the capture is right.
  std::string verify() const {
    Program tool({{KERNLOOP_TEST_ARCHIVE, "verify", output().string(), "--store", store().string()}, {}, false});
    return tool.wait() == 0 ? "" : "verify: " + tool.output();
  }

  // Each chunk, also an unreferenced one, has the content that its name says. Temporary files are not chunks.
  std::string damaged_chunk() const {
    for (const fs::path& path : files_of_store()) {
      if (is_chunk(path) && !is_whole(path)) return path.string() + " is not what its name says";
    }
    return "";
  }

  // Files beside the capture, in the store, or at the socket that should not exist.
  std::vector<std::string> leftovers() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(output().parent_path())) {
      if (entry.path() != output()) names.push_back(entry.path().string());
    }
    static const std::set<std::string> parts = {"capture.json", "chunks.pack", "observed.json"};
    for (const auto& entry : fs::directory_iterator(output())) {
      if (!parts.contains(entry.path().filename())) names.push_back(entry.path().string());
    }
    for (const fs::path& path : files_of_store()) {
      if (!is_chunk(path)) names.push_back(path.string());
    }
    if (fs::exists(socket())) names.push_back(socket());
    return names;
  }

 private:
  std::string socket() const { return (folder_.path() / "socket").string(); }
  std::string config() const { return (folder_.path() / "config.json").string(); }

  void write_config(bool to_store) const {
    const Json selection = {
        {"id", "s"}, {"match", app_.kernel}, {"ordinal", 1}, {"scope", "reachable"}, {"output", output().string()}};
    const Json settings = {{"mode", "capture"},         {"selections", {selection}},
                           {"store", store().string()}, {"inline_limit_bytes", to_store ? 1 : 1 << 30},
                           {"drain_limit_ms", 20000},   {"run_limit_ms", 20000},
                           {"tool_version", "0.0.1"},   {"app", Json::object()}};
    std::ofstream(config()) << settings.dump();
  }

  std::vector<fs::path> files_of_store() const {
    std::vector<fs::path> files;
    std::error_code none;
    for (const auto& entry : fs::recursive_directory_iterator(store(), none)) {
      // A chunk's folder may be empty; any other folder counts as a file that should not be there.
      if (!entry.is_directory() || entry.path().filename().string().size() != 2) files.push_back(entry.path());
    }
    return files;
  }

  static bool is_chunk(const fs::path& path) {
    const std::string stem = path.stem().string();
    return stem.size() == 64 && stem.find_first_not_of("0123456789abcdef") == std::string::npos &&
           path.parent_path().filename() == stem.substr(0, 2) && (!path.has_extension() || path.extension() == ".zst");
  }

  // With zstd itself, not with the archive's own reader.
  static bool is_whole(const fs::path& path) {
    std::string bytes = file_text(path);
    if (path.extension() == ".zst") {
      const unsigned long long size = ZSTD_getFrameContentSize(bytes.data(), bytes.size());
      if (size > (64u << 20)) return false;
      std::string raw(size, '\0');
      if (ZSTD_decompress(raw.data(), raw.size(), bytes.data(), bytes.size()) != size) return false;
      bytes = raw;
    }
    const Bytes view(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
    return sha256(view).hex() == path.stem().string();
  }

  App app_;
  TemporaryFolder folder_;
};

constexpr uint64_t kLastCalls = 16;

class Rounds {
 public:
  explicit Rounds(App app) : workshop_(std::move(app)) {}

  void run(uint64_t first, uint64_t wanted_kills, uint64_t seed) {
    ASSERT_NO_FATAL_FAILURE(count_calls());
    // Some points are after the run's end, or before there was a process to kill.
    for (uint64_t round = first; kills_ < wanted_kills && round < first + 4 * wanted_kills + 16; ++round) {
      const Plan plan = plan_of(seed, round);
      SCOPED_TRACE("round " + std::to_string(round) + ": kills the " + kVictimNames[int(plan.victim)] + " at call " +
                   std::to_string(plan.at) + (plan.to_store ? ", store" : ", pack") + (plan.fresh ? ", fresh" : "") +
                   (plan.tear ? ", torn" : "") + (plan.no_exchange ? ", no exchange" : ""));
      one(plan);
      if (::testing::Test::HasFailure()) return;
      ++rounds_;
    }
    EXPECT_GE(kills_, wanted_kills);
    std::cout << kills_ << " kills in " << rounds_ << " rounds";
    for (const auto& [victim, count] : by_victim_) std::cout << "; " << kVictimNames[int(victim)] << ": " << count;
    std::cout << "; captures that were complete nevertheless: " << complete_ << std::endl;
  }

 private:
  // Counts the calls of an undisturbed capture, which is also the reference.
  void count_calls() {
    for (const bool to_store : {false, true}) {
      for (const bool app_counts : {false, true}) {
        workshop_.clear();
        const Environment hook = {{"KERNLOOP_KILL_COUNT_FILE", workshop_.count_file().string()}};
        const Outcome outcome = workshop_.capture(to_store, hook, app_counts);
        ASSERT_NE(outcome.events.find("\"captured\""), std::string::npos) << outcome.events << outcome.app_output;
        calls_[{to_store, app_counts}] = std::stoull("0" + file_text(workshop_.count_file()));
        ASSERT_GT((calls_[{to_store, app_counts}]), app_counts ? 2u : 10u) << "the kill point sees no calls";
        ASSERT_EQ(workshop_.verify(), "");
        ASSERT_EQ(workshop_.leftovers(), std::vector<std::string>());
      }
    }
  }

  Plan plan_of(uint64_t seed, uint64_t round) const {
    std::seed_seq mixed{seed, round};
    std::mt19937_64 random(mixed);
    Plan plan;
    plan.victim = static_cast<Victim>(random() % 5);
    plan.to_store = random() % 2 == 0;
    plan.fresh = random() % 2 == 0;
    plan.tear = random() % 2 == 0;
    plan.no_exchange = random() % 3 == 0;
    const uint64_t calls = calls_.at({plan.to_store, plan.victim == Victim::kApp});
    // A third of them at the rename that names the capture.
    plan.at = random() % 3 == 0 ? calls - random() % std::min(calls, kLastCalls) : 1 + random() % calls;
    return plan;
  }

  void one(const Plan& plan) {
    if (plan.fresh) workshop_.clear();
    const bool was_there = fs::exists(workshop_.output());
    Environment hook = {{"KERNLOOP_KILL_AT", std::to_string(plan.at)},
                        {"KERNLOOP_KILL_VICTIMS", kVictimSettings[int(plan.victim)]}};
    if (plan.tear) hook["KERNLOOP_KILL_TEAR"] = "1";
    if (plan.no_exchange) hook["KERNLOOP_KILL_NO_EXCHANGE"] = "1";
    const Outcome outcome = workshop_.capture(plan.to_store, hook, plan.victim == Victim::kApp);
    if (outcome.killed) ++kills_, ++by_victim_[plan.victim];
    // A process that was not killed ends by itself, and the app ends as if nothing had happened.
    EXPECT_TRUE(outcome.app_exit == 0 || outcome.app_exit == 128 + SIGKILL || outcome.recorder_exit != 0)
        << outcome.app_exit << ": " << outcome.app_output;
    EXPECT_NE(outcome.recorder_exit, -1) << "the recorder hangs";
    if (plan.victim == Victim::kRecorder) {
      EXPECT_TRUE(outcome.app_exit == 0 || outcome.events.find("\"listening\"") == std::string::npos)
          << "the death of the recorder is the app's trouble: " << outcome.app_exit << ", " << outcome.app_output;
    }

    const bool is_there = fs::exists(workshop_.output());
    EXPECT_EQ(is_there ? workshop_.verify() : "", "") << "neither absent nor complete";
    EXPECT_TRUE(is_there || !was_there || plan.no_exchange) << "the older capture is gone";
    if (outcome.killed && is_there && plan.fresh) ++complete_;
    EXPECT_EQ(workshop_.damaged_chunk(), "");

    const Outcome next = workshop_.capture(plan.to_store);
    EXPECT_NE(next.events.find("\"captured\""), std::string::npos) << "the next capture: " << next.events;
    EXPECT_EQ(next.app_exit, 0) << next.app_output;
    EXPECT_EQ(next.recorder_exit, 0) << next.events;
    EXPECT_EQ(workshop_.verify(), "");
    EXPECT_EQ(workshop_.damaged_chunk(), "");
    EXPECT_EQ(workshop_.leftovers(), std::vector<std::string>());
  }

  Workshop workshop_;
  std::map<std::pair<bool, bool>, uint64_t> calls_;  // [to store, of the app]
  std::map<Victim, uint64_t> by_victim_;
  uint64_t kills_ = 0, rounds_ = 0, complete_ = 0;
};

void kill_captures_of(App app) {
  ASSERT_TRUE(fs::exists(app.command[0])) << app.command[0] << " was not built";
  Rounds(std::move(app))
      .run(setting("KERNLOOP_KILL_FIRST", 0), setting("KERNLOOP_KILL_ROUNDS", 12), setting("KERNLOOP_KILL_SEED", 4));
}

TEST(KilledCapture, OnTheSoftwareGpuIsAbsentOrCompleteAndTheNextSucceeds) {
  kill_captures_of(softgpu_app());
}

TEST(KilledCapture, OnCudaIsAbsentOrCompleteAndTheNextSucceeds) {
  kill_captures_of(cuda_app());
}

}  // namespace
}  // namespace kernloop::capture
