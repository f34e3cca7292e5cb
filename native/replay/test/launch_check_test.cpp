// Whether a kernel can be launched as the app launches it: limits one by one, and their consequences.
#include "replay/core/launch/launch_check.h"

#include <gtest/gtest.h>

#include <fstream>

#include "replay/core/session/session.h"
#include "replay/test/fake_device.h"
#include "replay/test/fill_capture.h"

namespace kernloop::replay {
namespace {

using codeobject::Kernel;

class Obstacles : public testing::Test {
 protected:
  Obstacles() {
    kernel_.name = kernel_.demangled = "kernel";
    kernel_.wavefront_size = 64;
    kernel_.max_flat_workgroup_size = 1024;
    kernel_.group_segment_bytes = 4096;
    launch_.block_threads = {64, 4, 1};
    launch_.grid_blocks = {6, 2, 1};
    launch_.grid_work_items = {384, 8, 1};
    launch_.group_segment_bytes = 4096 + 1024;
    launch_.dynamic_group_segment_bytes = 1024;
    device_.shared_bytes = 65536;
    device_.scratch_bytes_per_wave = 0x1fff * 1024;
  }
  // The one limit that is exceeded; none if all are kept.
  std::optional<LaunchLimit> only() {
    const auto found = find_obstacles(kernel_, launch_, device_);
    EXPECT_LE(found.size(), 1u);
    if (found.empty()) return std::nullopt;
    EXPECT_FALSE(found[0].what.empty());
    return found[0].limit;
  }
  codeobject::CubinKernelFacts& cubin() {
    kernel_.max_flat_workgroup_size = 0;
    return kernel_.cubin ? *kernel_.cubin : kernel_.cubin.emplace();
  }

