// A front end without a device: the fate of a selected dispatch, as the recorder reports it.
#include "capture/core/selected_dispatch.h"

#include <gtest/gtest.h>

#include "archive/capture/reader.h"
#include "capture/core/connection.h"
#include "capture/test/fake_device.h"
#include "capture/test/recorded_run.h"
#include "recorder/test/tiny_code_object.h"

namespace kernloop::recorder {
namespace {

using namespace capture;
using testing::RecordedRun;

constexpr uint64_t kKey = 0x1234, kSelectedLoadBase = 0x500000000000, kSelectedBase = 0x400000100000;

class TestAgent : public AgentBase {
 public:
  explicit TestAgent(Connection connection) : AgentBase(std::move(connection.recorder), connection.log_file) {}
};

class SelectedDispatchTest : public ::testing::Test {
 protected:
  RecordedRun run{KERNLOOP_TEST_RECORDER};
  std::unique_ptr<TestAgent> agent;
  std::optional<FakeDevice> device;
  const KernelEntry* kernel = nullptr;

  void start() {
    start_with(tiny_code_object(), {"tiny_kernel", {0}, kSelectedLoadBase + tiny_descriptor_address()},
               tiny_kernarg_bytes());
  }
  void start_with(const std::vector<uint8_t>& code_object, const ResolvedKernel& resolved, size_t kernarg_bytes) {
    ASSERT_TRUE(run.start());
    setenv("KERNLOOP_RECORDER_SOCKET", run.socket().c_str(), 1);
    Connection connection = connect_to_recorder({});
    unsetenv("KERNLOOP_RECORDER_SOCKET");
    ASSERT_TRUE(connection.recorder);
    agent = std::make_unique<TestAgent>(std::move(connection));
    agent->send_code_object(0, code_object);
    kernel = agent->kernel(kKey, [&]() -> Result<capture::ResolvedKernel> { return resolved; });
    device.emplace(agent->allocations);
    device->allocate(kSelectedBase, std::vector<uint8_t>(64, 7));
    device->kernarg.assign(kernarg_bytes, 0);
    std::memcpy(device->kernarg.data(), &kSelectedBase, sizeof kSelectedBase);
  }
  // The next dispatch of the kernel, which is due.
  std::unique_ptr<SelectedDispatch> dispatch(std::vector<LaunchAttribute> attributes = {}) {
    auto due = agent->selections.on_dispatch({kernel->selections});
    EXPECT_FALSE(due.empty());
    DispatchFacts facts;
    facts.kernel = kernel;
    facts.attributes = std::move(attributes);
    return std::make_unique<SelectedDispatch>(*agent, facts, std::move(due));
  }
  std::vector<std::string> refusals() {
    agent.reset();
    run.finish();
    std::vector<std::string> codes;
    for (const auto& event : run.events("refused")) codes.push_back(event["code"]);
    return codes;
  }
};

TEST_F(SelectedDispatchTest, IsCapturedInTwoHalves) {
  run.select("^tiny_kernel");
  start();
  {
    const HoldScope inside(agent->hold);
    auto selected = dispatch();
    ASSERT_TRUE(selected->begin());
    ASSERT_TRUE(selected->before(*device));
    selected->after(std::nullopt, {});
    EXPECT_FALSE(selected->refusal());
  }
  EXPECT_FALSE(agent->selections.anything_left());
  EXPECT_TRUE(refusals().empty());
  EXPECT_TRUE(std::filesystem::exists(run.output() / "capture.json"));
}

TEST_F(SelectedDispatchTest, WhatCannotBeCapturedIsRefusedByName) {
  run.select("^tiny_kernel");
  start();
  {
    const HoldScope inside(agent->hold);
    auto selected = dispatch();
    ASSERT_TRUE(selected->begin());
    selected->refuse({"STREAM_CAPTURING", "the stream is being captured into a graph", "capture another dispatch"});
  }
  EXPECT_FALSE(agent->selections.anything_left()) << "it is not tried again at every launch";
  EXPECT_EQ(refusals(), std::vector<std::string>{"STREAM_CAPTURING"});
  EXPECT_TRUE(device->calls.empty());
}

TEST_F(SelectedDispatchTest, GivenUpAnywhereItIsRefusedOnceAndHoldsNothing) {
  run.select("^tiny_kernel", 1, "reachable", "a");
  run.select("^tiny_kernel", 2, "reachable", "b");
  start();
  {
    const HoldScope inside(agent->hold);
    ASSERT_TRUE(dispatch()->begin());
  }
  {
    const HoldScope inside(agent->hold);
    auto selected = dispatch();
    ASSERT_TRUE(selected->begin());
    ASSERT_TRUE(selected->before(*device));
  }
  std::thread([this] { HoldScope scope(agent->hold); }).join();
  EXPECT_FALSE(agent->selections.anything_left());
  EXPECT_EQ(refusals(), (std::vector<std::string>{"AGENT_FAILED", "AGENT_FAILED"}));
}

TEST_F(SelectedDispatchTest, OneDispatchIsCapturedForOneSelectionOnly) {
  run.select("^tiny_kernel", 1, "reachable", "a");
  run.select("^tiny_kernel", 1, "reachable", "b");
  start();
  {
    const HoldScope inside(agent->hold);
    auto selected = dispatch();
    ASSERT_TRUE(selected->begin());
    selected->capture(*device, [&](RunReport* report) { return device->run(report); });
  }
  EXPECT_FALSE(agent->selections.anything_left());
  EXPECT_EQ(refusals(), std::vector<std::string>{"SELECTION_CONFLICT"});
  EXPECT_TRUE(std::filesystem::exists(run.output("a") / "capture.json"));
}

TEST_F(SelectedDispatchTest, AScopeThatWasTooSmallIsTriedAgainWithTheRegion) {
  constexpr uint64_t kOther = 0x400000300000;
  run.select("^tiny_kernel");
  start();
  device->allocate(kOther, std::vector<uint8_t>(64));
  device->kernel = [](FakeDevice& d) { ++d.at(kOther)[0]; };
  for (int attempt = 0; attempt < 2; ++attempt) {
    const HoldScope inside(agent->hold);
    auto selected = dispatch();
    ASSERT_TRUE(selected->begin());
    selected->capture(*device, [&](RunReport* report) { return device->run(report); });
    EXPECT_EQ(selected->refusal().has_value(), attempt == 0);
    EXPECT_EQ(agent->selections.anything_left(), attempt == 0);
  }
  EXPECT_TRUE(refusals().empty());
  EXPECT_EQ(run.events("scope_violation").size(), 1u);
  EXPECT_TRUE(std::filesystem::exists(run.output() / "capture.json"));
}

// Code without an address of its own: parts of the capture are found by name.
TEST_F(SelectedDispatchTest, ACubinsVariablesAreFoundByNameAndItsLongArgumentsTaken) {
  std::ifstream file(KERNLOOP_RECORDER_TEST_CUBIN, std::ios::binary);
  const std::vector<uint8_t> cubin(std::istreambuf_iterator<char>(file), {});
  const auto info = codeobject::parse_code_object(cubin, "cubin");
  ASSERT_TRUE(info) << info.error().message;
  const std::string symbol = "_Z5largePf5Larges";
  const uint32_t kernarg_bytes = info->find_kernel(symbol)->kernarg_bytes;
  ASSERT_GT(kernarg_bytes, 4096u);
  run.config["device"] = {{"kind", "cuda"}, {"identity", "test"}};
  run.select("^large");
  start_with(cubin, {symbol, {0}, 0}, kernarg_bytes);
  agent->recorder->send(FrameType::kQueue, QueueMessage{0, "GPU", "sm_90", 32}.encode());
  device->kernarg.back() = 9;
  uint64_t next = 0x7f0000000000;
  std::map<std::string, uint64_t> expected;
  for (const codeobject::Variable& variable : info->variables) {
    if (!variable.writable && !variable.exported) continue;
    expected[variable.name] = device->variables[variable.name] = next;
    device->place(next, std::vector<uint8_t>(variable.size, 1));
    next += 1 << 20;
  }
  ASSERT_GT(expected.size(), 3u);
  {
    const HoldScope inside(agent->hold);
    auto selected = dispatch();
    ASSERT_TRUE(selected->begin());
    selected->capture(*device, [&](RunReport* report) { return device->run(report); });
  }
  EXPECT_TRUE(refusals().empty());
  auto reader = archive::Reader::open(run.output(), {});
  ASSERT_TRUE(reader) << reader.error().message;
  const archive::Manifest& manifest = (*reader)->manifest();
  std::map<std::string, uint64_t> found;
  for (const archive::ModuleVariable& variable : manifest.module_variables) found[variable.name] = variable.address;
  EXPECT_EQ(found, expected);
  EXPECT_EQ(manifest.kernarg.bytes, device->kernarg);
  EXPECT_EQ(manifest.code_objects.at(0).load_base, 0u);
  EXPECT_EQ(manifest.device.isa, "sm_90");
  EXPECT_EQ(manifest.device.wavefront_size, 32u);
  EXPECT_TRUE(run.events("note").empty()) << "the code is read: it uses no textures";
}

// __cluster_dims__(2): the driver tells of it as of an attribute that the app has set. A variant may have another size.
TEST_F(SelectedDispatchTest, ClustersThatAreCompiledInAreLeftToTheCode) {
  std::ifstream file(KERNLOOP_RECORDER_TEST_CLUSTER_CUBIN, std::ios::binary);
  const std::vector<uint8_t> cubin(std::istreambuf_iterator<char>(file), {});
  run.config["device"] = {{"kind", "cuda"}, {"identity", "test"}};
  run.select("^cluster");
  start_with(cubin, {"_Z7clusterPi", {0}, 0}, 8);
  agent->recorder->send(FrameType::kQueue, QueueMessage{0, "GPU", "sm_90", 32}.encode());
  {
    const HoldScope inside(agent->hold);
    auto selected = dispatch({{"required_cluster_blocks_x", 2}, {"cooperative", 1}});
    ASSERT_TRUE(selected->begin());
    selected->capture(*device, [&](RunReport* report) { return device->run(report); });
  }
  EXPECT_TRUE(refusals().empty());
  auto reader = archive::Reader::open(run.output(), {});
  ASSERT_TRUE(reader) << reader.error().message;
  EXPECT_EQ((*reader)->manifest().geometry.attributes, (std::map<std::string, uint64_t>{{"cooperative", 1}}));
}

// Pascal's instructions are not read: textures cannot be ruled out, and that is said.
TEST_F(SelectedDispatchTest, CodeThatIsNotReadIsSaidToBe) {
  std::ifstream file(KERNLOOP_RECORDER_TEST_TINY_CUBIN, std::ios::binary);
  std::vector<uint8_t> cubin(std::istreambuf_iterator<char>(file), {});
  const uint32_t sm_61 = 0x003d053d;  // e_flags of CUDA 12
  cubin[7] = 0x33;
  cubin[8] = 7;
  std::memcpy(&cubin[48], &sm_61, sizeof sm_61);
  const auto info = codeobject::parse_code_object(cubin, "cubin");
  ASSERT_TRUE(info) << info.error().message;
  const codeobject::Kernel& only = info->kernels.at(0);
  run.config["device"] = {{"kind", "cuda"}, {"identity", "test"}};
  run.select(".");
  start_with(cubin, {only.name, {0}, 0}, only.kernarg_bytes);
  agent->recorder->send(FrameType::kQueue, QueueMessage{0, "GPU", "sm_61", 32}.encode());
  {
    const HoldScope inside(agent->hold);
    auto selected = dispatch();
    ASSERT_TRUE(selected->begin());
    selected->capture(*device, [&](RunReport* report) { return device->run(report); });
  }
  EXPECT_TRUE(refusals().empty());
  bool said = false;
  for (const auto& event : run.events("note")) {
    if (event.value("code", "") != "TEXTURES_UNKNOWN") continue;
    said = true;
    EXPECT_NE(event.value("text", "").find("sm_61"), std::string::npos) << event;
  }
  EXPECT_TRUE(said) << run.recorder->output();
}

TEST_F(SelectedDispatchTest, ALostRecorderNeverKeepsTheDispatch) {
  run.select("^tiny_kernel");
  start();
  run.recorder.reset();
  const HoldScope inside(agent->hold);
  auto selected = dispatch();
  EXPECT_FALSE(selected->begin());
  EXPECT_FALSE(agent->active());
}

}  // namespace
}  // namespace kernloop::recorder
