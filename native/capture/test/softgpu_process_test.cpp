// Programs of several processes: each captures for itself, and the recorder tells them apart.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>

#include "archive/capture/reader.h"
#include "capture/test/recorded_run.h"

namespace kernloop::capture {
namespace {

using testing::Program;
using testing::RecordedRun;
using Json = nlohmann::json;
using Counts = std::map<int, int>;  // launches by process

namespace fs = std::filesystem;

class SoftgpuProcessTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(fs::exists(KERNLOOP_TEST_APP)) << "the test program was not built: apt-get install hipcc";
  }
  std::unique_ptr<Program> start_app(std::vector<std::string> arguments) {
    std::vector<std::string> command = {KERNLOOP_TEST_APP};
    command.insert(command.end(), arguments.begin(), arguments.end());
    return std::make_unique<Program>(Program::Options{command,
                                                      {{"LD_LIBRARY_PATH", KERNLOOP_TEST_SOFTGPU_FOLDER},
                                                       {"HSA_TOOLS_LIB", KERNLOOP_TEST_AGENT},
                                                       {"KERNLOOP_RECORDER_SOCKET", run.socket()},
                                                       {"KERNLOOP_LOG_FILE", (run.folder() / "agent-%p.log").string()}},
                                                      false});
  }
  void record(std::vector<std::string> arguments) {
    ASSERT_TRUE(run.start());
    auto app = start_app(std::move(arguments));
    ASSERT_EQ(app->wait(), 0) << app->output();
    ASSERT_EQ(run.finish(), 0) << run.recorder->output();
    output = app->output();
  }
  // Launches that the processes report.
  Counts told() const {
    Counts counts;
    std::istringstream words(output);
    std::string process, launched;
    int pid, launches;
    while (words >> process >> pid >> launched >> launches) counts[pid] += launches;
    return counts;
  }
  // Dispatches that the recorder saw of each process.
  Counts seen() {
    Counts counts;
    const Json summary = run.event("summary");
    for (const Json& process : summary["per_process"])
      counts[process["pid"].get<int>()] = process["dispatches"].get<int>();
    return counts;
  }
  Json process_of(int pid) {
    const Json summary = run.event("summary");
    for (const Json& process : summary["per_process"]) {
      if (process["pid"] == pid) return process;
    }
    return Json();
  }

  RecordedRun run{KERNLOOP_TEST_RECORDER};
  std::string output;
};

TEST_F(SoftgpuProcessTest, WorkersOfAPoolAreToldApartAndOneOfThemIsCaptured) {
  run.select("^add_one\\(");
  record({"fork-pool", "3"});
  ASSERT_EQ(told().size(), 3u) << output;
  EXPECT_EQ(seen(), told());
  EXPECT_EQ(run.event("summary")["processes"], 3);

  const Json captured = run.event("captured");
  ASSERT_TRUE(captured.is_object()) << run.recorder->output();
  EXPECT_TRUE(told().contains(captured["pid"].get<int>()));
  // Later processes are reported with the one that was first.
  EXPECT_EQ(run.events("also_matched").size(), 2u);
  for (const Json& other : run.events("also_matched")) {
    EXPECT_NE(other["pid"], captured["pid"]);
    EXPECT_TRUE(told().contains(other["pid"].get<int>()));
    EXPECT_EQ(other["captured_by"], captured["pid"]);
  }
  const Json observed = Json::parse(std::ifstream(run.output() / "observed.json"));
  EXPECT_EQ(observed["process"]["pid"], captured["pid"]);
  EXPECT_EQ(observed["process"]["command"], Json({KERNLOOP_TEST_APP, "fork-pool", "3"}));
}

TEST_F(SoftgpuProcessTest, OrdinalsCountWithinAProcess) {
  run.select("^add_one\\(", 3);
  record({"fork-pool", "3"});  // workers launch once, twice and three times
  const Json captured = run.event("captured");
  ASSERT_TRUE(captured.is_object()) << run.recorder->output();
  EXPECT_EQ(told()[captured["pid"].get<int>()], 3);
  EXPECT_TRUE(run.events("also_matched").empty());
}

