// AMD's own ROCr over the emulated driver: each test is an hsa_init to an hsa_shut_down.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>
#include <sys/mman.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "base/testing/soon.h"

namespace {

constexpr uint64_t kLong = 20'000'000'000;  // a wait that takes this long has failed

#define ASSERT_HSA(call) ASSERT_EQ(call, HSA_STATUS_SUCCESS)

class Rocr : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_HSA(hsa_init());
    ASSERT_HSA(hsa_iterate_agents(
        [](hsa_agent_t agent, void* data) {
          hsa_device_type_t type;
          hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type);
          (type == HSA_DEVICE_TYPE_GPU ? static_cast<Rocr*>(data)->gpu_ : static_cast<Rocr*>(data)->cpu_) = agent;
          return HSA_STATUS_SUCCESS;
        },
        this));
    ASSERT_NE(gpu_.handle, 0u);
    ASSERT_HSA(hsa_amd_agent_iterate_memory_pools(
        cpu_,
        [](hsa_amd_memory_pool_t pool, void* data) {
          uint32_t flags = 0;
          hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS, &flags);
          if (flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT) static_cast<Rocr*>(data)->host_ = pool;
          return HSA_STATUS_SUCCESS;
        },
        this));
    ASSERT_HSA(hsa_amd_agent_iterate_memory_pools(
        gpu_,
        [](hsa_amd_memory_pool_t pool, void* data) {
          hsa_amd_segment_t segment;
          hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_SEGMENT, &segment);
          if (segment == HSA_AMD_SEGMENT_GLOBAL) static_cast<Rocr*>(data)->vram_ = pool;
          return HSA_STATUS_SUCCESS;
        },
        this));
    std::ifstream file(std::getenv("KERNLOOP_TEST_KERNELS"), std::ios::binary);
    code_.assign(std::istreambuf_iterator<char>(file), {});
    ASSERT_FALSE(code_.empty());
    hsa_code_object_reader_t reader;
    ASSERT_HSA(hsa_code_object_reader_create_from_memory(code_.data(), code_.size(), &reader));
    ASSERT_HSA(
        hsa_executable_create_alt(HSA_PROFILE_BASE, HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR, nullptr, &executable_));
    ASSERT_HSA(hsa_executable_load_agent_code_object(executable_, gpu_, reader, nullptr, nullptr));
    ASSERT_HSA(hsa_executable_freeze(executable_, nullptr));
    ASSERT_HSA(hsa_code_object_reader_destroy(reader));
    ASSERT_HSA(hsa_queue_create(gpu_, 64, HSA_QUEUE_TYPE_MULTI, on_error, this, UINT32_MAX, UINT32_MAX, &queue_));
    ASSERT_HSA(hsa_signal_create(0, 0, nullptr, &done_));
  }
  void TearDown() override {
    EXPECT_EQ(hsa_signal_destroy(done_), HSA_STATUS_SUCCESS);
    EXPECT_EQ(hsa_queue_destroy(queue_), HSA_STATUS_SUCCESS);
    EXPECT_EQ(hsa_executable_destroy(executable_), HSA_STATUS_SUCCESS);
    EXPECT_EQ(hsa_shut_down(), HSA_STATUS_SUCCESS);
  }

  static void on_error(hsa_status_t status, hsa_queue_t*, void* data) { static_cast<Rocr*>(data)->error_ = status; }

  uint32_t* words(hsa_amd_memory_pool_t pool, size_t count) {
    void* pointer = nullptr;
    EXPECT_EQ(hsa_amd_memory_pool_allocate(pool, count * sizeof(uint32_t), 0, &pointer), HSA_STATUS_SUCCESS);
    EXPECT_EQ(hsa_amd_agents_allow_access(1, &gpu_, nullptr, pointer), HSA_STATUS_SUCCESS);
    return static_cast<uint32_t*>(pointer);
  }

  // Work-items in workgroups of 64, at most. The arguments are 8 bytes each.
  void launch(const std::string& kernel, uint32_t items, const std::vector<uint64_t>& arguments) {
    hsa_executable_symbol_t symbol{};
    ASSERT_HSA(hsa_executable_get_symbol_by_name(executable_, (kernel + ".kd").c_str(), &gpu_, &symbol));
    uint64_t object = 0;
    ASSERT_HSA(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT, &object));
    constexpr size_t kImplicit = 64;  // words, for what clang adds behind
    auto* const kernarg = words(host_, 2 * arguments.size() + kImplicit);
    std::memset(kernarg, 0, (2 * arguments.size() + kImplicit) * sizeof(uint32_t));
    std::memcpy(kernarg, arguments.data(), arguments.size() * sizeof(uint64_t));
    hsa_signal_store_relaxed(done_, 1);
    const uint64_t index = hsa_queue_add_write_index_relaxed(queue_, 1);
    auto& packet = static_cast<hsa_kernel_dispatch_packet_t*>(queue_->base_address)[index % queue_->size];
    packet.setup = 1;
    packet.workgroup_size_x = static_cast<uint16_t>(std::min(items, 64u));
    packet.workgroup_size_y = packet.workgroup_size_z = 1;
    packet.grid_size_x = items;
    packet.grid_size_y = packet.grid_size_z = 1;
    packet.private_segment_size = packet.group_segment_size = 0;
    packet.kernel_object = object;
    packet.kernarg_address = kernarg;
    packet.completion_signal = done_;
    const uint16_t header = HSA_PACKET_TYPE_KERNEL_DISPATCH << HSA_PACKET_HEADER_TYPE |
                            HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
                            HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE;
    std::atomic_ref<uint16_t>(packet.header).store(header, std::memory_order_release);
    hsa_signal_store_screlease(queue_->doorbell_signal, static_cast<hsa_signal_value_t>(index));
  }
  int64_t wait() { return hsa_signal_wait_scacquire(done_, HSA_SIGNAL_CONDITION_LT, 1, kLong, HSA_WAIT_STATE_BLOCKED); }

  static uint64_t address(const void* pointer) { return reinterpret_cast<uint64_t>(pointer); }

  hsa_agent_t cpu_{}, gpu_{};
  hsa_amd_memory_pool_t host_{}, vram_{};
  std::vector<char> code_;
  hsa_executable_t executable_{};
  hsa_queue_t* queue_ = nullptr;
  hsa_signal_t done_{};
  std::atomic<int> error_{0};
};

