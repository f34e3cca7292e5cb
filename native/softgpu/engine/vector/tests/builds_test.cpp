// Available builds of the vector code, and the message if none of them runs.
#include <gtest/gtest.h>

#include <string_view>
#include <vector>

#include "softgpu/engine/vector/select.h"

namespace kernloop::softgpu::vector {
namespace {

// All are declared, but not all are there: `npm test` builds the baseline and this machine's.
Build build(const char* name, bool runs_here) {
  return {name, &baseline::select, runs_here};
}

TEST(VectorBuilds, BeginWithTheBaselineAndEndWithTheBestOfThisMachine) {
  const std::vector<Build> all = builds();
  const std::vector<std::string_view> known = {"baseline", "x86-64-v3 (AVX2)", "x86-64-v4 (AVX-512)"};
  size_t place = 0;
  for (const Build& each : all) {
    while (place < known.size() && known[place] != each.name) ++place;
    ASSERT_LT(place, known.size()) << each.name << " is unknown or comes too late";
  }
  EXPECT_EQ(all[0].select, &baseline::select);
  EXPECT_TRUE(all[0].runs_here) << "every x86-64 processor runs the baseline";
  const bool has_avx2 =
      __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
  EXPECT_EQ(runnable_builds().size() > 1, has_avx2);
}

TEST(VectorBuilds, OneThatRunsIsEnough) {
  const Build here = build("baseline", true), elsewhere = build("x86-64-v4 (AVX-512)", false);
  EXPECT_EQ(refusal(std::vector{here}), "");
  EXPECT_EQ(refusal(std::vector{here, elsewhere}), "");
}

TEST(VectorBuilds, WhereNoneRunsTheRefusalNamesThemAndTheWayOut) {
  const Build v3 = build("x86-64-v3 (AVX2)", false), v4 = build("x86-64-v4 (AVX-512)", false);
  const std::string why = refusal(std::vector{v3, v4});
  EXPECT_NE(why.find("x86-64-v3 (AVX2) and x86-64-v4 (AVX-512) alone"), std::string::npos) << why;
  EXPECT_NE(why.find("npm run build:native"), std::string::npos) << why;
}

}  // namespace
}  // namespace kernloop::softgpu::vector
