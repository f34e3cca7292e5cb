#include "verdict/memory.h"

#include <algorithm>

namespace kernloop::replay {

Status Memory::fill(uint64_t address, uint64_t size, uint8_t byte) {
  constexpr uint64_t kPieceBytes = 1u << 20;
  const Buffer bytes(std::min(size, kPieceBytes), byte);
  for (uint64_t offset = 0; offset < size; offset += kPieceBytes) {
    const Bytes piece = Bytes(bytes).first(std::min(kPieceBytes, size - offset));
    if (auto written = write(address + offset, piece); !written) return written;
  }
  return Unit{};
}

Result<Bytes> Memory::view(uint64_t address, uint64_t size, Buffer& scratch) {
  if (const uint8_t* memory = in_place(address)) return Bytes(memory, size);
  scratch.resize(size);
  if (auto done = read(address, scratch); !done) return done.error();
  return Bytes(scratch);
}

Result<Digest> Memory::digest(const std::vector<AddressRange>& ranges) {
  constexpr uint64_t kPieceBytes = 4u << 20;
  Sha256 sum;
  Buffer scratch;
  for (const AddressRange& range : ranges) {
    for (uint64_t offset = 0; offset < range.size; offset += kPieceBytes) {
      const auto bytes = view(range.base + offset, std::min(kPieceBytes, range.size - offset), scratch);
      if (!bytes) return bytes.error();
      sum.update(*bytes);
    }
  }
  return sum.finish();
}

}  // namespace kernloop::replay
