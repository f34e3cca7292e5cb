// loaded_hip LOOKUP OBJECT: a program that loads HIP by name, as Triton does, and whose kernel faults. LOOKUP is dlsym,
// dlvsym, or table, which reads HIP's symbol table: no library can answer that.
#include <dlfcn.h>
#include <hip/hip_runtime_api.h>

#include <cstdio>
#include <cstring>

#include "interpose/dynamic_symbols.h"

namespace {

void* hip = nullptr;
const char* lookup = "";

template <typename Function>
Function* function(const char* name) {
  if (std::strcmp(lookup, "dlvsym") == 0) return reinterpret_cast<Function*>(dlvsym(hip, name, "hip_4.2"));
  if (std::strcmp(lookup, "dlsym") == 0) return reinterpret_cast<Function*>(dlsym(hip, name));
  const kernloop::interpose::DynamicSymbols symbols(*static_cast<link_map*>(hip));
  const auto* symbol = symbols.find(name);
  return symbol == nullptr ? nullptr : reinterpret_cast<Function*>(symbols.address(*symbol));
}

}  // namespace

int main(int, char** words) {
  if (dlsym(RTLD_DEFAULT, "hipGetDevice") != nullptr) return 3;  // no HIP yet, whatever is preloaded
  hip = dlopen("libamdhip64.so.5", RTLD_NOW | RTLD_LOCAL);
  lookup = words[1];
  if (hip == nullptr) return 4;
  const auto load = function<decltype(hipModuleLoad)>("hipModuleLoad");
  const auto get = function<decltype(hipModuleGetFunction)>("hipModuleGetFunction");
  const auto launch = function<decltype(hipModuleLaunchKernel)>("hipModuleLaunchKernel");
  const auto wait = function<decltype(hipDeviceSynchronize)>("hipDeviceSynchronize");
  hipModule_t module;
  hipFunction_t kernel;
  const hipError_t loaded = load(&module, words[2]);
  std::printf("hipModuleLoad %d\n", loaded);
  if (loaded != hipSuccess || get(&kernel, module, "to_nowhere") != hipSuccess) return 5;
  unsigned long long nowhere = 0x123456780000;
  void* arguments[] = {&nowhere};
  // The kernel may have faulted before the launch returns.
  const hipError_t launched = launch(kernel, 1, 1, 1, 64, 1, 1, 0, nullptr, arguments, nullptr);
  if (launched != hipSuccess && launched != hipErrorIllegalAddress) return 6;
  std::printf("hipDeviceSynchronize %d\n", wait());
  return 21;
}
