// Looks functions of the CUDA driver up, and prints the symbol and the library that each look-up gives:
// `cuda_lookup_app dlsym NAME`, `cuda_lookup_app procaddress|runtime NAME VERSION FLAGS`; `runtime` asks as CUDA's
// runtime does, for a cuGetProcAddress that cuGetProcAddress gave.
#include <dlfcn.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

using Get = int (*)(const char*, void**, int, uint64_t, int*);

int say(void* function) {
  Dl_info info{};
  if (function == nullptr || ::dladdr(function, &info) == 0 || info.dli_sname == nullptr) return std::puts("none"), 0;
  const char* slash = std::strrchr(info.dli_fname, '/');
  return std::printf("%s of %s\n", info.dli_sname, slash == nullptr ? info.dli_fname : slash + 1), 0;
}

}  // namespace

int main(int count, char** words) {
  void* driver = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (driver == nullptr || count < 3) return 4;
  const std::string way = words[1];
  if (way == "dlsym") return say(::dlsym(driver, words[2]));
  if (count < 5) return 4;
  const int version = std::atoi(words[3]);
  auto get = reinterpret_cast<Get>(::dlsym(driver, "cuGetProcAddress_v2"));
  int status = 0;
  void* function = nullptr;
  if (way == "runtime") {
    if (get("cuGetProcAddress", &function, 12000, 0, &status) != 0) return 5;
    get = reinterpret_cast<Get>(function);
  }
  if (get(words[2], &function, version, std::strtoull(words[4], nullptr, 10), &status) != 0) function = nullptr;
  return say(function);
}
