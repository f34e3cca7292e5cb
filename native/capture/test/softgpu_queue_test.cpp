// Ways into the runtime and into its queues: table versions, rocprofiler, queues by descriptor, several packets at
// once.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <csignal>
#include <cstdlib>
#include <map>
#include <set>

#include "archive/capture/reader.h"
#include "capture/hsa/queues/hsa_api.h"
#include "capture/test/recorded_run.h"

namespace kernloop::capture {
namespace {

using testing::Program;
using testing::RecordedRun;
using Json = nlohmann::json;
using Environment = std::map<std::string, std::string>;

const Environment kOldTables = {{"KERNLOOP_SOFTGPU_API_TABLES", "1"}};  // ROCm 5.2
// One packet at a time, and one call of the packet writer for each.
const Environment kOldWriter = {{"KERNLOOP_SOFTGPU_API_TABLES", "1"}, {"KERNLOOP_SOFTGPU_HOSTILE", "writer-once"}};
const Environment kNewTables = {{"KERNLOOP_SOFTGPU_API_TABLES", "2"}};  // since ROCm 6

const Environment kCooperative = {{"KERNLOOP_SOFTGPU_API_TABLES", "2"}, {"KERNLOOP_SOFTGPU_HOSTILE", "cooperative"}};

// Runtimes whose AMD table has slots in other places must not be read by ours.
TEST(HsaTables, OnlyThoseWithKnownPlacesAreRead) {
  HsaApiTableContainer old;
  rocr::Rocm52AmdExtTable old_amd{};
  old.root.amd_ext_ = reinterpret_cast<AmdExtTable*>(&old_amd);
  old.root.version.major_id = old.core.version.major_id = 1;
  old_amd.version = {1, 400, 0, 0};  // announced by ROCm 5.2.3
  EXPECT_EQ(amd_table_of(old.root), AmdTable::kRocm52);
  old_amd.version.minor_id += sizeof(void*);  // ROCm 5.3's size
  EXPECT_EQ(amd_table_of(old.root), AmdTable::kUnknown);
  EXPECT_FALSE(HsaOriginals().copy_from(old.root));

  HsaApiTableContainer later;
  rocr::Rocm7AmdExtTable amd{};
  later.root.amd_ext_ = &amd;
  later.root.version.major_id = 3;
  later.core.version.major_id = 2;
  amd.version = {2, sizeof amd - 2 * sizeof(void*), 0x10, 0};  // an earlier one of them: shorter
  amd.hsa_amd_queue_intercept_create_fn = [](auto...) { return HSA_STATUS_SUCCESS; };
  amd.hsa_amd_interop_map_buffer_with_size_fn = [] {};
  EXPECT_EQ(amd_table_of(later.root), AmdTable::kSinceRocm6);
  HsaOriginals originals;
  ASSERT_TRUE(originals.copy_from(later.root));
  EXPECT_NE(originals.amd.hsa_amd_queue_intercept_create_fn, nullptr);
  EXPECT_EQ(originals.amd.hsa_amd_interop_map_buffer_with_size_fn, nullptr) << "that slot is behind its end";
  amd.version.major_id = 3;
  EXPECT_EQ(amd_table_of(later.root), AmdTable::kUnknown);
}

// KERNLOOP_TEST_SOFTGPU names the folder of another runtime.
std::string runtime_folder() {
  const char* other = std::getenv("KERNLOOP_TEST_SOFTGPU");
  return other != nullptr ? other : KERNLOOP_TEST_SOFTGPU_FOLDER;
}

std::string content_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

class SoftgpuQueueTest : public ::testing::Test {
 protected:
  int record(std::vector<std::string> arguments, const Environment& more) {
    if (!run.start()) return -2;
    std::vector<std::string> command = {KERNLOOP_TEST_APP, KERNLOOP_TEST_KERNELS};
    command.insert(command.end(), arguments.begin(), arguments.end());
    Environment environment = {{"LD_LIBRARY_PATH", runtime_folder()},
                               {"HSA_TOOLS_LIB", KERNLOOP_TEST_AGENT},
                               {"KERNLOOP_RECORDER_SOCKET", run.socket()},
                               {"KERNLOOP_LOG_FILE", (run.folder() / "agent-%p.log").string()}};
    for (const auto& [name, value] : more) environment[name] = value;
    Program app(Program::Options{command, environment, false});
    const int code = app.wait();
    EXPECT_EQ(run.finish(), 0) << run.recorder->output();
    output = app.output();
    return code;
  }
  // The first words of the region that holds the list: before and after the captured dispatch.
  void expect_list(const std::string& id, const std::vector<uint32_t>& pre, const std::vector<uint32_t>& post) {
    auto reader = archive::Reader::open(run.output(id), {});
    ASSERT_TRUE(reader.ok()) << (reader ? "" : reader.error().message) << run.recorder->output() << output;
    const archive::Region* list = nullptr;
    for (const archive::Region& region : (*reader)->manifest().regions) {
      if (region.size == 2u << 20) list = &region;
    }
    ASSERT_NE(list, nullptr);
    api = list->api;
    EXPECT_EQ(words(**reader, pre_of(*list)), pre) << id;
    EXPECT_EQ(words(**reader, post_of(*list)), post) << id;
  }
  template <typename Content>
  static std::vector<uint32_t> words(archive::Reader& reader, const Content& content) {
    const auto bytes = reader.read_all(content, 4u << 20);
    std::vector<uint32_t> first(5);
    std::memcpy(first.data(), bytes->data(), first.size() * sizeof(uint32_t));
    while (!first.empty() && first.back() == 0) first.pop_back();
    return first;
  }
  std::string note() {
    const Json event = run.event("note");
    return event.is_null() ? "none" : event.value("code", "");
  }
  std::string refusal() { return run.event("refused").is_null() ? "none" : run.event("refused").value("code", ""); }

