#include "cuda/kernels/pinned_buffer.h"

#include <bit>
#include <string>

namespace kernloop::cuda {

Status PinnedBuffer::reserve(uint64_t bytes) {
  if (bytes <= bytes_) return Unit{};
  release();
  bytes = std::bit_ceil(bytes < 4096 ? 4096 : bytes);
  CUresult result = driver_.cuMemHostAlloc(&host_, bytes, CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_PORTABLE);
  if (result == CUDA_SUCCESS) result = driver_.cuMemHostGetDevicePointer(&device_, host_, 0);
  if (result != CUDA_SUCCESS) {
    release();
    return Error{"DEVICE_ERROR",
                 "no " + std::to_string(bytes) + " bytes of pinned host memory: " + driver_.describe(result),
                 "raise the limit of locked memory (ulimit -l), or free host memory"};
  }
  bytes_ = bytes;
  return Unit{};
}

void PinnedBuffer::release() {
  if (host_ != nullptr) driver_.cuMemFreeHost(host_);
  host_ = nullptr;
  device_ = 0;
  bytes_ = 0;
}

}  // namespace kernloop::cuda
