// Variants with a lens on CUDA: on the fake driver, or with KERNLOOP_TEST_REAL_GPU=1 on the machine's own GPU (sm_90).
#include <gtest/gtest.h>

#include "archive/test/temporary_directory.h"
#include "replay/test/cuda_capture.h"
#include "replay/test/lens_files.h"
#include "replay/test/program_run.h"
#include "verdict/events.h"

namespace kernloop::replay {
namespace {

using archive::Json;
using Capture = CudaCapture;
using Arguments = std::vector<std::string>;

constexpr uint64_t kLanes = 256;  // lanes of the launch: the variant counts before it looks at n

class CudaLens : public testing::Test {
 protected:
  void SetUp() override {
    files_.folder = directory_.path();
    if (on_real_gpu()) return;
    environment_["KERNLOOP_CUDA_DRIVER"] = KERNLOOP_FAKE_CUDA_DRIVER;
    environment_["KERNLOOP_CUPTI"] = KERNLOOP_FAKE_CUPTI;
  }
  ProgramRun run(const std::string& variant, const Json& lens, const Arguments& more) {
    const auto capture = directory_.path() / "capture";
    if (!std::filesystem::exists(capture)) capture_.write(capture);
    Arguments arguments = {"--capture", capture.string(), "--code-object", cuda_test_code(variant).string()};
    const Arguments of_lens = files_.arguments(lens);
    arguments.insert(arguments.end(), of_lens.begin(), of_lens.end());
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program(KERNLOOP_REPLAY_PROGRAM, arguments, environment_);
  }
  void expect_counts_of_one_launch(const std::string& what) {
    EXPECT_EQ(files_.read_back("lens_lanes.bin"), std::vector<uint64_t>(4, kLanes / 4 * 2)) << what;
    EXPECT_EQ(files_.read_back("seen.bin"), LensFiles::counted()) << what;
  }
  static uint64_t number(const Json& hex) { return std::stoull(hex.get<std::string>(), nullptr, 16); }

