// Runs of mapped memory, against a model that knows of each granule whether it is mapped and accessible.
#include "capture/cuda/memory/address_space.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

namespace kernloop::capture {
namespace {

constexpr uint64_t kGranule = 2ull << 20;
constexpr uint64_t kBase = 0x7f0000000000;

std::vector<MappedRun> added(const MappingChange& change) {
  return change.added;
}

TEST(AddressSpace, MappingsSideBySideAreOneRunOnceTheyCanBeAccessed) {
  AddressSpace space;
  space.reserve(kBase, 64 * kGranule);
  EXPECT_TRUE(added(space.map(kBase, kGranule, 1)).empty()) << "not accessible yet";
  EXPECT_EQ(added(space.set_access(kBase, kGranule, true)), (std::vector<MappedRun>{{kBase, kGranule, false}}));
  space.map(kBase + kGranule, 10 * kGranule, 2);
  const MappingChange grown = space.set_access(kBase + kGranule, 10 * kGranule, true);
  EXPECT_EQ(grown.gone, (std::vector<MappedRun>{{kBase, kGranule, false}}));
  EXPECT_EQ(grown.added, (std::vector<MappedRun>{{kBase, 11 * kGranule, false}}));
}

TEST(AddressSpace, AHoleSplitsARun) {
  AddressSpace space;
  space.reserve(kBase, 64 * kGranule);
  for (uint64_t i = 0; i < 3; ++i) space.map(kBase + i * kGranule, kGranule, i + 1);
  space.set_access(kBase, 3 * kGranule, true);
  const MappingChange split = space.unmap(kBase + kGranule, kGranule);
  EXPECT_EQ(split.gone, (std::vector<MappedRun>{{kBase, 3 * kGranule, false}}));
  EXPECT_EQ(split.added, (std::vector<MappedRun>{{kBase, kGranule, false}, {kBase + 2 * kGranule, kGranule, false}}));
}

TEST(AddressSpace, ReservationsSideBySideStayApart) {
  AddressSpace space;
  space.reserve(kBase, kGranule);
  space.reserve(kBase + kGranule, kGranule);
  for (uint64_t i = 0; i < 2; ++i) {
    space.map(kBase + i * kGranule, kGranule, i + 1);
    EXPECT_EQ(added(space.set_access(kBase + i * kGranule, kGranule, true)),
              (std::vector<MappedRun>{{kBase + i * kGranule, kGranule, false}}));
  }
  EXPECT_EQ(space.release(kBase).gone, (std::vector<MappedRun>{{kBase, kGranule, false}}));
}

TEST(AddressSpace, MemoryOfOtherProcessesIsARunOfItsOwnEvenAfterItsHandleIsReleased) {
  AddressSpace space;
  space.reserve(kBase, 64 * kGranule);
  space.handle_imported(7);
  space.map(kBase, kGranule, 7);
  space.handle_released(7);
  space.map(kBase + kGranule, kGranule, 8);
  EXPECT_EQ(added(space.set_access(kBase, 2 * kGranule, true)),
            (std::vector<MappedRun>{{kBase, kGranule, true}, {kBase + kGranule, kGranule, false}}));
  // The number is free again: another allocation of the process itself may get it.
  space.map(kBase + 2 * kGranule, kGranule, 7);
  EXPECT_EQ(added(space.set_access(kBase + 2 * kGranule, kGranule, true)),
            (std::vector<MappedRun>{{kBase + kGranule, 2 * kGranule, false}}));
}

TEST(AddressSpace, AnyOrderOfCallsGivesTheRunsOfTheModel) {
  constexpr uint64_t kGranules = 24;
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    AddressSpace space;
    space.reserve(kBase, kGranules * kGranule);
    std::map<uint64_t, bool> model;  // granule to whether it is accessible
    std::set<std::pair<uint64_t, uint64_t>> told;
    const auto follow = [&](const MappingChange& change) {
      for (const MappedRun& run : change.gone) ASSERT_EQ(told.erase({run.base, run.size}), 1u);
      for (const MappedRun& run : change.added) ASSERT_TRUE(told.insert({run.base, run.size}).second);
    };
    for (int step = 0; step < 60; ++step) {
      const uint64_t granule = random() % kGranules, address = kBase + granule * kGranule;
      switch (random() % 3) {
        case 0:
          if (model.contains(granule)) break;
          model[granule] = false;
          follow(space.map(address, kGranule, step + 1));
          break;
        case 1: {
          if (!model.contains(granule)) break;
          const bool accessible = random() % 4 != 0;
          model[granule] = accessible;
          follow(space.set_access(address, kGranule, accessible));
          break;
        }
        default:
          model.erase(granule);
          follow(space.unmap(address, kGranule));
      }
      std::set<std::pair<uint64_t, uint64_t>> expected;
      for (uint64_t i = 0; i < kGranules;) {
        uint64_t end = i;
        while (end < kGranules && model.contains(end) && model[end]) ++end;
        if (end > i) expected.insert({kBase + i * kGranule, (end - i) * kGranule});
        i = end > i ? end : i + 1;
      }
      ASSERT_EQ(told, expected);
    }
  }
}

}  // namespace
}  // namespace kernloop::capture
