// Launches that are not the captured one: changes and refusals.
#include "replay/core/launch/overrides.h"

#include <gtest/gtest.h>

#include <cstring>

#include "replay/core/session/options.h"

namespace kernloop::replay {
namespace {

using Extent = std::array<uint32_t, 3>;

template <typename T>
T value_at(const Launch& launch, size_t offset) {
  T value;
  std::memcpy(&value, launch.kernarg.data() + offset, sizeof value);
  return value;
}

// out: pointer, n: int by the signature, factor: double by the metadata, pair: a structure.
class OverridesTest : public testing::Test {
 protected:
  OverridesTest() {
    manifest_.kernel.name = "void scale<float>(float*, int, double, Pair)";
    kernel_.name = "_Z5scale";
    kernel_.max_flat_workgroup_size = 256;
    kernel_.args = {{0, 8, "global_buffer", "out", "", "", "", ""},
                    {8, 4, "by_value", "", "", "", "", ""},
                    {16, 8, "by_value", "factor", "double", "", "", ""},
                    {24, 16, "by_value", "pair", "", "", "", ""}};
    const char* hidden[] = {"hidden_block_count_x", "hidden_block_count_y", "hidden_block_count_z"};
    for (uint32_t i = 0; i < 3; ++i) kernel_.args.push_back({40 + 4 * i, 4, hidden[i], "", "", "", "", ""});
    kernel_.args.push_back({52, 2, "hidden_group_size_x", "", "", "", "", ""});
    kernel_.args.push_back({54, 2, "hidden_remainder_x", "", "", "", "", ""});
    kernel_.args.push_back({56, 4, "hidden_dynamic_lds_size", "", "", "", "", ""});
    launch_.kernarg = Buffer(64, 0xee);
    launch_.block_threads = {64, 1, 1};
    launch_.grid_blocks = {4, 1, 1};
    launch_.grid_work_items = {250, 1, 1};
    launch_.group_segment_bytes = 40 + 256;
    launch_.dynamic_group_segment_bytes = 256;
  }

  Result<Json> apply(const Overrides& overrides) { return apply_overrides(overrides, manifest_, kernel_, launch_); }
  Result<Json> set(const std::string& argument) { return apply({{}, {}, {}, {*parse_argument_override(argument)}}); }
  std::string refusal(const std::string& argument) {
    const Buffer before = launch_.kernarg;
    const auto done = set(argument);
    EXPECT_EQ(launch_.kernarg, before) << argument;
    return done ? "" : done.error().code;
  }

  archive::Manifest manifest_;
  codeobject::Kernel kernel_;
  Launch launch_;
};

TEST_F(OverridesTest, GivesEveryBlockAllItsThreadsAndTellsTheKernel) {
  const auto done = apply({Extent{8, 2, 1}, Extent{32, 4, 1}, {}, {}});
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(launch_.grid_blocks, (Extent{8, 2, 1}));
  EXPECT_EQ(launch_.block_threads, (Extent{32, 4, 1}));
  EXPECT_EQ(launch_.grid_work_items, (std::array<uint64_t, 3>{256, 8, 1}));
  EXPECT_EQ(launch_.dimensions, 2);
  EXPECT_EQ(value_at<uint32_t>(launch_, 40), 8u);
  EXPECT_EQ(value_at<uint32_t>(launch_, 44), 2u);
  EXPECT_EQ(value_at<uint16_t>(launch_, 52), 32u);
  EXPECT_EQ(value_at<uint16_t>(launch_, 54), 0u) << "no partial block is left";
  EXPECT_EQ((*done)["grid_blocks"]["from"], Json({4, 1, 1}));
  EXPECT_EQ((*done)["grid_blocks"]["to"], Json({8, 2, 1}));
  EXPECT_FALSE(done->contains("arguments"));
}

TEST_F(OverridesTest, KeepsTheStaticPartOfTheSharedMemory) {
  const auto done = apply({{}, {}, 1024, {}});
  ASSERT_TRUE(done);
  EXPECT_EQ(launch_.group_segment_bytes, 40u + 1024);
  EXPECT_EQ(launch_.dynamic_group_segment_bytes, 1024u);
  EXPECT_EQ(value_at<uint32_t>(launch_, 56), 1024u);
  EXPECT_EQ(launch_.grid_work_items[0], 250u) << "the partial block of the app stays where no geometry was given";
}

TEST_F(OverridesTest, RefusesGeometriesThatNoDeviceLaunches) {
  for (const Overrides& bad : {Overrides{{}, Extent{1025, 1, 1}, {}, {}}, Overrides{{}, Extent{16, 16, 5}, {}, {}},
                               Overrides{{}, Extent{1u << 31, 1u << 31, 4}, {}, {}},
                               Overrides{Extent{1u << 26, 1, 1}, {}, {}, {}}, Overrides{{}, {}, UINT32_MAX, {}}}) {
    Launch launch = launch_;
    const auto done = apply_overrides(bad, manifest_, kernel_, launch);
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, "LAUNCH_REFUSED");
  }
}

TEST_F(OverridesTest, TypesArgumentsByMetadataAndSignature) {
  ASSERT_TRUE(set("out=0x41b700100040"));
  EXPECT_EQ(value_at<uint64_t>(launch_, 0), 0x41b700100040u);
  ASSERT_TRUE(set("1=-5"));
  EXPECT_EQ(value_at<int32_t>(launch_, 8), -5);
  EXPECT_EQ(value_at<uint32_t>(launch_, 12), 0xeeeeeeeeu) << "the bytes behind stay";
  const auto done = set("factor=0.1");
  ASSERT_TRUE(done);
  EXPECT_EQ(value_at<double>(launch_, 16), 0.1);
  const Json change = (*done)["arguments"][0];
  EXPECT_EQ(change["index"], 2);
  EXPECT_EQ(change["type"], "f64");
  EXPECT_EQ(change["to"], 0.1);
  // Its bits under another type of the same size.
  ASSERT_TRUE(set("factor:u64=0x3ff0000000000000"));
  EXPECT_EQ(value_at<double>(launch_, 16), 1.0);
}

TEST_F(OverridesTest, RefusesWhatItCannotType) {
  EXPECT_EQ(refusal("pair=1"), "ARGUMENT_UNTYPED") << "a structure";
  EXPECT_EQ(refusal("pair:f64=1"), "ARGUMENT_UNTYPED") << "half of it";
  EXPECT_EQ(refusal("1:f64=1"), "ARGUMENT_UNTYPED") << "larger than the argument";
  EXPECT_EQ(refusal("1:complex=1"), "ARGUMENT_UNTYPED");
  manifest_.kernel.name = "scale";
  EXPECT_EQ(refusal("1=5"), "ARGUMENT_UNTYPED") << "extern \"C\": four bytes may be a float";
  ASSERT_TRUE(set("1:f32=5"));
  EXPECT_EQ(value_at<float>(launch_, 8), 5.0f);
  manifest_.kernel.name = "scale(int, float)";
  EXPECT_EQ(refusal("1=5"), "ARGUMENT_UNTYPED") << "the signature of another parameter list";
}

TEST_F(OverridesTest, RefusesValuesOutsideOfTheType) {
  for (const char* bad : {"1=2147483648", "1=0x100000000", "1=1.5", "1=5x", "1:f32=1e39", "1:f32=0x", "out=4096",
                          "out=0x12345678123456789"}) {
    EXPECT_EQ(refusal(bad), "ARGUMENT_VALUE") << bad;
  }
  EXPECT_FALSE(parse_argument_override("1="));
  ASSERT_TRUE(set("1=0xffffffff")) << "hex is the bits";
  EXPECT_EQ(value_at<int32_t>(launch_, 8), -1);
}

TEST_F(OverridesTest, NamesTheArgumentsThatThereAre) {
  const auto done = set("nowhere=1");
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, "ARGUMENT_UNKNOWN");
  EXPECT_NE(done.error().hint.find("2 (factor)"), std::string::npos) << done.error().hint;
  EXPECT_EQ(refusal("4=1"), "ARGUMENT_UNKNOWN") << "hidden arguments are not the user's";
}

