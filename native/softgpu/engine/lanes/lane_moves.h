// Loads and stores of dwords for 64 lanes whose addresses have been checked. Lanes are processed in groups of 16: if
// their addresses are adjacent, or all the same, the group takes one access (most kernels use tiles and broadcasts).
// Registers are written as wide as vector instructions read them: a host stalls when a wide load meets narrow stores.
#pragma once

#include <cstddef>
#include <cstdint>

#include "softgpu/engine/lanes/lane_scan.h"
#include "softgpu/engine/lanes/vector_register.h"

namespace kernloop::softgpu {

// rows[k][lane] = dword k at base + offsets[lane]. `offsets` may be one of the rows.
void load_dwords(VectorRegister* rows, const uint8_t* base, const uint32_t* offsets, uint64_t lanes, unsigned dwords);
// The same from one address a lane; `dwords` 1.
void load_dword(VectorRegister& row, const uint64_t* addresses, uint64_t lanes);
// The dword at base + offsets[lane] = row[lane]; if several lanes store to one address, the highest lane wins.
void store_dword(const VectorRegister& row, uint8_t* base, const uint32_t* offsets, uint64_t lanes);
void store_dword(const VectorRegister& row, const uint64_t* addresses, uint64_t lanes);

// Two registers and pairs of dwords, each in one access.
void load_pairs(VectorRegister* rows, const uint64_t* addresses, uint64_t lanes);
// Three registers and three dwords.
void load_triples(VectorRegister* rows, const uint64_t* addresses, uint64_t lanes);
// Four registers and words of 16 bytes, each in one access (whole_access.h); likewise of several stores to one address.
void load_words(VectorRegister* rows, const uint64_t* addresses, uint64_t lanes);
void store_words(const VectorRegister* rows, const uint64_t* addresses, uint64_t lanes);

// row[lane] = element `lane` of an array of unsigned numbers of 1 or 2 bytes.
void load_narrow(VectorRegister& row, const uint8_t* from, unsigned bytes, unsigned lanes = 64);
// rows[k][lane] = dword k of element `lane` of an array; and back. `lanes`: 32 or 64, all active.
void load_array(VectorRegister* rows, const uint8_t* from, unsigned dwords, unsigned lanes = 64);
void store_array(const VectorRegister* rows, uint8_t* to, unsigned dwords, unsigned lanes = 64);

// The same by rows of lanes; base + from.first[k] is the address of the first lane of group k. store_rows: all of them
// side by side.
void load_rows(VectorRegister* rows, const uint8_t* base, const LaneRows& from, unsigned dwords, unsigned lanes);
void store_rows(const VectorRegister* rows, uint8_t* base, const LaneRows& to, unsigned dwords, unsigned lanes);

// out[lane] = data[from[lane] % 64] for each lane of the mask; 0 if that lane is in the mask not. May be the same rows.
void pull_lanes(VectorRegister& out, const VectorRegister& data, const uint32_t* from, uint64_t lanes);

// `count`: a multiple of 16.
void fill_dwords(uint32_t* to, size_t count, uint32_t value);
void count_up(uint32_t* to, size_t count, uint32_t first);

}  // namespace kernloop::softgpu
