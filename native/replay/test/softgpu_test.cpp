// The program itself, in a process of its own, on the software GPU: compiled kernels against captures computed on the
// host.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <link.h>

#include <fstream>
#include <set>

#include "archive/files/file.h"
#include "archive/test/hostile_manifests.h"
#include "replay/test/fill_capture.h"
#include "replay/test/program_run.h"

namespace kernloop::replay {
namespace {

using Capture = FillCapture;

class SoftGpuReplay : public testing::Test {
 protected:
  ProgramRun run(std::vector<std::string> more = {}, const std::map<std::string, std::string>& environment = {}) {
    const auto directory = directory_.path() / "capture";
    if (!std::filesystem::exists(directory)) capture_.write(directory);
    std::vector<std::string> arguments = {"--capture", directory.string(), "--limit-seconds", "120"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program(KERNLOOP_REPLAY_PROGRAM, arguments, environment);
  }
  ProgramRun compare_variant(const std::string& name, std::vector<std::string> more = {}) {
    more.insert(more.end(), {"--compare", "--code-object", test_code_object(name).string()});
    return run(more);
  }

  archive::TemporaryDirectory directory_;
  Capture capture_;
};

TEST_F(SoftGpuReplay, PassesOnTheBaselineUnderBothPoisons) {
  for (const char* poison : {"0xA5", "0x5A"}) {
    const ProgramRun outcome = run({"--compare", "--poison", poison});
    EXPECT_EQ(outcome.exit_code, kExitPass) << outcome.last();
    EXPECT_EQ(outcome.last()["verdict"], "pass");
    EXPECT_GT(outcome.last()["changed_bytes"], Capture::kCount);
    EXPECT_GT(outcome.last()["wave_instructions"], 0);
    const archive::Json iteration = outcome.first("iteration");
    EXPECT_EQ(iteration["counters"]["waves"], 4);
    EXPECT_FALSE(iteration.contains("duration_ns")) << "a duration on the software GPU is no GPU time";
  }
}

TEST_F(SoftGpuReplay, RefusesManifestsThatAskForTooMuchWithinLittleMemory) {
  const auto file = directory_.path() / "capture" / archive::kManifestFile;
  capture_.write(directory_.path() / "capture");
  const std::string good = *archive::read_text(file, 1u << 20);
  for (const archive::HostileManifest& hostile : archive::hostile_manifests()) {
    archive::Json edited = *parse_json(good, "good");
    hostile.edit(edited);
    std::ofstream(file) << edited.dump();
    const ProgramRun outcome = run({"--compare"});
    EXPECT_EQ(outcome.last().value("code", ""), "CAPTURE_INVALID") << hostile.name << ": " << outcome.last();
    EXPECT_NE(outcome.last().value("message", "").find(hostile.refusal), std::string::npos)
        << hostile.name << ": " << outcome.last();
    EXPECT_LT(outcome.peak_bytes, archive::kMostHostileBytes) << hostile.name;
  }
}

// Such a manifest is no lie: an app may have reserved a tebibyte, and used none of it.
TEST_F(SoftGpuReplay, ATebibyteOfZerosIsMoreThanTheDeviceHas) {
  const auto file = directory_.path() / "capture" / archive::kManifestFile;
  capture_.write(directory_.path() / "capture");
  archive::Json edited = *parse_json(*archive::read_text(file, 1u << 20), "written");
  archive::Json region = edited["regions"][0];
  region["id"] = "sparse";
  region["base"] = "0x410000000000";
  region["size"] = uint64_t{1} << 40;
  region["pre"]["chunks"] = archive::Json::array_t((uint64_t{1} << 40) / archive::kChunkBytes);
  region["post"] = region["pre"];
  edited["regions"].push_back(region);
  std::ofstream(file) << edited.dump();
  const ProgramRun outcome = run({"--compare"});
  EXPECT_EQ(outcome.last().value("code", ""), "OUT_OF_MEMORY") << outcome.last();
  EXPECT_NE(outcome.last().value("message", "").find("1099511627776 bytes"), std::string::npos) << outcome.last();
  EXPECT_LT(outcome.peak_bytes, archive::kMostHostileBytes);
}

TEST_F(SoftGpuReplay, RepeatsExactly) {
  const ProgramRun outcome = run({"--compare", "--iterations", "3", "--warmup", "1", "--seed", "7"});
  EXPECT_EQ(outcome.exit_code, kExitPass) << outcome.last();
  ASSERT_EQ(outcome.count("iteration"), 3u);
  for (const auto& event : outcome.events) {
    if (event["event"] == "iteration") {
      EXPECT_EQ(event["counters"], outcome.first("iteration")["counters"]);
    }
  }
}

TEST_F(SoftGpuReplay, TellsWhatEachInstructionDid) {
  const ProgramRun outcome = run({"--profile", "--iterations", "2"});
  EXPECT_EQ(outcome.exit_code, kExitPass) << outcome.last();
  const archive::Json counters = outcome.first("iteration")["counters"];
  uint64_t executed = 0, bytes_written = 0;
  std::set<std::string> offsets;
  for (const auto& event : outcome.events) {
    if (event["event"] != "hot_spot") continue;
    executed += event["executed"].get<uint64_t>();
    bytes_written += event.value("bytes_written", uint64_t{0});
    EXPECT_TRUE(offsets.insert(event.at("offset").get<std::string>()).second) << "once, of the last replay: " << event;
    EXPECT_EQ(to_hex_number(Capture::kCode + std::stoull(event["offset"].get<std::string>(), nullptr, 16)),
              event["pc"].get<std::string>());
    EXPECT_EQ(event["code_object"].get<std::string>().size(), 64u);
  }
  EXPECT_EQ(executed, counters["wave_instructions"]);
  EXPECT_EQ(bytes_written, counters["bytes_written"]);
  EXPECT_EQ(counters["lds_bank_conflicts"], 0);

  const ProgramRun plain = run();
  EXPECT_EQ(plain.count("hot_spot"), 0u);
  const archive::Json plain_counters = plain.first("iteration")["counters"];
  EXPECT_FALSE(plain_counters.contains("lds_bank_conflicts")) << "what was not counted is not 0";
  for (const auto& [name, value] : plain_counters.items()) EXPECT_EQ(value, counters[name]) << name;
}

TEST_F(SoftGpuReplay, PassesInTheAdverseOrderAndTellsHowMuchRanInIt) {
  const ProgramRun all = run({"--compare", "--seed", "3", "--adverse", "1000000"});
  EXPECT_EQ(all.exit_code, kExitPass) << all.last();
  EXPECT_EQ(all.count("finding"), 0u) << all.first("finding");
  EXPECT_EQ(all.first("adverse")["wave_instructions"], all.last()["wave_instructions"]);
  const ProgramRun some = run({"--compare", "--adverse", "1"});
  EXPECT_EQ(some.exit_code, kExitPass) << some.last();
  EXPECT_LT(some.first("adverse")["wave_instructions"], some.last()["wave_instructions"]);
  EXPECT_EQ(run({"--compare"}).count("adverse"), 0u);
  EXPECT_EQ(run({"--adverse", "1000", "--profile"}).exit_code, kExitBadInput);
}

TEST_F(SoftGpuReplay, FindsARaceOfBlocksThatOverlap) {
  // Each block begins 64 elements after the one before, and replaces what it reads.
  const ProgramRun outcome =
      run({"--adverse", "1000000", "--block", "128", "--arg", "0=" + to_hex_number(Capture::kIn)});
  ASSERT_GE(outcome.count("finding"), 1u) << outcome.last();
  const archive::Json race = outcome.first("finding");
  EXPECT_EQ(race["region"], "in");
  EXPECT_TRUE(race["access"] == "write" || race["other"]["access"] == "write") << race;
  EXPECT_NE(race["other"]["workgroup"], race["workgroup"]);
}

TEST_F(SoftGpuReplay, TellsWhichMemoryIsOverwrittenReadAgainAndUnused) {
  capture_.pointers = {0, 0, 0, 0};  // which no wave touches
  const ProgramRun found = run({"--compare", "--find-overwritten"});
  EXPECT_EQ(found.exit_code, kExitPass) << found.last();
  EXPECT_EQ(found.first("overwritten")["region"], "out");
  EXPECT_EQ(found.first("overwritten")["bytes"], 4 * Capture::kCount);
  EXPECT_TRUE(found.first("untouched").is_object());
  const ProgramRun unused = run({"--compare", "--find-unused", "16"});
  EXPECT_EQ(unused.exit_code, kExitPass) << unused.last();
  EXPECT_TRUE(unused.first("unused").is_object());
  EXPECT_EQ(found.first("untouched")["region"], "pointers");
  EXPECT_EQ(unused.first("unused")["region"], "pointers");
}

TEST_F(SoftGpuReplay, TellsOfMemoryThatIsReadAndWrittenAndStaysTheSame) {
  capture_.counter_post = capture_.counter_pre;
  const archive::Json reread = run({"--compare", "--find-overwritten"}).first("reread");
  EXPECT_EQ(reread["variable"], "d_counter");
  EXPECT_EQ(reread["bytes"], 4);
}

TEST_F(SoftGpuReplay, WritesTheRecordsOfProbes) {
  const auto request = directory_.path() / "probes.json", output = directory_.path() / "probes";
  std::ofstream(request) << R"({"schema": "kernloop.probes/1",
    "maps": [{"name": "m", "level": "warp", "record_bytes": 8, "capacity": 1}],
    "probes": [{"name": "p", "map": "m", "at": ["memory:global:any"], "action": "save",
                "fields": [{"offset": 0, "bytes": 8, "value": "clock"}]}]})";
  const ProgramRun outcome = run({"--probes", request.string(), "--probes-output", output.string()});
  EXPECT_EQ(outcome.exit_code, kExitPass) << outcome.last();
  const archive::Json map = outcome.first("probes")["maps"][0];
  EXPECT_EQ(map["kept"], 4) << "one for each wave";
  EXPECT_EQ(std::filesystem::file_size(output / map["file"].get<std::string>()), 4 * 8u);
}

TEST_F(SoftGpuReplay, PassesOnAVariantThatIsTheSameCode) {
  EXPECT_EQ(compare_variant("baseline.hsaco").exit_code, kExitPass);
  // Other initializers do not matter: the app had set the table.
  EXPECT_EQ(compare_variant("other_initializer.hsaco").exit_code, kExitPass);
}

TEST_F(SoftGpuReplay, TellsOfFloatAtomicsThatDoNothingOnFineGrainedMemory) {
  constexpr auto kHost = archive::RegionClass::kHost, kDevice = archive::RegionClass::kDevice;
  struct {
    archive::RegionClass memory_class;
    std::optional<bool> fine_grained;
    const char* effect;
  } const cases[] = {{kHost, true, "none"},   {kHost, std::nullopt, "unknown_memory"}, {kHost, false, nullptr},
                     {kDevice, true, "none"}, {kDevice, std::nullopt, nullptr},        {kDevice, false, nullptr}};
  for (const auto& [memory_class, fine_grained, effect] : cases) {
    std::filesystem::remove_all(directory_.path() / "capture");
    capture_.out_class = memory_class;
    capture_.out_fine_grained = fine_grained;
    EXPECT_EQ(run({"--compare"}).count("float_atomic"), 0u) << "the captured code has none";
    for (const std::vector<std::string>& order : {std::vector<std::string>{}, {"--adverse", "1"}}) {
      const ProgramRun outcome = compare_variant("float_atomic.hsaco", order);
      EXPECT_EQ(outcome.exit_code, kExitPass) << "the software GPU executes them: " << outcome.last();
      EXPECT_EQ(outcome.count("finding"), 0u);
      ASSERT_EQ(outcome.count("float_atomic"), effect ? 1u : 0u) << outcome.last();
      if (!effect) continue;
      const archive::Json told = outcome.first("float_atomic");
      EXPECT_EQ(told["effect"], effect);
      EXPECT_EQ(told["region"], "out");
      EXPECT_EQ(told["bytes"], 4);
      EXPECT_LT(told["offset_in_target"], 4 * Capture::kCount);
      EXPECT_EQ(told["address"], to_hex_number(Capture::kOut + told["offset_in_target"].get<uint64_t>()));
      EXPECT_EQ(told["instruction"].get<std::string>().rfind("global_atomic_add_f32", 0), 0u) << told;
    }
  }
}

TEST_F(SoftGpuReplay, PassesOnAVariantThatAllocatesMemoryWhereTheHipRuntimeLaunchesIt) {
  const ProgramRun direct = compare_variant("allocates.hsaco");
  EXPECT_EQ(direct.exit_code, kExitDevice) << direct.last();
  EXPECT_NE(direct.first("fault").value("hint", "").find("--launch hip"), std::string::npos) << direct.first("fault");
  const ProgramRun launched = compare_variant("allocates.hsaco", {"--launch", "hip"});
  EXPECT_EQ(launched.exit_code, kExitPass) << launched.last();
  EXPECT_EQ(launched.last()["state"]["out_of_reach"],
            archive::Json::array({"the heap of new and malloc on the device"}));
  EXPECT_EQ(launched.last()["state"]["launches"], 8);
}

// Another kernel of the app's code allocates: the heap is among the variables that were captured, and HIP finds it by
// no name.
TEST_F(SoftGpuReplay, PassesOnSuchAVariantOfCodeThatHasAHeapToo) {
  capture_.code_object = "allocates.hsaco";
  const ProgramRun launched = compare_variant("allocates.hsaco", {"--launch", "hip"});
  EXPECT_EQ(launched.exit_code, kExitPass) << launched.last();
  EXPECT_EQ(launched.last()["state"]["out_of_reach"],
            archive::Json::array({"the heap of new and malloc on the device"}));
}

TEST_F(SoftGpuReplay, TellsOfAReadPastTheEndOfLdsInEveryOrder) {
  EXPECT_EQ(run({"--compare"}).count("past_lds"), 0u);
  for (const std::vector<std::string>& order : {std::vector<std::string>{}, {"--adverse", "1000000"}}) {
    const ProgramRun outcome = compare_variant("past_lds.hsaco", order);
    EXPECT_EQ(outcome.exit_code, kExitPass) << "it goes on: " << outcome.last();
    EXPECT_EQ(outcome.count("finding"), 0u) << "it is no race";
    ASSERT_EQ(outcome.count("past_lds"), 1u) << "once, however many waves";
    const archive::Json told = outcome.first("past_lds");
    EXPECT_EQ(told["access"], "read");
    EXPECT_EQ(told["lane"], 63);
    EXPECT_EQ(told["address"], "0x100");
    EXPECT_EQ(told["code_object"].get<std::string>().size(), 64u);
    EXPECT_EQ(told["instruction"].get<std::string>().rfind("flat_load_dword", 0), 0u) << told;
  }
  const ProgramRun fatal = run({"--compare", "--code-object", test_code_object("past_lds.hsaco").string()},
                               {{"KERNLOOP_SOFTGPU_FATAL", "lds"}});
  EXPECT_EQ(fatal.last()["verdict"], "fault");
  EXPECT_EQ(fatal.first("fault")["kind"], "lds_out_of_range") << fatal.last();
}

TEST_F(SoftGpuReplay, FailsOnAVariantThatDoesNothing) {
  const ProgramRun outcome = compare_variant("do_nothing.hsaco");
  EXPECT_EQ(outcome.exit_code, kExitFail) << outcome.last();
}

TEST_F(SoftGpuReplay, FailsOnOneWrongBit) {
  const ProgramRun outcome = compare_variant("wrong_bit.hsaco");
  EXPECT_EQ(outcome.exit_code, kExitFail);
  EXPECT_EQ(outcome.last()["differing_bytes"], 1);
  EXPECT_EQ(outcome.first("difference")["offset"], 37 * 4);
}

TEST_F(SoftGpuReplay, FailsOnAWriteBehindTheRegion) {
  const ProgramRun outcome = compare_variant("beyond.hsaco");
  EXPECT_EQ(outcome.exit_code, kExitFail);
  EXPECT_TRUE(outcome.first("difference").contains("padding")) << outcome.first("difference");
}

TEST_F(SoftGpuReplay, EndsAWildWriteWithAFaultThatNamesIt) {
  const ProgramRun outcome = compare_variant("wild.hsaco");
  EXPECT_EQ(outcome.exit_code, kExitDevice) << outcome.last();
  EXPECT_EQ(outcome.last()["verdict"], "fault");
  const archive::Json fault = outcome.first("fault");
  EXPECT_EQ(fault["kind"], "memory_access") << fault;
  EXPECT_EQ(fault["kernel"], "fill");
  EXPECT_EQ(run({"--compare"}).exit_code, kExitPass) << "the baseline is replayable after";
}

TEST_F(SoftGpuReplay, NamesHipForAServiceThatADirectLaunchHasNot) {
  const ProgramRun direct = compare_variant("prints.hsaco");
  EXPECT_EQ(direct.exit_code, kExitDevice) << direct.last();
  const std::string hint = direct.first("fault").value("hint", "");
  EXPECT_NE(hint.find("hidden_hostcall_buffer"), std::string::npos) << direct.first("fault");
  EXPECT_NE(hint.find("--launch hip"), std::string::npos) << hint;
  EXPECT_EQ(compare_variant("prints.hsaco", {"--launch", "hip"}).exit_code, kExitPass);
  EXPECT_EQ(compare_variant("prints_never.hsaco").exit_code, kExitPass)
      << "the service is there to be used, and is not";
  EXPECT_FALSE(compare_variant("wild.hsaco").first("fault").contains("hint"));
}

TEST_F(SoftGpuReplay, EndsAnEndlessLoopAtTheInstructionLimit) {
  const ProgramRun outcome = compare_variant("spin.hsaco", {"--limit-wave-instructions", "20000"});
  EXPECT_EQ(outcome.exit_code, kExitDevice) << outcome.last();
  EXPECT_EQ(outcome.last()["verdict"], "limit");
  EXPECT_EQ(outcome.first("fault")["kind"], "instruction_limit");
}

TEST_F(SoftGpuReplay, EndsAnEndlessLoopAtTheTimeLimit) {
  const ProgramRun outcome = compare_variant("spin.hsaco", {"--limit-seconds", "1.5"});
  EXPECT_EQ(outcome.exit_code, kExitDevice) << outcome.last();
  EXPECT_EQ(outcome.last()["verdict"], "limit");
  EXPECT_EQ(outcome.first("fault")["kind"], "time_limit");
}

TEST_F(SoftGpuReplay, RefusesAVariantWithoutTheKernel) {
  const ProgramRun outcome = compare_variant("no_fill.hsaco");
  EXPECT_EQ(outcome.exit_code, kExitBadInput);
  EXPECT_EQ(outcome.last()["code"], "SYMBOL_MISSING");
}

TEST_F(SoftGpuReplay, RefusesACaptureWithADamagedChunk) {
  run();
  std::fstream(directory_.path() / "capture" / "chunks.pack", std::ios::in | std::ios::out | std::ios::binary)
      .seekp(20)
      .put('!');
  const ProgramRun outcome = run({"--compare"});
  EXPECT_EQ(outcome.exit_code, kExitBadInput);
  EXPECT_EQ(outcome.last()["code"], "CHUNK_CORRUPT") << outcome.last();
}

TEST_F(SoftGpuReplay, RunsAVariantOfAnotherLayoutElsewhere) {
  // Nothing points to the captured code here, so the variant may be loaded anywhere; the captured code's addresses stay
  // empty.
  capture_.counter_post = capture_.counter_pre;
  const ProgramRun outcome = compare_variant("no_variables.hsaco");
  EXPECT_EQ(outcome.exit_code, kExitFail) << "it adds nothing of d_big: " << outcome.last();
  EXPECT_EQ(outcome.count("variable_missing"), 2u);
  capture_.big.assign(8, 0);
  capture_.out_post.clear();
  for (int i = 0; i < Capture::kCount; ++i) capture_.out_post.push_back(capture_.in[i] * capture_.table[i % 4]);
  std::filesystem::remove_all(directory_.path() / "capture");
  EXPECT_EQ(compare_variant("no_variables.hsaco").exit_code, kExitPass);
}

TEST_F(SoftGpuReplay, SaysWhenAnAddressCannotBeHad) {
  archive::Manifest manifest = capture_.write(directory_.path() / "capture");
  manifest.regions[0].base = 0x800000000000;  // not in user space
  std::ofstream(directory_.path() / "capture" / "capture.json") << archive::to_text(manifest);
  const ProgramRun outcome = run({"--compare"});
  EXPECT_EQ(outcome.exit_code, kExitEnvironment);
  ASSERT_EQ(outcome.events.size(), 1u) << "also after the restart without randomisation";
  EXPECT_EQ(outcome.last()["code"], "ADDRESS_TAKEN");
}

TEST_F(SoftGpuReplay, DumpsTheRegions) {
  const auto dump = directory_.path() / "dump";
  EXPECT_EQ(run({"--dump", dump.string()}).exit_code, kExitPass);
  const auto bytes = archive::read_text(dump / "out.bin", 1 << 20);
  ASSERT_TRUE(bytes) << bytes.error().message;
  EXPECT_EQ(Buffer(bytes->begin(), bytes->end()), as_bytes(capture_.out_post));
}

TEST_F(SoftGpuReplay, CountsBothSidesInOneProcess) {
  const auto side_by_side = [&](const std::string& name, std::vector<std::string> more = {}) {
    more.insert(more.end(), {"--side-by-side", "--code-object", test_code_object(name).string()});
    return run(more);
  };
  const archive::Json alone = run().first("iteration")["counters"];
  const ProgramRun same = side_by_side("baseline.hsaco", {"--iterations", "2"});
  ASSERT_EQ(same.exit_code, kExitPass) << same.last();
  for (const char* side : {"captured", "variant"}) {
    ASSERT_EQ(same.of_side("iteration", side).size(), 2u);
    for (const auto& iteration : same.of_side("iteration", side)) EXPECT_EQ(iteration["counters"], alone) << side;
    EXPECT_EQ(same.of_side("checked", side).at(0)["differing_bytes"], 0);
  }
  const ProgramRun wrong = side_by_side("wrong_bit.hsaco");
  EXPECT_EQ(wrong.of_side("checked", "captured").at(0)["differing_bytes"], 0);
  EXPECT_EQ(wrong.of_side("checked", "variant").at(0)["differing_bytes"], 1);
  EXPECT_EQ(wrong.of_side("iteration", "captured").at(0)["counters"], alone);
  EXPECT_GT(wrong.of_side("iteration", "variant").at(0)["counters"]["wave_instructions"], alone["wave_instructions"]);
  // A variant of another layout, which is loaded elsewhere; it adds nothing of d_big and counts no launch.
  const ProgramRun elsewhere = side_by_side("no_variables.hsaco");
  capture_.counter_post = capture_.counter_pre;
  EXPECT_EQ(elsewhere.last()["code"], "VARIABLE_MISSING") << elsewhere.last();
  EXPECT_EQ(elsewhere.of_side("iteration", "captured").size(), 1u);
  std::filesystem::remove_all(directory_.path() / "capture");
  EXPECT_GT(side_by_side("no_variables.hsaco").of_side("checked", "variant").at(0)["differing_bytes"], 0);
}

TEST_F(SoftGpuReplay, SaysThatTheVariantFaulted) {
  const ProgramRun outcome = run({"--side-by-side", "--code-object", test_code_object("wild.hsaco").string()});
  EXPECT_EQ(outcome.exit_code, kExitDevice) << outcome.last();
  EXPECT_EQ(outcome.of_side("iteration", "captured").size(), 1u);
  EXPECT_EQ(outcome.of_side("fault", "variant").at(0)["kind"], "memory_access");
  EXPECT_EQ(outcome.last()["side"], "variant");
}

// The app's memory if it had launched the kernel for `count` elements only.
std::vector<float> first_of(const Capture& capture, int count) {
  std::vector<float> expected = capture.out_pre;
  std::copy_n(capture.out_post.begin(), count, expected.begin());
  return expected;
}

TEST_F(SoftGpuReplay, LaunchesAnotherGeometryAndOtherArguments) {
  const std::vector<std::pair<std::vector<std::string>, int>> launches = {
      {{"--grid", "2"}, 128}, {{"--block", "32"}, -1}, {{"--arg", "2:i32=100"}, 100}, {{"--arg", "n:i32=100"}, 100}};
  int number = 0;
  for (const auto& [arguments, count] : launches) {
    const auto dump = directory_.path() / std::to_string(number++);
    std::vector<std::string> all = {"--dump", dump.string()};
    all.insert(all.end(), arguments.begin(), arguments.end());
    const ProgramRun outcome = run(all);
    if (arguments[1].starts_with("n:")) {
      EXPECT_EQ(outcome.last()["code"], "ARGUMENT_UNKNOWN") << "this code object names no arguments";
      continue;
    }
    ASSERT_EQ(outcome.exit_code, kExitPass) << outcome.last();
    EXPECT_EQ(outcome.last()["verdict"], "ran");
    EXPECT_EQ(outcome.count("overridden"), 1u);
    std::vector<float> expected = first_of(capture_, std::max(count, 0));
    // The kernel's blocks are 64 wide by its source: half of each is left.
    for (int i = 0; count < 0 && i < Capture::kCount; ++i) {
      if (i % 64 < 32) expected[i] = capture_.out_post[i];
    }
    const auto bytes = archive::read_text(dump / "out.bin", 1 << 20);
    ASSERT_TRUE(bytes) << bytes.error().message;
    EXPECT_EQ(Buffer(bytes->begin(), bytes->end()), as_bytes(expected)) << arguments[0];
  }
}

TEST_F(SoftGpuReplay, JudgesAVariantThatHasALaunchOfItsOwn) {
  const ProgramRun outcome = compare_variant("baseline.hsaco", {"--own-launch", "--grid", "5"});
  EXPECT_EQ(outcome.exit_code, kExitPass) << outcome.last();
  EXPECT_EQ(outcome.first("overridden")["of_variant"], true);
  EXPECT_EQ(outcome.first("overridden")["grid_blocks"]["to"][0], 5);
}

TEST_F(SoftGpuReplay, RefusesToJudgeAnotherLaunch) {
  EXPECT_EQ(run({"--compare", "--arg", "2:i32=200"}).last()["code"], "USAGE");
  EXPECT_EQ(run({"--block", "2048"}).last()["code"], "LAUNCH_REFUSED");
}

TEST_F(SoftGpuReplay, FaultsAtTheFirstByteOutsideOfARegionUnderTheGuard) {
  // One byte behind `out`, in the same page: the app's neighbours would have hidden it.
  const std::vector<std::string> beyond = {"--code-object", test_code_object("beyond.hsaco").string()};
  EXPECT_EQ(run(beyond).exit_code, kExitPass) << "without a guard, and without comparing";
  std::vector<std::string> guarded = beyond;
  guarded.push_back("--guard");
  const ProgramRun outcome = run(guarded);
  EXPECT_EQ(outcome.exit_code, kExitDevice) << outcome.last();
  const archive::Json fault = outcome.first("fault");
  EXPECT_EQ(fault["kind"], "memory_access");
  EXPECT_EQ(fault["address"], to_hex_number(Capture::kOut + 4 * Capture::kCount));
  EXPECT_EQ(fault["near"]["region"], "out");
  EXPECT_EQ(fault["near"]["position"], "behind");
  EXPECT_EQ(fault["near"]["distance"], 0);
  EXPECT_TRUE(fault.contains("pc")) << fault;
  EXPECT_EQ(outcome.first("guard")["is_exact"], true);
  // Reads as well: one element more than there are.
  const ProgramRun reads = run({"--guard", "--arg", "2:i32=201"});
  EXPECT_EQ(reads.first("fault")["near"]["distance"], 0) << reads.last();
  EXPECT_EQ(reads.first("fault")["near"]["region"], "in");
  // The kernel itself stays inside, and restoring continues behind the guard.
  const ProgramRun fine = run({"--guard", "--compare", "--iterations", "3"});
  EXPECT_EQ(fine.exit_code, kExitPass) << fine.last();
}

TEST_F(SoftGpuReplay, LaunchesThroughHip) {
  const std::vector<std::string> hip = {"--launch", "hip"};
  const auto with_hip = [&](std::vector<std::string> more) {
    more.insert(more.end(), hip.begin(), hip.end());
    return run(more);
  };
  const ProgramRun fine = with_hip({"--compare", "--iterations", "2"});
  EXPECT_EQ(fine.exit_code, kExitPass) << fine.last();
  EXPECT_EQ(fine.first("iteration")["counters"]["wave_instructions"],
            run().first("iteration")["counters"]["wave_instructions"])
      << "the same kernel, whoever launches it";
  for (const char* state : {"warm", "cold"})
    EXPECT_EQ(with_hip({"--compare", "--iterations", "2", "--cache", state}).exit_code, kExitPass) << state;
  const auto variant = [&](const std::string& name) {
    return with_hip({"--compare", "--code-object", test_code_object(name).string(), "--limit-seconds", "1.5"});
  };
  EXPECT_EQ(variant("wrong_bit.hsaco").last()["differing_bytes"], 1);
  // HIP would end the process.
  const ProgramRun wild = variant("wild.hsaco");
  EXPECT_EQ(wild.exit_code, kExitDevice) << wild.last();
  EXPECT_EQ(wild.first("fault")["kind"], "memory_access");
  EXPECT_TRUE(wild.first("fault").contains("pc")) << wild.first("fault");
  // The same if HIP returns an error instead, as since ROCm 7.
  const ProgramRun told =
      run({"--launch", "hip", "--compare", "--code-object", test_code_object("wild.hsaco").string()},
          {{"LD_PRELOAD", KERNLOOP_HIP_ERRORS}});
  EXPECT_EQ(told.exit_code, kExitDevice) << told.last();
  // Any of its workgroups may be the first.
  for (const char* field : {"kind", "kernel", "pc", "instruction", "access", "bytes"})
    EXPECT_EQ(told.first("fault")[field], wild.first("fault")[field]) << field;
  EXPECT_EQ(variant("spin.hsaco").last()["verdict"], "limit");
  EXPECT_EQ(with_hip({"--hip-runtime", "/nonexistent/libamdhip64.so"}).last()["code"], "RUNTIME_NOT_FOUND");
}

TEST_F(SoftGpuReplay, FailsAVariantThatTheAppCouldNotLaunch) {
  // The app launches 64 threads a block, with 1 KiB of dynamic LDS.
  archive::Manifest manifest = capture_.write(directory_.path() / "capture");
  manifest.geometry.group_segment_bytes = 1024;
  std::ofstream(directory_.path() / "capture" / "capture.json") << archive::to_text(manifest);
  const std::vector<std::pair<std::string, std::string>> impossible = {
      {"bounds_32.hsaco", "at most 32 threads a block"}, {"full_lds.hsaco", "66560 bytes of shared memory"}};
  for (const char* launch : {"direct", "hip"}) {
    for (const auto& [variant, reason] : impossible) {
      const ProgramRun outcome = compare_variant(variant, {"--launch", launch});
      EXPECT_EQ(outcome.exit_code, kExitFail) << launch << outcome.last();
      EXPECT_EQ(outcome.last()["verdict"], "fail");
      EXPECT_EQ(outcome.last()["code"], "LAUNCH_IMPOSSIBLE");
      EXPECT_NE(outcome.last()["reason"].get<std::string>().find(reason), std::string::npos) << outcome.last();
      EXPECT_EQ(outcome.count("iteration"), 0u);
    }
    for (const char* fine : {"bounds_64.hsaco", "static_lds.hsaco"})
      EXPECT_EQ(compare_variant(fine, {"--launch", launch}).exit_code, kExitPass) << launch << fine;
  }
  const auto bounds = test_code_object("bounds_32.hsaco").string();
  const ProgramRun replayed = run({"--code-object", bounds});
  EXPECT_EQ(replayed.exit_code, kExitFail);
  EXPECT_EQ(replayed.last()["event"], "error");
  EXPECT_EQ(run({"--code-object", bounds, "--block", "32"}).exit_code, kExitPass);
  EXPECT_EQ(run({"--code-object", bounds, "--block", "33"}).last()["code"], "LAUNCH_IMPOSSIBLE");
}

TEST_F(SoftGpuReplay, FindsBytesBetweenVariablesAlsoThroughHip) {
  capture_.code_object = "padded.hsaco";
  const auto info = *codeobject::parse_code_object(codeobject::read_test_file("padded.hsaco"), "padded.hsaco");
  const uint64_t flag = info.find_variable("d_flag")->address, wide = info.find_variable("d_wide")->address;
  // The recorder's name for these bytes, which hold the table's content.
  archive::Manifest manifest = capture_.write(directory_.path() / "capture");
  archive::ModuleVariable gap = manifest.module_variables[0];
  gap.name = ".bss+0x28";
  gap.address = Capture::kCode + flag + 8;
  ASSERT_LE(flag + 8 + gap.size, wide);
  manifest.module_variables.push_back(gap);
  std::ofstream(directory_.path() / "capture" / "capture.json") << archive::to_text(manifest);
  for (const char* launch : {"direct", "hip"}) {
    const ProgramRun outcome = run({"--compare", "--launch", launch});
    EXPECT_EQ(outcome.exit_code, kExitPass) << launch << outcome.last();
    EXPECT_EQ(outcome.count("variable_missing"), 0u);
    EXPECT_EQ(outcome.last()["compared_bytes"], 2 * Capture::kCount * 4 + 16 + 32 + 4 + 16) << "the gap counts";
  }
}

// A machine without development links has one name of it, which tells its ROCm.
TEST_F(SoftGpuReplay, TheHipRuntimeIsFoundByTheNameOfEachRelease) {
  void* const hip = ::dlopen("libamdhip64.so.5", RTLD_LAZY | RTLD_LOCAL);
  ASSERT_NE(hip, nullptr) << ::dlerror();
  link_map* map = nullptr;
  ASSERT_EQ(::dlinfo(hip, RTLD_DI_LINKMAP, &map), 0);
  const std::vector<std::string> names = {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5"};
  for (const std::string& there : names) {
    const auto folder = directory_.path() / there;
    std::filesystem::create_directory(folder);
    // No other runtime of the machine may be found.
    for (const char* name : {"libamdhip64.so", "libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5"})
      if (name != there) std::ofstream(folder / name) << "no library";
    std::filesystem::create_symlink(std::filesystem::canonical(map->l_name), folder / there);
    const ProgramRun outcome = run({"--launch", "hip"}, {{"LD_LIBRARY_PATH", folder}});
    EXPECT_EQ(outcome.exit_code, kExitPass) << there << outcome.last();
  }
}

TEST_F(SoftGpuReplay, SaysWhenARuntimeIsMissing) {
  const ProgramRun outcome = run({"--hsa-runtime", "/nonexistent/libhsa-runtime64.so.1"});
  EXPECT_EQ(outcome.exit_code, kExitEnvironment);
  EXPECT_EQ(outcome.last()["code"], "RUNTIME_NOT_FOUND");
}

// The software GPU's verdict would pass for that of hardware.
TEST_F(SoftGpuReplay, ACaptureOfHardwareRunsOnTheRuntimeThatTheLoaderFinds) {
  auto manifest = capture_.write(directory_.path() / "capture");
  manifest.device.kind = "hsa";
  std::ofstream(directory_.path() / "capture" / "capture.json") << archive::to_text(manifest);
  std::filesystem::create_directory(directory_.path() / "broken");
  std::ofstream(directory_.path() / "broken" / "libhsa-runtime64.so.1") << "no library";

  const ProgramRun broken = run({"--compare"}, {{"LD_LIBRARY_PATH", directory_.path() / "broken"}});
  EXPECT_EQ(broken.exit_code, kExitEnvironment) << broken.last();
  EXPECT_EQ(broken.last()["code"], "RUNTIME_NOT_FOUND");

  const std::filesystem::path found = KERNLOOP_SOFTGPU_RUNTIME;
  const ProgramRun outcome = run({"--compare"}, {{"LD_LIBRARY_PATH", found.parent_path()}});
  EXPECT_EQ(outcome.exit_code, kExitPass) << outcome.last();
  const archive::Json device = outcome.first("device");
  EXPECT_EQ(device.value("kind", ""), "softgpu") << "whoever named hardware refuses it by this";
  EXPECT_TRUE(std::filesystem::equivalent(device.value("runtime", ""), found)) << device;
  EXPECT_EQ(device.value("isa", ""), manifest.device.isa);
}

// ROCr since 6.0 has the functions of virtual memory also where the kernel driver has nothing below them.
TEST_F(SoftGpuReplay, ADriverWithoutVirtualMemoryIsNamed) {
  const ProgramRun refused = run({}, {{"KERNLOOP_SOFTGPU_HOSTILE", "old-driver"}});
  EXPECT_EQ(refused.exit_code, kExitEnvironment) << refused.last();
  EXPECT_EQ(refused.last()["code"], "RUNTIME_INCOMPLETE");
  EXPECT_NE(refused.last().value("message", "").find("on this kernel driver"), std::string::npos) << refused.last();
}

TEST_F(SoftGpuReplay, CalibratesAFloatSumWhoseOrderVaries) {
  capture_.symbol = "sum";
  capture_.name = "sum(float*, float const*, int)";
  capture_.counter_post = capture_.counter_pre;
  // Terms of very different size: each order of additions rounds otherwise.
  for (int i = 0; i < Capture::kCount; ++i) capture_.in[i] = i % 7 == 0 ? 1e6f + i : 0.37f * i;
  capture_.out_pre.assign(Capture::kCount, 0);
  capture_.out_post = capture_.out_pre;
  // One order of many: the reverse. Waves of a real device take any.
  for (int i = Capture::kCount; i-- > 0;) capture_.out_post[0] += capture_.in[i];

  // The self-check's minimum: fewer replays show less, and leave room for more.
  std::string seeds = "1";
  for (int seed = 2; seed <= 32; ++seed) seeds += "," + std::to_string(seed);
  const ProgramRun calibrated = run({"--calibrate", seeds});
  ASSERT_EQ(calibrated.exit_code, kExitPass) << calibrated.last();
  ASSERT_EQ(calibrated.count("varying"), 1u);
  archive::Json varying = calibrated.first("varying");
  EXPECT_EQ(varying["dtype"], "f32");
  EXPECT_EQ(varying["offset"], 0);
  EXPECT_LT(varying["min"][0].get<double>(), varying["max"][0].get<double>());

  const auto file = directory_.path() / "selfcheck.json";
  std::ofstream(file) << archive::Json({{"varying", {varying}}}).dump();
  const ProgramRun checked = run({"--compare", "--known-varying", file.string(), "--seed", "99"});
  EXPECT_EQ(checked.exit_code, kExitPass) << checked.last();
  EXPECT_EQ(checked.last()["varying_bytes"], 4);
  // The same kernel made to add up something else: ten spreads away cannot come from the order.
  const double spread = varying["max"][0].get<double>() - varying["min"][0].get<double>();
  capture_.in[5] += static_cast<float>(10 * spread);
  std::filesystem::remove_all(directory_.path() / "capture");
  const ProgramRun wrong = run({"--compare", "--known-varying", file.string(), "--seed", "99"});
  EXPECT_EQ(wrong.exit_code, kExitFail) << wrong.last();
}

}  // namespace
}  // namespace kernloop::replay
