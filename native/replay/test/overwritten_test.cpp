// Bytes that a dispatch overwrites without reading them: recorded, searched for, and judged by launches that begin with
// other values.
#include "verdict/overwritten.h"

#include <gtest/gtest.h>

#include <fstream>
#include <random>
#include <set>

#include "replay/core/session/session.h"
#include "replay/test/fake_device.h"
#include "replay/test/fill_capture.h"

namespace kernloop::replay {
namespace {

using Capture = FillCapture;
using Ranges = std::vector<AddressRange>;

std::set<uint64_t> bytes_of(const Ranges& ranges) {
  std::set<uint64_t> bytes;
  for (const AddressRange& range : ranges) {
    for (uint64_t at = range.base; at < range.end(); ++at) bytes.insert(at);
  }
  return bytes;
}

Ranges random_ranges(std::mt19937& random) {
  Ranges ranges;
  for (unsigned i = 0; i < random() % 12; ++i) ranges.push_back({random() % 60, 1 + random() % 9});
  return merge_ranges(std::move(ranges));
}

TEST(Overwritten, SetsOfBytesAreThoseOfTheirBytes) {
  std::mt19937 random(3);
  for (int round = 0; round < 2000; ++round) {
    const Ranges a = random_ranges(random), b = random_ranges(random);
    const std::set<uint64_t> in_a = bytes_of(a), in_b = bytes_of(b);
    std::set<uint64_t> left, both;
    for (const uint64_t byte : in_a) (in_b.contains(byte) ? both : left).insert(byte);
    EXPECT_EQ(bytes_of(without(a, b)), left);
    EXPECT_EQ(bytes_of(intersection(a, b)), both);
    EXPECT_EQ(total_bytes(a), in_a.size());
    uint64_t folded = 0;
    std::set<uint64_t> again;
    for (const OverwrittenRow& row : fold(a, SIZE_MAX)) {
      folded += row.bytes * row.count;
      for (uint64_t i = 0; i < row.count; ++i) again.merge(bytes_of({{row.offset + i * row.stride, row.bytes}}));
    }
    EXPECT_EQ(folded, in_a.size());
    EXPECT_EQ(again, in_a);
  }
}

TEST(Overwritten, RowsAtEqualDistancesAreOneAndTheLargestAreKept) {
  Ranges tile;
  for (uint64_t y = 0; y < 1000; ++y) tile.push_back({y * 256 + 4, 148});
  ASSERT_EQ(fold(tile, 10).size(), 1u);
  EXPECT_EQ(fold(tile, 10)[0].count, 1000u);
  const auto kept = fold({{0, 1}, {10, 50}, {100, 2}, {1000, 70}}, 2);
  ASSERT_EQ(kept.size(), 2u);
  EXPECT_EQ(kept[0].offset, 10u);
  EXPECT_EQ(kept[1].offset, 1000u);
}

TEST(Overwritten, IsWhatWasWrittenAndNotRead) {
  const Capture capture;
  Target target{false, "out", 1000, 100, {}, {}};
  const std::vector<Access> accesses = {{false, 1010, 4}, {true, 990, 20}, {true, 1008, 8}, {true, 1096, 50}};
  EXPECT_EQ(overwritten_by(accesses, {target})[0], (Ranges{{0, 10}, {14, 2}, {96, 4}}));
  EXPECT_EQ(written_by(accesses, {target})[0], (Ranges{{0, 16}, {96, 4}}));
}

float as_float(const uint8_t* bytes) {
  float value;
  std::memcpy(&value, bytes, 4);
  return value;
}

// For any result of the app: an unwritten byte shows in one of two launches, and in each of the others that look for
// reads.
TEST(PoisonFill, EveryByteDiffersFromTheResultInOneOfTwoLaunches) {
  std::mt19937 random(5);
  for (int round = 0; round < 300; ++round) {
    const uint64_t address = 0x400000000000 + random() % 64, size = 1 + random() % 200;
    Target target{false, "out", address, size, {}, {}};
    target.overwritten = {{0, size}};
    Buffer post(size);
    for (uint8_t& byte : post) byte = static_cast<uint8_t>(round % 3 == 0 ? 0 : round % 3 == 1 ? 0xff : random());
    const auto with = [&](Fill fill) {
      Buffer bytes = post;
      poison(fill, target, 0, bytes, post);
      return bytes;
    };
    const Buffer huge = with(Fill::kHuge), opposite = with(Fill::kOpposite), above = with(Fill::kAbove),
                 below = with(Fill::kBelow);
    for (uint64_t i = 0; i < size; ++i) {
      EXPECT_TRUE(huge[i] != post[i] || opposite[i] != post[i]) << i;
      EXPECT_NE(huge[i], opposite[i]);
      EXPECT_NE(above[i], post[i]);
      EXPECT_NE(below[i], post[i]);
    }
    EXPECT_EQ(with(Fill::kCaptured), post);
  }
}

TEST(PoisonFill, HoldsAHugeNumberOfEachSignAtTheBeginningOfARangeAndAllKindsInALongOne) {
  Target target{false, "out", 0x400000000000, 65536, {}, {}};
  target.overwritten = {{0, 65536}};
  Buffer bytes[2] = {Buffer(65536), Buffer(65536)};
  poison(Fill::kHuge, target, 0, bytes[0], {});
  poison(Fill::kOpposite, target, 0, bytes[1], {});
  std::set<std::string> kinds;
  for (size_t i = 0; i < 65536; i += 4) {
    const float a = as_float(&bytes[0][i]), b = as_float(&bytes[1][i]);
    const bool is_pair = (a > 1e30f && b < -1e30f) || (a < -1e30f && b > 1e30f);
    if (i < 16) EXPECT_TRUE(is_pair) << a << " " << b;
    for (const float each : {a, b})
      kinds.insert(std::isnan(each) ? "nan" : each == 0 ? "zero" : std::abs(each) < 1e-30f ? "small" : "huge");
  }
  EXPECT_EQ(kinds, (std::set<std::string>{"nan", "zero", "small", "huge"}));
  // In pieces as in one.
  Buffer piece(100);
  poison(Fill::kHuge, target, 1234, piece, {});
  EXPECT_TRUE(std::equal(piece.begin(), piece.end(), bytes[0].begin() + 1234));
}

class OverwrittenTest : public testing::Test {
 protected:
  void SetUp() override {
    options_.compare = true;
    // A loop ran the kernel before.
    capture_.out_pre = capture_.out_post;
    capture_.counter_pre = capture_.counter_post;
    state(R"({"overwritten": [{"region": "out", "offset": 0, "bytes": 800}]})");
  }
  void state(const std::string& json) { std::ofstream(file_) << json; }
  SessionEnd run(FakeDevice& device) {
    if (!std::filesystem::exists(directory_.path() / "capture")) capture_.write(directory_.path() / "capture");
    auto reader = archive::Reader::open(directory_.path() / "capture", {});
    EXPECT_TRUE(reader) << reader.error().message;
    output_.events.clear();
    return run_session(options_, **reader, device, output_);
  }
  SessionEnd run(FakeDevice::KernelFunction kernel) {
    FakeDevice device(std::move(kernel));
    return run(device);
  }
  SessionEnd judge(FakeDevice::KernelFunction kernel) {
    options_.overwritten = file_;
    options_.fills = {Fill::kCaptured, Fill::kHuge, Fill::kOpposite, Fill::kZeros};
    return run(std::move(kernel));
  }
  // Result of a search, byte by byte of `out`.
  std::set<uint64_t> search(FakeDevice& device, bool goes_on = false) {
    options_.search_overwritten = directory_.path() / "search.json";
    if (!goes_on) std::filesystem::remove(*options_.search_overwritten);
    EXPECT_EQ(run(device).exit_code, kExitVacuous) << output_.events.back();
    std::set<uint64_t> bytes;
    for (const auto& event : output_.events) {
      if (event["event"] != "overwritten") continue;
      EXPECT_EQ(event["region"], "out");
      for (uint64_t i = 0; i < event.value("count", uint64_t{1}); ++i) {
        const uint64_t base = event["offset"].get<uint64_t>() + i * event.value("stride", uint64_t{0});
        bytes.merge(bytes_of({{base, event["bytes"]}}));
      }
    }
    return bytes;
  }
  std::set<uint64_t> search(FakeDevice::KernelFunction kernel) {
    FakeDevice device(std::move(kernel));
    return search(device);
  }
  // out[i] = value(content before, the app's result).
  FakeDevice::KernelFunction each(std::function<float(float held, float result)> value) const {
    return [value, post = capture_.out_post](FakeDevice& device, const Launch&) {
      for (size_t i = 0; i < post.size(); ++i) {
        float& out = device.number(Capture::kOut + 4 * i);
        out = value(out, post[i]);
      }
    };
  }
  static float write(float, float result) { return result; }
  archive::Json result() const { return output_.events.back(); }

