// loaded_hip LOOKUP OBJECT: a program that loads HIP by name, as Triton does, and whose kernel faults. LOOKUP is dlsym,
// or dlvsym, which is not interposed.
#include <dlfcn.h>
#include <hip/hip_runtime_api.h>

#include <cstdio>
#include <cstring>

namespace {

void* hip = nullptr;
bool versioned = false;

template <typename Function>
Function* function(const char* name) {
  return reinterpret_cast<Function*>(versioned ? dlvsym(hip, name, "hip_4.2") : dlsym(hip, name));
}

}  // namespace

int main(int, char** words) {
  if (dlsym(RTLD_DEFAULT, "hipGetDevice") != nullptr) return 3;  // no HIP yet, whatever is preloaded
  hip = dlopen("libamdhip64.so.5", RTLD_NOW | RTLD_LOCAL);
  versioned = std::strcmp(words[1], "dlvsym") == 0;
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
