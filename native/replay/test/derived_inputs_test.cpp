// The captured code as an oracle for other inputs, on a fake device whose kernels are functions here.
#include "replay/core/session/derived_inputs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "replay/core/memory/derived_array.h"
#include "replay/test/fake_device.h"
#include "replay/test/fill_capture.h"

namespace kernloop::replay {
namespace {

using Capture = FillCapture;

class DerivedInputsTest : public testing::Test {
 protected:
  using Kernel = std::function<void(int count)>;

  DerivedInputsTest() : device_([this](FakeDevice&, const Launch& launch) { run_kernel(launch); }) {
    options_.compare = true;
    options_.code_object = test_code_object("baseline.hsaco");
    options_.derivation.emplace().inputs = 8;
    declare("in");
    declare("out");
    device_.places_code = false;
    device_.recovers = true;
  }

  void declare(const char* name, ElementType type = ElementType::kF32) {
    options_.derivation->types.push_back({name, 0, UINT64_MAX, type, {}});
  }

  SessionEnd run() {
    if (!std::filesystem::exists(directory_.path() / "capture")) capture_.write(directory_.path() / "capture");
    auto reader = archive::Reader::open(directory_.path() / "capture", {});
    EXPECT_TRUE(reader) << reader.error().message;
    output_.events.clear();
    device_.loaded.clear();
    return run_session(options_, **reader, device_, output_);
  }
  archive::Json result() const { return output_.events.back(); }
  std::vector<archive::Json> derived(const std::string& verdict) const {
    std::vector<archive::Json> found;
    for (const archive::Json& event : output_.events) {
      if (event.at("event") == "derived" && event.at("verdict") == verdict) found.push_back(event);
    }
    return found;
  }

  float& in(int i) { return device_.number(Capture::kIn + 4 * static_cast<uint64_t>(i)); }
  float& out(int i) { return device_.number(Capture::kOut + 4 * static_cast<uint64_t>(i)); }
  float right(int i) { return in(i)*capture_.table[i % 4] + capture_.big[i % 8]; }
  bool is_as_captured() {
    for (int i = 0; i < Capture::kCount; ++i) {
      if (in(i) != capture_.in[i]) return false;
    }
    return true;
  }
  // The third argument, as a float.
  static float captured_factor() {
    const int32_t bits = Capture::kCount;
    float factor = 0;
    std::memcpy(&factor, &bits, 4);
    return factor;
  }
  void touch(std::vector<Access> accesses) { device_.outcome.accesses = std::move(accesses); }

  // out[i] = in[i] * table[i % 4] + big[i % 8], as the test kernel.
  Kernel fill_ = [this](int count) {
    const uint64_t bytes = 4 * static_cast<uint64_t>(count);
    touch({{false, Capture::kIn, bytes}, {true, Capture::kOut, bytes}});
    for (int i = 0; i < count; ++i) out(i) = right(i);
  };
  Kernel captured_ = fill_, variant_ = fill_;

  void run_kernel(const Launch& launch) {
    int32_t count = 0;
    std::memcpy(&count, launch.kernarg.data() + 16, 4);
    const bool is_variant = device_.loaded.size() > 1 && launch.kernel >= device_.loaded[1];
    const auto info = *codeobject::parse_code_object(codeobject::read_test_file("baseline.hsaco"), "");
    const uint64_t base = launch.kernel - info.find_kernel("fill")->descriptor_address;
    table_ = base + info.find_variable("c_tab")->address;
    device_.outcome = {};
    ++*reinterpret_cast<int32_t*>(device_.at(base + info.find_variable("d_counter")->address));
    (is_variant ? variant_ : captured_)(count);
  }

