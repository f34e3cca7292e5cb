// Captures of a program whose other threads keep the GPU at work in many ways (test/apps/busy_app.hip). It knows its
// own memory: its blocks are consistent between dispatches alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <map>
#include <sstream>
#include <thread>

#include "archive/capture/reader.h"
#include "capture/core/deadline.h"
#include "capture/test/recorded_run.h"

namespace kernloop::capture {
namespace {

using testing::Program;
using testing::RecordedRun;
using Json = nlohmann::json;

constexpr uint32_t kMagic = 0x4b4c4250;
constexpr size_t kStepWords = 4096, kCopiedBytes = sizeof(uint32_t) << 16;

std::string environment(const char* name, const char* otherwise) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : otherwise;
}

std::vector<uint32_t> words_of(const Buffer& bytes) {
  std::vector<uint32_t> words(bytes.size() / sizeof(uint32_t));
  std::memcpy(words.data(), bytes.data(), words.size() * sizeof(uint32_t));
  return words;
}

struct Activities {
  const char* id;
  const char* names;  // of busy_app
  const char* scope = "all";
  bool has_blocks = true, has_copies = false;  // captures hold some
  // HIP 6.4.3 reports signals of events that it leaves behind.
  bool is_silent() const {
    const std::string_view all = names;
    return all.find("prints") == all.npos && all.find("events") == all.npos;
  }
};

std::ostream& operator<<(std::ostream& out, const Activities& activities) {
  return out << activities.id;
}

class SoftgpuBusyTest : public ::testing::Test {
 protected:
  int record(const std::string& activities) {
    if (!run.start()) return -2;
    std::vector<std::string> command = {KERNLOOP_TEST_APP, std::to_string(launches)};
    std::istringstream names(activities);
    for (std::string name; names >> name;) command.push_back(name);
    std::map<std::string, std::string> variables = {
        {"LD_LIBRARY_PATH", environment("KERNLOOP_TEST_SOFTGPU", KERNLOOP_TEST_SOFTGPU_FOLDER)},
        {"HSA_TOOLS_LIB", KERNLOOP_TEST_AGENT},
        {"KERNLOOP_RECORDER_SOCKET", run.socket()},
        {"HIP_MEM_POOL_SUPPORT", "1"},
        {"KERNLOOP_LOG_FILE", (run.folder() / "agent-%p.log").string()}};
    // HIP 5.2.3 ends a process that unregisters memory of our runtime.
    if (std::getenv("KERNLOOP_TEST_SOFTGPU") == nullptr)
      variables["LD_PRELOAD"] = KERNLOOP_TEST_SOFTGPU_FOLDER "/libkernloop-hip.so";
    Program app(Program::Options{command, variables, false});
    // The recorder prints each queue: a full pipe would keep it from answering.
    int code = -1;
    const auto limit = std::chrono::minutes(1) + launches * std::chrono::seconds(10);
    for (const Deadline end = Deadline::in(limit); code == -1 && !end.passed();) {
      run.recorder->output();
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      code = app.wait(std::chrono::seconds(0));
    }
    output = app.output();
    EXPECT_EQ(run.finish(), 0) << run.recorder->output();
    return code;
  }

  void TearDown() override {
    if (HasFailure()) std::cerr << output;
  }

  void expect_right(uint32_t ordinal) {
    auto opened = archive::Reader::open(run.outputs() / std::to_string(ordinal), {});
    ASSERT_TRUE(opened.ok()) << (opened ? "" : opened.error().message);
    archive::Reader& reader = **opened;
    uint32_t steps = 0;
    for (const archive::Region& region : reader.manifest().regions) {
      const auto pre = reader.read_all(pre_of(region), 1 << 30), post = reader.read_all(post_of(region), 1 << 30);
      ASSERT_TRUE(pre.ok() && post.ok());
      const std::vector<uint32_t> before = words_of(*pre), after = words_of(*post);
      const std::string where = region.id + " (" + region.api + ", " + std::to_string(region.size) +
                                " bytes) of capture " + std::to_string(ordinal);
      if (before.size() >= 4 && before[0] == kMagic) {
        ++blocks;
        EXPECT_EQ(before[2], before[3]) << "kind " << before[1] << ", " << where;
        EXPECT_EQ(before, after) << "kind " << before[1] << ", " << where;
      } else if (region.size == kStepWords * sizeof(uint32_t) && before != after) {
        ++steps;
        EXPECT_EQ(before, std::vector<uint32_t>(kStepWords, ordinal - 1)) << where;
        EXPECT_EQ(after, std::vector<uint32_t>(kStepWords, ordinal)) << where;
      } else if (region.memory_class == archive::RegionClass::kDevice) {
        EXPECT_TRUE(before == after) << where;
        if (region.size == kCopiedBytes) {
          ++copied;
          EXPECT_EQ(std::count(before.begin(), before.end(), before[0]), static_cast<std::ptrdiff_t>(before.size()))
              << where;
        }
      }
    }
    EXPECT_EQ(steps, 1u) << "capture " << ordinal;
  }

