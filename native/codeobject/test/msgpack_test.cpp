#include "codeobject/msgpack.h"

#include <gtest/gtest.h>

namespace kernloop::codeobject::msgpack {
namespace {

Result<Value> parse_bytes(std::vector<uint8_t> bytes) {
  return parse(bytes, "test");
}

TEST(Msgpack, ReadsEveryIntegerForm) {
  const std::pair<std::vector<uint8_t>, uint64_t> cases[] = {
      {{0x07}, 7},
      {{0xcc, 0xff}, 255},
      {{0xcd, 0x12, 0x34}, 0x1234},
      {{0xce, 0x12, 0x34, 0x56, 0x78}, 0x12345678},
      {{0xcf, 1, 2, 3, 4, 5, 6, 7, 8}, 0x0102030405060708},
      {{0xd0, 0x7f}, 127},
      {{0xd1, 0x01, 0x00}, 256},
  };
  for (const auto& [bytes, expected] : cases) {
    const auto value = parse_bytes(bytes);
    ASSERT_TRUE(value) << value.error().message;
    EXPECT_EQ(value->number(), expected);
  }
  EXPECT_EQ(std::get<int64_t>(parse_bytes({0xff})->data), -1);
  EXPECT_EQ(std::get<int64_t>(parse_bytes({0xd3, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe})->data), -2);
  EXPECT_FALSE(parse_bytes({0xff})->number().has_value()) << "a negative number is no size";
}

TEST(Msgpack, ReadsMapsStringsAndArrays) {
  // {"a": [1, "xy", true, nil]}
  const auto value = parse_bytes({0x81, 0xa1, 'a', 0x94, 0x01, 0xa2, 'x', 'y', 0xc3, 0xc0});
  ASSERT_TRUE(value);
  const Value* list = value->find("a");
  ASSERT_NE(list, nullptr);
  ASSERT_EQ(list->array()->size(), 4u);
  EXPECT_EQ(*(*list->array())[1].text(), "xy");
  EXPECT_TRUE(std::get<bool>((*list->array())[2].data));
  EXPECT_EQ(value->find("b"), nullptr);
}

TEST(Msgpack, RefusesTruncationAtEveryByte) {
  const std::vector<uint8_t> whole = {0x82, 0xa1, 'a',  0x93, 0xcd, 1, 2, 0xd9, 2, 'x', 'y', 0xc2,
                                      0xa1, 'b',  0xcb, 0,    0,    0, 0, 0,    0, 0,   0};
  ASSERT_TRUE(parse_bytes(whole));
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(parse_bytes({whole.begin(), whole.begin() + size})) << size;
  }
}

TEST(Msgpack, RefusesWhatFollowsTheValue) {
  EXPECT_FALSE(parse_bytes({0x01, 0x02}));
}

TEST(Msgpack, RefusesNestingThatWouldExhaustTheStack) {
  EXPECT_FALSE(parse_bytes(std::vector<uint8_t>(100000, 0x91)));
}

TEST(Msgpack, DoesNotBelieveALengthBeyondTheInput) {
  EXPECT_FALSE(parse_bytes({0xdd, 0xff, 0xff, 0xff, 0xff, 0x01}));
  EXPECT_FALSE(parse_bytes({0xdb, 0xff, 0xff, 0xff, 0xff, 'x'}));
  EXPECT_FALSE(parse_bytes({0xdf, 0xff, 0xff, 0xff, 0xff, 0x01, 0x01}));
}

}  // namespace
}  // namespace kernloop::codeobject::msgpack
