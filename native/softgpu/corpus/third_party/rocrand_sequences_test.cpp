// The numbers of rocRAND's generators. Oracles: rocRAND's own engines compiled for the host (they hold the seeding and
// the jumps), Philox and Sobol from their publications, and MTGP32's recurrence with its published parameters.
#define FQUALIFIERS inline
#include <gtest/gtest.h>
#include <hip/hip_runtime.h>
#include <rocrand/rocrand_mrg32k3a.h>
#include <rocrand/rocrand_mtgp32.h>
#include <rocrand/rocrand_mtgp32_11213.h>
#include <rocrand/rocrand_normal.h>
#include <rocrand/rocrand_philox4x32_10.h>
#include <rocrand/rocrand_uniform.h>
#include <rocrand/rocrand_xorwow.h>

#include <array>

#include "softgpu/corpus/third_party/rocrand.h"

namespace kernloop::softgpu::corpus {
namespace {

// The library gives each of this many engines, one a thread, its own subsequence; they take turns.
constexpr size_t kEngines = 512 * 256;

// One generator, because seeding so many engines is most of the work. Whole turns keep the engines in step.
template <typename State>
void expect_interleaved_engines(rocrand_rng_type type) {
  Generator generator(type);
  const auto words = generator.generate<unsigned>(2 * kEngines, rocrand_generate);
  const auto floats = generator.generate<float>(kEngines, rocrand_generate_uniform);
  const auto doubles = generator.generate<double>(kEngines, rocrand_generate_uniform_double);
  const auto normals = generator.generate<float>(
      2 * kEngines, [](auto... arguments) { return rocrand_generate_normal(arguments..., 0, 1); });
  for (size_t engine = 0; engine < kEngines; engine += engine < 300 ? 1 : 997) {
    State state;
    rocrand_init(Generator::kSeed, engine, 0, &state);
    ASSERT_EQ(words[engine], rocrand(&state)) << engine;
    ASSERT_EQ(words[engine + kEngines], rocrand(&state)) << engine;
    ASSERT_EQ(floats[engine], rocrand_uniform(&state)) << engine;
    ASSERT_EQ(doubles[engine], rocrand_uniform_double(&state)) << engine;
    const float2 pair = rocrand_normal2(&state);
    // The device's logarithm, sine and cosine are not the host's.
    ASSERT_NEAR(normals[2 * engine], pair.x, 4e-6) << engine;
    ASSERT_NEAR(normals[2 * engine + 1], pair.y, 4e-6) << engine;
  }
}

TEST(rocrand, xorwow) {
  expect_interleaved_engines<rocrand_state_xorwow>(ROCRAND_RNG_PSEUDO_XORWOW);
}

TEST(rocrand, mrg32k3a) {
  expect_interleaved_engines<rocrand_state_mrg32k3a>(ROCRAND_RNG_PSEUDO_MRG32K3A);
}

using Counter = std::array<uint32_t, 4>;

// Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3".
Counter philox(Counter counter, uint32_t key0, uint32_t key1) {
  for (int round = 0; round < 10; ++round, key0 += 0x9E3779B9, key1 += 0xBB67AE85) {
    const uint64_t first = uint64_t{0xD2511F53} * counter[0], second = uint64_t{0xCD9E8D57} * counter[2];
    counter = {static_cast<uint32_t>(second >> 32) ^ counter[1] ^ key0, static_cast<uint32_t>(second),
               static_cast<uint32_t>(first >> 32) ^ counter[3] ^ key1, static_cast<uint32_t>(first)};
  }
  return counter;
}

TEST(rocrand, philox) {
  // Random123's known answers (kat_vectors).
  ASSERT_EQ(philox({0, 0, 0, 0}, 0, 0), (Counter{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  ASSERT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, 0xa4093822, 0x299f31d0),
            (Counter{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
  constexpr size_t kCount = 4 * kEngines + 1003;  // more than one turn of the engines
  const auto words = Generator(ROCRAND_RNG_PSEUDO_PHILOX4_32_10).generate<unsigned>(kCount, rocrand_generate);
  for (uint32_t i = 0; i < kCount; ++i) ASSERT_EQ(words[i], philox({i / 4, 0, 0, 0}, Generator::kSeed, 0)[i % 4]) << i;
}

// The binary digits of a Sobol dimension: Joe and Kuo's new-joe-kuo-6, degree, coefficients and initial numbers.
struct Dimension {
  unsigned degree, coefficients;
  std::array<uint32_t, 5> initial;
};
constexpr Dimension kJoeKuo[] = {
    {1, 0, {1}},          {2, 1, {1, 3}},        {3, 1, {1, 3, 1}},       {3, 2, {1, 1, 1}},
    {4, 1, {1, 1, 3, 3}}, {4, 4, {1, 3, 5, 13}}, {5, 2, {1, 1, 5, 5, 17}}};

template <typename Word>
std::vector<Word> direction_numbers(unsigned dimension) {
  constexpr unsigned kBits = sizeof(Word) * 8;
  std::vector<Word> v(kBits);
  for (unsigned i = 0; i < kBits; ++i) {
    if (dimension == 0) {
      v[i] = Word{1} << (kBits - 1 - i);
      continue;
    }
    const Dimension& d = kJoeKuo[dimension - 1];
    if (i < d.degree) {
      v[i] = Word{d.initial[i]} << (kBits - 1 - i);
      continue;
    }
    v[i] = v[i - d.degree] ^ v[i - d.degree] >> d.degree;
    for (unsigned k = 1; k < d.degree; ++k)
      if (d.coefficients >> (d.degree - 1 - k) & 1) v[i] ^= v[i - k];
  }
  return v;
}

// expect(value, the dimension's number at that point), in Antonov and Saleev's order: one direction number a step.
template <typename Word, typename T, typename Call, typename Expect>
void expect_sobol(rocrand_rng_type type, Call call, Expect expect) {
  constexpr unsigned kDimensions = 8, kPoints = 3000;
  Generator generator(type);
  generator.set_dimensions(kDimensions);
  const auto values = generator.generate<T>(kDimensions * kPoints, call);
  for (unsigned dimension = 0; dimension < kDimensions; ++dimension) {
    const auto v = direction_numbers<Word>(dimension);
    Word number = 0;
    for (unsigned i = 0; i < kPoints; ++i) {
      ASSERT_EQ(values[dimension * kPoints + i], expect(number)) << "dimension " << dimension << " point " << i;
      number ^= v[static_cast<unsigned>(__builtin_ctz(~i))];
    }
  }
}

TEST(rocrand, sobol32) {
  expect_sobol<uint32_t, uint32_t>(ROCRAND_RNG_QUASI_SOBOL32, rocrand_generate, [](uint32_t number) { return number; });
}

TEST(rocrand, sobol64) {
  expect_sobol<uint64_t, double>(ROCRAND_RNG_QUASI_SOBOL64, rocrand_generate_uniform_double,
                                 [](uint64_t number) { return 0x1p-53 + static_cast<double>(number >> 11) * 0x1p-53; });
}

// Mersenne Twister for graphics processors, one block's stream: Saito and Matsumoto, MTGP 11213.
class Mtgp {
 public:
  Mtgp(const mtgp32_fast_params& by, uint32_t mask, uint32_t seed) : by_(by), mask_(mask), status_(MTGP_N) {
    rocrand_device::rocrand_mtgp32_init_state(status_.data(), &by_, seed);
  }
  uint32_t next() {
    const size_t i = status_.size() - MTGP_N;
    uint32_t x = (status_[i] & mask_) ^ status_[i + 1], t = status_[i + by_.pos - 1];
    x ^= x << by_.sh1;
    const uint32_t y = x ^ status_[i + by_.pos] >> by_.sh2, value = y ^ by_.tbl[y & 15];
    status_.push_back(value);
    t ^= t >> 16;
    t ^= t >> 8;
    return value ^ by_.tmp_tbl[t & 15];
  }

 private:
  mtgp32_fast_params by_;
  uint32_t mask_;
  std::vector<uint32_t> status_;
};

TEST(rocrand, mtgp32) {
  constexpr size_t kBlocks = 512, kBlock = 256;
  const auto words =
      Generator(ROCRAND_RNG_PSEUDO_MTGP32).generate<unsigned>(2 * kBlocks * kBlock + 100, rocrand_generate);
  for (size_t block : {0u, 1u, 77u, 511u}) {
    Mtgp stream(mtgp32dc_params_fast_11213[block], mtgp32dc_params_fast_11213[0].mask,
                static_cast<uint32_t>(Generator::kSeed + block + 1));
    for (size_t start = block * kBlock; start < words.size(); start += kBlocks * kBlock)
      for (size_t k = start; k < std::min(start + kBlock, words.size()); ++k) ASSERT_EQ(words[k], stream.next()) << k;
  }
}

}  // namespace
}  // namespace kernloop::softgpu::corpus
