// The whole way: a CUDA program on the fake driver, the agent inside of it, the recorder beside it, and the resulting
// archive. The expected memory is computed here, from each program's stated computation.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
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
using Floats = std::vector<float>;

namespace fs = std::filesystem;

constexpr size_t kCount = 1000;  // elements, in most programs

Floats ramp(size_t count = kCount) {
  Floats values(count);
  for (size_t i = 0; i < count; ++i) values[i] = static_cast<float>(i);
  return values;
}
Floats each(Floats values, const std::function<float(float)>& change) {
  for (float& value : values) value = change(value);
  return values;
}
Floats saxpy_result() {
  return each(ramp(), [](float x) { return 3.0f * x; });
}

// With KERNLOOP_TEST_REAL_GPU=1 the programs use the machine's own driver.
bool on_real_gpu() {
  const char* wanted = std::getenv("KERNLOOP_TEST_REAL_GPU");
  return wanted != nullptr && std::string(wanted) == "1";
}

class CudaCaptureTest : public ::testing::Test {
 protected:
  std::unique_ptr<Program> start_app(std::vector<std::string> arguments, std::map<std::string, std::string> more = {}) {
    std::vector<std::string> command = {KERNLOOP_TEST_APP};
    command.insert(command.end(), arguments.begin(), arguments.end());
    return start(command, std::move(more));
  }
  std::unique_ptr<Program> start(const std::vector<std::string>& command, std::map<std::string, std::string> more) {
    std::map<std::string, std::string> environment = {{"CUDA_INJECTION64_PATH", KERNLOOP_TEST_AGENT},
                                                      {"KERNLOOP_RECORDER_SOCKET", run.socket()},
                                                      {"KERNLOOP_LOG_FILE", (run.folder() / "agent-%p.log").string()}};
    if (!on_real_gpu()) environment["LD_LIBRARY_PATH"] = KERNLOOP_TEST_FAKE_FOLDER;
    for (auto& [name, value] : more) environment[name] = value;
    return std::make_unique<Program>(Program::Options{command, environment, false});
  }
  // Runs the app to its end, then the recorder; returns the app's exit code. The app checks its own results.
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
    EXPECT_TRUE(reader.ok()) << (reader ? "" : reader.error().message) << run.recorder->output() << app_output;
    return reader ? std::move(*reader) : nullptr;
  }
  std::string refusal() {
    const Json event = run.event("refused");
    return event.is_null() ? "none: " + run.recorder->output() + app_output : event.value("code", "");
  }
  std::string note(const std::string& code) {
    for (const Json& event : run.events("note")) {
      if (event.value("code", "") == code) return event.value("text", "");
    }
    return "";
  }

  RecordedRun run{KERNLOOP_TEST_RECORDER};
  std::string app_output;
};

template <typename Value = float>
std::vector<Value> values_of(archive::Reader& reader, const archive::ContentView& content, size_t offset = 0,
                             size_t count = kCount) {
  auto bytes = reader.read_all(content, 1 << 26);
  std::vector<Value> values(count);
  if (!bytes || bytes->size() < offset + count * sizeof(Value)) {
    ADD_FAILURE() << "the content is not there";
    return values;
  }
  std::memcpy(values.data(), bytes->data() + offset, count * sizeof(Value));
  return values;
}

// The region that the 8 bytes at `offset` of the kernel arguments point into, and how far into it.
struct Place {
  const archive::Region* region = nullptr;
  size_t offset = 0;
};
Place at(const archive::Manifest& manifest, uint64_t address) {
  for (const archive::Region& region : manifest.regions) {
    if (address - region.base < region.size) return {&region, static_cast<size_t>(address - region.base)};
  }
  return {};
}
Place argument(const archive::Manifest& manifest, size_t offset) {
  uint64_t address = 0;
  if (manifest.kernarg.bytes.size() >= offset + 8) std::memcpy(&address, manifest.kernarg.bytes.data() + offset, 8);
  const Place place = at(manifest, address);
  EXPECT_NE(place.region, nullptr) << "the argument at " << offset << " leads to no captured region";
  return place;
}