  RecordedRun run{KERNLOOP_TEST_RECORDER};
  std::string output, api;
};

// 16 MiB of code go through no ring of 4 MiB whose recorder is stopped.
TEST_F(SoftgpuQueueTest, CodeIsLoadedWithoutTheRecorderAndOnlyWhatIsCapturedGoesToIt) {
  run.select("^append$");
  ASSERT_TRUE(run.start());
  Program app({{KERNLOOP_TEST_APP, KERNLOOP_TEST_KERNELS, "loads", "pool"},
               {{"LD_LIBRARY_PATH", KERNLOOP_TEST_SOFTGPU_FOLDER},
                {"HSA_TOOLS_LIB", KERNLOOP_TEST_AGENT},
                {"KERNLOOP_RECORDER_SOCKET", run.socket()},
                {"KERNLOOP_RING_BYTES", std::to_string(4u << 20)},
                {"KERNLOOP_LOG_FILE", (run.folder() / "agent-%p.log").string()}},
               true});
  ASSERT_TRUE(app.wait_for("ready")) << app.output();
  run.recorder->kill(SIGSTOP);
  siginfo_t stopped{};
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(run.recorder->pid()), &stopped, WSTOPPED | WNOWAIT), 0);
  app.close_stdin();
  EXPECT_TRUE(app.wait_for("loaded")) << app.output();
  run.recorder->kill(SIGCONT);
  ASSERT_EQ(app.wait(), 0) << app.output();
  ASSERT_EQ(run.finish(), 0) << run.recorder->output();
  EXPECT_EQ(run.events("captured").size(), 1u) << run.recorder->output();
  expect_list("s", {}, {11});
}

TEST_F(SoftgpuQueueTest, AProgramThatClosesTheAgentsDescriptorsIsToldOfAndKeepsItsFiles) {
  run.select("^append$", 2);
  const std::filesystem::path own = run.folder() / "own";
  ASSERT_EQ(record({"daemon", "pool", own.string()}, {}), 0) << output;
  EXPECT_EQ(content_of(own), "mine\n");
  EXPECT_TRUE(run.event("captured").is_null());
  std::vector<std::string> notes;
  for (const Json& event : run.events("note")) notes.push_back(event.value("code", ""));
  EXPECT_EQ(notes, std::vector<std::string>{"DESCRIPTORS_CLOSED"}) << run.recorder->output();
}

