// Captured code and variant in one process, on a fake device.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>

#include "replay/core/session/session.h"
#include "replay/core/session/turns.h"
#include "replay/test/fake_device.h"
#include "replay/test/fill_capture.h"

namespace kernloop::replay {
namespace {

using Capture = FillCapture;

TEST(Turns, GiveBothSidesTheSameMeanPlaceInEveryRound) {
  std::set<int> first_sides;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const std::vector<Turn> turns = take_turns(10, seed);
    ASSERT_EQ(turns.size(), 20u);
    for (size_t i = 0; i < turns.size(); i += 4) {
      // A drift of one unit a launch adds the same to both sides: 0 + 3 = 1 + 2.
      EXPECT_EQ(turns[i].side, turns[i + 3].side);
      EXPECT_EQ(turns[i + 1].side, turns[i + 2].side);
      EXPECT_NE(turns[i].side, turns[i + 1].side);
      for (size_t j = i; j < i + 4; ++j) EXPECT_EQ(turns[j].round, i / 4);
      first_sides.insert(turns[i].side);
    }
    EXPECT_EQ(turns, take_turns(10, seed)) << "the same for the same seed";
  }
  EXPECT_EQ(first_sides.size(), 2u) << "the order is thrown, not fixed";
  EXPECT_NE(take_turns(10, 1), take_turns(10, 2));
}

TEST(Turns, GiveEachSideWhatWasAskedFor) {
  for (uint64_t launches = 1; launches < 9; ++launches) {
    std::map<int, uint64_t> counts;
    for (const Turn& turn : take_turns(launches, 3)) ++counts[turn.side];
    EXPECT_EQ(counts[0], launches);
    EXPECT_EQ(counts[1], launches);
  }
}

class SideBySideTest : public testing::Test {
 protected:
  SideBySideTest() {
    options_.side_by_side = true;
    options_.code_object = test_code_object("wrong_bit.hsaco");
    options_.iterations = 4;
    device_.places_code = false;
  }
  SessionEnd run() {
    if (!std::filesystem::exists(directory_.path() / "capture")) capture_.write(directory_.path() / "capture");
    auto reader = archive::Reader::open(directory_.path() / "capture", {});
    EXPECT_TRUE(reader) << reader.error().message;
    return run_session(options_, **reader, device_, output_);
  }
  // Whether a launch is the variant's, if both sides are loaded.
  static bool is_variant(const FakeDevice& device, const Launch& launch) {
    return device.loaded.size() > 1 ? launch.kernel >= device.loaded[1] : !device.unloaded.empty();
  }
  // The kernel of both sides; the variant's is wrong in one bit.
  void launch(FakeDevice& device, const Launch& launch) {
    const bool variant = is_variant(device, launch);
    order_ += variant ? 'v' : 'c';
    for (int i = 0; i < Capture::kCount; ++i) {
      float& out = device.number(Capture::kOut + 4 * i);
      EXPECT_EQ(out, -7) << "as the app had it before, launch " << order_;
      out = capture_.out_post[i];
    }
    if (variant) *device.at(Capture::kOut + 148) ^= 1;
    const auto info = *codeobject::parse_code_object(codeobject::read_test_file("baseline.hsaco"), "");
    const uint64_t base = launch.kernel - info.find_kernel("fill")->descriptor_address;
    int32_t& counter = *reinterpret_cast<int32_t*>(device.at(base + info.find_variable("d_counter")->address));
    EXPECT_EQ(counter, 41) << "a side has variables of its own";
    ++counter;
  }
  std::vector<archive::Json> events(const std::string& kind, const std::string& side) const {
    std::vector<archive::Json> found;
    for (const archive::Json& event : output_.events) {
      if (event.at("event") == kind && event.value("side", "") == side) found.push_back(event);
    }
    return found;
  }

