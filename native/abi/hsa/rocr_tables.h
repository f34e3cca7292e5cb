// The HSA API tables as runtimes have them: those of the vendored headers (ROCr 6.4), the slots that later releases
// append to the AMD table, and the AMD table of ROCm 5.2, which lacks slots in between: it must not be read through the
// others.
#pragma once

#ifndef AMD_INTERNAL_BUILD
#define AMD_INTERNAL_BUILD  // hsa_api_trace.h then finds its neighbours without an "inc/" prefix
#endif
#include <hsa/hsa.h>
#include <hsa/hsa_api_trace.h>

#include <cstddef>

#include "abi/hsa/rocm7_api.h"

namespace kernloop::rocr {

inline constexpr uint32_t kRocm7AmdStep = 0x12;  // step of the table with the slots below

struct Rocm7AmdSlots {
#define KERNLOOP_AMD(name) decltype(::name)* name##_fn;
#define KERNLOOP_AMD_OPAQUE(name) void (*name##_fn)();
#include "abi/hsa/rocm7_amd_slots.def"
#undef KERNLOOP_AMD
#undef KERNLOOP_AMD_OPAQUE
};

struct Rocm7AmdExtTable : AmdExtTable, Rocm7AmdSlots {};
static_assert(sizeof(Rocm7AmdExtTable) == sizeof(AmdExtTable) + sizeof(Rocm7AmdSlots));

// ROCm 5.2 has major version 1 of every table, no tables after the image table, and no second way to make a sampler.
inline constexpr uint32_t kRocm52Major = 1;
inline constexpr size_t kRocm52RootBytes = offsetof(HsaApiTable, tools_);
inline constexpr size_t kRocm52ImageBytes = offsetof(ImageExtTable, hsa_ext_sampler_create_v2_fn);

struct Rocm52AmdExtTable {
  ApiTableVersion version;
#define KERNLOOP_AMD(name) decltype(::name)* name##_fn;
#include "abi/hsa/rocm52_amd_ext_table.def"
#undef KERNLOOP_AMD
};

// rocprofiler-sdk asserts these places (source/lib/rocprofiler-sdk/hsa/abi.cpp of ROCm/rocm-systems): since ROCm 6 only
// the end of the table grows.
constexpr size_t place_of_slot(size_t offset) {
  return (offset - sizeof(ApiTableVersion)) / sizeof(void*) + 1;
}
static_assert(place_of_slot(offsetof(AmdExtTable, hsa_amd_queue_intercept_create_fn)) == 38);
static_assert(place_of_slot(offsetof(AmdExtTable, hsa_amd_vmem_map_fn)) == 60);
static_assert(place_of_slot(sizeof(AmdExtTable) +
                            offsetof(Rocm7AmdSlots, hsa_amd_memory_get_preferred_copy_engine_fn)) == 73);
static_assert(place_of_slot(sizeof(AmdExtTable) + offsetof(Rocm7AmdSlots, hsa_amd_queue_create_fn)) == 87);

// The slots that both AMD tables have; the others of `to` stay as they are.
template <typename To, typename From>
void copy_common_slots(To& to, const From& from) {
#define KERNLOOP_AMD(name) to.name##_fn = from.name##_fn;
#include "abi/hsa/rocm52_amd_ext_table.def"
#undef KERNLOOP_AMD
}

}  // namespace kernloop::rocr
