// Memory that the captured code does not touch: found from its accesses, and watched while a variant runs.
#include "verdict/untouched.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "replay/core/session/session.h"
#include "replay/test/fake_device.h"
#include "replay/test/fill_capture.h"
#include "verdict/overwritten.h"

namespace kernloop::replay {
namespace {

using Capture = FillCapture;
using Ranges = std::vector<AddressRange>;

TEST(Untouched, IsWhatNoWaveReadOrWroteHoweverFarFromWhatOneDid) {
  Target small{false, "small", 1000, 100, {}, {}}, large{false, "large", 1 << 20, 1 << 20, {}, {}};
  large.dropped = {{4096, 4096}};
  const std::vector<Access> accesses = {
      {false, 1010, 4}, {true, 990, 12}, {true, 1096, 50}, {true, (1 << 20) + 1024, 8}};
  const auto found = untouched_by(accesses, {small, large});
  EXPECT_EQ(found[0], (Ranges{{2, 8}, {14, 82}}));
  EXPECT_EQ(found[1], (Ranges{{0, 1024}, {1032, 3064}, {8192, (1 << 20) - 8192}}));
  EXPECT_TRUE(untouched_by({}, {small})[0].empty()) << "accesses that nobody recorded";
}

class UntouchedTest : public testing::Test {
 protected:
  // The kernel writes all but the last two elements of `out`.
  UntouchedTest() {
    for (size_t i = written_; i < capture_.out_post.size(); ++i) capture_.out_post[i] = capture_.out_pre[i];
    state(R"({"untouched": [{"region": "out", "offset": 792, "bytes": 8}]})");
    options_.compare = true;
    options_.disturb_untouched = Disturbed::kAll;
    options_.overwritten = file_;
  }
  void state(const std::string& json) { std::ofstream(file_) << json; }
  // `more`: further effects of the variant.
  SessionEnd run(std::function<void(FakeDevice&)> more) {
    if (!std::filesystem::exists(directory_.path() / "capture")) capture_.write(directory_.path() / "capture");
    auto reader = archive::Reader::open(directory_.path() / "capture", {});
    EXPECT_TRUE(reader) << reader.error().message;
    output_.events.clear();
    FakeDevice device([&](FakeDevice& self, const Launch&) {
      for (size_t i = 0; i < written_; ++i) self.number(Capture::kOut + 4 * i) = capture_.out_post[i];
      ++*reinterpret_cast<int32_t*>(self.at(counter()));
      more(self);
      ++launches_;
    });
    device.in_place_access = in_place_;
    device.outcome.accesses = accesses_;
    launches_ = 0;
    const auto end = run_session(options_, **reader, device, output_);
    for (size_t i = written_; end.exit_code == kExitPass && i < capture_.out_pre.size(); ++i)
      EXPECT_EQ(device.number(Capture::kOut + 4 * i), capture_.out_pre[i]) << "is put back";
    return end;
  }
  archive::Json result() const { return output_.events.back(); }
  static uint64_t counter() {
    const Buffer code = codeobject::read_test_file("baseline.hsaco");
    return Capture::kCode + codeobject::parse_code_object(code, "baseline")->find_variable("d_counter")->address;
  }

