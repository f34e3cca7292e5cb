// Measures the cost of CUPTI by itself: a library for CUDA_INJECTION64_PATH that subscribes, asks for no callback, and
// does nothing. The CUPTI is that of KERNLOOP_CUPTI, or the first of those below.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

extern "C" int InitializeInjection() {
  using Subscribe = int (*)(void**, void (*)(void*, int, unsigned, const void*), void*);
  const char* const places[] = {std::getenv("KERNLOOP_CUPTI"),        "libcupti.so.13",
                                "/usr/local/cuda/lib64/libcupti.so",  "/usr/local/cuda/extras/CUPTI/lib64/libcupti.so",
                                "/usr/local/cuda/lib/libcupti.so.13", "libcupti.so.12"};
  static void* subscriber = nullptr;
  for (const char* place : places) {
    void* const cupti = place != nullptr ? dlopen(place, RTLD_NOW) : nullptr;
    if (cupti == nullptr) continue;
    const auto subscribe = reinterpret_cast<Subscribe>(dlsym(cupti, "cuptiSubscribe"));
    if (subscribe != nullptr && subscribe(
                                    &subscriber, [](void*, int, unsigned, const void*) {}, nullptr) == 0)
      return 1;
  }
  std::fprintf(stderr, "cupti_alone: no CUPTI, or it is taken\n");
  std::exit(1);
}
