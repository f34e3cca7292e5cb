// Modules, libraries and their variables.
#include "fakes/cuda/apps/app.h"

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

// The CUDA runtime's sequence: the kernel is passed as the function, and the launch loads the module.
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

// nvcc -ptx of saxpy in test_kernels.cu.
constexpr char kSaxpyPtx[] = R"(.version 6.3
.target sm_52
.address_size 64
.visible .entry _Z5saxpyfPKfPfi(
	.param .f32 _Z5saxpyfPKfPfi_param_0,
	.param .u64 _Z5saxpyfPKfPfi_param_1,
	.param .u64 _Z5saxpyfPKfPfi_param_2,
	.param .u32 _Z5saxpyfPKfPfi_param_3
)
{
	.reg .pred 	%p<2>;
	.reg .f32 	%f<5>;
	.reg .b32 	%r<6>;
	.reg .b64 	%rd<8>;
	ld.param.f32 	%f1, [_Z5saxpyfPKfPfi_param_0];
	ld.param.u64 	%rd1, [_Z5saxpyfPKfPfi_param_1];
	ld.param.u64 	%rd2, [_Z5saxpyfPKfPfi_param_2];
	ld.param.u32 	%r2, [_Z5saxpyfPKfPfi_param_3];
	mov.u32 	%r3, %ctaid.x;
	mov.u32 	%r4, %ntid.x;
	mov.u32 	%r5, %tid.x;
	mad.lo.s32 	%r1, %r3, %r4, %r5;
	setp.ge.s32 	%p1, %r1, %r2;
	@%p1 bra 	$L__BB0_2;
	cvta.to.global.u64 	%rd3, %rd2;
	cvta.to.global.u64 	%rd4, %rd1;
	mul.wide.s32 	%rd5, %r1, 4;
	add.s64 	%rd6, %rd4, %rd5;
	ld.global.f32 	%f2, [%rd6];
	add.s64 	%rd7, %rd3, %rd5;
	ld.global.f32 	%f3, [%rd7];
	fma.rn.f32 	%f4, %f2, %f1, %f3;
	st.global.f32 	[%rd7], %f4;
$L__BB0_2:
	ret;
}
)";

// The code that runs is the driver's: compiled when it is loaded.
const Command kJitPtx("jit-ptx", "a kernel of PTX", [] {
  start();
  CUmodule module = nullptr;
  CHECK(cuModuleLoadData(&module, kSaxpyPtx));
  const CUdeviceptr x = uploaded(ramp(kCount)), y = uploaded(ramp(kCount));
  saxpy(function(module, kSaxpy), x, y, kCount);
  EXPECT(downloaded(y, kCount)[999] == 2997.0f);
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
