// Compiled with -march=x86-64-v4: none of this may be inlined or linked into code for other hosts, so it uses no
// templates or inline functions of others.
#include "softgpu/engine/lanes/host_avx512.h"

#include <immintrin.h>

namespace kernloop::softgpu::avx512 {

namespace {

constexpr unsigned kGroup = 16;

__m512i lane_numbers() {
  return _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}
__m512i wide_lane_numbers() {
  return _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
}
__mmask16 active(uint64_t lanes, unsigned group) {
  return static_cast<__mmask16>(lanes >> group);
}
uint32_t dword_at(const uint8_t* at) {
  uint32_t value;
  __builtin_memcpy(&value, at, 4);
  return value;
}
// A blend and a whole store: masked stores are slow on some hosts.
void write(uint32_t* row, __m512i values, __mmask16 mask) {
  _mm512_storeu_si512(row, mask == 0xffff ? values : _mm512_mask_mov_epi32(_mm512_loadu_si512(row), mask, values));
}

enum class Pattern { kScattered, kUniform, kContiguous };

// Pattern of one group of offsets.
Pattern pattern_of(__m512i offsets, uint32_t first, __mmask16 mask, uint32_t bytes) {
  const __m512i distance = _mm512_sub_epi32(offsets, _mm512_set1_epi32(static_cast<int>(first)));
  if (_mm512_mask_test_epi32_mask(mask, distance, distance) == 0) return Pattern::kUniform;
  const __m512i expected = _mm512_mullo_epi32(lane_numbers(), _mm512_set1_epi32(static_cast<int>(bytes)));
  return mask == 0xffff && _mm512_cmpneq_epi32_mask(distance, expected) == 0 ? Pattern::kContiguous
                                                                             : Pattern::kScattered;
}

// Pattern of one group of addresses, active or not.
Pattern pattern_of(const uint64_t* addresses) {
  const __m512i first = _mm512_set1_epi64(static_cast<int64_t>(addresses[0]));
  const __m512i low = _mm512_sub_epi64(_mm512_loadu_si512(addresses), first);
  const __m512i high = _mm512_sub_epi64(_mm512_loadu_si512(addresses + 8), first);
  const __m512i either = _mm512_or_si512(low, high);
  if (_mm512_test_epi64_mask(either, either) == 0) return Pattern::kUniform;
  const __m512i expected = _mm512_slli_epi64(wide_lane_numbers(), 2);
  const __m512i later = _mm512_add_epi64(expected, _mm512_set1_epi64(32));
  const bool contiguous = (_mm512_cmpneq_epi64_mask(low, expected) | _mm512_cmpneq_epi64_mask(high, later)) == 0;
  return contiguous ? Pattern::kContiguous : Pattern::kScattered;
}

}  // namespace

LaneScan scan_lanes(const uint64_t* addresses, uint32_t bytes) {
  __m512i at[kLanes / 8];
  for (unsigned k = 0; k < kLanes / 8; ++k) at[k] = _mm512_loadu_si512(addresses + 8 * k);
  __m512i lowest = at[0], highest = at[0], any = at[0];
  __m512i gap = _mm512_setzero_si512(), crossing = gap;
  const __m512i within = _mm512_set1_epi64(63), extent = _mm512_set1_epi64(bytes - 1);
  const __m512i step = _mm512_set1_epi64(int64_t{bytes} * 8);
  __m512i expected = _mm512_add_epi64(_mm512_set1_epi64(static_cast<int64_t>(addresses[0])),
                                      _mm512_mullo_epi64(wide_lane_numbers(), _mm512_set1_epi64(bytes)));
  unsigned changes = 0, descents = 0;
  for (unsigned k = 0; k < kLanes / 8; ++k) {
    lowest = _mm512_min_epi64(lowest, at[k]);
    highest = _mm512_max_epi64(highest, at[k]);
    any = _mm512_or_si512(any, at[k]);
    gap = _mm512_or_si512(gap, _mm512_xor_si512(at[k], expected));
    expected = _mm512_add_epi64(expected, step);
    crossing = _mm512_or_si512(crossing, _mm512_add_epi64(_mm512_and_si512(at[k], within), extent));
    const bool is_last = k + 1 == kLanes / 8;
    const __mmask8 followed = is_last ? 0x7f : 0xff;  // the last lane has no next one
    // From the registers: a host stalls when a load meets two stores that are under way.
    const __m512i next = _mm512_alignr_epi64(is_last ? at[k] : at[k + 1], at[k], 1);
    const __m512i line = _mm512_srai_epi64(at[k], 6), next_line = _mm512_srai_epi64(next, 6);
    changes += static_cast<unsigned>(__builtin_popcount(_mm512_mask_cmpneq_epi64_mask(followed, line, next_line)));
    descents |= _mm512_mask_cmpgt_epi64_mask(followed, line, next_line);
  }
  const __m512i crossed = _mm512_srli_epi64(crossing, 6);
  return LaneScan{.lowest = static_cast<uint64_t>(_mm512_reduce_min_epi64(lowest)),
                  .highest = static_cast<uint64_t>(_mm512_reduce_max_epi64(highest)),
                  .any_bits = static_cast<uint64_t>(_mm512_reduce_or_epi64(any)),
                  .contiguous = _mm512_test_epi64_mask(gap, gap) == 0,
                  .lines_known = _mm512_test_epi64_mask(crossed, crossed) == 0 && descents == 0,
                  .lines = uint64_t{changes} + 1};
}

void fill_inactive(uint64_t* addresses, uint64_t lanes) {
  const __m512i up_to = _mm512_setr_epi64(0x01, 0x03, 0x07, 0x0f, 0x1f, 0x3f, 0x7f, 0xff);
  const __m512i highest_bit = _mm512_set1_epi64(63);
  auto last = static_cast<unsigned>(__builtin_ctzll(lanes));  // active lane; at first the first one
  for (unsigned lane = 0; lane < kLanes; lane += 8) {
    const uint64_t here = lanes >> lane & 0xff;
    const __m512i active_before = _mm512_and_si512(_mm512_set1_epi64(static_cast<int64_t>(here)), up_to);
    // -1 if there is none, which is any lane of `previous`.
    const __m512i from = _mm512_sub_epi64(highest_bit, _mm512_lzcnt_epi64(active_before));
    const __m512i previous = _mm512_set1_epi64(static_cast<int64_t>(addresses[last]));
    _mm512_storeu_si512(addresses + lane,
                        _mm512_permutex2var_epi64(_mm512_loadu_si512(addresses + lane), from, previous));
    if (here != 0) last = lane + 63 - static_cast<unsigned>(__builtin_clzll(here));
  }
}

namespace {

// Distinct lines of offsets that are less than 64 lines apart; no element is longer than a line.
unsigned count_near_lines(const __m512i (&at)[kLanes / kGroup], uint32_t bytes, uint32_t lowest) {
  const __m512i one = _mm512_set1_epi64(1), first = _mm512_set1_epi32(static_cast<int>(lowest >> 6));
  __m512i touched = _mm512_setzero_si512();  // a bit a line
  const auto touch = [&](__m512i offsets) {
    const __m512i line = _mm512_sub_epi32(_mm512_srli_epi32(offsets, 6), first);
    const __m512i low = _mm512_cvtepu32_epi64(_mm512_castsi512_si256(line));
    const __m512i high = _mm512_cvtepu32_epi64(_mm512_extracti64x4_epi64(line, 1));
    touched = _mm512_or_si512(touched, _mm512_or_si512(_mm512_sllv_epi64(one, low), _mm512_sllv_epi64(one, high)));
  };
  for (const __m512i offsets : at) {
    touch(offsets);
    if (bytes > 1) touch(_mm512_add_epi32(offsets, _mm512_set1_epi32(static_cast<int>(bytes - 1))));
  }
  return static_cast<unsigned>(__builtin_popcountll(static_cast<uint64_t>(_mm512_reduce_or_epi64(touched))));
}

// As lane_scan.h says, of offsets none of which crosses the end of a line.
unsigned count_group_lines(const __m512i (&at)[kLanes / kGroup]) {
  __m512i line[kLanes / kGroup];
  unsigned lines = 0, last = 0;  // the highest line yet
  for (unsigned k = 0; k < kLanes / kGroup; ++k) {
    line[k] = _mm512_srli_epi32(at[k], 6);
    if (k >= 1 && _mm512_cmpneq_epi32_mask(line[k], line[k - 1]) == 0) continue;
    if (k >= 2 && _mm512_cmpneq_epi32_mask(line[k], line[k - 2]) == 0) continue;
    const __m512i next = _mm512_alignr_epi32(line[k], line[k], 1);
    const __mmask16 followed = 0x7fff;  // the last lane has no next one
    const auto first = static_cast<unsigned>(_mm_cvtsi128_si32(_mm512_castsi512_si128(line[k])));
    if (_mm512_mask_cmpgt_epu32_mask(followed, line[k], next) != 0 || first < last) return 0;
    const unsigned changes = _mm512_mask_cmpneq_epi32_mask(followed, line[k], next);
    lines += static_cast<unsigned>(__builtin_popcount(changes)) + (k == 0 || first != last ? 1u : 0u);
    last = static_cast<unsigned>(_mm_extract_epi32(_mm512_extracti32x4_epi32(line[k], 3), 3));
  }
  return lines;
}

}  // namespace

bool scan_places(const uint32_t* low, const uint32_t* high, uint32_t first, uint64_t lanes, uint32_t bytes,
                 PlaceScan& scan) {
  const auto first_lane = static_cast<unsigned>(__builtin_ctzll(lanes));
  auto last_lane = first_lane;  // active before the group
  const __m512i up_to = _mm512_setr_epi32(0x0001, 0x0003, 0x0007, 0x000f, 0x001f, 0x003f, 0x007f, 0x00ff, 0x01ff,
                                          0x03ff, 0x07ff, 0x0fff, 0x1fff, 0x3fff, 0x7fff, 0xffff);
  const __m512i first_high = _mm512_set1_epi32(static_cast<int>(high ? high[first_lane] : 0));
  unsigned other_high = 0;
  __m512i at[kLanes / kGroup];
  for (unsigned k = 0; k < kLanes / kGroup; ++k) {
    const unsigned group = kGroup * k;
    const __mmask16 mask = active(lanes, group);
    at[k] = _mm512_loadu_si512(low + group);
    if (high) other_high |= _mm512_mask_cmpneq_epi32_mask(mask, _mm512_loadu_si512(high + group), first_high);
    if (mask != 0xffff) {  // inactive lanes are as the active one before them
      const __m512i active_before = _mm512_and_si512(_mm512_set1_epi32(mask), up_to);
      const __m512i from = _mm512_sub_epi32(_mm512_set1_epi32(31), _mm512_lzcnt_epi32(active_before));
      at[k] = _mm512_permutex2var_epi32(at[k], from, _mm512_set1_epi32(static_cast<int>(low[last_lane])));
    }
    at[k] = _mm512_add_epi32(at[k], _mm512_set1_epi32(static_cast<int>(first)));
    if (mask != 0) last_lane = group + 31 - static_cast<unsigned>(__builtin_clz(mask));
  }
  const __m512i within = _mm512_set1_epi32(63), extent = _mm512_set1_epi32(static_cast<int>(bytes - 1));
  __m512i crossing = _mm512_setzero_si512();
  unsigned changes = 0, descents = 0;
  for (unsigned k = 0; k < kLanes / kGroup; ++k) {
    crossing = _mm512_or_si512(crossing, _mm512_add_epi32(_mm512_and_si512(at[k], within), extent));
    const bool is_last = k + 1 == kLanes / kGroup;
    const __mmask16 followed = is_last ? 0x7fff : 0xffff;  // the last lane has no next one
    const __m512i next = _mm512_alignr_epi32(is_last ? at[k] : at[k + 1], at[k], 1);
    const __m512i line = _mm512_srli_epi32(at[k], 6), next_line = _mm512_srli_epi32(next, 6);
    changes += static_cast<unsigned>(__builtin_popcount(_mm512_mask_cmpneq_epi32_mask(followed, line, next_line)));
    descents |= _mm512_mask_cmpgt_epu32_mask(followed, at[k], next);
  }
  if (descents == 0) {
    scan.lowest = low[first_lane] + first;
    scan.highest = low[last_lane] + first;
  } else {
    scan.lowest =
        _mm512_reduce_min_epu32(_mm512_min_epu32(_mm512_min_epu32(at[0], at[1]), _mm512_min_epu32(at[2], at[3])));
    scan.highest =
        _mm512_reduce_max_epu32(_mm512_max_epu32(_mm512_max_epu32(at[0], at[1]), _mm512_max_epu32(at[2], at[3])));
  }
  // Sums that wrap around are below `first`.
  if (other_high != 0 || scan.lowest < first || scan.highest > 0xffffffffu - bytes) return false;
  const __m512i any = _mm512_or_si512(_mm512_or_si512(at[0], at[1]), _mm512_or_si512(at[2], at[3]));
  scan.is_aligned = _mm512_test_epi32_mask(any, extent) == 0;
  const __m512i crossed = _mm512_srli_epi32(crossing, 6);
  const bool crosses = _mm512_test_epi32_mask(crossed, crossed) != 0;
  scan.lines = changes + 1;
  if (!crosses && descents == 0) return true;
  const uint32_t more_lines = ((scan.highest + bytes - 1) >> 6) - (scan.lowest >> 6);
  if (more_lines >= 64) {
    scan.lines = crosses ? 0 : count_group_lines(at);
    return scan.lines != 0;
  }
  scan.lines = more_lines == 0 ? 1 : count_near_lines(at, crosses ? bytes : 1, scan.lowest);
  return true;
}

uint64_t count_group_lines(const uint64_t* addresses, unsigned shift) {
  const __m128i by = _mm_cvtsi32_si128(static_cast<int>(shift));
  __m512i low[kLanes / kGroup], high[kLanes / kGroup];
  uint64_t lines = 0, last = 0;  // the highest line yet
  for (unsigned group = 0; group < kLanes / kGroup; ++group) {
    const __m512i l = _mm512_srl_epi64(_mm512_loadu_si512(addresses + group * kGroup), by);
    const __m512i h = _mm512_srl_epi64(_mm512_loadu_si512(addresses + group * kGroup + 8), by);
    low[group] = l, high[group] = h;
    bool is_known = false;
    for (unsigned back = 1; back <= 2 && back <= group; ++back) {
      is_known |=
          (_mm512_cmpneq_epi64_mask(l, low[group - back]) | _mm512_cmpneq_epi64_mask(h, high[group - back])) == 0;
    }
    if (is_known) continue;
    const __m512i after_l = _mm512_alignr_epi64(h, l, 1), after_h = _mm512_alignr_epi64(h, h, 1);
    const __mmask8 followed = 0x7f;  // the last lane has no next one
    const unsigned descents =
        _mm512_cmpgt_epu64_mask(l, after_l) | unsigned{_mm512_mask_cmpgt_epu64_mask(followed, h, after_h)};
    const uint64_t first = addresses[group * kGroup] >> shift;
    if (descents != 0 || first < last) return 0;
    const unsigned changes = _mm512_cmpneq_epi64_mask(l, after_l) |
                             static_cast<unsigned>(_mm512_mask_cmpneq_epi64_mask(followed, h, after_h)) << 8;
    lines += static_cast<unsigned>(__builtin_popcount(changes)) + (group == 0 || first != last ? 1u : 0u);
    last = addresses[group * kGroup + kGroup - 1] >> shift;
  }
  return lines;
}

OffsetScan scan_offsets(const uint32_t* offsets, uint64_t lanes, uint32_t bytes) {
  __m512i highest = _mm512_setzero_si512(), any = highest, gap = highest;
  const __m512i step = _mm512_set1_epi32(static_cast<int>(bytes * kGroup));
  __m512i expected = _mm512_add_epi32(_mm512_set1_epi32(static_cast<int>(offsets[0])),
                                      _mm512_mullo_epi32(lane_numbers(), _mm512_set1_epi32(static_cast<int>(bytes))));
  for (unsigned lane = 0; lane < kLanes; lane += kGroup) {
    const __m512i at = _mm512_maskz_loadu_epi32(active(lanes, lane), offsets + lane);
    highest = _mm512_max_epu32(highest, at);
    any = _mm512_or_si512(any, at);
    gap = _mm512_or_si512(gap, _mm512_xor_si512(at, expected));
    expected = _mm512_add_epi32(expected, step);
  }
  return OffsetScan{.highest = static_cast<uint32_t>(_mm512_reduce_max_epu32(highest)),
                    .any_bits = static_cast<uint32_t>(_mm512_reduce_or_epi32(any)),
                    .contiguous = lanes == ~uint64_t{0} && _mm512_test_epi32_mask(gap, gap) == 0};
}

bool are_within(const uint32_t* offsets, uint64_t lanes, uint32_t limit, uint32_t forbidden) {
  const __m512i most = _mm512_set1_epi32(static_cast<int>(limit));
  const __m512i bits = _mm512_set1_epi32(static_cast<int>(forbidden));
  unsigned outside = 0;
  for (unsigned lane = 0; lane < kLanes; lane += kGroup) {
    const __m512i at = _mm512_loadu_si512(offsets + lane);
    outside |= _mm512_mask_cmpgt_epu32_mask(active(lanes, lane), at, most);
    outside |= _mm512_mask_test_epi32_mask(active(lanes, lane), at, bits);
  }
  return outside == 0;
}

bool are_contiguous(const uint32_t* low, const uint32_t* high, uint32_t bytes, unsigned lanes) {
  if (uint64_t{low[0]} + uint64_t{bytes} * lanes > 0xffffffffu) return false;
  __m512i gap = _mm512_setzero_si512();
  const __m512i step = _mm512_set1_epi32(static_cast<int>(bytes * kGroup));
  const __m512i first_high = _mm512_set1_epi32(static_cast<int>(high ? high[0] : 0));
  __m512i expected = _mm512_add_epi32(_mm512_set1_epi32(static_cast<int>(low[0])),
                                      _mm512_mullo_epi32(lane_numbers(), _mm512_set1_epi32(static_cast<int>(bytes))));
  for (unsigned lane = 0; lane < lanes; lane += kGroup) {
    gap = _mm512_or_si512(gap, _mm512_xor_si512(_mm512_loadu_si512(low + lane), expected));
    if (high) gap = _mm512_or_si512(gap, _mm512_xor_si512(_mm512_loadu_si512(high + lane), first_high));
    expected = _mm512_add_epi32(expected, step);
  }
  return _mm512_test_epi32_mask(gap, gap) == 0;
}

bool find_rows(const uint32_t* low, const uint32_t* high, uint32_t bytes, unsigned lanes, LaneRows& rows) {
  const __m512i steps = _mm512_mullo_epi32(lane_numbers(), _mm512_set1_epi32(static_cast<int>(bytes)));
  const __m512i first_high = _mm512_set1_epi32(static_cast<int>(high ? high[0] : 0));
  __m512i other_high = _mm512_setzero_si512();
  unsigned side_by_side = 0;
  for (unsigned group = 0; group < lanes; group += kGroup) {
    const uint32_t first = low[group];
    const __m512i distance =
        _mm512_sub_epi32(_mm512_loadu_si512(low + group), _mm512_set1_epi32(static_cast<int>(first)));
    const bool is_row = _mm512_cmpneq_epi32_mask(distance, steps) == 0;
    if (!is_row && _mm512_test_epi32_mask(distance, distance) != 0) return false;
    if (first > 0xffffffffu - bytes * kGroup) return false;
    if (high) other_high = _mm512_or_si512(other_high, _mm512_xor_si512(_mm512_loadu_si512(high + group), first_high));
    rows.first[group / kGroup] = first;
    side_by_side |= static_cast<unsigned>(is_row) << group / kGroup;
  }
  rows.side_by_side = static_cast<uint8_t>(side_by_side);
  return _mm512_test_epi32_mask(other_high, other_high) == 0;
}

void join_addresses(const uint32_t* low, const uint32_t* high, uint64_t offset, uint64_t* out) {
  const __m512i added = _mm512_set1_epi64(static_cast<int64_t>(offset));
  for (unsigned lane = 0; lane < kLanes; lane += 8) {
    const __m512i l = _mm512_cvtepu32_epi64(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(low + lane)));
    const __m512i h = _mm512_cvtepu32_epi64(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(high + lane)));
    _mm512_storeu_si512(out + lane, _mm512_add_epi64(_mm512_or_si512(l, _mm512_slli_epi64(h, 32)), added));
  }
}