  Kernel kernel_;
  Launch launch_;
  DeviceLimits device_;
};

TEST_F(Obstacles, AreNoneWithinAllLimits) {
  EXPECT_EQ(only(), std::nullopt);
  kernel_.max_flat_workgroup_size = 256;  // exactly
  launch_.group_segment_bytes = 65536;
  EXPECT_EQ(only(), std::nullopt);
  kernel_.max_flat_workgroup_size = 0;  // unknown
  device_ = {};
  launch_.group_segment_bytes = 1 << 20;
  EXPECT_EQ(only(), std::nullopt);
}

TEST_F(Obstacles, LaunchBoundsCountTheThreadsOfAllDimensions) {
  kernel_.max_flat_workgroup_size = 255;
  EXPECT_EQ(only(), LaunchLimit::kBlockThreads);
}

TEST_F(Obstacles, ARequiredBlockHasAShapeAndNotOnlyASize) {
  kernel_.required_workgroup = {64, 4, 1};
  kernel_.max_flat_workgroup_size = 256;
  EXPECT_EQ(only(), std::nullopt);
  for (const std::array<uint32_t, 3>& other : {std::array<uint32_t, 3>{256, 1, 1}, {64, 2, 1}, {64, 8, 1}}) {
    kernel_.required_workgroup = other;
    kernel_.max_flat_workgroup_size = other[0] * other[1];
    EXPECT_EQ(only(), LaunchLimit::kRequiredBlock) << other[0];
  }
  kernel_.required_workgroup = {};
  cubin().required_threads = {32, 8, 1};
  EXPECT_EQ(only(), LaunchLimit::kRequiredBlock);
}

TEST_F(Obstacles, WholeBlocksAreNeededOnlyWhereTheCodeSaysSo) {
  launch_.grid_work_items[1] = 7;
  EXPECT_EQ(only(), std::nullopt);
  kernel_.needs_whole_workgroups = true;
  EXPECT_EQ(only(), LaunchLimit::kWholeBlocks);
}

TEST_F(Obstacles, SharedMemoryIsStaticAndDynamicTogether) {
  launch_.group_segment_bytes = 65537;
  EXPECT_EQ(only(), LaunchLimit::kSharedMemory);
  const std::string what = find_obstacles(kernel_, launch_, device_)[0].what;
  for (const char* number : {"65537", "64513 static", "1024 dynamic", "65536"})
    EXPECT_NE(what.find(number), std::string::npos) << what;
}

TEST_F(Obstacles, ScratchIsThatOfAWave) {
  launch_.private_segment_bytes = 131056;
  EXPECT_EQ(only(), std::nullopt);
  launch_.private_segment_bytes += 16;
  EXPECT_EQ(only(), LaunchLimit::kPrivateMemory);
  kernel_.wavefront_size = 32;
  EXPECT_EQ(only(), std::nullopt);
}

TEST_F(Obstacles, ClustersMustBeTheSameInCodeAndLaunchAndFillTheGrid) {
  cubin().cluster_blocks = {2, 2, 1};
  EXPECT_EQ(only(), std::nullopt) << "the code alone says it";
  launch_.attributes = {{"cluster_blocks_x", 2}, {"cluster_blocks_y", 2}, {"cluster_blocks_z", 1}};
  EXPECT_EQ(only(), std::nullopt);
  launch_.attributes["cluster_blocks_x"] = 3;
  EXPECT_EQ(only(), LaunchLimit::kClusterDimensions);
  launch_.attributes = {{"required_cluster_blocks_x", 3}};
  EXPECT_EQ(only(), LaunchLimit::kClusterDimensions) << "set on the function";
  launch_.attributes.clear();
  cubin().cluster_blocks = {4, 1, 1};
  EXPECT_EQ(only(), LaunchLimit::kClusterDimensions) << "6 blocks are no multiple of 4";
  cubin().cluster_blocks = {};
  EXPECT_EQ(only(), std::nullopt);
  cubin().needs_cluster_dimensions = true;
  EXPECT_EQ(only(), LaunchLimit::kClusterDimensions);
  launch_.attributes = {{"cluster_blocks_x", 2}};
  EXPECT_EQ(only(), std::nullopt);
  cubin().max_cluster_blocks = 1;
  EXPECT_EQ(only(), LaunchLimit::kClusterDimensions);
}

TEST(LaunchAsCaptured, AddsTheKernelsOwnSegmentsToTheAppsDynamicOnes) {
  Kernel captured, variant;
  captured.group_segment_bytes = 1000;
  variant.group_segment_bytes = 3000;
  captured.private_segment_bytes = variant.private_segment_bytes = 16;
  archive::Geometry geometry;
  geometry.group_segment_bytes = 1512;
  geometry.private_segment_bytes = 16;
  const Launch launch = launch_as_captured(geometry, captured, variant);
  EXPECT_EQ(launch.group_segment_bytes, 3512u);
  EXPECT_EQ(launch.dynamic_group_segment_bytes, 512u);
  EXPECT_EQ(launch.private_segment_bytes, 16u);
}

TEST(LaunchAsCaptured, LeavesOutWhatTheCapturedCubinSaidByItself) {
  Kernel captured, variant;
  captured.cubin.emplace();
  variant.cubin.emplace();
  captured.group_segment_bytes = 8 << 10;
  archive::Geometry geometry;
  geometry.group_segment_bytes = 8 << 10;
  geometry.attributes = {{"max_dynamic_shared_bytes", 40 << 10}, {"required_cluster_blocks_x", 2}, {"cooperative", 1}};
  using Attributes = std::map<std::string, uint64_t>;
  // Every kernel may use 40 KiB beside 8 KiB of static shared memory; the app set the clusters on the function.
  EXPECT_EQ(launch_as_captured(geometry, captured, variant).attributes,
            (Attributes{{"required_cluster_blocks_x", 2}, {"cooperative", 1}}));
  captured.cubin->cluster_blocks = {2, 1, 1};
  geometry.attributes["max_dynamic_shared_bytes"] = 41 << 10;  // the app asked for more
  EXPECT_EQ(launch_as_captured(geometry, captured, variant).attributes,
            (Attributes{{"max_dynamic_shared_bytes", 41 << 10}, {"cooperative", 1}}));
}

class ImpossibleLaunch : public testing::Test {
 protected:
  void SetUp() override {
    options_.compare = true;
    options_.code_object = test_code_object("baseline.hsaco");
  }
  SessionEnd run() {
    if (!std::filesystem::exists(directory_.path() / "capture")) capture_.write(directory_.path() / "capture");
    auto reader = archive::Reader::open(directory_.path() / "capture", {});
    EXPECT_TRUE(reader) << reader.error().message;
    output_.events.clear();
    return run_session(options_, **reader, device_, output_);
  }
  const archive::Json& last() { return output_.events.back(); }