// A table of functions in captured memory. AMD's runtime has the code elsewhere in the replay, our own where it was.
TEST_F(SoftgpuQueueTest, AReplayRefusesFunctionPointersThatLeadNowhereAndFollowsThemWhereTheCodeIs) {
  run.config["device"] = {{"kind", "softgpu"}, {"identity", "test"}};
  run.select("^append$", 1, "reachable", "without");
  run.select("^call_function$", 1, "reachable", "table");
  run.select("^measure_shape$", 1, "reachable", "virtual");
  run.select("^take_functions$", 1, "reachable", "written");
  ASSERT_EQ(record({"functions", "pool"}, kNewTables), 0) << output;
  const auto replay = [&](const std::string& id) {
    Program program({{KERNLOOP_TEST_REPLAY, "--capture", run.output(id).string(), "--compare", "--hsa-runtime",
                      runtime_folder() + "/libhsa-runtime64.so.1"},
                     {},
                     false});
    const int code = program.wait();
    return std::pair(code, program.output());
  };
  const auto [without, of_without] = replay("without");
  EXPECT_EQ(without, 0) << of_without;
  const bool is_amds = std::getenv("KERNLOOP_TEST_SOFTGPU") != nullptr;
  for (const auto& [id, address] : {std::pair("table", "squared(unsigned int) at offset 0x8"),
                                    std::pair("virtual", "vtable for Cube at offset 0x0"),
                                    std::pair("written", "squared(unsigned int) at offset 0x8")}) {
    const auto [code, text] = replay(id);
    EXPECT_EQ(code, is_amds ? 2 : 0) << text;
    if (!is_amds) continue;
    EXPECT_NE(text.find("CODE_ADDRESS_IN_MEMORY"), std::string::npos) << text;
    EXPECT_NE(text.find(address), std::string::npos) << text;
    EXPECT_EQ(text.find("\"iteration\""), std::string::npos) << "nothing was launched: " << text;
  }
}

// On AMD's runtime by kernels of ours, which see a pointer and a change in 40 MiB each.
TEST_F(SoftgpuQueueTest, MuchMemoryIsSearchedAndComparedToTheByte) {
  run.select("^append$", 2, "reachable", "pointer");
  run.select("^count_hidden$", 1, "reachable", "hidden");
  ASSERT_EQ(record({"large", "pool"}, kNewTables), 0) << output;
  auto reader = archive::Reader::open(run.output("pointer"), {});
  ASSERT_TRUE(reader.ok()) << reader.error().message << run.recorder->output();
  std::map<uint64_t, const archive::Region*> regions;
  for (const archive::Region& region : (*reader)->manifest().regions) regions[region.size] = &region;
  ASSERT_EQ(regions.size(), 3u) << "the list behind the pointer, too";
  const archive::Region& large = *regions[40u << 20];
  std::vector<uint8_t> bytes(large.size);
  std::memcpy(bytes.data() + (36u << 20), &regions[2u << 20]->base, sizeof(uint64_t));
  EXPECT_TRUE(*(*reader)->read_all(pre_of(large), large.size) == bytes);
  bytes[sizeof(uint32_t)] = 22;
  EXPECT_TRUE(*(*reader)->read_all(post_of(large), large.size) == bytes);
  EXPECT_FALSE(run.event("scope_violation").is_null()) << run.recorder->output();
  reader = archive::Reader::open(run.output("hidden"), {});
  ASSERT_TRUE(reader.ok()) << reader.error().message << run.recorder->output();
  std::string log;
  for (const auto& entry : std::filesystem::directory_iterator(run.folder())) {
    if (entry.path().extension() == ".log") log = content_of(entry.path());
  }
  if (std::getenv("KERNLOOP_TEST_SOFTGPU") != nullptr) {
    EXPECT_NE(log.find("memory is compared and searched by the GPU"), std::string::npos) << log;
  }
}

TEST_F(SoftgpuQueueTest, MuchMemoryBesideADispatchThatOutlivesItsLimitIsNoObstacle) {
  run.select("^wait_for$");
  run.config["run_limit_ms"] = 300;
  ASSERT_EQ(record({"outlives", "pool"}, kNewTables), 0) << output;
  EXPECT_EQ(run.event("refused").value("code", ""), "RUN_LIMIT") << run.recorder->output();
}

class SoftgpuBatchTest : public SoftgpuQueueTest,
                         public ::testing::WithParamInterface<std::pair<const Environment*, const char*>> {};

