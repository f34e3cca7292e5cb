// Copies memory of a GPU to the host through pinned buffers, the next piece while the one before is in use.
#pragma once

#include <array>
#include <memory>
#include <span>

#include "base/result.h"
#include "capture/hsa/host_buffer.h"
#include "capture/hsa/queues/signal.h"

namespace kernloop::capture {

// One thread at a time.
class HsaStaging {
 public:
  static Result<std::unique_ptr<HsaStaging>> create(const HsaOriginals& hsa, hsa_agent_t device, uint64_t piece_bytes);
  ~HsaStaging();
  HsaStaging(const HsaStaging&) = delete;
  HsaStaging& operator=(const HsaStaging&) = delete;

  // The bytes at `address`, at most a piece. `next_bytes` of the following ones will probably be requested next (0:
  // none).
  Status read(uint64_t address, std::span<uint8_t> into, uint64_t next_bytes);
  // Memory is about to change: pieces read ahead are no longer valid.
  void forget();

 private:
  struct Piece {
    HostBuffer buffer;
    OwnSignal copied;
    uint64_t address = 0, bytes = 0;  // bytes 0: holds nothing
  };
  HsaStaging(const HsaOriginals& hsa, hsa_agent_t device, uint64_t piece_bytes)
      : hsa_(hsa), device_(device), piece_bytes_(piece_bytes) {}
  Status fetch(Piece& piece, uint64_t address, uint64_t bytes);
  bool wait(const Piece& piece) const;

  const HsaOriginals& hsa_;
  const hsa_agent_t device_;
  const uint64_t piece_bytes_;
  std::array<Piece, 2> pieces_;
};

}  // namespace kernloop::capture
