// AQL packets as raw 64-byte records (HSA Platform System Architecture 1.2, section 2.9).
#pragma once

#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <string>

namespace kernloop::softgpu {

struct alignas(64) Packet {
  uint16_t header;
  uint16_t setup;
  uint8_t body[60];

  template <typename Typed>
  Typed as() const {
    static_assert(sizeof(Typed) == 64);
    Typed typed;
    std::memcpy(&typed, this, sizeof(typed));
    return typed;
  }
};
static_assert(sizeof(Packet) == 64);

constexpr uint16_t kInvalidHeader = HSA_PACKET_TYPE_INVALID << HSA_PACKET_HEADER_TYPE;

inline uint16_t load_header(const Packet& packet) {
  return std::atomic_ref<uint16_t>(const_cast<uint16_t&>(packet.header)).load(std::memory_order_acquire);
}
inline void store_header(Packet& packet, uint16_t header) {
  std::atomic_ref<uint16_t>(packet.header).store(header, std::memory_order_release);
}
constexpr unsigned packet_type(uint16_t header) {
  return (header >> HSA_PACKET_HEADER_TYPE) & ((1u << HSA_PACKET_HEADER_WIDTH_TYPE) - 1);
}

// Valid scopes are none, agent and system (hsa_fence_scope_t).
constexpr bool has_reserved_scope(uint16_t header) {
  constexpr unsigned kReserved = (1u << HSA_PACKET_HEADER_WIDTH_SCACQUIRE_FENCE_SCOPE) - 1;
  return (header >> HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE & kReserved) == kReserved ||
         (header >> HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE & kReserved) == kReserved;
}

// Writes the body before the header, as the packet processor may look at any time.
inline void publish(Packet& slot, const Packet& packet) {
  std::memcpy(reinterpret_cast<char*>(&slot) + sizeof(uint16_t),
              reinterpret_cast<const char*>(&packet) + sizeof(uint16_t), sizeof(Packet) - sizeof(uint16_t));
  store_header(slot, packet.header);
}

}  // namespace kernloop::softgpu
