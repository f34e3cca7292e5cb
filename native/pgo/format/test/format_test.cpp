#include <gtest/gtest.h>

#include "pgo/format/device_image.h"
#include "pgo/format/indexed.h"
#include "pgo/format/raw.h"
#include "pgo/format/side_files.h"
#include "pgo/format/test/fixtures.h"

namespace kernloop::pgo {
namespace {

using test::indexed_file;
using test::raw_file;
using test::RawSpec;

RawSpec two_functions() {
  RawSpec spec;
  spec.functions = {{"alpha", 11, {1, 2, 3}}, {"dir/b.hip;beta", 12, {40, 50}}};
  return spec;
}

std::string code_of(const Buffer& file) {
  const auto read = read_raw(file, "t.profraw");
  if (read) return "";
  EXPECT_EQ(read.error().message.find("t.profraw: "), 0u) << read.error().message;
  return read.error().code;
}

TEST(RawProfile, FunctionsAreReadWithTheirNamesHashesAndCounters) {
  const auto read = read_raw(raw_file(two_functions()), "t");
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_EQ(read->size(), 1u);
  const RawProfile& profile = read->front();
  ASSERT_EQ(profile.functions.size(), 2u);
  EXPECT_EQ(profile.functions[0].name, "alpha");
  EXPECT_EQ(profile.functions[1].name, "dir/b.hip;beta");
  EXPECT_EQ(profile.functions[1].hash, 12u);
  EXPECT_EQ(sum_slots(profile.functions[0], profile.values), (std::vector<uint64_t>{1, 2, 3}));
  EXPECT_EQ(sum_slots(profile.functions[1], profile.values), (std::vector<uint64_t>{40, 50}));
  EXPECT_TRUE(profile.variant.ir);
}

TEST(RawProfile, EveryTruncationIsNamedAndNoneIsRead) {
  const Buffer whole = raw_file(two_functions());
  // The names end before the padding: from there on nothing is missing.
  size_t last = whole.size();
  while (whole[last - 1] == 0) --last;
  EXPECT_EQ(code_of({}), "PGO_PROFILE_EMPTY");
  for (size_t size = 1; size < last; ++size)
    EXPECT_EQ(code_of(Buffer(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size))),
              "PGO_PROFILE_TRUNCATED")
        << size;
  EXPECT_EQ(code_of(Buffer(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(last))), "");
}

TEST(RawProfile, WhatIsWrongIsNamed) {
  RawSpec spec = two_functions();
  spec.magic = __builtin_bswap64(spec.magic);
  EXPECT_EQ(code_of(raw_file(spec)), "PGO_PROFILE_ENDIAN");
  spec.magic = 0xff6c70726f665281;
  EXPECT_EQ(code_of(raw_file(spec)), "PGO_PROFILE_VERSION");
  spec.magic = 0x1122334455667788;
  EXPECT_EQ(code_of(raw_file(spec)), "PGO_PROFILE_MAGIC");
  for (const uint64_t version : {8, 9, 11, 12}) {
    spec = two_functions();
    spec.version = version | uint64_t{1} << 56;
    EXPECT_EQ(code_of(raw_file(spec)), "PGO_PROFILE_VERSION");
  }
  for (const int bit : {40, 59, 60, 61, 62, 63}) {
    spec = two_functions();
    spec.version |= uint64_t{1} << bit;
    EXPECT_EQ(code_of(raw_file(spec)), "PGO_PROFILE_VARIANT") << bit;
  }
  Buffer foreign_name = raw_file(two_functions());
  foreign_name[128] ^= 1;
  EXPECT_EQ(code_of(foreign_name), "PGO_PROFILE_INVALID");
  Buffer outside = raw_file(two_functions());
  outside[128 + 64 + 16] += 16;
  EXPECT_EQ(code_of(outside), "PGO_PROFILE_INVALID");
  Buffer unaligned = raw_file(two_functions());
  unaligned[128 + 16] += 4;
  EXPECT_EQ(code_of(unaligned), "PGO_PROFILE_INVALID");
}

TEST(RawProfile, ProfilesThatFollowEachOtherAreAllRead) {
  Buffer file = raw_file(two_functions());
  file.resize(file.size() + 16);
  const Buffer second = raw_file({.functions = {{"gamma", 1, {7}}}});
  file.insert(file.end(), second.begin(), second.end());
  const auto read = read_raw(file, "t");
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_EQ(read->size(), 2u);
  EXPECT_EQ(read->at(1).functions[0].name, "gamma");
}

// A reader that took the RFC's records for stock's would find the second function's name in the middle of nowhere.
TEST(RawProfile, RecordsOfTheRfcAreToldByTheirSizeAndTheirSlotsAreSummed) {
  RawSpec spec;
  spec.record_bytes = 72, spec.slots = 4;
  spec.functions = {{"one", 1, {1, 2, 3, 4, 10, 20, 30, 40}}, {"two", 2, {5, 5, 5, 5}}};
  const auto read = read_raw(raw_file(spec), "t");
  ASSERT_TRUE(read) << read.error().message;
  const RawProfile& profile = read->front();
  EXPECT_EQ(profile.record_bytes, 72u);
  EXPECT_EQ(sum_slots(profile.functions[0], profile.values), (std::vector<uint64_t>{10, 100}));
  EXPECT_EQ(sum_slots(profile.functions[1], profile.values), (std::vector<uint64_t>{20}));

  spec.record_bytes = 64, spec.slots_in_padding = true;
  const auto padded = read_raw(raw_file(spec), "t");
  ASSERT_TRUE(padded) << padded.error().message;
  EXPECT_EQ(sum_slots(padded->front().functions[0], padded->front().values), (std::vector<uint64_t>{10, 100}));
}

TEST(RawProfile, ATruncatedFileOfTheRfcIsNamedAsThat) {
  RawSpec spec;
  spec.record_bytes = 72, spec.slots = 256;
  spec.functions = {{"one", 1, std::vector<uint64_t>(256, 1)}};
  Buffer file = raw_file(spec);
  file.resize(file.size() - 16);
  EXPECT_EQ(code_of(file), "PGO_PROFILE_TRUNCATED");
}

TEST(UniformCounters, AreReadBackAndEveryTruncationIsNamed) {
  const std::vector<uint64_t> values = {1, 0, UINT64_MAX};
  const Buffer file = write_uniform_counters(values);
  Buffer layout;
  test::put(layout, 0x55434E5450524F46, 8), test::put(layout, 1, 8), test::put(layout, 3, 8), test::put(layout, 24, 8);
  for (const uint64_t value : values) test::put(layout, value, 8);
  EXPECT_EQ(file, layout);
  const auto read = read_uniform_counters(file, "t");
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, values);
  for (size_t size = 0; size < file.size(); ++size)
    EXPECT_FALSE(read_uniform_counters(Bytes(file).first(size), "t")) << size;
  Buffer longer = file;
  longer.push_back(0);
  EXPECT_FALSE(read_uniform_counters(longer, "t"));
  Buffer newer = file;
  newer[8] = 2;
  EXPECT_EQ(read_uniform_counters(newer, "t").error().code, "PGO_PROFILE_VERSION");
}

