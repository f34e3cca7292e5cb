// The intercepted functions. Each file holds the functions of one concern and puts them into the runtime's tables.
#pragma once

#include <string_view>

#include "capture/hsa/hsa_api.h"

namespace kernloop::capture {

// Allocations of this call end by munmap, which is not intercepted.
inline constexpr std::string_view kSvmApi = "hsa_amd_svm_attributes_set";
inline constexpr std::string_view kVmemApi = "hsa_amd_vmem_map";

void install_memory_hooks(HsaApiTable& table);
void install_copy_hooks(HsaApiTable& table);
void install_code_hooks(HsaApiTable& table);
void install_queue_hooks(HsaApiTable& table);
void install_index_hooks(HsaApiTable& table);
// Whether our functions are in the tables already (a runtime that was started again may keep them).
bool hooks_installed(HsaApiTable& table);

// Puts a function into a slot that the runtime has and fills.
template <typename Function>
void hook(const ApiTableVersion& version, Function& slot, Function replacement) {
  const auto offset = reinterpret_cast<uintptr_t>(&slot) - reinterpret_cast<uintptr_t>(&version);
  if (offset + sizeof slot <= version.minor_id && slot != nullptr) slot = replacement;
}

// The AMD table of a runtime since ROCm 6; slots beyond its size must not be touched.
inline rocr::LaterAmdExtTable& later_amd_table(HsaApiTable& table) {
  return *static_cast<rocr::LaterAmdExtTable*>(table.amd_ext_);
}

// The same for a slot of the AMD table, at this runtime's offset; `first` is null for slots that ROCm 5.2 lacks.
template <typename Function, typename LaterTable>
void hook_amd(HsaApiTable& table, Function rocr::Rocm52AmdExtTable::*first, Function LaterTable::*later,
              Function replacement) {
  if (amd_table_of(table) == AmdTable::kSinceRocm6) {
    hook(later_amd_table(table).version, later_amd_table(table).*later, replacement);
  } else if (first != nullptr) {
    hook(rocm52_amd_table(table).version, rocm52_amd_table(table).*first, replacement);
  }
}

#define KERNLOOP_HOOK_AMD(table, name, replacement) \
  hook_amd(table, &rocr::Rocm52AmdExtTable::name##_fn, &rocr::LaterAmdExtTable::name##_fn, replacement)
#define KERNLOOP_HOOK_LATER_AMD(table, name, replacement)                             \
  hook_amd(table, static_cast<decltype(::name)* rocr::Rocm52AmdExtTable::*>(nullptr), \
           &rocr::LaterAmdExtTable::name##_fn, replacement)

}  // namespace kernloop::capture
