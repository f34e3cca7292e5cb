// The texts of device_kernels.ptx, scrub_kernel.ptx and demote_kernel.ptx, built into the library.
#pragma once

namespace kernloop::cuda {

const char* device_kernels_ptx();
const char* scrub_kernel_ptx();
const char* demote_kernel_ptx();

}  // namespace kernloop::cuda