TEST_F(Rocr, IsTheSystemsOwn) {
  Dl_info info;
  ASSERT_NE(::dladdr(reinterpret_cast<void*>(hsa_init), &info), 0);
  EXPECT_EQ(std::filesystem::canonical(info.dli_fname), std::filesystem::canonical(std::getenv("KERNLOOP_TEST_ROCR")));
}

TEST_F(Rocr, SeesTheTargetAndItsMemory) {
  char name[64] = "";
  ASSERT_HSA(hsa_agent_get_info(gpu_, HSA_AGENT_INFO_NAME, name));
  EXPECT_STREQ(name, std::getenv("KERNLOOP_SOFTGPU"));
  uint32_t wave = 0;
  ASSERT_HSA(hsa_agent_get_info(gpu_, HSA_AGENT_INFO_WAVEFRONT_SIZE, &wave));
  EXPECT_EQ(wave, std::string(name) == "gfx90a" ? 64u : 32u);
  size_t bytes = 0;
  ASSERT_HSA(hsa_amd_memory_pool_get_info(vram_, HSA_AMD_MEMORY_POOL_INFO_SIZE, &bytes));
  EXPECT_EQ(bytes, size_t{16} << 30);
}

TEST_F(Rocr, DispatchesAndCopiesByItsOwnQueues) {
  constexpr uint32_t kItems = 1000;  // the last workgroup is partial
  uint32_t *left = words(vram_, kItems), *right = words(vram_, kItems), *sum = words(vram_, kItems);
  uint32_t *from = words(host_, 2 * kItems), *back = words(host_, kItems);
  for (uint32_t each = 0; each < kItems; each++) {
    from[each] = each * 7;
    from[kItems + each] = 5'000'000 - each;
  }
  const auto copy = [&](void* to, hsa_agent_t to_agent, const void* source, hsa_agent_t source_agent) {
    hsa_signal_store_relaxed(done_, 1);
    ASSERT_HSA(
        hsa_amd_memory_async_copy(to, to_agent, source, source_agent, kItems * sizeof(uint32_t), 0, nullptr, done_));
    ASSERT_EQ(wait(), 0);
  };
  copy(left, gpu_, from, cpu_);
  copy(right, gpu_, from + kItems, cpu_);
  launch("add", kItems, {address(left), address(right), address(sum)});
  ASSERT_EQ(wait(), 0);
  copy(back, cpu_, sum, gpu_);
  for (uint32_t each = 0; each < kItems; each++) ASSERT_EQ(back[each], from[each] + from[kItems + each]) << each;
}

