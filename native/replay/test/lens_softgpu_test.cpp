// Variants with a lens, on the software GPU: data read back against counts that the host computes, and errors that are
// still noticed. The variant `lens` (codeobject/test/data/kernels.hip) takes three more parameters: a number of threads
// that add i + 1 to seen[first + i]; and it counts lanes in variables of its own.
#include <gtest/gtest.h>

#include "replay/test/fill_capture.h"
#include "replay/test/lens_files.h"
#include "replay/test/program_run.h"

namespace kernloop::replay {
namespace {

using archive::Json;
using Capture = FillCapture;

constexpr uint64_t kLanes = 256;  // lanes of the launch: the variant counts before it looks at n

class SoftGpuLens : public testing::Test {
 protected:
  ProgramRun run(const std::string& variant, const Json& lens, std::vector<std::string> more = {}) {
    const auto capture = directory_.path() / "capture";
    if (!std::filesystem::exists(capture)) capture_.write(capture);
    std::vector<std::string> arguments = files_.arguments(lens);
    arguments.insert(arguments.end(), {"--capture", capture.string(), "--limit-seconds", "120", "--code-object",
                                       test_code_object(variant).string()});
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program(KERNLOOP_REPLAY_PROGRAM, arguments, {});
  }
  ProgramRun compare(const std::string& variant, const Json& lens, std::vector<std::string> more = {}) {
    more.insert(more.end(), "--compare");
    return run(variant, lens, std::move(more));
  }
  static Json lens(uint64_t count = LensFiles::kElements, uint64_t first = 0) {
    return LensFiles::counting(count, first);
  }
  static std::vector<uint64_t> seen(uint64_t count) { return LensFiles::counted(count); }
  template <typename T = uint64_t>
  std::vector<T> read_back(const std::string& file) const {
    return files_.read_back<T>(file);
  }