namespace {

// Four registers of four words of 16 bytes: word j of register k becomes word k of register j.
void transpose_words(__m512i (&z)[4]) {
  const __m512i low01 = _mm512_shuffle_i32x4(z[0], z[1], 0x44), high01 = _mm512_shuffle_i32x4(z[0], z[1], 0xee);
  const __m512i low23 = _mm512_shuffle_i32x4(z[2], z[3], 0x44), high23 = _mm512_shuffle_i32x4(z[2], z[3], 0xee);
  z[0] = _mm512_shuffle_i32x4(low01, low23, 0x88);
  z[1] = _mm512_shuffle_i32x4(low01, low23, 0xdd);
  z[2] = _mm512_shuffle_i32x4(high01, high23, 0x88);
  z[3] = _mm512_shuffle_i32x4(high01, high23, 0xdd);
}

// Within the words j of four registers: dword i of register k becomes dword k of register i.
void transpose_dwords(__m512i (&z)[4]) {
  const __m512i low01 = _mm512_unpacklo_epi32(z[0], z[1]), high01 = _mm512_unpackhi_epi32(z[0], z[1]);
  const __m512i low23 = _mm512_unpacklo_epi32(z[2], z[3]), high23 = _mm512_unpackhi_epi32(z[2], z[3]);
  z[0] = _mm512_unpacklo_epi64(low01, low23);
  z[1] = _mm512_unpackhi_epi64(low01, low23);
  z[2] = _mm512_unpacklo_epi64(high01, high23);
  z[3] = _mm512_unpackhi_epi64(high01, high23);
}

// In one access (whole_access.h).
__m128i word_at(const uint8_t* at) {
  __m128i word;
  asm("vmovdqu %1, %0" : "=x"(word) : "m"(*reinterpret_cast<const uint8_t(*)[16]>(at)));
  return word;
}
void put_word(uint8_t* at, __m128i word) {
  asm("vmovdqu %1, %0" : "=m"(*reinterpret_cast<uint8_t(*)[16]>(at)) : "x"(word));
}

// Words of 16 bytes of 16 lanes, word(k) of lane + k. Registers are written when all are read.
template <unsigned dwords = 4, typename Word>
void load_words_of(VectorRegister* rows, unsigned lane, __mmask16 mask, Word word) {
  __m512i z[4];
  for (unsigned k = 0; k < 4; ++k) {
    const __m256i low = _mm256_inserti128_si256(_mm256_castsi128_si256(word(4 * k)), word(4 * k + 1), 1);
    const __m256i high = _mm256_inserti128_si256(_mm256_castsi128_si256(word(4 * k + 2)), word(4 * k + 3), 1);
    z[k] = _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
  }
  transpose_words(z);
  transpose_dwords(z);
  for (unsigned k = 0; k < dwords; ++k) write(rows[k] + lane, z[k], mask);
}

}  // namespace

