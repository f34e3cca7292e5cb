// Copies between host and device memory through pinned buffers, so that they run at the speed of the link and overlap
// with the host's own work.
#pragma once

#include <array>

#include "replay/core/device/device.h"
#include "replay/cuda/context.h"

namespace kernloop::replay {

class Staging {
 public:
  static constexpr uint64_t kBufferBytes = uint64_t{4} << 20;  // a chunk of an archive

  explicit Staging(Context& context) : context_(context) {}
  ~Staging();
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  Status start();

  // Returns once `bytes` may be changed; the device has them before anything that is started later.
  Status write(uint64_t address, Bytes bytes);
  Status read(uint64_t address, std::span<uint8_t> into);
  Status fill(uint64_t address, uint64_t size, uint8_t byte);
  // `size` <= kBufferBytes. Valid until the next call. The bytes that follow, within `limit`, are fetched ahead.
  Result<Bytes> view(uint64_t address, uint64_t size, uint64_t limit);
  // Everything started so far is done.
  Status finish();

  cuda::CUstream stream() const { return stream_; }

 private:
  struct Buffer {
    uint8_t* bytes = nullptr;
    cuda::CUevent done = nullptr;
    AddressRange ahead;  // device memory it is being filled with; empty: nothing of use
  };

  Status wait(Buffer& buffer);
  Status fetch(Buffer& buffer, const AddressRange& range);
  void forget_ahead();
  Buffer& next() { return buffers_[turn_ ^= 1]; }

  Context& context_;
  cuda::CUstream stream_ = nullptr;
  std::array<Buffer, 2> buffers_;
  size_t turn_ = 0;
};

}  // namespace kernloop::replay