  archive::TemporaryDirectory directory_;
  std::filesystem::path file_ = directory_.path() / "selfcheck.json";
  Capture capture_;
  Options options_;
  EventList output_;
};

TEST_F(OverwrittenTest, ARepeatedKernelProvesNothingUntilLaunchesBeginWithOtherValues) {
  EXPECT_EQ(run(each(write)).exit_code, kExitVacuous);
  EXPECT_EQ(run([](FakeDevice&, const Launch&) {}).exit_code, kExitVacuous);
  EXPECT_EQ(judge(each(write)).exit_code, kExitPass) << result();
  EXPECT_EQ(result()["overwritten_bytes"], 800);
  EXPECT_EQ(result()["rewritten_bytes"], 800);
  EXPECT_EQ(judge([](FakeDevice&, const Launch&) {}).exit_code, kExitFail);
  EXPECT_EQ(result()["unwritten_bytes"], result()["differing_bytes"]);
  EXPECT_EQ(result()["fill"], "huge");
}

TEST_F(OverwrittenTest, EveryByteLeftOutIsNoticed) {
  for (uint64_t left_out = 0; left_out < 800; left_out += 13) {
    const auto kernel = [&](FakeDevice& device, const Launch&) {
      for (uint64_t i = 0; i < 800; ++i) {
        const auto* post = reinterpret_cast<const uint8_t*>(capture_.out_post.data());
        if (i != left_out) *device.at(Capture::kOut + i) = post[i];
      }
    };
    EXPECT_EQ(judge(kernel).exit_code, kExitFail) << left_out;
    EXPECT_EQ(result()["differing_bytes"], 1);
  }
}

TEST_F(OverwrittenTest, EveryWayToLookAtWhatWasThereIsNoticed) {
  const std::vector<std::function<float(float, float)>> looks = {
      [](float held, float value) { return value > held ? value : held; },
      [](float held, float value) { return value < held ? value : held; },
      [](float held, float value) { return std::fmax(value, held); },
      [](float held, float value) { return std::fmin(value, held); },
      [](float held, float value) { return held == 0 ? value : held; },
      [](float held, float value) { return held != 0 ? value : 0; },
      [](float held, float value) { return held * 0 + value; },
      [](float held, float value) { return held == value ? value : value + 1; },
      [](float held, float value) { return std::isnan(held) ? held : value; }};
  for (size_t i = 0; i < looks.size(); ++i) {
    EXPECT_EQ(judge(each(looks[i])).exit_code, kExitFail) << i;
    EXPECT_NE(result().value("fill", ""), "") << i << ": as the app had it, all of them are right";
  }
}

TEST_F(OverwrittenTest, NoticesEveryBitFlippedInThere) {
  options_.inject_bit_flips = 200;
  EXPECT_EQ(judge(each(write)).exit_code, kExitPass) << result();
  EXPECT_EQ(output_.first("injection")["detected"], 200);
  EXPECT_GT(output_.first("injection")["overwritten"], 40);
}

TEST_F(OverwrittenTest, ALaunchThatEndsBadlyUnderOtherValuesSaysUnderWhich) {
  FakeDevice device([](FakeDevice& self, const Launch&) {
    const bool is_other = self.launches.size() > 1;
    self.outcome.end = is_other ? LaunchOutcome::End::kFault : LaunchOutcome::End::kCompleted;
  });
  options_.overwritten = file_;
  options_.fills = {Fill::kCaptured, Fill::kOpposite};
  EXPECT_EQ(run(device).exit_code, kExitDevice);
  EXPECT_EQ(result()["fill"], "opposite");
}

TEST_F(OverwrittenTest, AToleranceThatLetsOtherValuesPassProvesNothing) {
  state(R"({"overwritten": [{"region": "out", "offset": 0, "bytes": 16}]})");
  options_.tolerances = {*parse_tolerance("out=f32,atol=1e38")};
  EXPECT_EQ(judge(each(write)).exit_code, kExitVacuous);
  options_.tolerances = {*parse_tolerance("out=f32,atol=1e-3")};
  EXPECT_EQ(judge(each(write)).exit_code, kExitPass) << result();
}

TEST_F(OverwrittenTest, WhatIsIgnoredCountsForNothing) {
  options_.ignored = {{"out", 0, 800}};
  EXPECT_EQ(judge(each(write)).exit_code, kExitVacuous);
  EXPECT_EQ(result()["overwritten_bytes"], 0);
}

TEST_F(OverwrittenTest, FilesOfOlderVersionsKnowOfNothingAndBadOnesAreRefused) {
  state(R"({"varying": []})");
  EXPECT_EQ(judge(each(write)).exit_code, kExitVacuous);
  for (
      const char* bad :
      {R"([])", R"({"overwritten": 1})", R"({"overwritten": [{"region": "out", "offset": 0}]})",
       R"({"overwritten": [{"region": "out", "offset": 0, "bytes": 801}]})",
       R"({"overwritten": [{"region": "gone", "offset": 0, "bytes": 1}]})",
       R"({"overwritten": [{"region": "out", "offset": 0, "bytes": 8, "count": 3, "stride": 4}]})",
       R"({"overwritten": [{"region": "out", "offset": 0, "bytes": 8, "count": 3, "stride": 397}]})",
       R"({"overwritten": [{"region": "out", "offset": 18446744073709551615, "bytes": 8}]})",
       R"({"overwritten": [{"region": "out", "offset": 0, "bytes": 1, "count": 18446744073709551615, "stride": 1}]})"}) {
    state(bad);
    EXPECT_EQ(judge(each(write)).exit_code, kExitBadInput) << bad;
    EXPECT_EQ(result()["code"], "VARYING_INVALID") << bad;
  }
}

TEST_F(OverwrittenTest, ASearchFindsWhatIsOverwrittenAndNothingThatIsRead) {
  const std::set<uint64_t> all = bytes_of({{0, 800}});
  EXPECT_EQ(search(each(write)), all);
  EXPECT_EQ(search([](FakeDevice&, const Launch&) {}), std::set<uint64_t>{});
  // Every second element, in the words of its index.
  std::set<uint64_t> odd;
  for (uint64_t i = 1; i < 200; i += 2) odd.merge(bytes_of({{4 * i, 4}}));
  EXPECT_EQ(search([this](FakeDevice& device, const Launch&) {
              for (size_t i = 1; i < 200; i += 2) device.number(Capture::kOut + 4 * i) = capture_.out_post[i];
            }),
            odd);
}

TEST_F(OverwrittenTest, ASearchIsNotFooledByHowWhatIsThereIsRead) {
  using Look = std::function<float(float, float)>;
  const std::pair<const char*, Look> looks[] = {
      {"a sum", [](float held, float value) { return held + (value - value); }},
      {"a maximum", [](float held, float value) { return value > held ? value : held; }},
      {"a minimum", [](float held, float value) { return value < held ? value : held; }},
      {"fmax", [](float held, float value) { return std::fmax(held, value); }},
      {"fmin", [](float held, float value) { return std::fmin(held, value); }},
      {"what is missing", [](float held, float value) { return held == 0 ? value : held; }},
      {"anything but 0", [](float held, float value) { return held != 0 ? value : held; }},
      {"garbage times 0", [](float held, float value) { return held * 0 + value; }},
      {"what is finite", [](float held, float value) { return std::isfinite(held) ? value : held; }}};
  for (const auto& [name, look] : looks) EXPECT_EQ(search(each(look)), std::set<uint64_t>{}) << name;
}

TEST_F(OverwrittenTest, ASearchLeavesOutWhatAnotherElementIsMadeOf) {
  // The first half copies the second, which is written after it: both are as before only because a loop repeats the
  // kernel.
  for (size_t i = 0; i < 100; ++i) capture_.out_post[i] = capture_.out_pre[i] = capture_.out_post[i + 100];
  const auto found = search([this](FakeDevice& device, const Launch&) {
    for (size_t i = 0; i < 100; ++i)
      device.number(Capture::kOut + 4 * i) = device.number(Capture::kOut + 4 * (i + 100));
    for (size_t i = 100; i < 200; ++i) device.number(Capture::kOut + 4 * i) = capture_.out_post[i];
  });
  for (const uint64_t byte : found) EXPECT_LT(byte, 400u) << "is read";
}

TEST_F(OverwrittenTest, ASearchGoesOnBehindWhatCostsAProcess) {
  FakeDevice device([this](FakeDevice& self, const Launch& launch) {
    each(write)(self, launch);
    const bool is_input_whole = self.number(Capture::kIn) == capture_.in[0];
    self.outcome.end = is_input_whole ? LaunchOutcome::End::kCompleted : LaunchOutcome::End::kFault;
  });
  options_.search_overwritten = directory_.path() / "search.json";
  EXPECT_EQ(run(device).exit_code, kExitDevice) << result();
  EXPECT_EQ(search(device, true), bytes_of({{0, 800}}));
}

TEST_F(OverwrittenTest, PointersInMemoryAreLeftAlone) {
  for (int i = 0; i < 32; ++i) capture_.pointers.push_back(Capture::kOut + 4 * i);
  uint64_t followed = 0;
  EXPECT_EQ(search([&](FakeDevice& device, const Launch&) {
              for (int i = 0; i < 32; ++i) {
                uint64_t at;
                std::memcpy(&at, device.at(0x400000100000 + 8 * i), 8);
                followed += at == Capture::kOut + 4 * i ? 1 : 0;
                device.number(at) = capture_.out_post[i];
              }
            }),
            bytes_of({{0, 128}}));
  EXPECT_GT(followed, 0u);
  EXPECT_EQ(followed % 32, 0u);
}

}  // namespace
}  // namespace kernloop::replay
