#include "capture/cuda/memory/staging.h"

#include <algorithm>

namespace kernloop::capture {

using namespace cuda;

namespace {

Error failed(const Driver& driver, const char* call, CUresult result) {
  return {"READ_FAILED", std::string(call) + " returned " + driver.describe(result),
          "free some memory of the host and of the GPU; see the agent's log"};
}

}  // namespace

Result<std::unique_ptr<CudaStaging>> CudaStaging::create(const Driver& driver, CUstream stream, uint64_t piece_bytes) {
  std::unique_ptr<CudaStaging> staging(new CudaStaging(driver, stream, piece_bytes));
  for (Buffer& buffer : staging->buffers_) {
    CUresult result = driver.cuMemHostAlloc(&buffer.host, piece_bytes, 0);
    if (result != CUDA_SUCCESS) return failed(driver, "cuMemHostAlloc", result);
    result = driver.cuEventCreate(&buffer.copied, CU_EVENT_DISABLE_TIMING);
    if (result != CUDA_SUCCESS) return failed(driver, "cuEventCreate", result);
  }
  return staging;
}

CudaStaging::~CudaStaging() {
  driver_.cuStreamSynchronize(stream_);
  for (Buffer& buffer : buffers_) {
    if (buffer.copied != nullptr) driver_.cuEventDestroy(buffer.copied);
    if (buffer.host != nullptr) driver_.cuMemFreeHost(buffer.host);
  }
}

void CudaStaging::occupy(uint64_t address, uint64_t bytes) {
  driver_.cuMemcpyDtoHAsync(buffers_[0].host, address, std::min(bytes, piece_bytes_), stream_);
}

Status CudaStaging::fetch(size_t buffer, uint64_t address, uint64_t bytes) {
  CUresult result = driver_.cuMemcpyDtoHAsync(buffers_[buffer].host, address, bytes, stream_);
  if (result != CUDA_SUCCESS) return failed(driver_, "cuMemcpyDtoHAsync", result);
  result = driver_.cuEventRecord(buffers_[buffer].copied, stream_);
  if (result != CUDA_SUCCESS) return failed(driver_, "cuEventRecord", result);
  return Unit{};
}

Status CudaStaging::wait(size_t buffer) {
  const CUresult result = driver_.cuEventSynchronize(buffers_[buffer].copied);
  if (result != CUDA_SUCCESS) return failed(driver_, "cuEventSynchronize", result);
  return Unit{};
}

}  // namespace kernloop::capture
