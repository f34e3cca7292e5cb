// Results of memory operations that are used before the wave waited for them: the checker reports them, and the adverse
// order ends there.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "softgpu/engine/tests/program.h"

namespace kernloop::softgpu::testing {
namespace {

struct WaitingCode {
  const char* name;
  Isa isa;
  bool is_cdna;
  friend void PrintTo(const WaitingCode& code, std::ostream* out) { *out << code.name; }
};

class MissingWaits : public ::testing::TestWithParam<WaitingCode> {
 protected:
  Device device{std::string(KERNLOOP_TEST_OBJECTS) + "/waits_" + GetParam().name + ".hsaco", GetParam().isa};
  Array<uint32_t> data{device.space, 64, "data"};

  DispatchOutcome run(const std::string& kernel, const DispatchOptions& options) {
    return device.run(kernel, linear(1, 1), Arguments(data.address()), options);
  }
  // The wait that the checker finds missing, or none.
  std::string missing(const std::string& kernel) {
    const DispatchOutcome outcome = run(kernel, {.threads = 1, .checks = {.waits = true}});
    EXPECT_FALSE(outcome.fault) << outcome.fault->text();
    EXPECT_LE(outcome.findings.size(), 1u) << kernel;
    if (outcome.findings.empty()) return "";
    EXPECT_EQ(outcome.findings[0].kind, Fault::Kind::kMissingWait);
    const std::string& detail = outcome.findings[0].detail;
    const size_t end = detail.rfind("` is missing");
    const size_t start = detail.rfind('`', end - 1) + 1;
    return detail.substr(start, end - start);
  }
};

TEST_P(MissingWaits, AreToldForEveryCounter) {
  struct Row {
    const char* kernel;
    std::string missing;
  };
  std::vector<Row> rows = {
      {"used", "s_waitcnt vmcnt(0)"},
      {"waited_for_lgkmcnt", "s_waitcnt vmcnt(0)"},
      {"second_of_two", "s_waitcnt vmcnt(0)"},
      {"first_of_two_at_once", "s_waitcnt vmcnt(1)"},
      {"stored", "s_waitcnt vmcnt(0)"},
      {"as_address", "s_waitcnt vmcnt(0)"},
      {"overwritten", "s_waitcnt vmcnt(0)"},
      {"loaded_again_from_lds", "s_waitcnt vmcnt(0)"},
      {"wide", "s_waitcnt vmcnt(0)"},
      {"atomic", "s_waitcnt vmcnt(0)"},
      {"scalar", "s_waitcnt lgkmcnt(0)"},
      {"scalar_of_two", "s_waitcnt lgkmcnt(0)"},  // they return in any order
      {"scalar_again", "s_waitcnt lgkmcnt(0)"},
      {"lds", "s_waitcnt lgkmcnt(0)"},
      {"lds_second_of_two", "s_waitcnt lgkmcnt(0)"},
      {"lds_behind_scalar", "s_waitcnt lgkmcnt(0)"},  // the scalar load may have returned instead
      {"flat", "s_waitcnt vmcnt(0)"},
      {"mask", "s_waitcnt lgkmcnt(0)"},
      // CDNA counts the store, too; RDNA does not.
      {"store_behind", GetParam().is_cdna ? "" : "s_waitcnt vmcnt(0)"},
  };
  if (!GetParam().is_cdna) rows.push_back({"waited_by_other_counter", "s_waitcnt vmcnt(0)"});
  for (const Row& row : rows) EXPECT_EQ(missing(row.kernel), row.missing) << row.kernel;
}

TEST_P(MissingWaits, AreNotToldWhereResultsHaveArrived) {
  std::vector<std::string> kernels = {"waited",        "first_of_two",     "loaded_again",
                                      "scalar_waited", "lds_first_of_two", "flat_waited"};
  if (!GetParam().is_cdna) kernels.insert(kernels.end(), {"waited_by_one_counter", "lds_waited_by_one_counter"});
  for (const std::string& kernel : kernels) {
    EXPECT_EQ(missing(kernel), "") << kernel;
    EXPECT_FALSE(run(kernel, {.seed = 1, .adverse = {.wave_instructions = 1000, .races = true}}).fault) << kernel;
  }
}

TEST_P(MissingWaits, EndTheAdverseOrderAlone) {
  EXPECT_FALSE(run("used", {}).fault);
  EXPECT_FALSE(run("used", {.adverse = {.wave_instructions = 1000}}).fault);
  const DispatchOutcome outcome = run("used", {.seed = 1, .adverse = {.wave_instructions = 1000, .races = true}});
  ASSERT_TRUE(outcome.fault);
  EXPECT_EQ(outcome.fault->kind, Fault::Kind::kMissingWait);
  EXPECT_EQ(outcome.fault->instruction.substr(0, 9), "v_mov_b32");
  const std::string text = outcome.fault->text();
  EXPECT_NE(text.find("v2 is a result of `global_load_"), std::string::npos) << text;
  EXPECT_NE(text.find("which may not have arrived: before this instruction `s_waitcnt vmcnt(0)` is missing"),
            std::string::npos)
      << text;
}

INSTANTIATE_TEST_SUITE_P(Targets, MissingWaits,
                         ::testing::Values(WaitingCode{"gfx90a", Isa::kGfx90a, true},
                                           WaitingCode{"gfx942", Isa::kGfx942, true},
                                           WaitingCode{"gfx1030", Isa::kGfx1030, false},
                                           WaitingCode{"gfx1100", Isa::kGfx1100, false}),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace kernloop::softgpu::testing
