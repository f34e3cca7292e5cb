#include "protocol/messages.h"

#include <algorithm>

namespace kernloop::protocol {
std::array<uint32_t, 3> blocks_of(const std::array<uint64_t, 3>& work_items, const std::array<uint32_t, 3>& block) {
  std::array<uint32_t, 3> blocks;
  for (size_t i = 0; i < 3; ++i) {
    const uint64_t threads = std::max<uint32_t>(block[i], 1);
    blocks[i] = static_cast<uint32_t>(work_items[i] / threads + (work_items[i] % threads != 0));
  }
  return blocks;
}

Encoded BulkHeader::encode() const {
  return encoded(*this);
}

std::optional<BulkHeader> BulkHeader::decode(std::span<const uint8_t> bytes, std::span<const uint8_t>* bulk) {
  WireReader in(bytes);
  BulkHeader message;
  get(in, message);
  if (!in.ok()) return std::nullopt;
  *bulk = in.rest();
  return message;
}

}  // namespace kernloop::protocol