  archive::TemporaryDirectory directory_;
  Capture capture_;
  Options options_;
  EventList output_;
  FakeDevice device_;
  uint64_t table_ = 0;  // address of c_tab in the code that runs
};

TEST_F(DerivedInputsTest, PassWhereTheVariantMakesOfThemWhatTheCapturedCodeDoes) {
  std::set<std::vector<float>> seen;
  variant_ = [&](int count) {
    fill_(count);
    std::vector<float> input;
    for (int i = 0; i < Capture::kCount; ++i) input.push_back(in(i));
    seen.insert(input);
  };
  EXPECT_EQ(run().exit_code, kExitPass) << result();
  EXPECT_EQ(result()["derived"]["judged"], 8);
  EXPECT_EQ(derived("same").size(), 8u);
  EXPECT_EQ(seen.size(), 8u) << "each is another one";
  EXPECT_FALSE(seen.contains(capture_.in));
}

TEST_F(DerivedInputsTest, FailWhereTheVariantAloneGoesPastTheEndOfLds) {
  const auto reads_past_lds = [this](int count) {
    fill_(count);
    if (!is_as_captured())
      device_.outcome.past_lds.push_back({{"access", "read"},
                                          {"pc", "0x1010"},
                                          {"pc_offset", "0x10"},
                                          {"instruction", "ds_read_b32 v0, v1"},
                                          {"workgroup", {0, 0, 0}},
                                          {"wave", 0},
                                          {"lane", 0},
                                          {"address", "0x100"},
                                          {"bytes", 4},
                                          {"text", "past the end"}});
  };
  variant_ = reads_past_lds;
  EXPECT_EQ(run().exit_code, kExitFail) << result();
  EXPECT_EQ(result()["differing_bytes"], 0);
  EXPECT_EQ(derived("past_lds").size(), 1u);
  EXPECT_EQ(output_.first("past_lds")["access"], "read");
  captured_ = reads_past_lds;
  EXPECT_EQ(run().exit_code, kExitPass) << result();
  EXPECT_EQ(output_.count("past_lds"), 0u);
}

TEST_F(DerivedInputsTest, FailForAVariantThatKnowsTheAnswerAndGiveThatOneAgain) {
  variant_ = [this](int count) {
    for (int i = 0; i < count; ++i) out(i) = capture_.out_post[i];
  };
  EXPECT_EQ(run().exit_code, kExitFail);
  const archive::Json failed = result()["derived"]["failed"], first = output_.first("difference");
  EXPECT_EQ(derived("different").size(), 1u);
  EXPECT_EQ(first["region"], "out");
  options_.derivation->only = failed.get<uint64_t>();
  EXPECT_EQ(run().exit_code, kExitFail);
  EXPECT_EQ(output_.first("difference"), first);
  EXPECT_EQ(result()["derived"]["judged"], 1);
  options_.derivation->seed = 2;
  EXPECT_EQ(run().exit_code, kExitFail);
  EXPECT_NE(output_.first("difference"), first) << "another seed is another input";
}

TEST_F(DerivedInputsTest, FailForOneThatOverwritesWhatItIsToAddTo) {
  const auto add = [this](bool assumes) {
    return [this, assumes](int count) {
      const uint64_t bytes = 4 * static_cast<uint64_t>(count);
      touch({{false, Capture::kIn, bytes}, {false, Capture::kOut, bytes}, {true, Capture::kOut, bytes}});
      for (int i = 0; i < count; ++i) out(i) = (assumes ? -7 : out(i)) + in(i);
    };
  };
  captured_ = add(false);
  variant_ = add(true);
  EXPECT_EQ(run().exit_code, kExitFail) << result();
  variant_ = captured_;
  EXPECT_EQ(run().exit_code, kExitPass) << result();
}

TEST_F(DerivedInputsTest, FailForOneWithoutItsGuard) {
  options_.derivation->scalars = {{"n", 16, ElementType::kI32}};
  variant_ = [this](int) { fill_(Capture::kCount); };
  EXPECT_EQ(run().exit_code, kExitFail) << result();
  const archive::Json input = derived("different").at(0);
  EXPECT_EQ(input["argument"]["name"], "n");
  EXPECT_EQ(input["argument"]["from"], Capture::kCount);
  EXPECT_EQ(input["argument"]["to"], Capture::kCount - 1);
  EXPECT_TRUE(input["arrays"].empty());
  options_.derivation->scalars.clear();
  EXPECT_EQ(run().exit_code, kExitPass) << "with other data alone it does what it should: " << result();
}

TEST_F(DerivedInputsTest, FailForOneThatHasAnArgumentWrittenOut) {
  float factor = 0;
  const auto scaled = [&](bool knows) {
    return [this, knows, &factor](int bits) {
      std::memcpy(&factor, &bits, 4);
      fill_(Capture::kCount);
      for (int i = 0; i < Capture::kCount; ++i) out(i) += std::ilogb(knows ? captured_factor() : factor);
    };
  };
  captured_ = scaled(false);
  variant_ = scaled(true);
  EXPECT_EQ(run().exit_code, kExitPass) << "with other data alone it does what it should: " << result();
  options_.derivation->scalars = {{"a", 16, ElementType::kF32}};
  EXPECT_EQ(run().exit_code, kExitFail) << result();
  const archive::Json argument = derived("different").at(0)["argument"];
  EXPECT_EQ(argument["name"], "a");
  EXPECT_EQ(argument["from"].get<float>(), captured_factor());
  EXPECT_EQ(argument["to"].get<float>(), captured_factor() / 2);
  variant_ = captured_;
  EXPECT_EQ(run().exit_code, kExitPass) << result();
}

TEST_F(DerivedInputsTest, FailForOneThatHasAVariableWrittenOutThatTheAppSets) {
  capture_.table = {2.5f, -3, 0.75f, 6};
  const auto scaled = [&](bool knows) {
    return [this, knows](int count) {
      fill_(count);
      device_.outcome.accesses.push_back({false, table_, 16});
      for (int i = 0; i < count; ++i)
        out(i) = in(i) * (knows ? capture_.table[i % 4] : device_.number(table_ + 4 * static_cast<uint64_t>(i % 4)));
    };
  };
  captured_ = scaled(false);
  options_.derivation->kept = {{"in", 0, 4 * Capture::kCount}};
  for (const bool sets : {false, true}) {
    std::filesystem::remove_all(directory_.path() / "capture");
    capture_.table_told = sets;
    variant_ = scaled(true);
    EXPECT_EQ(run().exit_code, sets ? kExitFail : kExitVacuous) << result();
  }
  const archive::Json input = derived("different").at(0);
  EXPECT_EQ(input["arrays"].at(0)["variable"], "c_tab");
  EXPECT_EQ(input["arrays"].at(0)["elements"], 4);
  variant_ = scaled(false);
  EXPECT_EQ(run().exit_code, kExitPass) << result();
  options_.derivation->kept.push_back({"c_tab", 0, 16});
  EXPECT_EQ(run().exit_code, kExitVacuous) << "as captured, for who asks for it: " << result();
}

TEST_F(DerivedInputsTest, LeaveAFractionAloneWithWhichTheCapturedCodeTouchesLess) {
  options_.derivation->scalars = {{"a", 16, ElementType::kF32}};
  variant_ = [this](int) { fill_(Capture::kCount); };
  EXPECT_EQ(run().exit_code, kExitPass) << "it may decide what is read, as a beta of 0 does: " << result();
}

TEST_F(DerivedInputsTest, LeaveArgumentsAloneWithWhichTheCapturedCodeTouchesOtherMemory) {
  options_.derivation->scalars = {{"n", 16, ElementType::kI32}};
  captured_ = [this](int count) {
    fill_(Capture::kCount);
    // A stride: one less leads elsewhere.
    device_.outcome.accesses.push_back({false, Capture::kIn + 4096 + static_cast<uint64_t>(count) * 8, 4});
  };
  variant_ = [this](int count) {
    fill_(Capture::kCount);
    if (count != Capture::kCount) out(0) = 0;
  };
  EXPECT_EQ(run().exit_code, kExitPass) << result();
}

TEST_F(DerivedInputsTest, LeaveWhatMayBeAnIndexAsItWas) {
  options_.derivation->types.clear();
  captured_ = [this](int count) {
    fill_(count);
    device_.outcome.accesses.push_back({false, Capture::kIn + 8192 + static_cast<uint64_t>(in(1) * 64) * 4, 4});
  };
  variant_ = [](int) {};
  EXPECT_EQ(run().exit_code, kExitVacuous) << result();
  EXPECT_EQ(result()["derived"]["judged"], 0);
  EXPECT_EQ(result()["derived"]["changeable"], 0);
  EXPECT_NE(result()["reason"].get<std::string>().find("touches other memory"), std::string::npos);
  // Floating-point numbers may lead elsewhere in captured memory.
  declare("in");
  EXPECT_EQ(run().exit_code, kExitFail) << result();
}

TEST_F(DerivedInputsTest, KeepTheValuesOfWhatDecidesWhichThreadTouchesWhat) {
  options_.derivation->types.clear();
  captured_ = [this](int count) {
    fill_(count);
    // An order of the threads, for example: in any order, all of them together touch the same.
    device_.outcome.accesses_by_lane = 0;
    for (int i = 0; i < count; ++i) {
      uint32_t bits = 0;
      std::memcpy(&bits, &in(i), 4);
      *device_.outcome.accesses_by_lane += mixed(mixed(bits) + static_cast<uint64_t>(i));
    }
  };
  const std::multiset<float> values(capture_.in.begin(), capture_.in.end());
  variant_ = [&](int count) {
    fill_(count);
    std::multiset<float> now;
    for (int i = 0; i < Capture::kCount; ++i) now.insert(in(i));
    if (now != values) out(0) = 12345;  // It relies on a permutation.
  };
  EXPECT_EQ(run().exit_code, kExitPass) << result();
  EXPECT_EQ(result()["derived"]["judged"], 8) << "in other places";
  // A variant that relies on the order as well is wrong.
  variant_ = [&](int count) {
    fill_(count);
    if (!is_as_captured()) out(0) = 12345;
  };
  EXPECT_EQ(run().exit_code, kExitFail) << result();
}

TEST_F(DerivedInputsTest, ChangeTheValuesOfWhatDecidesNothingOfThat) {
  options_.derivation->types.clear();
  captured_ = [this](int count) {
    fill_(count);
    device_.outcome.accesses_by_lane = 77;
  };
  const std::multiset<float> values(capture_.in.begin(), capture_.in.end());
  uint64_t others = 0;
  variant_ = [&](int count) {
    fill_(count);
    std::multiset<float> now;
    for (int i = 0; i < Capture::kCount; ++i) now.insert(in(i));
    others += now != values;
  };
  EXPECT_EQ(run().exit_code, kExitPass) << result();
  EXPECT_GT(others, 0u);
}

TEST_F(DerivedInputsTest, AreDroppedWhereTheCapturedCodeReadsRegistersThatNobodyWrote) {
  captured_ = [this](int count) {
    fill_(count);
    if (!is_as_captured()) out(0) += static_cast<float>(device_.unwritten_fill.value_or(0) % 256);
  };
  variant_ = [this](int count) {
    fill_(count);
    if (!is_as_captured()) out(0) += 1000;
  };
  EXPECT_EQ(run().exit_code, kExitVacuous) << result();
  ASSERT_FALSE(derived("dropped").empty());
  EXPECT_TRUE(derived("different").empty());
}

TEST_F(DerivedInputsTest, NeverChangePointers) {
  for (uint64_t i = 0; i < 64; ++i) capture_.pointers.push_back(i % 2 == 0 ? Capture::kIn + 4 * i : i);
  constexpr uint64_t kPointers = 0x400000100000;
  captured_ = [this](int count) {
    fill_(count);
    device_.outcome.accesses.push_back({false, kPointers, 512});
    device_.outcome.accesses[2].is_write = false;
    out(0) += static_cast<float>(*device_.at(kPointers + 8));
  };
  uint64_t changed = 0, changed_pointers = 0;
  variant_ = [&](int count) {
    captured_(count);
    for (uint64_t i = 0; i < 64; ++i) {
      uint64_t word = 0;
      std::memcpy(&word, device_.at(kPointers + 8 * i), 8);
      if (word != capture_.pointers[i]) ++(i % 2 == 0 ? changed_pointers : changed);
    }
  };
  EXPECT_EQ(run().exit_code, kExitPass) << result();
  EXPECT_EQ(changed_pointers, 0u);
  EXPECT_GT(changed, 0u) << "the numbers between them do";
}

TEST_F(DerivedInputsTest, AreDroppedWhereTheCapturedCodeGivesNaN) {
  captured_ = [this](int count) {
    fill_(count);
    for (int i = 0; i < count; ++i) out(i) = std::sqrt(in(i));
  };
  variant_ = [this](int count) {
    captured_(count);
    // Another NaN payload, which is no mistake.
    for (int i = 0; i < count; ++i) out(i) = std::isnan(out(i)) ? std::nanf("7") : out(i);
  };
  EXPECT_EQ(run().exit_code, kExitPass) << result();
  EXPECT_EQ(result()["derived"]["judged"], 8);
  ASSERT_FALSE(derived("dropped").empty());
  EXPECT_NE(derived("dropped")[0]["reason"].get<std::string>().find("NaN"), std::string::npos);
  // Asked for, any NaN is as good as another, but no number is.
  options_.derivation->special = true;
  Bounds exact;
  exact.exact = true;
  options_.tolerances = {{"out", 0, UINT64_MAX, ElementType::kF32, exact}};
  EXPECT_EQ(run().exit_code, kExitPass) << result();
  EXPECT_TRUE(derived("dropped").empty());
  variant_ = [this](int count) {
    captured_(count);
    for (int i = 0; i < count; ++i) out(i) = std::isnan(out(i)) ? 0 : out(i);
  };
  EXPECT_EQ(run().exit_code, kExitFail) << result();
}

TEST_F(DerivedInputsTest, AreDroppedWhereTheCapturedCodeDoesNotRepeatItself) {
  captured_ = [this](int count) {
    fill_(count);
    if (!is_as_captured()) out(0) += static_cast<float>(device_.seed);
  };
  variant_ = [this](int count) {
    fill_(count);
    if (!is_as_captured()) out(0) += 100;
  };
  EXPECT_EQ(run().exit_code, kExitVacuous) << result();
  ASSERT_FALSE(derived("dropped").empty());
  EXPECT_NE(derived("dropped")[0]["reason"].get<std::string>().find("run to run"), std::string::npos);
}

TEST_F(DerivedInputsTest, AreDroppedWhereOnlyTheOrderDiffersThatTheSelfCheckFoundFree) {
  // The self-check saw `records` records of `out` in any order. With other inputs the captured code leaves most of them
  // in one order, as a GPU does that starts the same waves first in each launch.
  const auto known = [this](int records) {
    options_.known_varying = directory_.path() / "selfcheck.json";
    const archive::Json record = {{"bytes", 4}, {"offset", 0}, {"count", records}, {"order", 0}, {"certain", true}};
    const archive::Json range = {{"region", "out"},
                                 {"offset", 0},
                                 {"dtype", "f32"},
                                 {"count", records},
                                 {"permuted", true},
                                 {"records", archive::Json::array({record})},
                                 {"min", archive::Json::array()},
                                 {"max", archive::Json::array()}};
    std::ofstream(*options_.known_varying)
        << archive::Json({{"schema", "kernloop.selfcheck/1"}, {"varying", archive::Json::array({range})}}).dump();
  };
  const auto exchanged = [this](std::vector<std::pair<int, int>> places, bool is_seeded, float error) {
    return [=, this](int count) {
      fill_(count);
      if (is_as_captured() || (is_seeded && device_.seed % 2 == 0)) return;
      for (const auto& [a, b] : places) std::swap(out(a), out(b));
      out(0) += error;
    };
  };
  const std::string reason = "in an order that the captured code did not give them";
  known(Capture::kCount);
  for (const bool varies : {false, true}) {
    captured_ = exchanged({{0, 1}}, varies, 0);
    variant_ = exchanged({{0, 1}, {50, 150}}, false, 0);
    EXPECT_EQ(run().exit_code, kExitVacuous) << result();
    ASSERT_FALSE(derived("dropped").empty());
    EXPECT_NE(derived("dropped")[0]["reason"].get<std::string>().find(reason), std::string::npos) << derived("dropped");
    variant_ = exchanged({{0, 1}, {50, 150}}, false, 100);
    EXPECT_EQ(run().exit_code, kExitFail) << "another value: " << result();
  }
  // More records than with the captured input.
  known(100);
  captured_ = exchanged({{100, 149}}, true, 0);
  variant_ = exchanged({{90, 120}}, false, 0);
  EXPECT_EQ(run().exit_code, kExitVacuous) << result();
  variant_ = exchanged({{90, 170}}, false, 0);
  EXPECT_EQ(run().exit_code, kExitFail) << "beyond all that is known to be in any order: " << result();
  known(100);
  captured_ = fill_;
  variant_ = exchanged({{90, 120}}, false, 0);
  EXPECT_EQ(run().exit_code, kExitFail) << result();
}

TEST_F(DerivedInputsTest, AreDroppedWhereTheCapturedCodeFaults) {
  captured_ = [this](int count) {
    fill_(count);
    if (is_as_captured()) return;
    device_.outcome.end = LaunchOutcome::End::kFault;
    device_.outcome.device_lost = true;
  };
  variant_ = [](int) {};
  EXPECT_EQ(run().exit_code, kExitVacuous) << result();
  EXPECT_FALSE(derived("dropped").empty());
  EXPECT_TRUE(derived("different").empty());
  device_.recovers = false;
  const SessionEnd end = run();
  EXPECT_EQ(end.exit_code, kExitVacuous);
  EXPECT_TRUE(end.device_lost);
  EXPECT_NE(result()["reason"].get<std::string>().find("ended the process"), std::string::npos) << result();
}

TEST_F(DerivedInputsTest, FailForAVariantThatFaults) {
  variant_ = [this](int count) {
    fill_(count);
    if (!is_as_captured()) device_.outcome.end = LaunchOutcome::End::kFault;
  };
  EXPECT_EQ(run().exit_code, kExitDevice) << result();
  EXPECT_EQ(result()["verdict"], "fault");
  EXPECT_EQ(derived("fault").size(), 1u);
  EXPECT_EQ(output_.count("fault"), 1u);
}

TEST_F(DerivedInputsTest, ChangeNothingButDeclaredNumbersWhereTheDeviceDoesNotTellWhatIsRead) {
  device_.is_software = false;
  options_.derivation->scalars = {{"n", 16, ElementType::kI32}};
  options_.derivation->types.clear();
  declare("out");
  variant_ = [this](int count) {
    EXPECT_EQ(count, Capture::kCount);
    EXPECT_TRUE(is_as_captured()) << "of no declared type";
    fill_(count);
  };
  EXPECT_EQ(run().exit_code, kExitVacuous) << "what is overwritten has no effect: " << result();
  declare("in", ElementType::kI32);
  EXPECT_EQ(run().exit_code, kExitVacuous) << result();
  options_.derivation->types.pop_back();
  declare("in");
  variant_ = fill_;
  EXPECT_EQ(run().exit_code, kExitPass) << result();
  variant_ = [this](int count) {
    for (int i = 0; i < count; ++i) out(i) = capture_.out_post[i];
  };
  EXPECT_EQ(run().exit_code, kExitFail) << result();
}

TEST_F(DerivedInputsTest, LeaveAsCapturedWhatTheyAreTold) {
  options_.derivation->kept = {{"in", 0, 4 * Capture::kCount}};
  variant_ = [](int) {};
  EXPECT_EQ(run().exit_code, kExitVacuous) << result();
  EXPECT_TRUE(derived("same").empty() && derived("different").empty());
}

// Blocks as ggml's block_q4_0 in miniature, in `in`: a scale and four pairs of nibbles, 8 bytes. out[i] = scale *
// nibbles of block i, as the app has computed it on the host.
class DerivedRecordsTest : public DerivedInputsTest {
 protected:
  static constexpr uint64_t kBlock = 8, kBlocks = 4 * Capture::kCount / kBlock;

