// Accesses of a whole wave whose lanes lie side by side, or in rows (LaneRows): most of those to global memory. They
// are checked and moved together.
#pragma once

#include "softgpu/engine/access/transfer.h"
#include "softgpu/engine/lanes/lane_scan.h"

namespace kernloop::softgpu {

// The lanes' addresses: base + low[lane], or with `high` base + (low[lane] | high[lane] << 32).
struct LanePlaces {
  const uint32_t *low, *high;
  uint64_t base;

  // Added to the low halves, if all lanes have the first one's high half.
  uint64_t common() const { return high ? base + (uint64_t{high[0]} << 32) : base; }
  uint8_t* common_host() const { return reinterpret_cast<uint8_t*>(common()); }
  void of_lanes(LaneAddresses& addresses) const {
    if (high) return join_addresses(low, high, base, addresses.at);
    offset_addresses(base, low, addresses.at);
  }
};

// Any lanes. Faults throw.
inline void check_lanes(MemoryPort& port, const LanePlaces& places, uint64_t lanes, uint32_t bytes, AccessKind kind,
                        LaneAddresses& addresses) {
  places.of_lanes(addresses);
  if (!port.check_places(places.low, places.high, places.base, lanes, bytes, kind, addresses.uniform))
    port.check_global(addresses, lanes, bytes, kind);
}

// Number of lanes, from lane 0 on, if no others are active: waves of 64 and of 32 lanes; else 0.
inline unsigned whole_wave(uint64_t exec) {
  return exec == ~uint64_t{0} ? 64 : exec == 0xffffffff ? 32 : 0;
}

// Whether the first `lanes` may be contiguous: tiles, which are most of what is not, need no other look.
inline bool may_be_contiguous(const uint32_t* low, uint32_t bytes, unsigned lanes) {
  return low[lanes - 1] - low[0] == bytes * (lanes - 1);
}

// False, with nothing counted, if the lanes must be checked one by one.
template <Load load>
inline bool load_whole_wave(MemoryPort& port, const LanePlaces& from, uint64_t exec, VectorRegister* rows) {
  constexpr uint32_t kBytes = bytes_of(load);
  const unsigned lanes = whole_wave(exec);
  if (lanes == 0) return false;
  if (may_be_contiguous(from.low, kBytes, lanes) && are_contiguous(from.low, from.high, kBytes, lanes)) {
    const uint8_t* const at = port.check_contiguous(from.common() + from.low[0], kBytes, lanes, AccessKind::kLoad);
    if (at) load_array_of<load>(rows, at, lanes);
    return at != nullptr;
  }
  LaneRows parts;
  if (!find_rows(from.low, from.high, kBytes, lanes, parts)) return false;
  if (!port.check_rows(from.common(), parts, kBytes, lanes, AccessKind::kLoad)) return false;
  load_rows_of<load>(rows, from.common_host(), parts, lanes);
  return true;
}

template <Store store>
inline bool store_whole_wave(MemoryPort& port, const LanePlaces& to, uint64_t exec, const VectorRegister* rows) {
  constexpr uint32_t kBytes = bytes_of(store);
  const unsigned lanes = whole_wave(exec);
  if (lanes == 0) return false;
  if (may_be_contiguous(to.low, kBytes, lanes) && are_contiguous(to.low, to.high, kBytes, lanes)) {
    uint8_t* const at = port.check_contiguous(to.common() + to.low[0], kBytes, lanes, AccessKind::kStore);
    if (at) store_array_of<store>(rows, at, lanes);
    return at != nullptr;
  }
  LaneRows parts;
  if (!find_rows(to.low, to.high, kBytes, lanes, parts)) return false;
  if (!port.check_rows(to.common(), parts, kBytes, lanes, AccessKind::kStore)) return false;
  store_rows_of<store>(rows, to.common_host(), parts, lanes);
  return true;
}

}  // namespace kernloop::softgpu
