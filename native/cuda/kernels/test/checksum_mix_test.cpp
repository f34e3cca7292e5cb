// The checksum against changes with structure, where a sum of mixed words could fail, and against a second
// implementation.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <random>
#include <set>
#include <vector>

#include "cuda/kernels/device_kernels.h"

namespace kernloop::cuda {
namespace {

using Bytes = std::vector<uint8_t>;

Bytes random_bytes(size_t size, uint64_t seed) {
  std::mt19937_64 random(seed);
  Bytes bytes(size);
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
  return bytes;
}

// No two chunks that were added have the same checksum.
class Distinct {
 public:
  void add(const Bytes& chunk) {
    ++count_;
    seen_.insert(checksum_on_host(chunk));
  }
  void expect() const { EXPECT_EQ(seen_.size(), count_); }

 private:
  std::set<Checksum128> seen_;
  size_t count_ = 0;
};

// Written from the text of checksum_mix.h, with arithmetic in 128 bits cut to 64 only at the end of each step.
Checksum128 reference_checksum(const Bytes& chunk) {
  using Wide = unsigned __int128;
  const auto cut = [](Wide value) { return static_cast<uint64_t>(value & ~uint64_t{0}); };
  const auto fold = [](uint64_t value) {
    const uint32_t low = static_cast<uint32_t>(value), high = static_cast<uint32_t>(value >> 32);
    return uint64_t{high} << 32 | (low ^ high);
  };
  const auto permute = [&](uint64_t low, uint64_t high, uint64_t position) {
    const Wide p = cut(Wide{position} + 1);
    uint64_t a = cut(low + p * 0x6A09E667F3BCC909u);
    a = cut(Wide{fold(a)} * 0x3C6EF372FE94F82Bu);
    uint64_t b = cut(Wide{high} + fold(a));
    b = cut(Wide{fold(b)} * 0xA54FF53A5F1D36F1u) ^ cut(p * 0xBB67AE8584CAA73Bu);
    a = fold(cut(Wide{fold(cut(Wide{a} + fold(b)))} * 0x510E527FADE682D1u));
    b = fold(cut(Wide{fold(cut(Wide{b} + a))} * 0x9B05688C2B3E6C1Fu));
    return std::pair(a, b);
  };
  Wide sum_a = 0, sum_b = 0;
  const size_t words = (chunk.size() + 15) / 16;
  for (size_t word = words; word-- > 0;) {  // the order is of no consequence
    uint64_t half[2] = {0, 0};
    for (size_t i = 0; i < 16 && 16 * word + i < chunk.size(); ++i)
      half[i / 8] += uint64_t{chunk[16 * word + i]} << (8 * (i % 8));
    const auto [a, b] = permute(half[0], half[1], word);
    sum_a += a;
    sum_b += b;
  }
  const auto [a, b] = permute(cut(sum_a), cut(sum_b), ~uint64_t{chunk.size()});
  return {a, b};
}

TEST(ChecksumMix, IsWhatItsDescriptionSays) {
  for (size_t size : {0, 1, 7, 8, 15, 16, 17, 31, 32, 100, 4096, 5001}) {
    const Bytes chunk = random_bytes(size, size);
    EXPECT_EQ(checksum_on_host(chunk), reference_checksum(chunk)) << size;
  }
}

// Computed once by a script. A change must be noticed: it would make the checksums of two builds differ.
TEST(ChecksumMix, StaysTheSame) {
  Bytes counting(40);
  for (size_t i = 0; i < counting.size(); ++i) counting[i] = static_cast<uint8_t>(i);
  EXPECT_EQ(checksum_on_host(counting), (Checksum128{0xc022e01b4187cbb8, 0xcdb19db5b0ad3d2f}));
}

TEST(ChecksumMix, EveryBitFlipShows) {
  for (const Bytes& original : {Bytes(2048 + 5), Bytes(2048 + 5, 0xFF), random_bytes(2048 + 5, 1)}) {
    Distinct distinct;
    distinct.add(original);
    Bytes chunk = original;
    for (size_t bit = 0; bit < 8 * chunk.size(); ++bit) {
      chunk[bit / 8] ^= static_cast<uint8_t>(1 << bit % 8);
      distinct.add(chunk);
      chunk[bit / 8] ^= static_cast<uint8_t>(1 << bit % 8);
    }
    distinct.expect();
  }
}

TEST(ChecksumMix, EveryPairOfFlippedBitsShows) {
  const Bytes original = random_bytes(96, 2);
  Distinct distinct;
  Bytes chunk = original;
  const auto flip = [&](size_t bit) { chunk[bit / 8] ^= static_cast<uint8_t>(1 << bit % 8); };
  for (size_t one = 0; one < 8 * chunk.size(); ++one) {
    for (size_t two = 0; two < one; ++two) {
      flip(one);
      flip(two);
      distinct.add(chunk);
      flip(one);
      flip(two);
    }
  }
  distinct.expect();
}

// A sum of words that are mixed without their position misses these.
TEST(ChecksumMix, EverySwapShows) {
  const Bytes original = random_bytes(1024, 3);
  for (const size_t unit : {8, 16, 32, 64}) {
    Distinct distinct;
    distinct.add(original);
    for (size_t one = 0; one < original.size(); one += unit) {
      for (size_t two = 0; two < one; two += unit) {
        Bytes chunk = original;
        std::swap_ranges(chunk.begin() + static_cast<long>(one), chunk.begin() + static_cast<long>(one + unit),
                         chunk.begin() + static_cast<long>(two));
        distinct.add(chunk);
      }
    }
    distinct.expect();
  }
}

TEST(ChecksumMix, EveryRotationShows) {
  Bytes ramp(1024);
  for (size_t i = 0; i < ramp.size(); i += 4) ramp[i] = static_cast<uint8_t>(i / 4), ramp[i + 1] = 1;
  for (Bytes chunk : {random_bytes(1024, 4), ramp}) {
    Distinct distinct;
    for (size_t turn = 0; turn < chunk.size(); ++turn) {
      distinct.add(chunk);
      std::rotate(chunk.begin(), chunk.begin() + 1, chunk.end());
    }
    distinct.expect();
  }
}

// Zero words and zero tails count.
TEST(ChecksumMix, EveryLengthShows) {
  Distinct distinct;
  for (size_t size = 0; size < 3000; ++size) distinct.add(Bytes(size));
  const Bytes random = random_bytes(3000, 5);
  for (size_t size = 1; size < random.size(); ++size)
    distinct.add(Bytes(random.begin(), random.begin() + static_cast<long>(size)));
  distinct.expect();
}

// Counters and small integers, one word apart: what device memory is full of, and what adds up to the same easily.
TEST(ChecksumMix, SmallChangesInSeveralWordsDoNotCancel) {
  Distinct distinct;
  std::vector<uint64_t> words(64);
  for (int one = -8; one <= 8; ++one)
    for (int two = -8; two <= 8; ++two)
      for (int three = -8; three <= 8; ++three) {
        words[10] = static_cast<uint64_t>(100 + one);
        words[12] = static_cast<uint64_t>(100 + two);
        words[13] = static_cast<uint64_t>(100 + three);
        const auto* bytes = reinterpret_cast<const uint8_t*>(words.data());
        distinct.add(Bytes(bytes, bytes + 8 * words.size()));
      }
  distinct.expect();
}

// Half of the 128 bits change with any bit, for any content of the chunk; a weak mixer leaves bits alone.
TEST(ChecksumMix, EveryBitOfAWordReachesEveryBitOfTheChecksum) {
  constexpr int kTrials = 400;
  Bytes chunk(48);
  std::mt19937_64 random(6);
  for (size_t bit = 128; bit < 256; ++bit) {
    int flips[128] = {};
    for (int trial = 0; trial < kTrials; ++trial) {
      for (uint8_t& byte : chunk) byte = static_cast<uint8_t>(random() % 4);  // small values
      const Checksum128 before = checksum_on_host(chunk);
      chunk[bit / 8] ^= static_cast<uint8_t>(1 << bit % 8);
      const Checksum128 after = checksum_on_host(chunk);
      for (int i = 0; i < 64; ++i) {
        flips[i] += (before.low ^ after.low) >> i & 1;
        flips[64 + i] += (before.high ^ after.high) >> i & 1;
      }
    }
    // Six standard deviations of a fair coin.
    for (int i = 0; i < 128; ++i) ASSERT_NEAR(flips[i], kTrials / 2, 60) << "bit " << bit << " to bit " << i;
  }
}

}  // namespace
}  // namespace kernloop::cuda
