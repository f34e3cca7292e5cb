// Loads modules by HIP's API: `module_app load|data unload|keep FILE KERNEL[,KERNEL…] [TIMES]`.
#include <hip/hip_runtime_api.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

#include "pgo/collect/test/kernels.h"

namespace {

void check(hipError_t error) {
  if (error == hipSuccess) return;
  std::fprintf(stderr, "%s\n", hipGetErrorName(error));
  std::exit(3);
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 5) return 2;
  const std::string how = arguments[1], end = arguments[2], file = arguments[3];
  const int times = count > 5 ? std::atoi(arguments[5]) : 1;
  void* out = nullptr;
  check(hipMalloc(&out, kElements * sizeof(int)));
  for (int time = 0; time < times; ++time) {
    hipModule_t module = nullptr;
    if (how == "load") {
      check(hipModuleLoad(&module, file.c_str()));
    } else {
      std::ifstream stream(file, std::ios::binary);
      const std::string image{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
      check(hipModuleLoadData(&module, image.data()));
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
    if (end == "unload") check(hipModuleUnload(module));
  }
  return 0;
}
