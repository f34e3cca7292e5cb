// The AVX-512 forms of lane_scan.h and lane_moves.h: compiled for x86-64-v4, called only if the host has it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "softgpu/engine/lanes/lane_scan.h"
#include "softgpu/engine/lanes/vector_register.h"

namespace kernloop::softgpu::avx512 {

LaneScan scan_lanes(const uint64_t* addresses, uint32_t bytes);
uint64_t count_group_lines(const uint64_t* addresses, unsigned shift);
void fill_inactive(uint64_t* addresses, uint64_t lanes);
bool scan_places(const uint32_t* low, const uint32_t* high, uint32_t first, uint64_t lanes, uint32_t bytes,
                 PlaceScan& scan);
OffsetScan scan_offsets(const uint32_t* offsets, uint64_t lanes, uint32_t bytes);
bool are_within(const uint32_t* offsets, uint64_t lanes, uint32_t limit, uint32_t forbidden);
bool are_contiguous(const uint32_t* low, const uint32_t* high, uint32_t bytes, unsigned lanes);
bool find_rows(const uint32_t* low, const uint32_t* high, uint32_t bytes, unsigned lanes, LaneRows& rows);
void join_addresses(const uint32_t* low, const uint32_t* high, uint64_t offset, uint64_t* out);
void load_dwords(VectorRegister* rows, const uint8_t* base, const uint32_t* offsets, uint64_t lanes, unsigned dwords);
void load_dword(VectorRegister& row, const uint64_t* addresses, uint64_t lanes);
void store_dword(const VectorRegister& row, uint8_t* base, const uint32_t* offsets, uint64_t lanes);
void store_dword(const VectorRegister& row, const uint64_t* addresses, uint64_t lanes);
void load_pairs(VectorRegister* rows, const uint64_t* addresses, uint64_t lanes);
void load_words(VectorRegister* rows, const uint64_t* addresses, uint64_t lanes);
void load_triples(VectorRegister* rows, const uint64_t* addresses, uint64_t lanes);
void store_words(const VectorRegister* rows, const uint64_t* addresses, uint64_t lanes);
void load_array(VectorRegister* rows, const uint8_t* from, unsigned dwords, unsigned lanes);
void store_array(const VectorRegister* rows, uint8_t* to, unsigned dwords, unsigned lanes);
void load_rows(VectorRegister* rows, const uint8_t* base, const LaneRows& from, unsigned dwords, unsigned lanes);
void store_rows(const VectorRegister* rows, uint8_t* base, const LaneRows& to, unsigned dwords, unsigned lanes);
void load_narrow(VectorRegister& row, const uint8_t* from, unsigned bytes, unsigned lanes);
void pull_lanes(VectorRegister& out, const VectorRegister& data, const uint32_t* from, uint64_t lanes);
void fill_dwords(uint32_t* to, size_t count, uint32_t value);
void count_up(uint32_t* to, size_t count, uint32_t first);

inline bool host_has() {
  static const bool has = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                          __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                          __builtin_cpu_supports("avx512vl");
  return has;
}

}  // namespace kernloop::softgpu::avx512
