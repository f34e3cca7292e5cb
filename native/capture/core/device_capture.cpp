#include "capture/core/device_capture.h"

#include <algorithm>

namespace kernloop::capture {

std::optional<Error> DeviceCapture::find_variable(const ModuleVariable& variable, uint64_t*) {
  return Error{"VARIABLE_UNKNOWN", "the address of module variable " + variable.name + " is not known",
               "report this with the log in .kernloop/logs"};
}

std::optional<Error> DeviceCapture::checksums(const Allocation& of, std::vector<Checksum>* per_snapshot_chunk) {
  buffer_.resize(std::min(kSnapshotChunkBytes, of.size));
  per_snapshot_chunk->clear();
  for (uint64_t offset = 0; offset < of.size; offset += kSnapshotChunkBytes) {
    const std::span<uint8_t> chunk(buffer_.data(), std::min(kSnapshotChunkBytes, of.size - offset));
    if (auto refusal = read(of, offset, chunk)) return refusal;
    per_snapshot_chunk->push_back(checksum(chunk));
  }
  return std::nullopt;
}

std::optional<Error> DeviceCapture::find_pointers(const Allocation&, const AllocationList&, std::vector<size_t>*,
                                                  bool* searched) {
  *searched = false;
  return std::nullopt;
}

}  // namespace kernloop::capture
