// Our kernels on the targets of the software GPU, through an HSA runtime, against the host.
#include <gtest/gtest.h>
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>

#include <cstdlib>
#include <cstring>
#include <random>
#include <set>

#include "capture/core/pointer_scan.h"
#include "capture/hsa/hsa_kernels.h"

namespace kernloop::capture {
namespace {

HsaOriginals exported() {
  HsaOriginals hsa;
#define KERNLOOP_EXPORTED(part, name) hsa.part.name##_fn = &name
  KERNLOOP_EXPORTED(core, hsa_iterate_agents);
  KERNLOOP_EXPORTED(core, hsa_agent_get_info);
  KERNLOOP_EXPORTED(core, hsa_system_get_info);
  KERNLOOP_EXPORTED(core, hsa_signal_create);
  KERNLOOP_EXPORTED(core, hsa_signal_destroy);
  KERNLOOP_EXPORTED(core, hsa_signal_store_relaxed);
  KERNLOOP_EXPORTED(core, hsa_signal_store_screlease);
  KERNLOOP_EXPORTED(core, hsa_signal_load_scacquire);
  KERNLOOP_EXPORTED(core, hsa_signal_wait_scacquire);
  KERNLOOP_EXPORTED(core, hsa_queue_create);
  KERNLOOP_EXPORTED(core, hsa_queue_destroy);
  KERNLOOP_EXPORTED(core, hsa_queue_add_write_index_relaxed);
  KERNLOOP_EXPORTED(core, hsa_code_object_reader_create_from_memory);
  KERNLOOP_EXPORTED(core, hsa_code_object_reader_destroy);
  KERNLOOP_EXPORTED(core, hsa_executable_create_alt);
  KERNLOOP_EXPORTED(core, hsa_executable_load_agent_code_object);
  KERNLOOP_EXPORTED(core, hsa_executable_freeze);
  KERNLOOP_EXPORTED(core, hsa_executable_get_symbol_by_name);
  KERNLOOP_EXPORTED(core, hsa_executable_symbol_get_info);
  KERNLOOP_EXPORTED(core, hsa_executable_destroy);
  KERNLOOP_EXPORTED(amd, hsa_amd_agent_iterate_memory_pools);
  KERNLOOP_EXPORTED(amd, hsa_amd_memory_pool_get_info);
  KERNLOOP_EXPORTED(amd, hsa_amd_memory_pool_allocate);
  KERNLOOP_EXPORTED(amd, hsa_amd_memory_pool_free);
  KERNLOOP_EXPORTED(amd, hsa_amd_agents_allow_access);
#undef KERNLOOP_EXPORTED
  return hsa;
}

// The parameter is the target.
class HsaKernelsTest : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    setenv("KERNLOOP_SOFTGPU", GetParam(), 1);
    ASSERT_EQ(hsa_init(), HSA_STATUS_SUCCESS);
    hsa_iterate_agents(
        [](hsa_agent_t agent, void* data) {
          hsa_device_type_t type;
          hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type);
          if (type == HSA_DEVICE_TYPE_GPU) *static_cast<hsa_agent_t*>(data) = agent;
          return HSA_STATUS_SUCCESS;
        },
        &gpu);
    hsa_amd_agent_iterate_memory_pools(
        gpu,
        [](hsa_amd_memory_pool_t pool, void* data) {
          uint32_t segment = 0;
          hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_SEGMENT, &segment);
          if (segment != HSA_AMD_SEGMENT_GLOBAL) return HSA_STATUS_SUCCESS;
          *static_cast<hsa_amd_memory_pool_t*>(data) = pool;
          return HSA_STATUS_INFO_BREAK;
        },
        &pool);
    auto loaded = HsaKernels::load(hsa, gpu);
    ASSERT_TRUE(loaded.ok()) << loaded.error().message;
    kernels = std::move(*loaded);
  }
  void TearDown() override {
    kernels.reset();
    if (memory != nullptr) EXPECT_EQ(hsa_amd_memory_pool_free(memory), HSA_STATUS_SUCCESS);
    EXPECT_EQ(hsa_shut_down(), HSA_STATUS_SUCCESS);
  }
  // In memory of the device, `offset` bytes behind the start of an allocation.
  uint64_t put(const std::vector<uint8_t>& bytes, size_t offset) {
    if (memory == nullptr && hsa_amd_memory_pool_allocate(pool, kMostBytes, 0, &memory) != HSA_STATUS_SUCCESS) return 0;
    auto* const to = static_cast<uint8_t*>(memory) + offset;
    EXPECT_EQ(hsa_memory_copy(to, bytes.data(), bytes.size()), HSA_STATUS_SUCCESS);
    return reinterpret_cast<uint64_t>(to);
  }

  static constexpr size_t kMostBytes = 4u << 20;
  const HsaOriginals hsa = exported();
  hsa_agent_t gpu{};
  hsa_amd_memory_pool_t pool{};
  std::unique_ptr<HsaKernels> kernels;
  void* memory = nullptr;
  std::mt19937_64 random{3};
};

