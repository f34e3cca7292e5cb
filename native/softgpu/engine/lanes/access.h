// Accesses of lanes: how, and at which addresses.
#pragma once

#include <cstdint>

#include "softgpu/engine/lanes/vector_register.h"

namespace kernloop::softgpu {

enum class AccessKind : uint8_t { kLoad, kStore, kAtomic };

// One address a lane: a device address at first; after MemoryPort's check the host's pointer to the same byte.
struct LaneAddresses {
  alignas(64) uint64_t at[kLanes];
  // All 64 lanes are active and access one contiguous range in lane order.
  bool contiguous = false;
  // All active lanes access one place.
  bool uniform = false;

  uint8_t* host(unsigned lane) const { return reinterpret_cast<uint8_t*>(at[lane]); }
};

// A checked access to LDS.
struct LdsAccess {
  uint8_t* base;
  const uint32_t* offsets;  // a vector register

  uint8_t* host(unsigned lane) const { return base + offsets[lane]; }
};

// Calls f(lane) for each lane of the mask in ascending order.
template <typename F>
inline void for_lanes(uint64_t lanes, F&& f) {
  if (lanes == ~uint64_t{0}) {
    for (unsigned lane = 0; lane < kLanes; ++lane) f(lane);
  } else {
    for (; lanes != 0; lanes &= lanes - 1) f(static_cast<unsigned>(__builtin_ctzll(lanes)));
  }
}

}  // namespace kernloop::softgpu
