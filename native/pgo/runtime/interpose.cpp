// The functions of the gates before HIP's and HIPRTC's (rows.S), in a library that is preloaded. The app gets HIPRTC's
// own results: other code is only launched, which keeps it out of the app's caches.
#include "interpose/instead_of.h"
#include "pgo/collect/hip/hip_api.h"
#include "pgo/runtime/rtc_calls.h"

using namespace kernloop::pgo::runtime;
using kernloop::pgo::hip::kNotInitialised;

INSTEAD_OF(int, hiprtcCreateProgram,
           (void** program, const char* source, const char* name, int headers, const char** contents,
            const char** names)) {
  return create_program(next_hiprtcCreateProgram(), program, source, name, headers, contents, names);
}

INSTEAD_OF(int, hiprtcAddNameExpression, (void* program, const char* expression)) {
  return add_name_expression(next_hiprtcAddNameExpression(), program, expression);
}

INSTEAD_OF(int, hiprtcCompileProgram, (void* program, int count, const char** options)) {
  return compile_program(next_hiprtcCompileProgram(), program, count, options);
}

INSTEAD_OF(int, hiprtcGetCode, (void* program, char* code)) {
  return get_code(next_hiprtcGetCode(), program, code);
}

INSTEAD_OF(int, hiprtcDestroyProgram, (void** program)) {
  return destroy_program(next_hiprtcDestroyProgram(), program);
}

INSTEAD_OF(int, hipModuleLoadData, (void** module, const void* image)) {
  const auto next = next_hipModuleLoadData();
  const int error = next ? next(module, image) : kNotInitialised;
  if (error == 0) with_runtime([&](Runtime& runtime) { runtime.module_loaded(*module, image); });
  return error;
}

INSTEAD_OF(int, hipModuleLoadDataEx, (void** module, const void* image, unsigned count, void* options, void** values)) {
  const auto next = next_hipModuleLoadDataEx();
  const int error = next ? next(module, image, count, options, values) : kNotInitialised;
  if (error == 0) with_runtime([&](Runtime& runtime) { runtime.module_loaded(*module, image); });
  return error;
}

INSTEAD_OF(int, hipModuleUnload, (void* module)) {
  with_runtime([&](Runtime& runtime) { runtime.module_unloaded(module); });
  const auto next = next_hipModuleUnload();
  return next ? next(module) : kNotInitialised;
}

INSTEAD_OF(int, hipModuleGetFunction, (void** function, void* module, const char* name)) {
  const auto next = next_hipModuleGetFunction();
  const int error = next ? next(function, module, name) : kNotInitialised;
  if (error == 0) with_runtime([&](Runtime& runtime) { runtime.function_found(*function, module, name); });
  return error;
}

INSTEAD_OF(int, hipModuleLaunchKernel,
           (void* function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
            unsigned shared, void* stream, void** parameters, void** extra)) {
  const auto next = next_hipModuleLaunchKernel();
  if (!next) return kNotInitialised;
  return launch_function(
      function, [&](void* chosen) { return next(chosen, gx, gy, gz, bx, by, bz, shared, stream, parameters, extra); });
}

// A function of C++, by its mangled name.
INSTEAD_OF(int, _Z24hipExtModuleLaunchKernelP18ihipModuleSymbol_tjjjjjjmP12ihipStream_tPPvS4_P11ihipEvent_tS6_j,
           (void* function, uint32_t gx, uint32_t gy, uint32_t gz, uint32_t bx, uint32_t by, uint32_t bz, size_t shared,
            void* stream, void** parameters, void** extra, void* start, void* stop, uint32_t flags)) {
  const auto next =
      next__Z24hipExtModuleLaunchKernelP18ihipModuleSymbol_tjjjjjjmP12ihipStream_tPPvS4_P11ihipEvent_tS6_j();
  if (!next) return kNotInitialised;
  return launch_function(function, [&](void* chosen) {
    return next(chosen, gx, gy, gz, bx, by, bz, shared, stream, parameters, extra, start, stop, flags);
  });
}

// Graphs get code whose counters need no reading between launches.
INSTEAD_OF(int, hipStreamBeginCapture, (void* stream, int mode)) {
  const auto next = next_hipStreamBeginCapture();
  const int error = next ? next(stream, mode) : kNotInitialised;
  if (error == 0) with_runtime([](Runtime& runtime) { ++runtime.captures; });
  return error;
}

INSTEAD_OF(int, hipStreamEndCapture, (void* stream, void** graph)) {
  const auto next = next_hipStreamEndCapture();
  const int error = next ? next(stream, graph) : kNotInitialised;
  with_runtime([](Runtime& runtime) {
    if (runtime.captures > 0) --runtime.captures;
  });
  return error;
}