TEST_P(HsaKernelsTest, ChecksumsAreThoseOfTheHostAndSeeEachByte) {
  constexpr size_t kChunk = 1u << 20;
  std::vector<uint8_t> bytes(2 * kChunk + 77);
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
  for (const size_t offset : {0, 5}) {
    std::vector<cuda::Checksum128> sums(3);
    ASSERT_TRUE(kernels->checksums(put(bytes, offset), bytes.size(), kChunk, sums));
    for (size_t i = 0; i < sums.size(); ++i) {
      const size_t size = std::min(kChunk, bytes.size() - i * kChunk);
      EXPECT_EQ(sums[i], cuda::checksum_on_host({bytes.data() + i * kChunk, size})) << i;
    }
    bytes[kChunk + 4711] ^= 1;
    std::vector<cuda::Checksum128> now(3);
    ASSERT_TRUE(kernels->checksums(put(bytes, offset), bytes.size(), kChunk, now));
    EXPECT_EQ(std::tie(now[0], now[2]), std::tie(sums[0], sums[2]));
    EXPECT_NE(now[1], sums[1]);
  }
}

TEST_P(HsaKernelsTest, PointersAreThoseThatTheHostFinds) {
  AllocationList list;
  std::vector<cuda::AddressRange> targets;
  for (uint64_t i = 0; i < 900; ++i) {
    Allocation allocation;
    allocation.base = 0x7f1200000000 + i * 0x100000;
    allocation.size = 0x1000 + i * 16;
    list.push_back(allocation);
    targets.push_back({allocation.base, allocation.size});
  }
  std::vector<uint8_t> bytes(300001);
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
  for (int i = 0; i < 500; ++i) {
    const Allocation& target = list[random() % list.size()];
    uint64_t value = target.base + (i % 3 == 0 ? 0 : random() % (target.size + 64));
    if (i % 2 == 0) value |= random() << 48;
    const size_t at = random() % (bytes.size() - 8);
    std::memcpy(bytes.data() + (i % 4 == 0 ? at / 8 * 8 : at), &value, sizeof value);
  }
  std::set<size_t> expected;
  PointerScan scan(list);
  scan.restart(bytes.size());
  scan.feed(bytes, [&](size_t hit) { expected.insert(hit); });
  ASSERT_GT(expected.size(), 100u);
  std::vector<uint32_t> hits;
  ASSERT_TRUE(kernels->find_pointers(put(bytes, 16), bytes.size(), targets, &hits,
                                     tagged_interior_counts(bytes.size(), tracked_bytes(list))));
  EXPECT_EQ(std::set<size_t>(hits.begin(), hits.end()), expected);
}

INSTANTIATE_TEST_SUITE_P(Targets, HsaKernelsTest, ::testing::Values("gfx90a", "gfx942", "gfx1030", "gfx1100"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace kernloop::capture
