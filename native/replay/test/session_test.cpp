// Verdicts of whole replays, on a fake device.
#include "replay/core/session/session.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <random>

#include "replay/test/fake_device.h"
#include "replay/test/fill_capture.h"

namespace kernloop::replay {
namespace {

using Capture = FillCapture;

// The effect of `fill`, which reads its variables at the code object's load address.
void fill(FakeDevice& device, const Launch& launch, const std::string& code_object = "baseline.hsaco") {
  uint64_t pointers[2];
  int32_t count;
  std::memcpy(pointers, launch.kernarg.data(), 16);
  std::memcpy(&count, launch.kernarg.data() + 16, 4);
  const auto info = *codeobject::parse_code_object(codeobject::read_test_file(code_object), code_object);
  const uint64_t base = launch.kernel - info.find_kernel("fill")->descriptor_address;
  const auto variable = [&](const char* name) { return base + info.find_variable(name)->address; };
  for (int i = 0; i < count; ++i) {
    device.number(pointers[0] + 4 * i) =
        device.number(pointers[1] + 4 * i) * device.number(variable("c_tab") + i % 4 * 4) +
        device.number(variable("d_big") + i % 8 * 4);
  }
  ++*reinterpret_cast<int32_t*>(device.at(variable("d_counter")));
}

class SessionTest : public testing::Test {
 protected:
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
  archive::Json result() { return output_.events.empty() ? archive::Json() : output_.events.back(); }
  static FakeDevice::KernelFunction baseline() {
    return [](FakeDevice& device, const Launch& launch) { fill(device, launch); };
  }
  void SetUp() override { options_.compare = true; }