std::string file_bytes(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

std::string code_of(archive::Reader& reader) {
  auto code = reader.read_code_object(reader.manifest().code_objects.at(0));
  return code ? std::string(code->begin(), code->end()) : code.error().message;
}

// float, const float*, float*, int
void expect_saxpy(archive::Reader& reader) {
  const archive::Manifest& manifest = reader.manifest();
  const Place x = argument(manifest, 8), y = argument(manifest, 16);
  ASSERT_TRUE(x.region != nullptr && y.region != nullptr);
  EXPECT_EQ(values_of(reader, pre_of(*x.region), x.offset), ramp());
  EXPECT_EQ(values_of(reader, post_of(*x.region), x.offset), ramp());
  EXPECT_EQ(values_of(reader, pre_of(*y.region), y.offset), ramp());
  EXPECT_EQ(values_of(reader, post_of(*y.region), y.offset), saxpy_result());
  EXPECT_EQ(manifest.geometry.grid_blocks, (std::array<uint32_t, 3>{8, 1, 1}));
  EXPECT_EQ(manifest.geometry.block_threads, (std::array<uint32_t, 3>{128, 1, 1}));
}

// float* alone matters: x[i] += 1
void expect_added(archive::Reader& reader, const std::string& api, archive::RegionClass memory_class,
                  size_t count = kCount) {
  const Place x = argument(reader.manifest(), 0);
  ASSERT_NE(x.region, nullptr);
  EXPECT_EQ(x.region->api, api);
  EXPECT_EQ(x.region->memory_class, memory_class);
  EXPECT_EQ(values_of(reader, pre_of(*x.region), x.offset, count), ramp(count));
  EXPECT_EQ(values_of(reader, post_of(*x.region), x.offset, count), each(ramp(count), [](float v) { return v + 1; }));
}

constexpr archive::RegionClass kDevice = archive::RegionClass::kDevice, kHost = archive::RegionClass::kHost;

TEST_F(CudaCaptureTest, TheCaptureHoldsMemoryBeforeAndAfterArgumentsGeometryAndCode) {
  run.select("^saxpy\\(");
  ASSERT_EQ(record({"saxpy"}), 0) << app_output;
  auto reader = open();
  ASSERT_TRUE(reader);
  expect_saxpy(*reader);
  const archive::Manifest& manifest = reader->manifest();
  EXPECT_EQ(manifest.kernel.symbol, "_Z5saxpyfPKfPfi");
  EXPECT_EQ(manifest.dispatch.ordinal, 1u);
  float a = 0;
  int n = 0;
  std::memcpy(&a, manifest.kernarg.bytes.data(), 4);
  std::memcpy(&n, manifest.kernarg.bytes.data() + 24, 4);
  EXPECT_EQ(a, 2.0f);
  EXPECT_EQ(n, 1000);
  EXPECT_TRUE(manifest.geometry.attributes.contains("stack_bytes"));
  ASSERT_EQ(manifest.code_objects.size(), 1u);
  EXPECT_EQ(code_of(*reader), file_bytes(std::string(KERNLOOP_TEST_CUBINS) + "/test_kernels.sm_90.cubin"));
  EXPECT_EQ(run.events("queue").size(), 1u);
  EXPECT_EQ(run.leftovers(), std::vector<std::string>());
}

TEST_F(CudaCaptureTest, TheProcessCanCountTheCapturesThatBegan) {
  run.select("^saxpy\\(");
  ASSERT_EQ(record({"saxpy"}, {{"CUDA_APP_CAPTURES", "1"}}), 0) << app_output;
  EXPECT_NE(app_output.find("captures begun: 1\n"), std::string::npos) << app_output;
}

TEST_F(CudaCaptureTest, ALaunchIntoAGraphCountsAmongThem) {
  run.select("^add_in_place\\(", 2);
  ASSERT_EQ(record({"stream-capture"}, {{"CUDA_APP_CAPTURES", "1"}}), 0) << app_output;
  EXPECT_NE(app_output.find("captures begun: 3\n"), std::string::npos) << app_output;  // two nodes, and one of them
}

TEST_F(CudaCaptureTest, ALaunchThatNobodyWantsIsNoCaptureThatBegan) {
  run.select("^batched\\(");
  record({"saxpy"}, {{"CUDA_APP_CAPTURES", "1"}});
  EXPECT_NE(app_output.find("captures begun: 0\n"), std::string::npos) << app_output;
}

TEST_F(CudaCaptureTest, TablesOfPointersAreFollowed) {
  run.select("^batched\\(");
  ASSERT_EQ(record({"batched"}), 0) << app_output;
  auto reader = open();
  ASSERT_TRUE(reader);
  const archive::Manifest& manifest = reader->manifest();
  EXPECT_EQ(manifest.regions.size(), 18u);
  const Place in = argument(manifest, 0), out = argument(manifest, 8);
  const auto inputs = values_of<uint64_t>(*reader, pre_of(*in.region), in.offset, 8);
  const auto outputs = values_of<uint64_t>(*reader, pre_of(*out.region), out.offset, 8);
  for (size_t i = 0; i < 8; ++i) {
    const Place from = at(manifest, inputs[i]), to = at(manifest, outputs[i]);
    ASSERT_TRUE(from.region != nullptr && to.region != nullptr) << i;
    const auto value = static_cast<float>(i);
    EXPECT_EQ(values_of(*reader, pre_of(*from.region), from.offset), Floats(kCount, value));
    EXPECT_EQ(values_of(*reader, pre_of(*to.region), to.offset), Floats(kCount, -1.0f));
    EXPECT_EQ(values_of(*reader, post_of(*to.region), to.offset), Floats(kCount, 2 * value));
  }
}

TEST_F(CudaCaptureTest, ModuleVariablesComeByNameWithTheirValuesAtTheDispatch) {
  run.select("^scale_and_bias\\(");
  run.select("^count_launches\\(", 2, "reachable", "count");
  ASSERT_EQ(record({"globals"}), 0) << app_output;
  auto reader = open();
  ASSERT_TRUE(reader);
  std::map<std::string, const archive::ModuleVariable*> variables;
  for (const auto& variable : reader->manifest().module_variables) variables[variable.name] = &variable;
  ASSERT_TRUE(variables.contains("kScale") && variables.contains("gBias"));
  EXPECT_EQ(values_of(*reader, pre_of(*variables["kScale"]), 0, 4), (Floats{1, 2, 3, 4}));
  EXPECT_EQ(values_of(*reader, pre_of(*variables["gBias"]), 0, 256), ramp(256));
  // The app requested the addresses of these two, and not that of the third.
  EXPECT_EQ(variables["kScale"]->address_told, true);
  EXPECT_EQ(variables["gBias"]->address_told, true);
  auto counted = open("count");
  ASSERT_TRUE(counted);
  for (const auto& variable : counted->manifest().module_variables) {
    if (variable.name != "gLaunches") continue;
    EXPECT_EQ(variable.address_told, false);
    EXPECT_EQ(values_of<uint32_t>(*counted, pre_of(variable), 0, 1)[0], 1u);
    EXPECT_EQ(values_of<uint32_t>(*counted, post_of(variable), 0, 1)[0], 2u);
  }
}

TEST_F(CudaCaptureTest, AKernelOfALibraryIsCapturedAtItsFirstLaunchWhichLoadsItsModule) {
  run.select("^saxpy\\(");
  ASSERT_EQ(record({"lazy"}), 0) << app_output;
  auto reader = open();
  ASSERT_TRUE(reader);
  expect_saxpy(*reader);
  EXPECT_EQ(reader->manifest().dispatch.ordinal, 1u);
}

TEST_F(CudaCaptureTest, AKernelThatWasFoundByEnumerationIsCaptured) {
  run.select("^saxpy\\(");
  ASSERT_EQ(record({"enumerated"}), 0) << app_output;
  auto reader = open();
  ASSERT_TRUE(reader);
  expect_saxpy(*reader);
}

TEST_F(CudaCaptureTest, PoolMemoryIsTracked) {
  run.select("^add_in_place\\(", 2);
  ASSERT_EQ(record({"async-pool"}), 0) << app_output;
  auto reader = open();
  ASSERT_TRUE(reader);
  expect_added(*reader, "cuMemAllocAsync", kDevice);
  EXPECT_EQ(reader->manifest().scope.tracked_regions, 1u) << "the first round's was freed";
}

TEST_F(CudaCaptureTest, PiecesThatAreMappedSideBySideAreOneRegion) {
  run.select("^saxpy\\(", 2);
  ASSERT_EQ(record({"vmm"}), 0) << app_output;
  auto reader = open();
  ASSERT_TRUE(reader);
  expect_saxpy(*reader);
  ASSERT_EQ(reader->manifest().regions.size(), 1u);
  EXPECT_EQ(reader->manifest().regions[0].size, 6u << 20);
  EXPECT_EQ(reader->manifest().regions[0].api, "cuMemMap");
}

TEST_F(CudaCaptureTest, ManagedMemoryIsOfTheHostsClass) {
  run.select("^add_in_place\\(");
  ASSERT_EQ(record({"managed"}), 0) << app_output;
  auto reader = open();
  ASSERT_TRUE(reader);
  expect_added(*reader, "cuMemAllocManaged", kHost);
}

TEST_F(CudaCaptureTest, PinnedMemoryIsOfTheHostsClass) {
  run.select("^add_in_place\\(");
  ASSERT_EQ(record({"pinned"}), 0) << app_output;
  auto reader = open();
  ASSERT_TRUE(reader);
  expect_added(*reader, "cuMemHostAlloc", kHost);
}

TEST_F(CudaCaptureTest, RegisteredMemoryIsOfTheHostsClass) {
  run.select("^add_in_place\\(");
  ASSERT_EQ(record({"registered-host"}), 0) << app_output;
  auto reader = open();
  ASSERT_TRUE(reader);
  expect_added(*reader, "cuMemHostRegister", kHost, 8 * kCount);
}

TEST_F(CudaCaptureTest, MemoryOfAnotherProcessIsRefused) {
  run.select("^add_in_place\\(");
  ASSERT_EQ(record({"ipc"}), 0) << app_output;
  EXPECT_EQ(refusal(), "IPC_MEMORY");
  EXPECT_FALSE(fs::exists(run.output()));
}

TEST_F(CudaCaptureTest, MemoryOfAShareableHandleIsRefusedAndItsExportSaid) {
  run.select("^add_in_place\\(");
  ASSERT_EQ(record({"shared-handle"}), 0) << app_output;
  EXPECT_EQ(refusal(), "IPC_MEMORY");
  EXPECT_NE(run.event("refused").value("reason", "").find("cuMemImportFromShareableHandle"), std::string::npos);
  EXPECT_NE(note("IPC_EXPORTED").find("cuMemExportToShareableHandle"), std::string::npos) << run.recorder->output();
}

// The captured code is the code that runs: the driver's cubin, not the PTX.
TEST_F(CudaCaptureTest, TheCodeOfPtxIsWhatTheDriverMadeOfIt) {
  const std::string compiled = std::string(KERNLOOP_TEST_CUBINS) + "/test_kernels.sm_90.cubin";
  run.select("^saxpy\\(");
  ASSERT_EQ(record({"jit-ptx"}, {{"KERNLOOP_FAKE_CUDA_JIT", compiled}}), 0) << app_output;
  auto reader = open();
  ASSERT_TRUE(reader);
  expect_saxpy(*reader);
  if (on_real_gpu()) {
    EXPECT_EQ(code_of(*reader).substr(1, 3), "ELF");
  } else {
    EXPECT_EQ(code_of(*reader), file_bytes(compiled));
  }
}

TEST_F(CudaCaptureTest, AnAddressInATensorMapIsFollowed) {
  run.select("^read_tensor\\(");
  ASSERT_EQ(record({"tensormap"}), 0) << app_output;
  auto reader = open();
  ASSERT_TRUE(reader);
  bool seen = false;
  for (const archive::Region& region : reader->manifest().regions) {
    if (region.size >= 4096 && values_of(*reader, pre_of(region), 0, 1024) == ramp(1024)) seen = true;
  }
  EXPECT_TRUE(seen) << "the tensor itself";
}

TEST_F(CudaCaptureTest, AnAddressInATensorMapInMemoryIsFollowed) {
  run.select("^do_nothing\\(");
  ASSERT_EQ(record({"tensormap-in-memory"}), 0) << app_output;
  auto reader = open();
  ASSERT_TRUE(reader);
  ASSERT_EQ(reader->manifest().regions.size(), 2u);
  const bool is_first = reader->manifest().regions[0].size == 4096;
  const archive::Region& tensor = reader->manifest().regions[is_first ? 0 : 1];
  EXPECT_EQ(tensor.size, 4096u);
  EXPECT_EQ(values_of(*reader, pre_of(tensor), 0, 1024), ramp(1024));
}

TEST_F(CudaCaptureTest, LargeParametersArriveWhole) {
  run.select("^large_parameters\\(");
  ASSERT_EQ(record({"large-parameters"}), 0) << app_output;
  auto reader = open();
  ASSERT_TRUE(reader);
  const auto& kernarg = reader->manifest().kernarg.bytes;
  ASSERT_GT(kernarg.size(), 6144u);
  Floats table(1536);
  std::memcpy(table.data(), kernarg.data(), 6144);
  EXPECT_EQ(table, ramp(1536));
}

TEST_F(CudaCaptureTest, LaunchAttributesAreKept) {
  run.select("^cluster_size\\(");
  ASSERT_EQ(record({"cluster"}), 0) << app_output;
  auto reader = open();
  ASSERT_TRUE(reader);
  const auto& attributes = reader->manifest().geometry.attributes;
  ASSERT_TRUE(attributes.contains("cluster_blocks_x"));
  EXPECT_EQ(attributes.at("cluster_blocks_x"), 2u);
  EXPECT_FALSE(attributes.contains("cooperative"));
}

// Recorded as if set on the launch: a launch without them computes something else.
TEST_F(CudaCaptureTest, ClustersThatTheFunctionRequiresAreKept) {
  run.select("^cluster_size\\(");
  ASSERT_EQ(record({"function-cluster"}), 0) << app_output;
  auto reader = open();
  ASSERT_TRUE(reader);
  const auto& attributes = reader->manifest().geometry.attributes;
  ASSERT_TRUE(attributes.contains("required_cluster_blocks_x"));
  EXPECT_EQ(attributes.at("required_cluster_blocks_x"), 16u);
  EXPECT_EQ(attributes.at("required_cluster_blocks_y"), 1u);
  EXPECT_EQ(attributes.at("required_cluster_blocks_z"), 1u);
  EXPECT_EQ(attributes.at("non_portable_cluster"), 1u);
  EXPECT_FALSE(attributes.contains("cluster_blocks_x")) << "the launch did not say it";
}

TEST_F(CudaCaptureTest, ClustersThatALibrarysKernelRequiresAreKept) {
  run.select("^cluster_size\\(");
  ASSERT_EQ(record({"kernel-cluster"}), 0) << app_output;
  auto reader = open();
  ASSERT_TRUE(reader);
  const auto& attributes = reader->manifest().geometry.attributes;
  ASSERT_TRUE(attributes.contains("required_cluster_blocks_x"));
  EXPECT_EQ(attributes.at("required_cluster_blocks_x"), 2u);
}

TEST_F(CudaCaptureTest, ACooperativeLaunchIsKeptAsOne) {
  run.select("^add_in_place\\(");
  ASSERT_EQ(record({"cooperative"}), 0) << app_output;
  auto reader = open();
  ASSERT_TRUE(reader);
  EXPECT_EQ(reader->manifest().geometry.attributes.at("cooperative"), 1u);
}

TEST_F(CudaCaptureTest, ALaunchThatMayOverlapTheOneBeforeIsCapturedAloneAndSaidToBe) {
  run.select("^add_in_place\\(");
  ASSERT_EQ(record({"programmatic"}), 0) << app_output;
  auto reader = open();
  ASSERT_TRUE(reader);
  EXPECT_EQ(reader->manifest().geometry.attributes.at("programmatic_launch"), 1u);
  EXPECT_NE(note("PROGRAMMATIC_LAUNCH").find("add_in_place"), std::string::npos) << run.recorder->output();
}

TEST_F(CudaCaptureTest, ALaunchInTheThreadsOwnStreamIsCaptured) {
  run.select("^add_in_place\\(");
  ASSERT_EQ(record({"per-thread-stream"}), 0) << app_output;
  auto reader = open();
  ASSERT_TRUE(reader);
  expect_added(*reader, "cuMemAlloc", kDevice);
}

TEST_F(CudaCaptureTest, WhatPointersInMemoryLeadToIsCapturedBeforeAndAfter) {
  run.select("^write_through_memory\\(");
  ASSERT_EQ(record({"write-through-memory"}), 0) << app_output;
  auto reader = open();
  ASSERT_TRUE(reader);
  const Place holder = argument(reader->manifest(), 0);
  ASSERT_NE(holder.region, nullptr);
  const uint64_t address = values_of<uint64_t>(*reader, pre_of(*holder.region), holder.offset, 1)[0];
  const Place target = at(reader->manifest(), address);
  ASSERT_NE(target.region, nullptr);
  EXPECT_EQ(values_of(*reader, pre_of(*target.region), target.offset, 1)[0], 0.0f);
  EXPECT_EQ(values_of(*reader, post_of(*target.region), target.offset, 1)[0], 7.0f);
}

TEST_F(CudaCaptureTest, AKernelThatChangesNothingLeavesPostAsPre) {
  run.select("^do_nothing\\(");
  ASSERT_EQ(record({"do-nothing"}), 0) << app_output;
  auto reader = open();
  ASSERT_TRUE(reader);
  for (const archive::Region& region : reader->manifest().regions) EXPECT_TRUE(region.pre == region.post);
}

TEST_F(CudaCaptureTest, SeveralProcessesAtOnceGiveOneCapture) {
  run.select("^saxpy\\(");
  ASSERT_TRUE(run.start());
  std::vector<std::unique_ptr<Program>> apps;
  for (int i = 0; i < 3; ++i) apps.push_back(start_app({"saxpy"}));
  for (auto& app : apps) EXPECT_EQ(app->wait(), 0) << app->output();
  EXPECT_EQ(run.finish(), 0);
  EXPECT_EQ(run.event("summary").value("processes", 0), 3);
  EXPECT_EQ(run.events("captured").size(), 1u);
  EXPECT_EQ(run.events("refused").size(), 0u) << run.recorder->output();
  EXPECT_TRUE(open());
}

TEST_F(CudaCaptureTest, AByteBudgetRefusesBeforeAnythingIsCopied) {
  run.select("^saxpy\\(");
  run.config["selections"][0]["byte_budget"] = 100;
  ASSERT_EQ(record({"saxpy"}), 0) << app_output;
  EXPECT_EQ(refusal(), "BYTE_BUDGET");
}

TEST_F(CudaCaptureTest, TwoSelectionsOfOneDispatchAreAConflictThatIsNamed) {
  run.select("^saxpy\\(", 1, "reachable", "first");
  run.select("saxpy", 1, "reachable", "second");
  ASSERT_EQ(record({"saxpy"}), 0) << app_output;
  EXPECT_EQ(refusal(), "SELECTION_CONFLICT");
  EXPECT_TRUE(open("first"));
}

TEST_F(CudaCaptureTest, AProgramWithoutADeviceIsToldFromOneWithoutKernels) {
  run.select("^saxpy\\(");
  record({"saxpy"}, {{"KERNLOOP_FAKE_CUDA_DEVICES", "0"}});
  EXPECT_EQ(run.event("summary").value("queues", -1), 0) << run.recorder->output();
  EXPECT_EQ(run.event("summary").value("dispatches", -1), 0);
}

TEST_F(CudaCaptureTest, OfTwoModulesWithOneKernelNameTheRightCodeIsTaken) {
  run.select("^saxpy\\(", 1, "reachable", "right");
  run.select("^saxpy\\(", 2, "reachable", "wrong");
  ASSERT_EQ(record({"same-name-two-modules"}), 0) << app_output;
  for (const auto& [id, name] : {std::pair{"right", "test_kernels"}, {"wrong", "one_ulp_wrong"}}) {
    auto reader = open(id);
    ASSERT_TRUE(reader);
    EXPECT_EQ(code_of(*reader), file_bytes(std::string(KERNLOOP_TEST_CUBINS) + "/" + name + ".sm_90.cubin")) << id;
  }
}

TEST_F(CudaCaptureTest, OfTwoLibrariesWithOneKernelNameTheRightCodeIsTaken) {
  run.select("^saxpy\\(", 1, "reachable", "right");
  run.select("^saxpy\\(", 2, "reachable", "wrong");
  ASSERT_EQ(record({"same-name-two-libraries"}), 0) << app_output;
  for (const auto& [id, name] : {std::pair{"right", "test_kernels"}, {"wrong", "one_ulp_wrong"}}) {
    auto reader = open(id);
    ASSERT_TRUE(reader);
    EXPECT_EQ(code_of(*reader), file_bytes(std::string(KERNLOOP_TEST_CUBINS) + "/" + name + ".sm_90.cubin")) << id;
  }
}

TEST_F(CudaCaptureTest, CodeThatCannotBeToldIsRefusedAndNotGuessed) {
  run.select("^saxpy\\(");
  ASSERT_EQ(record({"unknown-code"}), 0) << app_output;
  EXPECT_EQ(refusal(), "AMBIGUOUS_CODE_OBJECT");
}

TEST_F(CudaCaptureTest, CodeThatALaunchLoadedIsKnownAsLongAsLaunchesAreSeen) {
  run.select("^saxpy\\(");
  ASSERT_EQ(record({"unknown-code", "10"}), 0) << app_output;
  auto reader = open();
  ASSERT_TRUE(reader);
  EXPECT_EQ(code_of(*reader), file_bytes(std::string(KERNLOOP_TEST_CUBINS) + "/one_ulp_wrong.sm_90.cubin"));
}

TEST_F(CudaCaptureTest, ArgumentsInOneBufferAreTaken) {
  run.select("^saxpy\\(");
  ASSERT_EQ(record({"argument-buffer"}), 0) << app_output;
  auto reader = open();
  ASSERT_TRUE(reader);
  expect_saxpy(*reader);
}

TEST_F(CudaCaptureTest, AnAddressOfTheKernelsOwnModulesVariableIsOfTheCapture) {
  run.select("^add_in_place\\(");
  ASSERT_EQ(record({"variable-pointer"}), 0) << app_output;
  auto reader = open();
  ASSERT_TRUE(reader);
  uint64_t address = 0;
  std::memcpy(&address, reader->manifest().kernarg.bytes.data(), 8);
  bool seen = false;
  for (const archive::ModuleVariable& variable : reader->manifest().module_variables) {
    if (variable.address != address) continue;
    seen = true;
    EXPECT_EQ(variable.name, "gBias");
    EXPECT_EQ(values_of(*reader, post_of(variable), 0, 256), Floats(256, 1.0f));
  }
  EXPECT_TRUE(seen);
}

TEST_F(CudaCaptureTest, AVariableOfAnotherModuleIsCapturedAsMemory) {
  run.select("^add_in_place\\(");
  ASSERT_EQ(record({"variable-pointer", "1"}), 0) << app_output;
  auto reader = open();
  ASSERT_TRUE(reader);
  const Place x = argument(reader->manifest(), 0);
  ASSERT_NE(x.region, nullptr);
  EXPECT_EQ(x.region->api, "cuModuleGetGlobal");
  EXPECT_EQ(x.region->size, 256 * sizeof(float));
  EXPECT_EQ(values_of(*reader, pre_of(*x.region), x.offset, 256), Floats(256, 0.0f));
  EXPECT_EQ(values_of(*reader, post_of(*x.region), x.offset, 256), Floats(256, 1.0f));
  EXPECT_EQ(note("UNTRACKED_MEMORY"), "");
}

TEST_F(CudaCaptureTest, AVariableOfAnotherModuleInAnUnusedPartOfAStructureIsCapturedToo) {
  run.select("^large_parameters\\(");
  ASSERT_EQ(record({"untracked", "1"}), 0) << app_output;
  auto reader = open();
  ASSERT_TRUE(reader);
  EXPECT_EQ(argument(reader->manifest(), 1200 * sizeof(float)).region->api, "cuModuleGetGlobal");
}

TEST_F(CudaCaptureTest, AnAddressThatNobodyWasSeenToAllocateIsCapturedAroundWithAWarning) {
  run.select("^large_parameters\\(");
  ASSERT_EQ(record({"untracked"}), 0) << app_output;
  auto reader = open();
  ASSERT_TRUE(reader);
  EXPECT_EQ(reader->manifest().regions.size(), 1u);  // its output
  for (const char* part : {"_Z16large_parameters", "offset 4800", "0x", "self-check"})
    EXPECT_NE(note("UNTRACKED_MEMORY").find(part), std::string::npos) << note("UNTRACKED_MEMORY");
}

TEST_F(CudaCaptureTest, OnRequestItIsRefusedWithTheAddress) {
  run.select("^large_parameters\\(");
  ASSERT_EQ(record({"untracked"}, {{"KERNLOOP_UNTRACKED_MEMORY", "refuse"}}), 0) << app_output;
  EXPECT_EQ(refusal(), "UNTRACKED_MEMORY");
  EXPECT_NE(run.event("refused").value("reason", "").find("0x"), std::string::npos);
  EXPECT_FALSE(fs::exists(run.output()));
}

// The other thread's memory does not change within a round: it is at 0 or 2 before and after; so are its calls.
TEST_F(CudaCaptureTest, OtherThreadsAndStreamsAreHeldAndGoOnAfterwards) {
  const std::map<uint64_t, std::string> captures = {{1, "first"}, {4, "fourth"}, {8, "eighth"}};
  for (const auto& [ordinal, id] : captures) run.select("^saxpy\\(", ordinal, "all", id);
  ASSERT_EQ(record({"threads"}), 0) << app_output;
  for (const auto& [ordinal, id] : captures) {
    auto reader = open(id);
    ASSERT_TRUE(reader);
    ASSERT_EQ(reader->manifest().regions.size(), 3u);
    const Place x = argument(reader->manifest(), 8), y = argument(reader->manifest(), 16);
    for (const archive::Region& region : reader->manifest().regions) {
      const Floats pre = values_of(*reader, pre_of(region)), post = values_of(*reader, post_of(region));
      if (&region == y.region) {
        EXPECT_EQ(pre[1], 1.0f + 2.0f * static_cast<float>(ordinal - 1));
        EXPECT_EQ(post[1], 1.0f + 2.0f * static_cast<float>(ordinal));
      } else {
        EXPECT_EQ(pre, post);
      }
      if (&region == x.region || &region == y.region) continue;
      EXPECT_TRUE(pre == Floats(kCount, 0.0f) || pre == Floats(kCount, 1.0f) || pre == Floats(kCount, 2.0f)) << pre[0];
    }
  }
}

TEST_F(CudaCaptureTest, WhileAnotherStreamIsCapturedIntoAGraphTheNextDispatchIsTaken) {
  run.select("^add_in_place\\(");
  ASSERT_EQ(record({"capture-beside"}), 0) << app_output;
  auto reader = open();
  ASSERT_TRUE(reader);
  EXPECT_EQ(reader->manifest().dispatch.ordinal, 2u);
  EXPECT_NE(note("CAPTURE_DEFERRED"), "") << run.recorder->output();
}

// Between a look at the streams and the hold, another thread may begin to capture one: then nothing may synchronise.
TEST_F(CudaCaptureTest, ACaptureOfAStreamThatBeginsMeanwhileStaysValid) {
  run.select_several("^add_in_place\\(", {{1, nullptr}}, 20, "many");
  ASSERT_EQ(record({"captures-meanwhile", "20"}, {{"KERNLOOP_FAKE_CUDA_BEGIN_CAPTURE_US", "300"}}), 0) << app_output;
  for (const Json& event : run.events("refused")) EXPECT_EQ(event.value("code", ""), "CAPTURE_DEFERRED") << event;
}

TEST_F(CudaCaptureTest, NorDoesTheEndOfTheLastCaptureDisturbOne) {
  run.select("^add_in_place\\(", 3);
  ASSERT_EQ(record({"captures-meanwhile", "200"}, {{"KERNLOOP_FAKE_CUDA_BEGIN_CAPTURE_US", "300"}}), 0) << app_output;
}

TEST_F(CudaCaptureTest, WithoutANextDispatchItIsSaidWhyThereIsNoCapture) {
  run.select("^add_in_place\\(");
  ASSERT_EQ(record({"capture-beside", "0"}), 0) << app_output;
  EXPECT_FALSE(fs::exists(run.output()));
  EXPECT_NE(note("CAPTURE_DEFERRED"), "") << run.recorder->output();
}

TEST_F(CudaCaptureTest, AModuleThatWasLoadedAgainIsFound) {
  run.select("^saxpy\\(", 2);
  ASSERT_EQ(record({"reload"}), 0) << app_output;
  auto reader = open();
  ASSERT_TRUE(reader);
  expect_saxpy(*reader);
}

TEST_F(CudaCaptureTest, AContextThatIsGoneIsNotWaitedForNorIsItsMemoryTracked) {
  run.select("^saxpy\\(", 3);
  ASSERT_EQ(record({"two-contexts"}), 0) << app_output;
  auto reader = open();
  ASSERT_TRUE(reader);
  expect_saxpy(*reader);
  EXPECT_EQ(reader->manifest().scope.tracked_regions, 4u);
}

TEST_F(CudaCaptureTest, ADispatchOnTheSecondDeviceIsCapturedThere) {
  run.select("^saxpy\\(", 2);
  ASSERT_EQ(record({"two-devices"}, {{"KERNLOOP_FAKE_CUDA_DEVICES", "2"}}), 0) << app_output;
  auto reader = open();
  ASSERT_TRUE(reader);
  expect_saxpy(*reader);
  EXPECT_EQ(reader->manifest().geometry.attributes.at("device_ordinal"), 1u);
  EXPECT_EQ(run.events("queue").size(), 2u);
}

// Memory of a node, before and after it.
void expect_node(archive::Reader& reader, uint64_t ordinal, float x, float y_before) {
  const archive::Manifest& manifest = reader.manifest();
  EXPECT_EQ(manifest.dispatch.ordinal, ordinal);
  EXPECT_EQ(manifest.geometry.attributes.at("graph_node"), 1u);
  const Place from = argument(manifest, 8), to = argument(manifest, 16);
  ASSERT_TRUE(from.region != nullptr && to.region != nullptr);
  EXPECT_EQ(values_of(reader, pre_of(*from.region), from.offset), Floats(kCount, x)) << ordinal;
  EXPECT_EQ(values_of(reader, post_of(*from.region), from.offset), Floats(kCount, x)) << ordinal;
  EXPECT_EQ(values_of(reader, pre_of(*to.region), to.offset), Floats(kCount, y_before)) << ordinal;
  EXPECT_EQ(values_of(reader, post_of(*to.region), to.offset), Floats(kCount, y_before + 2 * x)) << ordinal;
}

// Four launches of two such nodes each (x and y before), whose graph gets other parameters from launch to launch. The
// program itself checks that it computes the same as without the agent.
constexpr float kNodes[][2] = {{2, 0}, {1, 0}, {7, 4}, {2, 2}, {11, 18}, {3, 6}, {11, 40}, {3, 12}};

class GraphNodeTest : public CudaCaptureTest, public ::testing::WithParamInterface<uint64_t> {};

TEST_P(GraphNodeTest, IsCapturedWithWhatTheGraphHasBeenGivenSince) {
  run.select("^saxpy\\(", GetParam());
  ASSERT_EQ(record({"graph-branches"}), 0) << app_output;
  auto reader = open();
  ASSERT_TRUE(reader);
  expect_node(*reader, GetParam(), kNodes[GetParam() - 1][0], kNodes[GetParam() - 1][1]);
}
INSTANTIATE_TEST_SUITE_P(Ordinals, GraphNodeTest, ::testing::Values(1, 4, 5, 7));

TEST_F(CudaCaptureTest, NodesOfOneLaunchAreCapturedOneAfterTheOther) {
  run.select_several("^saxpy\\(", {{1, nullptr}}, 20, "many");
  ASSERT_EQ(record({"graph-branches"}), 0) << app_output;
  for (uint64_t ordinal = 1; ordinal <= 8; ++ordinal) {
    auto reader = archive::Reader::open(run.outputs("many") / std::to_string(ordinal), {});
    ASSERT_TRUE(reader.ok()) << ordinal << run.recorder->output();
    expect_node(**reader, ordinal, kNodes[ordinal - 1][0], kNodes[ordinal - 1][1]);
  }
  EXPECT_EQ(run.events("refused").size(), 0u) << run.recorder->output();
}

TEST_F(CudaCaptureTest, NodesCountAsDispatchesLaunchByLaunch) {
  run.select("^nothing_of_that_name\\(");
  run.select("^add_in_place\\(", 17, "reachable", "beyond");
  ASSERT_EQ(record({"graph-branches"}), 0) << app_output;
  // Four launches of four, in the last of which one was disabled.
  const Json process = run.event("summary")["per_process"][0];
  std::map<std::string, int> dispatches;
  for (const Json& kernel : process["kernels"]) dispatches[kernel["symbol"]] = kernel["dispatches"];
  EXPECT_EQ(dispatches, (std::map<std::string, int>{{"_Z12add_in_placePffi", 15}, {"_Z5saxpyfPKfPfi", 8}})) << process;
}

TEST_F(CudaCaptureTest, ANodeOfAGraphThatWasDestroyedIsCaptured) {
  run.select("^saxpy\\(", 2);
  ASSERT_EQ(record({"graph-destroyed"}), 0) << app_output;
  auto reader = open();
  ASSERT_TRUE(reader);
  const archive::Manifest& manifest = reader->manifest();
  EXPECT_EQ(manifest.dispatch.ordinal, 2u);
  EXPECT_EQ(manifest.dispatch.index, 4u);
  const Place x = argument(manifest, 8), y = argument(manifest, 16);
  EXPECT_EQ(values_of(*reader, pre_of(*x.region), x.offset), each(ramp(), [](float v) { return v + 3; }));
  EXPECT_EQ(values_of(*reader, pre_of(*y.region), y.offset), each(ramp(), [](float v) { return 3 * v + 2; }));
  EXPECT_EQ(values_of(*reader, post_of(*y.region), y.offset), each(ramp(), [](float v) { return 5 * v + 8; }));
}

TEST_F(CudaCaptureTest, ANodeInAChildGraphIsPutOffAndTheNextDispatchIsTaken) {
  run.select("^add_in_place\\(", 2);
  ASSERT_EQ(record({"graph-child"}), 0) << app_output;
  auto reader = open();
  ASSERT_TRUE(reader);
  EXPECT_EQ(reader->manifest().dispatch.ordinal, 3u);  // y += 3, child, x += 4, plain
  EXPECT_NE(note("GRAPH_LAUNCH").find("child graph"), std::string::npos) << run.recorder->output();
}

TEST_F(CudaCaptureTest, AChildGraphIsAPartLikeAnyOther) {
  run.select("^add_in_place\\(", 3);
  ASSERT_EQ(record({"graph-child"}), 0) << app_output;
  auto reader = open();
  ASSERT_TRUE(reader);
  const Place x = argument(reader->manifest(), 0);
  EXPECT_EQ(values_of(*reader, pre_of(*x.region), x.offset), each(ramp(), [](float v) { return v + 2; }));
  EXPECT_EQ(values_of(*reader, post_of(*x.region), x.offset), each(ramp(), [](float v) { return v + 6; }));
}

TEST_F(CudaCaptureTest, AChangeThatIsNotFollowedIsSaidByName) {
  run.select("^add_in_place\\(");
  ASSERT_EQ(record({"graph-child-changed"}), 0) << app_output;
  EXPECT_FALSE(fs::exists(run.output()));
  for (const char* part : {"add_in_place", "cuGraphExecChildGraphNodeSetParams"})
    EXPECT_NE(note("GRAPH_LAUNCH").find(part), std::string::npos) << run.recorder->output();
}

TEST_F(CudaCaptureTest, ANodeThatCannotBeToldAfterAnUpdateIsSaidByName) {
  run.select("^add_in_place\\(");
  ASSERT_EQ(record({"graph-reordered"}), 0) << app_output;
  EXPECT_FALSE(fs::exists(run.output()));
  EXPECT_NE(note("GRAPH_LAUNCH").find("another order"), std::string::npos) << run.recorder->output();
}

TEST_F(CudaCaptureTest, AGraphThatAllocatesIsSaidByNameAndThePlainLaunchIsTaken) {
  run.select("^add_in_place\\(");
  ASSERT_EQ(record({"graph-memory-node"}), 0) << app_output;
  auto reader = open();
  ASSERT_TRUE(reader);
  EXPECT_EQ(reader->manifest().dispatch.ordinal, 2u);
  EXPECT_NE(note("GRAPH_LAUNCH").find("allocate"), std::string::npos) << run.recorder->output();
}

TEST_F(CudaCaptureTest, ANodeThatWaitsForAnotherBranchIsRefusedAndTheProgramGoesOn) {
  run.config["run_limit_ms"] = 300;
  run.select("^wait_for_flag\\(");
  ASSERT_EQ(record({"graph-wait"}), 0) << app_output;
  EXPECT_EQ(refusal(), "RUN_LIMIT");
}

TEST_F(CudaCaptureTest, AKernelThatANodeIsGivenLaterIsCaptured) {
  run.select("^do_nothing\\(");
  ASSERT_EQ(record({"graph-set-parameters"}), 0) << app_output;
  EXPECT_TRUE(open());
}

TEST_F(CudaCaptureTest, ALaunchIntoAGraphIsNoDispatchButTheGraphsIsAndThePlainOne) {
  run.select("^add_in_place\\(", 2, "reachable", "n2");
  run.select("^add_in_place\\(", 3, "reachable", "n3");
  ASSERT_EQ(record({"stream-capture"}), 0) << app_output;
  auto node = open("n2"), plain = open("n3");
  ASSERT_TRUE(node && plain);
  const auto expect_x = [](archive::Reader& reader, float before, float after) {
    const Place x = argument(reader.manifest(), 0);
    EXPECT_EQ(values_of(reader, pre_of(*x.region), x.offset), each(ramp(), [&](float v) { return v + before; }));
    EXPECT_EQ(values_of(reader, post_of(*x.region), x.offset), each(ramp(), [&](float v) { return v + after; }));
  };
  expect_x(*node, 1, 2);
  expect_x(*plain, 2, 12);
}

TEST_F(CudaCaptureTest, ADeviceThatDoesNotBecomeIdleIsRefusedAndTheProgramGoesOn) {
  run.config["drain_limit_ms"] = 300;
  run.select("^add_in_place\\(");
  ASSERT_EQ(record({"spin-on-host-flag"}), 0) << app_output;
  EXPECT_EQ(refusal(), "DRAIN_LIMIT");
  EXPECT_FALSE(fs::exists(run.output()));
}

TEST_F(CudaCaptureTest, AKernelThatWaitsForALaterOneIsRefusedAndTheProgramGoesOn) {
  run.config["run_limit_ms"] = 300;
  run.select("^wait_for_flag\\(");
  ASSERT_EQ(record({"spin-on-other-stream"}), 0) << app_output;
  EXPECT_EQ(refusal(), "RUN_LIMIT");
}

TEST_F(CudaCaptureTest, ALaunchOnSeveralDevicesIsRefusedWithTheReason) {
  run.select("^add_in_place\\(");
  ASSERT_EQ(record({"multi-device-launch"}, {{"KERNLOOP_FAKE_CUDA_DEVICES", "2"}}), 0) << app_output;
  EXPECT_EQ(refusal(), "UNSUPPORTED_LAUNCH");
  const Json event = run.event("refused");
  for (const char* part : {"_Z12add_in_placePffi", "cuLaunchCooperativeKernelMultiDevice", "several GPUs"})
    EXPECT_NE(event.value("reason", "").find(part), std::string::npos) << event;
  EXPECT_NE(event.value("hint", "").find("cuLaunchCooperativeKernel"), std::string::npos) << event;
}

TEST_F(CudaCaptureTest, AFaultOfTheKernelIsNamed) {
  run.select("^wild_write\\(");
  ASSERT_EQ(record({"wild-write"}), 0) << app_output;
  EXPECT_EQ(refusal(), "DEVICE_FAULT");
  EXPECT_NE(run.event("refused").value("reason", "").find("ILLEGAL_ADDRESS"), std::string::npos);
}

TEST_F(CudaCaptureTest, ACollectiveIsRefusedByName) {
  run.select("^nccl");
  ASSERT_EQ(record({"nccl-name"}), 0) << app_output;
  EXPECT_EQ(refusal(), "COLLECTIVE");
}

TEST_F(CudaCaptureTest, AKernelWithTexturesIsRefused) {
  run.select("^read_texture\\(");
  ASSERT_EQ(record({"texture"}), 0) << app_output;
  EXPECT_EQ(refusal(), "TEXTURE_OBJECT");
}

TEST_F(CudaCaptureTest, AForkedChildDisturbsNothing) {
  run.select("^add_in_place\\(", 2);
  ASSERT_EQ(record({"fork"}), 0) << app_output;
  EXPECT_TRUE(open());
  EXPECT_EQ(run.event("summary").value("processes", 0), 1);
}

// A worker in a session of its own, and two of a shell: each captures for itself, and the first one is captured.
TEST_F(CudaCaptureTest, ProcessesThatAShellStartsAreToldApart) {
  run.select("^saxpy\\(");
  ASSERT_TRUE(run.start());
  auto shell =
      start({"/bin/sh", "-c", "setsid -w \"$0\" saxpy && \"$0\" saxpy & \"$0\" fork; wait", KERNLOOP_TEST_APP}, {});
  ASSERT_EQ(shell->wait(), 0) << shell->output();
  ASSERT_EQ(run.finish(), 0) << run.recorder->output();
  std::map<std::string, int> seen;  // processes by their arguments
  std::set<int> pids, owners;
  const Json summary = run.event("summary");
  for (const Json& process : summary["per_process"]) {
    ++seen[process["command"][1]];
    pids.insert(process["pid"].get<int>());
    if (process["command"][1] == "saxpy") owners.insert(process["pid"].get<int>());
  }
  EXPECT_EQ(seen, (std::map<std::string, int>{{"fork", 1}, {"saxpy", 2}})) << run.recorder->output();
  EXPECT_EQ(pids.size(), 3u);
  EXPECT_TRUE(open());
  const int owner = run.event("captured")["pid"].get<int>();
  EXPECT_TRUE(owners.contains(owner));
  ASSERT_EQ(run.events("also_matched").size(), 1u) << run.recorder->output();
  EXPECT_EQ(run.event("also_matched")["captured_by"], owner);
}

TEST_F(CudaCaptureTest, AProfilerThatHoldsCuptiIsNamedAndTheProgramRuns) {
  run.select("^saxpy\\(");
  ASSERT_EQ(record({"saxpy"}, {{"KERNLOOP_FAKE_CUDA_CUPTI_TAKEN", "1"}}), 0) << app_output;
  EXPECT_NE(note("CUPTI_TAKEN"), "") << run.recorder->output();
}

TEST_F(CudaCaptureTest, WithoutARecorderTheProgramRunsAndSaysSoOnce) {
  auto app = start_app({"saxpy"});
  EXPECT_EQ(app->wait(), 0);
  const std::string output = app->output();
  EXPECT_NE(output.find("not captured"), std::string::npos) << output;
  EXPECT_EQ(output.find("not captured"), output.rfind("not captured"));
}

TEST_F(CudaCaptureTest, NothingMatchingTellsWhatWasSeenAndStopsLooking) {
  run.select("^no_such_kernel$");
  ASSERT_EQ(record({"many-launches", "6000"}), 0) << app_output;
  const Json summary = run.event("summary");
  EXPECT_EQ(summary["captured"], Json::array());
  ASSERT_EQ(summary["kernels"].size(), 1u);
  EXPECT_EQ(summary["kernels"][0]["symbol"], "_Z12add_in_placePffi");
  EXPECT_EQ(summary["kernels"][0]["dispatches"], 4096);
  EXPECT_NE(note("LAUNCHES_NOT_COUNTED").find("4096"), std::string::npos) << run.recorder->output();
}

TEST_F(CudaCaptureTest, ALateOrdinalIsCountedPastThatLimit) {
  run.select("^add_in_place\\(", 5000);
  ASSERT_EQ(record({"many-launches", "6000"}), 0) << app_output;
  auto reader = open();
  ASSERT_TRUE(reader);
  EXPECT_EQ(reader->manifest().dispatch.ordinal, 5000u);
  const Place x = argument(reader->manifest(), 0);
  EXPECT_EQ(values_of(*reader, pre_of(*x.region), x.offset, 1)[0], 4999.0f);
  EXPECT_EQ(values_of(*reader, post_of(*x.region), x.offset, 1)[0], 5000.0f);
}

// x[0] says which launch it was.
TEST_F(CudaCaptureTest, SelectionsOfManyKindsShareOneRun) {
  run.select_several("^add_in_place\\(", {{1, nullptr}}, 9, "shapes")["each"] = "geometry";
  run.select_several("^add_in_place\\(", {{3, 3}, {7, 9}}, 9, "ranges");
  run.select("^saxpy\\(", 1, "reachable", "gated");
  run.config["selections"].back()["after"] = {{"match", "^add_in_place"}, {"count", 4}};
  run.config["selections"].push_back({{"id", "counted"}, {"match", "saxpy"}, {"limit", 0}, {"to_end", true}});
  ASSERT_EQ(record({"interleaved"}), 0) << app_output;
  const std::map<std::string, float> before = {
      {"shapes/captures/1", 0.0f},  {"shapes/captures/2", 3.0f}, {"shapes/captures/4", 13.0f},
      {"ranges/captures/3", 12.0f}, {"gated/capture", 14.0f},
  };
  EXPECT_EQ(run.events("captured").size(), before.size()) << run.recorder->output();
  for (const auto& [folder, value] : before) {
    auto reader = archive::Reader::open(run.folder() / folder, {});
    ASSERT_TRUE(reader.ok()) << folder;
    const archive::Region& x = (*reader)->manifest().regions.at(0);
    EXPECT_EQ(values_of(**reader, pre_of(x), 0, 1)[0], value) << folder;
  }
  std::map<std::string, int> matches;
  const Json summary = run.event("summary");
  for (const Json& selection : summary["selections"]) matches[selection["id"]] = selection["matches"];
  EXPECT_EQ(matches, (std::map<std::string, int>{{"shapes", 4}, {"ranges", 4}, {"gated", 1}, {"counted", 3}}));
}

TEST_F(CudaCaptureTest, ADryRunHasTheFiguresOfTheCapture) {
  Json figures[2];
  run.select("^saxpy\\(");
  for (const bool dry : {true, false}) {
    run.config["dry_run"] = dry;
    ASSERT_EQ(record({"saxpy"}), 0) << app_output;
    figures[dry] = run.event(dry ? "planned" : "captured");
    EXPECT_EQ(fs::exists(run.output()), !dry);
  }
  for (const char* name : {"bytes_raw", "bytes_stored", "regions", "bytes_tracked"})
    EXPECT_EQ(figures[true][name], figures[false][name]) << name;
  const Json& regions = figures[true]["plan"]["regions"];
  EXPECT_EQ(
      std::count_if(regions.begin(), regions.end(), [](const Json& one) { return one["reached"] == "arguments"; }), 2);
}

TEST_F(CudaCaptureTest, ScopeAllHoldsEverythingThatIsTracked) {
  run.select("^saxpy\\(", 3, "all");
  ASSERT_EQ(record({"two-contexts"}), 0) << app_output;
  auto reader = open();
  ASSERT_TRUE(reader);
  EXPECT_EQ(reader->manifest().regions.size(), 4u);
}

TEST_F(CudaCaptureTest, ProfileMeasuresEveryKernelWithItsResources) {
  run.config["mode"] = "profile";
  ASSERT_EQ(record({"many-launches", "100"}), 0) << app_output;
  const Json summary = run.event("summary");
  ASSERT_EQ(summary["kernel_profile"].size(), 1u) << run.recorder->output();
  const Json& row = summary["kernel_profile"][0];
  EXPECT_EQ(row["dispatches"], 100);
  EXPECT_EQ(row["unit"], "duration_ns");
  const Json& geometry = row["geometries"][0];
  EXPECT_EQ(geometry["grid_blocks"], Json({1, 1, 1}));
  EXPECT_EQ(geometry["block_threads"], Json({128, 1, 1}));
  // ptxas -v says 8; an H200 gives each thread at least 16, and CUPTI reports that.
  EXPECT_EQ(geometry["registers_per_thread"], on_real_gpu() ? 16 : 8);
  EXPECT_EQ(geometry["static_shared_bytes"], 0);
  EXPECT_EQ(geometry["dynamic_shared_bytes"], 0);
  EXPECT_EQ(geometry["local_bytes_per_thread"], 0);
  // 16 blocks of four warps fill the 64 warps of a multiprocessor.
  EXPECT_EQ(geometry["resident_blocks_per_multiprocessor"], 16);
  EXPECT_EQ(geometry["occupancy_percent"], 100.0);
  EXPECT_EQ(run.events("queue").size(), 1u);
}

uint64_t monotonic_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

TEST_F(CudaCaptureTest, ProfileSaysWhenKernelsRanOnTheClockOfTheHost) {
  run.config["mode"] = "profile";
  const uint64_t before = monotonic_ns();
  ASSERT_EQ(record({"many-launches", "100"}), 0) << app_output;
  const uint64_t after = monotonic_ns();
  const Json launches = run.event("summary")["kernel_launches"];
  ASSERT_EQ(launches["rows"].size(), 100u) << run.recorder->output();
  uint64_t total = 0, last = before;
  for (const Json& launch : launches["rows"]) {
    const uint64_t start = std::stoull(launch["start_ns"].get<std::string>());
    const uint64_t end = std::stoull(launch["end_ns"].get<std::string>());
    EXPECT_GE(start, last) << "one stream: one after the other";
    EXPECT_GE(end, start);
    total += end - start;
    last = end;
    EXPECT_EQ(launch["kernel"], 0);
  }
  EXPECT_LE(last, after);
  EXPECT_EQ(total, run.event("summary")["kernel_profile"][0]["total"]);
}

TEST_F(CudaCaptureTest, ProfileMeasuresKernelsThatAreInFlightWhenTheProgramEnds) {
  run.config["mode"] = "profile";
  ASSERT_EQ(record({"unfinished"}), 0) << app_output;
  const Json summary = run.event("summary");
  ASSERT_EQ(summary["kernel_profile"].size(), 1u) << run.recorder->output();
  EXPECT_EQ(summary["kernel_profile"][0]["dispatches"], 50);
}

std::string output_of(const std::string& command) {
  FILE* pipe = popen(command.c_str(), "r");
  std::string text;
  char buffer[4096];
  while (pipe != nullptr && fgets(buffer, sizeof buffer, pipe) != nullptr) text += buffer;
  if (pipe != nullptr) pclose(pipe);
  return text;
}

TEST(CudaAgentLibrary, ExportsItsEntryAndNeedsNothingButAnOldLibc) {
  const std::string agent = KERNLOOP_TEST_AGENT;
  EXPECT_EQ(output_of("nm -D --defined-only --format=posix " + agent + " | cut -d' ' -f1"),
            "InitializeInjection\nkernloop_captures_begun\n");
  EXPECT_EQ(output_of("readelf -d " + agent + " | grep NEEDED | grep -v -e libc.so.6 -e ld-linux"), "");
  std::istringstream versions(output_of("nm -D " + agent + " | grep -o 'GLIBC_2[.0-9]*' | sort -uV | tail -1"));
  std::string newest;
  versions >> newest;
  ASSERT_TRUE(newest.starts_with("GLIBC_2."));
  EXPECT_LE(std::stoi(newest.substr(8)), 35) << newest;
}

}  // namespace
}  // namespace kernloop::capture
