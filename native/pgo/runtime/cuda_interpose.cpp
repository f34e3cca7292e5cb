// The functions of the gates before NVRTC's and the CUDA driver's (rows.S), in a library that is preloaded. The app
// gets NVRTC's own results: other code is only launched.
#include "interpose/instead_of.h"
#include "pgo/runtime/cuda_driver.h"
#include "pgo/runtime/rtc_calls.h"

using namespace kernloop::pgo::runtime;
using namespace kernloop::cuda;

namespace {

template <typename Work>
void with_driver(Work work) {
  if (driver()) with_runtime(work);
}

}  // namespace

INSTEAD_OF(int, nvrtcCreateProgram,
           (void** program, const char* source, const char* name, int headers, const char* const* contents,
            const char* const* names)) {
  return create_program(next_nvrtcCreateProgram(), program, source, name, headers, contents, names);
}

INSTEAD_OF(int, nvrtcAddNameExpression, (void* program, const char* expression)) {
  return add_name_expression(next_nvrtcAddNameExpression(), program, expression);
}

INSTEAD_OF(int, nvrtcCompileProgram, (void* program, int count, const char* const* options)) {
  return compile_program(next_nvrtcCompileProgram(), program, count, options);
}

INSTEAD_OF(int, nvrtcGetCUBIN, (void* program, char* code)) {
  return get_code(next_nvrtcGetCUBIN(), program, code);
}

INSTEAD_OF(int, nvrtcGetPTX, (void* program, char* code)) {
  return get_code(next_nvrtcGetPTX(), program, code);
}

INSTEAD_OF(int, nvrtcDestroyProgram, (void** program)) {
  return destroy_program(next_nvrtcDestroyProgram(), program);
}

INSTEAD_OF(CUresult, cuModuleLoadData, (CUmodule * module, const void* image)) {
  const auto next = next_cuModuleLoadData();
  const CUresult result = next ? next(module, image) : CUDA_ERROR_NOT_INITIALIZED;
  if (result == CUDA_SUCCESS) with_driver([&](Runtime& runtime) { runtime.module_loaded(*module, image); });
  return result;
}

INSTEAD_OF(CUresult, cuModuleLoadDataEx,
           (CUmodule * module, const void* image, unsigned int count, CUjit_option* options, void** values)) {
  const auto next = next_cuModuleLoadDataEx();
  const CUresult result = next ? next(module, image, count, options, values) : CUDA_ERROR_NOT_INITIALIZED;
  if (result == CUDA_SUCCESS) with_driver([&](Runtime& runtime) { runtime.module_loaded(*module, image); });
  return result;
}

INSTEAD_OF(CUresult, cuModuleUnload, (CUmodule module)) {
  with_driver([&](Runtime& runtime) { runtime.module_unloaded(module); });
  const auto next = next_cuModuleUnload();
  return next ? next(module) : CUDA_ERROR_NOT_INITIALIZED;
}

INSTEAD_OF(CUresult, cuModuleGetFunction, (CUfunction * function, CUmodule module, const char* name)) {
  const auto next = next_cuModuleGetFunction();
  const CUresult result = next ? next(function, module, name) : CUDA_ERROR_NOT_INITIALIZED;
  if (result == CUDA_SUCCESS) with_driver([&](Runtime& runtime) { runtime.function_found(*function, module, name); });
  return result;
}

// Each of these functions has a form for programs with per-thread default streams.
#define LAUNCH(name)                                                                                             \
  INSTEAD_OF(                                                                                                    \
      CUresult, name,                                                                                            \
      (CUfunction function, unsigned int gx, unsigned int gy, unsigned int gz, unsigned int bx, unsigned int by, \
       unsigned int bz, unsigned int shared, CUstream stream, void** parameters, void** extra)) {                \
    const auto next = next_##name();                                                                             \
    if (!next) return CUDA_ERROR_NOT_INITIALIZED;                                                                \
    return static_cast<CUresult>(launch_function(function, [&](void* chosen) -> int {                            \
      return next(static_cast<CUfunction>(chosen), gx, gy, gz, bx, by, bz, shared, stream, parameters, extra);   \
    }));                                                                                                         \
  }
LAUNCH(cuLaunchKernel)
LAUNCH(cuLaunchKernel_ptsz)

#define LAUNCH_EX(name)                                                                                              \
  INSTEAD_OF(CUresult, name, (const CUlaunchConfig* config, CUfunction function, void** parameters, void** extra)) { \
    const auto next = next_##name();                                                                                 \
    if (!next) return CUDA_ERROR_NOT_INITIALIZED;                                                                    \
    return static_cast<CUresult>(launch_function(function, [&](void* chosen) -> int {                                \
      return next(config, static_cast<CUfunction>(chosen), parameters, extra);                                       \
    }));                                                                                                             \
  }
LAUNCH_EX(cuLaunchKernelEx)
LAUNCH_EX(cuLaunchKernelEx_ptsz)

// Graphs get code whose counters need no reading between launches.
#define BEGIN_CAPTURE(name, parameters, ...)                                               \
  INSTEAD_OF(CUresult, name, parameters) {                                                 \
    const auto next = next_##name();                                                       \
    const CUresult result = next ? next(__VA_ARGS__) : CUDA_ERROR_NOT_INITIALIZED;         \
    if (result == CUDA_SUCCESS) with_driver([](Runtime& runtime) { ++runtime.captures; }); \
    return result;                                                                         \
  }
BEGIN_CAPTURE(cuStreamBeginCapture, (CUstream stream), stream)
BEGIN_CAPTURE(cuStreamBeginCapture_ptsz, (CUstream stream), stream)
BEGIN_CAPTURE(cuStreamBeginCapture_v2, (CUstream stream, CUstreamCaptureMode mode), stream, mode)
BEGIN_CAPTURE(cuStreamBeginCapture_v2_ptsz, (CUstream stream, CUstreamCaptureMode mode), stream, mode)

#define END_CAPTURE(name)                                                            \
  INSTEAD_OF(CUresult, name, (CUstream stream, CUgraph * graph)) {                   \
    const auto next = next_##name();                                                 \
    const CUresult result = next ? next(stream, graph) : CUDA_ERROR_NOT_INITIALIZED; \
    with_driver([](Runtime& runtime) {                                               \
      if (runtime.captures > 0) --runtime.captures;                                  \
    });                                                                              \
    return result;                                                                   \
  }
END_CAPTURE(cuStreamEndCapture)
END_CAPTURE(cuStreamEndCapture_ptsz)