void load_dwords(VectorRegister* rows, const uint8_t* base, const uint32_t* offsets, uint64_t lanes, unsigned dwords) {
  for (unsigned group = 0; group < kLanes; group += kGroup) {
    const __mmask16 mask = active(lanes, group);
    if (mask == 0) continue;
    const __m512i at = _mm512_loadu_si512(offsets + group);
    const uint32_t first = offsets[group + static_cast<unsigned>(__builtin_ctz(mask))];
    const Pattern pattern = pattern_of(at, first, mask, 4);
    if (dwords == 4 && mask == 0xffff && pattern == Pattern::kScattered) {
      load_words_of(rows, group, mask, [&](unsigned k) { return word_at(base + offsets[group + k]); });
      continue;
    }
    for (unsigned k = 0; k < dwords; ++k) {
      __m512i values;
      if (pattern == Pattern::kUniform) {
        values = _mm512_set1_epi32(static_cast<int>(dword_at(base + first + 4 * k)));
      } else if (pattern == Pattern::kContiguous) {
        values = _mm512_loadu_si512(base + first + 4 * k);
      } else {
        values = _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), mask, at, base + 4 * k, 1);
      }
      write(rows[k] + group, values, mask);
    }
  }
}

namespace {

// Dwords of 16 lanes: sooner than a gather.
__m512i dwords_at(const uint64_t* addresses) {
  const auto dword = [addresses](unsigned k) {
    return static_cast<int>(dword_at(reinterpret_cast<const uint8_t*>(addresses[k])));
  };
  const auto four = [&](unsigned k) {
    const __m128i two = _mm_insert_epi32(_mm_cvtsi32_si128(dword(k)), dword(k + 1), 1);
    return _mm_insert_epi32(_mm_insert_epi32(two, dword(k + 2), 2), dword(k + 3), 3);
  };
  const __m256i low = _mm256_inserti128_si256(_mm256_castsi128_si256(four(0)), four(4), 1);
  const __m256i high = _mm256_inserti128_si256(_mm256_castsi128_si256(four(8)), four(12), 1);
  return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
}

}  // namespace

