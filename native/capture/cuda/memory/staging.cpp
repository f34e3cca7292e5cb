#include "capture/cuda/memory/staging.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace kernloop::capture {

using namespace cuda;

namespace {

Error failed(const Driver& driver, const char* call, CUresult result) {
  return {"READ_FAILED", std::string(call) + " returned " + driver.describe(result),
          "free some memory of the host and of the GPU; see the agent's log"};
}

}  // namespace

Result<std::unique_ptr<Staging>> Staging::create(const Driver& driver, CUstream stream, uint64_t piece_bytes) {
  std::unique_ptr<Staging> staging(new Staging(driver, stream));
  staging->piece_bytes_ = piece_bytes;
  for (Buffer& buffer : staging->buffers_) {
    CUresult result = driver.cuMemHostAlloc(&buffer.host, piece_bytes, 0);
    if (result != CUDA_SUCCESS) return failed(driver, "cuMemHostAlloc", result);
    result = driver.cuEventCreate(&buffer.copied, CU_EVENT_DISABLE_TIMING);
    if (result != CUDA_SUCCESS) return failed(driver, "cuEventCreate", result);
  }
  return staging;
}

Staging::~Staging() {
  driver_.cuStreamSynchronize(stream_);
  for (Buffer& buffer : buffers_) {
    if (buffer.copied != nullptr) driver_.cuEventDestroy(buffer.copied);
    if (buffer.host != nullptr) driver_.cuMemFreeHost(buffer.host);
  }
}

void Staging::forget() {
  driver_.cuStreamSynchronize(stream_);
  for (Buffer& buffer : buffers_) buffer.bytes = 0;
}

void Staging::occupy(uint64_t address, uint64_t bytes) {
  driver_.cuMemcpyDtoHAsync(buffers_[0].host, address, std::min(bytes, piece_bytes_), stream_);
}

Status Staging::fetch(Buffer& buffer, uint64_t address, uint64_t bytes) {
  buffer.bytes = 0;
  CUresult result = driver_.cuMemcpyDtoHAsync(buffer.host, address, bytes, stream_);
  if (result != CUDA_SUCCESS) return failed(driver_, "cuMemcpyDtoHAsync", result);
  result = driver_.cuEventRecord(buffer.copied, stream_);
  if (result != CUDA_SUCCESS) return failed(driver_, "cuEventRecord", result);
  buffer.address = address;
  buffer.bytes = bytes;
  return Unit{};
}

Status Staging::read(uint64_t address, std::span<uint8_t> into, uint64_t next_bytes) {
  Buffer& ready = buffers_[0];
  if (ready.address != address || ready.bytes < into.size()) {
    if (auto fetched = fetch(ready, address, into.size()); !fetched) return fetched;
  }
  const uint64_t next = std::min(next_bytes, piece_bytes_);
  // A failed read ahead is an error once its bytes are asked for.
  if (next != 0) (void)fetch(buffers_[1], address + into.size(), next);
  const CUresult result = driver_.cuEventSynchronize(ready.copied);
  if (result != CUDA_SUCCESS) {
    ready.bytes = 0;
    return failed(driver_, "cuEventSynchronize", result);
  }
  std::memcpy(into.data(), ready.host, into.size());
  ready.bytes = 0;
  std::swap(buffers_[0], buffers_[1]);
  return Unit{};
}

}  // namespace kernloop::capture