  archive::TemporaryDirectory directory_;
  FillCapture capture_;
  FakeDevice device_{[](FakeDevice&, const Launch&) {}};
  Options options_;
  EventList output_;
};

TEST_F(ImpossibleLaunch, OfAVariantIsAFailureWithItsReasonBeforeAnythingRuns) {
  device_.refusal = "no block of it fits";
  EXPECT_EQ(run().exit_code, kExitFail);
  EXPECT_EQ(last()["event"], "result");
  EXPECT_EQ(last()["verdict"], "fail");
  EXPECT_EQ(last()["code"], "LAUNCH_IMPOSSIBLE");
  const auto reason = last()["reason"].get<std::string>();
  EXPECT_NE(reason.find("as the app launches it: no block of it fits"), std::string::npos) << reason;
  EXPECT_TRUE(device_.launches.empty());
}

TEST_F(ImpossibleLaunch, IsAnErrorWhereNothingIsJudged) {
  device_.refusal = "no block of it fits";
  options_.compare = false;
  EXPECT_EQ(run().exit_code, kExitFail);
  EXPECT_EQ(last()["event"], "error");
  EXPECT_EQ(last()["code"], "LAUNCH_IMPOSSIBLE");
  options_.side_by_side = true;
  EXPECT_EQ(run().exit_code, kExitFail);
  EXPECT_EQ(last()["code"], "LAUNCH_IMPOSSIBLE");
}

TEST_F(ImpossibleLaunch, IsNotAskedOfTheCapturedCodeWhichRan) {
  device_.refusal = "no block of it fits";
  options_.code_object.reset();
  EXPECT_EQ(run().exit_code, kExitFail) << "it does nothing";
  EXPECT_EQ(device_.launches.size(), 1u);
  // With another launch it is.
  options_.compare = false;
  options_.overrides.dynamic_group_bytes = 16;
  run();
  EXPECT_EQ(last()["code"], "LAUNCH_IMPOSSIBLE");
  EXPECT_EQ(last()["message"].get<std::string>().find("as the app"), std::string::npos) << last();
}

TEST_F(ImpossibleLaunch, ComesOfARuntimeThatRefusesTheLaunchItself) {
  device_.refuses_to_launch = Error{"LAUNCH_REFUSED", "HIP refuses", ""};
  EXPECT_EQ(run().exit_code, kExitFail);
  EXPECT_EQ(last()["code"], "LAUNCH_IMPOSSIBLE");
  // A refusal of the captured code is no verdict on a variant.
  options_.code_object.reset();
  EXPECT_EQ(run().exit_code, kExitBadInput);
  EXPECT_EQ(last()["code"], "LAUNCH_REFUSED");
}

TEST_F(ImpossibleLaunch, IsHeldAgainstTheDevicesMemory) {
  device_.device_limits.shared_bytes = 4096;
  const archive::Manifest manifest = capture_.write(directory_.path() / "capture");
  const auto with_dynamic = [&](uint32_t bytes) {
    archive::Manifest changed = manifest;
    changed.geometry.group_segment_bytes = bytes;
    std::ofstream(directory_.path() / "capture" / "capture.json") << archive::to_text(changed);
  };
  with_dynamic(4096);
  run();
  EXPECT_FALSE(last().contains("code")) << last();
  options_.code_object = test_code_object("static_lds.hsaco");
  run();
  EXPECT_EQ(last()["code"], "LAUNCH_IMPOSSIBLE") << last();
  // If the app's own launch exceeded that limit, its runtime does not check it.
  with_dynamic(5000);
  run();
  EXPECT_FALSE(last().contains("code")) << last();
}

}  // namespace
}  // namespace kernloop::replay
