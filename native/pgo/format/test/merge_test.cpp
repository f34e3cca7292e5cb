#include <gtest/gtest.h>

#include "pgo/format/merge.h"
#include "pgo/format/write.h"

namespace kernloop::pgo {
namespace {

Profile profile_of(const std::string& name, uint64_t hash, std::vector<uint64_t> counters,
                   std::vector<uint64_t> uniform = {}) {
  Profile profile;
  FunctionProfile function;
  function.name = name, function.hash = hash;
  function.counters = std::move(counters), function.uniform = std::move(uniform);
  profile.functions.push_back(function);
  return profile;
}

Profile measured(Profile profile, const std::string& arch, Sampling sampling = {}) {
  profile.arch = arch, profile.wave_size = 64, profile.sampling = sampling;
  return profile;
}

const FunctionProfile& only(const Profile& profile) {
  EXPECT_EQ(profile.functions.size(), 1u);
  return profile.functions.at(0);
}

TEST(Merge, CountersAreAddedWithTheirWeights) {
  Merger merger({});
  ASSERT_TRUE(merger.add(profile_of("f", 1, {1, 10}, {1, 5}), 1, "a"));
  ASSERT_TRUE(merger.add(profile_of("f", 1, {2, 20}, {0, 20}), 3, "b"));
  const Profile merged = merger.result();
  EXPECT_EQ(only(merged).counters, (std::vector<uint64_t>{7, 70}));
  EXPECT_EQ(only(merged).uniform, (std::vector<uint64_t>{1, 65}));
  EXPECT_EQ(only(merged).pattern, "DU");
  EXPECT_TRUE(merger.notes().empty());
}

TEST(Merge, CountersThatDoNotFitStayAtTheLargestNumberAndAreNamed) {
  Merger merger({});
  ASSERT_TRUE(merger.add(profile_of("f", 1, {UINT64_MAX - 1, 5}), 1, "a"));
  ASSERT_TRUE(merger.add(profile_of("f", 1, {1, 5}), 1, "b"));
  EXPECT_TRUE(merger.notes().empty());
  ASSERT_TRUE(merger.add(profile_of("f", 1, {UINT64_MAX / 2, 5}), 3, "c"));
  EXPECT_EQ(only(merger.result()).counters, (std::vector<uint64_t>{UINT64_MAX, 25}));
  ASSERT_EQ(merger.notes().size(), 1u);
  EXPECT_EQ(merger.notes()[0].code, "PGO_COUNTER_SATURATED");
  EXPECT_NE(merger.notes()[0].text.find("counter 0 of 'f'"), std::string::npos);
}

TEST(Merge, AFunctionWithTwoHashesIsAnErrorThatNamesItAndBothFiles) {
  Merger merger({});
  ASSERT_TRUE(merger.add(profile_of("_Z4scalPf", 1, {1}), 1, "a.profraw"));
  const auto second = merger.add(profile_of("_Z4scalPf", 2, {1}), 1, "b.profraw");
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, "PGO_HASH_MISMATCH");
  for (const char* part : {"_Z4scalPf", "a.profraw", "b.profraw", "0x1", "0x2"})
    EXPECT_NE(second.error().message.find(part), std::string::npos) << part;
}

// Four kernels of one program shared one hash.
TEST(Merge, FunctionsOfOneHashAreKeptApartByName) {
  Merger merger({});
  ASSERT_TRUE(merger.add(profile_of("f", 7, {1}), 1, "a"));
  ASSERT_TRUE(merger.add(profile_of("g", 7, {5}), 1, "a"));
  const Profile merged = merger.result();
  ASSERT_EQ(merged.functions.size(), 2u);
  EXPECT_EQ(merged.functions[0].counters[0], 1u);
  EXPECT_EQ(merged.functions[1].counters[0], 5u);
}

TEST(Merge, ArchitecturesSamplingsAndKindsAreNotMixed) {
  const auto code = [](const Profile& a, const Profile& b, MergeOptions options = {}) {
    Merger merger(options);
    const auto first = merger.add(a, 1, "a");
    EXPECT_TRUE(first);
    const auto second = merger.add(b, 1, "b");
    return second ? std::string() : second.error().code;
  };
  const Profile f = profile_of("f", 1, {1});
  EXPECT_EQ(code(measured(f, "gfx90a"), measured(f, "gfx90a")), "");
  EXPECT_EQ(code(measured(f, "gfx90a"), measured(f, "gfx1030")), "PGO_ARCH_MIXED");
  EXPECT_EQ(code(f, measured(f, "gfx1030"), {.arch = "gfx1030"}), "");
  EXPECT_EQ(code(f, measured(f, "gfx1030"), {.arch = "gfx90a"}), "PGO_ARCH_MIXED");
  const Sampling blocks{Sampling::Kind::kBlocks, 8};
  EXPECT_EQ(code(measured(f, "gfx90a"), measured(f, "gfx90a", blocks)), "PGO_SAMPLING_MIXED");
  EXPECT_EQ(code(measured(f, "gfx90a"), measured(f, "gfx90a", blocks), {.mixed_sampling = true}), "");
  Profile front_end = f;
  front_end.variant.ir = false;
  EXPECT_EQ(code(f, front_end), "PGO_VARIANT_MIXED");
  Profile narrow = measured(f, "gfx90a");
  narrow.wave_size = 32;
  EXPECT_EQ(code(measured(f, "gfx90a"), narrow), "PGO_MEASURE_MIXED");
}

TEST(Merge, LocalFunctionsTakeTheFileThatTheyHaveElsewhere) {
  Merger merger({.renames = {{"src/scale.hip", "kernel_variant.hip"}}});
  ASSERT_TRUE(merger.add(profile_of("src/scale.hip;twice", 1, {1}), 1, "a"));
  ASSERT_TRUE(merger.add(profile_of("lib/src/scale.hip;twice", 1, {5}), 1, "a"));
  ASSERT_TRUE(merger.add(profile_of("src/scale.hip", 1, {9}), 1, "a"));
  const Profile merged = merger.result();
  ASSERT_EQ(merged.functions.size(), 3u);
  EXPECT_EQ(merged.functions[0].name, "kernel_variant.hip;twice");
  EXPECT_EQ(merged.functions[0].counters[0], 1u);
  EXPECT_EQ(merged.functions[1].name, "lib/src/scale.hip;twice");
  EXPECT_EQ(merged.functions[2].name, "src/scale.hip");
}

TEST(Merge, TwoFunctionsThatARenamingWouldMakeOneAreAnError) {
  Merger merger({.renames = {{"a.hip", "k.hip"}, {"b.hip", "k.hip"}}});
  ASSERT_TRUE(merger.add(profile_of("a.hip;twice", 1, {1}), 1, "a"));
  const auto second = merger.add(profile_of("b.hip;twice", 1, {1}), 1, "a");
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, "PGO_RENAME_COLLISION");
  EXPECT_NE(second.error().message.find("'a.hip;twice'"), std::string::npos);
}

