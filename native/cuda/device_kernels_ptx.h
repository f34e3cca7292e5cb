// The text of device_kernels.ptx, built into the library.
#pragma once

namespace kernloop::cuda {

const char* device_kernels_ptx();

}  // namespace kernloop::cuda