class SoftgpuFreshChildTest : public SoftgpuProcessTest, public ::testing::WithParamInterface<const char*> {};

TEST_P(SoftgpuFreshChildTest, IsAProcessOfItsOwnAlthoughItsParentHasTheGpuOpen) {
  run.select("^add_one\\(", 2);
  record({GetParam()});
  ASSERT_EQ(told().size(), 2u) << output;
  EXPECT_EQ(seen(), told());
  const Json captured = run.event("captured");
  ASSERT_TRUE(captured.is_object()) << run.recorder->output();
  const Json child = process_of(captured["pid"].get<int>());
  EXPECT_EQ(child["command"], Json({"worker", "work", "2"}));
  EXPECT_EQ(child["executable"], fs::canonical(KERNLOOP_TEST_APP).string());
  EXPECT_EQ(child["runtime"], (fs::path(KERNLOOP_TEST_SOFTGPU_FOLDER) / "libhsa-runtime64.so.1").string());
  EXPECT_TRUE(told().contains(child["parent_pid"].get<int>()));
  EXPECT_NE(child["parent_pid"], child["pid"]);
}

INSTANTIATE_TEST_SUITE_P(Ways, SoftgpuFreshChildTest, ::testing::Values("spawn", "fork-exec"));

TEST_F(SoftgpuProcessTest, ADaemonThatOutlivesItsStarterIsCaptured) {
  run.select("^add_one\\(", 3);
  const fs::path pid_file = run.folder() / "pid";
  ASSERT_TRUE(run.start());
  auto app = start_app({"daemon", pid_file.string()});
  ASSERT_EQ(app->wait(), 0) << app->output();
  ASSERT_TRUE(run.recorder->wait_for("\"process_end\""));
  ASSERT_EQ(run.finish(), 0);
  int pid = 0;
  std::ifstream(pid_file) >> pid;
  ASSERT_NE(pid, 0);
  EXPECT_NE(pid, app->pid());
  EXPECT_EQ(seen(), (Counts{{pid, 3}}));
  EXPECT_EQ(run.event("captured")["pid"], pid);
}

TEST_F(SoftgpuProcessTest, ThreadsOfOneProcessAreOneProcess) {
  run.select("^add_one\\(", 4);
  record({"threads", "4"});
  EXPECT_EQ(seen(), told());
  EXPECT_EQ(seen().size(), 1u);
  EXPECT_TRUE(run.event("captured").is_object());
}

TEST_F(SoftgpuProcessTest, AChildThatGoesOnWithItsParentsGpuIsNamed) {
  run.select("^add_one\\(");
  record({"fork-after-init"});
  EXPECT_TRUE(run.event("captured").is_null());
  Json note;
  for (const Json& each : run.events("note")) {
    if (each["code"] == "FORKED_AFTER_INIT") note = each;
  }
  ASSERT_TRUE(note.is_object()) << run.recorder->output();
  EXPECT_FALSE(told().contains(note["pid"].get<int>())) << "it is the child's, not the parent's";
  Counts expected = told();
  expected[note["pid"].get<int>()] = 0;
  EXPECT_EQ(seen(), expected);
  EXPECT_NE(note["text"].get<std::string>().find(std::to_string(told().begin()->first)), std::string::npos) << note;
}

TEST_F(SoftgpuProcessTest, ProfileTellsWhichProcessLaunchedWhat) {
  run.config["mode"] = "profile";
  record({"fork-pool", "2"});
  EXPECT_EQ(seen(), told());
  for (const auto& [pid, launches] : told()) {
    const Json process = process_of(pid);
    ASSERT_EQ(process["kernels"].size(), 1u);
    EXPECT_EQ(process["kernels"][0]["name"], "add_one(int*, int)");
    EXPECT_EQ(process["kernels"][0]["dispatches"], launches);
  }
}

}  // namespace
}  // namespace kernloop::capture
