// The collector for CUDA in a program on the driver without a GPU, which writes the counters itself. On a GPU the same
// program launches the kernel (cuda_app run).
#include <gtest/gtest.h>

#include "pgo/collect/test/run.h"
#include "pgo/format/files.h"

namespace kernloop::pgo {
namespace {

namespace fs = std::filesystem;
using test::Ended;
using test::Folder;

Ended run_app(const Folder& folder, const std::string& arguments, std::map<std::string, std::string> more = {}) {
  more.insert({{"LD_LIBRARY_PATH", KERNLOOP_TEST_FAKE_CUDA},
               {"LD_PRELOAD", KERNLOOP_TEST_COLLECTOR},
               {"LLVM_PROFILE_FILE", folder.path() / "p.profraw"}});
  return test::run(more, KERNLOOP_TEST_CUDA_APP + std::string(" ") + arguments);
}

void expect_filled(const Folder& folder, uint64_t times) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder.path())) {
    if (entry.path().extension() == ".profraw") files.push_back(entry.path());
  }
  ASSERT_EQ(files.size(), 1u);
  EXPECT_EQ(files[0].filename().string().find("p.nvptx64-nvidia-cuda."), 0u);
  const auto profiles = read_profiles(files[0]);
  ASSERT_TRUE(profiles) << profiles.error().message;
  EXPECT_EQ(profiles->front().arch, "sm_90");
  EXPECT_EQ(profiles->front().wave_size, 32u);
  ASSERT_EQ(profiles->front().functions.size(), 1u);
  const FunctionProfile& alpha = profiles->front().functions[0];
  EXPECT_EQ(alpha.name, "alpha");
  ASSERT_GE(alpha.counters.size(), 3u);
  for (size_t i = 0; i < alpha.counters.size(); ++i) EXPECT_EQ(alpha.counters[i], 11 * (i + 1) * times);
  ASSERT_FALSE(alpha.classes.empty());
  for (size_t i = 0; i < alpha.classes.size(); ++i) EXPECT_EQ(alpha.classes[i].waves, 11 * (i + 1) * times);
}

const std::string kCubin = KERNLOOP_TEST_CUBIN;

TEST(CudaCollector, ModulesAndLibrariesAreCollectedWhenTheyAreUnloaded) {
  for (const char* how : {"module", "data", "library", "file"}) {
    for (const char* found : {"", "procaddress "}) {
      const Folder folder;
      const Ended ended = run_app(folder, std::string(found) + how + " fill unload " + kCubin + " alpha 2");
      EXPECT_EQ(ended.status, 0) << ended.said;
      EXPECT_EQ(ended.said, "done\n");
      expect_filled(folder, 2);
    }
  }
}

TEST(CudaCollector, WhatIsNeverUnloadedIsCollectedAtTheEndAndWarnedOf) {
  for (const char* how : {"module", "library"}) {
    const Folder folder;
    const Ended ended = run_app(folder, std::string(how) + " fill keep " + kCubin + " alpha");
    EXPECT_EQ(ended.status, 0) << ended.said;
    EXPECT_NE(ended.said.find("was never unloaded"), std::string::npos) << ended.said;
    expect_filled(folder, 1);
  }
}

// The runtime unloads its code when the driver has ended already: behind the collector's own end, or before it.
TEST(CudaCollector, WhatTheRuntimeEndsIsReadBeforeAndNothingIsWarnedOf) {
  for (const char* how : {"module", "library", "procaddress library"}) {
    for (const char* end : {"runtime", "early"}) {
      const Folder folder;
      const Ended ended = run_app(folder, std::string(how) + " fill " + end + " " + kCubin + " alpha",
                                  {{"KERNLOOP_FAKE_CUDA_ENDS_WITH_CONTEXT", "1"}});
      EXPECT_EQ(ended.status, 0) << ended.said;
      EXPECT_EQ(ended.said, "done\n") << how << " " << end;
      expect_filled(folder, 1);
    }
  }
}

// Counters that were not read before the driver ended are lost: reported once, with the name of the error.
TEST(CudaCollector, WhatTheDriverTookWithItIsSaidToBeLost) {
  const Folder folder;
  const Ended ended =
      run_app(folder, "module fill ended " + kCubin + " alpha", {{"KERNLOOP_FAKE_CUDA_ENDS_WITH_CONTEXT", "1"}});
  EXPECT_EQ(ended.status, 0) << ended.said;
  EXPECT_NE(ended.said.find(") are lost: CUDA_ERROR_DEINITIALIZED (4): the driver has ended"), std::string::npos)
      << ended.said;
  EXPECT_EQ(ended.said.find("was never unloaded"), std::string::npos) << ended.said;
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(CudaCollector, ModulesOfAContextThatGoesAreCollectedBefore) {
  const Folder folder;
  const Ended ended = run_app(folder, "module fill destroy " + kCubin + " alpha");
  EXPECT_EQ(ended.status, 0) << ended.said;
  EXPECT_EQ(ended.said, "done\n");
  expect_filled(folder, 1);
}

}  // namespace
}  // namespace kernloop::pgo
