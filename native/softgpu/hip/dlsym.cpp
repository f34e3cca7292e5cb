// dlsym in front of glibc's: look-ups of HIP functions by name return the gates, too.
#include <dlfcn.h>

#include <atomic>
#include <cstdlib>

#include "softgpu/hip/functions.h"
#include "softgpu/hip/runtime.h"

using Dlsym = void* (*)(void* handle, const char* name);

extern "C" void* kernloop_real_dlsym() {
  static std::atomic<void*> real{nullptr};
  if (void* known = real.load(std::memory_order_acquire)) return known;
  void* found = ::dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5");
  if (found == nullptr) std::abort();  // not glibc on x86-64: no function could be called
  real.store(found, std::memory_order_release);
  return found;
}

namespace kernloop::softgpu::hip {

void* real_dlsym(void* handle, const char* name) {
  return reinterpret_cast<Dlsym>(kernloop_real_dlsym())(handle, name);
}

}  // namespace kernloop::softgpu::hip

extern "C" void* kernloop_hip_dlsym(void* handle, const char* name) {
  using namespace kernloop::softgpu::hip;
  void* found = real_dlsym(handle, name);
  HipFunction* function = find_function(name);
  if (found == nullptr || function == nullptr) return found;
  // Ours is in every program's global scope: HIP is loaded only if another definition follows.
  if (found == function->gate) return next_function(name) == nullptr ? nullptr : found;
  return is_of_hip(found) ? function->gate : found;
}