TEST_F(Rocr, KernelsAndTheHostSeeEachOthersStores) {
  auto* const flag = words(host_, 1);
  auto* const started = words(host_, 1);
  auto* const data = words(host_, 1);
  *flag = *started = *data = 0;
  launch("use_until", 1, {address(flag), address(started), address(data)});
  ASSERT_TRUE(kernloop::soon([&] { return std::atomic_ref<uint32_t>(*started).load(std::memory_order_acquire) != 0; }));
  EXPECT_EQ(hsa_signal_load_scacquire(done_), 1);
  std::atomic_ref<uint32_t>(*flag).store(1, std::memory_order_release);
  EXPECT_EQ(wait(), 0);
}

// Registered memory has another address on the GPU. A separate view for each of two ranges that share pages would lose
// a kernel's stores through the other.
TEST_F(Rocr, RangesThatAreRegisteredTwiceStayTheProgramsMemory) {
  constexpr size_t kPage = 4096;
  void* const pages = ::mmap(nullptr, 4 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(pages, MAP_FAILED);
  auto* const program = static_cast<uint32_t*>(pages);
  for (uint32_t each = 0; each < kPage; each++) program[each] = each;
  void *whole = nullptr, *part = nullptr;
  ASSERT_HSA(hsa_amd_memory_lock(program, 3 * kPage, &gpu_, 1, &whole));
  ASSERT_HSA(hsa_amd_memory_lock(program + kPage / 4, 3 * kPage, &gpu_, 1, &part));
  EXPECT_EQ(program[kPage - 1], kPage - 1);
  launch("store", 1, {address(whole) + kPage, 111});
  ASSERT_EQ(wait(), 0);
  launch("store", 1, {address(part) + kPage, 222});
  ASSERT_EQ(wait(), 0);
  EXPECT_EQ(program[kPage / 4], 111u);
  EXPECT_EQ(program[2 * kPage / 4], 222u);
  program[kPage / 4 + 1] = 40;
  auto* const sum = words(host_, 1);
  launch("add", 1, {address(whole) + kPage + 4, address(part) + 4, address(sum)});
  ASSERT_EQ(wait(), 0);
  EXPECT_EQ(*sum, 80u);
  ASSERT_HSA(hsa_amd_memory_unlock(program));
  ASSERT_HSA(hsa_amd_memory_unlock(program + kPage / 4));
  EXPECT_EQ(program[kPage / 4], 111u);
  ::munmap(pages, 4 * kPage);
}

TEST_F(Rocr, AMemoryFaultEndsTheProgramByRocrsOwnMessage) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";  // the driver is not for forked processes
  EXPECT_DEATH(
      {
        launch("store", 1, {0x7000'0000'0000, 1});
        wait();
      },
      "Memory access fault by GPU node-1.*0x700000000000");
}

}  // namespace
