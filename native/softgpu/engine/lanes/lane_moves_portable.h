// The forms of lane_moves.h for every host.
#pragma once

#include "softgpu/engine/lanes/lane_scan.h"
#include "softgpu/engine/lanes/vector_register.h"

namespace kernloop::softgpu::portable {

void load_dwords(VectorRegister* rows, const uint8_t* base, const uint32_t* offsets, uint64_t lanes, unsigned dwords);
void load_dword(VectorRegister& row, const uint64_t* addresses, uint64_t lanes);
void store_dword(const VectorRegister& row, uint8_t* base, const uint32_t* offsets, uint64_t lanes);
void store_dword(const VectorRegister& row, const uint64_t* addresses, uint64_t lanes);
void load_pairs(VectorRegister* rows, const uint64_t* addresses, uint64_t lanes);
void load_words(VectorRegister* rows, const uint64_t* addresses, uint64_t lanes);
void load_triples(VectorRegister* rows, const uint64_t* addresses, uint64_t lanes);
void store_words(const VectorRegister* rows, const uint64_t* addresses, uint64_t lanes);
void load_narrow(VectorRegister& row, const uint8_t* from, unsigned bytes, unsigned lanes = 64);
void load_array(VectorRegister* rows, const uint8_t* from, unsigned dwords, unsigned lanes = 64);
void store_array(const VectorRegister* rows, uint8_t* to, unsigned dwords, unsigned lanes = 64);
void load_rows(VectorRegister* rows, const uint8_t* base, const LaneRows& from, unsigned dwords, unsigned lanes);
void store_rows(const VectorRegister* rows, uint8_t* base, const LaneRows& to, unsigned dwords, unsigned lanes);
void pull_lanes(VectorRegister& out, const VectorRegister& data, const uint32_t* from, uint64_t lanes);

}  // namespace kernloop::softgpu::portable