  RecordedRun run{KERNLOOP_TEST_RECORDER};
  const uint32_t launches = static_cast<uint32_t>(std::stoul(environment("KERNLOOP_BUSY_LAUNCHES", "6")));
  std::string output;
  uint32_t blocks = 0, copied = 0;
};

class SoftgpuBusyCaptureTest : public SoftgpuBusyTest, public ::testing::WithParamInterface<Activities> {};

TEST_P(SoftgpuBusyCaptureTest, NothingRunsWhileACaptureReadsMemory) {
  const Activities& activities = GetParam();
  run.select_several("^step\\(", Json::array({{1, launches}}), launches)["scope"] = activities.scope;
  ASSERT_EQ(record(activities.names), 0) << output << run.recorder->output();
  for (const Json& refused : run.events("refused")) ADD_FAILURE() << refused;
  EXPECT_EQ(run.events("captured").size(), launches) << run.recorder->output();
  for (uint32_t ordinal = 1; ordinal <= launches && !HasFatalFailure(); ++ordinal) {
    expect_right(ordinal);
  }
  if (activities.has_blocks) EXPECT_GT(blocks, 0u) << "nothing else was at work";
  if (activities.is_silent()) EXPECT_EQ(output, "");
  if (activities.has_copies) EXPECT_GT(copied, 0u) << "nothing was copied";
}

std::vector<Activities> all_activities() {
  std::vector<Activities> all = {
      {"kernels", "kernels"},
      {"cooperative", "cooperative"},
      {"prints", "prints"},
      {"streams", "streams"},
      {"events", "events"},
      {"graphs", "graphs"},
      {"copies", "copies", "all", false, true},
      // It is unmapped without a call: that may happen while a capture of all memory reads it.
      {"managed", "managed", "reachable", false},
      {"plain", "plain"},
      {"pinned", "pinned"},
      {"registered", "registered"},
      {"rectangles", "rectangles", "all", false, true},
      {"callbacks", "callbacks"},
      {"prefetches", "prefetches"},
      {"forks", "forks", "all", false},
      {"together",
       "graphs kernels cooperative streams events copies rectangles callbacks prefetches plain pinned registered forks",
       "all", true, true},
      {"together_reachable", "graphs kernels cooperative streams events copies managed plain pinned registered forks",
       "reachable", false},
  };
  // HIP 5.2.3 hangs in them.
  if (std::getenv("KERNLOOP_TEST_POOLS") != nullptr) all.push_back({"pools", "pools"});
  return all;
}

INSTANTIATE_TEST_SUITE_P(Activities, SoftgpuBusyCaptureTest, ::testing::ValuesIn(all_activities()),
                         [](const auto& info) { return std::string(info.param.id); });

// ROCr 6.4.3 reports signals that are left behind.
TEST_F(SoftgpuBusyTest, AProfileMeasuresEachDispatchAndTheProgramSaysNoMore) {
  run.config["mode"] = "profile";
  ASSERT_EQ(record("graphs kernels streams copies plain"), 0) << output << run.recorder->output();
  EXPECT_EQ(output, "");
  std::map<std::string, uint64_t> measured;
  const Json summary = run.event("summary");
  for (const Json& kernel : summary["kernel_profile"])
    measured[kernel.value("symbol", "")] = kernel.value("dispatches", uint64_t{0});
  EXPECT_EQ(measured["_Z4stepPji"], launches) << summary;
}

}  // namespace
}  // namespace kernloop::capture
