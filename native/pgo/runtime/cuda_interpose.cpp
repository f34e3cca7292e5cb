// Interposes NVRTC's functions and the CUDA driver's by name (LD_PRELOAD), for apps that are linked with them and for
// those that look them up. The app gets NVRTC's own results: other code is only launched.
#include <dlfcn.h>

#include "pgo/collect/cuda/lookup.h"
#include "pgo/runtime/rtc_calls.h"

namespace kernloop::pgo::cuda {

// Never given back: the app's last modules go when everything static is gone already.
const Driver* driver() {
  static const auto* const one = [] {
    const OwnLookup own;
    auto loaded = Driver::load();
    if (!loaded) warn(loaded.error());
    return loaded ? new std::shared_ptr<const Driver>(*loaded) : new std::shared_ptr<const Driver>;
  }();
  return one->get();
}

}  // namespace kernloop::pgo::cuda

namespace kernloop::pgo::runtime {
namespace {

// Looked up by the app, linked with it, or opened by it for itself alone.
void* next_of_nvrtc(void* looked_up, const char* name) {
  if (looked_up) return looked_up;
  const cuda::OwnLookup own;
  if (void* found = ::dlsym(RTLD_NEXT, name)) return found;
  for (const char* library : {"libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2"}) {
    if (void* handle = ::dlopen(library, RTLD_LAZY | RTLD_NOLOAD)) return ::dlsym(handle, name);
  }
  return nullptr;
}

enum Function { kCreate, kExpression, kCompile, kCubin, kPtx, kDestroy, kFunctions };
void* looked_up[kFunctions] = {};

}  // namespace
}  // namespace kernloop::pgo::runtime

using namespace kernloop::pgo;
using namespace kernloop::pgo::runtime;
using namespace kernloop::cuda;

#define EXPORT extern "C" __attribute__((visibility("default")))
#define NEXT_OF_NVRTC(which, parameters, name) \
  const auto next = reinterpret_cast<int(*) parameters>(next_of_nvrtc(looked_up[which], name))

EXPORT int nvrtcCreateProgram(void** program, const char* source, const char* name, int headers,
                              const char* const* contents, const char* const* names) {
  NEXT_OF_NVRTC(kCreate, (void**, const char*, const char*, int, const char* const*, const char* const*),
                "nvrtcCreateProgram");
  return create_program(next, program, source, name, headers, contents, names);
}

EXPORT int nvrtcAddNameExpression(void* program, const char* expression) {
  NEXT_OF_NVRTC(kExpression, (void*, const char*), "nvrtcAddNameExpression");
  return add_name_expression(next, program, expression);
}

EXPORT int nvrtcCompileProgram(void* program, int count, const char* const* options) {
  NEXT_OF_NVRTC(kCompile, (void*, int, const char* const*), "nvrtcCompileProgram");
  return compile_program(next, program, count, options);
}

EXPORT int nvrtcGetCUBIN(void* program, char* code) {
  NEXT_OF_NVRTC(kCubin, (void*, char*), "nvrtcGetCUBIN");
  return get_code(next, program, code);
}

EXPORT int nvrtcGetPTX(void* program, char* code) {
  NEXT_OF_NVRTC(kPtx, (void*, char*), "nvrtcGetPTX");
  return get_code(next, program, code);
}

EXPORT int nvrtcDestroyProgram(void** program) {
  NEXT_OF_NVRTC(kDestroy, (void**), "nvrtcDestroyProgram");
  return destroy_program(next, program);
}

EXPORT CUresult cuModuleLoadData(CUmodule* module, const void* image) {
  const Driver* next = cuda::driver();
  const CUresult result = next ? next->cuModuleLoadData(module, image) : CUDA_ERROR_NOT_INITIALIZED;
  if (result == CUDA_SUCCESS) with_runtime([&](Runtime& runtime) { runtime.module_loaded(*module, image); });
  return result;
}

EXPORT CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned int count, CUjit_option* options,
                                   void** values) {
  const Driver* next = cuda::driver();
  const CUresult result =
      next ? next->cuModuleLoadDataEx(module, image, count, options, values) : CUDA_ERROR_NOT_INITIALIZED;
  if (result == CUDA_SUCCESS) with_runtime([&](Runtime& runtime) { runtime.module_loaded(*module, image); });
  return result;
}

