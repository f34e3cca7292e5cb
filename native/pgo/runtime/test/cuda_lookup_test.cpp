// The functions that a CUDA program gets when it looks the driver's functions up, with the runtime PGO's library before
// the driver without a GPU: the library's own functions, each in the form that the driver would have given.
#include <gtest/gtest.h>

#include "pgo/collect/test/run.h"

namespace kernloop::pgo {
namespace {

std::string looked_up(const std::string& library, const std::string& what) {
  return test::run({{"LD_LIBRARY_PATH", KERNLOOP_TEST_FAKE_CUDA}, {"LD_PRELOAD", library}},
                   KERNLOOP_TEST_LOOKUP_APP + std::string(" ") + what)
      .said;
}

struct LookUp {
  const char* asked;
  const char* symbol;
  bool has_row = true;
};

class CudaLookUp : public ::testing::TestWithParam<LookUp> {};

TEST_P(CudaLookUp, GivesTheFormThatTheDriverGives) {
  const std::string symbol = GetParam().symbol;
  EXPECT_EQ(looked_up("", GetParam().asked), symbol + " of libcuda.so.1\n");
  EXPECT_EQ(looked_up(KERNLOOP_TEST_RUNTIME, GetParam().asked),
            symbol + (GetParam().has_row ? " of libkernloop-pgo-runtime-cuda.so\n" : " of libcuda.so.1\n"));
}

INSTANTIATE_TEST_SUITE_P(
    Ways, CudaLookUp,
    ::testing::Values(LookUp{"dlsym cuLaunchKernel", "cuLaunchKernel"},
                      LookUp{"dlsym cuLaunchKernel_ptsz", "cuLaunchKernel_ptsz"},
                      LookUp{"dlsym cuMemAlloc_v2", "cuMemAlloc_v2", false},
                      LookUp{"dlsym cuGetProcAddress_v2", "cuGetProcAddress_v2"},
                      LookUp{"procaddress cuLaunchKernel 12040 0", "cuLaunchKernel"},
                      LookUp{"procaddress cuLaunchKernelEx 12040 0", "cuLaunchKernelEx"},
                      // A launch by the other form would go to a stream that the program does not wait for.
                      LookUp{"procaddress cuLaunchKernel 12040 2", "cuLaunchKernel_ptsz"},
                      LookUp{"procaddress cuLaunchKernelEx 12040 2", "cuLaunchKernelEx_ptsz"},
                      LookUp{"procaddress cuStreamBeginCapture 12040 0", "cuStreamBeginCapture_v2"},
                      LookUp{"procaddress cuStreamBeginCapture 12040 2", "cuStreamBeginCapture_v2_ptsz"},
                      LookUp{"procaddress cuStreamEndCapture 12040 2", "cuStreamEndCapture_ptsz"},
                      LookUp{"procaddress cuModuleLoadData 12040 2", "cuModuleLoadData"},
                      LookUp{"procaddress cuStreamSynchronize 12040 2", "cuStreamSynchronize_ptsz", false},
                      LookUp{"procaddress cuGetProcAddress 12040 0", "cuGetProcAddress_v2"},
                      LookUp{"runtime cuLaunchKernel 12040 2", "cuLaunchKernel_ptsz"},
                      LookUp{"runtime cuModuleUnload 12040 0", "cuModuleUnload"}),
    [](const auto& info) {
      std::string name = info.param.asked;
      for (char& letter : name)
        if (letter == ' ') letter = '_';
      return name;
    });

TEST(CudaLookUpInTheCollector, GivesItsFunctions) {
  for (const char* asked : {"dlsym cuCtxDestroy_v2", "procaddress cuCtxDestroy 12040 0"})
    EXPECT_EQ(looked_up(KERNLOOP_TEST_COLLECTOR, asked), "cuCtxDestroy_v2 of libkernloop-pgo-cuda.so\n");
  EXPECT_EQ(looked_up(KERNLOOP_TEST_COLLECTOR, "procaddress cuDevicePrimaryCtxRelease 12040 0"),
            "cuDevicePrimaryCtxRelease_v2 of libkernloop-pgo-cuda.so\n");
  // The form that cudart 13.0 asks for.
  for (const char* name : {"cuDevicePrimaryCtxRelease", "cuDevicePrimaryCtxReset"})
    EXPECT_EQ(looked_up(KERNLOOP_TEST_COLLECTOR, "procaddress " + std::string(name) + " 7000 0"),
              std::string(name) + " of libkernloop-pgo-cuda.so\n");
  EXPECT_EQ(looked_up(KERNLOOP_TEST_COLLECTOR, "procaddress cuLaunchKernel 12040 2"),
            "cuLaunchKernel_ptsz of libcuda.so.1\n");
}

// Both libraries have a row of it: the first is before the second.
TEST(CudaLookUpInBoth, GivesTheFunctionOfTheFirst) {
  EXPECT_EQ(looked_up(KERNLOOP_TEST_COLLECTOR ":" KERNLOOP_TEST_RUNTIME, "procaddress cuModuleLoadData 12040 0"),
            "cuModuleLoadData of libkernloop-pgo-cuda.so\n");
  EXPECT_EQ(looked_up(KERNLOOP_TEST_COLLECTOR ":" KERNLOOP_TEST_RUNTIME, "procaddress cuLaunchKernel 12040 2"),
            "cuLaunchKernel_ptsz of libkernloop-pgo-runtime-cuda.so\n");
}

}  // namespace
}  // namespace kernloop::pgo
