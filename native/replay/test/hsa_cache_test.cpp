// Steps between restoring memory and the launch that counts, which bring the caches into the requested state: the calls
// of the HSA runtime in their order, on the software GPU in this process, and the content of memory at each.
#include <gtest/gtest.h>

#include <algorithm>

#include "archive/capture/reader.h"
#include "replay/core/session/session.h"
#include "replay/hsa/caches.h"
#include "replay/hsa/hsa_device.h"
#include "replay/test/fill_capture.h"

namespace kernloop::replay {
namespace {

using Calls = std::vector<std::string>;

// The observed functions, and the list of their calls. "restored" or "written" after a call: whether `out` was then as
// before the dispatch.
struct Recorded {
  decltype(&hsa_amd_memory_fill) fill = nullptr;
  decltype(&hsa_memory_copy) copy = nullptr;
  decltype(&hsa_queue_add_write_index_scacq_screl) take_slot = nullptr;
  decltype(&hsa_amd_memory_pool_allocate) allocate = nullptr;
  bool is_device_full = false;
  Buffer out_pre;
  Calls calls;
  uint64_t overwritten = 0;             // bytes of the last fill
  uint64_t copied = 0;                  // bytes since the last launch
  std::vector<uint64_t> copied_before;  // each launch

  void add(const std::string& call) {
    const auto* out = reinterpret_cast<const uint8_t*>(FillCapture::kOut);
    calls.push_back(call + (std::equal(out_pre.begin(), out_pre.end(), out) ? " restored" : " written"));
  }
} recorded;

std::unique_ptr<HsaLibrary> record(std::unique_ptr<HsaLibrary> library) {
  recorded.fill = library->hsa_amd_memory_fill;
  recorded.copy = library->hsa_memory_copy;
  recorded.take_slot = library->hsa_queue_add_write_index_scacq_screl;
  recorded.allocate = library->hsa_amd_memory_pool_allocate;
  library->hsa_amd_memory_pool_allocate = [](hsa_amd_memory_pool_t pool, size_t bytes, uint32_t flags, void** at) {
    constexpr size_t kKernelArguments = 1024;
    if (recorded.is_device_full && bytes > kKernelArguments) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    return recorded.allocate(pool, bytes, flags, at);
  };
  library->hsa_amd_memory_fill = [](void* at, uint32_t value, size_t count) {
    recorded.add("overwrite");
    recorded.overwritten = count * sizeof value;
    const hsa_status_t status = recorded.fill(at, value, count);
    EXPECT_EQ(static_cast<uint32_t*>(at)[count - 1], value);
    return status;
  };
  library->hsa_memory_copy = [](void* to, const void* from, size_t bytes) {
    recorded.copied += bytes;
    return recorded.copy(to, from, bytes);
  };
  // Not the doorbell: the packet is valid before it rings, and a queue that is awake executes it at once.
  library->hsa_queue_add_write_index_scacq_screl = [](const hsa_queue_t* queue, uint64_t packets) {
    recorded.add("launch");
    recorded.copied_before.push_back(std::exchange(recorded.copied, 0));
    return recorded.take_slot(queue, packets);
  };
  return library;
}

class HsaCaches : public testing::Test {
 protected:
  void SetUp() override {
    capture_.write(directory_.path() / "capture");
    recorded = {};
    recorded.out_pre = as_bytes(capture_.out_pre);
  }

