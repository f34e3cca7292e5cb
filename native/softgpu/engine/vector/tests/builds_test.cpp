// Available builds of the vector code, and the message if none of them runs.
#include <gtest/gtest.h>

#include "softgpu/engine/vector/select.h"

namespace kernloop::softgpu::vector {
namespace {

TEST(VectorBuilds, ThePackageAndTheTestsHaveAllOfThem) {
  const std::vector<Build> all = builds();
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].select, &baseline::select);
  EXPECT_EQ(all[1].select, &v3::select);
  EXPECT_EQ(all[2].select, &v4::select);
  EXPECT_TRUE(all[0].runs_here) << "every x86-64 processor runs the baseline";
}

TEST(VectorBuilds, OneThatRunsIsEnough) {
  const Build here{"baseline", &baseline::select, true}, elsewhere{"x86-64-v4 (AVX-512)", &v4::select, false};
  EXPECT_EQ(refusal(std::vector{here}), "");
  EXPECT_EQ(refusal(std::vector{here, elsewhere}), "");
}

TEST(VectorBuilds, WhereNoneRunsTheRefusalNamesThemAndTheWayOut) {
  const Build v3{"x86-64-v3 (AVX2)", &v3::select, false}, v4{"x86-64-v4 (AVX-512)", &v4::select, false};
  const std::string why = refusal(std::vector{v3, v4});
  EXPECT_NE(why.find("x86-64-v3 (AVX2) and x86-64-v4 (AVX-512) alone"), std::string::npos) << why;
  EXPECT_NE(why.find("npm run build:native"), std::string::npos) << why;
}

}  // namespace
}  // namespace kernloop::softgpu::vector