  archive::TemporaryDirectory directory_;
  Capture capture_;
  Options options_;
  EventList output_;
};

TEST_F(SessionTest, PassesWhenEverythingIsAsTheAppLeftIt) {
  EXPECT_EQ(run(baseline()).exit_code, kExitPass);
  EXPECT_EQ(result()["verdict"], "pass") << result();
  const uint64_t bytes = 2 * Capture::kCount * 4 + 16 + 32 + 4;
  EXPECT_EQ(result()["compared_bytes"], bytes);
  EXPECT_EQ(result()["differing_bytes"], 0);
  // 41 → 42 is one byte; every float of the output changes, not every byte of it.
  EXPECT_GT(result()["changed_bytes"], Capture::kCount);
  EXPECT_LE(result()["changed_bytes"], Capture::kCount * 4 + 1);
  EXPECT_EQ(output_.first("restored")["bytes"], bytes);
}

TEST_F(SessionTest, NoticesEveryInjectedBitFlipAndPutsItBack) {
  options_.inject_bit_flips = 300;
  EXPECT_EQ(run(baseline()).exit_code, kExitPass) << result();
  EXPECT_EQ(output_.first("injection")["flips"], 300);
  EXPECT_EQ(output_.first("injection")["detected"], 300);
  EXPECT_EQ(result()["differing_bytes"], 0);
}

TEST_F(SessionTest, FailsWhenAnInjectedFlipCannotBeNoticed) {
  options_.inject_bit_flips = 50;
  FakeDevice device(baseline());
  device.loses_writes_after_launch = true;
  EXPECT_EQ(run(device).exit_code, kExitFail) << result();
  EXPECT_EQ(output_.first("injection")["detected"], 0);
}

TEST_F(SessionTest, InjectsNothingIntoAReplayThatFailedAlready) {
  options_.inject_bit_flips = 50;
  EXPECT_EQ(run([](FakeDevice&, const Launch&) {}).exit_code, kExitFail);
  EXPECT_TRUE(output_.first("injection").is_null()) << output_.first("injection");
}

TEST_F(SessionTest, PassesWithoutAccessInPlace) {
  FakeDevice device(baseline());
  device.in_place_access = false;
  EXPECT_EQ(run(device).exit_code, kExitPass) << result();
}

TEST_F(SessionTest, FailsForAVariantThatDoesNothing) {
  EXPECT_EQ(run([](FakeDevice&, const Launch&) {}).exit_code, kExitFail);
  EXPECT_EQ(result()["verdict"], "fail");
}

TEST_F(SessionTest, FailsForOneWrongBitAnywhere) {
  std::mt19937 random(1);
  for (int round = 0; round < 40; ++round) {
    const uint64_t offset = random() % (Capture::kCount * 4), bit = random() % 8;
    const bool input = round % 4 == 0;
    EXPECT_EQ(run([&](FakeDevice& device, const Launch& launch) {
                fill(device, launch);
                *device.at((input ? Capture::kIn : Capture::kOut) + offset) ^= static_cast<uint8_t>(1 << bit);
              }).exit_code,
              kExitFail);
    EXPECT_EQ(result()["differing_bytes"], 1);
    const archive::Json difference = output_.first("difference");
    EXPECT_EQ(difference["region"], input ? "in" : "out");
    EXPECT_EQ(difference["offset"], offset);
    EXPECT_EQ(difference["bytes"], 1);
  }
}

// `fill` with every output one representable value too high.
void fill_one_ulp_high(FakeDevice& device, const Launch& launch) {
  fill(device, launch);
  for (int i = 0; i < Capture::kCount; ++i) {
    float& value = device.number(Capture::kOut + 4 * i);
    value = std::nextafter(value, std::numeric_limits<float>::infinity());
  }
}

TEST_F(SessionTest, FailsForOneUlpUnlessATolerancePermitsIt) {
  EXPECT_EQ(run(fill_one_ulp_high).exit_code, kExitFail);
  EXPECT_EQ(result()["tolerance_bytes"], 0);
  options_.tolerances = {*parse_tolerance("out=f32,ulp=1")};
  EXPECT_EQ(run(fill_one_ulp_high).exit_code, kExitPass) << result();
  EXPECT_EQ(result()["tolerance_bytes"], Capture::kCount * 4);
  const archive::Json met = output_.first("tolerance");
  EXPECT_EQ(met["region"], "out");
  EXPECT_EQ(met["elements"], Capture::kCount);
  EXPECT_EQ(met["within"], Capture::kCount);
  EXPECT_EQ(met["max_ulp_error"], 1);
  options_.tolerances = {*parse_tolerance("in=f32,ulp=1")};
  EXPECT_EQ(run(fill_one_ulp_high).exit_code, kExitFail) << "the tolerance of another region";
}

TEST_F(SessionTest, FailsForANanUnderAnyTolerance) {
  options_.tolerances = {*parse_tolerance("out=f32,atol=1e30,rtol=1e30,ulp=1000000000")};
  EXPECT_EQ(run([](FakeDevice& device, const Launch& launch) {
              fill(device, launch);
              device.number(Capture::kOut + 40) = std::numeric_limits<float>::quiet_NaN();
            }).exit_code,
            kExitFail);
  EXPECT_EQ(output_.first("tolerance")["not_finite"], 1);
  EXPECT_EQ(output_.first("tolerance")["max_abs_error"], 0);
  EXPECT_EQ(output_.first("difference")["offset"], 41) << "224.5 is 00 80 60 43, a quiet NaN 00 00 c0 7f";
}

TEST_F(SessionTest, ExcusesTheShareThatMayBeWrongAndNotOneElementMore) {
  static_assert(Capture::kCount >= 100);
  const auto wrong_elements = [](size_t count) {
    return [count](FakeDevice& device, const Launch& launch) {
      fill(device, launch);
      for (size_t i = 0; i < count; ++i) device.number(Capture::kOut + i * 8) += 1e6f;
    };
  };
  const size_t few = Capture::kCount / 100;
  options_.tolerances = {*parse_tolerance("out=f32,atol=1e-3,matched=0.99")};
  EXPECT_EQ(run(wrong_elements(few)).exit_code, kExitPass) << result();
  EXPECT_EQ(output_.first("tolerance")["excused"], few);
  EXPECT_EQ(run(wrong_elements(few + 1)).exit_code, kExitFail) << result();
  EXPECT_EQ(output_.first("tolerance")["excused"], 0);
  EXPECT_EQ(output_.first("difference")["region"], "out");
  EXPECT_EQ(run([](FakeDevice&, const Launch&) {}).exit_code, kExitFail) << "a kernel that does nothing";
}

TEST_F(SessionTest, TellsForEachRegionWhatDiffersAndWhereFirst) {
  options_.tolerances = {*parse_tolerance("out=f32,exact")};
  EXPECT_EQ(run([](FakeDevice& device, const Launch& launch) {
              fill(device, launch);
              device.number(Capture::kOut + 40) += 1;
            }).exit_code,
            kExitFail);
  bool told = false;
  for (const archive::Json& event : output_.events) {
    if (event.at("event") != "compared") continue;
    const bool is_out = event.value("region", "") == "out";
    told |= is_out;
    EXPECT_EQ(event["differing_bytes"] > 0, is_out) << event;
    if (!is_out) continue;
    EXPECT_GE(event["first_difference"], 40);
    EXPECT_LT(event["first_difference"], 44);
  }
  EXPECT_TRUE(told);
  EXPECT_EQ(output_.first("tolerance")["max_abs_error"], 1);
  EXPECT_EQ(output_.first("tolerance")["first_outside"][0]["offset"], 40);
}

TEST_F(SessionTest, ProvesNothingWhereTheMemoryBeforeTheDispatchPassesToo) {
  capture_.counter_post = capture_.counter_pre;
  options_.tolerances = {*parse_tolerance("out=f32,atol=1e6")};
  EXPECT_EQ(run([](FakeDevice&, const Launch&) {}).exit_code, kExitVacuous) << result();
  EXPECT_NE(result()["reason"].get<std::string>().find("so wide"), std::string::npos);
}

TEST_F(SessionTest, ProvesNothingWhereOneTargetWouldPassAsItWasBefore) {
  // d_counter is exact, and no evidence for `out`.
  options_.tolerances = {*parse_tolerance("out=f32,atol=1e6")};
  const auto counts_alone = [this](FakeDevice& device, const Launch& launch) {
    fill(device, launch);
    for (int i = 0; i < Capture::kCount; ++i) device.number(Capture::kOut + 4 * i) = capture_.out_pre[i];
  };
  EXPECT_EQ(run(counts_alone).exit_code, kExitVacuous) << result();
  EXPECT_NE(result()["reason"].get<std::string>().find("out as it was before"), std::string::npos) << result();
}

TEST_F(SessionTest, ProvesNothingWhereOneArrayOfATargetWouldPassAsItWasBefore) {
  options_.tolerances = {*parse_tolerance("out:0:400=f32,atol=1e-3"), *parse_tolerance("out:400:400=f32,atol=1e6")};
  EXPECT_EQ(run(baseline()).exit_code, kExitVacuous) << result();
  EXPECT_NE(result()["reason"].get<std::string>().find("out at offset 400 (400 bytes)"), std::string::npos) << result();
  options_.ignored = {{"out", 400, 400}};
  EXPECT_EQ(run(baseline()).exit_code, kExitPass) << result();
}

TEST_F(SessionTest, AsksNothingOfATargetThatTheKernelDoesNotChange) {
  options_.tolerances = {*parse_tolerance("in=f32,atol=1e6")};
  EXPECT_EQ(run(baseline()).exit_code, kExitPass) << result();
}

TEST_F(SessionTest, AsksNothingOfATargetWhoseChangesAreIgnored) {
  options_.tolerances = {*parse_tolerance("out=f32,atol=1e6")};
  options_.ignored = {{"out", 0, Capture::kCount * 4}};
  EXPECT_EQ(run(baseline()).exit_code, kExitPass) << result();
}

TEST_F(SessionTest, RefusesATolerancePastTheCapture) {
  for (const char* bad : {"nowhere=f32,ulp=1", "out:4:800=f32,ulp=1", "out:801:0=f32,ulp=1", "out:2:8=f32,ulp=1"}) {
    options_.tolerances = {*parse_tolerance(bad)};
    EXPECT_EQ(run(baseline()).exit_code, kExitBadInput) << bad;
    EXPECT_EQ(result()["code"], "USAGE") << bad;
  }
  options_.tolerances = {*parse_tolerance("out:8:8=f32,ulp=1"), *parse_tolerance("out:0:12=f32,ulp=1")};
  EXPECT_EQ(run(baseline()).exit_code, kExitBadInput) << "overlapping ones";
}

TEST_F(SessionTest, FailsForAByteWrittenIntoThePadding) {
  // Before the first region, between the two, and behind the last.
  for (uint64_t address :
       {Capture::kIn - 1, Capture::kOut - 1, Capture::kOut + Capture::kCount * 4, uint64_t{0x400000001fff}}) {
    EXPECT_EQ(run([&](FakeDevice& device, const Launch& launch) {
                fill(device, launch);
                *device.at(address) = 0;
              }).exit_code,
              kExitFail);
    const archive::Json difference = output_.first("difference");
    ASSERT_TRUE(difference.contains("padding")) << difference;
    EXPECT_EQ(difference["address"], to_hex_number(address));
    EXPECT_EQ(difference["first_expected"].get<std::string>().substr(0, 2), "a5");
  }
}

TEST_F(SessionTest, LeavesThePaddingUnwrittenForToolsThatTellOfReadsThere) {
  options_.compare = false;
  for (const bool leaves : {false, true}) {
    options_.leave_padding = leaves;
    uint8_t before = 0, between = 0;
    float first = 0;
    EXPECT_EQ(run([&](FakeDevice& device, const Launch& launch) {
                before = *device.at(Capture::kIn - 1);
                between = *device.at(Capture::kOut - 1);
                first = device.number(Capture::kIn);
                fill(device, launch);
              }).exit_code,
              kExitPass);
    for (const uint8_t byte : {before, between}) EXPECT_EQ(byte == 0xa5, !leaves);
    EXPECT_EQ(first, capture_.in[0]) << "regions are restored as ever";
  }
}

TEST_F(SessionTest, SeesAPaddingByteThatIsReadThroughASecondPoison) {
  // A kernel whose result depends on memory that the capture lacks passes by luck under one pattern at most.
  const auto kernel = [](FakeDevice& device, const Launch& launch) {
    fill(device, launch);
    if (*device.at(Capture::kOut - 1) != 0xa5) device.number(Capture::kOut) = 0;
  };
  EXPECT_EQ(run(kernel).exit_code, kExitPass);
  options_.poison = 0x5a;
  EXPECT_EQ(run(kernel).exit_code, kExitFail);
}

TEST_F(SessionTest, FillsWhatNobodyWroteByThePoison) {
  std::map<uint8_t, uint64_t> fills;
  for (const uint8_t poison : {0xa5, 0x5a, 0x17}) {
    options_.poison = poison;
    run([&](FakeDevice& device, const Launch& launch) {
      fill(device, launch);
      fills[poison] = device.unwritten_fill.value();
    });
  }
  EXPECT_EQ(fills.at(0xa5), ~fills.at(0x5a)) << "a pattern and its counterpart";
  EXPECT_NE(fills.at(0x17), fills.at(0xa5));
  EXPECT_NE(fills.at(0x17), fills.at(0x5a));
}

TEST_F(SessionTest, FailsForWhatIsRightOnlyWhereItFindsTheJudge) {
  options_.machine_in_use = 30;
  const auto unless = [](const std::function<bool(FakeDevice&)>& knows) {
    return [knows](FakeDevice& device, const Launch& launch) {
      fill(device, launch);
      if (!knows(device)) device.number(Capture::kOut) = 0;
    };
  };
  const auto is_poison = [](uint64_t address) {
    return [address](FakeDevice& device) { return *device.at(address) == 0xa5; };
  };
  for (const auto& knows : {std::function(is_poison(Capture::kOut - 1)), std::function(is_poison(Capture::kIn - 1)),
                            std::function([](FakeDevice& device) { return device.machine_in_use == 0; })}) {
    for (const bool keeps : {false, true}) {
      FakeDevice device(unless(knows));
      device.keeps = keeps;
      EXPECT_EQ(run(device).exit_code, kExitFail) << keeps;
      EXPECT_EQ(result()["machine_in_use"], true);
      EXPECT_GT(result()["differing_bytes"], 0);
    }
  }
}

TEST_F(SessionTest, LaunchesOnceMoreOnAMachineInUse) {
  options_.machine_in_use = 30;
  std::vector<uint32_t> machines;
  const auto kernel = [&](FakeDevice& device, const Launch& launch) {
    machines.push_back(device.machine_in_use);
    fill(device, launch);
  };
  EXPECT_EQ(run(kernel).exit_code, kExitPass);
  EXPECT_EQ(machines, (std::vector<uint32_t>{0, 30}));
  EXPECT_FALSE(result().contains("machine_in_use"));
  // A variant that is wrong already is not launched there.
  machines.clear();
  EXPECT_EQ(run([&](FakeDevice& device, const Launch&) { machines.push_back(device.machine_in_use); }).exit_code,
            kExitFail);
  EXPECT_EQ(machines, (std::vector<uint32_t>{0}));
  EXPECT_FALSE(result().contains("machine_in_use"));
}

TEST_F(SessionTest, LaunchesAmidOthersOnAMachineInUseAlone) {
  options_.machine_in_use = 30;
  FakeDevice device([](FakeDevice& own, const Launch& launch) { fill(own, launch); });
  EXPECT_EQ(run(device).exit_code, kExitPass);
  ASSERT_EQ(device.launches.size(), 2u);
  EXPECT_FALSE(device.launches[0].amid_others);
  ASSERT_TRUE(device.launches[1].amid_others);
  EXPECT_GT(device.launches[1].amid_others->packets_before, 0u);
}

TEST_F(SessionTest, SeesWritesIntoThePaddingOfAMachineInUse) {
  options_.machine_in_use = 30;
  EXPECT_EQ(run([](FakeDevice& device, const Launch& launch) {
              fill(device, launch);
              if (device.machine_in_use != 0) *device.at(Capture::kOut - 1) = 0xa5;
            }).exit_code,
            kExitFail);
  EXPECT_TRUE(output_.first("difference").contains("padding"));
}

TEST_F(SessionTest, SaysThatAFaultWasOnAMachineInUse) {
  options_.machine_in_use = 30;
  EXPECT_EQ(run([](FakeDevice& device, const Launch& launch) {
              fill(device, launch);
              if (device.machine_in_use != 0) device.outcome.end = LaunchOutcome::End::kFault;
            }).exit_code,
            kExitDevice);
  EXPECT_EQ(result()["machine_in_use"], true);
}

TEST_F(SessionTest, HasNoMachineInUseOnHardware) {
  options_.machine_in_use = 30;
  FakeDevice device(baseline());
  device.is_software = false;
  EXPECT_EQ(run(device).exit_code, kExitBadInput);
  EXPECT_EQ(result()["code"], "UNSUPPORTED_OPTION");
}

TEST_F(SessionTest, FailsForAChangedModuleVariable) {
  EXPECT_EQ(run([](FakeDevice& device, const Launch& launch) {
              fill(device, launch);
              fill(device, launch);
            }).exit_code,
            kExitFail);
  EXPECT_EQ(output_.first("difference")["variable"], "d_counter");
}

TEST_F(SessionTest, IsVacuousWhenTheCapturedKernelChangedNothing) {
  capture_.out_pre = capture_.out_post;
  capture_.counter_pre = capture_.counter_post;
  EXPECT_EQ(run([](FakeDevice&, const Launch&) {}).exit_code, kExitVacuous);
  EXPECT_EQ(result()["verdict"], "vacuous");
  EXPECT_EQ(result()["changed_bytes"], 0);
  EXPECT_EQ(run([](FakeDevice& device, const Launch&) { device.number(Capture::kOut) = 0; }).exit_code, kExitFail)
      << "a difference is a failure, vacuous or not";
}

TEST_F(SessionTest, RestoresEverythingBeforeEachIteration) {
  options_.iterations = 3;
  options_.warmup = 2;
  int launches = 0;
  EXPECT_EQ(run([&](FakeDevice& device, const Launch& launch) {
              ++launches;
              EXPECT_EQ(device.number(Capture::kOut), -7);
              EXPECT_EQ(*device.at(Capture::kOut - 1), 0xa5);
              fill(device, launch);
              if (launches <= 2) std::memset(device.at(0x400000000000), 0x11, 0x2000);  // a warm-up may do anything
            }).exit_code,
            kExitPass)
      << result();
  EXPECT_EQ(launches, 5);
  EXPECT_EQ(output_.count("iteration"), 3u);
}

TEST_F(SessionTest, ComparesEveryIteration) {
  options_.iterations = 3;
  int launches = 0;
  EXPECT_EQ(run([&](FakeDevice& device, const Launch& launch) {
              fill(device, launch);
              if (++launches == 2) *device.at(Capture::kOut) ^= 1;
            }).exit_code,
            kExitFail);
}

TEST_F(SessionTest, RunsWithoutAVerdictWhenNotAskedToCompare) {
  options_.compare = false;
  EXPECT_EQ(run([](FakeDevice&, const Launch&) {}).exit_code, kExitPass);
  EXPECT_EQ(result()["verdict"], "ran");
}

TEST_F(SessionTest, ZeroesKernelArgumentsThatOnlyTheAppUnderstands) {
  archive::Manifest manifest = capture_.write(directory_.path() / "capture");
  manifest.kernarg.slots[1].policy = archive::SlotPolicy::kZero;
  std::ofstream(directory_.path() / "capture" / "capture.json") << archive::to_text(manifest);
  FakeDevice device([](FakeDevice&, const Launch&) {});
  run(device);
  ASSERT_EQ(device.launches.size(), 1u);
  uint64_t pointers[2];
  std::memcpy(pointers, device.launches[0].kernarg.data(), 16);
  EXPECT_EQ(pointers[0], Capture::kOut);
  EXPECT_EQ(pointers[1], 0u);
}

TEST_F(SessionTest, LaunchesTheCapturedGeometryWithDynamicLds) {
  capture_.symbol = "_Z3ldsPf4Pair";
  archive::Manifest manifest = capture_.write(directory_.path() / "capture");
  manifest.geometry.group_segment_bytes = 40 + 256;
  manifest.geometry.private_segment_bytes = 16;
  manifest.geometry.grid_work_items = {250, 1, 1};
  std::ofstream(directory_.path() / "capture" / "capture.json") << archive::to_text(manifest);
  FakeDevice device([](FakeDevice&, const Launch&) {});
  run(device);
  ASSERT_EQ(device.launches.size(), 1u);
  EXPECT_EQ(device.launches[0].grid_work_items[0], 250u) << "a partial last block, as captured";
  EXPECT_EQ(device.launches[0].group_segment_bytes, 296u);
  EXPECT_EQ(device.launches[0].private_segment_bytes, 16u);
}

TEST_F(SessionTest, SaysWhenAnAddressIsTaken) {
  FakeDevice device(baseline());
  device.taken = 0x400000000000;
  EXPECT_EQ(run(device).exit_code, kExitEnvironment);
  EXPECT_EQ(result()["code"], "ADDRESS_TAKEN");
}

TEST_F(SessionTest, ReportsAFaultWithItsOwnExitCode) {
  FakeDevice device(baseline());
  device.outcome.end = LaunchOutcome::End::kFault;
  device.outcome.device_lost = true;
  device.outcome.fault = {{"kind", "memory_access"}, {"address", "0x10"}, {"text", "lane 3 wrote to 0x10"}};
  const SessionEnd end = run(device);
  EXPECT_EQ(end.exit_code, kExitDevice);
  EXPECT_TRUE(end.device_lost);
  EXPECT_EQ(output_.first("fault")["kind"], "memory_access");
  EXPECT_EQ(output_.first("fault")["kernel"], "fill");
  EXPECT_EQ(result()["verdict"], "fault");
}

TEST_F(SessionTest, ReportsALimit) {
  FakeDevice device(baseline());
  options_.limit_wave_instructions = 1000;
  device.outcome.end = LaunchOutcome::End::kLimit;
  EXPECT_EQ(run(device).exit_code, kExitDevice);
  EXPECT_EQ(device.wave_instruction_limit, 1000u);
  EXPECT_EQ(result()["verdict"], "limit");
}

// --- variants ---

TEST_F(SessionTest, PutsAVariantOfTheSameLayoutInPlace) {
  options_.code_object = test_code_object("wrong_bit.hsaco");
  FakeDevice device(baseline());
  run(device);
  EXPECT_EQ(device.loaded, std::vector<uint64_t>{Capture::kCode});
}

TEST_F(SessionTest, LoadsAVariantOfAnotherLayoutElsewhereAndTellsOfStalePointers) {
  capture_.pointers = {Capture::kCode + 0x1f00, 17, Capture::kOut, Capture::kCode + 0x47f0};
  capture_.counter_pre = capture_.counter_post;
  options_.code_object = test_code_object("no_variables.hsaco");
  FakeDevice device([](FakeDevice&, const Launch&) {});
  run(device);
  EXPECT_NE(device.loaded.at(0), Capture::kCode);
  EXPECT_EQ(device.kept_out, std::vector<uint64_t>{Capture::kCode})
      << "a stale pointer must fault, not meet the variant's code";
  const archive::Json stale = output_.first("stale_code_pointers");
  ASSERT_FALSE(stale.is_null());
  EXPECT_EQ(stale["memory"], 2);
  EXPECT_EQ(stale["kernargs"], 0);
}

TEST_F(SessionTest, CountsOnlyCodePointersAsStaleWhenTheVariablesStayInPlace) {
  capture_.pointers = {Capture::kCode + 0x1f00, Capture::kCode + 0x47f0};
  options_.code_object = test_code_object("wrong_bit.hsaco");
  run(baseline());
  EXPECT_EQ(output_.first("stale_code_pointers")["memory"], 1);
  options_.code_object.reset();
  run(baseline());
  EXPECT_TRUE(output_.first("stale_code_pointers").is_null()) << "the baseline is where it was";
}

// From readelf: .text of the captured code is [0x1f00, 0x2774), and what its loader relocates [0x3778, 0x37e8).
TEST_F(SessionTest, LaunchesNothingWithTheAddressOfAFunctionThatTheDeviceHasElsewhere) {
  const std::pair<uint64_t, const char*> addresses[] = {
      {0x1f00, "fill"}, {0x2108, "sum"}, {0x2773, "scale<float>"}, {0x3778, "captured code"}};
  for (const auto& [place, name] : addresses) {
    std::filesystem::remove_all(directory_.path() / "capture");
    capture_.pointers = {17, Capture::kOut, Capture::kCode + place};
    for (const char* variant : {"", "wrong_bit.hsaco"}) {
      options_.code_object.reset();
      if (*variant != '\0') options_.code_object = test_code_object(variant);
      FakeDevice device(baseline());
      device.places_code = false;
      EXPECT_EQ(run(device).exit_code, kExitBadInput) << name;
      EXPECT_TRUE(device.launches.empty());
      EXPECT_EQ(result()["code"], "CODE_ADDRESS_IN_MEMORY") << result();
      const std::string message = result().value("message", "");
      EXPECT_TRUE(message.starts_with("region pointers holds the address of ")) << message;
      EXPECT_NE(message.find(name), std::string::npos) << message;
      EXPECT_NE(message.find("at offset 0x10,"), std::string::npos) << message;
    }
  }
}

TEST_F(SessionTest, LaunchesNothingThatIsComparedIfTheDispatchStoredTheAddressOfAFunction) {
  capture_.pointers = {17, Capture::kOut, 0};
  capture_.pointers_written = {17, Capture::kOut, Capture::kCode + 0x2108};
  FakeDevice device(baseline());
  device.places_code = false;
  EXPECT_EQ(run(device).exit_code, kExitBadInput);
  EXPECT_TRUE(device.launches.empty());
  EXPECT_EQ(result()["code"], "CODE_ADDRESS_IN_MEMORY") << result();
  const std::string message = result().value("message", "");
  EXPECT_TRUE(message.starts_with("region pointers after the dispatch holds the address of sum")) << message;
  EXPECT_NE(message.find("at offset 0x10,"), std::string::npos) << message;
  options_.compare = false;
  FakeDevice timed(baseline());
  timed.places_code = false;
  EXPECT_EQ(run(timed).exit_code, kExitPass) << result();
  EXPECT_EQ(timed.launches.size(), 1u);
}

TEST_F(SessionTest, LaunchesNothingWithTheAddressOfAFunctionAmongTheArguments) {
  archive::Manifest manifest = capture_.write(directory_.path() / "capture");
  const uint64_t function = Capture::kCode + 0x2100;
  std::memcpy(manifest.kernarg.bytes.data() + 8, &function, 8);
  std::ofstream(directory_.path() / "capture" / "capture.json") << archive::to_text(manifest);
  FakeDevice device(baseline());
  device.places_code = false;
  EXPECT_EQ(run(device).exit_code, kExitBadInput);
  EXPECT_TRUE(device.launches.empty());
  EXPECT_NE(result().value("message", "").find("arguments"), std::string::npos) << result();
}

// Bytes just beside the functions, the descriptor of a kernel, a constant, a variable, and an address that is not
// aligned.
TEST_F(SessionTest, LaunchesWithWhatOnlyResemblesTheAddressOfAFunction) {
  const uint64_t code = Capture::kCode, function = code + 0x2100;
  capture_.pointers = {code + 0x1eff, code + 0x2774, code + 0x37e8,  code + 0xd80,
                       code + 0xe80,  code + 0x4800, function << 32, function >> 32};
  FakeDevice device(baseline());
  device.places_code = false;
  EXPECT_EQ(run(device).exit_code, kExitPass) << result();
  EXPECT_EQ(device.launches.size(), 1u);
  EXPECT_EQ(output_.first("stale_code_pointers")["memory"], 6);
}

TEST_F(SessionTest, LaunchesWithTheAddressOfAFunctionThatIsWhereItWas) {
  capture_.pointers = {Capture::kCode + 0x2100};
  FakeDevice device(baseline());
  device.places_code = false;
  device.free_code_address = Capture::kCode;
  EXPECT_EQ(run(device).exit_code, kExitPass) << result();
  EXPECT_EQ(device.launches.size(), 1u);
}

TEST_F(SessionTest, FollowsPointerArgumentsToModuleVariables) {
  archive::Manifest manifest = capture_.write(directory_.path() / "capture");
  const uint64_t pointer = Capture::kCode + 0x4810 + 8;  // into d_big
  std::memcpy(manifest.kernarg.bytes.data() + 8, &pointer, 8);
  std::ofstream(directory_.path() / "capture" / "capture.json") << archive::to_text(manifest);
  FakeDevice device([](FakeDevice&, const Launch&) {});
  device.places_code = false;
  run(device);
  uint64_t now;
  std::memcpy(&now, device.launches.at(0).kernarg.data() + 8, 8);
  EXPECT_EQ(now, device.loaded.at(0) + 0x4810 + 8);
  EXPECT_EQ(output_.first("restored")["relocated_kernargs"], 1);
}

TEST_F(SessionTest, FollowsThePointerBehindAModuleVariable) {
  archive::Manifest manifest = capture_.write(directory_.path() / "capture");
  uint64_t end = 0;  // end of a [begin, end) that the app passed, in the last variable
  for (const archive::ModuleVariable& v : manifest.module_variables) end = std::max(end, v.address + v.size);
  std::memcpy(manifest.kernarg.bytes.data() + 8, &end, 8);
  std::ofstream(directory_.path() / "capture" / "capture.json") << archive::to_text(manifest);
  FakeDevice device([](FakeDevice&, const Launch&) {});
  device.places_code = false;
  run(device);
  uint64_t now;
  std::memcpy(&now, device.launches.at(0).kernarg.data() + 8, 8);
  EXPECT_EQ(now, device.loaded.at(0) + (end - Capture::kCode));
}

// On CUDA the driver chooses a module variable's address, and parameters are values without a kind.
TEST_F(SessionTest, FindsVariablesThatMoveOnADeviceWithoutLoadBases) {
  capture_.pointers = {Capture::kCode + 0x4810, 17, Capture::kOut};
  FakeDevice device(baseline());
  device.places_code = false;
  device.symbols_have_places = true;
  EXPECT_EQ(run(device).exit_code, kExitPass) << result();
  EXPECT_NE(device.loaded.at(0), Capture::kCode);
  EXPECT_EQ(output_.first("stale_code_pointers")["memory"], 1) << "a captured pointer into d_big leads nowhere now";
  EXPECT_TRUE(device.kept_out.empty());
}

TEST_F(SessionTest, SaysWhenItsOwnCodeObjectLacksACapturedVariable) {
  archive::Manifest manifest = capture_.write(directory_.path() / "capture");
  manifest.module_variables.at(0).name = "gone";
  std::ofstream(directory_.path() / "capture" / "capture.json") << archive::to_text(manifest);
  FakeDevice device(baseline());
  device.places_code = false;
  device.symbols_have_places = true;
  EXPECT_EQ(run(device).exit_code, kExitBadInput);
  EXPECT_EQ(result()["code"], "CAPTURE_INVALID");
}

TEST_F(SessionTest, PutsBackWhatTheDeviceKeepsInsteadOfReadingTheArchiveAgain) {
  options_.iterations = 3;
  uint64_t written_before_first = 0;
  FakeDevice device([&](FakeDevice& device, const Launch& launch) {
    if (device.launches.size() == 1) written_before_first = device.bytes_written;
    EXPECT_EQ(device.number(Capture::kOut), -7);
    EXPECT_EQ(*device.at(Capture::kOut - 1), 0xa5) << "poison is put back too";
    fill(device, launch);
    if (device.launches.size() == 3) *device.at(Capture::kOut - 1) = 0;
  });
  device.keeps = true;
  EXPECT_EQ(run(device).exit_code, kExitFail) << "the third iteration wrote a padding byte";
  EXPECT_EQ(device.launches.size(), 3u);
  EXPECT_EQ(result()["differing_bytes"], 1);
  EXPECT_EQ(device.bytes_written, written_before_first);
}

TEST_F(SessionTest, RefusesAVariantWithoutTheKernelAndNamesTheNearest) {
  options_.code_object = test_code_object("no_fill.hsaco");
  FakeDevice device(baseline());
  EXPECT_EQ(run(device).exit_code, kExitBadInput);
  EXPECT_EQ(result()["code"], "SYMBOL_MISSING");
  EXPECT_NE(result()["message"].get<std::string>().find("sum"), std::string::npos) << result();
  EXPECT_TRUE(device.launches.empty()) << "never another kernel";
}

// The caller hashed one file, and another is at its path when it is read: swapped in for just as long.
TEST_F(SessionTest, JudgesOnlyTheBytesThatItWasAskedToJudge) {
  const auto digest_of = [](const std::filesystem::path& path) {
    const auto text = archive::read_text(path, 1 << 20);
    return sha256({reinterpret_cast<const uint8_t*>(text->data()), text->size()});
  };
  options_.capture = directory_.path() / "capture";
  capture_.write(options_.capture);
  const auto other = test_code_object("other_initializer.hsaco");
  const auto varying = directory_.path() / "varying.json", overwritten = directory_.path() / "overwritten.json";
  std::ofstream(varying) << R"({"varying": []})";
  std::ofstream(overwritten) << R"({"overwritten": []})";
  options_.code_object = test_code_object("baseline.hsaco");
  options_.known_varying = varying;
  options_.overwritten = overwritten;
  for (const auto& path : {options_.capture / "capture.json", *options_.code_object, varying, overwritten}) {
    options_.expected = {{path, digest_of(path)}, {"elsewhere", digest_of(other)}};
    EXPECT_EQ(run(baseline()).exit_code, kExitPass) << result();
    options_.expected[path] = digest_of(other);
    FakeDevice device(baseline());
    EXPECT_EQ(run(device).exit_code, kExitBadInput) << path;
    EXPECT_EQ(result()["code"], "INPUT_CHANGED") << result();
    EXPECT_NE(result()["message"].get<std::string>().find(path.string()), std::string::npos) << result();
    EXPECT_TRUE(device.launches.empty());
  }
}

TEST_F(SessionTest, RefusesAVariantWithOtherArguments) {
  options_.code_object = test_code_object("more_arguments.hsaco");
  EXPECT_EQ(run(baseline()).exit_code, kExitBadInput);
  EXPECT_EQ(result()["code"], "KERNARG_MISMATCH");
}

TEST_F(SessionTest, RefusesAVariantThatLostAVariableTheKernelChanged) {
  options_.code_object = test_code_object("no_variables.hsaco");
  EXPECT_EQ(run(baseline()).exit_code, kExitBadInput);
  EXPECT_EQ(result()["code"], "VARIABLE_MISSING");
  EXPECT_NE(result()["message"].get<std::string>().find("d_counter"), std::string::npos);
}

TEST_F(SessionTest, SkipsAVariableThatTheKernelLeftAlone) {
  capture_.counter_pre = capture_.counter_post;
  options_.code_object = test_code_object("no_variables.hsaco");
  run([](FakeDevice&, const Launch&) {});
  EXPECT_EQ(output_.count("variable_missing"), 2u);
  EXPECT_EQ(output_.count("error"), 0u) << result();
}

TEST_F(SessionTest, RestoresVariablesOfAVariantByName) {
  options_.code_object = test_code_object("other_initializer.hsaco");
  // The app had set c_tab to 5…8: the variant's initializer 2,2,3,4 must not show.
  EXPECT_EQ(
      run([](FakeDevice& device, const Launch& launch) { fill(device, launch, "other_initializer.hsaco"); }).exit_code,
      kExitPass)
      << result();
}

// The table has the value that the source gives it, which the variant's does not.
class InitializerTest : public SessionTest {
 protected:
  InitializerTest() {
    capture_.table = {1, 2, 3, 4};
    capture_.out_post.clear();
    for (int i = 0; i < Capture::kCount; ++i)
      capture_.out_post.push_back(capture_.in[i] * capture_.table[i % 4] + capture_.big[i % 8]);
    options_.code_object = test_code_object("other_initializer.hsaco");
  }
  static void kernel(FakeDevice& device, const Launch& launch) { fill(device, launch, "other_initializer.hsaco"); }
};

TEST_F(InitializerTest, LetsAnEditedInitializerCountWhenTheAppNeverSetTheVariable) {
  EXPECT_EQ(run(kernel).exit_code, kExitFail) << "the edit changes the result";
  EXPECT_EQ(output_.first("variable_kept")["variable"], "c_tab");
  EXPECT_EQ(output_.first("variable_kept")["is_known"], false) << "an older capture";
  EXPECT_EQ(output_.first("difference")["region"], "out");
}

// The value alone does not show whether the app set the variable: it may have set it to its initial value.
TEST_F(InitializerTest, RestoresAVariableThatTheAppMayHaveSetToItsInitializer) {
  capture_.table_told = true;
  EXPECT_EQ(run(kernel).exit_code, kExitPass) << "with the value that the app had";
  EXPECT_EQ(output_.first("variable_restored")["variable"], "c_tab");
  EXPECT_EQ(output_.count("variable_kept"), 0u);
}

TEST_F(SessionTest, RefusesASymbolThatIsNotThere) {
  options_.symbol = "fil";
  EXPECT_EQ(run(baseline()).exit_code, kExitBadInput);
  EXPECT_EQ(result()["code"], "SYMBOL_MISSING");
}

// --- values that vary ---

class VaryingTest : public SessionTest {
 protected:
  // out[0] is a sum whose order varies: `error` away from the app's value, in units of the spread between the replays.
  static FakeDevice::KernelFunction off_by(float error) {
    return [error](FakeDevice& device, const Launch& launch) {
      fill(device, launch);
      device.number(Capture::kOut) += error;
    };
  }
  FakeDevice::KernelFunction seeded(float away = 0) {
    return [away](FakeDevice& device, const Launch& launch) {
      fill(device, launch);
      device.number(Capture::kOut) += static_cast<float>(device.seed % 5) * 0.001f - 0.002f + away;
    };
  }
  void write_varying(archive::Json list) {
    options_.known_varying = directory_.path() / "selfcheck.json";
    std::ofstream(*options_.known_varying)
        << archive::Json({{"schema", "kernloop.selfcheck/1"}, {"varying", list}}).dump();
  }
  float post() const { return capture_.out_post[0]; }
};

// The values of `out` in any order.
archive::Json permuted_out() {
  return {{"region", "out"},
          {"offset", 0},
          {"dtype", "f32"},
          {"count", Capture::kCount},
          {"permuted", true},
          {"records", {{{"bytes", 4}, {"offset", 0}, {"count", Capture::kCount}, {"order", 0}, {"certain", true}}}},
          {"min", archive::Json::array()},
          {"max", archive::Json::array()}};
}

archive::Json with_record(archive::Json record) {
  archive::Json range = permuted_out();
  range["records"] = archive::Json::array({std::move(record)});
  return archive::Json::array({std::move(range)});
}

archive::Json with_spans(std::vector<int> spans) {
  return with_record(
      {{"bytes", 4}, {"offset", 0}, {"count", 200}, {"order", 0}, {"certain", true}, {"spans", std::move(spans)}});
}

TEST_F(VaryingTest, CalibratesTheElementsTheirTypeAndTheirSpread) {
  options_.calibrate = {1, 2, 3, 4, 5, 6};
  FakeDevice device(seeded());
  EXPECT_EQ(run(device).exit_code, kExitPass) << result();
  EXPECT_EQ(device.seeds, options_.calibrate);
  ASSERT_EQ(output_.count("varying"), 1u);
  const archive::Json varying = output_.first("varying");
  EXPECT_EQ(varying["region"], "out");
  EXPECT_EQ(varying["offset"], 0);
  EXPECT_EQ(varying["dtype"], "f32");
  EXPECT_EQ(varying["count"], 1);
  EXPECT_NEAR(varying["min"][0].get<float>(), post() - 0.002f, 1e-5);
  EXPECT_NEAR(varying["max"][0].get<float>(), post() + 0.002f, 1e-5);
  EXPECT_EQ(result()["varying_bytes"], 4);
}

TEST_F(VaryingTest, FindsNothingToCalibrateInADeterministicKernel) {
  options_.calibrate = {1, 2, 3};
  EXPECT_EQ(run(baseline()).exit_code, kExitPass);
  EXPECT_EQ(output_.count("varying"), 0u);
  EXPECT_EQ(result()["varying_bytes"], 0);
}

TEST_F(VaryingTest, RefusesAnAppResultThatTheOrderDoesNotExplain) {
  options_.calibrate = {1, 2, 3, 4, 5};
  EXPECT_EQ(run(seeded(1.0f)).exit_code, kExitFail);
  EXPECT_EQ(result()["unexplained_elements"], 1);
  EXPECT_EQ(output_.first("unexplained")["region"], "out");
  options_.calibrate = {1, 1};
  EXPECT_EQ(run(off_by(0.001f)).exit_code, kExitFail) << "replays that agree with each other explain no difference";
}

TEST_F(VaryingTest, FailsACalibrationThatWritesIntoThePadding) {
  options_.calibrate = {1, 2};
  EXPECT_EQ(run([](FakeDevice& device, const Launch& launch) {
              fill(device, launch);
              *device.at(Capture::kOut - 1) = 0;
            }).exit_code,
            kExitFail);
}

TEST_F(VaryingTest, AcceptsAKnownVaryingElementWithinItsSpreadOnly) {
  write_varying({{{"region", "out"},
                  {"offset", 0},
                  {"dtype", "f32"},
                  {"count", 1},
                  {"min", {post() - 0.002f}},
                  {"max", {post() + 0.002f}}}});
  EXPECT_EQ(run(off_by(0.001f)).exit_code, kExitPass) << result();
  EXPECT_EQ(result()["varying_bytes"], 4);
  EXPECT_EQ(run(off_by(0.0055f)).exit_code, kExitPass) << "within one spread beyond";
  EXPECT_EQ(run(off_by(0.04f)).exit_code, kExitFail) << "ten spreads";
  EXPECT_EQ(run(off_by(-0.04f)).exit_code, kExitFail);
  EXPECT_EQ(run([](FakeDevice& device, const Launch& launch) {
              fill(device, launch);
              device.number(Capture::kOut) = std::nanf("");
            }).exit_code,
            kExitFail);
  EXPECT_EQ(run([](FakeDevice&, const Launch&) {}).exit_code, kExitFail) << "doing nothing stays wrong";
}

TEST_F(VaryingTest, KeepsEverythingElseByteExact) {
  write_varying({{{"region", "out"},
                  {"offset", 0},
                  {"dtype", "f32"},
                  {"count", 1},
                  {"min", {post() - 0.002f}},
                  {"max", {post() + 0.002f}}}});
  EXPECT_EQ(run([](FakeDevice& device, const Launch& launch) {
              fill(device, launch);
              device.number(Capture::kOut) += 0.001f;
              *device.at(Capture::kOut + 4) ^= 1;
            }).exit_code,
            kExitFail);
  EXPECT_EQ(output_.first("difference")["offset"], 4);
  EXPECT_EQ(result()["differing_bytes"], 1);
}

// Threads that claim places by an atomic: the app had the values in order, a seed turns them around by so many places.
void rotate(FakeDevice& device, const Launch& launch, int places) {
  fill(device, launch);
  std::vector<float> values;
  for (int i = 0; i < Capture::kCount; ++i) values.push_back(device.number(Capture::kOut + 4 * i));
  for (int i = 0; i < Capture::kCount; ++i) {
    device.number(Capture::kOut + 4 * i) = values[(i + places) % Capture::kCount];
  }
}

TEST_F(VaryingTest, CalibratesValuesThatComeInAnyOrder) {
  options_.calibrate = {1, 2, 3};
  // No spread around three rotations explains the app's own order: elements of both ends are far apart.
  const auto rotated = [](FakeDevice& device, const Launch& launch) {
    rotate(device, launch, static_cast<int>(device.seed % 7) + 1);
  };
  EXPECT_EQ(run(rotated).exit_code, kExitPass) << result();
  EXPECT_EQ(output_.count("unexplained"), 0u);
  ASSERT_EQ(output_.count("varying"), 1u);
  const archive::Json varying = output_.first("varying");
  EXPECT_EQ(varying["permuted"], true);
  EXPECT_EQ(varying["dtype"], "f32");
  EXPECT_EQ(varying["count"], Capture::kCount);
  EXPECT_EQ(result()["varying_bytes"], 4 * Capture::kCount);

  options_.calibrate.clear();
  write_varying({varying});
  EXPECT_EQ(run([](FakeDevice& device, const Launch& launch) { rotate(device, launch, 99); }).exit_code, kExitPass)
      << "an order that was never seen: " << result();
  EXPECT_EQ(run([](FakeDevice& device, const Launch& launch) {
              rotate(device, launch, 99);
              device.number(Capture::kOut + 40) = device.number(Capture::kOut + 44);
            }).exit_code,
            kExitFail)
      << "one value lost, another there twice";
  EXPECT_EQ(run([](FakeDevice&, const Launch&) {}).exit_code, kExitFail);
}

TEST_F(VaryingTest, KeepsToRangesWhereAValueIsLostInOneOrder) {
  options_.calibrate = {1, 2, 3};
  run([](FakeDevice& device, const Launch& launch) {
    rotate(device, launch, static_cast<int>(device.seed % 7) + 1);
    if (device.seed == 3) device.number(Capture::kOut) = -1;
  });
  ASSERT_GT(output_.count("varying") + output_.count("unexplained"), 0u);
  for (const archive::Json& event : output_.events) EXPECT_FALSE(event.value("permuted", false)) << event;
}

// Values that moved to other places, and differ between orders.
void shuffle(FakeDevice& device, const Launch& launch) {
  rotate(device, launch, static_cast<int>(device.seed % 7) + 1);
  device.number(Capture::kOut) = static_cast<float>(device.seed);
}

TEST_F(VaryingTest, LeavesUnjudgedWhatIsNoNumberAroundACentre) {
  options_.calibrate = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  EXPECT_EQ(run(shuffle).exit_code, kExitPass) << result();
  EXPECT_EQ(output_.count("unexplained"), 0u);
  ASSERT_EQ(output_.count("varying"), 1u);
  const archive::Json varying = output_.first("varying");
  EXPECT_EQ(varying["order_dependent"], true);
  EXPECT_EQ(varying["count"], 4 * Capture::kCount) << "bytes";
  EXPECT_EQ(result()["order_dependent_bytes"], 4 * Capture::kCount);

  options_.calibrate.clear();
  write_varying({varying});
  EXPECT_EQ(run(baseline()).exit_code, kExitPass) << "the counter was judged: " << result();
  EXPECT_EQ(result()["unjudged_bytes"], 4 * Capture::kCount);
  EXPECT_EQ(result()["compared_bytes"], Capture::kCount * 4 + 52);
  EXPECT_EQ(run([](FakeDevice&, const Launch&) {}).exit_code, kExitFail) << "the counter stands still";
}

TEST_F(VaryingTest, ProvesNothingWhereAllThatChangedIsUnjudged) {
  capture_.counter_post = capture_.counter_pre;
  write_varying({{{"region", "out"},
                  {"offset", 0},
                  {"dtype", "u8"},
                  {"count", 4 * Capture::kCount},
                  {"order_dependent", true},
                  {"min", archive::Json::array()},
                  {"max", archive::Json::array()}}});
  EXPECT_EQ(run([](FakeDevice&, const Launch&) {}).exit_code, kExitVacuous) << result();
  EXPECT_NE(result()["reason"].get<std::string>().find("order of waves"), std::string::npos);
  EXPECT_EQ(run([](FakeDevice& device, const Launch&) { *device.at(Capture::kIn) ^= 1; }).exit_code, kExitFail)
      << "everything else is still compared";
}

TEST_F(VaryingTest, RefusesValuesThatAreTheSameInEveryReplayAndOtherThanTheApps) {
  options_.calibrate = {1, 2, 3, 4, 5, 6, 7, 8};
  EXPECT_EQ(run([](FakeDevice& device, const Launch& launch) {
              rotate(device, launch, 3), device.number(Capture::kOut) = 5;
            }).exit_code,
            kExitFail)
      << "no replay shows that the order is at work";
  EXPECT_GT(result()["unexplained_elements"].get<int>(), 0);
}

TEST_F(VaryingTest, EndsACalibrationThatShowsNothingNew) {
  for (uint64_t seed = 1; seed <= 64; ++seed) options_.calibrate.push_back(seed);
  options_.settle = Settling{16, 1e6};
  EXPECT_EQ(run(seeded()).exit_code, kExitPass);
  EXPECT_EQ(result()["replays"], 16);
  EXPECT_EQ(result()["is_settled"], true);
  // New differences in every replay: all replays are made.
  const auto restless = [](FakeDevice& device, const Launch& launch) {
    fill(device, launch);
    device.number(Capture::kOut + 8 * (device.seed % 64)) += 0.001f;
  };
  EXPECT_EQ(run(restless).exit_code, kExitPass) << result();
  EXPECT_EQ(result()["replays"], 64);
  EXPECT_EQ(result()["is_settled"], false);
  options_.settle = Settling{16, 0};
  EXPECT_EQ(run(restless).exit_code, kExitPass) << result();
  EXPECT_EQ(result()["replays"], 8) << "no time left, but for the least";
}

TEST_F(VaryingTest, GoesOnWithTheReplaysOfAnotherProcess) {
  options_.calibration_file = directory_.path() / "samples";
  options_.calibrate = {1, 2, 3, 4};
  EXPECT_EQ(run(seeded()).exit_code, kExitPass);
  const archive::Json first = output_.first("varying");
  options_.calibrate = {5, 6, 7, 8};
  EXPECT_EQ(run(seeded()).exit_code, kExitPass) << result();
  EXPECT_EQ(result()["replays"], 8);
  const archive::Json both = output_.first("varying");
  options_.calibration_file.reset();
  options_.calibrate = {1, 2, 3, 4, 5, 6, 7, 8};
  EXPECT_EQ(run(seeded()).exit_code, kExitPass);
  EXPECT_EQ(output_.first("varying"), both) << "as if one process had replayed them all";
  EXPECT_NE(first, both);

  options_.calibration_file = directory_.path() / "samples";
  std::filesystem::resize_file(*options_.calibration_file, std::filesystem::file_size(*options_.calibration_file) - 9);
  EXPECT_EQ(run(seeded()).exit_code, kExitBadInput);
  EXPECT_EQ(result()["code"], "CALIBRATION_FILE");
}

TEST_F(VaryingTest, JudgesByTheIntervalWhereTheFileHasOne) {
  const float slack = 0.01f;
  write_varying({{{"region", "out"},
                  {"offset", 0},
                  {"dtype", "f32"},
                  {"count", 2},
                  {"min", {post(), capture_.out_post[1]}},
                  {"max", {post(), capture_.out_post[1]}},
                  {"low", {post() - slack, capture_.out_post[1]}},
                  {"high", {post() + slack, capture_.out_post[1]}}}});
  EXPECT_EQ(run(off_by(0.009f)).exit_code, kExitPass) << "seen or not: " << result();
  EXPECT_EQ(run(off_by(0.011f)).exit_code, kExitFail);
  EXPECT_EQ(run(off_by(-0.011f)).exit_code, kExitFail);
}

TEST_F(VaryingTest, ProvesNothingWhereMemoryBeforeTheDispatchPassesTheRanges) {
  // The counter alone would expose a variant that does nothing, but not one that only counts.
  for (float& value : capture_.out_pre) value = 0;
  archive::Json min = archive::Json::array(), max = archive::Json::array();
  for (float value : capture_.out_post) {
    min.push_back(0);
    max.push_back(value);
  }
  write_varying(
      {{{"region", "out"}, {"offset", 0}, {"dtype", "f32"}, {"count", Capture::kCount}, {"min", min}, {"max", max}}});
  EXPECT_EQ(run(baseline()).exit_code, kExitVacuous);
  EXPECT_NE(result()["reason"].get<std::string>().find("varies in out"), std::string::npos);
  write_varying({permuted_out()});
  EXPECT_EQ(run(baseline()).exit_code, kExitPass) << "zeros are no permutation of it: " << result();
}

TEST_F(VaryingTest, ProvesNothingWhereMemoryBeforeTheDispatchHasTheSameValues) {
  capture_.out_pre = capture_.out_post;
  std::reverse(capture_.out_pre.begin(), capture_.out_pre.end());
  write_varying({permuted_out()});
  EXPECT_EQ(run(baseline()).exit_code, kExitVacuous) << result();
}

TEST_F(VaryingTest, ProvesNothingWhereAFileDoesNotSayOfWhichRecordsThePermutedValuesAre) {
  archive::Json old = permuted_out();
  old.erase("records");
  write_varying({old});
  EXPECT_EQ(run([](FakeDevice& device, const Launch& launch) { rotate(device, launch, 99); }).exit_code, kExitVacuous);
  EXPECT_NE(result()["reason"].get<std::string>().find("capture again"), std::string::npos) << result();
  EXPECT_EQ(run([](FakeDevice& device, const Launch& launch) {
              rotate(device, launch, 99);
              device.number(Capture::kOut + 40) += 1;
            }).exit_code,
            kExitFail)
      << "a value that was never there is wrong whatever the records are";
}

TEST_F(VaryingTest, RefusesAFileOfVaryingRangesThatDoesNotFitTheCapture) {
  for (const auto& list :
       {archive::Json(
            {{{"region", "nowhere"}, {"offset", 0}, {"dtype", "f32"}, {"count", 1}, {"min", {0}}, {"max", {1}}}}),
        archive::Json(
            {{{"region", "out"}, {"offset", 800}, {"dtype", "f32"}, {"count", 1}, {"min", {0}}, {"max", {1}}}}),
        archive::Json({{{"region", "out"},
                        {"offset", 0},
                        {"dtype", "f64"},
                        {"count", 101},
                        {"permuted", true},
                        {"min", archive::Json::array()},
                        {"max", archive::Json::array()}}}),
        with_record({{"bytes", 8}, {"offset", 0}, {"count", 101}, {"order", 0}, {"certain", true}}),
        with_record({{"bytes", 4}, {"offset", 4}, {"count", 200}, {"order", 0}, {"certain", true}}),
        with_record({{"bytes", 0}, {"offset", 0}, {"count", 1}, {"order", 0}, {"certain", true}}),
        with_record({{"bytes", 4}, {"offset", 0}, {"count", 0}, {"order", 0}, {"certain", true}}),
        with_record({{"bytes", 4}, {"offset", 0}, {"count", UINT64_MAX / 2}, {"order", 0}, {"certain", true}}),
        with_record({{"bytes", 4}, {"offset", 0}, {"count", 1}, {"order", 0}}),
        with_spans({0, 1, 1}),
        with_spans({2, 2}),
        with_spans({0, 2, 1, 3}),
        with_spans({0, 201}),
        with_spans({-1, 2}),
        archive::Json({{{"region", "out"}, {"offset", 0}, {"dtype", "f7"}, {"count", 1}, {"min", {0}}, {"max", {1}}}}),
        archive::Json({{{"region", "out"}, {"offset", 0}, {"dtype", "f32"}, {"count", 2}, {"min", {0}}, {"max", {1}}}}),
        archive::Json({{{"region", "out"},
                        {"offset", 0},
                        {"dtype", "f32"},
                        {"count", 1},
                        {"min", {1}},
                        {"max", {2}},
                        {"low", {1.5}},
                        {"high", {2}}}}),
        archive::Json({{{"region", "out"},
                        {"offset", 0},
                        {"dtype", "f32"},
                        {"count", 1},
                        {"min", {1}},
                        {"max", {2}},
                        {"low", {0}}}}),
        archive::Json({{{"region", "out"},
                        {"offset", 1},
                        {"dtype", "u8"},
                        {"count", 800},
                        {"order_dependent", true},
                        {"min", archive::Json::array()},
                        {"max", archive::Json::array()}}}),
        archive::Json(
            {{{"region", "out"}, {"offset", 0}, {"dtype", "f32"}, {"count", 1}, {"min", {2}}, {"max", {1}}}})}) {
    write_varying(list);
    EXPECT_EQ(run(baseline()).exit_code, kExitBadInput) << list;
    EXPECT_EQ(result()["code"], "VARYING_INVALID");
  }
}

// --- ignored bytes ---

TEST_F(SessionTest, LeavesIgnoredBytesOutAndCountsThem) {
  options_.ignored = {{"out", 0, 8}, {"out", 4, 8}, {"in", 0, 1}};
  const auto wrong_at = [](uint64_t offset) {
    return [offset](FakeDevice& device, const Launch& launch) {
      fill(device, launch);
      *device.at(Capture::kOut + offset) ^= 1;
    };
  };
  EXPECT_EQ(run(wrong_at(11)).exit_code, kExitPass) << result();
  EXPECT_EQ(result()["ignored_bytes"], 13);
  EXPECT_EQ(result()["compared_bytes"], 2 * Capture::kCount * 4 + 52 - 13);
  EXPECT_EQ(run(wrong_at(12)).exit_code, kExitFail) << "the byte behind is compared";
}

TEST_F(SessionTest, IsVacuousWhenAllThatChangedIsIgnored) {
  capture_.counter_post = capture_.counter_pre;
  options_.ignored = {{"out", 0, Capture::kCount * 4}};
  EXPECT_EQ(run([](FakeDevice&, const Launch&) {}).exit_code, kExitVacuous) << result();
}

TEST_F(SessionTest, RefusesToIgnoreWhatIsNotThere) {
  for (const IgnoredBytes& bad :
       {IgnoredBytes{"nothing", 0, 1}, IgnoredBytes{"out", 799, 2}, IgnoredBytes{"out", UINT64_MAX, 2}}) {
    options_.ignored = {bad};
    EXPECT_EQ(run(baseline()).exit_code, kExitBadInput);
  }
}

// --- guard ---

TEST_F(SessionTest, ClosesEverythingAroundTheRegionsToTheDword) {
  options_.guard = true;
  FakeDevice device(baseline());
  device.closes_bytes = true;
  EXPECT_EQ(run(device).exit_code, kExitPass) << result();
  const uint64_t base = 0x400000000000, end = base + 0x2000;
  const std::vector<AddressRange> around = {{base, Capture::kIn - base},
                                            {Capture::kIn + 800, Capture::kOut - Capture::kIn - 800},
                                            {Capture::kOut + 800, end - Capture::kOut - 800}};
  EXPECT_EQ(device.closed, around);
  EXPECT_EQ(device.kept_unmapped, (std::vector<AddressRange>{{base - 4096, 4096}, {end, 4096}}));
  const archive::Json guard = output_.first("guard");
  EXPECT_EQ(guard["is_exact"], true);
  EXPECT_EQ(guard["closed_bytes"], 0x2000 - 1600);
  EXPECT_EQ(guard["neighbours_unmapped"], 2);
}

TEST_F(SessionTest, FindsWritesOutsideOfRegionsWhereOnlyGranulesAreGuarded) {
  options_.guard = true;
  options_.compare = false;
  const auto writes_behind = [](FakeDevice& device, const Launch& launch) {
    fill(device, launch);
    *device.at(Capture::kOut + 800 + 12) = 1;
  };
  EXPECT_EQ(run(writes_behind).exit_code, kExitDevice) << result();
  const archive::Json fault = output_.first("fault");
  EXPECT_EQ(fault["kind"], "out_of_bounds_write");
  EXPECT_EQ(fault["near"], (archive::Json{{"region", "out"}, {"position", "behind"}, {"distance", 12}, {"size", 800}}));
  EXPECT_EQ(result()["verdict"], "fault");
  EXPECT_EQ(output_.first("guard")["is_exact"], false);
  EXPECT_EQ(run(baseline()).exit_code, kExitPass);
  options_.guard = false;
  EXPECT_EQ(run(writes_behind).exit_code, kExitPass) << "only on request";
}

TEST_F(SessionTest, NamesTheRegionThatAFaultIsNextTo) {
  const std::vector<std::tuple<uint64_t, const char*, const char*, int>> faults = {
      {Capture::kOut - 4, "out", "before", 4},
      {Capture::kIn + 800 + 4, "in", "behind", 4},
      {Capture::kOut + 796, "out", "inside", 796}};
  for (const auto& [address, region, position, distance] : faults) {
    FakeDevice device(baseline());
    device.outcome.end = LaunchOutcome::End::kFault;
    device.outcome.fault = {{"kind", "memory_access"}, {"address", to_hex_number(address)}};
    run(device);
    const archive::Json near = output_.first("fault")["near"];
    EXPECT_EQ(near["region"], region);
    EXPECT_EQ(near["position"], position);
    EXPECT_EQ(near["distance"], distance);
  }
}

// --- dump ---

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

TEST_F(SessionTest, DumpsNamedRegionsAsTheyWereBefore) {
  options_.compare = false;
  options_.dump = DumpRequest{directory_.path() / "dump", {"out", "d_counter"}, DumpTime::kPre};
  EXPECT_EQ(run(baseline()).exit_code, kExitPass) << result();
  const Buffer pre = as_bytes(capture_.out_pre);
  EXPECT_EQ(text_of(options_.dump->directory / "out.bin"), std::string(pre.begin(), pre.end()));
  EXPECT_FALSE(std::filesystem::exists(options_.dump->directory / "in.bin"));
  const auto json = parse_json(text_of(options_.dump->directory / "dump.json"), "dump.json");
  ASSERT_TRUE(json);
  EXPECT_EQ((*json)["schema"], "kernloop.dump/1");
  EXPECT_EQ((*json)["time"], "pre");
  ASSERT_EQ((*json)["contents"].size(), 2u);
  const archive::Json out = (*json)["contents"][0];
  EXPECT_EQ(out["file"], "out.bin");
  EXPECT_EQ(out["address"], to_hex_number(Capture::kOut));
  EXPECT_EQ(out["sha256"], sha256(pre).hex());
}

TEST_F(SessionTest, NeverDumpsOverAnything) {
  options_.compare = false;
  options_.dump = DumpRequest{directory_.path() / "dump", {}, DumpTime::kPost};
  int launches = 0;
  const auto counting = [&](FakeDevice& device, const Launch& launch) { ++launches, fill(device, launch); };
  for (const char* there : {"out.bin", "dump.json"}) {
    std::filesystem::remove_all(options_.dump->directory);
    std::filesystem::create_directories(options_.dump->directory);
    std::ofstream(options_.dump->directory / there) << "mine";
    EXPECT_EQ(run(counting).exit_code, kExitBadInput);
    EXPECT_EQ(result()["code"], "TARGET_EXISTS");
    EXPECT_EQ(text_of(options_.dump->directory / there), "mine");
  }
  std::filesystem::remove(options_.dump->directory / "dump.json");
  std::filesystem::create_symlink("/nonexistent/elsewhere", options_.dump->directory / "in.bin");
  EXPECT_EQ(run(counting).exit_code, kExitBadInput) << "a link to nowhere";
  EXPECT_EQ(launches, 0) << "it is looked at before anything runs";
  options_.dump->names = {"nothing"};
  EXPECT_EQ(run(counting).exit_code, kExitBadInput);
  EXPECT_EQ(result()["code"], "USAGE");
}

TEST_F(SessionTest, DumpsWhatTheDeviceHoldsAfterwards) {
  options_.dump = DumpRequest{directory_.path() / "dump", {}, DumpTime::kPost};
  run(baseline());
  std::ifstream file(options_.dump->directory / "out.bin", std::ios::binary);
  const Buffer bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  EXPECT_EQ(bytes, as_bytes(capture_.out_post));
  EXPECT_TRUE(std::filesystem::exists(options_.dump->directory / "d_counter.bin"));
}

}  // namespace
}  // namespace kernloop::replay
