#include "capture/core/kernel_table.h"

#include <gtest/gtest.h>

#include <thread>

namespace kernloop::capture {
namespace {

std::unique_ptr<KernelEntry> entry(uint64_t address, uint32_t id) {
  auto result = std::make_unique<KernelEntry>();
  result->key = address;
  result->id = id;
  return result;
}

TEST(KernelTable, FindsEveryKernelAfterItHasGrown) {
  KernelTable table;
  for (uint32_t i = 0; i < 10000; ++i) table.insert(entry(0x500000001000 + i * 64, i));
  for (uint32_t i = 0; i < 10000; ++i) {
    const KernelEntry* found = table.find(0x500000001000 + i * 64);
    ASSERT_NE(found, nullptr);
    ASSERT_EQ(found->id, i);
  }
  EXPECT_EQ(table.find(0x500000001000 - 64), nullptr);
}

TEST(KernelTable, ARemovedKernelIsGoneAndItsAddressMayComeBackAsAnother) {
  KernelTable table;
  for (uint32_t i = 0; i < 600; ++i) table.insert(entry(0x1000 + i * 64, i));
  table.remove(0x1000 + 5 * 64);
  EXPECT_EQ(table.find(0x1000 + 5 * 64), nullptr);
  for (uint32_t i = 6; i < 600; ++i)
    ASSERT_NE(table.find(0x1000 + i * 64), nullptr) << "probing goes on past a removed one";
  table.insert(entry(0x1000 + 5 * 64, 777));
  EXPECT_EQ(table.find(0x1000 + 5 * 64)->id, 777u);
}

TEST(KernelTable, ReadersSeeCompleteEntriesWhileItGrows) {
  KernelTable table;
  std::atomic<bool> stop{false};
  std::thread reader([&] {
    while (!stop) {
      for (uint32_t i = 0; i < 5000; ++i) {
        const KernelEntry* found = table.find(0x1000 + i * 64);
        if (found != nullptr) {
          ASSERT_EQ(found->id, i);
        }
      }
    }
  });
  for (uint32_t i = 0; i < 5000; ++i) table.insert(entry(0x1000 + i * 64, i));
  stop = true;
  reader.join();
}

}  // namespace
}  // namespace kernloop::capture
