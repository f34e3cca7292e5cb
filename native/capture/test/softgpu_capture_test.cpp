// The whole way: a HIP program on the software GPU, the agent inside of it, the recorder beside it, and the resulting
// archive.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "archive/capture/reader.h"
#include "capture/test/recorded_run.h"

namespace kernloop::capture {
namespace {

using testing::Program;
using testing::RecordedRun;
using Json = nlohmann::json;

namespace fs = std::filesystem;

class SoftgpuCaptureTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_STRNE(KERNLOOP_TEST_HIPCC, "")
        << "hipcc was not found when the build was configured: apt-get install hipcc libamdhip64-dev";
    ASSERT_TRUE(fs::exists(KERNLOOP_TEST_APP)) << "the test program was not built";
    ASSERT_TRUE(fs::exists(softgpu() / "libhsa-runtime64.so.1")) << "the software GPU was not built: " << softgpu();
  }
  static fs::path softgpu() {
    const char* other = std::getenv("KERNLOOP_TEST_SOFTGPU");
    return other != nullptr ? other : KERNLOOP_TEST_SOFTGPU_FOLDER;
  }
  std::unique_ptr<Program> start_app(std::vector<std::string> arguments, std::map<std::string, std::string> more = {}) {
    std::vector<std::string> command = {KERNLOOP_TEST_APP};
    command.insert(command.end(), arguments.begin(), arguments.end());
    std::map<std::string, std::string> environment = {{"LD_LIBRARY_PATH", softgpu().string()},
                                                      {"HSA_TOOLS_LIB", KERNLOOP_TEST_AGENT},
                                                      {"KERNLOOP_RECORDER_SOCKET", run.socket()},
                                                      {"KERNLOOP_LOG_FILE", (run.folder() / "agent-%p.log").string()}};
    for (auto& [name, value] : more) environment[name] = value;
    return std::make_unique<Program>(Program::Options{command, environment, false});
  }
  // Runs the app to its end, then the recorder; the app's exit code.
  int record(std::vector<std::string> arguments, std::map<std::string, std::string> environment = {}) {
    if (!run.start()) return -2;
    auto app = start_app(std::move(arguments), std::move(environment));
    const int code = app->wait();
    app_output = app->output();
    EXPECT_EQ(run.finish(), 0) << run.recorder->output();
    return code;
  }
  std::unique_ptr<archive::Reader> open(const std::string& id = "s") {
    auto reader = archive::Reader::open(run.output(id), {});
    EXPECT_TRUE(reader.ok()) << (reader ? "" : reader.error().message) << run.recorder->output();
    return reader ? std::move(*reader) : nullptr;
  }
  std::string refusal() {
    const Json event = run.event("refused");
    return event.is_null() ? "none: " + run.recorder->output() : event.value("code", "");
  }

  RecordedRun run{KERNLOOP_TEST_RECORDER};
  std::string app_output;
};