  archive::TemporaryDirectory directory_;
  Capture capture_;
  LensFiles files_;
  std::map<std::string, std::string> environment_;
};

class FakeCudaLens : public CudaLens {
 protected:
  void SetUp() override {
    files_.folder = directory_.path();
    environment_["KERNLOOP_CUDA_DRIVER"] = KERNLOOP_FAKE_CUDA_DRIVER;
    environment_["KERNLOOP_CUPTI"] = KERNLOOP_FAKE_CUPTI;
  }
};

TEST_F(CudaLens, ReadsBackWhatOneLaunchLeftInEachMode) {
  for (const Arguments& mode : std::vector<Arguments>{{"--compare"},
                                                      {"--compare", "--iterations", "3", "--warmup", "2"},
                                                      {"--cache", "warm", "--iterations", "4"},
                                                      {"--cache", "cold", "--iterations", "2"},
                                                      {"--side-by-side", "--iterations", "4", "--cache", "warm"},
                                                      {"--compare", "--inject-bit-flips", "20"},
                                                      {"--guard"}}) {
    const ProgramRun outcome = run("lens", LensFiles::counting(), mode);
    ASSERT_EQ(outcome.exit_code, kExitPass) << mode.back() << outcome.last();
    expect_counts_of_one_launch(mode.front() + " " + mode.back());
    EXPECT_EQ(files_.read_back<uint32_t>("lens_step.bin"), std::vector<uint32_t>{2}) << "as loaded";
    EXPECT_EQ(outcome.last()["lens_bytes"], 32 + 4 + 1600) << outcome.last();
  }
}

TEST_F(CudaLens, FailsOnAWrongResultAndTellsWhatWasCounted) {
  capture_.out_post[17] += 1;
  const ProgramRun outcome = run("lens", LensFiles::counting(), {"--compare"});
  EXPECT_EQ(outcome.exit_code, kExitFail) << outcome.last();
  expect_counts_of_one_launch("a wrong result");
}

TEST_F(CudaLens, AllowsTheParametersOfTheLensAndNoOthers) {
  Json two = LensFiles::counting(), other = two;
  two["parameters"].erase(2);
  other["parameters"][0] = {{"u64", "0xc8"}};
  for (const Json& wrong : {LensFiles::selecting({{"prefix", "lens_"}}), two, other}) {
    const ProgramRun outcome = run("lens", wrong, {"--compare"});
    EXPECT_EQ(outcome.last()["code"], "KERNARG_MISMATCH") << outcome.last();
  }
}

TEST_F(CudaLens, LeavesCapturedVariablesToTheComparison) {
  EXPECT_EQ(run("lens", LensFiles::selecting({{"name", "c_tab"}}), {"--compare"}).last()["code"], "KERNARG_MISMATCH");
  EXPECT_EQ(run("wrong_ulp", LensFiles::selecting({{"name", "c_tab"}}), {"--compare"}).last()["code"], "LENS_INVALID");
  const ProgramRun kept = run("first_only", LensFiles::selecting({{"prefix", "variant_"}}), {"--compare"});
  EXPECT_EQ(kept.exit_code, kExitFail) << "right in the first launch only: " << kept.last();
  EXPECT_NE(kept.last().value("reason", "").find("variant_first_only"), std::string::npos);
}

TEST_F(CudaLens, DoesNotTakeAValueOfTheLensForACapturedAddress) {
  // A parameter that equals the captured address of a moved variable is passed unchanged: as an offset it leads to
  // memory that is not there.
  const ProgramRun outcome = run("lens", LensFiles::counting(0, Capture::kTable), {"--compare"});
  EXPECT_EQ(outcome.exit_code, kExitPass) << outcome.last();
  EXPECT_EQ(outcome.first("restored")["relocated_kernargs"], 0);
}

TEST_F(CudaLens, NoticesWritesBesideItsBuffer) {
  const ProgramRun behind = run("lens", LensFiles::counting(200, 1), {});
  EXPECT_EQ(behind.exit_code, kExitDevice) << behind.last();
  EXPECT_EQ(behind.first("fault")["kind"], "out_of_bounds_write") << behind.first("fault");
  EXPECT_EQ(behind.first("fault")["near"]["region"], "lens:seen");
  EXPECT_EQ(behind.count("lens"), 0u);
  EXPECT_EQ(run("lens", LensFiles::counting(1, UINT64_MAX), {"--compare"}).exit_code, kExitFail);
  // Past its granule nothing is mapped.
  EXPECT_EQ(run("lens", LensFiles::counting(1, (4 << 20) / 8), {}).exit_code, kExitDevice);
}

TEST_F(CudaLens, GivesEachLaunchItsOwnValues) {
  const Json told = run("lens", LensFiles::counting(), {"--compare"}).first("lens");
  const uint64_t buffer = number(told["buffers"][0]["address"]), astray = (Capture::kIn - buffer) / 8;
  Json lens = LensFiles::counting(1);
  // Counts are put back before each launch: only those of the last one are seen.
  lens["parameters"][2] = {{"u64", {"0x1", "0x2", "0x3", "0x4"}}};
  const auto last_of = [&](const std::string& iterations, const Arguments& more) {
    Arguments arguments = {"--compare", "--iterations", iterations};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const ProgramRun outcome = run("lens", lens, arguments);
    EXPECT_EQ(outcome.exit_code, kExitPass) << outcome.last();
    const auto seen = files_.read_back("seen.bin");
    return std::find(seen.begin(), seen.end(), 1u) - seen.begin();
  };
  EXPECT_EQ(last_of("1", {}), 1);
  EXPECT_EQ(last_of("3", {}), 3);
  EXPECT_EQ(last_of("3", {"--warmup", "2"}), 3) << "a warm-up takes none of them";
  EXPECT_EQ(last_of("9", {}), 4) << "beyond them, the last one stays";
  EXPECT_EQ(last_of("4", {"--settle", "2:0"}), 2) << "no time left, but for the least";
  EXPECT_EQ(last_of("4", {"--settle", "2:1000"}), 4);
  // The third one writes over the app's memory: two were right, and no fourth is asked.
  lens["parameters"][2]["u64"][2] = to_hex_number(astray);
  const ProgramRun outcome = run("lens", lens, {"--compare", "--iterations", "4"});
  EXPECT_EQ(outcome.exit_code, kExitFail) << outcome.last();
  EXPECT_EQ(outcome.count("iteration"), 3u);
}

TEST_F(CudaLens, NoticesWritesOfTheInstrumentationIntoCapturedMemory) {
  const Json told = run("lens", LensFiles::counting(), {"--compare"}).first("lens");
  const uint64_t buffer = number(told["buffers"][0]["address"]);
  const ProgramRun outcome = run("lens", LensFiles::counting(1, (Capture::kIn - buffer) / 8), {"--compare"});
  EXPECT_EQ(outcome.exit_code, kExitFail) << outcome.last();
  EXPECT_EQ(outcome.first("difference")["region"], "in");
}

TEST_F(CudaLens, KeepsItsBuffersAwayFromCapturedAddresses) {
  const auto address = [&] {
    const ProgramRun outcome = run("lens", LensFiles::counting(), {"--compare"});
    EXPECT_EQ(outcome.exit_code, kExitPass) << outcome.last();
    expect_counts_of_one_launch("moved");
    return number(outcome.first("lens")["buffers"][0]["address"]);
  };
  const uint64_t usual = address();
  const auto directory = directory_.path() / "capture";
  // A region of the app at just that address; then a module variable's captured address, where nothing is mapped any
  // more.
  std::filesystem::remove_all(directory);
  archive::Manifest manifest = capture_.write(directory);
  const uint64_t base = manifest.regions[0].base = usual / 4096 * 4096;
  std::memcpy(manifest.kernarg.bytes.data() + 8, &base, 8);
  std::ofstream(directory / "capture.json") << archive::to_text(manifest);
  EXPECT_GE(address(), usual + (32 << 20));
  std::filesystem::remove_all(directory);
  manifest = capture_.write(directory);
  manifest.module_variables[0].address = usual / 4096 * 4096;
  std::ofstream(directory / "capture.json") << archive::to_text(manifest);
  EXPECT_GE(address(), usual + (32 << 20));
}

// A real one has.
TEST_F(FakeCudaLens, SaysWhenTheDeviceHasNoRoomForABuffer) {
  Json large = LensFiles::counting();
  large["buffers"].push_back({{"id", "large"}, {"bytes", uint64_t{15} << 30}});
  const ProgramRun outcome = run("lens", large, {"--compare"});
  EXPECT_EQ(outcome.exit_code, kExitEnvironment) << outcome.last();
  EXPECT_EQ(outcome.last()["code"], "OUT_OF_MEMORY");
}

TEST_F(CudaLens, PutsALargeBufferBackToo) {
  Json large = LensFiles::counting();
  large["buffers"][0]["bytes"] = 9 << 20;
  large["buffers"][0]["fill"] = "0x07";
  for (const char* cache : {"as-is", "warm"}) {
    const ProgramRun outcome = run("lens", large, {"--compare", "--iterations", "3", "--cache", cache});
    ASSERT_EQ(outcome.exit_code, kExitPass) << outcome.last();
    const auto values = files_.read_back("seen.bin");
    ASSERT_EQ(values.size(), size_t{9 << 20} / 8);
    constexpr uint64_t kFilled = 0x0707070707070707;
    EXPECT_EQ(values[0], kFilled + 1) << cache;
    EXPECT_EQ(values[199], kFilled + 200) << cache;
    EXPECT_EQ(values[200], kFilled);
    EXPECT_EQ(values.back(), kFilled);
  }
}

}  // namespace
}  // namespace kernloop::replay
