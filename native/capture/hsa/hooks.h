// The intercepted functions. Each file holds the functions of one concern and puts them into the runtime's tables.
#pragma once

#include <string_view>

#include "capture/hsa/queues/hsa_api.h"

namespace kernloop::capture {

// Allocations of this call end by munmap, which is not intercepted.
inline constexpr std::string_view kSvmApi = "hsa_amd_svm_attributes_set";
inline constexpr std::string_view kVmemApi = "hsa_amd_vmem_map";
inline constexpr std::string_view kImportedApi = "hsa_amd_vmem_import_shareable_handle";

void install_memory_hooks(HsaApiTable& table);
void install_copy_hooks(HsaApiTable& table);
// A profile also watches what the app waits for.
void install_signal_hooks(HsaApiTable& table, bool profiles);
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

// The AMD table of a runtime since ROCm 6, with the slots of ROCm 7; slots beyond its size must not be touched.
inline rocr::Rocm7AmdExtTable& rocm7_amd_table(HsaApiTable& table) {
  return *static_cast<rocr::Rocm7AmdExtTable*>(table.amd_ext_);
}

// The same for a slot of the AMD table, at this runtime's offset; `old_slot` is null for slots that ROCm 5.2 lacks.
template <typename Function, typename NewTable>
void hook_amd(HsaApiTable& table, Function rocr::Rocm52AmdExtTable::*old_slot, Function NewTable::*new_slot,
              Function replacement) {
  if (amd_table_of(table) == AmdTable::kSinceRocm6) {
    hook(rocm7_amd_table(table).version, rocm7_amd_table(table).*new_slot, replacement);
  } else if (old_slot != nullptr) {
    hook(rocm52_amd_table(table).version, rocm52_amd_table(table).*old_slot, replacement);
  }
}

#define KERNLOOP_HOOK_AMD(table, name, replacement) \
  hook_amd(table, &rocr::Rocm52AmdExtTable::name##_fn, &rocr::Rocm7AmdExtTable::name##_fn, replacement)
#define KERNLOOP_HOOK_LATER_AMD(table, name, replacement)                             \
  hook_amd(table, static_cast<decltype(::name)* rocr::Rocm52AmdExtTable::*>(nullptr), \
           &rocr::Rocm7AmdExtTable::name##_fn, replacement)

}  // namespace kernloop::capture