// Half of the lanes measured as uniform, half not measured: not "50% uniform".
TEST(Merge, UniformityThatNotAllInputsHaveIsLeftOutAndSaidSo) {
  Merger merger({});
  ASSERT_TRUE(merger.add(profile_of("f", 1, {10}, {10}), 1, "a"));
  ASSERT_TRUE(merger.add(profile_of("f", 1, {10}), 1, "b"));
  const Profile merged = merger.result();
  EXPECT_TRUE(only(merged).uniform.empty());
  EXPECT_EQ(only(merged).pattern, "");
  ASSERT_EQ(merger.notes().size(), 1u);
  EXPECT_EQ(merger.notes()[0].code, "PGO_UNIFORM_LEFT_OUT");
}

TEST(Merge, ABlockIsDivergentIfOneOfTheIndexedInputsSaysSo) {
  Merger merger({});
  Profile one = profile_of("f", 1, {10, 10}), other = one;
  one.functions[0].pattern = "UU", other.functions[0].pattern = "UD";
  ASSERT_TRUE(merger.add(one, 1, "a"));
  ASSERT_TRUE(merger.add(other, 1, "b"));
  EXPECT_EQ(only(merger.result()).pattern, "UD");
}

TEST(Merge, WavesOfClassesAreAddedAndOtherClassesAreAnError) {
  Profile one = profile_of("f", 1, {10, 10}, {10, 0});
  one.functions[0].classes = {{3, 10, false, 0}, {4, 0, false, 1}};
  one.functions[0].counter_class = {0, 1};
  Merger merger({});
  ASSERT_TRUE(merger.add(one, 2, "a"));
  EXPECT_EQ(only(merger.result()).classes[1].waves, 8u);
  EXPECT_EQ(only(merger.result()).classes[0].uniform_lanes, 20u);
  Profile other = one;
  other.functions[0].counter_class = {1, 0};
  EXPECT_FALSE(merger.add(other, 1, "b"));
}

