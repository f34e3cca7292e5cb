// In front of the driver's functions of the same names: linked into the app before libcuda, or preloaded. The runtime
// asks for them by dlsym and cuGetProcAddress, which are answered with the same.
#include <dlfcn.h>

#include <cstring>

#include "pgo/collect/cuda/collector.h"
#include "pgo/collect/log.h"

namespace kernloop::pgo::cuda {
namespace {

// Nothing may leave through a C interface.
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

thread_local int looking_up = 0;  // the collector's own look-ups get the driver's functions

const Driver* driver() {
  ++looking_up;
  const Driver* found = Collector::instance().driver();
  --looking_up;
  return found;
}

template <typename Work>
void seen(Work work) {
  guarded([&] { work(Collector::instance()); });
}

}  // namespace
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

EXPORT CUresult cuGetProcAddress_v2(const char* symbol, void** function, int version, cuuint64_t flags,
                                    CUdriverProcAddressQueryResult* status);
EXPORT CUresult cuGetProcAddress(const char* symbol, void** function, int version, cuuint64_t flags);

namespace kernloop::pgo::cuda {
namespace {

// By the driver's symbols, and by the names that cuGetProcAddress knows them under.
struct Gate {
  const char* symbol;
  const char* name;
  void* function;
};
const Gate kGates[] = {
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
    {"cuGetProcAddress_v2", "cuGetProcAddress", reinterpret_cast<void*>(&::cuGetProcAddress_v2)},
    {"cuGetProcAddress", "", reinterpret_cast<void*>(&::cuGetProcAddress)},
};

using Dlsym = void* (*)(void*, const char*);

bool is_of_the_driver(void* function) {
  Dl_info info{};
  return ::dladdr(function, &info) != 0 && info.dli_fname && std::strstr(info.dli_fname, "libcuda.so") != nullptr;
}

}  // namespace
}  // namespace kernloop::pgo::cuda

EXPORT CUresult cuGetProcAddress_v2(const char* symbol, void** function, int version, cuuint64_t flags,
                                    CUdriverProcAddressQueryResult* status) {
  const Driver* next = driver();
  if (!next || !next->cuGetProcAddress) return CUDA_ERROR_NOT_INITIALIZED;
  const CUresult result = next->cuGetProcAddress(symbol, function, version, flags, status);
  if (result != CUDA_SUCCESS || !function || !*function || !symbol) return result;
  for (const Gate& gate : kGates) {
    if (std::strcmp(gate.name, symbol) == 0) *function = gate.function;
  }
  // Its first form has four parameters, and came with CUDA 11.3.
  if (std::strcmp(symbol, "cuGetProcAddress") == 0 && version < 12000)
    *function = reinterpret_cast<void*>(&::cuGetProcAddress);
  return result;
}

EXPORT CUresult cuGetProcAddress(const char* symbol, void** function, int version, cuuint64_t flags) {
  return cuGetProcAddress_v2(symbol, function, version, flags, nullptr);
}

// glibc's, whose answer depends on who calls it (RTLD_NEXT): dlsym.S jumps there unless it is to be another one.
extern "C" {
__attribute__((visibility("hidden"))) Dlsym kernloop_pgo_real_dlsym = nullptr;
}

extern "C" __attribute__((visibility("hidden"))) void* kernloop_pgo_other_dlsym(void* handle, const char* name) {
  if (!kernloop_pgo_real_dlsym)
    kernloop_pgo_real_dlsym = reinterpret_cast<Dlsym>(::dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5"));
  if (looking_up || handle == RTLD_NEXT || !name || name[0] != 'c' || name[1] != 'u') return nullptr;
  for (const Gate& gate : kGates) {
    if (std::strcmp(gate.symbol, name) != 0) continue;
    void* found = kernloop_pgo_real_dlsym(handle, name);
    return found && is_of_the_driver(found) ? gate.function : nullptr;
  }
  return nullptr;
}

// Writes what was counted until now; 0 where all of it could be. The name has no counterpart in LLVM.
EXPORT int kernloop_pgo_cuda_collect() {
  int result = -1;
  guarded([&] { result = Collector::instance().collect() ? 0 : -1; });
  return result;
}
