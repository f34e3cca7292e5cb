// Included before a program's own text: it looks HIP's functions up in a library that it opens for itself alone.
#pragma once

#include <dlfcn.h>
#include <hip/hip_runtime.h>
#include <hip/hiprtc.h>

template <typename Function>
Function* by_name(Function*, const char* name) {
  static void* const hip = ::dlopen("libamdhip64.so.5", RTLD_NOW | RTLD_LOCAL);
  return reinterpret_cast<Function*>(::dlsym(hip, name));
}

#define hiprtcCreateProgram by_name(&hiprtcCreateProgram, "hiprtcCreateProgram")
#define hiprtcAddNameExpression by_name(&hiprtcAddNameExpression, "hiprtcAddNameExpression")
#define hiprtcCompileProgram by_name(&hiprtcCompileProgram, "hiprtcCompileProgram")
#define hiprtcGetCode by_name(&hiprtcGetCode, "hiprtcGetCode")
#define hiprtcDestroyProgram by_name(&hiprtcDestroyProgram, "hiprtcDestroyProgram")
#define hipModuleLoadData(module, image)                                                                           \
  by_name(static_cast<hipError_t (*)(hipModule_t*, const void*)>(&hipModuleLoadData), "hipModuleLoadData")(module, \
                                                                                                           image)
#define hipModuleUnload by_name(&hipModuleUnload, "hipModuleUnload")
#define hipModuleGetFunction by_name(&hipModuleGetFunction, "hipModuleGetFunction")
#define hipModuleLaunchKernel by_name(&hipModuleLaunchKernel, "hipModuleLaunchKernel")
