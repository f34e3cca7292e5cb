// Private (scratch) memory: one offset a lane, swizzled by WaveScratch.
#pragma once

#include "softgpu/engine/access/select.h"

namespace kernloop::softgpu {

// Aligned accesses go straight to their addresses; straddling ones pass through a staging area, because consecutive
// dwords of a lane are 256 bytes apart.
struct PrivateStaging {
  alignas(64) uint8_t bytes[kLanes][16];
};

inline bool within_dwords(const LaneAddresses& offsets, uint64_t lanes, uint32_t bytes) {
  if (bytes > 4) return false;
  bool within = true;
  for_lanes(lanes, [&](unsigned lane) { within &= (offsets.at[lane] & 3) + bytes <= 4; });
  return within;
}

// Turns checked offsets into host pointers.
inline void locate_private(const WaveScratch& scratch, LaneAddresses& offsets, uint64_t lanes) {
  for_lanes(lanes, [&](unsigned lane) {
    offsets.at[lane] = reinterpret_cast<uint64_t>(scratch.at(static_cast<uint32_t>(offsets.at[lane]), lane));
  });
}

inline void locate_staging(PrivateStaging& staging, LaneAddresses& addresses) {
  for (unsigned lane = 0; lane < kLanes; ++lane) addresses.at[lane] = reinterpret_cast<uint64_t>(staging.bytes[lane]);
}

inline void stage_in(const WaveScratch& scratch, const LaneAddresses& offsets, uint64_t lanes, uint32_t bytes,
                     PrivateStaging& staging) {
  for_lanes(lanes, [&](unsigned lane) {
    for (uint32_t k = 0; k < bytes; ++k)
      staging.bytes[lane][k] = *scratch.at(static_cast<uint32_t>(offsets.at[lane]) + k, lane);
  });
}

inline void stage_out(const WaveScratch& scratch, const LaneAddresses& offsets, uint64_t lanes, uint32_t bytes,
                      const PrivateStaging& staging) {
  for_lanes(lanes, [&](unsigned lane) {
    for (uint32_t k = 0; k < bytes; ++k)
      *scratch.at(static_cast<uint32_t>(offsets.at[lane]) + k, lane) = staging.bytes[lane][k];
  });
}

inline bool are_dword_aligned(const LaneAddresses& offsets, uint64_t lanes) {
  uint64_t low_bits = 0;
  for_lanes(lanes, [&](unsigned lane) { low_bits |= offsets.at[lane]; });
  return (low_bits & 3) == 0;
}

template <Load load>
void private_load(Wave& wave, LaneAddresses& offsets, uint64_t lanes, VectorRegister* rows) {
  constexpr uint32_t kBytes = bytes_of(load);
  ++wave.memory->counters.scratch;
  wave.memory->check_private(wave, offsets, lanes, kBytes, AccessKind::kLoad);
  const WaveScratch& scratch = static_cast<WaveSlot&>(wave).scratch;
  offsets.contiguous = false;
  if (within_dwords(offsets, lanes, kBytes)) {
    locate_private(scratch, offsets, lanes);
    load_lanes<load>(rows, offsets, lanes);
  } else if (kBytes >= 4 && are_dword_aligned(offsets, lanes)) {
    for_lanes(lanes, [&](unsigned lane) {
      const uint8_t* at = scratch.at(static_cast<uint32_t>(offsets.at[lane]), lane);
      for (unsigned k = 0; k < dwords_of(load); ++k) std::memcpy(&rows[k][lane], at + 256 * k, 4);
    });
  } else {
    PrivateStaging staging;
    stage_in(scratch, offsets, lanes, kBytes, staging);
    LaneAddresses staged;
    locate_staging(staging, staged);
    load_lanes<load>(rows, staged, lanes);
  }
}

template <Store store>
void private_store(Wave& wave, LaneAddresses& offsets, uint64_t lanes, const VectorRegister* rows) {
  constexpr uint32_t kBytes = bytes_of(store);
  ++wave.memory->counters.scratch;
  wave.memory->check_private(wave, offsets, lanes, kBytes, AccessKind::kStore);
  const WaveScratch& scratch = static_cast<WaveSlot&>(wave).scratch;
  offsets.contiguous = false;
  if (within_dwords(offsets, lanes, kBytes)) {
    locate_private(scratch, offsets, lanes);
    store_lanes<store>(rows, offsets, lanes);
  } else if (kBytes >= 4 && are_dword_aligned(offsets, lanes)) {
    for_lanes(lanes, [&](unsigned lane) {
      uint8_t* at = scratch.at(static_cast<uint32_t>(offsets.at[lane]), lane);
      for (unsigned k = 0; k < dwords_of(store); ++k) std::memcpy(at + 256 * k, &rows[k][lane], 4);
    });
  } else {
    PrivateStaging staging;
    LaneAddresses staged;
    locate_staging(staging, staged);
    store_lanes<store>(rows, staged, lanes);
    stage_out(scratch, offsets, lanes, kBytes, staging);
  }
}

template <Atomic atomic, typename T>
void private_atomic(Wave& wave, LaneAddresses& offsets, uint64_t lanes, const VectorRegister* data,
                    const VectorRegister* second, VectorRegister* result, AtomicMode mode) {
  ++wave.memory->counters.scratch;
  wave.memory->check_private(wave, offsets, lanes, sizeof(T), AccessKind::kAtomic);
  const WaveScratch& scratch = static_cast<WaveSlot&>(wave).scratch;
  PrivateStaging staging;
  stage_in(scratch, offsets, lanes, sizeof(T), staging);
  LaneAddresses staged;
  locate_staging(staging, staged);
  modify_lanes<atomic, T, false>(staged, lanes, data, second, result, mode);
  stage_out(scratch, offsets, lanes, sizeof(T), staging);
}

}  // namespace kernloop::softgpu
