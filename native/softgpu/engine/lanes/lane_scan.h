// Facts about the addresses of 64 lanes, found in a few vector instructions (AVX-512 or AVX2 if the host has it).
#pragma once

#include <cstdint>

namespace kernloop::softgpu {

struct LaneScan {
  uint64_t lowest = 0, highest = 0;
  uint64_t any_bits = 0;     // all addresses or-ed together
  bool contiguous = false;   // address of lane k is lane 0's plus k * bytes
  bool lines_known = false;  // no lane crosses a 64-byte line and lines never descend, so that `lines` is their number
  uint64_t lines = 0;
};

// Every lane counts: call fill_inactive first if some are not active.
LaneScan scan_lanes(const uint64_t* addresses, uint32_t bytes);

// Distinct lines of 2^shift bytes among the addresses, or 0 if it does not find them: each group of 16 lanes must have
// the lines of one of the two groups before it, lane by lane, or lines that do not descend and begin behind all that
// came before. Operands of matrices have such addresses: some lanes read one part of each row, others the next part.
uint64_t count_group_lines(const uint64_t* addresses, unsigned shift);

// Distinct lines of 2^shift bytes that elements of `bytes`, at most a line, touch: all within 64 lines from `first` on.
unsigned count_near_lines(const uint64_t* addresses, uint32_t bytes, unsigned shift, uint64_t first);

// Gives each inactive lane the address of the active lane before it (the first active one for those in front).
void fill_inactive(uint64_t* addresses, uint64_t lanes);

// out[k] = (low[k] | high[k] << 32) + offset, and base + low[k].
void join_addresses(const uint32_t* low, const uint32_t* high, uint64_t offset, uint64_t* out);
void offset_addresses(uint64_t base, const uint32_t* low, uint64_t* out);

// Whether the address of each of the first 32 or 64 lanes, low[k] | high[k] << 32 (low[k] alone without `high`), is
// lane 0's plus k * bytes, with no carry out of the low half.
bool are_contiguous(const uint32_t* low, const uint32_t* high, uint32_t bytes, unsigned lanes = 64);

// Groups of 16 lanes, as tiles and broadcasts have them: the lanes of each access one place, or elements side by side.
struct LaneRows {
  uint32_t first[4];     // of the first lane of each group: the low half of its address
  uint8_t side_by_side;  // a bit a group
};

// Whether the first 32 or 64 lanes are such rows of one high half (as in are_contiguous), with no carry out of the low
// half.
bool find_rows(const uint32_t* low, const uint32_t* high, uint32_t bytes, unsigned lanes, LaneRows& rows);

// Offsets of active lanes, low[lane] + first.
struct PlaceScan {
  uint32_t lowest = 0, highest = 0;
  bool is_aligned = false;  // to the bytes of an element, a power of two
  uint32_t lines = 0;       // distinct lines of 64 bytes
};

// False if it does not find them. It does on hosts with AVX-512, if high[lane] of all active lanes is the same (or
// `high` is nullptr), no sum or end of `bytes` leaves 32 bits, and offsets never descend, are less than 64 lines apart,
// or as count_group_lines() wants them. At least one lane is active.
bool scan_places(const uint32_t* low, const uint32_t* high, uint32_t first, uint64_t lanes, uint32_t bytes,
                 PlaceScan& scan);

struct OffsetScan {
  uint32_t highest = 0;
  uint32_t any_bits = 0;
  bool contiguous = false;  // all 64 lanes
};

// Whether no active lane's offset is above the limit or has one of the forbidden bits.
bool are_within(const uint32_t* offsets, uint64_t lanes, uint32_t limit, uint32_t forbidden = 0);

// 32-bit offsets; inactive lanes are ignored.
OffsetScan scan_offsets(const uint32_t* offsets, uint64_t lanes, uint32_t bytes);

}  // namespace kernloop::softgpu
