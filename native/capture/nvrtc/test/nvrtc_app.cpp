// Compiles two programs at run time and one that is rejected, and knows nothing of Kernloop. Built three times, for the
// three ways that a function of a library is reached: a call, a pointer taken by a relocation (as PyTorch's stub does),
// and dlsym (as CuPy does).
#include <dlfcn.h>

#include <cstdio>
#include <initializer_list>

#include "capture/nvrtc/test/fake_nvrtc.h"

namespace {

#if defined(NVRTC_APP_DLOPENED)
template <typename Function>
Function* find(const char* library, const char* name) {
  static void* handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  return reinterpret_cast<Function*>(dlsym(handle, name));
}
#define FUNCTION(name) find<decltype(name)>(library, #name)
#elif defined(NVRTC_APP_POINTERS)
#define FUNCTION(name) volatile_pointer(&name)
template <typename Function>
Function* volatile_pointer(Function* pointer) {
  static Function* volatile kept;
  kept = pointer;
  return kept;
}
#else
#define FUNCTION(name) name
#endif

}  // namespace

int main(int count, char** words) {
  [[maybe_unused]] const char* library = count > 1 ? words[1] : "";
  const char* contents[] = {"#define TWO 2\n", "\xff\x01 not text\n"};
  const char* names[] = {"two.h", "folder/odd \"name\".h"};
  void* program = nullptr;
  if (FUNCTION(nvrtcCreateProgram)(&program, "__global__ void tiny() {}\n//ptx .entry tiny(", "tiny.cu", 2, contents,
                                   names) != 0)
    return 1;
  FUNCTION(nvrtcAddNameExpression)(program, "scale<float, 4>");
  const char* options[] = {"--gpu-architecture=sm_90a", "-DTEXT=\"a\\b\""};
  if (FUNCTION(nvrtcCompileProgram)(program, 2, options) != 0) return 2;
  void* other = nullptr;
  FUNCTION(nvrtcCreateProgram)(&other, "second", nullptr, 0, nullptr, nullptr);
  const char* virtual_only[] = {"--gpu-architecture=compute_90"};
  if (FUNCTION(nvrtcCompileProgram)(other, 1, virtual_only) != 0) return 3;
  void* bad = nullptr;
  FUNCTION(nvrtcCreateProgram)(&bad, "#error", nullptr, 0, nullptr, nullptr);
  if (FUNCTION(nvrtcCompileProgram)(bad, 0, nullptr) != 6) return 4;
  size_t size = 0;
  FUNCTION(nvrtcGetCUBINSize)(program, &size);
  std::printf("%zu\n", size);
  for (void** each : {&program, &other, &bad}) FUNCTION(nvrtcDestroyProgram)(each);
  return program == nullptr ? 0 : 5;
}
