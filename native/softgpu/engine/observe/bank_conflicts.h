// Bank conflicts of LDS: a model, from what AMD has published. It was not compared with hardware.
//
// LDS has 32 banks of 4 bytes (gfx90a). In one pass each bank serves one dword, to all lanes that access it. The lanes
// of an instruction are served in groups; a group takes as many passes as the bank with the most different dwords has
// of them. The lanes of a group depend on the bytes a lane (4: AMD OpenCL programming guide, "Local Memory (LDS)
// Optimization"; 16: Composable Kernel documentation, "LDS bank conflicts"):
//   up to 4    lanes 0..31, 32..63
//   8          16 lanes in order, so that a sequence of 64-bit elements has no conflicts
//   12, 16     8 lanes: stores in order; loads 0..3 with 20..23, 4..7 with 16..19, 8..11 with 28..31, 12..15 with
//              24..27, and so on from lane 32 (12 bytes: an assumption)
// An instruction with two addresses is one access of twice the width if they are neighbours, and two accesses otherwise
// (an assumption, by which neither ds_read2_b32 offset1:1 nor ds_read2st64_b32 conflicts with itself).
// Atomics of several lanes on one dword take a pass each: address conflicts.
#pragma once

#include <cstdint>

namespace kernloop::softgpu {

struct LdsPasses {
  uint64_t passes = 0;
  uint64_t bank_conflicts = 0;     // passes beyond one a group, because of different dwords in one bank
  uint64_t address_conflicts = 0;  // passes because of atomics on one dword
};

enum class LdsUse : uint8_t { kLoad, kStore, kAtomic };

// `bytes` (1..16) at offsets[lane] + immediate, for the lanes of the mask.
LdsPasses count_lds_passes(const uint32_t* offsets, uint32_t immediate, uint64_t lanes, uint32_t bytes, LdsUse use);

}  // namespace kernloop::softgpu
