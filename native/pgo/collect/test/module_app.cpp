// Loads modules by HIP's API: `module_app [dlsym|dlvsym] load|data unload|keep FILE KERNEL[,KERNEL…] [TIMES]`. With
// dlsym or dlvsym it looks the functions up by their names, as Triton does.
#include <dlfcn.h>
#include <hip/hip_runtime_api.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <type_traits>

#include "pgo/collect/test/kernels.h"

namespace {

void check(hipError_t error) {
  if (error == hipSuccess) return;
  std::fprintf(stderr, "%s\n", hipGetErrorName(error));
  std::exit(3);
}

struct Api {
  decltype(&hipModuleLoad) load = &hipModuleLoad;
  decltype(&hipModuleLoadData) load_data = &hipModuleLoadData;
  decltype(&hipModuleUnload) unload = &hipModuleUnload;
};

Api looked_up(bool versioned) {
  void* hip = ::dlopen("libamdhip64.so.5", RTLD_NOW | RTLD_LOCAL);
  if (!hip) std::exit(5);
  Api api;
  const auto get = [&](const char* name, auto& function) {
    void* found = versioned ? ::dlvsym(hip, name, "hip_4.2") : ::dlsym(hip, name);
    if (!found) std::exit(6);
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(found);
  };
  get("hipModuleLoad", api.load);
  get("hipModuleLoadData", api.load_data);
  get("hipModuleUnload", api.unload);
  return api;
}

}  // namespace

int main(int count, char** arguments) {
  const std::string found = count > 1 ? arguments[1] : "";
  const bool by_name = found == "dlsym" || found == "dlvsym";
  if (by_name) --count, ++arguments;
  const Api api = by_name ? looked_up(found == "dlvsym") : Api{};
  if (count < 5) return 2;
  const std::string how = arguments[1], end = arguments[2], file = arguments[3];
  const int times = count > 5 ? std::atoi(arguments[5]) : 1;
  void* out = nullptr;
  check(hipMalloc(&out, kElements * sizeof(int)));
  for (int time = 0; time < times; ++time) {
    hipModule_t module = nullptr;
    if (how == "load") {
      check(api.load(&module, file.c_str()));
    } else {
      std::ifstream stream(file, std::ios::binary);
      const std::string image{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
      check(api.load_data(&module, image.data()));
    }
    std::stringstream names(arguments[4]);
    for (std::string name; std::getline(names, name, ',');) {
      hipFunction_t function = nullptr;
      check(hipModuleGetFunction(&function, module, name.c_str()));
      int n = kElements;
      void* parameters[] = {&out, &n};
      check(hipModuleLaunchKernel(function, (kElements + kBlock - 1) / kBlock, 1, 1, kBlock, 1, 1, 0, nullptr,
                                  parameters, nullptr));
    }
    check(hipDeviceSynchronize());
    if (end == "unload") check(api.unload(module));
  }
  return 0;
}
