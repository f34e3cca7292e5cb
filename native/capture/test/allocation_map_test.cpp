#include "capture/core/allocation_map.h"

#include <gtest/gtest.h>

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
