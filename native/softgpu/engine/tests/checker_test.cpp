// The checker finds each mistake, names its place, and reports nothing of the same kernel without it: at -O0 and -O3.
#include "softgpu/engine/observe/checker.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "softgpu/engine/memory/byte_shadow.h"
#include "softgpu/engine/tests/program.h"

namespace kernloop::softgpu::testing {
namespace {

// Memory as a checking runtime maps it: padded to pages, filled, unwritten.
class Allocation {
 public:
  Allocation(AddressSpace& space, uint32_t words)
      : space_(space), block_(words * 4), shadow_(std::make_shared<ByteShadow>(address(), block_.size())) {
    std::memset(block_.data(), ByteShadow::kFiller, block_.size());
    space.map({address(), block_.size(), AddressSpace::Access::kReadWrite, "checked", words * 4, shadow_});
  }
  ~Allocation() { space_.unmap(address(), block_.size()); }
  Allocation(const Allocation&) = delete;
  Allocation& operator=(const Allocation&) = delete;

  uint64_t address() const { return reinterpret_cast<uint64_t>(block_.data()); }
  uint32_t* words() const { return reinterpret_cast<uint32_t*>(block_.data()); }
  // Copies as the runtime does.
  void copy_in(uint32_t first, uint32_t count, uint32_t value) {
    std::fill_n(words() + first, count, value);
    space_.mark_written(address() + first * 4, count * 4);
  }

 private:
  AddressSpace& space_;
  PageBlock block_;
  std::shared_ptr<ByteShadow> shadow_;
};

class Checked : public ::testing::TestWithParam<const char*> {
 protected:
  Device device{GetParam()};

  std::vector<Fault> findings(const std::string& kernel, uint32_t items, const Arguments& arguments,
                              Checks checks = {true, true, true}) {
    const DispatchOutcome outcome =
        device.run(kernel, linear(items, items), arguments, {.threads = 1, .checks = checks});
    EXPECT_FALSE(outcome.fault) << outcome.fault->text();
    return outcome.findings;
  }
  void expect_clean(const std::vector<Fault>& found) { EXPECT_TRUE(found.empty()) << found.front().text(); }
};

INSTANTIATE_TEST_SUITE_P(Optimised, Checked, ::testing::Values(KERNLOOP_TEST_CHECKED_O0, KERNLOOP_TEST_CHECKED_O3),
                         [](const auto& info) { return info.index == 0 ? "O0" : "O3"; });

TEST_P(Checked, FindsAStoreBetweenTheEndOfAnAllocationAndThatOfItsPage) {
  Allocation out(device.space, 100);
  expect_clean(findings("fill_from", 64, Arguments(out.address(), 36u, 64u)));
  const auto found = findings("fill_from", 64, Arguments(out.address(), 40u, 64u));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, Fault::Kind::kOutOfBounds);
  EXPECT_EQ(found[0].kernel, "fill_from");
  EXPECT_EQ(found[0].lane, 60);
  EXPECT_EQ(found[0].address, out.address() + 400);
  EXPECT_TRUE(found[0].is_write);
  EXPECT_NE(found[0].instruction.find("store_dword"), std::string::npos) << found[0].instruction;
  EXPECT_NE(found[0].detail.find("4 bytes past the end of the 400-byte allocation"), std::string::npos)
      << found[0].detail;
  expect_clean(findings("fill_from", 64, Arguments(out.address(), 40u, 64u), {.uninitialized = true, .races = true}));
}

TEST_P(Checked, FindsALoadOfWhatNobodyHasWritten) {
  Allocation in(device.space, 64), out(device.space, 64);
  in.copy_in(0, 40, 7);
  expect_clean(findings("add_one", 64, Arguments(in.address(), out.address(), 40u)));
  const auto found = findings("add_one", 64, Arguments(in.address(), out.address(), 64u));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, Fault::Kind::kUninitialized);
  EXPECT_EQ(found[0].lane, 40);
  EXPECT_EQ(found[0].address, in.address() + 160);
  EXPECT_NE(found[0].detail.find("160 bytes into the 256-byte allocation"), std::string::npos) << found[0].detail;
  expect_clean(findings("add_one", 64, Arguments(in.address(), out.address(), 64u), {.bounds = true, .races = true}));
}

