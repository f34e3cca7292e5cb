#include "interpose/row.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>

#include <cstdint>
#include <cstring>

#include "interpose/libc.h"

extern "C" {
// The linker's names for the ends of the table.
__attribute__((visibility("hidden"))) extern kernloop::interpose::Row __start_kernloop_rows[];
__attribute__((visibility("hidden"))) extern kernloop::interpose::Row __stop_kernloop_rows[];
}

namespace kernloop::interpose {
namespace {

bool is_file_of(const char* path, const char* libraries) {
  const char* slash = std::strrchr(path, '/');
  const char* file = slash == nullptr ? path : slash + 1;
  for (const char* library = libraries; *library != 0;) {
    const size_t length = std::strcspn(library, " ");
    if (length > 0 && std::strncmp(file, library, length) == 0) return true;
    library += length + (library[length] == ' ');
  }
  return false;
}

// A bit for the hash of each row's name: apps look many names up that have no row.
constexpr size_t kBits = 4096;
std::atomic<uint64_t> g_names[kBits / 64];
std::atomic<bool> g_has_names{false};

size_t bit_of(const char* name) {
  uint32_t hash = 2166136261;  // FNV-1a
  for (; *name != 0; ++name) hash = (hash ^ static_cast<unsigned char>(*name)) * 16777619;
  return (hash ^ hash >> 16) % kBits;
}

bool may_have_row(const char* name) {
  if (!g_has_names.load(std::memory_order_acquire)) {
    for (Row* row = __start_kernloop_rows; row != __stop_kernloop_rows; ++row) {
      const size_t bit = bit_of(row->name);
      g_names[bit / 64].fetch_or(uint64_t{1} << bit % 64, std::memory_order_relaxed);
    }
    g_has_names.store(true, std::memory_order_release);
  }
  const size_t bit = bit_of(name);
  return (g_names[bit / 64].load(std::memory_order_relaxed) >> bit % 64 & 1) != 0;
}

struct Search {
  const char* libraries;
  int skipped;
  char path[PATH_MAX];
};

int copy_path(dl_phdr_info* object, size_t, void* data) {
  auto& search = *static_cast<Search*>(data);
  if (object->dlpi_name == nullptr || !is_file_of(object->dlpi_name, search.libraries)) return 0;
  if (search.skipped-- > 0) return 0;
  std::strncpy(search.path, object->dlpi_name, sizeof search.path - 1);
  return 1;
}

// The definition for callers that ask this library and name no version.
void* definition_in(const char* path, const char* name) {
  void* handle = ::dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
  if (handle == nullptr) return nullptr;
  void* found = libc_dlsym()(handle, name);
  ::dlclose(handle);
  return found;
}

void* definition_in_loaded(const char* name, const char* libraries) {
  for (int number = 0;; ++number) {
    Search search{libraries, number, {}};
    if (::dl_iterate_phdr(copy_path, &search) == 0) return nullptr;
    if (void* found = definition_in(search.path, name)) return found;
  }
}

// From now on the library stays loaded, even if the app closes its own handle.
void hold_library_of(const void* code) {
  Dl_info info{};
  if (::dladdr(code, &info) != 0 && info.dli_fname != nullptr) ::dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
}

// Whether a library exports `code` under this name to callers that ask for no version.
bool is_default_definition(void* code, const Row& row) {
  Dl_info info{};
  if (::dladdr(code, &info) == 0 || info.dli_fname == nullptr || !is_file_of(info.dli_fname, row.libraries))
    return false;
  return definition_in(info.dli_fname, row.name) == code;
}

bool are_of_one_object(const void* code, const void* other) {
  Dl_info one{}, two{};
  return ::dladdr(code, &one) != 0 && ::dladdr(other, &two) != 0 && one.dli_fbase == two.dli_fbase;
}

// Whether the object that `code` is in has a dlsym of its own. If it has, it was asked before this library is.
bool answers_lookups(const void* code) {
  Dl_info info{};
  if (::dladdr(code, &info) == 0 || info.dli_fname == nullptr) return false;
  void* handle = ::dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  if (handle == nullptr) return false;
  void* own = libc_dlsym()(handle, "dlsym");
  ::dlclose(handle);
  return own != nullptr && are_of_one_object(own, code);
}

// The next definition if the app asks for a function before it calls one.
void* next_by_lookup(Row& row, void* found) {
  void* in_scope = libc_dlsym()(RTLD_NEXT, row.name);
  if (in_scope != nullptr && (in_scope == found || !is_of(in_scope, row.libraries))) return in_scope;
  return is_default_definition(found, row) ? found : nullptr;
}

void* keep(Row& row, void* found) {
  if (found == nullptr) return nullptr;
  hold_library_of(found);
  void* none = nullptr;
  if (row.next.compare_exchange_strong(none, found, std::memory_order_acq_rel)) return found;
  return none;  // another thread found one before
}

}  // namespace

Row* find_row(const char* name) {
  if (!may_have_row(name)) return nullptr;
  for (Row* row = __start_kernloop_rows; row != __stop_kernloop_rows; ++row) {
    if (std::strcmp(row->name, name) == 0) return row;
  }
  return nullptr;
}

bool is_of(const void* code, const char* libraries) {
  Dl_info info{};
  return ::dladdr(code, &info) != 0 && info.dli_fname != nullptr && is_file_of(info.dli_fname, libraries);
}

void* next_definition(const char* name, const char* libraries) {
  void* found = libc_dlsym()(RTLD_NEXT, name);
  if (found == nullptr) found = definition_in_loaded(name, libraries);
  if (found != nullptr) hold_library_of(found);
  return found;
}

void* next_of(Row& row) {
  if (void* known = row.next.load(std::memory_order_acquire)) return known;
  return keep(row, next_definition(row.name, row.libraries));
}

void* answer(Row& row, void* found, const void* caller) {
  if (found == nullptr) return nullptr;
  // The gate is in the app's global scope: without the library there is no such function.
  if (found == row.gate) return definition_in_loaded(row.name, row.libraries) == nullptr ? nullptr : found;
  void* next = row.next.load(std::memory_order_acquire);
  if (next == nullptr) next = keep(row, next_by_lookup(row, found));
  if (next == nullptr || (caller != nullptr && are_of_one_object(caller, next))) return found;
  if (found == next) return row.gate;
  // Another tool is next. If it answers no look-ups, it is in front of the library's function all the same.
  const bool is_behind = !is_of(next, row.libraries) && is_default_definition(found, row) && !answers_lookups(next);
  return is_behind ? row.gate : found;
}

void* answer_of_rows_that_begin_with(const char* name, void* found) {
  for (Row* row = __start_kernloop_rows; row != __stop_kernloop_rows; ++row) {
    if (std::strncmp(row->name, name, std::strlen(name)) != 0) continue;
    if (void* given = answer(*row, found, nullptr); given != found) return given;
  }
  return found;
}

}  // namespace kernloop::interpose
