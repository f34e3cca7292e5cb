// Copies device memory to the host through pinned buffers, the next piece while the one before is in use.
#pragma once

#include <memory>
#include <span>

#include "base/result.h"
#include "cuda/driver.h"

namespace kernloop::capture {

// In the context that is current when it is made, in the stream of the launch; one thread at a time.
class Staging {
 public:
  static Result<std::unique_ptr<Staging>> create(const cuda::Driver& driver, cuda::CUstream stream,
                                                 uint64_t piece_bytes);
  ~Staging();
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  // The bytes at `address`, at most a piece. `next_bytes` of the following ones will probably be requested next (0:
  // none).
  Status read(uint64_t address, std::span<uint8_t> into, uint64_t next_bytes);
  // Copies only to measure the time. forget() comes before.
  void occupy(uint64_t address, uint64_t bytes);
  // Memory has changed: pieces read ahead are no longer valid.
  void forget();

 private:
  struct Buffer {
    void* host = nullptr;
    cuda::CUevent copied = nullptr;
    uint64_t address = 0, bytes = 0;  // bytes 0: holds nothing
  };
  Staging(const cuda::Driver& driver, cuda::CUstream stream) : driver_(driver), stream_(stream) {}
  Status fetch(Buffer& buffer, uint64_t address, uint64_t bytes);

  const cuda::Driver& driver_;
  const cuda::CUstream stream_;
  uint64_t piece_bytes_ = 0;
  Buffer buffers_[2];
};

}  // namespace kernloop::capture