void load_dword(VectorRegister& row, const uint64_t* addresses, uint64_t lanes) {
  for (unsigned group = 0; group < kLanes; group += kGroup) {
    const __mmask16 mask = active(lanes, group);
    const uint64_t* const at = addresses + group;
    const auto* first = reinterpret_cast<const uint8_t*>(at[0]);
    const Pattern pattern = mask == 0xffff ? pattern_of(at) : Pattern::kScattered;
    if (pattern == Pattern::kUniform) {
      _mm512_storeu_si512(row + group, _mm512_set1_epi32(static_cast<int>(dword_at(first))));
    } else if (pattern == Pattern::kContiguous) {
      _mm512_storeu_si512(row + group, _mm512_loadu_si512(first));
    } else if (mask == 0xffff) {
      _mm512_storeu_si512(row + group, dwords_at(at));
    } else {
      for (unsigned rest = mask; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<unsigned>(__builtin_ctz(rest));
        row[group + lane] = dword_at(reinterpret_cast<const uint8_t*>(at[lane]));
      }
    }
  }
}

namespace {

// Pairs of dwords of 8 lanes, each in one access.
__m512i pairs_at(const uint64_t* addresses) {
  const auto pair = [addresses](unsigned k) {
    uint64_t value;
    __builtin_memcpy(&value, reinterpret_cast<const uint8_t*>(addresses[k]), 8);
    return static_cast<int64_t>(value);
  };
  const auto two = [&](unsigned k) { return _mm_insert_epi64(_mm_cvtsi64_si128(pair(k)), pair(k + 1), 1); };
  const __m256i low = _mm256_inserti128_si256(_mm256_castsi128_si256(two(0)), two(2), 1);
  const __m256i high = _mm256_inserti128_si256(_mm256_castsi128_si256(two(4)), two(6), 1);
  return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
}

}  // namespace

