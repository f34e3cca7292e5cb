// device_kernels.cu compiled for AMD's GPUs: checksums and pointer search.
#pragma once

#include <span>
#include <string_view>

namespace kernloop::cuda {

// `target` as in "gfx90a"; empty if there is none for it.
std::span<const unsigned char> gfx_code_object(std::string_view target);

}  // namespace kernloop::cuda
