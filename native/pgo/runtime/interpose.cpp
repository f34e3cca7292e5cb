// Interposes HIP's and HIPRTC's functions by name (LD_PRELOAD). The app gets HIPRTC's own results: other code is only
// launched, which keeps it out of the app's caches.
#include <dlfcn.h>

#include "pgo/collect/hip/hip_api.h"
#include "pgo/runtime/rtc_calls.h"

namespace kernloop::pgo::runtime {
namespace {

constexpr int kNotInitialised = 3;  // hipErrorNotInitialized

// HIPRTC is a library of its own from ROCm 6 on, and part of HIP before.
void* next_of_rtc(const char* name) {
  if (void* found = ::dlsym(RTLD_NEXT, name)) return found;
  for (const char* library : {"libhiprtc.so", "libhiprtc.so.7", "libhiprtc.so.6", "libhiprtc.so.5"}) {
    if (void* handle = ::dlopen(library, RTLD_LAZY | RTLD_NOLOAD)) return ::dlsym(handle, name);
  }
  return hip::next_function(name);
}

}  // namespace
}  // namespace kernloop::pgo::runtime

using namespace kernloop::pgo;
using namespace kernloop::pgo::runtime;

#define EXPORT extern "C" __attribute__((visibility("default")))
#define NEXT_OF_RTC(result, parameters, name) \
  static const auto next = reinterpret_cast<result(*) parameters>(next_of_rtc(name))

EXPORT int hiprtcCreateProgram(void** program, const char* source, const char* name, int headers, const char** contents,
                               const char** names) {
  NEXT_OF_RTC(int, (void**, const char*, const char*, int, const char**, const char**), "hiprtcCreateProgram");
  return create_program(next, program, source, name, headers, contents, names);
}

EXPORT int hiprtcAddNameExpression(void* program, const char* expression) {
  NEXT_OF_RTC(int, (void*, const char*), "hiprtcAddNameExpression");
  return add_name_expression(next, program, expression);
}

EXPORT int hiprtcCompileProgram(void* program, int count, const char** options) {
  NEXT_OF_RTC(int, (void*, int, const char**), "hiprtcCompileProgram");
  return compile_program(next, program, count, options);
}

EXPORT int hiprtcGetCode(void* program, char* code) {
  NEXT_OF_RTC(int, (void*, char*), "hiprtcGetCode");
  return get_code(next, program, code);
}

EXPORT int hiprtcDestroyProgram(void** program) {
  NEXT_OF_RTC(int, (void**), "hiprtcDestroyProgram");
  return destroy_program(next, program);
}

EXPORT int hipModuleLoadData(void** module, const void* image) {
  const auto next = hip::next_hipModuleLoadData();
  const int error = next ? next(module, image) : kNotInitialised;
  if (error == 0) with_runtime([&](Runtime& runtime) { runtime.module_loaded(*module, image); });
  return error;
}

EXPORT int hipModuleLoadDataEx(void** module, const void* image, unsigned count, void* options, void** values) {
  const auto next = hip::next_hipModuleLoadDataEx();
  const int error = next ? next(module, image, count, options, values) : kNotInitialised;
  if (error == 0) with_runtime([&](Runtime& runtime) { runtime.module_loaded(*module, image); });
  return error;
}

EXPORT int hipModuleUnload(void* module) {
  with_runtime([&](Runtime& runtime) { runtime.module_unloaded(module); });
  const auto next = hip::next_hipModuleUnload();
  return next ? next(module) : kNotInitialised;
}

EXPORT int hipModuleGetFunction(void** function, void* module, const char* name) {
  const auto next = hip::next_hipModuleGetFunction();
  const int error = next ? next(function, module, name) : kNotInitialised;
  if (error == 0) with_runtime([&](Runtime& runtime) { runtime.function_found(*function, module, name); });
  return error;
}

EXPORT int hipModuleLaunchKernel(void* function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                                 unsigned bz, unsigned shared, void* stream, void** parameters, void** extra) {
  const auto next = hip::next_hipModuleLaunchKernel();
  if (!next) return kNotInitialised;
  return launch_function(
      function, [&](void* chosen) { return next(chosen, gx, gy, gz, bx, by, bz, shared, stream, parameters, extra); });
}

// A function of C++, by its mangled name.
EXPORT int
kernloop_ext_launch(void* function, uint32_t gx, uint32_t gy, uint32_t gz, uint32_t bx, uint32_t by, uint32_t bz, size_t shared, void* stream, void** parameters, void** extra, void* start, void* stop, uint32_t flags) __asm__(
    "_Z24hipExtModuleLaunchKernelP18ihipModuleSymbol_tjjjjjjmP12ihipStream_tPPvS4_P11ihipEvent_tS6_j");
int kernloop_ext_launch(void* function, uint32_t gx, uint32_t gy, uint32_t gz, uint32_t bx, uint32_t by, uint32_t bz,
                        size_t shared, void* stream, void** parameters, void** extra, void* start, void* stop,
                        uint32_t flags) {
  using Next = int (*)(void*, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, size_t, void*, void**, void**,
                       void*, void*, uint32_t);
  static const auto next = reinterpret_cast<Next>(hip::next_function(
      "_Z24hipExtModuleLaunchKernelP18ihipModuleSymbol_tjjjjjjmP12ihipStream_tPPvS4_P11ihipEvent_tS6_j"));
  if (!next) return kNotInitialised;
  return launch_function(function, [&](void* chosen) {
    return next(chosen, gx, gy, gz, bx, by, bz, shared, stream, parameters, extra, start, stop, flags);
  });
}

// Graphs get code whose counters need no reading between launches.
EXPORT int hipStreamBeginCapture(void* stream, int mode) {
  const auto next = hip::next_hipStreamBeginCapture();
  const int error = next ? next(stream, mode) : kNotInitialised;
  if (error == 0) with_runtime([](Runtime& runtime) { ++runtime.captures; });
  return error;
}

EXPORT int hipStreamEndCapture(void* stream, void** graph) {
  const auto next = hip::next_hipStreamEndCapture();
  const int error = next ? next(stream, graph) : kNotInitialised;
  with_runtime([](Runtime& runtime) {
    if (runtime.captures > 0) --runtime.captures;
  });
  return error;
}
