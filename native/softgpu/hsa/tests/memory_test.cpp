#include <sys/mman.h>

#include <algorithm>
#include <random>

#include "softgpu/hsa/tests/client.h"

namespace kernloop::softgpu {
namespace {

uint64_t address(const void* pointer) {
  return reinterpret_cast<uint64_t>(pointer);
}

class MemoryTest : public HsaTest {
 protected:
  // Runs store(to, value) and says whether it went through.
  bool kernel_can_store(uint32_t* to, uint32_t value) {
    hsa_signal_t done = signal(1);
    errors.count = 0;
    enqueue(queue(), packet(kernel("store"), kernargs(to, value), done));
    EXPECT_TRUE(soon([&] { return hsa_signal_load_scacquire(done) == 0 || errors.count != 0; }));
    return hsa_signal_load_scacquire(done) == 0 && *to == value;
  }
  hsa_amd_pointer_info_t info(const void* pointer) {
    hsa_amd_pointer_info_t result{};
    result.size = sizeof(result);
    EXPECT_HSA(hsa_amd_pointer_info(pointer, &result, nullptr, nullptr, nullptr));
    return result;
  }
};

TEST_F(MemoryTest, AddressesAreFixedAndMemoryIsZero) {
  char* on_device = device<char>(10000);
  char* on_host = allocate<char>(10000, agents.fine);
  EXPECT_EQ(address(on_device), 0x41b7'0010'0000u);
  EXPECT_EQ(address(on_host), 0x48d3'0010'0000u);
  EXPECT_TRUE(std::all_of(on_device, on_device + 12288, [](char c) { return c == 0; }));
  std::fill_n(on_device, 10000, 'x');
  ASSERT_HSA(hsa_amd_memory_pool_free(on_device));
  char* again = device<char>(10000);
  EXPECT_EQ(again, on_device) << "a freed block is used again for its size";
  EXPECT_EQ(again[5000], 0) << "and is zero again";
  EXPECT_NE(device<char>(5), again);
}

TEST_F(MemoryTest, AFreedPointerIsUnknownAndFaults) {
  uint32_t* memory = device(1024);
  EXPECT_TRUE(kernel_can_store(memory, 3));
  EXPECT_EQ(info(memory + 7).type, HSA_EXT_POINTER_TYPE_HSA);
  ASSERT_HSA(hsa_amd_memory_pool_free(memory));
  EXPECT_EQ(info(memory).type, HSA_EXT_POINTER_TYPE_UNKNOWN);
  EXPECT_EQ(hsa_amd_memory_pool_free(memory), HSA_STATUS_ERROR_INVALID_ALLOCATION);
  EXPECT_FALSE(kernel_can_store(memory, 4));
}

// The program's mistake, but not the end of the process: on hardware such a dispatch faults at worst.
TEST_F(MemoryTest, MemoryFreedUnderARunningDispatchStaysUntilItsEnd) {
  auto* flag = allocate<uint32_t>(16, agents.fine);
  auto* started = allocate<uint32_t>(16, agents.fine);
  uint32_t* data = device(1024);
  hsa_signal_t done = signal(1);
  errors.count = 0;
  enqueue(queue(), packet(kernel("use_until"), kernargs(flag, started, data), done));
  const volatile uint32_t* has_started = started;
  EXPECT_TRUE(soon([&] { return *has_started != 0 || errors.count != 0; }));
  ASSERT_HSA(hsa_amd_memory_pool_free(data));
  uint32_t* other = device(1024);
  EXPECT_NE(other, data) << "the dispatch may still write there";
  for (int round = 0; round < 2; ++round) {  // in the second one it writes after the call
    __atomic_store_n(started, 0u, __ATOMIC_RELEASE);
    EXPECT_TRUE(soon([&] { return *has_started != 0 || errors.count != 0; }));
  }
  __atomic_store_n(flag, 1u, __ATOMIC_RELEASE);
  EXPECT_TRUE(soon([&] { return hsa_signal_load_scacquire(done) == 0 || errors.count != 0; }));
  EXPECT_TRUE(std::all_of(other, other + 1024, [](uint32_t word) { return word == 0; }));
  EXPECT_TRUE(kernel_can_store(other, 1)) << "the device goes on";
  EXPECT_EQ(device(1024), data) << "and the block is free again";
}

TEST_F(MemoryTest, TheLastPageIsUsableAndTheNextFaults) {
  uint32_t* memory = device(1024);
  device(1024);
  EXPECT_TRUE(kernel_can_store(memory + 1023, 1));
  EXPECT_FALSE(kernel_can_store(memory + 1024, 1));
}

TEST_F(MemoryTest, MoreThanThereIsIsRefused) {
  size_t size = 0;
  ASSERT_HSA(hsa_amd_memory_pool_get_info(agents.device, HSA_AMD_MEMORY_POOL_INFO_SIZE, &size));
  EXPECT_GT(size, size_t{64} << 20);
  void* pointer = nullptr;
  EXPECT_EQ(hsa_amd_memory_pool_allocate(agents.device, size + 1, 0, &pointer), HSA_STATUS_ERROR_INVALID_ALLOCATION);
  EXPECT_EQ(hsa_amd_memory_pool_allocate(agents.device, SIZE_MAX, 0, &pointer), HSA_STATUS_ERROR_INVALID_ALLOCATION);
  EXPECT_EQ(hsa_amd_memory_pool_allocate(agents.device, 0, 0, &pointer), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  ASSERT_HSA(hsa_amd_memory_pool_allocate(agents.device, size / 2 + 4096, 0, &pointer));
  void* second = nullptr;
  EXPECT_EQ(hsa_amd_memory_pool_allocate(agents.device, size / 2 + 4096, 0, &second),
            HSA_STATUS_ERROR_OUT_OF_RESOURCES);
  ASSERT_HSA(hsa_amd_memory_pool_free(pointer));
  EXPECT_HSA(hsa_amd_memory_pool_allocate(agents.device, size / 2 + 4096, 0, &second));
}

TEST_F(MemoryTest, PointerInfoDescribesTheWholeAllocation) {
  uint32_t* memory = device(3000);
  int tag = 0;
  ASSERT_HSA(hsa_amd_pointer_info_set_userdata(memory, &tag));
  hsa_amd_pointer_info_t result{};
  result.size = sizeof(result);
  uint32_t count = 0;
  hsa_agent_t* accessible = nullptr;
  ASSERT_HSA(hsa_amd_pointer_info(memory + 2999, &result, malloc, &count, &accessible));
  EXPECT_EQ(result.agentBaseAddress, memory);
  EXPECT_EQ(result.sizeInBytes, 12288u);
  EXPECT_EQ(result.agentOwner.handle, agents.gpu.handle);
  EXPECT_EQ(result.userData, &tag);
  EXPECT_EQ(count, 2u);
  free(accessible);
  // An older caller's shorter structure is not written beyond its end.
  struct {
    hsa_amd_pointer_info_t info;
  } old;
  std::memset(&old, 0x5a, sizeof(old));
  old.info.size = offsetof(hsa_amd_pointer_info_t, userData);
  ASSERT_HSA(hsa_amd_pointer_info(memory, &old.info, nullptr, nullptr, nullptr));
  EXPECT_EQ(address(old.info.userData), 0x5a5a'5a5a'5a5a'5a5au);
}

TEST_F(MemoryTest, HostMemoryIsTheGpusOnlyWhileLocked) {
  void* pages = mmap(nullptr, 4 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  auto* words = static_cast<uint32_t*>(pages);
  EXPECT_FALSE(kernel_can_store(words, 1));
  void *outer = nullptr, *inner = nullptr;
  ASSERT_HSA(hsa_amd_memory_lock(words, 3 * 4096, &agents.gpu, 1, &outer));
  EXPECT_EQ(outer, pages);
  EXPECT_TRUE(kernel_can_store(words, 2));
  EXPECT_EQ(info(words + 5).type, HSA_EXT_POINTER_TYPE_LOCKED);
  // A second lock of a part: after its unlock the first still holds, and the other way round.
  ASSERT_HSA(hsa_amd_memory_lock_to_pool(words + 1024, 4096, &agents.gpu, 1, agents.fine, 0, &inner));
  ASSERT_HSA(hsa_amd_memory_unlock(words + 1024));
  EXPECT_TRUE(kernel_can_store(words + 1024, 3));
  ASSERT_HSA(hsa_amd_memory_lock(words + 1024, 4096, nullptr, 0, &inner));
  ASSERT_HSA(hsa_amd_memory_unlock(words));
  EXPECT_TRUE(kernel_can_store(words + 1024, 4));
  EXPECT_FALSE(kernel_can_store(words, 5));
  ASSERT_HSA(hsa_amd_memory_unlock(words + 1024));
  EXPECT_FALSE(kernel_can_store(words + 1024, 6));
  munmap(pages, 4 * 4096);
}

TEST_F(MemoryTest, LockingPoolMemoryChangesNothing) {
  uint32_t* memory = device(1024);
  void* locked = nullptr;
  ASSERT_HSA(hsa_amd_memory_lock(memory, 4096, nullptr, 0, &locked));
  ASSERT_HSA(hsa_amd_memory_unlock(memory));
  EXPECT_TRUE(kernel_can_store(memory, 1));
}

TEST_F(MemoryTest, DeallocationCallbacksRunAtTheFree) {
  uint32_t* memory = device(16);
  static int called;
  called = 0;
  auto callback = [](void*, void* data) { called += *static_cast<int*>(data); };
  int five = 5, seven = 7;
  ASSERT_HSA(hsa_amd_register_deallocation_callback(memory, callback, &five));
  uint32_t* other = device(16);
  ASSERT_HSA(hsa_amd_register_deallocation_callback(other, callback, &seven));
  ASSERT_HSA(hsa_amd_deregister_deallocation_callback(other, callback));
  ASSERT_HSA(hsa_amd_memory_pool_free(memory));
  ASSERT_HSA(hsa_amd_memory_pool_free(other));
  EXPECT_EQ(called, 5);
}

TEST_F(MemoryTest, AsyncCopyWaitsForItsDependencies) {
  char *from = device<char>(5000), *to = allocate<char>(5000, agents.fine);
  for (int i = 0; i < 5000; ++i) from[i] = static_cast<char>(i * 7);
  hsa_signal_t first = signal(1), second = signal(2), done = signal(1);
  hsa_signal_t dependencies[] = {first, second};
  ASSERT_HSA(hsa_amd_memory_async_copy(to, agents.cpu, from, agents.gpu, 5000, 2, dependencies, done));
  hsa_signal_store_screlease(first, 0);
  EXPECT_EQ(wait_zero(done, kSecond / 20), 1);
  EXPECT_EQ(to[1], 0);
  hsa_signal_store_screlease(second, 0);
  EXPECT_EQ(wait_zero(done), 0);
  EXPECT_TRUE(std::equal(from, from + 5000, to));
  hsa_amd_profiling_async_copy_time_t time{};
  ASSERT_HSA(hsa_amd_profiling_get_async_copy_time(done, &time));
  EXPECT_GT(time.start, 0u);
  EXPECT_GE(time.end, time.start);
}

TEST_F(MemoryTest, CopiesAreMadeByTheEngineThatIsThere) {
  uint32_t engines = 0, free = 0;
  ASSERT_HSA(hsa_agent_get_info(agents.gpu, static_cast<hsa_agent_info_t>(HSA_AMD_AGENT_INFO_NUM_SDMA_ENG), &engines));
  ASSERT_HSA(hsa_amd_memory_copy_engine_status(agents.cpu, agents.gpu, &free));
  EXPECT_NE(free, 0u);
  EXPECT_EQ(free >> engines, 0u) << "of those that the agent has";
  EXPECT_EQ(hsa_amd_memory_copy_engine_status(agents.gpu, agents.gpu, &free), HSA_STATUS_ERROR_INVALID_AGENT);
  char *from = device<char>(100), *to = allocate<char>(100, agents.fine);
  from[99] = 'x';
  hsa_signal_t done = signal(1);
  ASSERT_HSA(hsa_amd_memory_async_copy_on_engine(to, agents.cpu, from, agents.gpu, 100, 0, nullptr, done,
                                                 static_cast<hsa_amd_sdma_engine_id_t>(free), false));
  EXPECT_EQ(wait_zero(done), 0);
  EXPECT_EQ(to[99], 'x');
  EXPECT_EQ(hsa_amd_memory_async_copy_on_engine(to, agents.cpu, from, agents.gpu, 100, 0, nullptr, done,
                                                static_cast<hsa_amd_sdma_engine_id_t>(1u << engines), false),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
}

// Attributes that HIP asks for since 6.0; as in ROCr, unnumbered ones are refused.
TEST_F(MemoryTest, AgentsTellWhatLaterReleasesAsk) {
  const auto ask = [](hsa_agent_t agent, int attribute, auto& value) {
    return hsa_agent_get_info(agent, static_cast<hsa_agent_info_t>(attribute), &value);
  };
  uint64_t frequency = 0, before = 0, after = 0;
  ASSERT_HSA(ask(agents.gpu, HSA_AMD_AGENT_INFO_TIMESTAMP_FREQUENCY, frequency));
  EXPECT_EQ(frequency, 100'000'000u) << "that of s_memrealtime";
  std::array<uint8_t, 8> properties;
  properties.fill(0xff);
  ASSERT_HSA(ask(agents.gpu, HSA_AMD_AGENT_INFO_MEMORY_PROPERTIES, properties));
  EXPECT_FALSE(hsa_flag_isset64(properties.data(), HSA_AMD_MEMORY_PROPERTY_AGENT_IS_APU));
  hsa_agent_t nearest{};
  ASSERT_HSA(ask(agents.gpu, HSA_AMD_AGENT_INFO_NEAREST_CPU, nearest));
  EXPECT_EQ(nearest.handle, agents.cpu.handle);
  ASSERT_HSA(ask(agents.gpu, HSA_AMD_AGENT_INFO_MEMORY_AVAIL, before));
  char* memory = device<char>(1 << 20);
  ASSERT_HSA(ask(agents.gpu, HSA_AMD_AGENT_INFO_MEMORY_AVAIL, after));
  EXPECT_EQ(before - after, 1u << 20);
  ASSERT_HSA(hsa_amd_memory_pool_free(memory));
  for (hsa_agent_t agent : {agents.cpu, agents.gpu}) {
    uint64_t value = 0;
    EXPECT_EQ(ask(agent, 0xA1FF, value), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    EXPECT_HSA(ask(agent, HSA_AMD_AGENT_INFO_NUM_XCC, value));
  }
}

TEST_F(MemoryTest, ACopyThatWaitsDoesNotHoldUpOthers) {
  char *a = device<char>(16), *b = device<char>(16), *c = device<char>(16);
  a[0] = 1;
  hsa_signal_t never = signal(1), blocked = signal(1), chain = signal(1), last = signal(1);
  ASSERT_HSA(hsa_amd_memory_async_copy(c, agents.gpu, b, agents.gpu, 16, 1, &never, blocked));
  // Submitted before the copy that it depends on.
  ASSERT_HSA(hsa_amd_memory_async_copy(c, agents.gpu, b, agents.gpu, 16, 1, &chain, last));
  ASSERT_HSA(hsa_amd_memory_async_copy(b, agents.gpu, a, agents.gpu, 16, 0, nullptr, chain));
  EXPECT_EQ(wait_zero(last), 0);
  EXPECT_EQ(c[0], 1);
  EXPECT_EQ(hsa_signal_load_relaxed(blocked), 1);
}

TEST_F(MemoryTest, RectanglesAreCopiedRowByRow) {
  std::mt19937 random(7);
  constexpr size_t kBytes = 40000;
  char *from = device<char>(kBytes), *to = device<char>(kBytes);
  for (int round = 0; round < 200; ++round) {
    for (size_t i = 0; i < kBytes; ++i) from[i] = static_cast<char>(random());
    std::fill_n(to, kBytes, '\0');
    auto geometry = [&](void* base) {
      const size_t pitch = 32 + 4 * (random() % 16);
      return hsa_pitched_ptr_t{base, pitch, pitch * (12 + random() % 5)};
    };
    const hsa_pitched_ptr_t source = geometry(from), target = geometry(to);
    auto below = [&](uint32_t limit) { return static_cast<uint32_t>(random() % limit); };
    const hsa_dim3_t range{1 + below(16), 1 + below(8), 1 + below(4)};
    const hsa_dim3_t source_offset{below(16), below(5), below(3)}, target_offset{below(16), below(5), below(3)};
    std::vector<char> expected(to, to + kBytes);
    for (uint32_t z = 0; z < range.z; ++z)
      for (uint32_t y = 0; y < range.y; ++y)
        for (uint32_t x = 0; x < range.x; ++x)
          expected[(z + target_offset.z) * target.slice + (y + target_offset.y) * target.pitch + x + target_offset.x] =
              from[(z + source_offset.z) * source.slice + (y + source_offset.y) * source.pitch + x + source_offset.x];
    hsa_signal_t done = signal(1);
    ASSERT_HSA(hsa_amd_memory_async_copy_rect(&target, &target_offset, &source, &source_offset, &range, agents.gpu,
                                              hsaDeviceToDevice, 0, nullptr, done));
    ASSERT_EQ(wait_zero(done), 0);
    ASSERT_TRUE(std::equal(expected.begin(), expected.end(), to)) << "round " << round;
    hsa_signal_destroy(done);
  }
}

TEST_F(MemoryTest, CopiesBeyondAnAllocationAreRefused) {
  char *small = device<char>(4096), *big = device<char>(8192);
  hsa_signal_t done = signal(1);
  EXPECT_EQ(hsa_memory_copy(small, big, 4097), HSA_STATUS_ERROR_INVALID_ALLOCATION);
  EXPECT_EQ(hsa_amd_memory_async_copy(big, agents.gpu, small, agents.gpu, 8192, 0, nullptr, done),
            HSA_STATUS_ERROR_INVALID_ALLOCATION);
  EXPECT_EQ(hsa_amd_memory_fill(small, 1, 1025), HSA_STATUS_ERROR_INVALID_ALLOCATION);
  const hsa_pitched_ptr_t to{small, 256, 4096}, from{big, 256, 4096}, huge{big, SIZE_MAX / 2, SIZE_MAX / 2};
  const hsa_dim3_t none{}, box{256, 16, 1}, too_far{256, 17, 1};
  EXPECT_EQ(hsa_amd_memory_async_copy_rect(&to, &none, &from, &none, &too_far, agents.gpu, hsaDeviceToDevice, 0,
                                           nullptr, done),
            HSA_STATUS_ERROR_INVALID_ALLOCATION);
  EXPECT_EQ(
      hsa_amd_memory_async_copy_rect(&to, &none, &huge, &none, &box, agents.gpu, hsaDeviceToDevice, 0, nullptr, done),
      HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_signal_load_relaxed(done), 1);
  EXPECT_HSA(
      hsa_amd_memory_async_copy_rect(&to, &none, &from, &none, &box, agents.gpu, hsaDeviceToDevice, 0, nullptr, done));
  EXPECT_EQ(wait_zero(done), 0);
}

TEST_F(MemoryTest, FillsAndSynchronousCopies) {
  uint32_t *a = device(1000), *b = device(1000);
  ASSERT_HSA(hsa_amd_memory_fill(a, 0xdeadbeef, 999));
  EXPECT_EQ(a[998], 0xdeadbeefu);
  EXPECT_EQ(a[999], 0u);
  ASSERT_HSA(hsa_memory_copy(b, a, 4000));
  EXPECT_TRUE(std::equal(a, a + 1000, b));
  a[0] = 1, a[1] = 2;
  ASSERT_HSA(hsa_memory_copy(a + 1, a, 8));  // overlapping
  EXPECT_EQ(a[1], 1u);
  EXPECT_EQ(a[2], 2u);
}

TEST_F(MemoryTest, RegionsOfHsa10Allocate) {
  std::vector<hsa_region_t> regions;
  ASSERT_HSA(hsa_agent_iterate_regions(
      agents.gpu,
      [](hsa_region_t region, void* data) {
        static_cast<std::vector<hsa_region_t>*>(data)->push_back(region);
        return HSA_STATUS_SUCCESS;
      },
      &regions));
  int allocated = 0;
  for (hsa_region_t region : regions) {
    bool allowed = false;
    ASSERT_HSA(hsa_region_get_info(region, HSA_REGION_INFO_RUNTIME_ALLOC_ALLOWED, &allowed));
    void* memory = nullptr;
    if (!allowed) {
      EXPECT_NE(hsa_memory_allocate(region, 64, &memory), HSA_STATUS_SUCCESS);
      continue;
    }
    ASSERT_HSA(hsa_memory_allocate(region, 64, &memory));
    EXPECT_TRUE(kernel_can_store(static_cast<uint32_t*>(memory), 9));
    ASSERT_HSA(hsa_memory_free(memory));
    ++allocated;
  }
  EXPECT_EQ(allocated, 4);
}

}  // namespace
}  // namespace kernloop::softgpu
