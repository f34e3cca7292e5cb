// rocPRIM from its headers, DPP and all, against the algorithms of the C++ library. Sizes are no multiple of a block.
#include <gtest/gtest.h>
#include <hip/hip_runtime.h>
#include <rocprim/rocprim.hpp>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

namespace {

void check(hipError_t status) {
  ASSERT_EQ(hipGetErrorName(status), std::string("hipSuccess"));
}

template <typename T>
class Buffer {
 public:
  explicit Buffer(size_t count) : count_(count) {
    check(hipMalloc(reinterpret_cast<void**>(&data_), count * sizeof(T)));
  }
  explicit Buffer(const std::vector<T>& values) : Buffer(values.size()) {
    check(hipMemcpy(data_, values.data(), count_ * sizeof(T), hipMemcpyHostToDevice));
  }
  Buffer(const Buffer&) = delete;
  ~Buffer() { (void)hipFree(data_); }
  T* get() const { return data_; }
  std::vector<T> values() const {
    std::vector<T> out(count_);
    check(hipMemcpy(out.data(), data_, count_ * sizeof(T), hipMemcpyDeviceToHost));
    return out;
  }

 private:
  T* data_ = nullptr;
  size_t count_;
};

// Calls algorithm(storage, bytes) as rocPRIM wants it: once for the size, once for the work.
template <typename Algorithm>
void run(Algorithm algorithm) {
  size_t bytes = 0;
  check(algorithm(nullptr, bytes));
  const Buffer<char> storage(std::max<size_t>(bytes, 1));
  check(algorithm(storage.get(), bytes));
  check(hipDeviceSynchronize());
}

constexpr size_t kCount = 40007;

template <typename T>
std::vector<T> numbers(unsigned seed, unsigned modulus) {
  std::mt19937 source(seed);
  std::vector<T> values(kCount);
  for (T& value : values) value = static_cast<T>(source() % modulus);
  return values;
}

template <typename T, typename Operation>
void expect_reduction(const std::vector<T>& in, T start, Operation device, T expected) {
  const Buffer<T> din(in), out(1);
  run([&](void* storage, size_t& bytes) {
    return rocprim::reduce(storage, bytes, din.get(), out.get(), start, in.size(), device);
  });
  EXPECT_EQ(out.values()[0], expected);
}

TEST(rocprim, Reduce) {
  const auto ints = numbers<int>(1, 100000);
  expect_reduction(ints, 7, rocprim::plus<int>(), std::accumulate(ints.begin(), ints.end(), 7));
  expect_reduction(ints, 0, rocprim::maximum<int>(), *std::max_element(ints.begin(), ints.end()));
  const auto doubles = numbers<double>(2, 1000);  // exact in any order
  expect_reduction(doubles, 0.5, rocprim::plus<double>(), std::accumulate(doubles.begin(), doubles.end(), 0.5));
  const auto bytes = numbers<unsigned char>(3, 200);
  expect_reduction<unsigned char>(bytes, 0, rocprim::plus<unsigned char>(),
                                  static_cast<unsigned char>(std::accumulate(bytes.begin(), bytes.end(), 0)));
}

TEST(rocprim, Scans) {
  const auto ints = numbers<int>(4, 1000);
  const Buffer<int> in(ints), out(kCount);
  std::vector<int> expected(kCount);
  run([&](void* storage, size_t& bytes) {
    return rocprim::inclusive_scan(storage, bytes, in.get(), out.get(), kCount, rocprim::plus<int>());
  });
  std::partial_sum(ints.begin(), ints.end(), expected.begin());
  EXPECT_EQ(out.values(), expected);
  run([&](void* storage, size_t& bytes) {
    return rocprim::exclusive_scan(storage, bytes, in.get(), out.get(), 11, kCount, rocprim::plus<int>());
  });
  std::exclusive_scan(ints.begin(), ints.end(), expected.begin(), 11);
  EXPECT_EQ(out.values(), expected);
  run([&](void* storage, size_t& bytes) {
    return rocprim::inclusive_scan(storage, bytes, in.get(), out.get(), kCount, rocprim::maximum<int>());
  });
  std::partial_sum(ints.begin(), ints.end(), expected.begin(), [](int a, int b) { return std::max(a, b); });
  EXPECT_EQ(out.values(), expected);
  std::vector<long> longs(ints.begin(), ints.end()), sums(kCount);
  for (long& value : longs) value *= 1l << 33;
  const Buffer<long> long_in(longs), long_out(kCount);
  run([&](void* storage, size_t& bytes) {
    return rocprim::inclusive_scan(storage, bytes, long_in.get(), long_out.get(), kCount, rocprim::plus<long>());
  });
  std::partial_sum(longs.begin(), longs.end(), sums.begin());
  EXPECT_EQ(long_out.values(), sums);
}

TEST(rocprim, RadixSort) {
  auto keys = numbers<unsigned>(5, ~0u);
  const Buffer<unsigned> in(keys), out(kCount);
  run([&](void* storage, size_t& bytes) {
    return rocprim::radix_sort_keys(storage, bytes, in.get(), out.get(), kCount);
  });
  std::sort(keys.begin(), keys.end());
  EXPECT_EQ(out.values(), keys);
}

TEST(rocprim, RadixSortOfPairsIsStable) {
  std::vector<float> keys;
  for (int value : numbers<int>(6, 500)) keys.push_back(static_cast<float>(value - 250) * 0.5f);
  std::vector<int> places(kCount);
  std::iota(places.begin(), places.end(), 0);
  const Buffer<float> key_in(keys), key_out(kCount);
  const Buffer<int> place_in(places), place_out(kCount);
  run([&](void* storage, size_t& bytes) {
    return rocprim::radix_sort_pairs_desc(storage, bytes, key_in.get(), key_out.get(), place_in.get(), place_out.get(),
                                          kCount);
  });
  std::stable_sort(places.begin(), places.end(), [&](int a, int b) { return keys[a] > keys[b]; });
  EXPECT_EQ(place_out.values(), places);
}

TEST(rocprim, Select) {
  const auto ints = numbers<int>(7, 1000);
  const Buffer<int> in(ints), out(kCount);
  const Buffer<unsigned> count(1);
  run([&](void* storage, size_t& bytes) {
    return rocprim::select(storage, bytes, in.get(), out.get(), count.get(), kCount,
                           [] __device__(int x) { return x % 3 == 1; });
  });
  std::vector<int> expected;
  std::copy_if(ints.begin(), ints.end(), std::back_inserter(expected), [](int x) { return x % 3 == 1; });
  ASSERT_EQ(count.values()[0], expected.size());
  auto got = out.values();
  got.resize(expected.size());
  EXPECT_EQ(got, expected);
}

TEST(rocprim, SegmentedReduce) {
  const auto ints = numbers<int>(8, 1000);
  std::vector<unsigned> offsets{0};
  while (offsets.back() < kCount)  // empty ones, short ones and long ones
    offsets.push_back(
        std::min<unsigned>(kCount, offsets.back() + offsets.size() * offsets.size() % 701 * (offsets.size() % 5)));
  const size_t segments = offsets.size() - 1;
  const Buffer<int> in(ints), out(segments);
  const Buffer<unsigned> doffsets(offsets);
  run([&](void* storage, size_t& bytes) {
    return rocprim::segmented_reduce(storage, bytes, in.get(), out.get(), static_cast<unsigned>(segments),
                                     doffsets.get(), doffsets.get() + 1, rocprim::plus<int>(), 5);
  });
  std::vector<int> expected;
  for (size_t k = 0; k < segments; ++k)
    expected.push_back(std::accumulate(&ints[0] + offsets[k], &ints[0] + offsets[k + 1], 5));
  EXPECT_EQ(out.values(), expected);
}

TEST(rocprim, Histogram) {
  std::vector<float> samples;
  for (int value : numbers<int>(9, 4000)) samples.push_back(static_cast<float>(value) * 0.25f - 100);
  const Buffer<float> in(samples);
  constexpr unsigned kBins = 50;
  const Buffer<unsigned> out(kBins);
  run([&](void* storage, size_t& bytes) {
    return rocprim::histogram_even(storage, bytes, in.get(), static_cast<unsigned>(kCount), out.get(), kBins + 1, 0.0f,
                                   800.0f);
  });
  std::vector<unsigned> expected(kBins, 0);
  for (float sample : samples)
    if (sample >= 0 && sample < 800) ++expected[static_cast<size_t>(sample / 16)];
  EXPECT_EQ(out.values(), expected);
}

}  // namespace
