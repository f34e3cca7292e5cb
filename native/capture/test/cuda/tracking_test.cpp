// Small parts of the agent: tracked memory, refusals by name, and figures.
#include <gtest/gtest.h>

#include <cstring>

#include "capture/cuda/launch/obstacles.h"
#include "capture/cuda/launch/occupancy.h"
#include "capture/cuda/memory/tensor_maps.h"
#include "capture/cuda/memory/tracked_memory.h"

namespace kernloop::capture {
namespace {

using namespace cuda;

CUcontext context(uint64_t value) {
  return reinterpret_cast<CUcontext>(value);
}

TrackedAllocation device_memory(uint64_t base, uint64_t size, CUcontext owner) {
  TrackedAllocation tracked;
  tracked.allocation.base = base;
  tracked.allocation.size = size;
  tracked.allocation.api = "cuMemAlloc";
  tracked.owner = owner;
  return tracked;
}

TEST(TrackedMemory, AContextTakesItsMemoryWithItAndNoOther) {
  AllocationMap map;
  TrackedMemory memory(map);
  memory.add(device_memory(0x10000, 100, context(1)));
  memory.add(device_memory(0x20000, 100, context(2)));
  memory.context_gone(context(1));
  const AllocationList left = map.snapshot();
  ASSERT_EQ(left.size(), 1u);
  EXPECT_EQ(left[0].base, 0x20000u);
}

TEST(TrackedMemory, AFreeThatFailsLeavesTheAllocation) {
  AllocationMap map;
  TrackedMemory memory(map);
  memory.add(device_memory(0x10000, 100, context(1)));
  const auto taken = memory.take(0x10000);
  ASSERT_TRUE(taken);
  EXPECT_TRUE(map.snapshot().empty()) << "gone before the driver frees it";
  memory.add(*taken);
  EXPECT_EQ(map.snapshot().size(), 1u);
  EXPECT_FALSE(memory.take(0x10001)) << "only what starts there";
}

TEST(TrackedMemory, AnAddressThatIsGivenOutAgainIsOneAllocation) {
  AllocationMap map;
  TrackedMemory memory(map);
  memory.add(device_memory(0x10000, 100, context(1)));
  memory.add(device_memory(0x10000, 50, context(1)));  // the free between was not seen
  ASSERT_EQ(map.snapshot().size(), 1u);
  EXPECT_EQ(map.snapshot()[0].size, 50u);
  memory.take(0x10000);
  EXPECT_TRUE(map.snapshot().empty());
}

TEST(TrackedMemory, HostMemoryIsFreedByTheHostsAddress) {
  AllocationMap map;
  TrackedMemory memory(map);
  TrackedAllocation tracked = device_memory(0x90000, 100, context(1));
  tracked.freed_by = 0x5000;
  memory.add(tracked);
  EXPECT_FALSE(memory.take_host(0x90000));
  EXPECT_TRUE(memory.take_host(0x5000));
  EXPECT_TRUE(map.snapshot().empty());
}

TEST(TensorMaps, ADescriptorAmongArgumentsLeadsToItsMemory) {
  TensorMaps maps;
  CUtensorMap one{}, two{};
  for (size_t i = 0; i < 16; ++i) one.opaque[i] = i * 0x0101010101010101, two.opaque[i] = ~one.opaque[i];
  maps.encoded(one, 0x7f0000000000);
  maps.encoded(two, 0x7f1000000000);
  std::vector<uint8_t> arguments(64 + sizeof two + 8, 0xee);
  std::memcpy(arguments.data() + 64, &two, sizeof two);
  EXPECT_EQ(maps.addresses_in(arguments), (std::vector<uint64_t>{0x7f1000000000}));
  arguments[64 + 127] ^= 1;  // another descriptor, which was not encoded
  EXPECT_TRUE(maps.addresses_in(arguments).empty());
  EXPECT_TRUE(maps.addresses_in({}).empty());
}

// Found for every cut of memory, and only where the hardware would accept a descriptor.
TEST(TensorMaps, DescriptorsInMemoryAreFoundAcrossPieces) {
  TensorMaps maps;
  CUtensorMap one{}, two{};
  one.opaque[0] = 0x1111;
  two.opaque[0] = 0x1111;
  two.opaque[15] = 2;
  maps.encoded(one, 0x7f0000001000);
  maps.encoded(two, 0x7f0000002000);
  std::vector<uint8_t> memory(1024, 0);
  std::memcpy(memory.data() + 64 * 3 - 16, &one, sizeof one);  // the base is 16 bytes off
  std::memcpy(memory.data() + 64 * 9 - 16, &two, sizeof two);
  std::memcpy(memory.data() + 64 * 12 - 8, &one, sizeof one);  // not aligned
  const uint64_t base = 0x7f0000010010;
  const std::span<const uint8_t> all(memory);
  for (size_t cut = 0; cut <= memory.size(); ++cut) {
    TensorMapScan scan(maps);
    std::vector<uint64_t> found;
    scan.feed(base, all.first(cut), &found);
    scan.feed(base + cut, all.subspan(cut), &found);
    ASSERT_EQ(found, (std::vector<uint64_t>{0x7f0000001000, 0x7f0000002000})) << cut;
  }
  TensorMapScan scan(maps);
  std::vector<uint64_t> found;
  for (size_t at = 0; at < memory.size(); at += 32) scan.feed(base + at, all.subspan(at, 32), &found);
  EXPECT_EQ(found, (std::vector<uint64_t>{0x7f0000001000, 0x7f0000002000})) << "pieces shorter than a map";
  found.clear();
  scan.feed(base, all.first(200), &found);
  scan.feed(base + 200 + 64 * 1000, all.subspan(200), &found);
  EXPECT_EQ(found, (std::vector<uint64_t>{0x7f0000002000})) << "what does not lie side by side is no map";
}

TEST(Obstacles, CollectivesAreKnownByTheirFirstName) {
  for (const char* name : {"ncclDevKernel_AllReduce_Sum_f32_RING_LL", "_Z23ncclKernel_AllReduce_fooP11ncclDevComm",
                           "_ZN7nvshmem6kernelEv", "nvshmemi_barrier_kernel"}) {
    EXPECT_TRUE(is_collective(name)) << name;
  }
  for (const char* name : {"_Z9my_ncclopPf", "softmax", "_ZN2at6native6ncclusEv", "", "_Z", "_ZN"}) {
    EXPECT_FALSE(is_collective(name)) << name;
  }
}

// The driver knows memory at 0x7f00_0000_0000 and no other.
CUresult known_pointer(void* data, CUpointer_attribute attribute, CUdeviceptr pointer) {
  if (pointer < 0x7f0000000000 || pointer >= 0x7f0000001000) return CUDA_ERROR_INVALID_VALUE;
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      *static_cast<unsigned int*>(data) = CU_MEMORYTYPE_DEVICE;
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
      *static_cast<CUdeviceptr*>(data) = 0x7f0000000000;
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
      *static_cast<size_t*>(data) = 0x1000;
      return CUDA_SUCCESS;
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
}

TEST(Obstacles, CallsWithoutArgumentsOfTheirOwnAreNamedWithTheirKernel) {
  const Error refusal = unsupported_call("_Z4sawtv", "cuLaunchGrid");
  EXPECT_EQ(refusal.code, "UNSUPPORTED_LAUNCH");
  EXPECT_NE(refusal.message.find("_Z4sawtv was launched through cuLaunchGrid"), std::string::npos) << refusal.message;
  EXPECT_EQ(refusal.message.find("GPU"), std::string::npos) << refusal.message;
}

TEST(Obstacles, AnUnknownLaunchAttributeIsNamedByNumber) {
  const Error refusal = unknown_attribute("_Z4sawtv", 77);
  EXPECT_EQ(refusal.code, "UNSUPPORTED_LAUNCH");
  EXPECT_NE(refusal.message.find("_Z4sawtv was launched with the attribute 77"), std::string::npos) << refusal.message;
}

TEST(Obstacles, MemoryThatOnlyTheDriverKnowsIsRefusedWithItsAddress) {
  Driver driver;
  driver.cuPointerGetAttribute = known_pointer;
  std::vector<uint8_t> arguments(24, 0);
  const auto put = [&](size_t at, uint64_t value) { std::memcpy(arguments.data() + at, &value, sizeof value); };
  put(0, 1234);
  put(8, 0x7f0000000010);
  put(16, 0x123400000000);  // a number like any other
  const auto none = [](uint64_t) { return false; };
  const auto refusal = untracked_memory(driver, {}, arguments, none);
  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->code, "UNTRACKED_MEMORY");
  EXPECT_NE(refusal->message.find("0x7f0000000010"), std::string::npos) << refusal->message;
  EXPECT_NE(refusal->message.find("offset 8"), std::string::npos) << refusal->message;

