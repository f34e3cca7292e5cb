#include "capture/core/allocation_map.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include "capture/core/host_memory.h"

namespace kernloop::capture {
namespace {

Allocation range(uint64_t base, uint64_t size, MemoryClass memory_class = MemoryClass::kDevice) {
  Allocation allocation;
  allocation.base = base;
  allocation.size = size;
  allocation.memory_class = memory_class;
  return allocation;
}

TEST(AllocationMap, AnAddressBelongsToTheAllocationThatHoldsItAndToNoNeighbour) {
  AllocationMap map;
  map.add(range(0x1000, 0x100));
  map.add(range(0x1100, 0x100));
  const AllocationList list = map.snapshot();
  EXPECT_EQ(find_allocation(list, 0xfff), nullptr);
  EXPECT_EQ(find_allocation(list, 0x1000)->base, 0x1000u);
  EXPECT_EQ(find_allocation(list, 0x10ff)->base, 0x1000u);
  EXPECT_EQ(find_allocation(list, 0x1100)->base, 0x1100u);
  EXPECT_EQ(find_allocation(list, 0x1200), nullptr);
}

TEST(AllocationMap, ARangeLockedTwiceIsThereUntilItIsUnlockedTwice) {
  AllocationMap map;
  map.add(range(0x1000, 0x100, MemoryClass::kHost));
  map.add(range(0x1000, 0x200, MemoryClass::kHost));
  EXPECT_TRUE(map.remove(0x1000));
  ASSERT_EQ(map.snapshot().size(), 1u);
  EXPECT_EQ(map.snapshot()[0].size, 0x200u);
  EXPECT_TRUE(map.remove(0x1000));
  EXPECT_TRUE(map.snapshot().empty());
  EXPECT_FALSE(map.remove(0x1000));
}

TEST(AllocationMap, OverlappingRangesComeOutAsOne) {
  AllocationMap map;
  map.add(range(0x1000, 0x1000, MemoryClass::kHost));
  map.add(range(0x1800, 0x1000, MemoryClass::kHost));
  map.add(range(0x1900, 0x10, MemoryClass::kHost));
  const AllocationList list = map.snapshot();
  ASSERT_EQ(list.size(), 1u);
  EXPECT_EQ(list[0].base, 0x1000u);
  EXPECT_EQ(list[0].size, 0x1800u);
}

TEST(AllocationMap, WhatTheRuntimeHandsOutAgainWasFreedUnseen) {
  AllocationMap map;
  map.add_in_place(range(0x1000, 0x1000));
  map.add_in_place(range(0x1000, 0x400));
  map.add_in_place(range(0x1800, 0x100));
  map.add_in_place(range(0x1700, 0x1000));
  ASSERT_EQ(map.snapshot().size(), 2u);
  EXPECT_EQ(map.snapshot()[0].size, 0x400u);
  EXPECT_EQ(map.snapshot()[1].base, 0x1700u);
  EXPECT_TRUE(map.remove(0x1000));
  EXPECT_FALSE(map.remove(0x1000)) << "one free is enough";
}

TEST(AllocationMap, AFreeThatFailedLeavesWhatWasThere) {
  AllocationMap map;
  map.add_in_place(range(0x1000, 0x1000));
  const auto taken = map.take(0x1000);
  ASSERT_TRUE(taken);
  EXPECT_TRUE(map.snapshot().empty());
  map.put_back(*taken);
  ASSERT_EQ(map.snapshot().size(), 1u);
  EXPECT_EQ(map.snapshot()[0].size, 0x1000u);
  EXPECT_EQ(map.snapshot()[0].ordinal, 1u);
}

// hipMemAdvise of a page of managed memory names that page.
TEST(AllocationMap, ARangeThatIsNamedAgainInPartDoesNotShrink) {
  AllocationMap map;
  const auto managed = [](uint64_t base, uint64_t size) {
    Allocation allocation = range(base, size, MemoryClass::kHost);
    allocation.api = "hsa_amd_svm_attributes_set";
    allocation.host_owned = true;
    allocation.host_address = base;
    return allocation;
  };
  map.add_joined(managed(0x10000, 0x10000));
  for (uint64_t base : {0x10000, 0x14000, 0x1f000}) map.add_joined(managed(base, 0x1000));
  ASSERT_EQ(map.snapshot().size(), 1u);
  EXPECT_EQ(map.snapshot()[0].base, 0x10000u);
  EXPECT_EQ(map.snapshot()[0].size, 0x10000u);
  map.add_joined(managed(0xf000, 0x2000));
  ASSERT_EQ(map.snapshot().size(), 1u);
  EXPECT_EQ(map.snapshot()[0].base, 0xf000u);
  EXPECT_EQ(map.snapshot()[0].host_address, 0xf000u);
  EXPECT_EQ(map.snapshot()[0].end(), 0x20000u);
  map.add_joined(managed(0x20000, 0x1000));
  EXPECT_EQ(map.snapshot().size(), 2u) << "what only touches it is another allocation";
  EXPECT_TRUE(map.remove(0xf000));
  EXPECT_FALSE(map.remove(0xf000));
}

TEST(AllocationMap, MappingsAreRemovedByRange) {
  AllocationMap map;
  for (uint64_t base : {0x1000, 0x2000, 0x3000, 0x4000}) map.add_in_place(range(base, 0x1000));
  EXPECT_EQ(map.take_within(0x2000, 0x2000).size(), 2u);
  EXPECT_TRUE(map.take_within(0x4000, 0x800).empty()) << "not as a whole";
  ASSERT_EQ(map.snapshot().size(), 2u);
  EXPECT_EQ(map.snapshot()[1].base, 0x4000u);
}

TEST(AllocationMap, ARangeOfWhichPartsAreGoneIsThoseThatAreLeft) {
  AllocationMap map;
  for (uint64_t base : {0x1000, 0x10000, 0x20000}) {
    Allocation allocation = range(base, 0x8000, MemoryClass::kHost);
    allocation.host_owned = true;
    allocation.host_address = base + 0x100000;  // registered memory may have another address on the device
    map.add_in_place(allocation);
  }
  map.keep_parts(0x10000, {{0x1000, 0x1000}, {0x5000, 0x3000}});
  AllocationList list = map.snapshot();
  ASSERT_EQ(list.size(), 4u);
  EXPECT_EQ(list[1].base, 0x11000u);
  EXPECT_EQ(list[1].size, 0x1000u);
  EXPECT_EQ(list[1].host_address, 0x111000u);
  EXPECT_EQ(list[2].base, 0x15000u);
  EXPECT_EQ(list[2].end(), 0x18000u);
  EXPECT_EQ(list[2].host_address, 0x115000u);
  EXPECT_EQ(list[1].ordinal, 2u);
  EXPECT_EQ(list[2].ordinal, 2u);
  map.keep_parts(0x20000, {});
  list = map.snapshot();
  ASSERT_EQ(list.size(), 3u);
  EXPECT_EQ(list[0].base, 0x1000u);
  map.keep_parts(0x1000, {{0, 0x8000}});
  EXPECT_EQ(map.snapshot()[0].size, 0x8000u);
}

// Freed managed memory must not refuse captures for ever. Of memory that was named again, a part may be left.
TEST(HostMemory, IsThePartsThatAreMapped) {
  constexpr size_t kPage = 4096;
  auto* base = static_cast<uint8_t*>(
      mmap(nullptr, 8 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  ASSERT_NE(base, MAP_FAILED);
  const auto address = reinterpret_cast<uint64_t>(base);
  const auto parts = [](uint64_t from, uint64_t size) {
    std::vector<std::pair<uint64_t, uint64_t>> result;
    const auto found = mapped_parts(from, size);
    if (!found) return result;
    for (const ByteRange& part : *found) result.emplace_back(part.base, part.size);
    return result;
  };
  using Parts = std::vector<std::pair<uint64_t, uint64_t>>;
  EXPECT_EQ(parts(address + 16, 8 * kPage - 32), (Parts{{address + 16, 8 * kPage - 32}}));
  // Another protection is another line of the process's maps, and the same range.
  mprotect(base + 2 * kPage, kPage, PROT_READ);
  munmap(base, kPage);
  EXPECT_EQ(parts(address + 16, 8 * kPage - 32), (Parts{{address + kPage, 7 * kPage - 16}}));
  munmap(base + 4 * kPage, 2 * kPage);
  EXPECT_EQ(parts(address, 8 * kPage), (Parts{{address + kPage, 3 * kPage}, {address + 6 * kPage, 2 * kPage}}));
  EXPECT_EQ(parts(address + 4 * kPage + 100, 200), Parts());
  munmap(base, 8 * kPage);
  EXPECT_EQ(parts(address + 1, 8 * kPage - 1), Parts());
}

TEST(AllocationMap, OrdinalsCountAllocationsFromOne) {
  AllocationMap map;
  map.add(range(0x9000, 16));
  map.add(range(0x1000, 16));
  const AllocationList list = map.snapshot();
  EXPECT_EQ(list[0].ordinal, 2u);
  EXPECT_EQ(list[1].ordinal, 1u);
}

}  // namespace
}  // namespace kernloop::capture