WaveFile some_waves() {
  WaveFile waves{"gfx90a", "0a1b", 64, {Sampling::Kind::kBlocks, 8}, UniformRule::kFullMask, {}};
  waves.functions.push_back({1, 2, {0, 1, 0}, {{100, 6400, true, 0}, {7, 3, false, kNoCounter}}});
  waves.functions.push_back({3, 4, {0}, {{1, 2, false, 0}}});
  return waves;
}

TEST(WaveCounters, AreReadBackAndEveryTruncationIsNamed) {
  const WaveFile waves = some_waves();
  const Buffer file = write_waves(waves);
  const auto read = read_waves(file, "t");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->arch, "gfx90a");
  EXPECT_EQ(read->cuid, "0a1b");
  EXPECT_EQ(read->wave_size, 64u);
  EXPECT_EQ(read->sampling, waves.sampling);
  EXPECT_EQ(read->uniform_rule, UniformRule::kFullMask);
  ASSERT_EQ(read->functions.size(), 2u);
  EXPECT_EQ(read->functions[0].counter_class, waves.functions[0].counter_class);
  EXPECT_EQ(read->functions[0].classes, waves.functions[0].classes);
  for (size_t size = 0; size < file.size(); ++size)
    EXPECT_EQ(read_waves(Bytes(file).first(size), "t").error().code, "PGO_PROFILE_TRUNCATED") << size;
  Buffer newer = file;
  newer[8] = 2;
  EXPECT_EQ(read_waves(newer, "t").error().code, "PGO_PROFILE_VERSION");
}

TEST(IndexedProfile, BitsOfUniformityOfTheRfcsVersionBecomeAPattern) {
  const Buffer file = indexed_file(14, "kern", 99, {5, 6, 7}, {true, false, true});
  const auto read = read_indexed(file, "t");
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_EQ(read->functions.size(), 1u);
  EXPECT_EQ(read->functions[0].name, "kern");
  EXPECT_EQ(read->functions[0].counters, (std::vector<uint64_t>{5, 6, 7}));
  EXPECT_EQ(read->functions[0].pattern, "UDU");
  const auto without = read_indexed(indexed_file(14, "kern", 99, {5, 6, 7}, {}), "t");
  ASSERT_TRUE(without);
  EXPECT_EQ(without->functions[0].pattern, "");
  const auto previous = read_indexed(indexed_file(13, "kern", 99, {5}, {}), "t");
  ASSERT_TRUE(previous) << previous.error().message;
  EXPECT_EQ(previous->functions[0].counters, (std::vector<uint64_t>{5}));
}

TEST(IndexedProfile, WhatIsWrongIsNamed) {
  const auto code = [](const Buffer& file) {
    const auto read = read_indexed(file, "t");
    return read ? "" : read.error().code;
  };
  EXPECT_EQ(code(indexed_file(15, "k", 1, {1}, {})), "PGO_PROFILE_VERSION");
  EXPECT_EQ(code(indexed_file(7, "k", 1, {1}, {})), "PGO_PROFILE_VERSION");
  EXPECT_EQ(code(indexed_file(14, "k", 1, {1, 2}, {true})), "PGO_PROFILE_INVALID");
  const Buffer whole = indexed_file(14, "kern", 1, {1, 2}, {true, false});
  for (size_t size = 0; size + 16 < whole.size(); ++size)
    EXPECT_NE(code(Buffer(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size))), "") << size;
}

TEST(Uniformity, TheRuleOfNinetyPercentIsExactForLargeCounts) {
  EXPECT_EQ(uniformity(0, 0), 'U');
  EXPECT_EQ(uniformity(1000, 900), 'U');
  EXPECT_EQ(uniformity(1000, 899), 'D');
  EXPECT_EQ(uniformity(1, 0), 'D');
  // 90% of these, and one lane less: neither 64 bits nor doubles tell them apart.
  EXPECT_EQ(uniformity(10000000000000000000u, 9000000000000000000u), 'U');
  EXPECT_EQ(uniformity(10000000000000000000u, 8999999999999999999u), 'D');
}

}  // namespace
}  // namespace kernloop::pgo
