// Interposes the driver's functions by name: linked into the app before libcuda, or preloaded. The runtime asks for
// them by dlsym and cuGetProcAddress, which return the same ones.
#include "pgo/collect/cuda/collector.h"
#include "pgo/collect/cuda/lookup.h"
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

const Driver* driver() {
  const OwnLookup own;
  return Collector::instance().driver();
}

}  // namespace kernloop::pgo::cuda

using namespace kernloop::pgo::cuda;

#define EXPORT extern "C" __attribute__((visibility("default")))

EXPORT CUresult cuModuleLoad(CUmodule* module, const char* file) {
  const Driver* next = driver();
  const CUresult result = next ? next->cuModuleLoad(module, file) : CUDA_ERROR_NOT_INITIALIZED;
  if (result == CUDA_SUCCESS) seen([&](Collector& collector) { collector.module_loaded_from(*module, file); });
  return result;
}

EXPORT CUresult cuModuleLoadData(CUmodule* module, const void* image) {
  const Driver* next = driver();
  const CUresult result = next ? next->cuModuleLoadData(module, image) : CUDA_ERROR_NOT_INITIALIZED;
  if (result == CUDA_SUCCESS) seen([&](Collector& collector) { collector.module_loaded(*module, image); });
  return result;
}

EXPORT CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned int count, CUjit_option* options,
                                   void** values) {
  const Driver* next = driver();
  const CUresult result =
      next ? next->cuModuleLoadDataEx(module, image, count, options, values) : CUDA_ERROR_NOT_INITIALIZED;
  if (result == CUDA_SUCCESS) seen([&](Collector& collector) { collector.module_loaded(*module, image); });
  return result;
}

EXPORT CUresult cuModuleLoadFatBinary(CUmodule* module, const void* image) {
  const Driver* next = driver();
  const CUresult result = next ? next->cuModuleLoadFatBinary(module, image) : CUDA_ERROR_NOT_INITIALIZED;
  if (result == CUDA_SUCCESS) seen([&](Collector& collector) { collector.module_loaded(*module, image); });
  return result;
}

EXPORT CUresult cuModuleUnload(CUmodule module) {
  const Driver* next = driver();
  seen([&](Collector& collector) { collector.unloaded(module); });
  return next ? next->cuModuleUnload(module) : CUDA_ERROR_NOT_INITIALIZED;
}

EXPORT CUresult cuLibraryLoadData(CUlibrary* library, const void* code, CUjit_option* jit, void** jit_values,
                                  unsigned int jit_count, CUlibraryOption* options, void** values, unsigned int count) {
  const Driver* next = driver();
  const CUresult result =
      next ? next->cuLibraryLoadData(library, code, jit, jit_values, jit_count, options, values, count)
           : CUDA_ERROR_NOT_INITIALIZED;
  if (result == CUDA_SUCCESS) seen([&](Collector& collector) { collector.library_loaded(*library, code); });
  return result;
}

EXPORT CUresult cuLibraryLoadFromFile(CUlibrary* library, const char* file, CUjit_option* jit, void** jit_values,
                                      unsigned int jit_count, CUlibraryOption* options, void** values,
                                      unsigned int count) {
  const Driver* next = driver();
  const CUresult result =
      next ? next->cuLibraryLoadFromFile(library, file, jit, jit_values, jit_count, options, values, count)
           : CUDA_ERROR_NOT_INITIALIZED;
  if (result == CUDA_SUCCESS) seen([&](Collector& collector) { collector.library_loaded_from(*library, file); });
  return result;
}

EXPORT CUresult cuLibraryUnload(CUlibrary library) {
  const Driver* next = driver();
  seen([&](Collector& collector) { collector.unloaded(library); });
  return next ? next->cuLibraryUnload(library) : CUDA_ERROR_NOT_INITIALIZED;
}

EXPORT CUresult cuCtxDestroy_v2(CUcontext context) {
  const Driver* next = driver();
  seen([&](Collector& collector) { collector.context_goes(context); });
  return next ? next->cuCtxDestroy(context) : CUDA_ERROR_NOT_INITIALIZED;
}

EXPORT CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  const Driver* next = driver();
  CUcontext context = nullptr;
  seen([&](Collector& collector) { context = collector.primary_context_may_go(device); });
  const CUresult result = next ? next->cuDevicePrimaryCtxRelease(device) : CUDA_ERROR_NOT_INITIALIZED;
  seen([&](Collector& collector) { collector.primary_context_went(device, context); });
  return result;
}

EXPORT CUresult cuDevicePrimaryCtxReset_v2(CUdevice device) {
  const Driver* next = driver();
  CUcontext context = nullptr;
  seen([&](Collector& collector) { context = collector.primary_context_may_go(device); });
  const CUresult result =
      next && next->cuDevicePrimaryCtxReset ? next->cuDevicePrimaryCtxReset(device) : CUDA_ERROR_NOT_INITIALIZED;
  seen([&](Collector& collector) { collector.primary_context_went(device, context); });
  return result;
}

namespace kernloop::pgo::cuda {

std::span<const Gate> gates() {
  static const Gate all[] = {
      {"cuModuleLoad", "cuModuleLoad", reinterpret_cast<void*>(&::cuModuleLoad)},
      {"cuModuleLoadData", "cuModuleLoadData", reinterpret_cast<void*>(&::cuModuleLoadData)},
      {"cuModuleLoadDataEx", "cuModuleLoadDataEx", reinterpret_cast<void*>(&::cuModuleLoadDataEx)},
      {"cuModuleLoadFatBinary", "cuModuleLoadFatBinary", reinterpret_cast<void*>(&::cuModuleLoadFatBinary)},
      {"cuModuleUnload", "cuModuleUnload", reinterpret_cast<void*>(&::cuModuleUnload)},
      {"cuLibraryLoadData", "cuLibraryLoadData", reinterpret_cast<void*>(&::cuLibraryLoadData)},
      {"cuLibraryLoadFromFile", "cuLibraryLoadFromFile", reinterpret_cast<void*>(&::cuLibraryLoadFromFile)},
      {"cuLibraryUnload", "cuLibraryUnload", reinterpret_cast<void*>(&::cuLibraryUnload)},
      {"cuCtxDestroy_v2", "cuCtxDestroy", reinterpret_cast<void*>(&::cuCtxDestroy_v2)},
      {"cuDevicePrimaryCtxRelease_v2", "cuDevicePrimaryCtxRelease",
       reinterpret_cast<void*>(&::cuDevicePrimaryCtxRelease_v2)},
      {"cuDevicePrimaryCtxReset_v2", "cuDevicePrimaryCtxReset", reinterpret_cast<void*>(&::cuDevicePrimaryCtxReset_v2)},
  };
  return all;
}

}  // namespace kernloop::pgo::cuda

// Writes all counts so far; 0 on success. The name has no counterpart in LLVM.
EXPORT int kernloop_pgo_cuda_collect() {
  int result = -1;
  guarded([&] { result = Collector::instance().collect() ? 0 : -1; });
  return result;
}