// Files of the RFC: both are spread over slots.
TEST(Merge, UniformCountersAreSummedOverTheSameSlotsAsTheCounters) {
  RawProfile raw;
  raw.values = {5, 6, 7, 8};
  raw.functions.push_back({"f", 1, 1, 2, 2, 0});
  const std::vector<uint64_t> uniform = {5, 5, 0, 8};
  const auto profile = with_side_files(raw, &uniform, nullptr, "t");
  ASSERT_TRUE(profile);
  EXPECT_EQ(only(*profile).counters, (std::vector<uint64_t>{11, 15}));
  EXPECT_EQ(only(*profile).uniform, (std::vector<uint64_t>{10, 8}));
  Merger merger({});
  ASSERT_TRUE(merger.add(*profile, 1, "t"));
  EXPECT_EQ(only(merger.result()).pattern, "UD");
}

TEST(Merge, UniformCountersOfAnotherProfileAreRefused) {
  RawProfile raw;
  raw.values = {1, 2};
  raw.functions.push_back({"f", 1, 1, 2, 1, 0});
  const std::vector<uint64_t> three = {1, 2, 3}, more = {1, 3}, fitting = {0, 2};
  EXPECT_EQ(with_side_files(raw, &three, nullptr, "t").error().code, "PGO_SIDE_FILE_FOREIGN");
  EXPECT_EQ(with_side_files(raw, &more, nullptr, "t").error().code, "PGO_SIDE_FILE_FOREIGN");
  EXPECT_TRUE(with_side_files(raw, &fitting, nullptr, "t"));
  const WaveFile of_nvidia{"sm_90", "x", 32, {}, UniformRule::kBranch, {{1, 1, {0, 0}, {{}}}}};
  EXPECT_TRUE(with_side_files(raw, &more, &of_nvidia, "t"));
  const WaveFile others{"gfx90a", "x", 64, {}, UniformRule::kBranch, {{1, 5, {0, 0}, {{}}}}};
  EXPECT_EQ(with_side_files(raw, nullptr, &others, "t").error().code, "PGO_SIDE_FILE_FOREIGN");
}

TEST(WriteText, NamesThatWouldBeReadAsSomethingElseAreRefused) {
  EXPECT_TRUE(write_text(profile_of("a b.hip;f", 1, {1})));
  for (const char* name : {"", "#f", ":ir", "f\ng", " f", "f "})
    EXPECT_FALSE(write_text(profile_of(name, 1, {1}))) << name;
}

TEST(WriteWavesJson, SaysWhatWasMeasuredInHexAndPatterns) {
  Profile one = measured(profile_of("f", 0xabc, {16, 3}, {16, 0}), "gfx90a", {Sampling::Kind::kBlocks, 8});
  one.functions[0].classes = {{2, 16, true, 0}, {1, 0, false, kNoCounter}};
  one.functions[0].counter_class = {0, 1};
  Merger merger({});
  ASSERT_TRUE(merger.add(one, 1, "a"));
  const std::string text = write_waves_json(merger.result(), to_text(merger.result().sampling));
  EXPECT_EQ(
      nlohmann::ordered_json::parse(text).dump(),
      R"({"schema":"kernloop.pgo-waves/1","arch":"gfx90a","wave_size":64,"sampling":"blocks:8","uniform_rule":"branch","functions":[)"
      R"({"name":"f","hash":"0xabc","counters":["0x10","0x3"],"uniform":["0x10","0x0"],"pattern":"UD","classes":[)"
      R"({"waves":"0x2","uniform_lanes":"0x10","static_uniform":true,"counter":0},)"
      R"({"waves":"0x1","uniform_lanes":"0x0","static_uniform":false}],"counter_class":[0,1]}]})");
}

}  // namespace
}  // namespace kernloop::pgo
