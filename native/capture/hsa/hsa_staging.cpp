#include "capture/hsa/hsa_staging.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace kernloop::capture {

Result<std::unique_ptr<HsaStaging>> HsaStaging::create(const HsaOriginals& hsa, hsa_agent_t device,
                                                       uint64_t piece_bytes) {
  std::unique_ptr<HsaStaging> staging(new HsaStaging(hsa, device, piece_bytes));
  for (Piece& piece : staging->pieces_) {
    auto buffer = HostBuffer::create(hsa, device, piece_bytes);
    if (!buffer) return buffer.error();
    piece.buffer = std::move(*buffer);
    piece.copied = OwnSignal::create(hsa, 0);
    if (!piece.copied) return hsa_error("hsa_signal_create", HSA_STATUS_ERROR_OUT_OF_RESOURCES);
  }
  return staging;
}

// A copy that has not ended may still write.
HsaStaging::~HsaStaging() {
  for (Piece& piece : pieces_) {
    if (!piece.copied || wait(piece)) continue;
    piece.buffer.leak();
    piece.copied.leak();
  }
}

bool HsaStaging::wait(const Piece& piece) const {
  constexpr std::chrono::seconds kLimit{60};  // 4 MiB
  return wait_below_one(hsa_, piece.copied.get(), Deadline::in(kLimit), [] { return false; });
}

void HsaStaging::forget() {
  for (Piece& piece : pieces_) {
    wait(piece);
    piece.bytes = 0;
  }
}

Status HsaStaging::fetch(Piece& piece, uint64_t address, uint64_t bytes) {
  piece.bytes = 0;
  if (!wait(piece)) return hsa_error("hsa_amd_memory_async_copy before", HSA_STATUS_ERROR);
  hsa_.core.hsa_signal_store_relaxed_fn(piece.copied.get(), 1);
  const hsa_status_t status =
      hsa_.amd.hsa_amd_memory_async_copy_fn(piece.buffer.data(), piece.buffer.host(), reinterpret_cast<void*>(address),
                                            device_, bytes, 0, nullptr, piece.copied.get());
  if (status != HSA_STATUS_SUCCESS) {
    hsa_.core.hsa_signal_store_relaxed_fn(piece.copied.get(), 0);
    return hsa_error("hsa_amd_memory_async_copy", status);
  }
  piece.address = address;
  piece.bytes = bytes;
  return Unit{};
}

Status HsaStaging::read(uint64_t address, std::span<uint8_t> into, uint64_t next_bytes) {
  Piece& ready = pieces_[0];
  if (ready.address != address || ready.bytes < into.size()) {
    if (auto fetched = fetch(ready, address, into.size()); !fetched) return fetched;
  }
  const uint64_t next = std::min(next_bytes, piece_bytes_);
  // A failed read ahead is an error once its bytes are asked for.
  if (next != 0) (void)fetch(pieces_[1], address + into.size(), next);
  // A negative value: the copy failed.
  const bool copied = wait(ready) && ready.copied.value() == 0;
  if (copied) std::memcpy(into.data(), ready.buffer.data(), into.size());
  ready.bytes = 0;
  if (!copied) return hsa_error("the signal of hsa_amd_memory_async_copy", HSA_STATUS_ERROR);
  std::swap(pieces_[0], pieces_[1]);
  return Unit{};
}

}  // namespace kernloop::capture