void load_pairs(VectorRegister* rows, const uint64_t* addresses, uint64_t lanes) {
  const __m512i even = _mm512_slli_epi32(lane_numbers(), 1), odd = _mm512_add_epi32(even, _mm512_set1_epi32(1));
  for (unsigned group = 0; group < kLanes; group += kGroup) {
    const __mmask16 mask = active(lanes, group);
    if (mask == 0xffff) {
      const __m512i low = pairs_at(addresses + group), high = pairs_at(addresses + group + 8);
      _mm512_storeu_si512(rows[0] + group, _mm512_permutex2var_epi32(low, even, high));
      _mm512_storeu_si512(rows[1] + group, _mm512_permutex2var_epi32(low, odd, high));
      continue;
    }
    for (unsigned rest = mask; rest != 0; rest &= rest - 1) {
      const unsigned lane = group + static_cast<unsigned>(__builtin_ctz(rest));
      uint64_t value;
      __builtin_memcpy(&value, reinterpret_cast<const uint8_t*>(addresses[lane]), 8);
      rows[0][lane] = static_cast<uint32_t>(value);
      rows[1][lane] = static_cast<uint32_t>(value >> 32);
    }
  }
}

void load_words(VectorRegister* rows, const uint64_t* addresses, uint64_t lanes) {
  for (unsigned group = 0; group < kLanes; group += kGroup) {
    const __mmask16 mask = active(lanes, group);
    if (mask == 0xffff) {
      load_words_of(rows, group, mask,
                    [&](unsigned k) { return word_at(reinterpret_cast<const uint8_t*>(addresses[group + k])); });
      continue;
    }
    for (unsigned rest = mask; rest != 0; rest &= rest - 1) {
      const unsigned lane = group + static_cast<unsigned>(__builtin_ctz(rest));
      alignas(16) uint32_t values[4];
      _mm_store_si128(reinterpret_cast<__m128i*>(values), word_at(reinterpret_cast<const uint8_t*>(addresses[lane])));
      for (unsigned k = 0; k < 4; ++k) rows[k][lane] = values[k];
    }
  }
}