  size_t written_ = 198;  // elements
  archive::TemporaryDirectory directory_;
  std::filesystem::path file_ = directory_.path() / "selfcheck.json";
  Capture capture_;
  Options options_;
  EventList output_;
  bool in_place_ = true;
  std::vector<Access> accesses_;
  int launches_ = 0;
};

TEST_F(UntouchedTest, AStoreOfWhatLiesThereIsNoticed) {
  const auto stray = [&](FakeDevice& self) { self.number(Capture::kOut + 4 * 199) = capture_.out_pre[199]; };
  for (const bool in_place : {true, false}) {
    in_place_ = in_place;
    EXPECT_EQ(run([](FakeDevice&) {}).exit_code, kExitPass) << result();
    EXPECT_FALSE(result().contains("stray_bytes"));
    EXPECT_EQ(run(stray).exit_code, kExitFail) << result();
    EXPECT_EQ(result()["stray_bytes"], 4);
    EXPECT_EQ(result()["differing_bytes"], 4);
    EXPECT_EQ(output_.first("stray"),
              (archive::Json{{"event", "stray"}, {"region", "out"}, {"offset", 796}, {"bytes", 4}}));
  }
  options_.disturb_untouched = Disturbed::kNothing;
  EXPECT_EQ(run(stray).exit_code, kExitPass) << "as memory alone shows it";
}

TEST_F(UntouchedTest, EveryByteIsWatchedByItself) {
  for (uint64_t at = 792; at < 800; ++at) {
    const uint8_t held = reinterpret_cast<const uint8_t*>(capture_.out_pre.data())[at];
    EXPECT_EQ(run([&](FakeDevice& self) { *self.at(Capture::kOut + at) = held; }).exit_code, kExitFail) << at;
    EXPECT_EQ(output_.first("stray")["offset"], at);
    EXPECT_EQ(result()["stray_bytes"], 1);
  }
}

TEST_F(UntouchedTest, WhatIsReadThereAndWrittenBackIsNoStoreBesideTheOutput) {
  EXPECT_EQ(run([](FakeDevice& self) {
              volatile float& kept = self.number(Capture::kOut + 4 * 199);
              kept = kept + 0;
            }).exit_code,
            kExitPass)
      << result();
}

TEST_F(UntouchedTest, WhatIsReadThereShowsInTheResultAndIsToldApart) {
  EXPECT_EQ(
      run([](FakeDevice& self) { self.number(Capture::kOut) += self.number(Capture::kOut + 4 * 199) + 7; }).exit_code,
      kExitFail);
  EXPECT_FALSE(result().contains("stray_bytes")) << "nothing was written there";
}

TEST_F(UntouchedTest, ASumOfZerosThatAreReadThereShowsToo) {
  for (size_t i = written_; i < capture_.out_pre.size(); ++i) capture_.out_pre[i] = capture_.out_post[i] = 0;
  EXPECT_EQ(run([](FakeDevice& self) { self.number(Capture::kOut) += self.number(Capture::kOut + 4 * 199); }).exit_code,
            kExitFail)
      << "a word that is nearly 0 would be lost in the sum";
}

TEST_F(UntouchedTest, NumbersThereAreFiniteAndNotWhatTheAppHad) {
  for (const float held : {0.0f, 1.0f, -7.0f, 100.0f, 3.4e38f}) {
    for (size_t i = written_; i < capture_.out_pre.size(); ++i) capture_.out_pre[i] = capture_.out_post[i] = held;
    std::filesystem::remove_all(directory_.path() / "capture");
    run([&](FakeDevice& self) {
      for (size_t i = written_; i < capture_.out_pre.size(); ++i) {
        const float found = self.number(Capture::kOut + 4 * i);
        EXPECT_TRUE(std::isfinite(found));
        EXPECT_NE(found, held);
        EXPECT_GT(std::abs(found), 1);
      }
    });
  }
}

TEST_F(UntouchedTest, NoByteThereIsWhatTheAppHadEvenWhereThatWasDisturbed) {
  for (int round = 0; round < 3; ++round) {
    std::vector<float> found(capture_.out_pre);
    std::filesystem::remove_all(directory_.path() / "capture");
    run([&](FakeDevice& self) {
      for (size_t i = written_; i < found.size(); ++i) found[i] = self.number(Capture::kOut + 4 * i);
    });
    const auto* held = reinterpret_cast<const uint8_t*>(capture_.out_pre.data());
    const auto* now = reinterpret_cast<const uint8_t*>(found.data());
    for (size_t i = 4 * written_; i < 4 * found.size(); ++i) EXPECT_NE(now[i], held[i]) << round << " " << i;
    for (size_t i = written_; i < found.size(); ++i) capture_.out_pre[i] = capture_.out_post[i] = found[i];
  }
}

// The kernel writes 100 elements of `out`, which is at a multiple of 64; the app had 0 behind them, except for one.
class UntouchedZerosTest : public UntouchedTest {
 protected:
  UntouchedZerosTest() {
    written_ = 100;
    for (size_t i = written_; i < capture_.out_pre.size(); ++i) capture_.out_pre[i] = capture_.out_post[i] = 0;
    capture_.out_pre[kOther] = capture_.out_post[kOther] = 3;
    state(R"({"untouched": [{"region": "out", "offset": 400, "bytes": 400}]})");
    options_.disturb_untouched = Disturbed::kZeros;
  }
  // A variant whose result depends on what the captured memory holds at element `i`, or only reads it.
  SessionEnd run_reading(size_t i, bool depends = true) {
    accesses_ = {{false, Capture::kOut + 4 * i, 4}, {true, Capture::kOut, 4 * written_}};
    return run([&, i, depends](FakeDevice& self) {
      volatile float read = self.number(Capture::kOut + 4 * i);
      if (depends && read != capture_.out_pre[i]) self.number(Capture::kOut) = 0;
    });
  }

