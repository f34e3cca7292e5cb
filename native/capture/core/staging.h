// Copies device memory to the host through two pinned buffers, the next piece while the one before is in use.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <utility>

#include "base/result.h"

namespace kernloop::capture {

// One thread at a time.
class Staging {
 public:
  virtual ~Staging() = default;
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  // The bytes at `address`, at most a piece. `next_bytes` of the following ones will probably be requested next (0:
  // none).
  Status read(uint64_t address, std::span<uint8_t> into, uint64_t next_bytes) {
    Piece& ready = pieces_[0];
    if (ready.address != address || ready.bytes < into.size()) {
      if (Status begun = fetch(ready, address, into.size()); !begun) return begun;
    }
    const uint64_t next = std::min(next_bytes, piece_bytes_);
    // A failed read ahead is an error once its bytes are asked for.
    if (next != 0) (void)fetch(pieces_[1], address + into.size(), next);
    const Status copied = wait(ready.buffer);
    if (copied) std::memcpy(into.data(), data(ready.buffer), into.size());
    ready.bytes = 0;
    if (copied) std::swap(pieces_[0], pieces_[1]);
    return copied;
  }
  // Memory is about to change, or has changed: pieces read ahead are no longer valid.
  void forget() {
    for (Piece& piece : pieces_) {
      (void)wait(piece.buffer);
      piece.bytes = 0;
    }
  }

 protected:
  explicit Staging(uint64_t piece_bytes) : piece_bytes_(piece_bytes) {}
  static constexpr size_t kBuffers = 2;

 private:
  // Starts a copy into one of the buffers, whose copy before has ended or failed to.
  virtual Status fetch(size_t buffer, uint64_t address, uint64_t bytes) = 0;
  // Until the copy has ended.
  virtual Status wait(size_t buffer) = 0;
  virtual const void* data(size_t buffer) const = 0;

  struct Piece {
    size_t buffer;
    uint64_t address = 0, bytes = 0;  // bytes 0: holds nothing
  };
  Status fetch(Piece& piece, uint64_t address, uint64_t bytes) {
    piece.bytes = 0;
    if (Status begun = fetch(piece.buffer, address, bytes); !begun) return begun;
    piece.address = address;
    piece.bytes = bytes;
    return Unit{};
  }

  const uint64_t piece_bytes_;
  std::array<Piece, kBuffers> pieces_{Piece{0}, Piece{1}};
};

}  // namespace kernloop::capture
