// Whole kernels, compiled by clang with and without optimisation, against host arithmetic.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <functional>
#include <numeric>
#include <set>
#include <thread>

#include "base/testing/soon.h"
#include "softgpu/engine/tests/program.h"

namespace kernloop::softgpu::testing {
namespace {

struct Build {
  const char* name;
  const char* object;
  Isa isa;
};

class Kernels : public ::testing::TestWithParam<Build> {
 protected:
  Device device{GetParam().object, GetParam().isa};

  void expect_completed(const DispatchOutcome& outcome) { ASSERT_FALSE(outcome.fault) << outcome.fault->text(); }
};

INSTANTIATE_TEST_SUITE_P(Optimised, Kernels,
                         ::testing::Values(Build{"O0", KERNLOOP_TEST_PROGRAMS_O0, Isa::kGfx90a},
                                           Build{"O3", KERNLOOP_TEST_PROGRAMS_O3, Isa::kGfx90a},
                                           Build{"gfx942_O0", KERNLOOP_TEST_PROGRAMS_GFX942_O0, Isa::kGfx942},
                                           Build{"gfx942_O3", KERNLOOP_TEST_PROGRAMS_GFX942_O3, Isa::kGfx942}),
                         [](const auto& info) { return info.param.name; });

uint32_t noise(uint32_t x) {
  return (x * 2654435761u) ^ (x << 7) ^ 0x5bd1e995u;
}

TEST_P(Kernels, AddVectorsWithPartialWavesAndWorkgroups) {
  constexpr uint32_t n = 1000;
  Array<int32_t> a(device.space, n), b(device.space, n), out(device.space, n + 64);
  for (uint32_t i = 0; i < n; ++i) {
    a[i] = static_cast<int32_t>(noise(i));
    b[i] = static_cast<int32_t>(noise(i + n));
  }
  std::fill(out.begin(), out.end(), -7);
  expect_completed(device.run("vector_add", linear(1024, 128), Arguments(a.address(), b.address(), out.address(), n)));
  for (uint32_t i = 0; i < n; ++i) {
    ASSERT_EQ(static_cast<uint32_t>(out[i]), static_cast<uint32_t>(a[i]) + static_cast<uint32_t>(b[i]) * 3u) << i;
  }
  for (uint32_t i = n; i < n + 64; ++i) ASSERT_EQ(out[i], -7) << i;
}

TEST_P(Kernels, RunNoWorkItemBeyondTheGrid) {
  // The kernel's own bound is far away, so only the grid limits it: the last workgroup is partial.
  Array<int32_t> a(device.space, 512), b(device.space, 512), out(device.space, 512);
  std::fill(out.begin(), out.end(), 9);
  const DispatchOutcome outcome =
      device.run("vector_add", linear(300, 128), Arguments(a.address(), b.address(), out.address(), 512u));
  expect_completed(outcome);
  EXPECT_EQ(outcome.counters.workgroups, 3u);
  EXPECT_EQ(outcome.counters.waves, 5u);
  EXPECT_EQ(std::count(out.begin(), out.end(), 0), 300);
  EXPECT_EQ(out[299], 0);
  EXPECT_EQ(out[300], 9);
}

TEST_P(Kernels, ReduceInLdsWithBarriers) {
  constexpr uint32_t n = 5000;
  Array<uint32_t> in(device.space, n), out(device.space, 20);
  for (uint32_t i = 0; i < n; ++i) in[i] = noise(i);
  for (uint64_t seed : {0ull, 1ull, 99ull}) {
    std::fill(out.begin(), out.end(), 0);
    expect_completed(
        device.run("block_sum", linear(20 * 256, 256), Arguments(in.address(), out.address(), n), {.seed = seed}));
    for (uint32_t group = 0; group < 20; ++group) {
      const uint32_t first = group * 256, last = std::min(n, first + 256);
      EXPECT_EQ(out[group], std::accumulate(&in[first], &in[0] + last, 0u)) << "group " << group << " seed " << seed;
    }
  }
}

TEST_P(Kernels, CountEveryAtomicIncrementAcrossThreads) {
  constexpr uint32_t n = 100000;
  Array<uint8_t> in(device.space, n);
  Array<uint32_t> bins(device.space, 256);
  std::vector<uint32_t> expected(256);
  for (uint32_t i = 0; i < n; ++i) ++expected[in[i] = static_cast<uint8_t>(noise(i) >> 9) % 11];
  expect_completed(device.run("histogram", linear(n, 256), Arguments(in.address(), bins.address(), n), {.threads = 4}));
  for (uint32_t bin = 0; bin < 256; ++bin) EXPECT_EQ(bins[bin], expected[bin]) << bin;
}

TEST_P(Kernels, WaitForEveryOtherWorkgroup) {
  constexpr uint32_t groups = 150, rounds = 3;
  for (unsigned threads : {1u, 3u}) {
    Array<uint32_t> arrived(device.space, 1), log(device.space, groups);
    expect_completed(device.run("grid_barrier", linear(groups * 128, 128),
                                Arguments(arrived.address(), log.address(), groups, rounds),
                                {.max_wave_instructions = 200'000'000, .threads = threads}));
    EXPECT_EQ(arrived[0], groups * rounds);
    for (uint32_t group = 0; group < groups; ++group) EXPECT_EQ(log[group], groups * rounds);
  }
}

// The waiting time of one workgroup must not add up, or double, from link to link.
TEST_P(Kernels, WaitForLaterWorkgroupsOneAfterTheOther) {
  for (const uint32_t pairs : {0u, 1u}) {
    constexpr uint32_t kGroups = 64;
    Array<uint32_t> done(device.space, kGroups);
    DispatchOptions options;
    options.threads = 1;
    options.max_wave_instructions = 200'000'000;
    expect_completed(
        device.run("wait_for_neighbour", linear(kGroups * 64, 64), Arguments(done.address(), kGroups, pairs), options));
    for (uint32_t group = 0; group < kGroups; ++group) EXPECT_EQ(done[group], 1u);
  }
}

TEST_P(Kernels, WaitForAFlagThatAConcurrentDispatchSets) {
  for (const char* waiter : {"wait_for_flag", "wait_asleep"}) {
    Array<uint32_t> flag(device.space, 1), out(device.space, 1);
    const DispatchRequest waiting = device.request(waiter, linear(64, 64), Arguments(flag.address(), out.address()), 0);
    const DispatchRequest setting = device.request("set_flag", linear(1, 1), Arguments(flag.address()), 1);
    DispatchOutcome waited;
    std::atomic<int> slices{0};
    const std::function<bool()> count_slices = [&] { return ++slices, false; };
    DispatchOptions counted;
    counted.cancelled = &count_slices;
    std::thread queue([&] { waited = device.engine.run(waiting, counted); });
    EXPECT_TRUE(soon([&] { return slices > 2; }));
    EXPECT_EQ(out[0], 0u) << "the waiting kernel must not have passed yet";
    expect_completed(device.engine.run(setting, {}));
    queue.join();
    expect_completed(waited);
    EXPECT_EQ(out[0], 7u);
  }
}

uint32_t fibonacci(uint32_t n) {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

TEST_P(Kernels, RecurseWithDivergentDepths) {
  Array<uint32_t> out(device.space, 128);
  expect_completed(device.run("recursion", linear(128, 128), Arguments(out.address())));
  for (uint32_t i = 0; i < 128; ++i) EXPECT_EQ(out[i], fibonacci(i % 10)) << i;
}

TEST_P(Kernels, IndexLocalArraysOfEveryWidth) {
  Array<uint32_t> in(device.space, 64);
  Array<uint64_t> out(device.space, 64);
  for (uint32_t i = 0; i < 64; ++i) in[i] = noise(i);
  expect_completed(device.run("local_arrays", linear(64, 64), Arguments(in.address(), out.address())));
  for (uint32_t t = 0; t < 64; ++t) {
    uint8_t bytes[16];
    uint16_t words[16];
    uint64_t wide[16];
    for (uint32_t k = 0; k < 16; ++k) {
      const uint32_t x = in[(t + k) % 64];
      bytes[(k * 7) % 16] = static_cast<uint8_t>(x);
      words[(k * 5) % 16] = static_cast<uint16_t>(x);
      wide[(k * 3) % 16] = uint64_t{x} << 20 | k;
    }
    uint64_t sum = 0;
    for (uint32_t k = 0; k < 16; ++k) sum = sum * 31 + bytes[k] + words[15 - k] * 3ull + wide[(k + in[0]) % 16];
    EXPECT_EQ(out[t], sum) << t;
  }
}

TEST_P(Kernels, FollowFlatPointersIntoEveryMemory) {
  Array<uint32_t> in(device.space, 64), out(device.space, 64);
  for (uint32_t i = 0; i < 64; ++i) in[i] = noise(i);
  expect_completed(device.run("flat_pointers", linear(64, 64), Arguments(in.address(), out.address())));
  for (uint32_t t = 0; t < 64; ++t) {
    const uint32_t mine = 2000 + t + in[t] % 4;
    const uint32_t expected = t % 3 == 0 ? in[t] : t % 3 == 1 ? 1000 + 63 - t : mine + mine + 5;
    EXPECT_EQ(out[t], expected) << t;
  }
}

TEST_P(Kernels, KnowWhoTheyAreInThreeDimensions) {
  constexpr uint32_t width = 19, height = 6, depth = 3;  // partial in x, y and z
  Array<uint32_t> out(device.space, width * height * depth * 2);
  expect_completed(
      device.run("identity", Geometry{{width, height, depth}, {8, 4, 2}}, Arguments(out.address(), width, height)));
  for (uint32_t z = 0; z < depth; ++z) {
    for (uint32_t y = 0; y < height; ++y) {
      for (uint32_t x = 0; x < width; ++x) {
        const size_t at = ((z * height + y) * width + x) * 2;
        EXPECT_EQ(out[at], (x / 8) | (y / 4) << 8 | (z / 2) << 16);
        EXPECT_EQ(out[at + 1], (x % 8) | (y % 4) << 8 | (z % 2) << 16);
      }
    }
  }
}

TEST_P(Kernels, HaveTheirIdsInTheOrderOfLanes) {
  constexpr uint16_t kShapes[][3] = {{16, 4, 1}, {32, 3, 2}, {48, 4, 1}, {16, 2, 5}, {64, 2, 2}, {24, 4, 1}, {5, 7, 3}};
  for (const uint16_t(&shape)[3] : kShapes) {
    const uint32_t items = uint32_t{shape[0]} * shape[1] * shape[2];
    Array<uint32_t> out(device.space, items);
    expect_completed(device.run("lane_of_each",
                                Geometry{{shape[0], shape[1], shape[2]}, {shape[0], shape[1], shape[2]}},
                                Arguments(out.address(), uint32_t{shape[0]}, uint32_t{shape[1]})));
    for (uint32_t k = 0; k < items; ++k) EXPECT_EQ(out[k], k % kLanes + 1) << k;
  }
}

TEST_P(Kernels, RepeatTheirCountersExactly) {
  Array<uint32_t> out(device.space, 256);
  const auto run = [&](unsigned threads) {
    return device.run("divergent", linear(256, 128), Arguments(out.address()), {.threads = threads}).counters;
  };
  const Counters first = run(1), second = run(1), parallel = run(2);
  EXPECT_GT(first.divergent_branches, 0u);
  for (const Counters* other : {&second, &parallel}) {
    EXPECT_EQ(first, *other);
  }
}

TEST_P(Kernels, ReportExactlyTheBytesTheyTouch) {
  Array<int32_t> a(device.space, 256, "a"), b(device.space, 256, "b"), out(device.space, 256, "out");
  AccessSets sets;
  DispatchOptions options;
  options.accesses = &sets;
  const DispatchOutcome outcome = device.run(
      "vector_add", linear(128, 128), Arguments(a.address() + 4, b.address() + 40, out.address() + 8, 100u), options);
  expect_completed(outcome);
  ASSERT_EQ(sets.writes.size(), 1u);
  EXPECT_EQ(sets.writes[0].base, out.address() + 8);
  EXPECT_EQ(sets.writes[0].size, 400u);
  std::set<std::pair<uint64_t, uint64_t>> reads;
  for (const AddressRange& range : sets.reads) reads.insert({range.base, range.size});
  EXPECT_TRUE(reads.count({a.address() + 4, 400}));
  EXPECT_TRUE(reads.count({b.address() + 40, 400}));
  for (const auto& [base, size] : reads) {
    const bool is_kernarg = base >= device.kernarg_address() && base + size <= device.kernarg_address() + 512;
    EXPECT_TRUE(is_kernarg || base == a.address() + 4 || base == b.address() + 40) << std::hex << base << " " << size;
  }
}

TEST_P(Kernels, CountTransactionsOfWholeCacheLines) {
  Array<int32_t> a(device.space, 256), b(device.space, 256), out(device.space, 256);
  const auto run = [&](uint64_t offset) {
    return device.run("vector_add", linear(64, 128), Arguments(a.address() + offset, b.address(), out.address(), 64u))
        .counters;
  };
  // 64 lanes of 4 bytes are 4 lines of 64 bytes, or 5 when they begin inside of one.
  const Counters aligned = run(0), shifted = run(4);
  EXPECT_EQ(shifted.memory_transactions, aligned.memory_transactions + 1);
  EXPECT_EQ(aligned.bytes_written, 256u);
}

TEST_P(Kernels, TakeWorkgroupsInTheOrderOfTheSeed) {
  constexpr uint32_t groups = 100;
  const auto run = [&](uint64_t seed) {
    Array<uint32_t> next(device.space, 1), order(device.space, groups);
    expect_completed(device.run("take_ticket", linear(groups * 64, 64), Arguments(next.address(), order.address()),
                                {.seed = seed, .threads = 1}));
    return std::vector<uint32_t>(order.begin(), order.end());
  };
  std::vector<uint32_t> ascending(groups);
  std::iota(ascending.begin(), ascending.end(), 0u);
  EXPECT_EQ(run(0), ascending);
  const std::vector<uint32_t> one = run(1), two = run(2);
  EXPECT_NE(one, ascending);
  EXPECT_NE(one, two);
  EXPECT_EQ(one, run(1));
  EXPECT_TRUE(std::is_permutation(one.begin(), one.end(), ascending.begin()));
}

TEST_P(Kernels, TakeWavesInTheOrderOfTheSeed) {
  const auto run = [&](uint64_t seed) {
    Array<uint32_t> order(device.space, 8);
    expect_completed(
        device.run("wave_order", linear(512, 512), Arguments(order.address()), {.seed = seed, .threads = 1}));
    return std::vector<uint32_t>(order.begin(), order.end());
  };
  const std::vector<uint32_t> ascending = {0, 1, 2, 3, 4, 5, 6, 7};
  EXPECT_EQ(run(0), ascending);
  std::set<std::vector<uint32_t>> orders;
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    orders.insert(run(seed));
    EXPECT_EQ(run(seed), run(seed));
  }
  EXPECT_GE(orders.size(), 4u);
}

TEST_P(Kernels, SeeAClockThatMovesAndRepeats) {
  Array<uint64_t> out(device.space, 2);
  expect_completed(device.run("clocks", linear(1, 1), Arguments(out.address())));
  const uint64_t elapsed = out[0], now = out[1];
  EXPECT_GT(elapsed, 0u);
  expect_completed(device.run("clocks", linear(1, 1), Arguments(out.address())));
  EXPECT_EQ(out[0], elapsed);
  EXPECT_EQ(out[1], now);
}

TEST_P(Kernels, SeeTimePassWhileTheySleep) {
  Array<uint64_t> out(device.space, 1);
  // 0.2 ms: a sleep of 127 times 64 cycles of 1.7 GHz is 478 ticks of 100 MHz.
  for (const uint32_t machine : {0u, 1u}) {
    expect_completed(
        device.run("wait_for_a_time", linear(1, 1), Arguments(out.address(), 20000u), {.machine_in_use = machine}));
    EXPECT_GE(out[0], 25u) << machine;
    EXPECT_LE(out[0], 42u) << machine;
  }
}

TEST_P(Kernels, SeeAClockOfHoursOnAMachineInUse) {
  Array<uint64_t> out(device.space, 2);
  const auto clocks = [&](uint32_t seed) {
    expect_completed(device.run("clocks", linear(1, 1), Arguments(out.address()), {.machine_in_use = seed}));
    return std::pair(out[0], out[1]);
  };
  const auto [elapsed, now] = clocks(1);
  constexpr uint64_t kHour = uint64_t{3600} * 100'000'000;  // ticks of the real-time counter
  EXPECT_GT(now, kHour);
  EXPECT_GT(elapsed, 0u);
  EXPECT_LT(elapsed, 100'000u);
  EXPECT_EQ(clocks(1), std::pair(elapsed, now));
  EXPECT_NE(clocks(2).second, now);
  EXPECT_LT(clocks(0).second, kHour);
}

TEST(WaveClocks, GoOnAtNoEvenPaceOnAMachineInUse) {
  const WaveClock clock = WaveClock::of_machine_in_use(3, 5, 1);
  std::set<uint64_t> steps;
  for (uint64_t i = 0; i < 1000; ++i) {
    ASSERT_GT(clock.cycles(i + 1), clock.cycles(i));
    steps.insert(clock.cycles(i + 1) - clock.cycles(i));
  }
  EXPECT_GT(steps.size(), 4u);
  EXPECT_NE(WaveClock::of_machine_in_use(3, 5, 0).start, clock.start);
  EXPECT_NE(WaveClock::of_machine_in_use(3, 6, 1).start, clock.start);
}

// Rounded by choosing the nearer neighbour of the exact sum.
uint16_t bfloat_sum(uint16_t a, uint16_t b) {
  const auto value = [](uint32_t bits) {
    float number;
    bits <<= 16;
    std::memcpy(&number, &bits, 4);
    return double{number};
  };
  for (const uint16_t each : {a, b}) {
    if (std::isnan(value(each))) return each | 0x40;
  }
  const double sum = value(a) + value(b);
  if (std::isnan(sum)) return 0x7fc0;
  const uint16_t sign = std::signbit(sum) ? 0x8000 : 0;
  uint16_t below = 0;  // the greatest magnitude that is not above the sum
  for (uint16_t bit = 0x4000; bit != 0; bit >>= 1) {
    if ((below | bit) <= 0x7f80 && value(below | bit) <= std::fabs(sum)) below |= bit;
  }
  if (below == 0x7f80) return sign | below;
  // The value after the greatest one counts as 2^128, where infinity is.
  const double above = below == 0x7f7f ? std::ldexp(1.0, 128) : value(below + 1u);
  const double down = std::fabs(sum) - value(below), up = above - std::fabs(sum);
  return sign | static_cast<uint16_t>(below + (up < down || (up == down && (below & 1)) ? 1 : 0));
}

TEST(KernelsOfGfx942, AddPairsOfBfloatInMemoryAndLds) {
  Device device{KERNLOOP_TEST_PROGRAMS_GFX942_O3, Isa::kGfx942};
  Array<uint32_t> values(device.space, 64 * 5), operands(device.space, 64), olds(device.space, 64 * 3);
  const uint32_t chosen[][2] = {
      {0x3f804000, 0x3f803f00},  // 1 + 1, 2 + 0.5
      {0x43804381, 0x3f803f80},  // ties: 256 + 1, 258 + 1
      {0x7f7f7f7f, 0x7f7f7b00},  // infinity, and the greatest value stays
      {0x00010080, 0x00018001},  // denormals
      {0x7f807f81, 0xff803f80},  // infinity - infinity, a signalling NaN
      {0xbf803f80, 0x3f80ffc1},  // 1 - 1, a NaN with a payload
  };
  for (uint32_t round = 0; round < 200; ++round) {
    for (uint32_t i = 0; i < values.count(); ++i) values[i] = noise(round * 1000 + i);
    // Half of the operands have an exponent near that of the value.
    for (uint32_t i = 0; i < 64; ++i)
      operands[i] = i % 2 ? noise(round * 77 + i) : values[i * 5] ^ (noise(i + round) & 0x83ff83ff);
    if (round == 0) {
      for (uint32_t i = 0; i < std::size(chosen); ++i) {
        std::fill_n(values.begin() + i * 5, 5, chosen[i][0]);
        operands[i] = chosen[i][1];
      }
    }
    const std::vector<uint32_t> before(values.begin(), values.end());
    const DispatchOutcome outcome =
        device.run("add_bfloat_pairs", linear(64, 64), Arguments(values.address(), operands.address(), olds.address()));
    ASSERT_FALSE(outcome.fault) << outcome.fault->text();
    for (uint32_t i = 0; i < values.count(); ++i) {
      const uint32_t was = before[i], operand = operands[i / 5];
      const uint32_t low = bfloat_sum(static_cast<uint16_t>(was), static_cast<uint16_t>(operand));
      const uint32_t high = bfloat_sum(static_cast<uint16_t>(was >> 16), static_cast<uint16_t>(operand >> 16));
      ASSERT_EQ(values[i], low | high << 16) << std::hex << was << " + " << operand << ", form " << i % 5;
    }
    for (uint32_t i = 0; i < 64; ++i) {
      EXPECT_EQ(olds[i * 3], before[i * 5 + 1]);
      EXPECT_EQ(olds[i * 3 + 1], before[i * 5 + 2]);
      EXPECT_EQ(olds[i * 3 + 2], before[i * 5 + 4]);
    }
  }
}

}  // namespace
}  // namespace kernloop::softgpu::testing