  static constexpr size_t kOther = 130;  // in the block from element 128 on
};

TEST_F(UntouchedZerosTest, AreNamedWhereTheResultDependsOnThem) {
  for (const bool depends : {false, true}) {
    EXPECT_EQ(run_reading(113, depends).exit_code, depends ? kExitFail : kExitPass) << result();
    EXPECT_EQ(launches_, 2);
    EXPECT_EQ(output_.first("untouched_read"), (archive::Json{{"event", "untouched_read"},
                                                              {"region", "out"},
                                                              {"offset", 452},
                                                              {"address", "0x400000001c04"},
                                                              {"bytes", 4}}));
    EXPECT_EQ(result().contains("disturbed"), depends);
  }
  EXPECT_FALSE(result().contains("stray_bytes"));
}

TEST_F(UntouchedZerosTest, AreAsTheAppHadThemBesideWhatItHasPutThere) {
  for (const size_t other : {kOther, size_t{128}, size_t{143}}) {
    EXPECT_EQ(run_reading(other).exit_code, kExitPass) << "a header with fields that are 0: " << other;
    EXPECT_EQ(launches_, 1);
    EXPECT_EQ(output_.first("untouched_read"), archive::Json());
  }
  for (const size_t zero : {size_t{127}, size_t{144}}) EXPECT_EQ(run_reading(zero).exit_code, kExitFail) << zero;
}

TEST_F(UntouchedZerosTest, AreAsTheAppHadThemBesideWhatTheCapturedCodeUses) {
  for (const size_t partial : {size_t{101}, size_t{111}, size_t{192}, size_t{199}}) {
    EXPECT_EQ(run_reading(partial).exit_code, kExitPass) << "the block is not all untouched: " << partial;
    EXPECT_EQ(launches_, 1);
  }
  for (const size_t whole : {size_t{112}, size_t{191}}) EXPECT_EQ(run_reading(whole).exit_code, kExitFail) << whole;
}

TEST_F(UntouchedZerosTest, OfOneReadOverSeveralBlocksOnlyTheWholeOnesCount) {
  accesses_ = {{false, Capture::kOut + 4 * 100, 400}, {true, Capture::kOut, 4 * written_}};
  EXPECT_EQ(run([](FakeDevice&) {}).exit_code, kExitPass) << result();
  EXPECT_EQ(output_.first("untouched_read")["offset"], 448);
  EXPECT_EQ(output_.first("untouched_read")["bytes"], 768 - 448 - 64);
}

TEST_F(UntouchedZerosTest, ACounterThatEndsAsItBeganIsNoticed) {
  const uint64_t ticket = Capture::kOut + 4 * 120;
  accesses_ = {{false, ticket, 4}, {true, ticket, 4}, {true, Capture::kOut, 4 * written_}};
  EXPECT_EQ(run([&](FakeDevice& self) {
              if (self.number(ticket) != 0) self.number(Capture::kOut) = 0;
              self.number(ticket) = 0;
            }).exit_code,
            kExitFail);
  EXPECT_EQ(result()["stray_bytes"], 4);
  EXPECT_GT(result()["differing_bytes"], 4) << "the result, too";
}

TEST_F(UntouchedZerosTest, OfAVariableAreAsTheAppHadThem) {
  state(R"({"untouched": [{"variable": "c_tab", "offset": 0, "bytes": 16}]})");
  capture_.table = {0, 0, 0, 0};
  const Buffer code = codeobject::read_test_file("baseline.hsaco");
  const uint64_t table =
      Capture::kCode + codeobject::parse_code_object(code, "baseline")->find_variable("c_tab")->address;
  accesses_ = {{false, table, 16}, {true, Capture::kOut, 4 * written_}};
  EXPECT_EQ(run([](FakeDevice&) {}).exit_code, kExitPass) << result();
  EXPECT_EQ(launches_, 1) << "its source says what it holds";
}

TEST_F(UntouchedTest, OnceItIsKnownWhatAVariantWritesTheRestIsAsTheAppHadIt) {
  options_.disturb_untouched = Disturbed::kWritten;
  const uint64_t read = Capture::kOut + 4 * 198, stray = Capture::kOut + 4 * 199;
  for (const bool goes_astray : {false, true}) {
    accesses_ = {{false, read, 4}, {true, Capture::kOut, 4 * written_}};
    if (goes_astray) accesses_.push_back({true, stray, 4});
    EXPECT_EQ(run([&](FakeDevice& self) {
                if (self.number(read) != capture_.out_pre[198]) self.number(Capture::kOut) = 0;
                if (goes_astray) self.number(stray) = capture_.out_pre[199];
              }).exit_code,
              goes_astray ? kExitFail : kExitPass)
        << result();
    EXPECT_EQ(launches_, goes_astray ? 2 : 1);
  }
  EXPECT_EQ(result()["stray_bytes"], 4);
  EXPECT_EQ(result()["differing_bytes"], 4);
}

TEST_F(UntouchedTest, WhatIsIgnoredOrVariesIsNotWatched) {
  const auto stray = [&](FakeDevice& self) { self.number(Capture::kOut + 4 * 199) = capture_.out_pre[199]; };
  options_.ignored = {{"out", 796, 4}};
  EXPECT_EQ(run(stray).exit_code, kExitPass) << result();
  options_.ignored.clear();
  options_.known_varying = file_;
  state(R"({"untouched": [{"region": "out", "offset": 792, "bytes": 8}],
            "varying": [{"region": "out", "offset": 796, "dtype": "f32", "count": 1, "min": [-7], "max": [-7]}]})");
  EXPECT_EQ(run(stray).exit_code, kExitPass) << result();
}

TEST_F(UntouchedTest, AListThatDoesNotFitTheCaptureIsRefused) {
  for (const char* bad : {R"({"untouched": 1})", R"({"untouched": [{"region": "out", "offset": 793, "bytes": 8}]})",
                          R"({"untouched": [{"region": "gone", "offset": 0, "bytes": 8}]})"}) {
    state(bad);
    EXPECT_EQ(run([](FakeDevice&) {}).exit_code, kExitBadInput) << bad;
    EXPECT_EQ(result()["code"], "VARYING_INVALID") << bad;
  }
}

}  // namespace
}  // namespace kernloop::replay
