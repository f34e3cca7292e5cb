#include "softgpu/hip/runtime.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>

#include <atomic>
#include <cstdlib>
#include <cstring>

namespace kernloop::softgpu::hip {
namespace {

constexpr char kLibrary[] = "libamdhip64.so";

const char* base_name(const char* path) {
  const char* slash = std::strrchr(path, '/');
  return slash == nullptr ? path : slash + 1;
}

bool starts_with(const char* text, const char* start) {
  return std::strncmp(text, start, std::strlen(start)) == 0;
}

int copy_path_of_hip(dl_phdr_info* object, size_t, void* path) {
  if (!starts_with(base_name(object->dlpi_name), kLibrary)) return 0;
  std::strncpy(static_cast<char*>(path), object->dlpi_name, PATH_MAX - 1);
  return 1;
}

struct Path {
  char text[PATH_MAX] = {};
};

bool find_hip(Path& path) {
  return ::dl_iterate_phdr(copy_path_of_hip, path.text) != 0;
}

// The library stays loaded, even if the program unloads its own handle.
void* hip_handle() {
  static std::atomic<void*> handle{nullptr};
  if (void* known = handle.load(std::memory_order_acquire)) return known;
  Path path;
  if (!find_hip(path)) return nullptr;
  void* opened = ::dlopen(path.text, RTLD_LAZY | RTLD_NOLOAD);
  handle.store(opened, std::memory_order_release);
  return opened;
}

}  // namespace

void* next_function(const char* name) {
  if (void* next = real_dlsym(RTLD_NEXT, name)) return next;
  void* hip = hip_handle();  // out of the global scope: loaded by dlopen
  return hip == nullptr ? nullptr : real_dlsym(hip, name);
}

bool is_of_hip(const void* code) {
  Dl_info info;
  return ::dladdr(code, &info) != 0 && info.dli_fname != nullptr && starts_with(base_name(info.dli_fname), kLibrary);
}

bool knows_this_hip() {
  Path path, file;
  return find_hip(path) && ::realpath(path.text, file.text) != nullptr &&
         starts_with(base_name(file.text), "libamdhip64.so.5.2.");
}

}  // namespace kernloop::softgpu::hip
