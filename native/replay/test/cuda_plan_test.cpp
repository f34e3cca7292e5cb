// Decisions of the CUDA back end before it asks any driver.
#include <gtest/gtest.h>

#include <random>

#include "replay/cuda/cache_state.h"
#include "replay/cuda/cuda_device.h"
#include "replay/cuda/describe.h"
#include "replay/cuda/device_fit.h"
#include "replay/cuda/fault.h"
#include "replay/cuda/launch_plan.h"
#include "replay/cuda/other_tools.h"
#include "replay/cuda/reservation.h"

namespace kernloop::replay {
namespace {

using Ranges = std::vector<AddressRange>;
constexpr uint64_t kMiB = 1 << 20;

// Addresses of an H200 (driver 580): small allocations share a granule, 512 bytes apart; the async pool has low
// addresses.
TEST(Reservation, MergesAllocationsOfOneGranuleIntoOneWindow) {
  const Ranges captured = {{0x7f7721e00000, 4096}, {0x7f7721e00200 + 4096, 512}, {0x302000000, 100}};
  EXPECT_EQ(round_out(captured, kDeviceGranule), (Ranges{{0x302000000, 2 * kMiB}, {0x7f7721e00000, 2 * kMiB}}));
  EXPECT_EQ(round_out(captured, kWindowBytes), (Ranges{{0x302000000, 32 * kMiB}, {0x7f7720000000, 32 * kMiB}}));
}

TEST(Reservation, CoversARangeThatCrossesAWindow) {
  EXPECT_EQ(round_out({{0x7f0001fff000, 0x2000}}, kWindowBytes), (Ranges{{0x7f0000000000, 64 * kMiB}}));
  EXPECT_EQ(round_out({{0x7f0000000000, 32 * kMiB}}, kWindowBytes), (Ranges{{0x7f0000000000, 32 * kMiB}}))
      << "no byte more than is needed";
}

TEST(Reservation, SurvivesTheEndOfTheAddressSpace) {
  const Ranges end = round_out({{UINT64_MAX - 10, 11}}, kWindowBytes);
  for (const AddressRange& range : end) EXPECT_GE(range.end(), range.base);
  EXPECT_EQ(round_out({{UINT64_MAX - 3 * kWindowBytes, 2 * kWindowBytes}}, kWindowBytes).size(), 1u);
}

// Against the definition, byte by byte in units of a small size.
TEST(Reservation, CoversExactlyTheUnitsThatHoldABytes) {
  std::mt19937 random(3);
  for (int round = 0; round < 300; ++round) {
    Ranges captured;
    std::vector<bool> wanted(64);
    for (int i = 0; i < 5; ++i) {
      const uint64_t base = random() % 400, size = 1 + random() % 60;
      captured.push_back({base, size});
      for (uint64_t at = base; at < base + size; ++at) wanted[at / 8] = true;
    }
    std::vector<bool> covered(64);
    const Ranges rounded = round_out(captured, 8);
    for (size_t i = 0; i < rounded.size(); ++i) {
      EXPECT_EQ(rounded[i].base % 8 + rounded[i].size % 8, 0u);
      if (i > 0) {
        EXPECT_GT(rounded[i].base, rounded[i - 1].end()) << "those that touch are one";
      }
      for (uint64_t at = rounded[i].base; at < rounded[i].end(); at += 8) covered[at / 8] = true;
    }
    EXPECT_EQ(covered, wanted) << round;
  }
}

TEST(Reservation, TellsOverlapsFromNeighbours) {
  const Ranges windows = {{0x1000, 0x1000}, {0x4000, 0x1000}};
  EXPECT_FALSE(overlaps_any(windows, {0x0, 0x1000}));
  EXPECT_TRUE(overlaps_any(windows, {0x0, 0x1001}));
  EXPECT_TRUE(overlaps_any(windows, {0x1800, 0x10}));
  EXPECT_FALSE(overlaps_any(windows, {0x2000, 0x2000}));
  EXPECT_TRUE(overlaps_any(windows, {0x4fff, 1}));
  EXPECT_FALSE(overlaps_any(windows, {0x5000, 1}));
}

TEST(DeviceFit, FollowsBinaryCompatibility) {
  const auto fits = [](const char* isa, ComputeCapability device) {
    return check_device_fits(isa, device, "a device").ok();
  };
  EXPECT_TRUE(fits("sm_90", {9, 0}));
  EXPECT_TRUE(fits("sm_80", {8, 9})) << "a later minor version of the same major one";
  EXPECT_FALSE(fits("sm_89", {8, 0}));
  EXPECT_FALSE(fits("sm_80", {9, 0}));
  EXPECT_TRUE(fits("sm_90a", {9, 0}));
  EXPECT_FALSE(fits("sm_100a", {10, 3})) << "architecture-specific code runs on that one only";
  EXPECT_TRUE(fits("sm_120", {12, 1}));
  for (const char* nonsense : {"", "sm_", "gfx90a", "90", "sm_99999999999"})
    EXPECT_FALSE(fits(nonsense, {9, 0})) << nonsense;
  const auto mismatch = check_device_fits("sm_80", {9, 0}, "NVIDIA H200");
  EXPECT_EQ(mismatch.error().code, "DEVICE_MISMATCH");
  EXPECT_NE(mismatch.error().message.find("sm_80"), std::string::npos);
  EXPECT_NE(mismatch.error().message.find("sm_90 (NVIDIA H200)"), std::string::npos);
}

TEST(LaunchPlan, GivesTheDriverWhatTheAppAskedFor) {
  const auto plan = plan_launch({{"cooperative", 1},
                                 {"cluster_blocks_x", 2},
                                 {"cluster_blocks_y", 1},
                                 {"cluster_blocks_z", 1},
                                 {"cluster_scheduling_policy", 2},
                                 {"preferred_cluster_blocks_x", 4},
                                 {"non_portable_cluster", 1},
                                 {"preferred_shared_carveout_percent", 50},
                                 {"max_dynamic_shared_bytes", 100000},
                                 {"stack_bytes", 4096},
                                 {"malloc_heap_bytes", uint64_t{8} << 30},
                                 {"printf_fifo_bytes", 1 << 20},
                                 {"programmatic_launch", 1},
                                 {"device_ordinal", 3},
                                 {"graph_node", 1}},
                                1024);
  ASSERT_TRUE(plan) << plan.error().message;
  std::map<uint32_t, uint64_t> limits;
  for (const ContextLimit& limit : plan->limits) limits[limit.limit] = limit.value;
  EXPECT_EQ(limits, (std::map<uint32_t, uint64_t>{{cuda::CU_LIMIT_STACK_SIZE, 4096},
                                                  {cuda::CU_LIMIT_MALLOC_HEAP_SIZE, uint64_t{8} << 30},
                                                  {cuda::CU_LIMIT_PRINTF_FIFO_SIZE, 1 << 20}}));
  std::map<uint32_t, int> settings;
  for (const FunctionSetting& setting : plan->settings) settings[setting.attribute] = setting.value;
  EXPECT_EQ(settings, (std::map<uint32_t, int>{{cuda::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 100000},
                                               {cuda::CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 50},
                                               {cuda::CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1}}));
  std::map<uint32_t, cuda::CUlaunchAttributeValue> attributes;
  for (const cuda::CUlaunchAttribute& attribute : plan->attributes) attributes[attribute.id] = attribute.value;
  ASSERT_EQ(attributes.size(), 5u);
  EXPECT_EQ(attributes.at(cuda::CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION).preferredClusterDim.x, 4u);
  EXPECT_EQ(attributes.at(cuda::CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION).preferredClusterDim.z, 1u);

  EXPECT_EQ(attributes.at(cuda::CU_LAUNCH_ATTRIBUTE_COOPERATIVE).cooperative, 1);
  EXPECT_EQ(attributes.at(cuda::CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION).clusterDim.x, 2u);
  EXPECT_EQ(
      attributes.at(cuda::CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE).clusterSchedulingPolicyPreference,
      cuda::CU_CLUSTER_SCHEDULING_POLICY_LOAD_BALANCING);
  EXPECT_EQ(
      attributes.at(cuda::CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION).programmaticStreamSerializationAllowed,
      1);
}

TEST(LaunchPlan, RequiresTheClustersOfTheAppsFunction) {
  const auto plan = plan_launch({{"required_cluster_blocks_x", 4}, {"required_cluster_blocks_z", 2}}, 0);
  ASSERT_TRUE(plan) << plan.error().message;
  std::map<uint32_t, int> settings;
  for (const FunctionSetting& setting : plan->settings) settings[setting.attribute] = setting.value;
  EXPECT_EQ(settings, (std::map<uint32_t, int>{{cuda::CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH, 4},
                                               {cuda::CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT, 1},
                                               {cuda::CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH, 2}}))
      << "all or none of them are positive";
  EXPECT_TRUE(plan->attributes.empty()) << "the launch itself says nothing of them";
}

TEST(LaunchPlan, AsksForMoreSharedMemoryOnlyWhereThatIsNeeded) {
  EXPECT_TRUE(plan_launch({}, 48 << 10)->settings.empty());
  const auto plan = plan_launch({}, (48 << 10) + 1);
  ASSERT_EQ(plan->settings.size(), 1u);
  EXPECT_EQ(plan->settings[0].value, (48 << 10) + 1);
  EXPECT_EQ(plan_launch({{"max_dynamic_shared_bytes", 10}}, 100)->settings.at(0).value, 100)
      << "a variant may use more than the app allowed itself";
}

TEST(LaunchPlan, LeavesTheCarveoutToTheDriverWhereTheAppDid) {
  EXPECT_TRUE(plan_launch({{"preferred_shared_carveout_percent", UINT32_MAX}}, 0)->settings.empty());
}

TEST(LaunchPlan, RefusesWhatItDoesNotKnow) {
  EXPECT_EQ(plan_launch({{"gravity", 1}}, 0).error().code, "CAPTURE_UNSUPPORTED");
  EXPECT_EQ(plan_launch({{"cooperative", uint64_t{1} << 32}}, 0).error().code, "CAPTURE_INVALID");
  EXPECT_EQ(plan_launch({{"cluster_blocks_y", UINT64_MAX}}, 0).error().code, "CAPTURE_INVALID");
  EXPECT_EQ(plan_launch({{"required_cluster_blocks_x", UINT64_MAX}}, 0).error().code, "CAPTURE_INVALID");
  EXPECT_EQ(plan_launch({{"max_dynamic_shared_bytes", UINT64_MAX}}, 0).error().code, "CAPTURE_INVALID");
}

TEST(Fault, KnowsKernelsFromTheRest) {
  EXPECT_EQ(fault_kind(cuda::CUDA_ERROR_ILLEGAL_ADDRESS), "memory_access");
  EXPECT_EQ(fault_kind(cuda::CUDA_ERROR_ASSERT), "assert");
  EXPECT_EQ(fault_kind(cuda::CUDA_SUCCESS), "");
  EXPECT_EQ(fault_kind(cuda::CUDA_ERROR_NOT_READY), "");
  EXPECT_EQ(fault_kind(cuda::CUDA_ERROR_OUT_OF_MEMORY), "");
  EXPECT_TRUE(is_refused_launch(cuda::CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES));
  EXPECT_FALSE(is_refused_launch(cuda::CUDA_ERROR_ILLEGAL_ADDRESS));
}

TEST(OtherTools, LeavesCuptiToThem) {
  const auto reason = [](std::vector<std::string> environment) {
    std::vector<char*> pointers;
    for (std::string& entry : environment) pointers.push_back(entry.data());
    pointers.push_back(nullptr);
    return reason_against_cupti(pointers.data());
  };
  EXPECT_EQ(reason({"PATH=/bin", "LD_PRELOAD=", "CUDA_INJECTION64_PATH=", "KERNLOOP_CUPTI=/opt/libcupti.so.13"}), "");
  EXPECT_NE(reason({"KERNLOOP_CUPTI=off"}), "");
  EXPECT_NE(reason({"A=1", "CUDA_INJECTION64_PATH=/opt/tool.so"}), "");
  EXPECT_NE(reason({"LD_PRELOAD=/usr/local/cuda/compute-sanitizer/libTreeLauncherTargetInjection.so"}), "");
  EXPECT_TRUE(names_capture_agent("/opt/kernloop/lib/libkernloop-capture-cuda.so"));
  EXPECT_FALSE(names_capture_agent("/opt/tool.so"));
}

TEST(Describe, ReadsTheDriverPackagesVersion) {
  EXPECT_EQ(driver_version_in("NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat Aug 19 01:15:15 UTC "
                              "2023\nGCC version:  gcc version 12.2.0 (Debian 12.2.0-14)\n"),
            "535.104.05");
  EXPECT_EQ(driver_version_in("NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159.04  Release Build  "
                              "(buildd@host)  Tue\nGCC version: 12.2.0\n"),
            "580.159.04");
  EXPECT_EQ(driver_version_in(""), "");
  EXPECT_EQ(driver_version_in("NVRM version: none\nGCC version: 12.2.0\n"), "");
}

TEST(CacheState, TouchesNoMoreThanFits) {
  EXPECT_EQ(first_bytes({{0x1000, 100}, {0x5000, 100}, {0x9000, 1}}, 150), (Ranges{{0x1000, 100}, {0x5000, 50}}));
  EXPECT_EQ(first_bytes({{0x1000, 100}}, 1000), (Ranges{{0x1000, 100}}));
  EXPECT_TRUE(first_bytes({}, 1000).empty());
}

TEST(CudaHome, KeepsPinnedMemoryOnTheHost) {
  const auto home = [](archive::RegionClass memory_class, const char* api) {
    archive::Region region;
    region.memory_class = memory_class;
    region.api = api;
    return cuda_home_of(region);
  };
  using archive::RegionClass;
  EXPECT_EQ(home(RegionClass::kDevice, "cuMemAlloc_v2"), RegionClass::kDevice);
  EXPECT_EQ(home(RegionClass::kHost, "cuMemHostAlloc"), RegionClass::kHost);
  EXPECT_EQ(home(RegionClass::kHost, "cuMemHostRegister_v2"), RegionClass::kHost);
  EXPECT_EQ(home(RegionClass::kHost, "cuMemAllocManaged"), RegionClass::kDevice);
  EXPECT_EQ(home(RegionClass::kHost, "cuIpcOpenMemHandle"), RegionClass::kDevice);
}

}  // namespace
}  // namespace kernloop::replay
