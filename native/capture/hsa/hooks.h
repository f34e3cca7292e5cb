// The intercepted functions. Each file holds those of one concern and puts them into the runtime's tables.
#pragma once

#include "capture/hsa/hsa_api.h"

namespace kernloop::capture {

void install_memory_hooks(HsaApiTable& table);
void install_copy_hooks(HsaApiTable& table);
void install_code_hooks(HsaApiTable& table);
void install_queue_hooks(HsaApiTable& table);
// Whether our functions are in the tables already (a runtime that was started again may keep them).
bool hooks_installed(const HsaApiTable& table);

// Puts a function into a slot that the runtime has and fills.
template <typename Function>
void hook(const ApiTableVersion& version, Function& slot, Function replacement) {
  const auto offset = reinterpret_cast<uintptr_t>(&slot) - reinterpret_cast<uintptr_t>(&version);
  if (offset + sizeof slot <= version.minor_id && slot != nullptr) slot = replacement;
}

}  // namespace kernloop::capture
