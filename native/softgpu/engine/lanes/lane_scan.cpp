// Picks the forms that this host can run.
#include "softgpu/engine/lanes/lane_scan.h"

#include "softgpu/engine/lanes/host_avx512.h"
#include "softgpu/engine/lanes/lane_scan_portable.h"

namespace kernloop::softgpu {

LaneScan scan_lanes(const uint64_t* addresses, uint32_t bytes) {
  return avx512::host_has() ? avx512::scan_lanes(addresses, bytes) : portable::scan_lanes(addresses, bytes);
}

uint64_t count_group_lines(const uint64_t* addresses, unsigned shift) {
  return avx512::host_has() ? avx512::count_group_lines(addresses, shift)
                            : portable::count_group_lines(addresses, shift);
}

unsigned count_near_lines(const uint64_t* addresses, uint32_t bytes, unsigned shift, uint64_t first) {
  return portable::count_near_lines(addresses, bytes, shift, first);
}

void fill_inactive(uint64_t* addresses, uint64_t lanes) {
  if (avx512::host_has()) return avx512::fill_inactive(addresses, lanes);
  portable::fill_inactive(addresses, lanes);
}

void join_addresses(const uint32_t* low, const uint32_t* high, uint64_t offset, uint64_t* out) {
  if (avx512::host_has()) return avx512::join_addresses(low, high, offset, out);
  portable::join_addresses(low, high, offset, out);
}

void offset_addresses(uint64_t base, const uint32_t* low, uint64_t* out) {
  portable::offset_addresses(base, low, out);
}

bool are_contiguous(const uint32_t* low, const uint32_t* high, uint32_t bytes, unsigned lanes) {
  if (avx512::host_has()) return avx512::are_contiguous(low, high, bytes, lanes);
  static constexpr VectorRegister kZero = {};
  return portable::are_contiguous(low, high ? high : kZero, bytes, lanes);
}

bool find_rows(const uint32_t* low, const uint32_t* high, uint32_t bytes, unsigned lanes, LaneRows& rows) {
  return avx512::host_has() ? avx512::find_rows(low, high, bytes, lanes, rows)
                            : portable::find_rows(low, high, bytes, lanes, rows);
}

bool are_within(const uint32_t* offsets, uint64_t lanes, uint32_t limit, uint32_t forbidden) {
  return avx512::host_has() ? avx512::are_within(offsets, lanes, limit, forbidden)
                            : portable::are_within(offsets, lanes, limit, forbidden);
}

bool scan_places(const uint32_t* low, const uint32_t* high, uint32_t first, uint64_t lanes, uint32_t bytes,
                 PlaceScan& scan) {
  return avx512::host_has() && avx512::scan_places(low, high, first, lanes, bytes, scan);
}

OffsetScan scan_offsets(const uint32_t* offsets, uint64_t lanes, uint32_t bytes) {
  return avx512::host_has() ? avx512::scan_offsets(offsets, lanes, bytes)
                            : portable::scan_offsets(offsets, lanes, bytes);
}

}  // namespace kernloop::softgpu
