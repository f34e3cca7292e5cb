#include "softgpu/engine/wave/unwritten_fill.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>

#include "softgpu/engine/wave/permutation.h"

namespace kernloop::softgpu {

namespace {

// Two halves of the form 0111'10mm'01mm'mmmm. As f16 the exponent is the largest finite one but one; as f32, bf16 and
// f64 it is near the largest, with room for a sum of many; every byte is at least 64.
constexpr uint32_t kHuge = 0x78407840, kHugeFree = 0x033f033f;
// From huge and positive to huge and negative, and back: all bits but the exponent's of f16.
constexpr uint32_t kOpposite = 0x83ff83ff;
// Quiet, as f16, bf16 and f64 too; positive, so that integers see a huge number.
constexpr uint32_t kNan = 0x7ff97ff9, kNanFree = 0x00060006;

struct WordPair {
  uint32_t under_key, under_counterpart;
};

WordPair swapped_if(bool swap, WordPair pair) {
  return swap ? WordPair{pair.under_counterpart, pair.under_key} : pair;
}

WordPair huge_pair(uint64_t random) {
  const uint32_t positive = kHuge | (static_cast<uint32_t>(random) & kHugeFree);
  return swapped_if((random >> 32 & 1) != 0, {positive, positive ^ kOpposite});
}

WordPair nan_pair(uint64_t random) {
  const auto bits = static_cast<uint32_t>(random);
  constexpr uint32_t kMinusOne = 0xffffffff, kLargest = 0x7fffffff;  // NaNs of any width, too
  const uint32_t plain = kNan | (bits & kNanFree);
  const uint32_t nans[] = {plain, kMinusOne, plain, kLargest};
  return {nans[random >> 32 & 3], (kHuge | (bits & kHugeFree)) ^ kOpposite};
}

WordPair small_pair(uint64_t random) {
  return {1 + 2 * static_cast<uint32_t>(random >> 40 & 63), huge_pair(random).under_counterpart};
}

// Lines of integers below 1,000, zeros among them, and lines of multiples of 1/8 below 32 of either sign: as arrays of
// kernels that ran before.
uint32_t left_word(uint64_t line_random, uint64_t random) {
  if (line_random % 4 != 0) return random % 8 == 0 ? 0 : static_cast<uint32_t>((random >> 8) % 1000);
  const auto eighths = static_cast<float>((random >> 8) % 256);
  return std::bit_cast<uint32_t>((random & 1) != 0 ? -eighths / 8 : eighths / 8);
}

// Words with which kernels mark places, in pairs: numbers of 16, 32 and 64 bits. Numbers of 32 bits are in both words.
constexpr uint32_t kMarks[][2] = {
    {0xffffffff, 0xffffffff},                            // -1
    {0x7fffffff, 0x7fffffff},                            // the largest integer
    {0x80000000, 0x80000000},                            // the smallest integer, and -0
    {0x7f800000, 0x7f800000},                            // infinities
    {0xff800000, 0xff800000}, {0x7fc00000, 0x7fc00000},  // NaN
    {0xffffffff, 0x7fffffff},                            // 64 bits: the largest and the smallest integer, infinities
    {0x00000000, 0x80000000}, {0x00000000, 0x7ff00000},
    {0x00000000, 0xfff00000}, {0x7f7fffff, 0x00000001},  // the largest float, and the smallest one
    {0x7c007c00, 0x0000ffff},                            // 16 bits: infinities, and -1
};

// Two such lines, with one that has none between them, have all of them.
void put_marks(uint32_t* line, size_t number, uint64_t line_random) {
  constexpr size_t kMarksALine = std::size(kMarks) / 2, kPlaces = UnwrittenFill::kLineWords / 2;
  const size_t first_mark = number % 2 * kMarksALine, first_place = line_random >> 8;
  for (size_t k = 0; k < kMarksALine; ++k) {
    // An odd stride: no two of them coincide.
    const size_t place = (first_place + k * (1 + 2 * (line_random >> 16 & 3))) % kPlaces;
    std::copy_n(kMarks[first_mark + k], 2, line + 2 * place);
  }
}

}  // namespace

UnwrittenFill::UnwrittenFill(uint64_t pattern) : pattern_(pattern), words_{} {
  if (pattern == kZeros) return;
  if (pattern >> 32 == kInUse >> 32) {
    for (size_t k = 0; k < kWords; ++k)
      words_[k] = left_word(mix(pattern ^ mix(k / kLineWords)), mix(mix(pattern) + k));
    for (size_t line = 1; line < kLines; line += 2)
      put_marks(&words_[line * kLineWords], line / 2, mix(mix(pattern ^ mix(line))));
    return;
  }
  const bool is_counterpart = ~pattern < pattern;
  const uint64_t key = mix(is_counterpart ? ~pattern : pattern);
  for (size_t line = 0; line < kLines; ++line) {
    const uint64_t drawn = mix(key ^ mix(line + 1));
    const size_t nan_at = 4 + drawn % 12;
    const size_t small_at = 4 + (nan_at - 4 + 1 + (drawn >> 8) % 11) % 12;
    const bool nan_under_key = (drawn >> 16 & 1) != 0;
    for (size_t k = 0; k < kLineWords; ++k) {
      const uint64_t random = mix(drawn + k + 1);
      const WordPair pair = k == nan_at     ? swapped_if(!nan_under_key, nan_pair(random))
                            : k == small_at ? swapped_if(nan_under_key, small_pair(random))
                                            : huge_pair(random);
      words_[line * kLineWords + k] = is_counterpart ? pair.under_counterpart : pair.under_key;
    }
  }
}

void UnwrittenFill::copy(uint32_t* to, size_t count, uint64_t line) const {
  const uint32_t* from = &words_[line % kLines * kLineWords];
  while (count > 0) {
    const size_t here = std::min(count, static_cast<size_t>(std::end(words_) - from));
    std::memcpy(to, from, here * sizeof *to);
    to += here;
    count -= here;
    from = words_;
  }
}

uint64_t UnwrittenFill::line_of_workgroup(uint64_t ordinal) {
  return mix(ordinal);
}

uint64_t UnwrittenFill::line_of_wave(uint64_t ordinal, uint32_t wave) {
  return mix(mix(ordinal) + wave + 1);
}

std::shared_ptr<const UnwrittenFill> FillCache::get(uint64_t pattern) {
  std::lock_guard lock(mutex_);
  if (!last_ || last_->pattern() != pattern) last_ = std::make_shared<const UnwrittenFill>(pattern);
  return last_;
}

}  // namespace kernloop::softgpu
