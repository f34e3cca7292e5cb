// Symbols of a loaded object, read and replaced in its own symbol table.
#pragma once

#include <link.h>

namespace kernloop::interpose {

class DynamicSymbols {
 public:
  explicit DynamicSymbols(const link_map& object);
  /// A defined function of that name; null if there is none.
  const ElfW(Sym) * find(const char* name) const;
  void* address(const ElfW(Sym) & symbol) const { return reinterpret_cast<void*>(base_ + symbol.st_value); }
  /// From now on, every look-up of the symbol gives `address`: relocations of any kind and dlsym alike. Bindings made
  /// before stay. False, and nothing changed, if the page cannot be made writable.
  bool redirect(const ElfW(Sym) & symbol, void* address) const;

 private:
  bool names(const ElfW(Sym) & symbol, const char* name) const;

  ElfW(Addr) base_;
  const ElfW(Sym) * symbols_ = nullptr;
  const char* strings_ = nullptr;
  const uint32_t* gnu_hash_ = nullptr;
  const uint32_t* sysv_hash_ = nullptr;
};

}  // namespace kernloop::interpose