// Four dispatches and barriers of both kinds with one doorbell: each is captured at its own place among them.
TEST_P(SoftgpuBatchTest, EachDispatchOfASubmissionIsCapturedInItsTurn) {
  const auto [tables, skip] = GetParam();
  for (uint64_t ordinal : {1, 2, 3, 4}) run.select("^append$", ordinal, "reachable", std::to_string(ordinal));
  ASSERT_EQ(record({"classic", "pool", skip}, *tables), 0) << output;
  const std::vector<uint32_t> all = {11, 22, 33, 44};
  for (size_t n = 1; n <= 4; ++n)
    expect_list(std::to_string(n), {all.begin(), all.begin() + n - 1}, {all.begin(), all.begin() + n});
  EXPECT_EQ(run.event("summary")["dispatches"], 4);
}

// 0: the submission is whole; 61: it goes around the end of the ring of 64.
INSTANTIATE_TEST_SUITE_P(Tables, SoftgpuBatchTest,
                         ::testing::Values(std::pair(&kOldTables, "0"), std::pair(&kOldWriter, "0"),
                                           std::pair(&kOldWriter, "61"), std::pair(&kNewTables, "0"),
                                           std::pair(&kNewTables, "61")));

// It belongs to the same submission as a captured dispatch, and reached the device after that.
TEST_F(SoftgpuQueueTest, WhatCameBehindACapturedDispatchIsWaitedForByTheNextCapture) {
  for (uint64_t ordinal : {1, 3}) run.select("^append$", ordinal, "reachable", std::to_string(ordinal));
  ASSERT_EQ(record({"behind", "pool"}, kNewTables), 0) << output;
  expect_list("1", {}, {11});
  expect_list("3", {11, 22}, {11, 22, 33});
}

TEST_F(SoftgpuQueueTest, ArgumentsInDeviceMemoryAreStoredByTheHostAndNoViolation) {
  run.select("^append$", 2);
  ASSERT_EQ(record({"arguments", "pool"}, kNewTables), 0) << output;
  EXPECT_TRUE(run.event("refused").is_null()) << run.event("refused");
  EXPECT_TRUE(run.event("scope_violation").is_null()) << run.event("scope_violation");
  expect_list("s", {11}, {11, 22});
}

class SoftgpuFullTest : public SoftgpuQueueTest, public ::testing::WithParamInterface<const Environment*> {};

TEST_P(SoftgpuFullTest, ADispatchThatIsDueInAFullQueueIsCaptured) {
  run.select("^append$", 70);
  ASSERT_EQ(record({"full", "pool"}, *GetParam()), 0) << output;
  EXPECT_TRUE(run.event("refused").is_null()) << run.event("refused");
  expect_list("s", {1, 2, 3, 4, 5}, {1, 2, 3, 4, 5});
}

INSTANTIATE_TEST_SUITE_P(Writers, SoftgpuFullTest, ::testing::Values(&kNewTables, &kOldWriter));

class SoftgpuAwaitedTest : public SoftgpuQueueTest,
                           public ::testing::WithParamInterface<std::pair<const Environment*, const char*>> {};

// Other queues and a copy would never become idle: they wait for the dispatch, or for the barrier behind it.
TEST_P(SoftgpuAwaitedTest, ADispatchIsCapturedThatTheDeviceAlreadyWaitsFor) {
  const auto [tables, by_barrier] = GetParam();
  // The dispatch in a cooperative queue is not seen.
  run.select("^append$", tables == &kCooperative ? 2 : 3);
  run.config["drain_limit_ms"] = 5000;
  ASSERT_EQ(record({"awaited", "pool", by_barrier}, *tables), 0) << output;
  EXPECT_TRUE(run.event("refused").is_null()) << run.event("refused");
  expect_list("s", {}, {11});
}

INSTANTIATE_TEST_SUITE_P(Tables, SoftgpuAwaitedTest,
                         ::testing::Values(std::pair(&kOldWriter, "0"), std::pair(&kOldWriter, "1"),
                                           std::pair(&kNewTables, "0"), std::pair(&kNewTables, "1"),
                                           std::pair(&kCooperative, "2"), std::pair(&kCooperative, "3")));

class SoftgpuReleasedTest : public SoftgpuQueueTest,
                            public ::testing::WithParamInterface<std::pair<int, const Environment*>> {};

