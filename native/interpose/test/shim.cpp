// A shim that adds SHIM_ADDS to what the next definition returns.
#include <dlfcn.h>

#include "interpose/instead_of.h"
#include "interpose/pass.h"

#define EXPORT extern "C" __attribute__((visibility("default")))

std::atomic<int> kernloop_pass_result{0};
extern "C" const int kernloop_pass_absent = -2;

INSTEAD_OF(int, toy_add, (int a, int b, int c)) {
  const auto next = next_toy_add();
  const int sum = next == nullptr ? -1 : next(a, b, c);
  return sum < 0 ? sum : SHIM_ADDS + sum;
}

INSTEAD_OF(int, toy_sum, (int n)) {
  const auto next = next_toy_sum();
  return next == nullptr ? -1 : SHIM_ADDS + next(n);
}

// Look-ups of the shim's own give the originals.
EXPORT int shim_asks() {
  void* library = ::dlopen("libtoy.so.1", RTLD_LAZY | RTLD_NOLOAD);
  void* by_name = library == nullptr ? nullptr : ::dlsym(library, "toy_add");
  void* by_version = library == nullptr ? nullptr : ::dlvsym(library, "toy_add", "TOY_2");
  if (by_name == nullptr || by_name != by_version) return -3;
  return reinterpret_cast<int (*)(int, int, int)>(by_name)(1, 2, 3);
}

EXPORT void shim_result(int result) {
  kernloop_pass_result = result;
}

EXPORT bool shim_is_used() {
  return kernloop::interpose::are_gates_used();
}
