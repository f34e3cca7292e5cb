#include "softgpu/engine/translate/exit_handlers.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>

namespace kernloop::softgpu {

namespace {

// In the place of __cxa_atexit.
int register_nothing(void (*)(void*), void*, void*) {
  return 0;
}

bool write_pointer(uintptr_t at, uintptr_t value) {
  const auto page = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));
  void* const begin = reinterpret_cast<void*>(at & ~(page - 1));
  // Read-only after relocation, in a library that is bound at once.
  if (::mprotect(begin, page, PROT_READ | PROT_WRITE) != 0) return false;
  __atomic_store_n(reinterpret_cast<uintptr_t*>(at), value, __ATOMIC_RELEASE);
  return true;
}

}  // namespace

bool drop_exit_handlers_of(void* library) {
  const link_map* map = nullptr;
  if (::dlinfo(library, RTLD_DI_LINKMAP, &map) != 0 || !map) return false;
  struct Table {
    const Elf64_Rela* entries = nullptr;
    size_t bytes = 0;
  } tables[2];
  const Elf64_Sym* symbols = nullptr;
  const char* names = nullptr;
  for (const ElfW(Dyn)* entry = map->l_ld; entry->d_tag != DT_NULL; ++entry) {
    const auto* const pointer = reinterpret_cast<const void*>(entry->d_un.d_ptr);
    if (entry->d_tag == DT_JMPREL) tables[0].entries = static_cast<const Elf64_Rela*>(pointer);
    if (entry->d_tag == DT_PLTRELSZ) tables[0].bytes = entry->d_un.d_val;
    if (entry->d_tag == DT_RELA) tables[1].entries = static_cast<const Elf64_Rela*>(pointer);
    if (entry->d_tag == DT_RELASZ) tables[1].bytes = entry->d_un.d_val;
    if (entry->d_tag == DT_SYMTAB) symbols = static_cast<const Elf64_Sym*>(pointer);
    if (entry->d_tag == DT_STRTAB) names = static_cast<const char*>(pointer);
  }
  if (!symbols || !names) return false;
  bool is_found = false;
  for (const Table& table : tables) {
    for (size_t k = 0; table.entries && k < table.bytes / sizeof(Elf64_Rela); ++k) {
      const Elf64_Rela& entry = table.entries[k];
      const uint64_t type = ELF64_R_TYPE(entry.r_info);
      if (type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT) continue;
      if (std::strcmp(names + symbols[ELF64_R_SYM(entry.r_info)].st_name, "__cxa_atexit") != 0) continue;
      if (!write_pointer(map->l_addr + entry.r_offset, reinterpret_cast<uintptr_t>(&register_nothing))) return false;
      is_found = true;
    }
  }
  return is_found;
}

}  // namespace kernloop::softgpu