// The program completes the signal by itself while the dispatch runs: its memory was no longer that dispatch's alone.
TEST_P(SoftgpuReleasedTest, ACaptureIsRefusedBesideWorkThatDidNotStayWaiting) {
  const auto [work, tables] = GetParam();
  run.select("^start_and_wait$", 1, "all");
  ASSERT_EQ(record({"released", "pool", std::to_string(work)}, *tables), 0) << output;
  EXPECT_TRUE(run.event("captured").is_null()) << "with a wrong post";
  EXPECT_EQ(refusal(), "QUEUE_WENT_ON") << run.recorder->output();
}

INSTANTIATE_TEST_SUITE_P(Work, SoftgpuReleasedTest,
                         ::testing::Values(std::pair(0, &kNewTables), std::pair(1, &kNewTables),
                                           std::pair(2, &kCooperative)),
                         [](const auto& info) {
                           const int work = info.param.first;
                           return work == 0 ? "queue" : work == 1 ? "copy" : "cooperative_queue";
                         });

class SoftgpuSharedTest : public SoftgpuQueueTest, public ::testing::WithParamInterface<const char*> {};

// Its signal is lower by one before it has begun.
TEST_P(SoftgpuSharedTest, ACopyThatSharesItsSignalIsWaitedFor) {
  if (*GetParam() == '1') run.select("^append$", 1, "reachable", "first");
  run.select("^start_and_wait$", 1, "all");
  run.config["drain_limit_ms"] = 1000;
  ASSERT_EQ(record({"mixed", "pool", GetParam()}, kNewTables), 0) << output;
  for (const Json& captured : run.events("captured")) EXPECT_EQ(captured["id"], "first") << "with the copy in its post";
  EXPECT_EQ(refusal(), "DRAIN_LIMIT") << run.recorder->output();
  EXPECT_EQ(run.events("captured").size(), *GetParam() == '1' ? 1u : 0u) << run.recorder->output();
}

INSTANTIATE_TEST_SUITE_P(With, SoftgpuSharedTest, ::testing::Values("0", "1", "2"), [](const auto& info) {
  return info.param[0] == '0' ? "a_dispatch" : info.param[0] == '1' ? "a_captured_dispatch" : "the_host";
});

TEST_F(SoftgpuQueueTest, CopiesWhoseSignalIsSetAgainWithoutAStoreAreOver) {
  run.select("^append$");
  run.config["drain_limit_ms"] = 1000;
  ASSERT_EQ(record({"rearmed", "pool"}, kNewTables), 0) << output;
  EXPECT_EQ(refusal(), "none");
  expect_list("s", {}, {11});
}

TEST_F(SoftgpuQueueTest, ALaunchWithinALockThatOtherWorkNeedsIsRefusedAndTheProgramGoesOn) {
  run.select("^append$");
  run.config["drain_limit_ms"] = 1000;
  ASSERT_EQ(record({"locked", "pool"}, kNewTables), 0) << output;
  EXPECT_TRUE(run.event("captured").is_null());
  EXPECT_EQ(refusal(), "DRAIN_LIMIT") << run.recorder->output();
  EXPECT_NE(run.event("refused").dump().find("launch outside of the lock"), std::string::npos) << run.event("refused");
}

class SoftgpuCrowdTest : public SoftgpuQueueTest, public ::testing::WithParamInterface<const Environment*> {};

TEST_P(SoftgpuCrowdTest, CapturesThatAreDueAtOnceBesideABusyQueueTakeTheirTurns) {
  run.select_several("^append$", Json::array({{1, 8}}), 8);
  ASSERT_EQ(record({"crowd", "pool"}, *GetParam()), 0) << output;
  EXPECT_EQ(run.events("captured").size(), 8u) << run.recorder->output();
  EXPECT_TRUE(run.event("refused").is_null()) << run.event("refused");
}

INSTANTIATE_TEST_SUITE_P(Writers, SoftgpuCrowdTest, ::testing::Values(&kNewTables, &kOldWriter));

TEST_F(SoftgpuQueueTest, MemoryThatTheRuntimeDidNotFreeIsStillCaptured) {
  run.select("^append$", 2);
  ASSERT_EQ(record({"classic", "kept"}, {{"KERNLOOP_SOFTGPU_HOSTILE", "failed-frees"}}), 0) << output;
  expect_list("s", {11}, {11, 22});
}

