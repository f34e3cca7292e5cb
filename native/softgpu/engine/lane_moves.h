// Loads and stores of dwords for 64 lanes whose addresses have been checked. Lanes come in groups of 16: those that lie
// side by side, or that all want the same place, take one access (tiles and broadcasts are what most kernels do).
// Registers are written as wide as vector instructions read them: a host waits for narrow stores that a wide load
// meets.
#pragma once

#include <cstddef>
#include <cstdint>

#include "softgpu/engine/wave.h"

namespace kernloop::softgpu {

// rows[k][lane] = dword k at base + offsets[lane]. `offsets` may be one of the rows.
void load_dwords(VectorRegister* rows, const uint8_t* base, const uint32_t* offsets, uint64_t lanes, unsigned dwords);
// The same from one address a lane; `dwords` 1.
void load_dword(VectorRegister& row, const uint64_t* addresses, uint64_t lanes);
// The dword at base + offsets[lane] = row[lane]; of lanes that store to one place the highest wins.
void store_dword(const VectorRegister& row, uint8_t* base, const uint32_t* offsets, uint64_t lanes);
void store_dword(const VectorRegister& row, const uint64_t* addresses, uint64_t lanes);

// row[lane] = element `lane` of an array of unsigned numbers of 1 or 2 bytes.
void load_narrow(VectorRegister& row, const uint8_t* from, unsigned bytes, unsigned lanes = 64);
// rows[k][lane] = dword k of element `lane` of an array; and back. `lanes`: 32 or 64, of all these.
void load_array(VectorRegister* rows, const uint8_t* from, unsigned dwords, unsigned lanes = 64);
void store_array(const VectorRegister* rows, uint8_t* to, unsigned dwords, unsigned lanes = 64);

// `count`: a multiple of 16.
void fill_dwords(uint32_t* to, size_t count, uint32_t value);
void count_up(uint32_t* to, size_t count, uint32_t first);

}  // namespace kernloop::softgpu