EXPORT CUresult cuModuleUnload(CUmodule module) {
  with_runtime([&](Runtime& runtime) { runtime.module_unloaded(module); });
  const Driver* next = cuda::driver();
  return next ? next->cuModuleUnload(module) : CUDA_ERROR_NOT_INITIALIZED;
}

EXPORT CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
  const Driver* next = cuda::driver();
  const CUresult result = next ? next->cuModuleGetFunction(function, module, name) : CUDA_ERROR_NOT_INITIALIZED;
  if (result == CUDA_SUCCESS) with_runtime([&](Runtime& runtime) { runtime.function_found(*function, module, name); });
  return result;
}

EXPORT CUresult cuLaunchKernel(CUfunction function, unsigned int gx, unsigned int gy, unsigned int gz, unsigned int bx,
                               unsigned int by, unsigned int bz, unsigned int shared, CUstream stream,
                               void** parameters, void** extra) {
  const Driver* next = cuda::driver();
  if (!next) return CUDA_ERROR_NOT_INITIALIZED;
  return static_cast<CUresult>(launch_function(function, [&](void* chosen) -> int {
    return next->cuLaunchKernel(static_cast<CUfunction>(chosen), gx, gy, gz, bx, by, bz, shared, stream, parameters,
                                extra);
  }));
}

EXPORT CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction function, void** parameters, void** extra) {
  const Driver* next = cuda::driver();
  if (!next || !next->cuLaunchKernelEx) return CUDA_ERROR_NOT_INITIALIZED;
  return static_cast<CUresult>(launch_function(function, [&](void* chosen) -> int {
    return next->cuLaunchKernelEx(config, static_cast<CUfunction>(chosen), parameters, extra);
  }));
}

// Graphs get code whose counters need no reading between launches.
EXPORT CUresult cuStreamBeginCapture_v2(CUstream stream, CUstreamCaptureMode mode) {
  const Driver* next = cuda::driver();
  const CUresult result = next ? next->cuStreamBeginCapture(stream, mode) : CUDA_ERROR_NOT_INITIALIZED;
  if (result == CUDA_SUCCESS) with_runtime([](Runtime& runtime) { ++runtime.captures; });
  return result;
}

EXPORT CUresult cuStreamEndCapture(CUstream stream, CUgraph* graph) {
  const Driver* next = cuda::driver();
  const CUresult result = next ? next->cuStreamEndCapture(stream, graph) : CUDA_ERROR_NOT_INITIALIZED;
  with_runtime([](Runtime& runtime) {
    if (runtime.captures > 0) --runtime.captures;
  });
  return result;
}

namespace kernloop::pgo::cuda {

std::span<const Gate> gates() {
  using runtime::looked_up;
#define OF_DRIVER(function, name) \
  { #function, name, reinterpret_cast < void*>(&::function) }
#define OF_NVRTC(function, which) \
  { #function, "", reinterpret_cast < void*>(&::function), "libnvrtc", &looked_up[runtime::which] }
  static const Gate all[] = {OF_DRIVER(cuModuleLoadData, "cuModuleLoadData"),
                             OF_DRIVER(cuModuleLoadDataEx, "cuModuleLoadDataEx"),
                             OF_DRIVER(cuModuleUnload, "cuModuleUnload"),
                             OF_DRIVER(cuModuleGetFunction, "cuModuleGetFunction"),
                             OF_DRIVER(cuLaunchKernel, "cuLaunchKernel"),
                             OF_DRIVER(cuLaunchKernelEx, "cuLaunchKernelEx"),
                             OF_DRIVER(cuStreamBeginCapture_v2, "cuStreamBeginCapture"),
                             OF_DRIVER(cuStreamEndCapture, "cuStreamEndCapture"),
                             OF_NVRTC(nvrtcCreateProgram, kCreate),
                             OF_NVRTC(nvrtcAddNameExpression, kExpression),
                             OF_NVRTC(nvrtcCompileProgram, kCompile),
                             OF_NVRTC(nvrtcGetCUBIN, kCubin),
                             OF_NVRTC(nvrtcGetPTX, kPtx),
                             OF_NVRTC(nvrtcDestroyProgram, kDestroy)};
  return all;
}

}  // namespace kernloop::pgo::cuda
