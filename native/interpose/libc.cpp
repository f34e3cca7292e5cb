#include "interpose/libc.h"

#include <link.h>

#include <atomic>
#include <cstdlib>
#include <cstring>

#include "interpose/dynamic_symbols.h"

namespace kernloop::interpose {
namespace {

struct Search {
  const char* name;
  void* found;
};

// glibc 2.34 moved them from libdl to libc.
bool is_glibc(const char* path) {
  const char* slash = std::strrchr(path, '/');
  const char* file = slash == nullptr ? path : slash + 1;
  return std::strcmp(file, "libc.so.6") == 0 || std::strcmp(file, "libdl.so.2") == 0;
}

int look_into(dl_phdr_info* object, size_t, void* data) {
  auto& search = *static_cast<Search*>(data);
  if (object->dlpi_name == nullptr || !is_glibc(object->dlpi_name)) return 0;
  link_map map{};
  map.l_addr = object->dlpi_addr;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    if (object->dlpi_phdr[i].p_type == PT_DYNAMIC)
      map.l_ld = reinterpret_cast<ElfW(Dyn)*>(object->dlpi_addr + object->dlpi_phdr[i].p_vaddr);
  }
  const DynamicSymbols symbols(map);
  const ElfW(Sym)* symbol = symbols.find(search.name);
  if (symbol != nullptr) search.found = symbols.address(*symbol);
  return search.found != nullptr;
}

// The symbol table is read here: to ask for dlvsym by name would give our own.
void* function_of_libc(std::atomic<void*>& known, const char* name) {
  if (void* found = known.load(std::memory_order_acquire)) return found;
  Search search{name, nullptr};
  ::dl_iterate_phdr(look_into, &search);
  if (search.found == nullptr) std::abort();  // not glibc: no function of the app could be looked up
  known.store(search.found, std::memory_order_release);
  return search.found;
}

std::atomic<void*> g_dlsym{nullptr}, g_dlvsym{nullptr};

}  // namespace

Dlsym libc_dlsym() {
  return reinterpret_cast<Dlsym>(function_of_libc(g_dlsym, "dlsym"));
}

Dlvsym libc_dlvsym() {
  return reinterpret_cast<Dlvsym>(function_of_libc(g_dlvsym, "dlvsym"));
}

}  // namespace kernloop::interpose
