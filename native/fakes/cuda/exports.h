#pragma once

#include <string_view>

namespace kernloop::cuda::fake {

// The exported function of that name, with or without its version suffix, at the address that dlsym gives; nullptr if
// there is none. `version`: the form of that version of CUDA. `per_thread`: the form for per-thread default streams, if
// there is one.
void* find_export(std::string_view name, int version, bool per_thread);

}  // namespace kernloop::cuda::fake
