// The library's exports, one a row of the tables of functions: each jumps through its slot of the current API table
// with its arguments unchanged, so that a tool which replaced the slot sees the call.
#include <cstddef>

#include "softgpu/hsa/api/tables.h"

namespace kernloop::softgpu {
namespace {

// The linker's own names of the tables (tables.cpp).
#define KERNLOOP_TABLES "kernloop_hsa_api_tables"
#define KERNLOOP_AMD_TABLE "kernloop_hsa_amd_table"

// Offset of a slot.
#define KERNLOOP_SLOT_core(name) \
  KERNLOOP_TABLES, offsetof(HsaApiTableContainer, core) + offsetof(CoreApiTable, name##_fn)
#define KERNLOOP_SLOT_amd(name) KERNLOOP_AMD_TABLE, offsetof(AmdExtTable, name##_fn)
#define KERNLOOP_SLOT_rocm7_amd(name) KERNLOOP_AMD_TABLE, sizeof(AmdExtTable) + offsetof(rocr::Rocm7AmdSlots, name##_fn)
#define KERNLOOP_SLOT_finalizer(name) \
  KERNLOOP_TABLES, offsetof(HsaApiTableContainer, finalizer_ext) + offsetof(FinalizerExtTable, name##_fn)
#define KERNLOOP_SLOT_image(name) \
  KERNLOOP_TABLES, offsetof(HsaApiTableContainer, image_ext) + offsetof(ImageExtTable, name##_fn)
#define KERNLOOP_SLOT_pc_sampling(name) \
  KERNLOOP_TABLES, offsetof(HsaApiTableContainer, pc_sampling_ext) + offsetof(PcSamplingExtTable, name##_fn)

}  // namespace

// The C++ name differs from the symbol: the headers have declared the latter, with its arguments.
#define KERNLOOP_EXPORT(symbol, table, offset)                                          \
  __attribute__((naked, visibility("default"))) void export_of_##symbol() asm(#symbol); \
  void export_of_##symbol() {                                                           \
    asm("jmp *" table "+%c0(%%rip)" ::"i"(offset));                                     \
  }

#define KERNLOOP_EXPORT_AT(symbol, place) KERNLOOP_EXPORT(symbol, place)

#define KERNLOOP_HSA(table, name) KERNLOOP_EXPORT_AT(name, KERNLOOP_SLOT_##table(name))
#include "abi/hsa/functions.def"
#undef KERNLOOP_HSA

#define KERNLOOP_HSA(name, function) KERNLOOP_EXPORT_AT(name, KERNLOOP_SLOT_core(function))
#include "abi/hsa/alias_functions.def"
#undef KERNLOOP_HSA

}  // namespace kernloop::softgpu
