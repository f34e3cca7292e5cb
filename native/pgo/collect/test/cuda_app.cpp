// Loads an instrumented cubin by the driver's API: `cuda_app module|data|library|file run|fill unload|keep|destroy|
// runtime|early|ended CUBIN KERNEL [TIMES]`. `fill` writes counters itself, where there is no GPU to count: 11 a row
// for the first, 22 for the second, …. `procaddress` before all of it gets the functions as the runtime does.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "abi/cuda/driver.h"
#include "pgo/collect/test/kernels.h"

namespace {

using namespace kernloop::cuda;

struct Api {
#define FUNCTION(member, symbol, older, presence, parameters) CUresult(*member) parameters = nullptr;
#include "abi/cuda/driver_functions.def"
#undef FUNCTION
};

// Opens the driver as programs do, or as the runtime asks it for its functions.
Api open_driver(bool by_proc_address) {
  Api api;
  void* library = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) std::exit(5);
#define FUNCTION(member, symbol, older, presence, parameters) \
  api.member = reinterpret_cast<decltype(api.member)>(::dlsym(library, symbol));
#include "abi/cuda/driver_functions.def"
#undef FUNCTION
  if (!by_proc_address) return api;
  const auto get = [&](const char* name, void* into, int version = 12040) {
    if (api.cuGetProcAddress(name, static_cast<void**>(into), version, 0, nullptr) != CUDA_SUCCESS) std::exit(6);
  };
  get("cuModuleLoad", &api.cuModuleLoad);
  get("cuModuleLoadData", &api.cuModuleLoadData);
  get("cuLibraryLoadData", &api.cuLibraryLoadData);
  get("cuLibraryLoadFromFile", &api.cuLibraryLoadFromFile);
  get("cuModuleUnload", &api.cuModuleUnload);
  get("cuLibraryUnload", &api.cuLibraryUnload);
  get("cuCtxDestroy", &api.cuCtxDestroy);
  // The form that cudart 13.0 asks for.
  get("cuDevicePrimaryCtxRelease", &api.cuDevicePrimaryCtxRelease, 7000);
  return api;
}

void check(CUresult result) {
  if (result == CUDA_SUCCESS) return;
  std::fprintf(stderr, "CUDA error %u\n", static_cast<unsigned>(result));
  std::exit(3);
}

// Every row of counters of the only unit.
void fill(const Api& api, CUmodule module, CUlibrary library, const std::string& image) {
  const std::string description = "__kernloop_prf_";
  const std::string cuid = image.c_str() + image.find(description) + description.size();
  for (const std::string& name : {"__profc_all_" + cuid, "__profu_all_" + cuid, "__profw_all_" + cuid}) {
    CUdeviceptr address = 0;
    size_t size = 0;
    check(module ? api.cuModuleGetGlobal(&address, &size, module, name.c_str())
                 : api.cuLibraryGetGlobal(&address, &size, library, name.c_str()));
    std::vector<uint64_t> values(size / 8);
    for (size_t row = 0; row < values.size() / 256; ++row)
      values[row * 256 + 3] = row + 1, values[row * 256 + 255] = 10 * (row + 1);
    check(api.cuMemcpyHtoD(address, values.data(), size));
  }
}

void launch(const Api& api, CUmodule module, CUlibrary library, const char* name) {
  CUfunction function = nullptr;
  if (library) check(api.cuLibraryGetModule(&module, library));
  check(api.cuModuleGetFunction(&function, module, name));
  CUdeviceptr out = 0;
  check(api.cuMemAlloc(&out, kElements * sizeof(int)));
  int n = kElements;
  void* parameters[] = {&out, &n};
  check(api.cuLaunchKernel(function, (kElements + kBlock - 1) / kBlock, 1, 1, kBlock, 1, 1, 0, nullptr, parameters,
                           nullptr));
  check(api.cuCtxSynchronize());
  check(api.cuMemFree(out));
}

// Ends like the CUDA runtime: first the context goes, with it the driver, and then the loaded code. `early`: before the
// functions that were registered when the code was loaded. `ended`: without the context that the code is in.
const Api* ending = nullptr;
CUmodule last_module = nullptr;
CUlibrary last_library = nullptr;
template <bool Another>
void give_back() {
  CUcontext primary = nullptr;
  if (Another) check(ending->cuDevicePrimaryCtxRetain(&primary, 0));
  if (ending->cuDevicePrimaryCtxRelease(0) != CUDA_SUCCESS) std::_Exit(7);
  if (last_module) ending->cuModuleUnload(last_module);
  if (last_library) ending->cuLibraryUnload(last_library);
}

}  // namespace

int main(int count, char** arguments) {
  const bool by_proc_address = count > 1 && !std::strcmp(arguments[1], "procaddress");
  if (by_proc_address) --count, ++arguments;
  if (count < 6) return 2;
  const std::string how = arguments[1], what = arguments[2], end = arguments[3], file = arguments[4];
  const int times = count > 6 ? std::atoi(arguments[6]) : 1;
  static const Api api = open_driver(by_proc_address);
  check(api.cuInit(0));
  ending = &api;
  CUcontext context = nullptr;
  if (end == "runtime") std::atexit(&give_back<false>);
  if (end == "runtime" || end == "early") {
    check(api.cuDevicePrimaryCtxRetain(&context, 0));
    check(api.cuCtxSetCurrent(context));
  } else {
    check(api.cuCtxCreate(&context, 0, 0));
  }
  std::ifstream stream(file, std::ios::binary);
  const std::string image{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  for (int time = 0; time < times; ++time) {
    CUmodule module = nullptr;
    CUlibrary library = nullptr;
    if (how == "module") check(api.cuModuleLoad(&module, file.c_str()));
    if (how == "data") check(api.cuModuleLoadData(&module, image.data()));
    if (how == "library")
      check(api.cuLibraryLoadData(&library, image.data(), nullptr, nullptr, 0, nullptr, nullptr, 0));
    if (how == "file")
      check(api.cuLibraryLoadFromFile(&library, file.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0));
    what == "fill" ? fill(api, module, library, image) : launch(api, module, library, arguments[5]);
    last_module = module, last_library = library;
    if (end == "unload") check(module ? api.cuModuleUnload(module) : api.cuLibraryUnload(library));
  }
  if (end == "destroy") check(api.cuCtxDestroy(context));
  if (end == "early") std::atexit(&give_back<false>);
  if (end == "ended") std::atexit(&give_back<true>);
  std::puts("done");
  return 0;
}
