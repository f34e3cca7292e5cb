// Staging for memory of a GPU of HSA.
#pragma once

#include <array>
#include <memory>

#include "capture/core/staging.h"
#include "capture/hsa/host_buffer.h"
#include "capture/hsa/queues/signal.h"

namespace kernloop::capture {

class HsaStaging final : public Staging {
 public:
  static Result<std::unique_ptr<HsaStaging>> create(const HsaOriginals& hsa, hsa_agent_t device, uint64_t piece_bytes);
  ~HsaStaging() override;

 private:
  struct Buffer {
    HostBuffer memory;
    OwnSignal copied;
  };
  HsaStaging(const HsaOriginals& hsa, hsa_agent_t device, uint64_t piece_bytes)
      : Staging(piece_bytes), hsa_(hsa), device_(device) {}
  Status fetch(size_t buffer, uint64_t address, uint64_t bytes) override;
  Status wait(size_t buffer) override;
  const void* data(size_t buffer) const override { return buffers_[buffer].memory.data(); }
  bool has_ended(const Buffer& buffer) const;

  const HsaOriginals& hsa_;
  const hsa_agent_t device_;
  std::array<Buffer, kBuffers> buffers_;
};

}  // namespace kernloop::capture