// ROCr 6.4 has one cooperative queue for each agent, deletes it at its end, and would delete it a second time with the
// queue that intercepts it.
TEST_F(SoftgpuQueueTest, ACooperativeQueueIsLeftAloneWhichIsTold) {
  run.select("^append$");
  ASSERT_EQ(record({"cooperative", "pool"}, kCooperative), 0) << output;
  EXPECT_EQ(note(), "QUEUE_NOT_INTERCEPTED");
  EXPECT_NE(run.event("note").value("text", "").find("cooperative"), std::string::npos) << run.event("note");
  EXPECT_TRUE(run.event("captured").is_null());
}

TEST_F(SoftgpuQueueTest, ACaptureWaitsForACooperativeQueueThatIsLeftAlone) {
  run.select("^append$");
  ASSERT_EQ(record({"beside", "pool"}, kCooperative), 0) << output;
  expect_list("s", {11}, {11, 22});
}

class SoftgpuLeftTest : public SoftgpuQueueTest, public ::testing::WithParamInterface<const char*> {};

// ROCr says so in the program's own output.
TEST_P(SoftgpuLeftTest, NoSignalOfOursIsLeftWhenTheRuntimeEnds) {
  run.config["mode"] = GetParam();
  if (run.config["mode"] == "capture") run.select("^append$", 2);
  ASSERT_EQ(record({"crowd", "pool"}, {{"KERNLOOP_SOFTGPU_LOG", "1"}}), 0) << output;
  EXPECT_NE(output.find("kernloop softgpu: gfx90a"), std::string::npos) << "the log is on: " << output;
  EXPECT_EQ(output.find("signals were left"), std::string::npos) << output;
}

INSTANTIATE_TEST_SUITE_P(Modes, SoftgpuLeftTest, ::testing::Values("profile", "capture"));

// Two dispatches in two queues, one behind the other. No thread of the host is between them.
TEST_F(SoftgpuQueueTest, AQueueThatWaitsForAnotherOneWaitsForNoThreadInAProfile) {
  run.config["mode"] = "profile";
  ASSERT_EQ(record({"relay", "pool"}, kNewTables), 0) << output;
  const Json summary = run.event("summary");
  ASSERT_EQ(summary["kernel_profile"].size(), 1u) << run.recorder->output();
  EXPECT_EQ(summary["kernel_profile"][0]["dispatches"], 2);
  EXPECT_EQ(note(), "none");
}

TEST_F(SoftgpuQueueTest, AProfileMeasuresDispatchesThatShareSignalsAndTellsOfOneItCannot) {
  run.config["mode"] = "profile";
  ASSERT_EQ(record({"shares", "pool"}, kNewTables), 0) << output;
  const Json summary = run.event("summary");
  ASSERT_EQ(summary["kernel_profile"].size(), 1u) << run.recorder->output();
  EXPECT_EQ(summary["kernel_profile"][0]["dispatches"], 6);
  EXPECT_EQ(note(), "NOT_MEASURED");
}

// Without a callback the error would be lost: the runtime ends the process by itself, and so it does under the agent.
TEST_F(SoftgpuQueueTest, AnErrorInAQueueWithoutCallbackEndsTheProcess) {
  run.select("^append$");
  EXPECT_EQ(record({"broken", "pool"}, kNewTables), 128 + SIGABRT) << output;
}

TEST_F(SoftgpuQueueTest, AQueueMadeByDescriptorIsIntercepted) {
  run.select("^append$", 3);
  ASSERT_EQ(record({"descriptor", "pool"}, kNewTables), 0) << output;
  expect_list("s", {11, 22}, {11, 22, 33});
  EXPECT_EQ(run.events("queue").size(), 2u);
  EXPECT_EQ(note(), "none");
}

TEST_F(SoftgpuQueueTest, AQueueInDeviceMemoryIsInHostMemoryWhichIsTold) {
  run.select("^append$", 3);
  ASSERT_EQ(record({"ring", "pool"}, kNewTables), 0) << output;
  expect_list("s", {11, 22}, {11, 22, 33});
  EXPECT_EQ(note(), "QUEUE_IN_HOST_MEMORY");
}

// ROCr's own variable, since ROCm 6.4.
TEST_F(SoftgpuQueueTest, QueuesThatAVariablePutsIntoDeviceMemoryAreInHostMemoryWhichIsToldOnce) {
  run.select("^append$", 3);
  Environment environment = kNewTables;
  environment["HSA_ALLOCATE_QUEUE_DEV_MEM"] = "1";
  ASSERT_EQ(record({"crowd", "pool"}, environment), 0) << output;
  std::vector<std::string> notes;
  for (const Json& event : run.events("note")) notes.push_back(event.value("code", ""));
  EXPECT_EQ(notes, std::vector<std::string>{"QUEUE_IN_HOST_MEMORY"}) << run.recorder->output();
}