  archive::TemporaryDirectory directory_;
  Capture capture_;
  LensFiles files_{directory_.path(), {}};
};

TEST_F(SoftGpuLens, ReadsVariablesAndBuffersBackAndJudgesNothingOfThem) {
  const ProgramRun outcome = compare("lens.hsaco", lens());
  ASSERT_EQ(outcome.exit_code, kExitPass) << outcome.last();
  EXPECT_EQ(read_back("lens_lanes.bin"), std::vector<uint64_t>(4, kLanes / 4 * 2)) << "lens_step is 2, as loaded";
  EXPECT_EQ(read_back<uint32_t>("lens_step.bin"), std::vector<uint32_t>{2});
  EXPECT_EQ(read_back("seen.bin"), seen(200));
  EXPECT_EQ(outcome.last()["lens_bytes"], 32 + 4 + 1600) << outcome.last();
  EXPECT_EQ(outcome.last()["compared_bytes"], 2 * Capture::kCount * 4 + 16 + 32 + 4) << "of the capture alone";
  const Json told = outcome.first("lens");
  EXPECT_EQ(told["bytes"], 32 + 4 + 1600) << told;
  ASSERT_EQ(told["variables"].size(), 2u);
  EXPECT_EQ(told["variables"][0]["name"], "lens_lanes");
  EXPECT_EQ(told["variables"][0]["file"], "lens_lanes.bin");
  EXPECT_EQ(told["buffers"][0]["id"], "seen");
  const auto manifest = parse_json(*archive::read_text(files_.output / "lens.json", 1 << 20), "lens.json");
  ASSERT_TRUE(manifest);
  EXPECT_EQ((*manifest)["schema"], "kernloop.lens-output/1");
  EXPECT_EQ((*manifest)["variables"], told["variables"]);
}

TEST_F(SoftGpuLens, PutsAllOfItBackBeforeEachIteration) {
  Json filled = lens(10);
  filled["buffers"][0]["fill"] = "0xff";
  for (const char* kind : {"--compare", "--guard"}) {
    const ProgramRun outcome = run("lens.hsaco", filled, {"--iterations", "3", "--warmup", "2", kind});
    ASSERT_EQ(outcome.exit_code, kExitPass) << outcome.last();
    EXPECT_EQ(read_back("lens_lanes.bin"), std::vector<uint64_t>(4, kLanes / 4 * 2)) << "of one launch, not of five";
    std::vector<uint64_t> expected(200, UINT64_MAX);
    for (uint64_t i = 0; i < 10; ++i) expected[i] = i;  // -1 + i + 1
    EXPECT_EQ(read_back("seen.bin"), expected);
  }
}

TEST_F(SoftGpuLens, FailsOnAWrongResultAllTheSame) {
  capture_.out_post[17] += 1;
  const ProgramRun outcome = compare("lens.hsaco", lens());
  EXPECT_EQ(outcome.exit_code, kExitFail) << outcome.last();
  EXPECT_EQ(outcome.first("difference")["offset"].get<int>() / 4, 17);
  EXPECT_EQ(read_back("seen.bin"), seen(200)) << "what was counted is told with it";
}

TEST_F(SoftGpuLens, FindsHiddenArgumentsBehindTheAppendedOnes) {
  // The captured code has none; the variant computes its indexes from the block's size.
  const ProgramRun outcome = compare("lens_hidden.hsaco", lens());
  EXPECT_EQ(outcome.exit_code, kExitPass) << outcome.last();
  EXPECT_EQ(read_back("seen.bin"), seen(200));
  const ProgramRun halved = run("lens_hidden.hsaco", lens(), {"--block", "32"});
  EXPECT_EQ(halved.exit_code, kExitPass) << halved.last();
  EXPECT_EQ(read_back("seen.bin"), seen(128)) << "and they follow another launch";
}

TEST_F(SoftGpuLens, AllowsTheParametersOfTheLensAndNoOthers) {
  const Json variables = {{"schema", "kernloop.lens/1"}, {"variables", {{{"name", "lens_step"}}}}};
  Json two = lens(), four = lens(), other = lens();
  two["parameters"].erase(2);
  four["parameters"].push_back({{"u64", "0x0"}});
  other["parameters"][0] = {{"u64", "0xc8"}};
  for (const Json& wrong : {variables, two, four, other}) {
    const ProgramRun outcome = compare("lens.hsaco", wrong);
    EXPECT_EQ(outcome.exit_code, kExitBadInput) << wrong;
    EXPECT_EQ(outcome.last()["code"], "KERNARG_MISMATCH") << outcome.last();
  }
  EXPECT_EQ(
      compare("baseline.hsaco", {{"schema", "kernloop.lens/1"}, {"parameters", {{{"u32", "0x0"}}}}}).last()["code"],
      "KERNARG_MISMATCH")
      << "the variant takes none";
  const Json bias = {{"schema", "kernloop.lens/1"}, {"parameters", {{{"u32", "0x0"}}}}};
  EXPECT_EQ(compare("more_arguments.hsaco", bias).exit_code, kExitPass);
  const Json wrong_bias = {{"schema", "kernloop.lens/1"}, {"parameters", {{{"u32", "0x3f800000"}}}}};
  EXPECT_EQ(compare("more_arguments.hsaco", wrong_bias).exit_code, kExitFail) << "1.0f is added to every element";
}

TEST_F(SoftGpuLens, NamesNoVariableOfTheCapturedCode) {
  const auto selecting = [](const Json& selector) {
    Json json = lens();
    json["variables"] = LensFiles::selecting(selector)["variables"];
    return json;
  };
  const ProgramRun named = compare("lens.hsaco", selecting({{"name", "d_counter"}}));
  EXPECT_EQ(named.last()["code"], "LENS_INVALID") << named.last();
  EXPECT_NE(named.last()["message"].get<std::string>().find("of the captured code"), std::string::npos);
  EXPECT_EQ(compare("lens.hsaco", selecting({{"prefix", "d_"}})).last()["code"], "LENS_INVALID");
  const ProgramRun missing = compare("lens.hsaco", selecting({{"name", "lens_lane"}}));
  EXPECT_NE(missing.last()["hint"].get<std::string>().find("lens_lanes"), std::string::npos) << missing.last();
  // A prefix that fits both takes the variant's own.
  const ProgramRun both = compare("padded.hsaco", {{"schema", "kernloop.lens/1"}, {"variables", {{{"prefix", "d_"}}}}});
  EXPECT_EQ(both.exit_code, kExitPass) << both.last();
  std::vector<std::string> names;
  const Json told = both.first("lens");
  for (const Json& variable : told["variables"]) names.push_back(variable["name"]);
  EXPECT_EQ(names, (std::vector<std::string>{"d_flag", "d_wide"}));
}

TEST_F(SoftGpuLens, StillNoticesThatAVariantIsRightInItsFirstLaunchOnly) {
  // The variant keeps its state in a variable of the lens, which iterations put back.
  const Json hides = {{"schema", "kernloop.lens/1"}, {"variables", {{{"prefix", "lens_"}}}}};
  const ProgramRun outcome = compare("lens_kept.hsaco", hides, {"--iterations", "2"});
  EXPECT_EQ(outcome.exit_code, kExitFail) << outcome.last();
  EXPECT_NE(outcome.last()["reason"].get<std::string>().find("lens_launches"), std::string::npos) << outcome.last();
  EXPECT_EQ(read_back<uint32_t>("lens_launches.bin"), std::vector<uint32_t>{kLanes}) << "of the launch that counted";
}

TEST_F(SoftGpuLens, NoticesWritesBesideItsBuffer) {
  // Thread i adds to element first + i: the last one is one too far; in the slack that alignment leaves behind 1,600.
  for (const std::vector<std::string>& mode : std::vector<std::vector<std::string>>{{}, {"--compare"}, {"--guard"}}) {
    const ProgramRun outcome = run("lens.hsaco", lens(200, 1), mode);
    if (mode == std::vector<std::string>{"--compare"}) {
      EXPECT_EQ(outcome.exit_code, kExitFail) << outcome.last();
      EXPECT_TRUE(outcome.first("difference").contains("padding")) << outcome.first("difference");
      continue;
    }
    EXPECT_EQ(outcome.exit_code, kExitDevice) << outcome.last();
    const Json fault = outcome.first("fault");
    EXPECT_EQ(fault["near"]["region"], "lens:seen") << fault;
    EXPECT_EQ(fault["near"]["position"], "behind");
    EXPECT_EQ(fault["near"]["distance"], 0);
    EXPECT_EQ(fault["kind"], mode.empty() ? "out_of_bounds_write" : "memory_access");
    EXPECT_EQ(outcome.count("lens"), 0u) << "nothing is read back of what went wrong";
    EXPECT_FALSE(std::filesystem::exists(files_.output / "seen.bin"));
  }
  // Before it, and far behind: nothing is mapped there.
  EXPECT_EQ(compare("lens.hsaco", lens(1, UINT64_MAX)).exit_code, kExitFail);
  EXPECT_EQ(run("lens.hsaco", lens(1, (1 << 20) / 8)).exit_code, kExitDevice);
}

TEST_F(SoftGpuLens, NoticesWritesOfTheInstrumentationIntoCapturedMemory) {
  const uint64_t buffer =
      std::stoull(compare("lens.hsaco", lens()).first("lens")["buffers"][0]["address"].get<std::string>(), nullptr, 16);
  const ProgramRun region = compare("lens.hsaco", lens(1, (Capture::kIn - buffer) / 8));
  EXPECT_EQ(region.exit_code, kExitFail) << region.last();
  EXPECT_EQ(region.first("difference")["region"], "in");
  const Json lanes = compare("lens.hsaco", lens()).first("lens")["variables"][0];
  const uint64_t variable = std::stoull(lanes["address"].get<std::string>(), nullptr, 16);
  // d_big is 0x20 before lens_lanes.
  const ProgramRun neighbour = compare("lens.hsaco", lens(1, (variable - 32 - buffer) / 8));
  EXPECT_EQ(neighbour.exit_code, kExitFail) << neighbour.last();
  EXPECT_EQ(neighbour.first("difference")["variable"], "d_big");
}

TEST_F(SoftGpuLens, NoticesThatItsVariablesAreOverrun) {
  const Json told = compare("lens.hsaco", lens()).first("lens");
  const auto number = [](const Json& hex) { return std::stoull(hex.get<std::string>(), nullptr, 16); };
  // The lens accesses lens_lanes as if it had more than four elements: nothing named follows it, to the end of its
  // page.
  const uint64_t behind = number(told["variables"][0]["address"]) + 32, buffer = number(told["buffers"][0]["address"]);
  const Json overrun = lens(3, (behind - buffer) / 8);
  const ProgramRun judged = compare("lens.hsaco", overrun, {"--iterations", "2"});
  EXPECT_EQ(judged.exit_code, kExitFail) << judged.last();
  EXPECT_EQ(judged.first("difference")["address"], to_hex_number(behind)) << judged.first("difference");
  const ProgramRun plain = run("lens.hsaco", overrun);
  EXPECT_EQ(plain.exit_code, kExitDevice) << plain.last();
  EXPECT_EQ(plain.first("fault")["kind"], "out_of_bounds_write");
  EXPECT_EQ(plain.first("fault")["near"]["region"], "lens:lens_lanes") << plain.first("fault");
  EXPECT_EQ(plain.first("fault")["near"]["distance"], 0);
  EXPECT_EQ(plain.count("lens"), 0u);
  // c_tab is before lens_step, which is a dword at 0x4910.
  EXPECT_EQ(compare("lens.hsaco", lens(1, (number(told["variables"][1]["address"]) - 8 - buffer) / 8)).exit_code,
            kExitFail);
}

TEST_F(SoftGpuLens, KeepsItsBuffersAwayFromCapturedAddresses) {
  const auto address_of = [&] {
    const ProgramRun outcome = compare("lens.hsaco", lens());
    EXPECT_EQ(outcome.exit_code, kExitPass) << outcome.last();
    return std::stoull(outcome.first("lens")["buffers"][0]["address"].get<std::string>(), nullptr, 16);
  };
  const uint64_t usual = address_of();
  // A region of the app just where the buffer would be placed, and a captured pointer to memory that is no longer
  // restored.
  const auto directory = directory_.path() / "capture";
  std::filesystem::remove_all(directory);
  archive::Manifest manifest = capture_.write(directory);
  manifest.regions[0].base = usual / 4096 * 4096;
  const uint64_t moved = manifest.regions[0].base;
  std::memcpy(manifest.kernarg.bytes.data() + 8, &moved, 8);
  manifest.kernarg.slots[1].value = to_hex_number(moved);
  std::ofstream(directory / "capture.json") << archive::to_text(manifest);
  const uint64_t beside_region = address_of();
  EXPECT_GE(beside_region, usual + (32 << 20)) << "in another window";
  EXPECT_EQ(read_back("seen.bin"), seen(200));

  std::filesystem::remove_all(directory);
  manifest = capture_.write(directory);
  const uint64_t stale = usual + 64;
  std::memcpy(manifest.kernarg.bytes.data() + 8, &stale, 8);
  manifest.kernarg.slots[1].value = to_hex_number(stale);
  manifest.kernarg.slots[1].region.reset();
  std::ofstream(directory / "capture.json") << archive::to_text(manifest);
  const ProgramRun lost = compare("lens.hsaco", lens());
  EXPECT_EQ(lost.exit_code, kExitDevice) << "a read of memory that is not there stays a fault: " << lost.last();
}

TEST_F(SoftGpuLens, CountsInEachModeAsInAPlainReplay) {
  for (const std::vector<std::string>& mode :
       std::vector<std::vector<std::string>>{{"--compare", "--adverse", "1000000"},
                                             {"--compare", "--inject-bit-flips", "20"},
                                             {"--side-by-side", "--iterations", "2"},
                                             {"--profile", "--cache", "warm", "--iterations", "2"},
                                             {"--compare", "--guard", "--record-accesses"},
                                             {"--compare", "--dump", (directory_.path() / "dump").string()},
                                             {"--compare", "--launch", "hip"}}) {
    const ProgramRun outcome = run("lens.hsaco", lens(), mode);
    ASSERT_EQ(outcome.exit_code, kExitPass) << mode[1] << outcome.last();
    EXPECT_EQ(read_back("lens_lanes.bin"), std::vector<uint64_t>(4, kLanes / 4 * 2)) << mode[1];
    EXPECT_EQ(read_back("seen.bin"), seen(200)) << mode[1];
    EXPECT_EQ(outcome.last()["lens_bytes"], 32 + 4 + 1600);
    EXPECT_EQ(outcome.count("finding"), 0u) << outcome.first("finding");
  }
  EXPECT_EQ(std::filesystem::exists(directory_.path() / "dump" / "out.bin"), true);
  EXPECT_FALSE(std::filesystem::exists(directory_.path() / "dump" / "lens_lanes.bin")) << "dumps are of the capture";
}

TEST_F(SoftGpuLens, SaysWhatItDoesNotGoWith) {
  for (const std::vector<std::string>& mode :
       std::vector<std::vector<std::string>>{{"--leave-padding"}, {"--calibrate", "1,2"}}) {
    const ProgramRun outcome = run("lens.hsaco", lens(), mode);
    EXPECT_EQ(outcome.exit_code, kExitBadInput) << mode[0];
    EXPECT_EQ(outcome.last()["code"], "USAGE") << outcome.last();
  }
  const auto capture = (directory_.path() / "capture").string(), file = (directory_.path() / "lens.json").string();
  for (const std::vector<std::string>& half : std::vector<std::vector<std::string>>{
           {"--lens", file}, {"--lens-output", "/nowhere"}, {"--lens", file, "--lens-output", "/nowhere"}}) {
    std::vector<std::string> arguments = {"--capture", capture};
    arguments.insert(arguments.end(), half.begin(), half.end());
    EXPECT_EQ(run_program(KERNLOOP_REPLAY_PROGRAM, arguments, {}).last()["code"], "USAGE") << half.size();
  }
}

TEST_F(SoftGpuLens, OverwritesNothingAndLooksBeforeAnythingRuns) {
  ASSERT_EQ(compare("lens.hsaco", lens()).exit_code, kExitPass);
  for (const char* there : {"seen.bin", "lens_step.bin", "lens.json"}) {
    std::filesystem::create_directories(directory_.path() / ("out" + std::to_string(files_.runs)));
    std::ofstream(directory_.path() / ("out" + std::to_string(files_.runs)) / there) << "mine";
    const ProgramRun outcome = compare("lens.hsaco", lens());
    EXPECT_EQ(outcome.last()["code"], "TARGET_EXISTS") << there << outcome.last();
    EXPECT_EQ(outcome.count("iteration"), 0u);
    EXPECT_EQ(*archive::read_text(files_.output / there, 100), "mine");
  }
}

TEST_F(SoftGpuLens, EndsAHangWithALensToo) {
  const ProgramRun outcome =
      compare("spin.hsaco", {{"schema", "kernloop.lens/1"}, {"buffers", {{{"id", "b"}, {"bytes", 8}}}}},
              {"--limit-wave-instructions", "20000"});
  EXPECT_EQ(outcome.exit_code, kExitDevice) << outcome.last();
  EXPECT_EQ(outcome.last()["verdict"], "limit");
  EXPECT_EQ(outcome.count("lens"), 0u);
}

}  // namespace
}  // namespace kernloop::replay
