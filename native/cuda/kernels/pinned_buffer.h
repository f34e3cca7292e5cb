// Pinned host memory that the device reads and writes through its own address. Grows, and is kept between uses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/result.h"
#include "cuda/driver.h"

namespace kernloop::cuda {

class PinnedBuffer {
 public:
  explicit PinnedBuffer(const Driver& driver) : driver_(driver) {}
  ~PinnedBuffer() { release(); }
  PinnedBuffer(const PinnedBuffer&) = delete;
  PinnedBuffer& operator=(const PinnedBuffer&) = delete;

  // Reserves at least that many bytes; earlier content is lost.
  Status reserve(uint64_t bytes);
  void release();

  void* host() const { return host_; }
  CUdeviceptr device() const { return device_; }

 private:
  const Driver& driver_;
  void* host_ = nullptr;
  CUdeviceptr device_ = 0;
  uint64_t bytes_ = 0;
};

}  // namespace kernloop::cuda