TEST_F(SoftgpuQueueTest, WithoutItsSlotInTheTablesNoQueueIsSeenWhichTheSummaryTells) {
  run.select("^append$");
  ASSERT_EQ(record({"descriptor", "pool"}, kOldTables), 0) << output;
  const Json summary = run.event("summary");
  EXPECT_EQ(summary["processes"], 1);
  EXPECT_EQ(summary["queues"], 0);
  EXPECT_EQ(summary["dispatches"], 0);
  EXPECT_TRUE(run.event("captured").is_null());
}

TEST_F(SoftgpuQueueTest, MappedMemoryIsPartOfTheCapture) {
  run.select("^append$", 2);
  ASSERT_EQ(record({"classic", "mapped"}, kNewTables), 0) << output;
  expect_list("s", {11}, {11, 22});
  EXPECT_EQ(api, "hsa_amd_vmem_map");
}

// As between hipMemMap and hipMemSetAccess of another thread. A copy from there ends the process on some runtimes.
class SoftgpuSealedTest : public SoftgpuQueueTest, public ::testing::WithParamInterface<const char*> {};

TEST_P(SoftgpuSealedTest, MappedMemoryWithoutAccessIsLeftOut) {
  run.select("^append$", 2, GetParam());
  ASSERT_EQ(record({"classic", "sealed"}, kNewTables), 0) << output;
  expect_list("s", {11}, {11, 22});
  EXPECT_EQ(note(), "none");
}

INSTANTIATE_TEST_SUITE_P(Scopes, SoftgpuSealedTest, ::testing::Values("reachable", "all"));

TEST_F(SoftgpuQueueTest, AccessToMappedMemoryStaysWhileACaptureReadsIt) {
  run.select("^start_and_wait$", 1, "all");
  ASSERT_EQ(record({"seals", "mapped"}, kNewTables), 0) << output;
  expect_list("s", {}, {});
}

class SoftgpuOtherTest : public SoftgpuQueueTest {
 protected:
  static Environment other(const char* behaviour, Environment more = kNewTables) {
    more["HSA_TOOLS_LIB"] = std::string(KERNLOOP_TEST_OTHER_RUNTIME) + " " + KERNLOOP_TEST_AGENT;
    more["OTHER_RUNTIME"] = behaviour;
    return more;
  }
};

TEST_F(SoftgpuOtherTest, MemoryOfAnotherProcessIsRefusedAndItsExportTold) {
  run.select("^append$", 2);
  ASSERT_EQ(record({"classic", "attached"}, other("shared")), 0) << output;
  EXPECT_EQ(refusal(), "IPC_MEMORY");
  EXPECT_NE(run.event("refused").value("reason", "").find("hsa_amd_ipc_memory_attach"), std::string::npos);
  EXPECT_EQ(note(), "IPC_EXPORTED");
}

TEST_F(SoftgpuOtherTest, MemoryThatOtherDevicesGetIsTold) {
  run.select("^append$", 2);
  ASSERT_EQ(record({"classic", "handed_out"}, other("shared")), 0) << output;
  EXPECT_EQ(note(), "IPC_EXPORTED");
  EXPECT_NE(run.event("note").value("text", "").find("dmabuf"), std::string::npos) << run.event("note");
  expect_list("s", {11}, {11, 22});
}

TEST_F(SoftgpuOtherTest, MemoryOfAShareableHandleIsRefused) {
  run.select("^append$", 2);
  ASSERT_EQ(record({"classic", "imported"}, other("shared")), 0) << output;
  EXPECT_EQ(refusal(), "IPC_MEMORY");
  EXPECT_NE(run.event("refused").value("reason", "").find("hsa_amd_vmem_import_shareable_handle"), std::string::npos);
}

class SoftgpuHeldTest : public SoftgpuOtherTest,
                        public ::testing::WithParamInterface<std::pair<const char*, const char*>> {};

