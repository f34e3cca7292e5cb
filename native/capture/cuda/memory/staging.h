// Staging in the context that is current when it is made, in the stream of the launch.
#pragma once

#include <array>
#include <memory>

#include "capture/core/staging.h"
#include "cuda/driver.h"

namespace kernloop::capture {

class CudaStaging final : public Staging {
 public:
  static Result<std::unique_ptr<CudaStaging>> create(const cuda::Driver& driver, cuda::CUstream stream,
                                                     uint64_t piece_bytes);
  ~CudaStaging() override;

  // Copies only to measure the time. forget() comes before.
  void occupy(uint64_t address, uint64_t bytes);

 private:
  struct Buffer {
    void* host = nullptr;
    cuda::CUevent copied = nullptr;
  };
  CudaStaging(const cuda::Driver& driver, cuda::CUstream stream, uint64_t piece_bytes)
      : Staging(piece_bytes), driver_(driver), stream_(stream), piece_bytes_(piece_bytes) {}
  Status fetch(size_t buffer, uint64_t address, uint64_t bytes) override;
  Status wait(size_t buffer) override;
  const void* data(size_t buffer) const override { return buffers_[buffer].host; }

  const cuda::Driver& driver_;
  const cuda::CUstream stream_;
  const uint64_t piece_bytes_;
  std::array<Buffer, kBuffers> buffers_;
};

}  // namespace kernloop::capture
