#include <dlfcn.h>

#include <initializer_list>

#include "pgo/collect/hip/hip_api.h"

namespace kernloop::pgo::hip {

void* next_function(const char* name) {
  if (void* found = ::dlsym(RTLD_NEXT, name)) return found;
  // Opened by the app for itself alone.
  for (const char* library : {"libamdhip64.so", "libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5"}) {
    if (void* handle = ::dlopen(library, RTLD_LAZY | RTLD_NOLOAD)) return ::dlsym(handle, name);
  }
  return nullptr;
}

}  // namespace kernloop::pgo::hip
