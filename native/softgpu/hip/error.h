// The error that every call of HIP returns once a dispatch has faulted. As in HIP since ROCm 7, it is the process's,
// for all threads and devices, and nothing clears it: neither hipGetLastError nor hipDeviceReset.
#pragma once

namespace kernloop::softgpu::hip {

// A hipError_t; 0 while all is well.
int error();

}  // namespace kernloop::softgpu::hip