  archive::TemporaryDirectory directory_;
  Capture capture_;
  Options options_;
  EventList output_;
  std::string order_;
  FakeDevice device_{[this](FakeDevice& device, const Launch& of) { launch(device, of); }};
};

TEST_F(SideBySideTest, TakesTurnsOverOneRestoredMemory) {
  options_.warmup = 1;
  options_.order_seed = 5;
  EXPECT_EQ(run().exit_code, kExitPass) << output_.events.back();
  std::string expected = "cvcv";  // checked, warmed up
  for (const Turn& turn : take_turns(4, 5)) expected += "cv"[turn.side];
  EXPECT_EQ(order_, expected);
  for (const char* side : {"captured", "variant"}) {
    const auto iterations = events("iteration", side);
    ASSERT_EQ(iterations.size(), 4u);
    for (size_t i = 0; i < 4; ++i) {
      EXPECT_EQ(iterations[i]["index"], i);
      EXPECT_EQ(iterations[i]["round"], i / 2);
    }
    EXPECT_EQ(events("restored", side).size(), 1u);
  }
  EXPECT_EQ(output_.events.back()["verdict"], "ran");
}

TEST_F(SideBySideTest, TakesTurnsWhereTheDeviceKeepsCopiesToo) {
  device_.keeps = true;
  device_.symbols_have_places = true;
  EXPECT_EQ(run().exit_code, kExitPass) << output_.events.back();
  EXPECT_EQ(order_.size(), 2u + 8);
  EXPECT_EQ(device_.kept.size(), 1u + 2 * 3) << "the memory once, and the variables of both";
}

TEST_F(SideBySideTest, ChecksWhatEachLeavesInMemory) {
  run();
  ASSERT_EQ(events("checked", "captured").size(), 1u);
  EXPECT_EQ(events("checked", "captured")[0]["differing_bytes"], 0);
  EXPECT_EQ(events("checked", "variant")[0]["differing_bytes"], 1);
  EXPECT_EQ(events("difference", "variant").at(0)["offset"], 148);
  EXPECT_TRUE(events("difference", "captured").empty());
}

TEST_F(SideBySideTest, LooksAtTheResultOfEveryTimedLaunch) {
  // Right when it is compared and in the warm-up, and idle once it is timed.
  options_.warmup = 2;
  uint64_t launches_of_variant = 0;
  device_.kernel = [&](FakeDevice& device, const Launch& launch) {
    if (is_variant(device, launch) && ++launches_of_variant > 3) return;
    for (int i = 0; i < Capture::kCount; ++i) device.number(Capture::kOut + 4 * i) = capture_.out_post[i];
  };
  capture_.counter_post = capture_.counter_pre;
  EXPECT_EQ(run().exit_code, kExitPass) << output_.events.back();
  const auto captured = events("checked", "captured").at(0), variant = events("checked", "variant").at(0);
  EXPECT_EQ(captured["launches"], 5);
  EXPECT_EQ(captured["wrong_launches"], 0);
  EXPECT_EQ(captured["differing_bytes"], 0);
  EXPECT_EQ(variant["launches"], 5);
  EXPECT_EQ(variant["wrong_launches"], 4);
  EXPECT_GT(variant["differing_bytes"], 0);
}

TEST_F(SideBySideTest, TellsWhatTheDeviceSaysOfItsClocks) {
  uint32_t mhz = 1980;
  device_.tells_conditions = [&] { return Conditions{mhz -= 15, 2619, std::nullopt, {"power cap"}}; };
  EXPECT_EQ(run().exit_code, kExitPass) << output_.events.back();
  const auto captured = events("conditions", "captured").at(0), variant = events("conditions", "variant").at(0);
  EXPECT_EQ(captured["samples"], 4) << "after the measured launches";
  EXPECT_EQ(captured["memory_mhz"], archive::Json({{"min", 2619}, {"max", 2619}}));
  EXPECT_FALSE(captured.contains("celsius"));
  EXPECT_EQ(captured["slowed_by"], archive::Json::array({{{"reason", "power cap"}, {"samples", 4}}}));
  EXPECT_LT(std::min(captured["sm_mhz"]["min"].get<int>(), variant["sm_mhz"]["min"].get<int>()), 1980 - 7 * 15);
}

TEST_F(SideBySideTest, RunsOneAfterTheOtherAtTheCapturedAddressWhereWorkIsCounted) {
  device_.counts = device_.places_code = true;
  options_.iterations = 2;
  EXPECT_EQ(run().exit_code, kExitPass) << output_.events.back();
  EXPECT_EQ(order_, "ccvv");
  EXPECT_EQ(device_.unloaded, std::vector<uint64_t>{Capture::kCode});
  EXPECT_EQ(device_.loaded, std::vector<uint64_t>{Capture::kCode});
  EXPECT_EQ(events("checked", "captured")[0]["differing_bytes"], 0);
  EXPECT_EQ(events("checked", "variant")[0]["differing_bytes"], 1);
}

TEST_F(SideBySideTest, OpensTheCapturedPlaceAgainForTheSideThatBelongsThere) {
  // A variant of another layout is loaded elsewhere and keeps the captured address closed: only after the captured
  // code.
  device_.counts = device_.places_code = true;
  options_.code_object = test_code_object("no_variables.hsaco");
  device_.kernel = [](FakeDevice&, const Launch&) {};
  capture_.counter_post = capture_.counter_pre;
  EXPECT_EQ(run().exit_code, kExitPass) << output_.events.back();
  EXPECT_EQ(device_.kept_out, std::vector<uint64_t>{Capture::kCode});
  EXPECT_NE(device_.loaded.at(0), Capture::kCode);
}

TEST_F(SideBySideTest, SaysWhoseFaultItIs) {
  for (const bool of_variant : {true, false}) {
    output_.events.clear();
    FakeDevice device([&](FakeDevice& self, const Launch& launch) {
      if (is_variant(self, launch) != of_variant) return;
      self.outcome.end = LaunchOutcome::End::kFault;
      self.outcome.device_lost = true;
      self.outcome.fault = {{"kind", "memory_access"}};
    });
    device.places_code = false;
    const auto reader = archive::Reader::open(
        (capture_.write(directory_.path() / (of_variant ? "a" : "b")), directory_.path() / (of_variant ? "a" : "b")),
        {});
    const SessionEnd end = run_session(options_, **reader, device, output_);
    EXPECT_EQ(end.exit_code, kExitDevice);
    EXPECT_TRUE(end.device_lost);
    const std::string guilty = of_variant ? "variant" : "captured";
    EXPECT_EQ(output_.first("fault")["side"], guilty);
    EXPECT_EQ(output_.events.back()["verdict"], "fault");
    EXPECT_EQ(output_.events.back()["side"], guilty);
    EXPECT_EQ(device.launches.size(), of_variant ? 2u : 1u) << "nothing is launched after it";
  }
}

TEST_F(SideBySideTest, ChecksNothingWhereTheLaunchIsAnother) {
  options_.overrides.dynamic_group_bytes = 64;
  EXPECT_EQ(run().exit_code, kExitPass);
  EXPECT_EQ(output_.count("checked"), 0u);
  EXPECT_EQ(output_.count("overridden"), 2u);
}

TEST_F(SideBySideTest, DumpsWhatTheVariantLeaves) {
  options_.dump = DumpRequest{directory_.path() / "dump", {}, DumpTime::kPost};
  EXPECT_EQ(run().exit_code, kExitPass);
  EXPECT_EQ(order_.back(), 'v');
  std::ifstream file(options_.dump->directory / "out.bin", std::ios::binary);
  const Buffer bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  Buffer expected = as_bytes(capture_.out_post);
  expected[148] ^= 1;
  EXPECT_EQ(bytes, expected);
}

TEST(SideBySideOptions, NeedTwoSides) {
  EXPECT_FALSE(parse_options({"--capture", "c", "--side-by-side"}));
  EXPECT_TRUE(parse_options({"--capture", "c", "--side-by-side", "--code-object", "f"}));
  for (const char* other : {"--compare", "--record-accesses"})
    EXPECT_FALSE(parse_options({"--capture", "c", "--side-by-side", "--code-object", "f", other}));
}

}  // namespace
}  // namespace kernloop::replay