  struct Block {
    float scale = 0;
    std::array<uint8_t, 4> nibbles = {};
  };

  DerivedRecordsTest() {
    for (uint64_t b = 0; b < kBlocks; ++b) {
      const Block block = {0.5f + static_cast<float>(b % 7), {0x21, 0x43, static_cast<uint8_t>(b), 0x65}};
      std::memcpy(&capture_.in[2 * b], &block, kBlock);
    }
    for (int i = 0; i < Capture::kCount; ++i)
      capture_.out_post[i] = static_cast<uint64_t>(i) < kBlocks ? sum_of(&capture_.in[2 * i]) : -7;
    device_.is_software = false;
    options_.derivation->types.clear();
    declare("out");
    captured_ = variant_ = multiply_;
  }

  void give_records() { options_.derivation->records = {{"in", 0, 4 * Capture::kCount, kBlock}}; }

  static float sum_of(const float* bytes) {
    Block block;
    std::memcpy(&block, bytes, kBlock);
    int sum = 0;
    for (const uint8_t pair : block.nibbles) sum += pair % 16 + pair / 16;
    return block.scale * static_cast<float>(sum);
  }
  Kernel multiply_ = [this](int) {
    touch({{false, Capture::kIn, 4 * Capture::kCount}, {true, Capture::kOut, 4 * kBlocks}});
    for (int i = 0; i < static_cast<int>(kBlocks); ++i) out(i) = sum_of(&in(2 * i));
  };
  // Right for the captured input alone.
  Kernel knows_scales_ = [this](int) {
    multiply_(0);
    for (int i = 0; i < static_cast<int>(kBlocks); ++i) {
      Block block;
      std::memcpy(&block, &in(2 * i), kBlock);
      out(i) = out(i) / block.scale * (0.5f + static_cast<float>(i % 7));
    }
  };
  static std::multiset<uint64_t> blocks(const void* bytes) {
    std::array<uint64_t, kBlocks> all = {};
    std::memcpy(all.data(), bytes, sizeof all);
    return {all.begin(), all.end()};
  }
};

TEST_F(DerivedRecordsTest, FailForAVariantThatKnowsTheScalesOfTheApp) {
  variant_ = knows_scales_;
  EXPECT_EQ(run().exit_code, kExitVacuous) << "nothing tells which bytes may change: " << result();
  give_records();
  EXPECT_EQ(run().exit_code, kExitFail) << result();
  const archive::Json array = derived("different").at(0)["arrays"].at(0);
  EXPECT_EQ(array["region"], "in");
  EXPECT_EQ(array["record_bytes"], kBlock);
  EXPECT_EQ(array["records"], kBlocks);
  EXPECT_GT(array["moved_records"], kBlocks / 2);
  EXPECT_LE(array["moved_records"], kBlocks);
}

TEST_F(DerivedRecordsTest, PassWithEveryBlockAsTheAppWroteIt) {
  for (const bool is_software : {false, true}) {
    device_.is_software = is_software;
    give_records();
    uint64_t others = 0;
    variant_ = [&](int) {
      multiply_(0);
      EXPECT_EQ(blocks(device_.at(Capture::kIn)), blocks(capture_.in.data()));
      others += !is_as_captured();
    };
    EXPECT_EQ(run().exit_code, kExitPass) << result();
    EXPECT_EQ(result()["derived"]["judged"], 8);
    EXPECT_EQ(others, 8u);
    EXPECT_EQ(result()["derived"]["changeable"], is_software ? 1 : 2);
  }
}

TEST_F(DerivedRecordsTest, CountForNothingWhereAllAreEqual) {
  for (uint64_t b = 1; b < kBlocks; ++b) std::memcpy(&capture_.in[2 * b], capture_.in.data(), kBlock);
  for (int i = 0; i < static_cast<int>(kBlocks); ++i) capture_.out_post[i] = sum_of(capture_.in.data());
  give_records();
  variant_ = [](int) {};
  EXPECT_EQ(run().exit_code, kExitVacuous) << result();
  EXPECT_EQ(result()["derived"]["judged"], 0);
  EXPECT_NE(derived("dropped").at(0)["reason"].get<std::string>().find("all records are equal"), std::string::npos);
  EXPECT_EQ(derived("dropped").at(0)["arrays"].at(0)["moved_records"], 0);
}

TEST_F(DerivedRecordsTest, CountOnceForTwoRecords) {
  options_.derivation->records = {{"in", 0, 2 * kBlock, kBlock}};
  options_.derivation->types.clear();
  EXPECT_EQ(run().exit_code, kExitPass) << result();
  EXPECT_EQ(result()["derived"]["judged"], 1) << "there is one other order";
  EXPECT_NE(derived("dropped").at(0)["reason"].get<std::string>().find("in the same order"), std::string::npos);
}

TEST_F(DerivedRecordsTest, MoveWhatIsReadAndNeitherIgnoredNorKept) {
  device_.is_software = true;
  options_.derivation->types.clear();
  give_records();
  // The last 20 blocks are not read; those behind them may be no blocks.
  captured_ = [this](int) {
    multiply_(0);
    touch({{false, Capture::kIn, kBlock * (kBlocks - 20)}, {true, Capture::kOut, 4 * kBlocks}});
    for (int i = static_cast<int>(kBlocks) - 20; i < static_cast<int>(kBlocks); ++i) out(i) = 1;
  };
  options_.ignored = {{"in", 3 * kBlock + 1, 1}};
  options_.derivation->kept = {{"in", 10 * kBlock + 7, 2}};
  variant_ = [this](int) {
    captured_(0);
    for (uint64_t b = 0; b < kBlocks; ++b) {
      const bool stays = b >= kBlocks - 20 || b == 3 || b == 10 || b == 11;
      if (stays) EXPECT_EQ(std::memcmp(device_.at(Capture::kIn + b * kBlock), &capture_.in[2 * b], kBlock), 0) << b;
    }
  };
  EXPECT_EQ(run().exit_code, kExitPass) << result();
  EXPECT_EQ(result()["derived"]["judged"], 8);
}

TEST_F(DerivedRecordsTest, AreDroppedWhereTheyLeadTheCapturedCodeElsewhere) {
  device_.is_software = true;
  options_.derivation->types.clear();
  give_records();
  captured_ = [this](int) {
    multiply_(0);
    uint8_t index = 0;
    std::memcpy(&index, device_.at(Capture::kIn + 6), 1);
    device_.outcome.accesses.push_back({false, Capture::kIn + 4096 + uint64_t{index} * 64, 4});
  };
  variant_ = [](int) {};
  EXPECT_EQ(run().exit_code, kExitVacuous) << result();
  EXPECT_NE(derived("dropped").at(0)["reason"].get<std::string>().find("touches other memory"), std::string::npos);
}

TEST_F(DerivedRecordsTest, OfSeveralArraysMoveTogetherAndAlone) {
  options_.derivation->records = {{"in", 0, 4 * Capture::kCount / 2, kBlock},
                                  {"in", 4 * Capture::kCount / 2, 4 * Capture::kCount / 2, kBlock}};
  options_.derivation->types.clear();
  EXPECT_EQ(run().exit_code, kExitPass) << result();
  std::set<std::vector<uint64_t>> sides;
  for (const archive::Json& input : derived("same")) {
    std::vector<uint64_t> offsets;
    for (const archive::Json& array : input["arrays"]) offsets.push_back(array["offset"]);
    sides.insert(offsets);
  }
  const uint64_t second = 4 * Capture::kCount / 2;
  EXPECT_EQ(sides, (std::set<std::vector<uint64_t>>{{0}, {0, second}, {second}}));
}

TEST_F(DerivedRecordsTest, StayWholeWhereTheyStraddleChunksOfTheCapture) {
  // A chunk has 4 MiB, which end 16 bytes behind the beginning of a record.
  constexpr uint64_t kRecord = 18, kBytes = 72 * 65536, kAddress = 0x400000100000;
  static_assert(kBytes > archive::kChunkBytes && archive::kChunkBytes % kRecord == 16);
  for (uint64_t i = 0; i < kBytes / 8; ++i) capture_.pointers.push_back(mixed(i) | uint64_t{1} << 63);
  // Numbers of the records, of which two hardly have the same.
  const auto records = [&](const uint8_t* bytes) {
    std::vector<uint64_t> all(kBytes / kRecord);
    for (uint64_t at = 0; at < kBytes; ++at) all[at / kRecord] += uint64_t{bytes[at]} << at % kRecord * 3;
    return all;
  };
  const std::vector<uint64_t> before = records(reinterpret_cast<const uint8_t*>(capture_.pointers.data()));
  options_.derivation->records = {{"pointers", 0, kBytes, kRecord}};
  options_.derivation->types.clear();
  options_.derivation->inputs = 1;
  captured_ = [&](int) { out(0) = static_cast<float>(*device_.at(kAddress + kRecord)); };
  bool is_other = false, is_whole = false;
  variant_ = [&](int) {
    captured_(0);
    std::vector<uint64_t> now = records(device_.at(kAddress)), sorted = before;
    is_other = now != before;
    std::sort(now.begin(), now.end());
    std::sort(sorted.begin(), sorted.end());
    is_whole = now == sorted;
  };
  EXPECT_EQ(run().exit_code, kExitPass) << result();
  EXPECT_TRUE(is_other);
  EXPECT_TRUE(is_whole);
  EXPECT_EQ(derived("same").at(0)["arrays"].at(0)["moved_records"], kBytes / kRecord);
}

TEST_F(DerivedRecordsTest, AreRefusedWhereTheCaptureHasNoSuchBytes) {
  for (const std::vector<GivenRecord>& wrong : std::vector<std::vector<GivenRecord>>{
           {{"none", 0, 16, 8}},
           {{"in", 8, 4 * Capture::kCount, 8}},
           {{"in", 0, 80, 8}, {"in", 72, 80, 8}},
       }) {
    options_.derivation->records = wrong;
    if (!std::filesystem::exists(directory_.path() / "capture")) capture_.write(directory_.path() / "capture");
    auto reader = archive::Reader::open(directory_.path() / "capture", {});
    ASSERT_TRUE(reader);
    output_.events.clear();
    device_.loaded.clear();
    run_session(options_, **reader, device_, output_);
    EXPECT_EQ(result()["code"], "USAGE") << result();
    EXPECT_NE(result()["message"].get<std::string>().find("--derive-record"), std::string::npos);
  }
}

}  // namespace
}  // namespace kernloop::replay
