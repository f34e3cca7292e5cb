#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "softgpu/hsa/memory/apertures.h"
#include "softgpu/hsa/tests/client.h"

namespace kernloop::softgpu {
namespace {

constexpr uint64_t kThere = kDeviceAperture.base + 0x10'0000;

class VirtualMemoryTest : public HsaTest {
 protected:
  void* reserve(uint64_t at, size_t size) {
    void* va = nullptr;
    EXPECT_HSA(hsa_amd_vmem_address_reserve(&va, size, at, 0));
    return va;
  }
  hsa_amd_vmem_alloc_handle_t create(size_t size) {
    hsa_amd_vmem_alloc_handle_t handle{};
    EXPECT_HSA(hsa_amd_vmem_handle_create(agents.device, size, MEMORY_TYPE_NONE, 0, &handle));
    return handle;
  }
  void allow(void* va, size_t size, hsa_access_permission_t permission) {
    hsa_amd_memory_access_desc_t access[] = {{permission, agents.gpu}, {HSA_ACCESS_PERMISSION_RW, agents.cpu}};
    ASSERT_HSA(hsa_amd_vmem_set_access(va, size, access, 2));
  }
  bool kernel_can_store(void* to, uint32_t value) {
    hsa_signal_t done = signal(1);
    errors.count = 0;
    enqueue(queue(), packet(kernel("store"), kernargs(to, value), done));
    while (errors.count == 0 && wait_zero(done, kSecond / 100) != 0) {
    }
    return errors.count == 0;
  }
};

TEST_F(VirtualMemoryTest, IsMappedExactlyWhereAsked) {
  void* va = reserve(kThere, 8192);
  ASSERT_EQ(reinterpret_cast<uint64_t>(va), kThere);
  auto handle = create(8192);
  ASSERT_HSA(hsa_amd_vmem_map(va, 8192, 0, handle, 0));
  EXPECT_FALSE(kernel_can_store(va, 1)) << "no access before set_access";
  allow(va, 8192, HSA_ACCESS_PERMISSION_RW);
  auto* words = static_cast<uint32_t*>(va);
  EXPECT_EQ(words[2047], 0u);
  EXPECT_TRUE(kernel_can_store(&words[2047], 12));
  EXPECT_EQ(words[2047], 12u);
  hsa_access_permission_t permission{};
  ASSERT_HSA(hsa_amd_vmem_get_access(va, &permission, agents.gpu));
  EXPECT_EQ(permission, HSA_ACCESS_PERMISSION_RW);
  ASSERT_HSA(hsa_amd_vmem_unmap(va, 8192));
  EXPECT_FALSE(kernel_can_store(va, 1));
  ASSERT_HSA(hsa_amd_vmem_handle_release(handle));
  ASSERT_HSA(hsa_amd_vmem_address_free(va, 8192));
}

// ROCr gives other ones.
TEST_F(VirtualMemoryTest, TakenAddressesAreNotReplaced) {
  char* memory = device<char>(4096);
  memory[0] = 'k';
  EXPECT_NE(reserve(reinterpret_cast<uint64_t>(memory), 4096), memory);
  EXPECT_EQ(memory[0], 'k');
  void* foreign = mmap(reinterpret_cast<void*>(kThere + 4096), 4096, PROT_READ,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  ASSERT_NE(foreign, MAP_FAILED);
  void* elsewhere = reserve(kThere, 16384);
  EXPECT_NE(elsewhere, nullptr);
  EXPECT_NE(reinterpret_cast<uint64_t>(elsewhere), kThere);
  munmap(foreign, 4096);
  EXPECT_EQ(reinterpret_cast<uint64_t>(reserve(kThere, 16384)), kThere);
}

TEST_F(VirtualMemoryTest, ReservationsAreAlignedAsAsked) {
  constexpr uint64_t kAlignment = 16 << 20;
  const auto aligned = [&](uint64_t at) {
    void* va = nullptr;
    EXPECT_HSA(hsa_amd_vmem_address_reserve_align(&va, 8192, at, kAlignment, 0));
    return reinterpret_cast<uint64_t>(va);
  };
  const uint64_t first = aligned(0), second = aligned(kThere + 4096);
  EXPECT_EQ(first % kAlignment, 0u);
  EXPECT_EQ(second % kAlignment, 0u) << "an address that is not aligned is no such";
  EXPECT_NE(first, second);
  ASSERT_HSA(hsa_amd_vmem_address_free(reinterpret_cast<void*>(first), 8192));
  const auto plain = reinterpret_cast<uint64_t>(reserve(0, 8192));
  ASSERT_HSA(hsa_amd_vmem_address_free(reinterpret_cast<void*>(plain), 8192));
  EXPECT_EQ(aligned(0) % kAlignment, 0u) << "freed addresses of this size may not be";
  void* va = nullptr;
  EXPECT_EQ(hsa_amd_vmem_address_reserve_align(&va, 8192, 0, 12288, 0), HSA_STATUS_ERROR_INVALID_ARGUMENT);
}

TEST_F(VirtualMemoryTest, AHandleIsReleasedAsOftenAsItWasTaken) {
  auto handle = create(8192);
  void* va = reserve(kThere, 8192);
  ASSERT_HSA(hsa_amd_vmem_map(va, 8192, 0, handle, 0));
  ASSERT_HSA(hsa_amd_vmem_handle_release(handle));
  hsa_amd_vmem_alloc_handle_t retained{};
  ASSERT_HSA(hsa_amd_vmem_retain_alloc_handle(&retained, va)) << "its mapping keeps it";
  EXPECT_EQ(retained.handle, handle.handle);
  ASSERT_HSA(hsa_amd_vmem_retain_alloc_handle(&retained, va));
  EXPECT_EQ(hsa_amd_vmem_retain_alloc_handle(&retained, static_cast<char*>(va) + 4096),
            HSA_STATUS_ERROR_INVALID_ALLOCATION)
      << "nothing was mapped from there";
  hsa_amd_memory_pool_t pool{};
  hsa_amd_memory_type_t type = MEMORY_TYPE_PINNED;
  ASSERT_HSA(hsa_amd_vmem_get_alloc_properties_from_handle(handle, &pool, &type));
  EXPECT_EQ(pool.handle, agents.device.handle);
  EXPECT_EQ(type, MEMORY_TYPE_NONE);
  EXPECT_HSA(hsa_amd_vmem_handle_release(handle));
  EXPECT_HSA(hsa_amd_vmem_handle_release(handle));
  EXPECT_EQ(hsa_amd_vmem_handle_release(handle), HSA_STATUS_ERROR_INVALID_ALLOCATION);
}

TEST_F(VirtualMemoryTest, ExportedMemoryIsTheSameInThisProcessAndInAnother) {
  auto handle = create(4096);
  int file = -1, again = -1;
  ASSERT_HSA(hsa_amd_vmem_export_shareable_handle(&file, handle, 0));
  ASSERT_HSA(hsa_amd_vmem_export_shareable_handle(&again, handle, 0));
  EXPECT_NE(file, again) << "each is the caller's to close";
  close(again);
  hsa_amd_vmem_alloc_handle_t imported{};
  ASSERT_HSA(hsa_amd_vmem_import_shareable_handle(file, &imported));
  EXPECT_EQ(imported.handle, handle.handle);
  ASSERT_HSA(hsa_amd_vmem_handle_release(imported));
  void* va = reserve(kThere, 4096);
  ASSERT_HSA(hsa_amd_vmem_map(va, 4096, 0, handle, 0));
  allow(va, 4096, HSA_ACCESS_PERMISSION_RW);
  ASSERT_TRUE(kernel_can_store(va, 41));

  // The child's runtime starts anew, and has only the descriptor of this memory.
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(30);
    const auto must = [](hsa_status_t status) {
      if (status != HSA_STATUS_SUCCESS) _exit(1);
    };
    munmap(va, 4096);
    must(hsa_init());
    hsa_amd_vmem_alloc_handle_t there{};
    must(hsa_amd_vmem_import_shareable_handle(file, &there));
    void* mapped = nullptr;
    must(hsa_amd_vmem_address_reserve(&mapped, 4096, 0, 0));
    must(hsa_amd_vmem_map(mapped, 4096, 0, there, 0));
    hsa_amd_memory_access_desc_t access{HSA_ACCESS_PERMISSION_RW, agents.cpu};
    must(hsa_amd_vmem_set_access(mapped, 4096, &access, 1));
    auto* word = static_cast<uint32_t*>(mapped);
    const bool is_shared = *word == 41;
    *word = 42;
    _exit(is_shared ? 0 : 2);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(*static_cast<uint32_t*>(va), 42u);
  close(file);

  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  EXPECT_EQ(hsa_amd_vmem_import_shareable_handle(ends[0], &imported), HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS);
  EXPECT_EQ(hsa_amd_vmem_import_shareable_handle(-1, &imported), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_vmem_export_shareable_handle(&file, {999}, 0), HSA_STATUS_ERROR_INVALID_ALLOCATION);
  close(ends[0]);
  close(ends[1]);
}

TEST_F(VirtualMemoryTest, AllocationsKeepClearOfReservations) {
  // Imitates a replay: first the addresses of the capture are taken, then everything else allocates as usual.
  void* reserved = reserve(kDeviceAperture.base, 1 << 20);
  void* host = reserve(kHostAperture.base, 1 << 20);
  for (int i = 0; i < 100; ++i) {
    ASSERT_GE(device<char>(20000), static_cast<char*>(reserved) + (1 << 20));
    ASSERT_GE(allocate<char>(20000, agents.fine), static_cast<char*>(host) + (1 << 20));
  }
}

TEST_F(VirtualMemoryTest, ReadOnlyMemoryFaultsWrites) {
  void* va = reserve(kThere, 4096);
  ASSERT_HSA(hsa_amd_vmem_map(va, 4096, 0, create(4096), 0));
  allow(va, 4096, HSA_ACCESS_PERMISSION_RO);
  EXPECT_FALSE(kernel_can_store(va, 1));
  allow(va, 4096, HSA_ACCESS_PERMISSION_RW);
  EXPECT_TRUE(kernel_can_store(va, 1));
}

TEST_F(VirtualMemoryTest, OneMemoryCanBeMappedTwice) {
  auto handle = create(8192);
  void *one = reserve(kThere, 8192), *two = reserve(kThere + 65536, 4096);
  ASSERT_HSA(hsa_amd_vmem_map(one, 8192, 0, handle, 0));
  ASSERT_HSA(hsa_amd_vmem_map(two, 4096, 4096, handle, 0));
  ASSERT_HSA(hsa_amd_vmem_handle_release(handle));  // the mappings keep the memory
  allow(one, 8192, HSA_ACCESS_PERMISSION_RW);
  allow(two, 4096, HSA_ACCESS_PERMISSION_RW);
  ASSERT_TRUE(kernel_can_store(static_cast<char*>(one) + 4096, 77));
  EXPECT_EQ(*static_cast<uint32_t*>(two), 77u);
}

TEST_F(VirtualMemoryTest, CopiesCrossMappingsInARow) {
  void* va = reserve(kThere, 8192);
  ASSERT_HSA(hsa_amd_vmem_map(va, 4096, 0, create(4096), 0));
  ASSERT_HSA(hsa_amd_vmem_map(static_cast<char*>(va) + 4096, 4096, 0, create(4096), 0));
  allow(va, 8192, HSA_ACCESS_PERMISSION_RW);
  std::vector<char> bytes(8192, 'v');
  EXPECT_HSA(hsa_memory_copy(va, bytes.data(), bytes.size()));
  EXPECT_EQ(static_cast<char*>(va)[8191], 'v');
  EXPECT_EQ(hsa_memory_copy(static_cast<char*>(va) + 1, bytes.data(), bytes.size()),
            HSA_STATUS_ERROR_INVALID_ALLOCATION);
}

TEST_F(VirtualMemoryTest, WrongUseIsRefused) {
  void* va = reserve(kThere, 8192);
  void* other = nullptr;
  auto handle = create(4096);
  EXPECT_EQ(hsa_amd_vmem_address_reserve(&other, 100, 0, 0), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_vmem_address_reserve(&other, 4096, kThere + 20000, 0), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_vmem_map(va, 8192, 0, handle, 0), HSA_STATUS_ERROR_INVALID_ARGUMENT) << "more than the memory has";
  EXPECT_EQ(hsa_amd_vmem_map(va, 4096, 4096, handle, 0), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_vmem_map(static_cast<char*>(va) + 8192, 4096, 0, handle, 0), HSA_STATUS_ERROR_INVALID_ALLOCATION)
      << "not reserved";
  ASSERT_HSA(hsa_amd_vmem_map(va, 4096, 0, handle, 0));
  EXPECT_EQ(hsa_amd_vmem_map(va, 4096, 0, handle, 0), HSA_STATUS_ERROR_INVALID_ALLOCATION) << "mapped already";
  EXPECT_EQ(hsa_amd_vmem_address_free(va, 8192), HSA_STATUS_ERROR_RESOURCE_FREE) << "still mapped";
  EXPECT_EQ(hsa_amd_vmem_unmap(va, 8192), HSA_STATUS_ERROR_INVALID_ALLOCATION);
  hsa_amd_memory_access_desc_t access{HSA_ACCESS_PERMISSION_RW, agents.gpu};
  EXPECT_EQ(hsa_amd_vmem_set_access(va, 8192, &access, 1), HSA_STATUS_ERROR_INVALID_ALLOCATION);
  EXPECT_EQ(hsa_amd_vmem_handle_release({999}), HSA_STATUS_ERROR_INVALID_ALLOCATION);
}

}  // namespace
}  // namespace kernloop::softgpu