TEST_P(Checked, KnowsWhatAnEarlierKernelOrTheHostsOwnPointerHasWritten) {
  Allocation first(device.space, 64), second(device.space, 64), third(device.space, 64);
  std::iota(first.words(), first.words() + 64, 0u);
  expect_clean(findings("add_one", 64, Arguments(first.address(), second.address(), 64u)));
  expect_clean(findings("add_one", 64, Arguments(second.address(), third.address(), 64u)));
  // Written, although with the filler's value.
  third.copy_in(0, 64, 0xcbcbcbcb);
  expect_clean(findings("add_one", 64, Arguments(third.address(), second.address(), 64u)));
}

TEST_P(Checked, LooksAtTheBytesThatALoadWants) {
  Allocation in(device.space, 64), out(device.space, 64);
  for (uint32_t i = 0; i < 64; ++i) device.space.mark_written(in.address() + 4 * i, 2);
  expect_clean(findings("first_of_pairs", 64, Arguments(in.address(), out.address())));
}

TEST_P(Checked, FindsAMissingBarrierInAReduction) {
  Allocation in(device.space, 256), out(device.space, 1);
  in.copy_in(0, 256, 1);
  expect_clean(findings("sum", 256, Arguments(in.address(), out.address())));
  const auto found = findings("sum_with_race", 256, Arguments(in.address(), out.address()));
  ASSERT_FALSE(found.empty());
  for (const Fault& race : found) {
    EXPECT_EQ(race.kind, Fault::Kind::kRace) << race.text();
    EXPECT_NE(race.detail.find("there is no barrier in between"), std::string::npos) << race.detail;
    EXPECT_NE(race.detail.find("of LDS at entry +0x"), std::string::npos) << race.detail;
    EXPECT_NE(race.instruction, "");  // DS, or FLAT at -O0
  }
}

TEST_P(Checked, TellsAReadTooEarlyFromAWriteTooEarly) {
  Allocation out(device.space, 256);
  expect_clean(findings("rotate", 256, Arguments(out.address(), 3u)));
  const auto early_reads = findings("rotate_reading_early", 256, Arguments(out.address(), 1u), {.races = true});
  ASSERT_FALSE(early_reads.empty());
  const auto writes = findings("rotate_writing_early", 256, Arguments(out.address(), 2u), {.races = true});
  ASSERT_FALSE(writes.empty());
  EXPECT_TRUE(std::any_of(writes.begin(), writes.end(), [](const Fault& race) {
    return race.is_write && race.detail.find("read byte") != std::string::npos;
  }));
  // One round has no second write to come too early.
  expect_clean(findings("rotate_writing_early", 256, Arguments(out.address(), 1u), {.races = true}));
}

TEST_P(Checked, TakesAtomicsForNoRaceButForReadsOfWhatTheyChange) {
  Allocation in(device.space, 256), out(device.space, 64);
  in.copy_in(0, 256, 5);
  expect_clean(findings("count", 256, Arguments(in.address(), out.address())));
  const auto found = findings("count_from_nothing", 256, Arguments(in.address(), out.address()));
  ASSERT_FALSE(found.empty());
  for (const Fault& finding : found) {
    EXPECT_EQ(finding.kind, Fault::Kind::kUninitialized) << finding.text();
    EXPECT_NE(finding.detail.find("of its LDS"), std::string::npos) << finding.detail;
  }
}

TEST_P(Checked, LeavesTheResultAsItIs) {
  Allocation in(device.space, 256), out(device.space, 64), plain(device.space, 64);
  in.copy_in(0, 256, 5);
  expect_clean(findings("count", 256, Arguments(in.address(), out.address())));
  EXPECT_FALSE(device.run("count", linear(256, 256), Arguments(in.address(), plain.address())).fault);
  EXPECT_EQ(std::memcmp(out.words(), plain.words(), 256), 0);
  EXPECT_EQ(out.words()[5], 256u);
}

}  // namespace
}  // namespace kernloop::softgpu::testing
