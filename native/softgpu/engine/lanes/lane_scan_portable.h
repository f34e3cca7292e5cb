// Portable forms of lane_scan.h, in AVX2 on hosts that have it.
#pragma once

#include "softgpu/engine/lanes/lane_scan.h"
#include "softgpu/engine/lanes/vector_register.h"

namespace kernloop::softgpu::portable {

LaneScan scan_lanes(const uint64_t* addresses, uint32_t bytes);
uint64_t count_group_lines(const uint64_t* addresses, unsigned shift);
unsigned count_near_lines(const uint64_t* addresses, uint32_t bytes, unsigned shift, uint64_t first);
void fill_inactive(uint64_t* addresses, uint64_t lanes);
void join_addresses(const uint32_t* low, const uint32_t* high, uint64_t offset, uint64_t* out);
void offset_addresses(uint64_t base, const uint32_t* low, uint64_t* out);
bool are_contiguous(const uint32_t* low, const uint32_t* high, uint32_t bytes, unsigned lanes = 64);
bool find_rows(const uint32_t* low, const uint32_t* high, uint32_t bytes, unsigned lanes, LaneRows& rows);
bool are_within(const uint32_t* offsets, uint64_t lanes, uint32_t limit, uint32_t forbidden = 0);
OffsetScan scan_offsets(const uint32_t* offsets, uint64_t lanes, uint32_t bytes);

}  // namespace kernloop::softgpu::portable
