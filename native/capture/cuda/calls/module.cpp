// Calls that load code and hand out kernels. Every launch needs a handle that the app got before: wanted kernels are
// noticed there.
#include "capture/cuda/agent.h"
#include "capture/cuda/app/api_call.h"

namespace kernloop::capture {
namespace {

using namespace cuda;

void after_module_load(const ApiCall& call) {
  // All forms begin with the result.
  if (!call.succeeded() || call.thread.loaded.size() != 1) return;
  call.agent.cubins.is_module(*call.params<cuModuleLoadData_params>().module, call.thread.loaded.front());
}

// A library's module, which such a call loads if it is not loaded yet.
void after_get_module(const ApiCall& call) {
  if (!call.succeeded() || call.thread.loaded.size() != 1) return;
  call.agent.cubins.is_module(*call.params<cuLibraryGetModule_params>().pMod, call.thread.loaded.front());
}
// The runtime calls this when the program first names the variable (cudaMemcpyToSymbol, cudaGetSymbolAddress), but for
// managed ones as soon as it loads the code. cuLibraryGetManaged() has the same parameters.
void after_get_library_variable(const ApiCall& call) {
  if (!call.succeeded()) return;
  const auto& p = call.params<cuLibraryGetGlobal_params>();
  const CUlibrary library = p.library;
  if (p.dptr != nullptr) call.agent.told_addresses.told(*p.dptr, library);
  if (call.thread.loaded.size() != 1) return;
  const OwnCalls own;
  CUmodule module = nullptr;
  if (call.agent.driver->cuLibraryGetModule(&module, library) == CUDA_SUCCESS)
    call.agent.cubins.is_module(module, call.thread.loaded.front());
}

void after_get_module_variable(const ApiCall& call) {
  const auto& p = call.params<cuModuleGetGlobal_v2_params>();
  if (call.succeeded() && p.dptr != nullptr) call.agent.told_addresses.told(*p.dptr, p.hmod);
}

void before_module_unload(const ApiCall& call) {
  const CUmodule module = call.params<cuModuleUnload_params>().hmod;
  call.agent.cubins.module_gone(module);
  call.agent.told_addresses.forget(module);
  call.agent.forget_handles_of(module);
}
void before_library_unload(const ApiCall& call) {
  const CUlibrary library = call.params<cuLibraryUnload_params>().library;
  call.agent.told_addresses.forget(library);
  call.agent.forget_handles_of(library);
}

void after_get_function(const ApiCall& call) {
  const auto& p = call.params<cuModuleGetFunction_params>();
  if (call.succeeded() && p.hfunc != nullptr) call.agent.handle_given(*p.hfunc, p.name, p.hmod);
}
void after_get_kernel(const ApiCall& call) {
  const auto& p = call.params<cuLibraryGetKernel_params>();
  if (call.succeeded() && p.pKernel != nullptr) call.agent.handle_given(*p.pKernel, p.name, p.library);
}
void after_get_kernel_function(const ApiCall& call) {
  const auto& p = call.params<cuKernelGetFunction_params>();
  const char* name = nullptr;
  CUmodule module = nullptr;
  const OwnCalls own;
  if (call.succeeded() && call.thread.loaded.size() == 1 &&
      call.agent.driver->cuFuncGetModule(&module, *p.pFunc) == CUDA_SUCCESS) {
    call.agent.cubins.is_module(module, call.thread.loaded.front());
  }
  if (!call.succeeded() || p.pFunc == nullptr || call.agent.driver->cuKernelGetName == nullptr ||
      call.agent.driver->cuKernelGetName(&name, p.kernel) != CUDA_SUCCESS) {
    return;
  }
  CUlibrary library = nullptr;
  if (call.agent.driver->cuKernelGetLibrary != nullptr) call.agent.driver->cuKernelGetLibrary(&library, p.kernel);
  call.agent.handle_given(*p.pFunc, name, library);
}

// Thousands, of some libraries: the recorder is asked once.
template <typename Handle, typename NameOf>
void handles_given(const ApiCall& call, const Handle* handles, size_t count, const void* owner, NameOf name_of) {
  if (!call.succeeded() || name_of == nullptr || handles == nullptr) return;
  const OwnCalls own;
  std::vector<const char*> names(count, nullptr);
  std::unordered_set<std::string> distinct;
  for (size_t i = 0; i < count; ++i) {
    if (name_of(&names[i], handles[i]) == CUDA_SUCCESS && names[i] != nullptr) distinct.emplace(names[i]);
  }
  call.agent.any_wanted(distinct);
  for (size_t i = 0; i < count; ++i) call.agent.handle_given(handles[i], names[i], owner);
}

struct EnumerateKernels {
  CUkernel* kernels;
  unsigned int numKernels;
  CUlibrary lib;
};
void after_enumerate_kernels(const ApiCall& call) {
  const auto& p = call.params<EnumerateKernels>();
  handles_given(call, p.kernels, p.numKernels, p.lib, call.agent.driver->cuKernelGetName);
}

struct EnumerateFunctions {
  CUfunction* functions;
  unsigned int numFunctions;
  CUmodule mod;
};
void after_enumerate_functions(const ApiCall& call) {
  const auto& p = call.params<EnumerateFunctions>();
  handles_given(call, p.functions, p.numFunctions, p.mod, call.agent.driver->cuFuncGetName);
}

}  // namespace

#define ON(function, before, after) table.set(CUPTI_DRIVER_TRACE_CBID_##function, Watch::kAlways, before, after)

void add_module_calls(ApiTable& table) {
  ON(cuModuleLoad, nullptr, after_module_load);
  ON(cuModuleLoadData, nullptr, after_module_load);
  ON(cuModuleLoadDataEx, nullptr, after_module_load);
  ON(cuModuleLoadFatBinary, nullptr, after_module_load);
  ON(cuModuleGetGlobal_v2, nullptr, after_get_module_variable);
  ON(cuLibraryGetModule, nullptr, after_get_module);
  ON(cuLibraryGetGlobal, nullptr, after_get_library_variable);
  ON(cuLibraryGetManaged, nullptr, after_get_library_variable);
  ON(cuModuleUnload, before_module_unload, nullptr);
  ON(cuLibraryUnload, before_library_unload, nullptr);
  ON(cuModuleGetFunction, nullptr, after_get_function);
  ON(cuLibraryGetKernel, nullptr, after_get_kernel);
  ON(cuKernelGetFunction, nullptr, after_get_kernel_function);
  ON(cuLibraryEnumerateKernels, nullptr, after_enumerate_kernels);
  ON(cuModuleEnumerateFunctions, nullptr, after_enumerate_functions);
}

#undef ON

}  // namespace kernloop::capture