// No runtime at hand can clear or copy images on this GPU, or has files.
TEST_P(SoftgpuHeldTest, NothingWritesWhileACaptureReadsMemory) {
  const auto [what, reads_file] = GetParam();
  run.select("^start_and_wait$", 1, "all");
  ASSERT_EQ(record({"images", "pool", reads_file}, other(what)), 0) << output;
  auto reader = archive::Reader::open(run.output("s"), {});
  ASSERT_TRUE(reader.ok()) << reader.error().message << run.recorder->output();
  uint32_t found = 0;
  for (const archive::Region& region : (*reader)->manifest().regions) {
    const std::vector<uint32_t> pre = words(**reader, pre_of(region));
    if (pre.empty() || pre[0] != 0x1a6e5) continue;
    ++found;
    EXPECT_EQ(pre.size(), 1u);
    EXPECT_EQ(words(**reader, post_of(region)), pre);
  }
  EXPECT_EQ(found, 1u);
}

INSTANTIATE_TEST_SUITE_P(Calls, SoftgpuHeldTest, ::testing::Values(std::pair("images", "0"), std::pair("files", "1")),
                         [](const auto& info) { return std::string(info.param.first); });

TEST_F(SoftgpuOtherTest, MemoryOfAnotherGpuIsCapturedAndTold) {
  run.select("^append$", 2);
  ASSERT_EQ(record({"classic", "pool"}, other("peer")), 0) << output;
  EXPECT_EQ(note(), "PEER_MEMORY");
  expect_list("s", {11}, {11, 22});
}

TEST_F(SoftgpuOtherTest, ACaptureIsOfTheProcessorWhateverGenericTargetTheRuntimeNamesFirst) {
  run.select("^append$", 2);
  ASSERT_EQ(record({"classic", "pool"}, other("generic")), 0) << output;
  EXPECT_EQ(run.event("queue").value("isa", ""), "amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-") << run.event("queue");
}

TEST_F(SoftgpuOtherTest, AQueueOfTheRuntimesPoolIsReplacedByOneThatIsSeen) {
  run.select("^append$", 3);
  ASSERT_EQ(record({"counted", "pool"}, other("counted")), 0) << output;
  expect_list("s", {11, 22}, {11, 22, 33});
  EXPECT_EQ(note(), "none");
}

class RocprofilerTest : public SoftgpuQueueTest, public ::testing::WithParamInterface<bool> {
 protected:
  static Environment environment(Environment more = {}) {
    more["HSA_TOOLS_LIB"] = KERNLOOP_TEST_REGISTRAR;
    more["ROCP_TOOL_LIBRARIES"] = KERNLOOP_TEST_AGENT;
    more["KERNLOOP_SOFTGPU_API_TABLES"] = "2";
    return more;
  }
};

// The library that registers is found among the global symbols, or by its name.
TEST_P(RocprofilerTest, TheTablesThatItHandsOutAreEnough) {
  run.select("^append$", 2);
  const Environment more = GetParam() ? Environment{{"REGISTRAR_GLOBAL", "1"}} : Environment{};
  ASSERT_EQ(record({"descriptor", "pool"}, environment(more)), 0) << output;
  expect_list("s", {11}, {11, 22});
  EXPECT_EQ(run.event("summary")["processes"], 1);
}

INSTANTIATE_TEST_SUITE_P(Visibility, RocprofilerTest, ::testing::Bool());

TEST_F(RocprofilerTest, TablesThatComeTwiceAreHookedOnce) {
  run.select("^append$", 2);
  Environment both = environment();
  both["HSA_TOOLS_LIB"] += std::string(" ") + KERNLOOP_TEST_AGENT;
  ASSERT_EQ(record({"classic", "pool"}, both), 0) << output;
  expect_list("s", {11}, {11, 22});
  const Json summary = run.event("summary");
  EXPECT_EQ(summary["processes"], 1);
  EXPECT_EQ(summary["queues"], 1);
  EXPECT_EQ(summary["dispatches"], 4) << "none is counted twice";
}

TEST_F(RocprofilerTest, ARefusalIsToldAndTheProgramGoesOn) {
  run.select("^append$");
  ASSERT_EQ(record({"classic", "pool"}, environment({{"REGISTRAR_LOCKED", "1"}})), 0) << output;
  EXPECT_EQ(note(), "RUNTIME_UNSUPPORTED");
  EXPECT_NE(output.find("status 11"), std::string::npos) << output;
}

}  // namespace
}  // namespace kernloop::capture
