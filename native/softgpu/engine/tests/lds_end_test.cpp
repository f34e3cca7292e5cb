// Accesses past the end of LDS: their effects, and the report of each.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "softgpu/engine/tests/program.h"

namespace kernloop::softgpu::testing {
namespace {

constexpr uint32_t kAsked = 768, kAllocated = 1024, kNone = 0xffffffff;

class LdsEnd : public ::testing::TestWithParam<std::pair<const char*, Isa>> {
 protected:
  Device device{std::string(KERNLOOP_TEST_OBJECTS) + "/lds_end_" + GetParam().first + ".hsaco", GetParam().second};
  Array<uint32_t> out{device.space, 8, "out"};

  DispatchOutcome run(const std::string& kernel, uint32_t offset, const DispatchOptions& options = {}) {
    std::fill(out.begin(), out.end(), 0u);
    return device.run(kernel, linear(4, 1), Arguments(out.address(), offset), options);
  }
  std::vector<uint32_t> result(unsigned dwords) { return {out.begin(), out.begin() + dwords}; }
};

INSTANTIATE_TEST_SUITE_P(Targets, LdsEnd,
                         ::testing::Values(std::pair{"gfx90a", Isa::kGfx90a}, std::pair{"gfx942", Isa::kGfx942},
                                           std::pair{"gfx1030", Isa::kGfx1030}, std::pair{"gfx1100", Isa::kGfx1100}),
                         [](const auto& info) { return std::string(info.param.first); });

TEST_P(LdsEnd, GivesZerosAndTakesNothingBehindTheLastGranule) {
  struct Row {
    const char* kernel;
    uint32_t bytes;
    bool is_write;
    std::vector<uint32_t> result;
  };
  const Row rows[] = {{"read_u8", 1, false, {0}},        {"read_b32", 4, false, {0}},
                      {"read_b64", 8, false, {0, 0}},    {"read_b128", 16, false, {0, 0, 0, 0}},
                      {"read2_b32", 4, false, {0, 0}},   {"write_b32", 4, true, {kNone}},
                      {"write_b128", 16, true, {kNone}}, {"write2_b32", 4, true, {kNone}},
                      {"add_rtn", 4, true, {0}},         {"swap2_rtn", 4, true, {0, 0}}};
  for (const Row& row : rows) {
    // The first access entirely behind it, one that wraps around, and one far away.
    for (const uint32_t offset : {kAllocated, 0x80000000u, 0xfffff000u}) {
      const DispatchOutcome outcome = run(row.kernel, offset);
      ASSERT_FALSE(outcome.fault) << outcome.fault->text();
      EXPECT_EQ(result(static_cast<unsigned>(row.result.size())), row.result) << row.kernel << " at " << offset;
      EXPECT_EQ(out[4], 764u) << row.kernel << " leaves the rest alone";
      ASSERT_EQ(outcome.findings.size(), 1u) << row.kernel << ": once, however many workgroups";
      const Fault& told = outcome.findings[0];
      EXPECT_EQ(told.kind, Fault::Kind::kLdsOutOfRange);
      EXPECT_EQ(told.is_write, row.is_write) << row.kernel;
      EXPECT_EQ(told.bytes, row.bytes) << row.kernel;
      EXPECT_EQ(told.address & ~4u, offset) << row.kernel;
      EXPECT_EQ(told.lane, 0);
      EXPECT_EQ(told.instruction.rfind("ds_", 0), 0u) << "the access itself: " << told.instruction;
      EXPECT_EQ(told.pc, device.program.symbol(row.kernel) + told.pc_offset);
    }
  }
}

TEST_P(LdsEnd, CountsAnAccessThatReachesOverTheLastGranuleAsBehindIt) {
  for (const char* kernel : {"read_b64", "read_b128"}) {
    run(kernel, kAllocated - 4);
    EXPECT_EQ(result(2), (std::vector<uint32_t>{0, 0})) << kernel;
  }
  // Each of two addresses by itself.
  run("read2_b32", kAllocated - 4, {.unwritten_fill = 7});
  EXPECT_NE(out[0], 0u);
  EXPECT_EQ(out[1], 0u);
}

TEST_P(LdsEnd, IsMemoryThatNobodyHasWrittenWithinTheLastGranule) {
  for (const uint32_t offset : {kAsked, kAllocated - 16, kAsked - 4}) {
    EXPECT_EQ(run("read_b128", offset, {.unwritten_fill = 7}).findings.size(), 1u) << offset;
    const std::vector<uint32_t> once = result(4);
    EXPECT_EQ(std::count(once.begin(), once.end(), 0u), 0) << "no word of this fill is 0";
    run("read_b128", offset, {.unwritten_fill = ~uint64_t{7}});
    EXPECT_NE(result(4), once) << offset;
  }
  EXPECT_EQ(run("swap2_rtn", kAsked - 8).findings.size(), 0u) << "the last bytes are in range";
  EXPECT_EQ(run("swap2_rtn", kAsked - 4).findings.size(), 1u);
  EXPECT_EQ(out[0], 764u) << "the one is in range, the other is not";
}

TEST_P(LdsEnd, IsToldInTheAdverseOrderAndUnderTheCheckerToo) {
  for (const DispatchOptions& options :
       {DispatchOptions{.adverse = {.wave_instructions = 1 << 20, .races = true}},
        DispatchOptions{.threads = 1, .checks = {.uninitialized = true, .races = true, .waits = true}}}) {
    const DispatchOutcome outcome = run("read_b32", kAllocated, options);
    ASSERT_FALSE(outcome.fault) << outcome.fault->text();
    ASSERT_EQ(outcome.findings.size(), 1u);
    EXPECT_EQ(outcome.findings[0].kind, Fault::Kind::kLdsOutOfRange);
    EXPECT_EQ(out[0], 0u);
  }
}

TEST_P(LdsEnd, EndsTheDispatchWhereThatIsAskedFor) {
  for (const uint32_t offset : {kAsked, kAllocated}) {
    const DispatchOutcome outcome = run("read_b32", offset, {.faults_past_lds = true});
    ASSERT_TRUE(outcome.fault) << offset;
    EXPECT_EQ(outcome.fault->kind, Fault::Kind::kLdsOutOfRange);
    EXPECT_TRUE(outcome.findings.empty());
  }
  EXPECT_FALSE(run("read_b32", kAsked - 4, {.faults_past_lds = true}).fault);
}

}  // namespace
}  // namespace kernloop::softgpu::testing