std::string file_bytes(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

std::string text_of(const Buffer& bytes) {
  return std::string(bytes.begin(), bytes.end());
}

TEST_F(SoftgpuCaptureTest, TheCaptureHoldsWhatTheProgramItselfSawBeforeAndAfter) {
  run.select("^walk\\(", 2);
  fs::create_directories(run.folder() / "dump");
  ASSERT_EQ(record({"linked", (run.folder() / "dump").string()}), 0) << app_output;
  auto reader = open();
  ASSERT_TRUE(reader);
  const archive::Manifest& manifest = reader->manifest();

  std::map<uint64_t, const archive::Region*> by_base;
  for (const archive::Region& region : manifest.regions) by_base[region.base] = &region;
  size_t dumps = 0;
  for (const auto& entry : fs::directory_iterator(run.folder() / "dump")) {
    const std::string stem = entry.path().stem().string();
    const uint64_t base = std::stoull(stem, nullptr, 16);
    ASSERT_TRUE(by_base.contains(base)) << stem << " is reachable but was not captured";
    const archive::Region& region = *by_base[base];
    const bool is_pre = entry.path().extension() == ".pre";
    auto bytes = reader->read_all(is_pre ? pre_of(region) : post_of(region), 1 << 24);
    ASSERT_TRUE(bytes);
    const std::string dump = file_bytes(entry.path());
    ASSERT_LE(dump.size(), bytes->size());
    EXPECT_EQ(text_of(*bytes).substr(0, dump.size()), dump) << entry.path();
    ++dumps;
  }
  EXPECT_EQ(dumps, 22u);
  uint64_t captured = 0;
  for (const archive::Region& region : manifest.regions) captured += region.size;
  EXPECT_LT(captured, 1u << 20) << "the 4 MiB that nothing leads to stay out";
  EXPECT_GT(manifest.scope.tracked_bytes, 4u << 20);

  EXPECT_EQ(manifest.dispatch.ordinal, 2u);
  EXPECT_EQ(manifest.kernel.name.substr(0, 5), "walk(");
  EXPECT_EQ(manifest.geometry.grid_blocks, (std::array<uint32_t, 3>{1, 1, 1}));
  EXPECT_EQ(manifest.geometry.block_threads, (std::array<uint32_t, 3>{64, 1, 1}));
}

// The engine knows exactly what the dispatch read and wrote: the capture must hold all of it.
TEST_F(SoftgpuCaptureTest, TheScopeContainsEveryByteThatTheDispatchReadOrWrote) {
  run.select("^walk\\(", 2);
  fs::create_directories(run.folder() / "dump");
  const fs::path log = run.folder() / "accesses";
  ASSERT_TRUE(run.start());
  auto app = start_app({"linked", (run.folder() / "dump").string()}, {{"KERNLOOP_ACCESS_LOG", log.string()}});
  ASSERT_EQ(app->wait(), 0);
  ASSERT_EQ(run.finish(), 0);
  auto reader = open();
  ASSERT_TRUE(reader);
  const archive::Manifest& manifest = reader->manifest();
  std::set<uint64_t> inside;  // every byte: small enough here
  const auto add = [&inside](uint64_t base, uint64_t size) {
    for (uint64_t i = 0; i < size; ++i) inside.insert(base + i);
  };
  for (const archive::Region& region : manifest.regions) add(region.base, region.size);
  for (const archive::ModuleVariable& variable : manifest.module_variables) add(variable.address, variable.size);

  std::ifstream lines(log);
  std::string kind, base_text;
  uint64_t size = 0, reads = 0, writes = 0, outside = 0;
  while (lines >> kind >> base_text >> size) {
    const uint64_t base = std::stoull(base_text, nullptr, 16);
    (kind == "read" ? reads : writes) += size;
    for (uint64_t i = 0; i < size; ++i) {
      if (inside.contains(base + i)) continue;
      ASSERT_EQ(kind, "read") << base_text;
      ++outside;
    }
  }
  // The kernel arguments, which the capture holds as such, and the dispatch packet, which tells the kernel its
  // geometry.
  EXPECT_LE(outside, manifest.kernel.kernarg_bytes + 64);
  EXPECT_GT(reads, 5 * 1000 * sizeof(float));
  EXPECT_GT(writes, 5 * 1000 * sizeof(float));
  EXPECT_GT(manifest.execution.wave_instructions.value_or(0), 1000u);
}

TEST_F(SoftgpuCaptureTest, ModuleVariablesComeWithTheirValuesAtTheDispatch) {
  run.select("^walk\\(", 2);
  fs::create_directories(run.folder() / "dump");
  ASSERT_EQ(record({"linked", (run.folder() / "dump").string()}), 0);
  auto reader = open();
  ASSERT_TRUE(reader);
  std::map<std::string, const archive::ModuleVariable*> variables;
  for (const archive::ModuleVariable& variable : reader->manifest().module_variables)
    variables[variable.name] = &variable;
  ASSERT_TRUE(variables.contains("scale_table"));
  ASSERT_TRUE(variables.contains("visits"));
  // The app sets the table by its symbol; it has not asked for the other variable's address yet.
  EXPECT_EQ(variables["scale_table"]->address_told, true);
  EXPECT_EQ(variables["visits"]->address_told, false);
  const float table[4] = {1.5f, 2.0f, -1.0f, 0.5f};
  auto bytes = reader->read_all(pre_of(*variables["scale_table"]), 4096);
  ASSERT_TRUE(bytes);
  ASSERT_EQ(bytes->size(), sizeof table);
  EXPECT_EQ(std::memcmp(bytes->data(), table, sizeof table), 0);
  auto before = reader->read_all(pre_of(*variables["visits"]), 4096);
  auto after = reader->read_all(post_of(*variables["visits"]), 4096);
  EXPECT_EQ((*before)[0], 1);
  EXPECT_EQ((*after)[0], 2);
}

TEST_F(SoftgpuCaptureTest, TheSameProgramTwiceGivesTheSameCaptureToTheByte) {
  run.select("^walk\\(", 2);
  fs::create_directories(run.folder() / "dump");
  ASSERT_EQ(record({"linked", (run.folder() / "dump").string()}), 0);
  const std::string first = file_bytes(run.output() / "capture.json");
  ASSERT_EQ(record({"linked", (run.folder() / "dump").string()}), 0);
  EXPECT_EQ(file_bytes(run.output() / "capture.json"), first);
  EXPECT_GT(first.size(), 1000u);
  EXPECT_EQ(run.leftovers(), std::vector<std::string>());
}

// Tables that tools get since ROCm 6 have slots at other places than those of ROCm 5.2.
TEST_F(SoftgpuCaptureTest, TablesOfEitherVersionGiveTheSameCapture) {
  run.select("^walk\\(", 2);
  fs::create_directories(run.folder() / "dump");
  std::vector<std::string> captures;
  for (const char* version : {"1", "2"}) {
    ASSERT_TRUE(run.start());
    auto app = start_app({"linked", (run.folder() / "dump").string()}, {{"KERNLOOP_SOFTGPU_API_TABLES", version}});
    EXPECT_EQ(app->wait(), 0) << app->output();
    EXPECT_EQ(run.finish(), 0);
    captures.push_back(file_bytes(run.output() / "capture.json"));
  }
  EXPECT_GT(captures[0].size(), 1000u);
  EXPECT_EQ(captures[0], captures[1]);
}

TEST_F(SoftgpuCaptureTest, ScopeAllHoldsEverythingThatIsTracked) {
  run.select("^walk\\(", 2, "all");
  fs::create_directories(run.folder() / "dump");
  ASSERT_EQ(record({"linked", (run.folder() / "dump").string()}), 0);
  auto reader = open();
  ASSERT_TRUE(reader);
  uint64_t captured = 0;
  for (const archive::Region& region : reader->manifest().regions) captured += region.size;
  EXPECT_GT(captured, 4u << 20);
  EXPECT_EQ(reader->manifest().scope.mode, "all");
}

TEST_F(SoftgpuCaptureTest, AKernelThatReachesOutsideItsScopeIsCapturedAtTheNextMatchWithAWiderOne) {
  run.select("^reach_outside\\(");
  ASSERT_EQ(record({"outside", "3"}), 0);
  EXPECT_EQ(run.events("scope_violation").size(), 1u);
  auto reader = open();
  ASSERT_TRUE(reader);
  EXPECT_TRUE(reader->manifest().scope.widened);
  EXPECT_EQ(reader->manifest().dispatch.ordinal, 2u);
  EXPECT_EQ(reader->manifest().regions.size(), 2u);
}

TEST_F(SoftgpuCaptureTest, WithoutANextMatchTheViolationIsARefusal) {
  run.select("^reach_outside\\(");
  ASSERT_EQ(record({"outside", "1"}), 0);
  EXPECT_EQ(run.events("scope_violation").size(), 1u);
  EXPECT_EQ(refusal(), "SCOPE_VIOLATION");
  EXPECT_FALSE(fs::exists(run.output()));
  EXPECT_EQ(run.leftovers(), std::vector<std::string>());
}

TEST_F(SoftgpuCaptureTest, OtherStreamsAndThreadsAreHeldAndGoOnAfterwards) {
  for (uint64_t ordinal : {1, 4, 8}) run.select("^add_one\\(", ordinal, "all", std::to_string(ordinal));
  ASSERT_EQ(record({"streams"}), 0) << app_output;
  for (uint64_t ordinal : {1, 4, 8}) {
    auto reader = open(std::to_string(ordinal));
    ASSERT_TRUE(reader);
    // The counter that the other stream moves in two steps is at a whole step before and after.
    bool seen = false;
    for (const archive::Region& region : reader->manifest().regions) {
      if (region.size < 8 || region.size >= 4096) continue;
      auto pre = reader->read_all(pre_of(region), 4096), post = reader->read_all(post_of(region), 4096);
      int32_t pair[2];
      std::memcpy(pair, pre->data(), sizeof pair);
      EXPECT_EQ(pair[0], pair[1]);
      EXPECT_EQ(pair[0] % 200, 0);
      EXPECT_EQ(*pre, *post);
      seen = true;
    }
    EXPECT_TRUE(seen);
    // Effect of add_one itself: every element from n - 1 to n.
    for (const archive::Region& region : reader->manifest().regions) {
      if (region.pre == region.post || region.memory_class != archive::RegionClass::kDevice) continue;
      auto pre = reader->read_all(pre_of(region), 1 << 20), post = reader->read_all(post_of(region), 1 << 20);
      int32_t before, after;
      std::memcpy(&before, pre->data(), 4);
      std::memcpy(&after, post->data(), 4);
      EXPECT_EQ(before, static_cast<int32_t>(ordinal) - 1);
      EXPECT_EQ(after, static_cast<int32_t>(ordinal));
    }
  }
}

TEST_F(SoftgpuCaptureTest, RegionsTellWhetherTheyAreFineGrained) {
  run.select("^add_all\\(");
  ASSERT_EQ(record({"granularities"}), 0) << app_output;
  auto reader = open();
  ASSERT_TRUE(reader);
  // In the order of the kernel's arguments.
  const std::pair<archive::RegionClass, bool> expected[] = {{archive::RegionClass::kHost, true},
                                                            {archive::RegionClass::kHost, false},
                                                            {archive::RegionClass::kHost, true},
                                                            {archive::RegionClass::kDevice, false}};
  for (size_t i = 0; i < std::size(expected); ++i) {
    const auto& slot = reader->manifest().kernarg.slots.at(i);
    for (const archive::Region& region : reader->manifest().regions) {
      if (region.id != slot.region) continue;
      EXPECT_EQ(region.memory_class, expected[i].first) << i;
      EXPECT_EQ(region.fine_grained, expected[i].second) << i;
    }
    EXPECT_TRUE(slot.region) << i;
  }
}

// Only where the GPU would reach it is it worth a word.
TEST_F(SoftgpuCaptureTest, MemoryThatOnlyXnackReachesIsNoted) {
  run.select("^add_first\\(");
  ASSERT_EQ(record({"pageable"}, {{"KERNLOOP_SOFTGPU_HOSTILE", "xnack"}}), 0) << app_output;
  ASSERT_TRUE(open());
  const Json note = run.event("note");
  EXPECT_EQ(note.value("code", ""), "PAGEABLE_MEMORY") << run.recorder->output();
  EXPECT_NE(note.value("text", "").find("the 8 bytes at offset 8 of the arguments of _Z9add_first"), std::string::npos)
      << note;
}

TEST_F(SoftgpuCaptureTest, MemoryThatTheGpuDoesNotReachIsNotNoted) {
  run.select("^add_first\\(");
  ASSERT_EQ(record({"pageable"}), 0) << app_output;
  ASSERT_TRUE(open());
  EXPECT_TRUE(run.event("note").is_null()) << run.event("note");
}

TEST_F(SoftgpuCaptureTest, AKernelThatWaitsForTheHostIsRefusedAndTheProgramGoesOn) {
  run.config["run_limit_ms"] = 500;
  run.select("^wait_for_host\\(");
  ASSERT_EQ(record({"host-flag"}), 0) << app_output;
  EXPECT_EQ(refusal(), "RUN_LIMIT");
  EXPECT_FALSE(fs::exists(run.output()));
}

TEST_F(SoftgpuCaptureTest, AQueueThatDoesNotBecomeIdleIsRefusedAndTheProgramGoesOn) {
  run.config["drain_limit_ms"] = 500;
  run.select("^add_one\\(");
  ASSERT_EQ(record({"busy-queue"}), 0) << app_output;
  EXPECT_EQ(refusal(), "DRAIN_LIMIT");
  EXPECT_FALSE(fs::exists(run.output()));
}

TEST_F(SoftgpuCaptureTest, AFaultOfTheKernelIsNamed) {
  run.select("^write_wild\\(");
  record({"fault"});
  EXPECT_EQ(refusal(), "DEVICE_FAULT");
  EXPECT_NE(run.event("refused").value("reason", "").find("123456789000"), std::string::npos) << run.recorder->output();
}

// Environment that a stage sets: the library that reports a fault to a program by HIP's errors.
const std::map<std::string, std::string> kToldOfFaults = {{"LD_PRELOAD", "libkernloop-hip.so"}};

TEST_F(SoftgpuCaptureTest, AFaultOfTheKernelIsNamedToo_WhereTheProgramLives) {
  run.select("^write_wild\\(");
  EXPECT_EQ(record({"fault"}, kToldOfFaults), 0) << app_output;
  EXPECT_EQ(refusal(), "DEVICE_FAULT");
  EXPECT_NE(run.event("refused").value("reason", "").find("123456789000"), std::string::npos) << run.recorder->output();
  EXPECT_EQ(run.event("note").value("code", ""), "DEVICE_FAULT");
}

TEST_F(SoftgpuCaptureTest, ADispatchBehindAFaultIsNotCapturedAsIfItHadRun) {
  run.select("^add_one\\(");
  EXPECT_EQ(record({"behind-fault"}, kToldOfFaults), 0) << app_output;
  EXPECT_TRUE(run.event("captured").is_null()) << run.recorder->output();
  EXPECT_FALSE(fs::exists(run.output()));
  EXPECT_EQ(run.event("note").value("code", ""), "DEVICE_FAULT");
}

TEST_F(SoftgpuCaptureTest, AProfileTellsOfAFaultAndMeasuresNothingThatDidNotRun) {
  run.config["mode"] = "profile";
  EXPECT_EQ(record({"behind-fault"}, kToldOfFaults), 0) << app_output;
  EXPECT_EQ(run.event("note").value("code", ""), "DEVICE_FAULT");
  for (const Json& row : run.event("summary").value("kernel_profile", Json::array()))
    EXPECT_EQ(row.value("name", "").find("add_one"), std::string::npos) << row;
}

TEST_F(SoftgpuCaptureTest, TimeStampsOfTheDispatchReachTheProgramsEvents) {
  run.select("^add_one\\(");
  EXPECT_EQ(record({"events"}), 0) << app_output;
  EXPECT_TRUE(open());
}

TEST_F(SoftgpuCaptureTest, AForkedChildDisturbsNothing) {
  run.select("^add_one\\(");
  EXPECT_EQ(record({"forked"}), 0) << app_output;
  EXPECT_TRUE(open());
  EXPECT_EQ(run.event("summary").value("processes", 0), 1);
}

TEST_F(SoftgpuCaptureTest, SeveralProcessesAtOnceGiveOneCapture) {
  run.select("^add_one\\(");
  ASSERT_TRUE(run.start());
  std::vector<std::unique_ptr<Program>> apps;
  for (int i = 0; i < 3; ++i) apps.push_back(start_app({"events"}));
  for (auto& app : apps) EXPECT_EQ(app->wait(), 0) << app->output();
  EXPECT_EQ(run.finish(), 0);
  EXPECT_EQ(run.event("summary").value("processes", 0), 3);
  EXPECT_EQ(run.events("captured").size(), 1u);
  EXPECT_EQ(run.events("refused").size(), 0u) << run.recorder->output();
  EXPECT_TRUE(open());
}

TEST_F(SoftgpuCaptureTest, AKilledProgramLeavesNothingHalfWritten) {
  run.select("^add_one\\(");
  ASSERT_TRUE(run.start());
  auto app = start_app({"large", "256"});
  ASSERT_TRUE(run.recorder->wait_for("\"capturing\""));
  app->kill(SIGKILL);
  app->wait();
  EXPECT_EQ(run.finish(), 0);
  EXPECT_EQ(refusal(), "AGENT_LOST");
  EXPECT_FALSE(fs::exists(run.output()));
  EXPECT_EQ(run.leftovers(), std::vector<std::string>());
  // Work done until then is still reported.
  EXPECT_EQ(run.event("summary").value("dispatches", 0), 1);
}

TEST_F(SoftgpuCaptureTest, TheProgramGoesOnWhenTheRecorderIsKilled) {
  run.select("^add_one\\(");
  ASSERT_TRUE(run.start());
  auto app = start_app({"large", "256"});
  ASSERT_TRUE(run.recorder->wait_for("\"capturing\""));
  run.recorder->kill(SIGKILL);
  EXPECT_EQ(app->wait(), 0) << app->output();
  run.recorder->wait();
  // The next recorder of the same output removes the remains of a dead one.
  ASSERT_TRUE(run.start());
  EXPECT_EQ(run.finish(), 0);
  EXPECT_EQ(run.leftovers(), std::vector<std::string>());
  EXPECT_FALSE(fs::exists(run.output()));
}

TEST_F(SoftgpuCaptureTest, AStoppedRecorderCleansUpAndTheProgramGoesOn) {
  run.select("^add_one\\(");
  ASSERT_TRUE(run.start());
  auto app = start_app({"large", "256"});
  ASSERT_TRUE(run.recorder->wait_for("\"capturing\""));
  run.recorder->kill(SIGINT);
  EXPECT_EQ(run.recorder->wait(), 128 + SIGINT);
  EXPECT_EQ(run.event("error").value("code", ""), "INTERRUPTED");
  EXPECT_EQ(run.leftovers(), std::vector<std::string>());
  EXPECT_EQ(app->wait(), 0) << app->output();
}

TEST_F(SoftgpuCaptureTest, WithoutARecorderTheProgramRunsAndSaysSoOnce) {
  auto app = start_app({"events"});
  EXPECT_EQ(app->wait(), 0);
  const std::string output = app->output();
  EXPECT_NE(output.find("not captured"), std::string::npos);
  EXPECT_EQ(output.find("not captured"), output.rfind("not captured"));
}

TEST_F(SoftgpuCaptureTest, AByteBudgetRefusesBeforeAnythingIsCopied) {
  run.select("^add_one\\(");
  run.config["selections"][0]["byte_budget"] = 1 << 20;
  ASSERT_EQ(record({"large", "64"}), 0);
  EXPECT_EQ(refusal(), "BYTE_BUDGET");
  EXPECT_NE(run.event("refused").value("reason", "").find("the budget is 1048576 bytes"), std::string::npos)
      << run.recorder->output();
}

TEST_F(SoftgpuCaptureTest, TwoSelectionsOfOneDispatchAreAConflictThatIsNamed) {
  run.select("^add_one\\(", 1, "reachable", "first");
  run.select("add_one", 1, "reachable", "second");
  ASSERT_EQ(record({"events"}), 0);
  EXPECT_EQ(refusal(), "SELECTION_CONFLICT");
  EXPECT_TRUE(open("first"));
}

TEST_F(SoftgpuCaptureTest, ProfileCountsEveryDispatchWithItsExecutedInstructions) {
  run.config["mode"] = "profile";
  ASSERT_EQ(record({"streams"}), 0) << app_output;
  const Json summary = run.event("summary");
  ASSERT_TRUE(summary.contains("kernel_profile")) << run.recorder->output();
  uint64_t total = 0;
  bool seen = false;
  for (const Json& row : summary["kernel_profile"]) {
    total += row["dispatches"].get<uint64_t>();
    EXPECT_EQ(row["unit"], "wave_instructions");
    if (row["name"].get<std::string>().starts_with("add_one(")) {
      seen = true;
      EXPECT_EQ(row["dispatches"], 12);
      EXPECT_EQ(row["min"], row["max"]) << "the same work each time";
      EXPECT_EQ(row["total"].get<uint64_t>(), 12 * row["median"].get<uint64_t>());
      EXPECT_EQ(row["geometries"][0]["grid_blocks"], Json({16, 1, 1}));
    }
  }
  EXPECT_TRUE(seen);
  EXPECT_EQ(total, summary["dispatches"].get<uint64_t>());
}

// The dispatches of a kernel that a profile measured. HIP since 6.4 has kernels of its own for copies.
uint64_t measured(const Json& summary, const std::string& kernel) {
  for (const Json& row : summary["kernel_profile"]) {
    if (row["name"].get<std::string>().starts_with(kernel + "(")) return row["dispatches"].get<uint64_t>();
  }
  return 0;
}

TEST_F(SoftgpuCaptureTest, ProfileMeasuresDispatchesThatAreInFlightWhenTheProgramEnds) {
  run.config["mode"] = "profile";
  ASSERT_EQ(record({"unfinished"}), 0) << app_output;
  EXPECT_EQ(measured(run.event("summary"), "count_up"), 50u) << run.recorder->output();
}

TEST_F(SoftgpuCaptureTest, ProfileHasMeasuredWhatTheProgramWaitedForBeforeItEndsAtOnce) {
  run.config["mode"] = "profile";
  for (int i = 0; i < 10; ++i) {
    ASSERT_EQ(record({"ends-at-once"}), 0) << app_output;
    EXPECT_EQ(measured(run.event("summary"), "count_up"), 50u) << run.recorder->output();
  }
}

std::string output_of(const std::string& command) {
  FILE* pipe = popen(command.c_str(), "r");
  std::string text;
  char buffer[4096];
  while (pipe != nullptr && fgets(buffer, sizeof buffer, pipe) != nullptr) text += buffer;
  if (pipe != nullptr) pclose(pipe);
  return text;
}

TEST(CaptureAgentLibrary, ExportsItsEntriesAndNeedsNothingButAnOldLibc) {
  const std::string agent = KERNLOOP_TEST_AGENT;
  EXPECT_EQ(output_of("nm -D --defined-only --format=posix " + agent + " | cut -d' ' -f1 | sort"),
            "OnLoad\nOnUnload\nrocprofiler_configure\n");
  EXPECT_EQ(output_of("readelf -d " + agent + " | grep NEEDED | grep -v -e libc.so.6 -e ld-linux"), "");
  std::istringstream versions(output_of("nm -D " + agent + " | grep -o 'GLIBC_2[.0-9]*' | sort -uV | tail -1"));
  std::string newest;
  versions >> newest;
  ASSERT_TRUE(newest.starts_with("GLIBC_2."));
  EXPECT_LE(std::stoi(newest.substr(8)), 35) << newest;
}

TEST_F(SoftgpuCaptureTest, NothingMatchingStillTellsWhatWasSeen) {
  run.select("^no_such_kernel$");
  ASSERT_EQ(record({"outside", "3"}), 0);
  const Json summary = run.event("summary");
  EXPECT_EQ(summary["captured"], Json::array());
  ASSERT_EQ(summary["kernels"].size(), 1u);
  EXPECT_EQ(summary["kernels"][0]["dispatches"], 3);
  EXPECT_EQ(summary["kernels"][0]["symbol"], "_Z13reach_outsidePfl");
}

}  // namespace
}  // namespace kernloop::capture
