// A library between the app and the toy. What follows it is the toy's own function, whoever is preloaded.
#include <dlfcn.h>

extern "C" __attribute__((visibility("default"))) void* tool_next(const char* name) {
  void* found = ::dlsym(RTLD_NEXT, name);
  // No tail call: the caller would be the app.
  __asm__ volatile("" : "+r"(found));
  return found;
}
