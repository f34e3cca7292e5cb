#include "softgpu/hip/runtime.h"

#include <limits.h>
#include <link.h>

#include <atomic>
#include <cstdlib>
#include <cstring>

#include "interpose/row.h"

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

}  // namespace

void* next_function(const char* name) {
  return interpose::next_definition(name, kLibrary);
}

bool is_of_hip(const void* code) {
  return interpose::is_of(code, kLibrary);
}

bool knows_this_hip() {
  static std::atomic<int> known{-1};
  if (const int answer = known.load(std::memory_order_relaxed); answer >= 0) return answer != 0;
  Path path, file;
  if (!find_hip(path)) return false;
  const bool is_known =
      ::realpath(path.text, file.text) != nullptr && starts_with(base_name(file.text), "libamdhip64.so.5.2.");
  known.store(is_known, std::memory_order_relaxed);
  return is_known;
}

}  // namespace kernloop::softgpu::hip
