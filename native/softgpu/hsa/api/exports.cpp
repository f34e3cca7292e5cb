// The library's exports, one a row of the tables of functions: each jumps through its slot of the current API table
// with whatever arguments it was called with, so that a tool which replaced the slot sees the call.
#include <cstddef>

#include "softgpu/hsa/api/tables.h"

namespace kernloop::softgpu {
namespace {

// Two tables of the linker's own names (tables.cpp).
#define KERNLOOP_TABLES "kernloop_hsa_api_tables"
#define KERNLOOP_LATER_TABLE "kernloop_hsa_later_amd_table"

constexpr size_t kcore = offsetof(HsaApiTableContainer, core), kamd = offsetof(HsaApiTableContainer, amd_ext),
                 kfinalizer = offsetof(HsaApiTableContainer, finalizer_ext),
                 kimage = offsetof(HsaApiTableContainer, image_ext);
using Tablecore = CoreApiTable;
using Tableamd = AmdExtTable;
using Tablefinalizer = FinalizerExtTable;
using Tableimage = ImageExtTable;

}  // namespace

// Its name in C++ is another than its symbol: the headers have declared that one, with its arguments.
#define KERNLOOP_EXPORT(symbol, table, offset)                                          \
  __attribute__((naked, visibility("default"))) void export_of_##symbol() asm(#symbol); \
  void export_of_##symbol() {                                                           \
    asm("jmp *" table "+%c0(%%rip)" ::"i"(offset));                                     \
  }

#define KERNLOOP_HSA(table, name) KERNLOOP_EXPORT(name, KERNLOOP_TABLES, k##table + offsetof(Table##table, name##_fn))
#include "abi/hsa/functions.def"
#undef KERNLOOP_HSA

#define KERNLOOP_HSA(name, function) \
  KERNLOOP_EXPORT(name, KERNLOOP_TABLES, kcore + offsetof(CoreApiTable, function##_fn))
#include "abi/hsa/alias_functions.def"
#undef KERNLOOP_HSA

#define KERNLOOP_HSA(name) KERNLOOP_EXPORT(name, KERNLOOP_LATER_TABLE, offsetof(rocr::LaterAmdExtTable, name##_fn))
#include "abi/hsa/later_functions.def"
#undef KERNLOOP_HSA

}  // namespace kernloop::softgpu
