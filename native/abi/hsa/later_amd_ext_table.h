// The AMD table of the HSA API as it is since ROCm 6. The headers at hand (5.2.3) declare the one before, which has
// other slots in between: it must not be read through that.
#pragma once

#ifndef AMD_INTERNAL_BUILD
#define AMD_INTERNAL_BUILD  // hsa_api_trace.h then finds its neighbours without an "inc/" prefix
#endif
#include <hsa/hsa.h>
#include <hsa/hsa_api_trace.h>

#include <cstddef>

#include "abi/hsa/later_api.h"

namespace kernloop::rocr {

inline constexpr uint32_t kLaterRootMajor = 3, kLaterCoreMajor = 2, kLaterAmdMajor = 2;

struct LaterAmdExtTable {
  ApiTableVersion version;
#define KERNLOOP_AMD(name) decltype(::name)* name##_fn;
#define KERNLOOP_AMD_OPAQUE(name) void (*name##_fn)();
#include "abi/hsa/later_amd_ext_table.def"
#undef KERNLOOP_AMD
#undef KERNLOOP_AMD_OPAQUE
};

constexpr size_t place_of_slot(size_t offset) {
  return (offset - sizeof(ApiTableVersion)) / sizeof(void*) + 1;
}
static_assert(place_of_slot(offsetof(LaterAmdExtTable, hsa_amd_queue_intercept_create_fn)) == 38);
static_assert(place_of_slot(offsetof(LaterAmdExtTable, hsa_amd_vmem_map_fn)) == 60);
static_assert(place_of_slot(offsetof(LaterAmdExtTable, hsa_amd_memory_get_preferred_copy_engine_fn)) == 73);
static_assert(place_of_slot(offsetof(LaterAmdExtTable, hsa_amd_queue_create_fn)) == 87);

// The slots that both have, by name; the others of `to` stay as they are.
template <typename To, typename From>
void copy_common_slots(To& to, const From& from) {
#define KERNLOOP_COPY_core(name)
#define KERNLOOP_COPY_amd(name) to.name##_fn = from.name##_fn;
#define KERNLOOP_COPY_finalizer(name)
#define KERNLOOP_COPY_image(name)
#define KERNLOOP_HSA(table, name) KERNLOOP_COPY_##table(name)
#include "abi/hsa/functions.def"
#undef KERNLOOP_HSA
#undef KERNLOOP_COPY_core
#undef KERNLOOP_COPY_amd
#undef KERNLOOP_COPY_finalizer
#undef KERNLOOP_COPY_image
}

}  // namespace kernloop::rocr
