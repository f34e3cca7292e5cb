// The functions of the gates before the driver's (rows.S): the library is linked into the app before libcuda, or
// preloaded.
#include "interpose/instead_of.h"
#include "pgo/collect/cuda/collector.h"
#include "pgo/collect/log.h"

namespace kernloop::pgo::cuda {
namespace {

// No exception may leave through a C interface.
template <typename Work>
void guarded(Work work) {
  try {
    work();
  } catch (const std::exception& problem) {
    warn(std::string("the profile is not complete: ") + problem.what());
  } catch (...) {
    warn("the profile is not complete");
  }
}

template <typename Work>
void seen(Work work) {
  guarded([&] { work(Collector::instance()); });
}

}  // namespace
}  // namespace kernloop::pgo::cuda

using namespace kernloop::cuda;
using kernloop::pgo::cuda::Collector;
using kernloop::pgo::cuda::guarded;
using kernloop::pgo::cuda::seen;

INSTEAD_OF(CUresult, cuModuleLoad, (CUmodule * module, const char* file)) {
  const auto next = next_cuModuleLoad();
  const CUresult result = next ? next(module, file) : CUDA_ERROR_NOT_INITIALIZED;
  if (result == CUDA_SUCCESS) seen([&](Collector& collector) { collector.module_loaded_from(*module, file); });
  return result;
}

INSTEAD_OF(CUresult, cuModuleLoadData, (CUmodule * module, const void* image)) {
  const auto next = next_cuModuleLoadData();
  const CUresult result = next ? next(module, image) : CUDA_ERROR_NOT_INITIALIZED;
  if (result == CUDA_SUCCESS) seen([&](Collector& collector) { collector.module_loaded(*module, image); });
  return result;
}

INSTEAD_OF(CUresult, cuModuleLoadDataEx,
           (CUmodule * module, const void* image, unsigned int count, CUjit_option* options, void** values)) {
  const auto next = next_cuModuleLoadDataEx();
  const CUresult result = next ? next(module, image, count, options, values) : CUDA_ERROR_NOT_INITIALIZED;
  if (result == CUDA_SUCCESS) seen([&](Collector& collector) { collector.module_loaded(*module, image); });
  return result;
}

INSTEAD_OF(CUresult, cuModuleLoadFatBinary, (CUmodule * module, const void* image)) {
  const auto next = next_cuModuleLoadFatBinary();
  const CUresult result = next ? next(module, image) : CUDA_ERROR_NOT_INITIALIZED;
  if (result == CUDA_SUCCESS) seen([&](Collector& collector) { collector.module_loaded(*module, image); });
  return result;
}

INSTEAD_OF(CUresult, cuModuleUnload, (CUmodule module)) {
  const auto next = next_cuModuleUnload();
  seen([&](Collector& collector) { collector.unloaded(module); });
  return next ? next(module) : CUDA_ERROR_NOT_INITIALIZED;
}

INSTEAD_OF(CUresult, cuLibraryLoadData,
           (CUlibrary * library, const void* code, CUjit_option* jit, void** jit_values, unsigned int jit_count,
            CUlibraryOption* options, void** values, unsigned int count)) {
  const auto next = next_cuLibraryLoadData();
  const CUresult result =
      next ? next(library, code, jit, jit_values, jit_count, options, values, count) : CUDA_ERROR_NOT_INITIALIZED;
  if (result == CUDA_SUCCESS) seen([&](Collector& collector) { collector.library_loaded(*library, code); });
  return result;
}

INSTEAD_OF(CUresult, cuLibraryLoadFromFile,
           (CUlibrary * library, const char* file, CUjit_option* jit, void** jit_values, unsigned int jit_count,
            CUlibraryOption* options, void** values, unsigned int count)) {
  const auto next = next_cuLibraryLoadFromFile();
  const CUresult result =
      next ? next(library, file, jit, jit_values, jit_count, options, values, count) : CUDA_ERROR_NOT_INITIALIZED;
  if (result == CUDA_SUCCESS) seen([&](Collector& collector) { collector.library_loaded_from(*library, file); });
  return result;
}

INSTEAD_OF(CUresult, cuLibraryUnload, (CUlibrary library)) {
  const auto next = next_cuLibraryUnload();
  seen([&](Collector& collector) { collector.unloaded(library); });
  return next ? next(library) : CUDA_ERROR_NOT_INITIALIZED;
}

INSTEAD_OF(CUresult, cuCtxDestroy_v2, (CUcontext context)) {
  const auto next = next_cuCtxDestroy_v2();
  seen([&](Collector& collector) { collector.context_goes(context); });
  return next ? next(context) : CUDA_ERROR_NOT_INITIALIZED;
}

// cudart 13.0 asks for the first forms of these two.
#define PRIMARY_CONTEXT_MAY_GO(name)                                                         \
  INSTEAD_OF(CUresult, name, (CUdevice device)) {                                            \
    const auto next = next_##name();                                                         \
    CUcontext context = nullptr;                                                             \
    seen([&](Collector& collector) { context = collector.primary_context_may_go(device); }); \
    const CUresult result = next ? next(device) : CUDA_ERROR_NOT_INITIALIZED;                \
    seen([&](Collector& collector) { collector.primary_context_went(device, context); });    \
    return result;                                                                           \
  }
PRIMARY_CONTEXT_MAY_GO(cuDevicePrimaryCtxRelease)
PRIMARY_CONTEXT_MAY_GO(cuDevicePrimaryCtxRelease_v2)
PRIMARY_CONTEXT_MAY_GO(cuDevicePrimaryCtxReset)
PRIMARY_CONTEXT_MAY_GO(cuDevicePrimaryCtxReset_v2)

// Writes all counts so far; 0 on success. The name has no counterpart in LLVM.
extern "C" __attribute__((visibility("default"))) int kernloop_pgo_cuda_collect() {
  int result = -1;
  guarded([&] { result = Collector::instance().collect() ? 0 : -1; });
  return result;
}
