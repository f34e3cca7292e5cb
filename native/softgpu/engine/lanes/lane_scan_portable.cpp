#include "softgpu/engine/lanes/lane_scan_portable.h"

namespace kernloop::softgpu::portable {

#ifdef KERNLOOP_HOST_VARIANTS  // a test wants one of them
#elif defined(__SANITIZE_THREAD__)
#define KERNLOOP_HOST_VARIANTS  // the loader resolves variants before ThreadSanitizer is ready
#else
#define KERNLOOP_HOST_VARIANTS __attribute__((target_clones("default", "avx2")))
#endif

KERNLOOP_HOST_VARIANTS
LaneScan scan_lanes(const uint64_t* addresses, uint32_t bytes) {
  // Device addresses are below 2^63; any_bits shows if one is not. Signed minima are one instruction less.
  const auto* at = reinterpret_cast<const int64_t*>(addresses);
  int64_t lowest = at[0], highest = at[0];
  uint64_t any = 0, gap = 0, crossing = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    lowest = at[lane] < lowest ? at[lane] : lowest;
    highest = at[lane] > highest ? at[lane] : highest;
    any |= addresses[lane];
    gap |= addresses[lane] ^ (addresses[0] + uint64_t{lane} * bytes);
    crossing |= ((addresses[lane] & 63) + bytes - 1) >> 6;
  }
  int64_t changes = 0, descents = 0;
  for (unsigned lane = 0; lane + 1 < kLanes; ++lane) {
    const int64_t line = at[lane] >> 6, next = at[lane + 1] >> 6;
    changes += line != next ? 1 : 0;
    descents += line > next ? 1 : 0;
  }
  return LaneScan{.lowest = static_cast<uint64_t>(lowest),
                  .highest = static_cast<uint64_t>(highest),
                  .any_bits = any,
                  .contiguous = gap == 0,
                  .lines_known = crossing == 0 && descents == 0,
                  .lines = static_cast<uint64_t>(changes) + 1};
}

KERNLOOP_HOST_VARIANTS
uint64_t count_group_lines(const uint64_t* addresses, unsigned shift) {
  constexpr unsigned kGroup = 16;
  uint64_t line[kLanes];
  for (unsigned lane = 0; lane < kLanes; ++lane) line[lane] = addresses[lane] >> shift;
  const auto differ = [](const uint64_t* one, const uint64_t* other) {
    uint64_t different = 0;
    for (unsigned lane = 0; lane < kGroup; ++lane) different |= one[lane] ^ other[lane];
    return different != 0;
  };
  uint64_t lines = 0, last = 0;  // the highest line yet
  for (unsigned group = 0; group < kLanes; group += kGroup) {
    const uint64_t* const at = line + group;
    if (group >= kGroup && !differ(at, at - kGroup)) continue;
    if (group >= 2 * kGroup && !differ(at, at - 2 * kGroup)) continue;
    uint64_t changes = 0, descents = 0;
    for (unsigned lane = 0; lane + 1 < kGroup; ++lane) {
      changes += at[lane] != at[lane + 1] ? 1 : 0;
      descents += at[lane] > at[lane + 1] ? 1 : 0;
    }
    if (descents != 0 || at[0] < last) return 0;
    lines += changes + (group == 0 || at[0] != last ? 1 : 0);
    last = at[kGroup - 1];
  }
  return lines;
}

KERNLOOP_HOST_VARIANTS
unsigned count_near_lines(const uint64_t* addresses, uint32_t bytes, unsigned shift, uint64_t first) {
  uint64_t touched = 0;  // a bit a line
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    touched |= uint64_t{1} << ((addresses[lane] >> shift) - first);
    touched |= uint64_t{1} << (((addresses[lane] + bytes - 1) >> shift) - first);
  }
  return static_cast<unsigned>(__builtin_popcountll(touched));
}

KERNLOOP_HOST_VARIANTS
void join_addresses(const uint32_t* low, const uint32_t* high, uint64_t offset, uint64_t* out) {
  for (unsigned lane = 0; lane < kLanes; ++lane) out[lane] = (low[lane] | uint64_t{high[lane]} << 32) + offset;
}

KERNLOOP_HOST_VARIANTS
OffsetScan scan_offsets(const uint32_t* offsets, uint64_t lanes, uint32_t bytes) {
  uint32_t highest = 0, any = 0, gap = 0;
  if (lanes == ~uint64_t{0}) {
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      highest = offsets[lane] > highest ? offsets[lane] : highest;
      any |= offsets[lane];
      gap |= offsets[lane] ^ (offsets[0] + lane * bytes);
    }
    return OffsetScan{.highest = highest, .any_bits = any, .contiguous = gap == 0};
  }
  for (unsigned half = 0; half < 2; ++half) {
    const auto active = static_cast<uint32_t>(lanes >> (32 * half));
    for (unsigned lane = 0; lane < 32; ++lane) {
      const uint32_t offset = offsets[32 * half + lane] & (0u - (active >> lane & 1));
      highest = offset > highest ? offset : highest;
      any |= offset;
    }
  }
  return OffsetScan{.highest = highest, .any_bits = any, .contiguous = false};
}

KERNLOOP_HOST_VARIANTS
bool are_contiguous(const uint32_t* low, const uint32_t* high, uint32_t bytes, unsigned lanes) {
  uint32_t gap = 0;
  for (unsigned lane = 0; lane < lanes; ++lane) {
    gap |= low[lane] ^ (low[0] + lane * bytes);
    gap |= high[lane] ^ high[0];
  }
  return gap == 0 && uint64_t{low[0]} + uint64_t{bytes} * lanes <= 0xffffffffu;
}

KERNLOOP_HOST_VARIANTS
bool find_rows(const uint32_t* low, const uint32_t* high, uint32_t bytes, unsigned lanes, LaneRows& rows) {
  constexpr unsigned kGroup = 16;
  rows.side_by_side = 0;
  for (unsigned group = 0; group < lanes; group += kGroup) {
    const uint32_t* const at = low + group;
    uint32_t differs = 0, gap = 0;
    for (unsigned lane = 0; lane < kGroup; ++lane) {
      differs |= at[lane] ^ at[0];
      gap |= at[lane] ^ (at[0] + lane * bytes);
    }
    if (differs != 0 && gap != 0) return false;
    if (uint64_t{at[0]} + uint64_t{bytes} * kGroup > 0xffffffffu) return false;
    rows.first[group / kGroup] = at[0];
    if (gap == 0) rows.side_by_side = static_cast<uint8_t>(rows.side_by_side | 1u << group / kGroup);
  }
  uint32_t other_high = 0;
  for (unsigned lane = 0; high && lane < lanes; ++lane) other_high |= high[lane] ^ high[0];
  return other_high == 0;
}

bool are_within(const uint32_t* offsets, uint64_t lanes, uint32_t limit, uint32_t forbidden) {
  const OffsetScan scan = scan_offsets(offsets, lanes, 1);
  return scan.highest <= limit && (scan.any_bits & forbidden) == 0;
}

void fill_inactive(uint64_t* addresses, uint64_t lanes) {
  uint64_t previous = addresses[__builtin_ctzll(lanes)];
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    previous = (lanes >> lane & 1) ? addresses[lane] : previous;
    addresses[lane] = previous;
  }
}

KERNLOOP_HOST_VARIANTS
void offset_addresses(uint64_t base, const uint32_t* low, uint64_t* out) {
  for (unsigned lane = 0; lane < kLanes; ++lane) out[lane] = base + low[lane];
}

}  // namespace kernloop::softgpu::portable
