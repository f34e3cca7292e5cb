#pragma once

#include <string_view>

namespace kernloop::cuda::fake {

// The exported function of that name, with or without its version suffix; nullptr if there is none.
void* find_export(std::string_view name);

}  // namespace kernloop::cuda::fake
