// Every distribution of every generator against its distribution function (Kolmogorov and Smirnov; chi square for
// counts), and Poisson numbers against the library's own tables. Seeds are fixed, so that the tests repeat.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <memory>

#include "softgpu/corpus/harness/half.h"
#include "softgpu/corpus/third_party/rocrand.h"

namespace kernloop::softgpu::corpus {
namespace {

constexpr size_t kCount = 20000;

struct Named {
  const char* name;
  rocrand_rng_type type;
};
constexpr Named kGenerators[] = {{"xorwow", ROCRAND_RNG_PSEUDO_XORWOW},  {"mrg32k3a", ROCRAND_RNG_PSEUDO_MRG32K3A},
                                 {"mtgp32", ROCRAND_RNG_PSEUDO_MTGP32},  {"philox", ROCRAND_RNG_PSEUDO_PHILOX4_32_10},
                                 {"sobol32", ROCRAND_RNG_QUASI_SOBOL32}, {"sobol64", ROCRAND_RNG_QUASI_SOBOL64}};
constexpr auto kPseudo = kGenerators + 4, kNarrow = kGenerators + 5, kAll = kGenerators + 6;  // ends

// One a type for all tests: seeding XORWOW's engines takes longer than all the rest.
Generator& generator_of(rocrand_rng_type type) {
  static std::map<rocrand_rng_type, std::unique_ptr<Generator>> generators;
  auto& generator = generators[type];
  if (!generator) generator = std::make_unique<Generator>(type);
  return *generator;
}

class Distributions : public testing::TestWithParam<Named> {
 protected:
  template <typename T, typename Call>
  std::vector<T> generate(Call call) {
    return generator_of(GetParam().type).generate<T>(kCount, call);
  }
};
const auto name_of = [](const auto& info) { return info.param.name; };
INSTANTIATE_TEST_SUITE_P(rocrand, Distributions, testing::ValuesIn(kGenerators, kAll), name_of);

// rocRAND 5.3.3 hands these of Sobol64 the low words of its numbers, which are zero in the first 2^32 points.
class NarrowDistributions : public Distributions {};
INSTANTIATE_TEST_SUITE_P(rocrand, NarrowDistributions, testing::ValuesIn(kGenerators, kNarrow), name_of);

// Box and Muller's pairs.
class HalfPairs : public Distributions {};
INSTANTIATE_TEST_SUITE_P(rocrand, HalfPairs, testing::ValuesIn(kGenerators, kPseudo), name_of);

// The largest distance of the sample from the distribution, in units in which chance exceeds 2.3 once in 20,000
// samples. `grain`: how far rounding may move a value's probability.
template <typename T>
double distance(std::vector<T> sample, const std::function<double(double)>& cumulative, double grain = 0) {
  std::sort(sample.begin(), sample.end());
  double largest = 0;
  const auto n = static_cast<double>(sample.size());
  for (size_t i = 0; i < sample.size(); ++i) {
    if (std::isnan(static_cast<double>(sample[i]))) return INFINITY;
    const double expected = cumulative(static_cast<double>(sample[i]));
    largest = std::max({largest, std::fabs(expected - static_cast<double>(i) / n),
                        std::fabs(static_cast<double>(i + 1) / n - expected)});
  }
  return std::max(0.0, largest - grain) * std::sqrt(n);
}
constexpr double kBound = 2.3;

double uniform(double x) {
  return std::clamp(x, 0.0, 1.0);
}
std::function<double(double)> normal(double mean, double deviation) {
  return [=](double x) { return 0.5 * std::erfc((mean - x) / deviation / std::sqrt(2.0)); };
}
std::function<double(double)> log_normal(double mean, double deviation) {
  return [=](double x) { return x <= 0 ? 0 : normal(mean, deviation)(std::log(x)); };
}

std::vector<double> widened(const std::vector<uint16_t>& halves) {
  std::vector<double> values;
  for (uint16_t half : halves) values.push_back(from_half(half));
  return values;
}
template <auto Call>
rocrand_status half_call(rocrand_generator generator, uint16_t* data, size_t count) {
  return Call(generator, reinterpret_cast<half*>(data), count);
}

// The middles of a range's cells.
template <typename T>
std::vector<double> scaled(const std::vector<T>& values, double range) {
  std::vector<double> out;
  for (T value : values) out.push_back((value + 0.5) / range);
  return out;
}

TEST_P(Distributions, Words) {
  EXPECT_LT(distance(scaled(generate<unsigned>(rocrand_generate), 0x1p32), uniform), kBound);
}

TEST_P(NarrowDistributions, BytesAndShorts) {
  EXPECT_LT(distance(scaled(generate<uint8_t>(rocrand_generate_char), 0x1p8), uniform, 0x1p-8), kBound);
  EXPECT_LT(distance(scaled(generate<uint16_t>(rocrand_generate_short), 0x1p16), uniform, 0x1p-16), kBound);
}

TEST_P(Distributions, UniformDoubles) {
  EXPECT_LT(distance(generate<double>(rocrand_generate_uniform_double), uniform), kBound);
}

TEST_P(NarrowDistributions, UniformFloatsAndHalves) {
  EXPECT_LT(distance(generate<float>(rocrand_generate_uniform), uniform), kBound);
  EXPECT_LT(distance(widened(generate<uint16_t>(half_call<rocrand_generate_uniform_half>)), uniform, 0x1p-11), kBound);
}

// Adds a mean and a deviation to the arguments.
template <typename Function, typename Real>
auto with(Function function, Real mean, Real deviation) {
  return [=](auto... arguments) { return function(arguments..., mean, deviation); };
}

TEST_P(Distributions, NormalDoubles) {
  EXPECT_LT(distance(generate<double>(with(rocrand_generate_normal_double, 3.0, 2.0)), normal(3, 2)), kBound);
}

TEST_P(NarrowDistributions, NormalFloats) {
  EXPECT_LT(distance(generate<float>(with(rocrand_generate_normal, 3.0f, 2.0f)), normal(3, 2)), kBound);
}

TEST_P(NarrowDistributions, LogNormal) {
  EXPECT_LT(distance(generate<float>(with(rocrand_generate_log_normal, 0.5f, 0.25f)), log_normal(0.5, 0.25)), kBound);
  EXPECT_LT(distance(generate<double>(with(rocrand_generate_log_normal_double, 0.5, 0.25)), log_normal(0.5, 0.25)),
            kBound);
}

std::vector<double> normal_halves(Generator& generator, float mean, float deviation) {
  return widened(generator.generate<uint16_t>(kCount, [&](rocrand_generator handle, uint16_t* data, size_t count) {
    return rocrand_generate_normal_half(handle, reinterpret_cast<::half*>(data), count, ::half(mean),
                                        ::half(deviation));
  }));
}
std::vector<double> log_normal_halves(Generator& generator, float mean, float deviation) {
  return widened(generator.generate<uint16_t>(kCount, [&](rocrand_generator handle, uint16_t* data, size_t count) {
    return rocrand_generate_log_normal_half(handle, reinterpret_cast<::half*>(data), count, ::half(mean),
                                            ::half(deviation));
  }));
}
constexpr double kHalfGrain = 0.01;  // steps of a half near 4 deviations, and of its logarithm

// The sine of each pair is NaN: Debian's ocml returns that for the sine of any half. The cosine is as it should be.
TEST_P(HalfPairs, NormalAndLogNormal) {
  const auto cosines = [](const std::vector<double>& values) {
    std::vector<double> every_second;
    for (size_t i = 1; i < values.size(); i += 2) every_second.push_back(values[i]);
    return every_second;
  };
  Generator& generator = generator_of(GetParam().type);
  EXPECT_LT(distance(cosines(normal_halves(generator, 1, 0.5f)), normal(1, 0.5), kHalfGrain), kBound);
  EXPECT_LT(distance(cosines(log_normal_halves(generator, 0, 0.5f)), log_normal(0, 0.5), kHalfGrain), kBound);
}

TEST(rocrand, QuasiRandomHalves) {
  Generator& generator = generator_of(ROCRAND_RNG_QUASI_SOBOL32);
  EXPECT_LT(distance(normal_halves(generator, 1, 0.5f), normal(1, 0.5), kHalfGrain), kBound);
  EXPECT_LT(distance(log_normal_halves(generator, 0, 0.5f), log_normal(0, 0.5), kHalfGrain), kBound);
}

TEST_P(Distributions, Poisson) {
  for (const double mean : {0.7, 12.0, 900.0}) {
    const auto numbers =
        generate<unsigned>([&](auto... arguments) { return rocrand_generate_poisson(arguments..., mean); });
    std::vector<double> counts(static_cast<size_t>(mean + 20 * std::sqrt(mean) + 20), 0);
    for (unsigned number : numbers) {
      ASSERT_LT(number, counts.size());
      ++counts[number];
    }
    double chi_square = 0, expected = 0, seen = 0;
    int bins = 0;
    for (size_t k = 0; k < counts.size(); ++k) {
      expected +=
          kCount * std::exp(static_cast<double>(k) * std::log(mean) - mean - std::lgamma(static_cast<double>(k) + 1));
      seen += counts[k];
      if (expected < 10 && k + 1 < counts.size()) continue;
      chi_square += (seen - expected) * (seen - expected) / std::max(expected, 1.0);
      expected = seen = 0;
      ++bins;
    }
    // Wilson and Hilferty: about normal, and chance exceeds 4.5 deviations three times in a million.
    const double degrees = bins - 1;
    EXPECT_LT((std::cbrt(chi_square / degrees) - 1 + 2 / (9 * degrees)) / std::sqrt(2 / (9 * degrees)), 4.5)
        << "mean " << mean;
  }
}

}  // namespace
}  // namespace kernloop::softgpu::corpus
