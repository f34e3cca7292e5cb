#include "interpose/dynamic_symbols.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstring>

namespace kernloop::interpose {
namespace {

uint32_t gnu_hash_of(const char* name) {
  uint32_t hash = 5381;
  for (; *name != 0; ++name) hash = hash * 33 + static_cast<unsigned char>(*name);
  return hash;
}

/// PROT_… of the mapping with that address; -1 if /proc does not list it.
int protection_of(uintptr_t address) {
  FILE* maps = std::fopen("/proc/self/maps", "re");
  if (maps == nullptr) return -1;
  int found = -1;
  char line[8192];
  while (found < 0 && std::fgets(line, sizeof line, maps) != nullptr) {
    unsigned long begin = 0, end = 0;
    char rights[5] = {};
    if (std::sscanf(line, "%lx-%lx %4s", &begin, &end, rights) != 3 || address < begin || address >= end) continue;
    found =
        (rights[0] == 'r' ? PROT_READ : 0) | (rights[1] == 'w' ? PROT_WRITE : 0) | (rights[2] == 'x' ? PROT_EXEC : 0);
  }
  std::fclose(maps);
  return found;
}

}  // namespace

DynamicSymbols::DynamicSymbols(const link_map& object) : base_(object.l_addr) {
  for (const ElfW(Dyn)* entry = object.l_ld; entry != nullptr && entry->d_tag != DT_NULL; ++entry) {
    // glibc has relocated these in place; other loaders, and read-only dynamic sections, leave them relative.
    const ElfW(Addr) value = entry->d_un.d_ptr < base_ ? entry->d_un.d_ptr + base_ : entry->d_un.d_ptr;
    if (entry->d_tag == DT_SYMTAB) symbols_ = reinterpret_cast<const ElfW(Sym)*>(value);
    if (entry->d_tag == DT_STRTAB) strings_ = reinterpret_cast<const char*>(value);
    if (entry->d_tag == DT_GNU_HASH) gnu_hash_ = reinterpret_cast<const uint32_t*>(value);
    if (entry->d_tag == DT_HASH) sysv_hash_ = reinterpret_cast<const uint32_t*>(value);
  }
}

bool DynamicSymbols::names(const ElfW(Sym) & symbol, const char* name) const {
  return symbol.st_shndx != SHN_UNDEF && symbol.st_shndx != SHN_ABS && ELF64_ST_TYPE(symbol.st_info) == STT_FUNC &&
         std::strcmp(strings_ + symbol.st_name, name) == 0;
}

const ElfW(Sym) * DynamicSymbols::find(const char* name) const {
  if (symbols_ == nullptr || strings_ == nullptr) return nullptr;
  if (gnu_hash_ != nullptr) {
    const uint32_t bucket_count = gnu_hash_[0], first = gnu_hash_[1], bloom_words = gnu_hash_[2];
    const auto* buckets = gnu_hash_ + 4 + bloom_words * (sizeof(ElfW(Addr)) / sizeof(uint32_t));
    const uint32_t* chain = buckets + bucket_count;
    if (bucket_count == 0) return nullptr;
    const uint32_t hash = gnu_hash_of(name);
    uint32_t index = buckets[hash % bucket_count];
    if (index < first) return nullptr;
    for (;; ++index) {
      const uint32_t other = chain[index - first];
      if ((other | 1) == (hash | 1) && names(symbols_[index], name)) return &symbols_[index];
      if ((other & 1) != 0) return nullptr;
    }
  }
  // Its second word is the number of symbols.
  for (uint32_t index = 1; sysv_hash_ != nullptr && index < sysv_hash_[1]; ++index) {
    if (names(symbols_[index], name)) return &symbols_[index];
  }
  return nullptr;
}

bool DynamicSymbols::redirect(const ElfW(Sym) & symbol, void* address) const {
  const auto at = reinterpret_cast<uintptr_t>(&symbol.st_value);
  const int before = protection_of(at);
  if (before < 0) return false;
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  // st_value is aligned: it is within one page.
  void* const start = reinterpret_cast<void*>(at & ~(page - 1));
  // NOLINTBEGIN(clang-analyzer-security.MmapWriteExec): read-only tables, unless a linker put them beside code
  if (mprotect(start, page, before | PROT_WRITE) != 0) return false;
  // Lookups add the base again, modulo 2^64.
  const_cast<ElfW(Sym)&>(symbol).st_value = reinterpret_cast<ElfW(Addr)>(address) - base_;
  mprotect(start, page, before);
  // NOLINTEND(clang-analyzer-security.MmapWriteExec)
  return true;
}

}  // namespace kernloop::interpose