TEST_F(OverridesTest, ReadsExtents) {
  EXPECT_EQ(parse_extent("7"), (Extent{7, 1, 1}));
  EXPECT_EQ(parse_extent("7,8,9"), (Extent{7, 8, 9}));
  for (const char* bad : {"", "0", "1,", ",1", "1,2,3,4", "-1", "1x2", "4294967296", "1, 2"})
    EXPECT_FALSE(parse_extent(bad)) << bad;
}

TEST_F(OverridesTest, AreNeverCompared) {
  for (const auto& more : {std::vector<std::string>{"--compare"}, {"--calibrate", "1,2"}}) {
    for (const auto& change :
         {std::vector<std::string>{"--grid", "1"}, {"--block", "1"}, {"--dynamic-shared", "0"}, {"--arg", "0=0x0"}}) {
      std::vector<std::string> arguments = {"--capture", "c"};
      arguments.insert(arguments.end(), more.begin(), more.end());
      ASSERT_TRUE(parse_options(arguments));
      arguments.insert(arguments.end(), change.begin(), change.end());
      EXPECT_FALSE(parse_options(arguments)) << change[0] << " with " << more[0];
    }
  }
}

// The source of a Triton kernel says how it is launched: other blocks, the same result.
TEST_F(OverridesTest, OfAVariantAreComparedAndOfNothingElse) {
  const std::vector<std::string> own = {"--capture", "c", "--compare", "--own-launch"};
  const auto with = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = own;
    arguments.insert(arguments.end(), more.begin(), more.end());
    return parse_options(arguments);
  };
  const auto taken = with({"--code-object", "v.hsaco", "--grid", "12"});
  ASSERT_TRUE(taken) << taken.error().message;
  EXPECT_FALSE(taken->overrides.make_another_result());
  EXPECT_FALSE(with({"--grid", "12"})) << "the captured code has no other launch";
  EXPECT_FALSE(with({"--code-object", "v.hsaco"})) << "nothing is another";
  const auto told = with({"--code-object", "v.hsaco", "--arg", "3=5"});
  ASSERT_TRUE(told) << told.error().message;
  EXPECT_FALSE(told->overrides.make_another_result());
}

TEST_F(OverridesTest, OfAVariantAskTheDriverForTheSharedMemoryTheyNeed) {
  kernel_.cubin.emplace();
  launch_.attributes["max_dynamic_shared_bytes"] = 50000;
  Overrides wanted;
  wanted.dynamic_group_bytes = 60000;
  ASSERT_TRUE(apply(wanted));
  EXPECT_EQ(launch_.attributes.at("max_dynamic_shared_bytes"), 50000u) << "what the app asked for is the app's";
  wanted.are_of_variant = true;
  ASSERT_TRUE(apply(wanted));
  EXPECT_EQ(launch_.attributes.at("max_dynamic_shared_bytes"), 60000u);
  wanted.dynamic_group_bytes = 1000;
  ASSERT_TRUE(apply(wanted));
  EXPECT_EQ(launch_.attributes.at("max_dynamic_shared_bytes"), 60000u);
}

}  // namespace
}  // namespace kernloop::replay