  SessionEnd replay(std::vector<std::string> more) {
    std::vector<std::string> arguments = {"--capture", (directory_.path() / "capture").string(), "--limit-seconds",
                                          "120"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    auto options = parse_options(arguments);
    auto reader = archive::Reader::open(options->capture, {});
    auto library = HsaLibrary::open(KERNLOOP_SOFTGPU_RUNTIME);
    EXPECT_TRUE(library) << library.error().message;
    auto device = start_hsa_device(record(std::move(*library)), *options, (*reader)->manifest().device.isa);
    EXPECT_TRUE(device) << device.error().message;
    return run_session(*options, **reader, **device, events_);
  }

  archive::TemporaryDirectory directory_;
  FillCapture capture_;
  EventList events_;
};

TEST_F(HsaCaches, OverwriteMemoryBetweenRestoringAndEveryLaunchWhereCold) {
  EXPECT_EQ(replay({"--cache", "cold", "--iterations", "2", "--warmup", "1"}).exit_code, kExitPass)
      << events_.events.back();
  // Restoring comes first: it leaves its memory in the caches.
  const Calls one = {"overwrite restored", "launch restored"};
  EXPECT_EQ(recorded.calls, (Calls{one[0], one[1], one[0], one[1], one[0], one[1]}));
  const archive::Json cache = events_.first("cache");
  EXPECT_EQ(cache["state"], "cold");
  EXPECT_EQ(cache["is_modelled"], false) << "the software GPU has no caches";
  EXPECT_EQ(cache["reported_bytes"], 8u << 20) << "but tells of those of an MI250X";
  EXPECT_EQ(cache["overwritten_bytes"], recorded.overwritten);
  EXPECT_EQ(recorded.overwritten, 3u * 8 << 20);
}

TEST_F(HsaCaches, LaunchTwiceOverRestoredMemoryWhereWarm) {
  EXPECT_EQ(replay({"--cache", "warm", "--iterations", "3"}).exit_code, kExitPass) << events_.events.back();
  EXPECT_EQ(recorded.calls, Calls(6, "launch restored")) << "each measured launch behind one that is not";
  EXPECT_EQ(events_.count("iteration"), 3u);
  EXPECT_EQ(events_.first("cache")["overwritten_bytes"], 0);
}

TEST_F(HsaCaches, RestoreFromTheArchiveWhereTheDeviceHasNoRoomForCopies) {
  recorded.is_device_full = true;
  EXPECT_EQ(replay({"--cache", "warm", "--iterations", "2"}).exit_code, kExitPass) << events_.events.back();
  EXPECT_EQ(recorded.calls, Calls(4, "launch restored"));
  EXPECT_EQ(replay({"--cache", "cold"}).exit_code, kExitEnvironment);
  EXPECT_EQ(events_.events.back()["code"], "OUT_OF_MEMORY");
}

TEST_F(HsaCaches, CountTheSameInEveryState) {
  std::vector<archive::Json> counters;
  for (const char* state : {"as-is", "warm", "cold"}) {
    events_.events.clear();
    // d_counter is 42 after one launch over restored memory only.
    EXPECT_EQ(replay({"--compare", "--iterations", "2", "--cache", state}).exit_code, kExitPass)
        << state << ": " << events_.events.back();
    counters.push_back(events_.first("iteration")["counters"]);
    EXPECT_EQ(events_.count("cache"), state == std::string("as-is") ? 0u : 1u);
  }
  EXPECT_EQ(counters[1], counters[0]);
  EXPECT_EQ(counters[2], counters[0]);
}

TEST_F(HsaCaches, WarmThroughBothSidesOfAComparison) {
  const std::string variant = test_code_object("wrong_bit.hsaco").string();
  EXPECT_EQ(replay({"--side-by-side", "--code-object", variant, "--iterations", "3", "--cache", "warm"}).exit_code,
            kExitPass)
      << events_.events.back();
  EXPECT_EQ(recorded.calls, Calls(12, "launch restored"));
  std::vector<uint64_t> differing;
  for (const archive::Json& event : events_.events) {
    if (event["event"] == "checked") differing.push_back(event["differing_bytes"]);
  }
  EXPECT_EQ(differing, (std::vector<uint64_t>{0, 1})) << "the counter of each side as after one launch";
}

TEST_F(HsaCaches, PutBackNoMoreThanWasWrittenBeforeAWarmLaunch) {
  // A region that the kernel does not touch, far larger than its output.
  capture_.pointers.assign((8u << 20) / sizeof(uint64_t), 0x1234);
  std::filesystem::remove_all(directory_.path() / "capture");
  capture_.write(directory_.path() / "capture");
  EXPECT_EQ(replay({"--cache", "warm", "--iterations", "2"}).exit_code, kExitPass) << events_.events.back();
  const std::vector<uint64_t>& copied = recorded.copied_before;
  ASSERT_EQ(copied.size(), 4u);
  EXPECT_GT(copied[2], 8u << 20) << "everything, before the launch that warms";
  EXPECT_GT(copied[3], 0u);
  EXPECT_LT(copied[3], 1u << 20) << "what the kernel writes, between that and the one that counts";
}

TEST_F(HsaCaches, TakeTheLargestThatTheRuntimeTellsOf) {
  auto library = HsaLibrary::open(KERNLOOP_SOFTGPU_RUNTIME);
  ASSERT_TRUE(library);
  HsaLibrary& hsa = **library;
  const hsa_agent_t agent{1};
  // An MI300X by a recent ROCr: the L2 of one die, and the Infinity Cache.
  hsa.hsa_agent_iterate_caches = [](hsa_agent_t, hsa_status_t (*tell)(hsa_cache_t, void*), void* data) {
    for (uint64_t level : {1, 2, 3}) tell({level}, data);
    return HSA_STATUS_SUCCESS;
  };
  hsa.hsa_cache_get_info = [](hsa_cache_t cache, hsa_cache_info_t attribute, void* value) {
    const uint32_t bytes[] = {32u << 10, 4u << 20, 256u << 20};
    if (attribute != HSA_CACHE_INFO_SIZE) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    *static_cast<uint32_t*>(value) = bytes[cache.handle - 1];
    return HSA_STATUS_SUCCESS;
  };
  hsa.hsa_agent_get_info = [](hsa_agent_t, hsa_agent_info_t, void* value) {
    const uint32_t by_level[4] = {16u << 10, 8u << 20, 0, 0};
    std::memcpy(value, by_level, sizeof by_level);
    return HSA_STATUS_SUCCESS;
  };
  EXPECT_EQ(largest_cache_bytes(hsa, agent), 256u << 20);
  // An older one, which lists none.
  hsa.hsa_agent_iterate_caches = [](hsa_agent_t, hsa_status_t (*)(hsa_cache_t, void*), void*) {
    return HSA_STATUS_ERROR_INVALID_AGENT;
  };
  EXPECT_EQ(largest_cache_bytes(hsa, agent), 8u << 20);
  hsa.hsa_agent_get_info = [](hsa_agent_t, hsa_agent_info_t, void*) { return HSA_STATUS_ERROR_INVALID_ARGUMENT; };
  EXPECT_EQ(largest_cache_bytes(hsa, agent), 0u);
  EXPECT_EQ(bytes_to_overwrite(0, kLeastOverwrittenBytes), 512u << 20);
  EXPECT_EQ(bytes_to_overwrite(8u << 20, kLeastOverwrittenBytes), 512u << 20);
  EXPECT_EQ(bytes_to_overwrite(256u << 20, kLeastOverwrittenBytes), 768u << 20);
}

}  // namespace
}  // namespace kernloop::replay