void load_triples(VectorRegister* rows, const uint64_t* addresses, uint64_t lanes) {
  for (unsigned group = 0; group < kLanes; group += kGroup) {
    const __mmask16 mask = active(lanes, group);
    if (mask == 0) continue;
    const auto first = static_cast<unsigned>(__builtin_ctz(mask));
    load_words_of<3>(rows, group, mask, [&](unsigned k) {
      const auto* at = reinterpret_cast<const uint8_t*>(addresses[group + (mask >> k & 1 ? k : first)]);
      const __m128i pair = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(at));
      return _mm_insert_epi32(pair, static_cast<int>(dword_at(at + 8)), 2);
    });
  }
}

void store_words(const VectorRegister* rows, const uint64_t* addresses, uint64_t lanes) {
  for (unsigned group = 0; group < kLanes; group += kGroup) {
    const __mmask16 mask = active(lanes, group);
    if (mask == 0) continue;
    __m512i z[4];
    for (unsigned k = 0; k < 4; ++k) z[k] = _mm512_loadu_si512(rows[k] + group);
    transpose_dwords(z);
    transpose_words(z);
    alignas(64) __m128i words[kGroup];
    for (unsigned k = 0; k < 4; ++k) _mm512_store_si512(words + 4 * k, z[k]);
    for (unsigned rest = mask; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<unsigned>(__builtin_ctz(rest));
      put_word(reinterpret_cast<uint8_t*>(addresses[group + lane]), words[lane]);
    }
  }
}

void store_dword(const VectorRegister& row, uint8_t* base, const uint32_t* offsets, uint64_t lanes) {
  for (unsigned group = 0; group < kLanes; group += kGroup) {
    const __mmask16 mask = active(lanes, group);
    if (mask == 0) continue;
    const __m512i at = _mm512_loadu_si512(offsets + group), values = _mm512_loadu_si512(row + group);
    if (mask == 0xffff && pattern_of(at, offsets[group], mask, 4) == Pattern::kContiguous) {
      _mm512_storeu_si512(base + offsets[group], values);
    } else if (mask == 0xffff) {
      _mm512_i32scatter_epi32(base, at, values, 1);  // from the lowest lane to the highest
    } else {
      // Hosts take longer to scatter some lanes than to store them one by one.
      for (unsigned rest = mask; rest != 0; rest &= rest - 1) {
        const unsigned lane = group + static_cast<unsigned>(__builtin_ctz(rest));
        __builtin_memcpy(base + offsets[lane], &row[lane], 4);
      }
    }
  }
}

