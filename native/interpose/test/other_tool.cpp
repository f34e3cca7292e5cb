// A tool in front of the toy, as others write one.
#include <dlfcn.h>

extern "C" __attribute__((visibility("default"))) int toy_add(int a, int b, int c) {
  static void* const next = ::dlsym(RTLD_NEXT, "toy_add");
  static void* const own = next != nullptr ? next : ::dlsym(::dlopen("libtoy.so.1", RTLD_LAZY), "toy_add");
  return 2000000 + reinterpret_cast<int (*)(int, int, int)>(own)(a, b, c);
}
