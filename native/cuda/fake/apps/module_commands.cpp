// Modules, libraries and their variables.
#include "cuda/fake/apps/app.h"

namespace kernloop::cuda::app {
namespace {

constexpr size_t kCount = 1000;

CUdeviceptr variable(CUmodule module, const char* name) {
  CUdeviceptr address = 0;
  CHECK(cuModuleGetGlobal(&address, nullptr, module, name));
  return address;
}

const Command kGlobals("globals", "__constant__ and __device__ variables, read and written by kernels", [] {
  start();
  const CUmodule module = load_module();
  const CUdeviceptr in = uploaded(ramp(kCount)), out = allocate(kCount * sizeof(float)), launches = allocate(4);
  upload(variable(module, "kScale"), {1, 2, 3, 4});
  upload(variable(module, "gBias"), ramp(256));
  launch(function(module, "_Z14scale_and_biasPKfPfi"), blocks_for(kCount), nullptr, in, out, int{kCount});
  EXPECT(downloaded(out, kCount)[7] == 7.0f * 4.0f + 7.0f);
  for (int i = 0; i < 3; ++i) launch(function(module, "_Z14count_launchesPj"), Blocks{1}, nullptr, launches);
  uint32_t count = 0;
  CHECK(cuMemcpyDtoH(&count, launches, sizeof count));
  EXPECT(count == 3);
});

// As the CUDA runtime does it: the kernel stands in the function's place, and the launch loads the module.
const Command kLazy("lazy", "a kernel of a library, launched without a module", [] {
  start();
  CUlibrary library = nullptr;
  CHECK(cuLibraryLoadData(&library, read_cubin("test_kernels.sm_90.cubin"), nullptr, nullptr, 0, nullptr, nullptr, 0));
  CUkernel kernel = nullptr;
  CHECK(cuLibraryGetKernel(&kernel, library, kSaxpy));
  const CUdeviceptr x = uploaded(ramp(kCount)), y = uploaded(ramp(kCount));
  for (int i = 0; i < 2; ++i) saxpy(reinterpret_cast<CUfunction>(kernel), x, y, kCount);
  EXPECT(downloaded(y, kCount)[1] == 5.0f);
});

const Command kSameNameTwoModules("same-name-two-modules", "saxpy of two modules, of which one is a little wrong", [] {
  start();
  const CUfunction right = function(load_module(), kSaxpy);
  const CUfunction wrong = function(load_module("one_ulp_wrong.sm_90.cubin"), kSaxpy);
  const CUdeviceptr x = uploaded(ramp(kCount)), y = uploaded(ramp(kCount)), z = uploaded(ramp(kCount));
  saxpy(right, x, y, kCount);
  saxpy(wrong, x, z, kCount);
  EXPECT(downloaded(y, kCount)[4] == 12.0f);
  EXPECT(downloaded(z, kCount)[4] > 12.0f);
});

const Command kReload("reload", "a module unloaded and loaded again", [] {
  start();
  for (int i = 0; i < 2; ++i) {
    const CUmodule module = load_module();
    const CUdeviceptr x = uploaded(ramp(kCount)), y = uploaded(ramp(kCount));
    saxpy(function(module, kSaxpy), x, y, kCount);
    EXPECT(downloaded(y, kCount)[999] == 2997.0f);
    CHECK(cuModuleUnload(module));
  }
});

}  // namespace
}  // namespace kernloop::cuda::app