void store_dword(const VectorRegister& row, const uint64_t* addresses, uint64_t lanes) {
  for (unsigned group = 0; group < kLanes; group += kGroup) {
    const __mmask16 mask = active(lanes, group);
    const uint64_t* const at = addresses + group;
    if (mask == 0xffff && pattern_of(at) == Pattern::kContiguous) {
      _mm512_storeu_si512(reinterpret_cast<uint8_t*>(at[0]), _mm512_loadu_si512(row + group));
      continue;
    }
    for (unsigned rest = mask; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<unsigned>(__builtin_ctz(rest));
      __builtin_memcpy(reinterpret_cast<uint8_t*>(at[lane]), &row[group + lane], 4);
    }
  }
}

void load_narrow(VectorRegister& row, const uint8_t* from, unsigned bytes, unsigned lanes) {
  for (unsigned lane = 0; lane < lanes; lane += kGroup) {
    const uint8_t* at = from + lane * bytes;
    _mm512_storeu_si512(row + lane,
                        bytes == 1 ? _mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(at)))
                                   : _mm512_cvtepu16_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(at))));
  }
}

namespace {

// Loads for 16 lanes. A word of 16 bytes is moved whole (whole_access.h): it is a part of one access of 64 bytes, which
// no processor splits within aligned words of 16.
void load_word_group(VectorRegister* rows, unsigned lane, const uint8_t* from) {
  __m512i z[4];
  for (unsigned k = 0; k < 4; ++k) z[k] = _mm512_loadu_si512(from + k * 64);
  transpose_words(z);
  transpose_dwords(z);
  for (unsigned k = 0; k < 4; ++k) _mm512_storeu_si512(rows[k] + lane, z[k]);
}

void store_word_group(const VectorRegister* rows, unsigned lane, uint8_t* to) {
  __m512i z[4];
  for (unsigned k = 0; k < 4; ++k) z[k] = _mm512_loadu_si512(rows[k] + lane);
  transpose_dwords(z);
  transpose_words(z);
  for (unsigned k = 0; k < 4; ++k) _mm512_storeu_si512(to + k * 64, z[k]);
}

// Elements side by side, for 16 lanes.
template <unsigned dwords>
void load_group(VectorRegister* rows, unsigned lane, const uint8_t* from) {
  if constexpr (dwords == 1) {
    _mm512_storeu_si512(rows[0] + lane, _mm512_loadu_si512(from));
  } else if constexpr (dwords == 4) {
    load_word_group(rows, lane, from);
  } else if constexpr (dwords == 2) {
    const __m512i even = _mm512_slli_epi32(lane_numbers(), 1), odd = _mm512_add_epi32(even, _mm512_set1_epi32(1));
    const __m512i low = _mm512_loadu_si512(from), high = _mm512_loadu_si512(from + 64);
    _mm512_storeu_si512(rows[0] + lane, _mm512_permutex2var_epi32(low, even, high));
    _mm512_storeu_si512(rows[1] + lane, _mm512_permutex2var_epi32(low, odd, high));
  } else {
    const __m512i at = _mm512_mullo_epi32(lane_numbers(), _mm512_set1_epi32(static_cast<int>(dwords)));
    for (unsigned k = 0; k < dwords; ++k)
      _mm512_storeu_si512(rows[k] + lane, _mm512_i32gather_epi32(at, from + k * 4, 4));
  }
}

template <unsigned dwords>
void store_group(const VectorRegister* rows, unsigned lane, uint8_t* to) {
  if constexpr (dwords == 1) {
    _mm512_storeu_si512(to, _mm512_loadu_si512(rows[0] + lane));
  } else if constexpr (dwords == 4) {
    store_word_group(rows, lane, to);
  } else if constexpr (dwords == 2) {
    const __m512i low_half = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    const __m512i high_half = _mm512_setr_epi32(8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
    const __m512i low = _mm512_loadu_si512(rows[0] + lane), high = _mm512_loadu_si512(rows[1] + lane);
    _mm512_storeu_si512(to, _mm512_permutex2var_epi32(low, low_half, high));
    _mm512_storeu_si512(to + 64, _mm512_permutex2var_epi32(low, high_half, high));
  } else {
    for (unsigned k = 0; k < kGroup; ++k) {
      for (unsigned dword = 0; dword < dwords; ++dword)
        __builtin_memcpy(to + (k * dwords + dword) * 4, &rows[dword][lane + k], 4);
    }
  }
}

// One element, for 16 lanes; in one access, if it is of 8 or 16 bytes (whole_access.h).
template <unsigned dwords>
void spread_element(VectorRegister* rows, unsigned lane, const uint8_t* from) {
  if constexpr (dwords == 4) {
    const __m512i words = _mm512_broadcast_i32x4(word_at(from));
    _mm512_storeu_si512(rows[0] + lane, _mm512_shuffle_epi32(words, _MM_PERM_AAAA));
    _mm512_storeu_si512(rows[1] + lane, _mm512_shuffle_epi32(words, _MM_PERM_BBBB));
    _mm512_storeu_si512(rows[2] + lane, _mm512_shuffle_epi32(words, _MM_PERM_CCCC));
    _mm512_storeu_si512(rows[3] + lane, _mm512_shuffle_epi32(words, _MM_PERM_DDDD));
  } else if constexpr (dwords == 2) {
    uint64_t value;
    __builtin_memcpy(&value, from, 8);
    const __m512i pairs = _mm512_set1_epi64(static_cast<int64_t>(value));
    _mm512_storeu_si512(rows[0] + lane, _mm512_shuffle_epi32(pairs, _MM_PERM_CCAA));
    _mm512_storeu_si512(rows[1] + lane, _mm512_shuffle_epi32(pairs, _MM_PERM_DDBB));
  } else {
    for (unsigned k = 0; k < dwords; ++k)
      _mm512_storeu_si512(rows[k] + lane, _mm512_set1_epi32(static_cast<int>(dword_at(from + k * 4))));
  }
}

template <unsigned dwords>
void load_groups(VectorRegister* rows, const uint8_t* from, unsigned lanes) {
  for (unsigned lane = 0; lane < lanes; lane += kGroup) load_group<dwords>(rows, lane, from + lane * dwords * 4);
}
template <unsigned dwords>
void store_groups(const VectorRegister* rows, uint8_t* to, unsigned lanes) {
  for (unsigned lane = 0; lane < lanes; lane += kGroup) store_group<dwords>(rows, lane, to + lane * dwords * 4);
}
template <unsigned dwords>
void load_groups(VectorRegister* rows, const uint8_t* base, const LaneRows& from, unsigned lanes) {
  for (unsigned group = 0; group * kGroup < lanes; ++group) {
    const uint8_t* const at = base + from.first[group];
    if (from.side_by_side >> group & 1) {
      load_group<dwords>(rows, group * kGroup, at);
    } else {
      spread_element<dwords>(rows, group * kGroup, at);
    }
  }
}
template <unsigned dwords>
void store_groups(const VectorRegister* rows, uint8_t* base, const LaneRows& to, unsigned lanes) {
  for (unsigned group = 0; group * kGroup < lanes; ++group)
    store_group<dwords>(rows, group * kGroup, base + to.first[group]);
}

}  // namespace

void load_array(VectorRegister* rows, const uint8_t* from, unsigned dwords, unsigned lanes) {
  if (dwords == 1) return load_groups<1>(rows, from, lanes);
  if (dwords == 2) return load_groups<2>(rows, from, lanes);
  if (dwords == 4) return load_groups<4>(rows, from, lanes);
  load_groups<3>(rows, from, lanes);
}

void store_array(const VectorRegister* rows, uint8_t* to, unsigned dwords, unsigned lanes) {
  if (dwords == 1) return store_groups<1>(rows, to, lanes);
  if (dwords == 2) return store_groups<2>(rows, to, lanes);
  if (dwords == 4) return store_groups<4>(rows, to, lanes);
  store_groups<3>(rows, to, lanes);
}

void load_rows(VectorRegister* rows, const uint8_t* base, const LaneRows& from, unsigned dwords, unsigned lanes) {
  if (dwords == 1) return load_groups<1>(rows, base, from, lanes);
  if (dwords == 2) return load_groups<2>(rows, base, from, lanes);
  if (dwords == 4) return load_groups<4>(rows, base, from, lanes);
  load_groups<3>(rows, base, from, lanes);
}

void store_rows(const VectorRegister* rows, uint8_t* base, const LaneRows& to, unsigned dwords, unsigned lanes) {
  if (dwords == 1) return store_groups<1>(rows, base, to, lanes);
  if (dwords == 2) return store_groups<2>(rows, base, to, lanes);
  if (dwords == 4) return store_groups<4>(rows, base, to, lanes);
  store_groups<3>(rows, base, to, lanes);
}

void pull_lanes(VectorRegister& out, const VectorRegister& data, const uint32_t* from, uint64_t lanes) {
  __m512i parts[kLanes / kGroup], pulled[kLanes / kGroup];
  for (unsigned k = 0; k < kLanes / kGroup; ++k)
    parts[k] = _mm512_maskz_loadu_epi32(active(lanes, kGroup * k), data + kGroup * k);
  const __m512i upper_half = _mm512_set1_epi32(32);
  for (unsigned k = 0; k < kLanes / kGroup; ++k) {
    const __m512i at = _mm512_loadu_si512(from + kGroup * k);
    const __m512i low = _mm512_permutex2var_epi32(parts[0], at, parts[1]);
    const __m512i high = _mm512_permutex2var_epi32(parts[2], at, parts[3]);
    pulled[k] = _mm512_mask_mov_epi32(low, _mm512_test_epi32_mask(at, upper_half), high);
  }
  for (unsigned k = 0; k < kLanes / kGroup; ++k) write(out + kGroup * k, pulled[k], active(lanes, kGroup * k));
}

void fill_dwords(uint32_t* to, size_t count, uint32_t value) {
  const __m512i values = _mm512_set1_epi32(static_cast<int>(value));
  for (size_t k = 0; k < count; k += kGroup) _mm512_storeu_si512(to + k, values);
}

void count_up(uint32_t* to, size_t count, uint32_t first) {
  __m512i values = _mm512_add_epi32(lane_numbers(), _mm512_set1_epi32(static_cast<int>(first)));
  for (size_t k = 0; k < count; k += kGroup) {
    _mm512_storeu_si512(to + k, values);
    values = _mm512_add_epi32(values, _mm512_set1_epi32(kGroup));
  }
}

}  // namespace kernloop::softgpu::avx512
