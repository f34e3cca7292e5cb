// Memory of the host that the runtime allocates and a GPU reaches.
#pragma once

#include "base/result.h"
#include "capture/hsa/queues/hsa_api.h"

namespace kernloop::capture {

class HostBuffer {
 public:
  HostBuffer() = default;
  HostBuffer(HostBuffer&& other) noexcept { *this = std::move(other); }
  HostBuffer& operator=(HostBuffer&& other) noexcept;
  ~HostBuffer();
  static Result<HostBuffer> create(const HsaOriginals& hsa, hsa_agent_t device, size_t bytes);

  uint8_t* data() const { return data_; }
  hsa_agent_t host() const { return host_; }  // the agent whose memory it is
  // A kernel may still use it: it stays.
  void leak() { data_ = nullptr; }

 private:
  const HsaOriginals* hsa_ = nullptr;
  hsa_agent_t host_{};
  uint8_t* data_ = nullptr;
};

// A call of the runtime that failed.
Error hsa_error(const char* call, hsa_status_t status);

}  // namespace kernloop::capture