  AllocationList tracked(1);
  tracked[0].base = 0x7f0000000000;
  tracked[0].size = 0x1000;
  EXPECT_FALSE(untracked_memory(driver, tracked, arguments, none));
  EXPECT_FALSE(untracked_memory(driver, {}, arguments, [](uint64_t address) { return address == 0x7f0000000010; }));
  // Behind the first of them, too.
  put(16, 0x7f0000000020);
  size_t asked = 0;
  const auto more = untracked_memory(driver, {}, arguments, [&](uint64_t) { return ++asked == 0; });
  EXPECT_EQ(asked, 2u);
  EXPECT_NE(more->message.find("1 more"), std::string::npos) << more->message;
}

// If the GPU reaches all of the program's memory, malloc's too, an argument may point there.
TEST(Obstacles, AddressesOfTheProgramsOwnMemoryAreFound) {
  Driver driver;
  driver.cuPointerGetAttribute = known_pointer;
  const std::vector<char> own(8192);
  const auto page = reinterpret_cast<uint64_t>(own.data());
  std::vector<uint8_t> arguments(32, 0);
  const auto put = [&](size_t at, uint64_t value) { std::memcpy(arguments.data() + at, &value, sizeof value); };
  put(0, 1234);
  put(8, 0x7f0000000010);   // the driver's
  put(16, 0x123400000000);  // an unused address
  EXPECT_FALSE(own_memory(driver, {}, arguments));
  put(24, page + 100);
  const auto found = own_memory(driver, {}, arguments);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->offset, 24u);
  EXPECT_EQ(found->address, page + 100);
  AllocationList registered(1);
  registered[0].base = page;
  registered[0].size = 8192;
  EXPECT_FALSE(own_memory(driver, registered, arguments));
}

// H100 (compute capability 9.0), with the figures of NVIDIA's occupancy calculator.
TEST(Occupancy, IsThatOfTheCalculator) {
  const MultiprocessorLimits h100{32, 2048, 32, 65536, 233472, 1024};
  EXPECT_EQ(resident_blocks(h100, {256, 32, 0}), 8u);
  EXPECT_DOUBLE_EQ(occupancy_percent(h100, {256, 32, 0}), 100.0);
  EXPECT_EQ(resident_blocks(h100, {256, 64, 0}), 4u);
  EXPECT_DOUBLE_EQ(occupancy_percent(h100, {256, 64, 0}), 50.0);
  EXPECT_EQ(resident_blocks(h100, {32, 16, 0}), 32u) << "by the number of blocks";
  EXPECT_EQ(resident_blocks(h100, {128, 32, 100 * 1024}), 2u) << "by shared memory";
  EXPECT_EQ(resident_blocks(h100, {1024, 255, 0}), 0u) << "does not fit at all";
  EXPECT_EQ(resident_blocks(h100, {33, 33, 0}), 24u) << "two warps of 40 registers a thread: 12 warps a partition";
}

}  // namespace
}  // namespace kernloop::capture
