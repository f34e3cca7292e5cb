// cuda_app in a process of its own: each situation by itself, without any tool.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <string>

namespace kernloop::cuda::fake {
namespace {

struct Outcome {
  int status = 0;
  std::string output;  // stdout and stderr
};

Outcome run(const std::string& environment, const std::string& command) {
  const std::string line = "env " + environment + " " KERNLOOP_FAKE_CUDA_APP " " + command + " 2>&1";
  Outcome outcome;
  FILE* const pipe = popen(line.c_str(), "r");
  std::array<char, 4096> buffer;
  while (std::fgets(buffer.data(), buffer.size(), pipe) != nullptr) outcome.output += buffer.data();
  outcome.status = pclose(pipe);
  return outcome;
}

class App : public testing::TestWithParam<const char*> {};

TEST_P(App, DoesWhatItShould) {
  const Outcome outcome = run("KERNLOOP_FAKE_CUDA_DEVICES=2", GetParam());
  EXPECT_EQ(outcome.status, 0) << outcome.output;
  EXPECT_EQ(outcome.output, std::string(GetParam()) + ": done\n");
}

INSTANTIATE_TEST_SUITE_P(
    Commands, App,
    testing::Values("argument-buffer", "async-pool", "atomic", "batched", "capture-beside", "captures-meanwhile",
                    "cluster", "cooperative", "do-nothing", "enumerated", "fork", "function-cluster", "globals",
                    "graph", "graph-branches", "graph-child", "graph-child-changed", "graph-destroyed",
                    "graph-memory-node", "graph-reordered", "graph-set-parameters", "graph-wait", "in-place",
                    "interleaved", "ipc", "jit-ptx", "kernel-cluster", "large-parameters", "lazy", "managed",
                    "many-launches", "multi-device-launch", "nccl-name", "per-thread-stream", "pinned", "programmatic",
                    "registered-host", "reload", "same-name-two-libraries", "same-name-two-modules", "saxpy",
                    "shared-handle", "spin-on-host-flag", "spin-on-other-stream", "stream-capture", "tensormap",
                    "tensormap-in-memory", "texture", "threads", "two-contexts", "two-devices", "unfinished",
                    "unknown-code", "untracked", "variable-pointer", "vmm", "wild-write", "write-through-memory"),
    [](const auto& info) {
      std::string name = info.param;
      for (char& letter : name) letter = letter == '-' ? '_' : letter;
      return name;
    });

TEST(Injection, AToolIsLoadedByTheDriverAndSeesTheLaunches) {
  const Outcome outcome =
      run("CUDA_INJECTION64_PATH=" KERNLOOP_FAKE_CUDA_INJECTED " KERNLOOP_CUPTI=" KERNLOOP_FAKE_CUPTI, "saxpy");
  EXPECT_EQ(outcome.output, "launch _Z5saxpyfPKfPfi\nsaxpy: done\n");
}

TEST(Injection, AToolThatComesSecondHearsNothing) {
  const Outcome outcome = run("KERNLOOP_FAKE_CUDA_CUPTI_TAKEN=1 CUDA_INJECTION64_PATH=" KERNLOOP_FAKE_CUDA_INJECTED
                              " KERNLOOP_CUPTI=" KERNLOOP_FAKE_CUPTI,
                              "saxpy");
  EXPECT_EQ(outcome.output, "saxpy: done\n");
}

TEST(Injection, FormsForPerThreadStreamsHaveCallbacksOfTheirOwn) {
  const Outcome outcome = run(
      "CUDA_INJECTION64_PATH=" KERNLOOP_FAKE_CUDA_INJECTED " KERNLOOP_CUPTI=" KERNLOOP_FAKE_CUPTI, "per-thread-stream");
  EXPECT_EQ(outcome.output, "launch for a thread's stream _Z12add_in_placePffi\nper-thread-stream: done\n");
}

TEST(Reservations, ARefusedAddressIsElsewhereWithSuccess) {
  EXPECT_EQ(run("KERNLOOP_FAKE_CUDA_SEED=0", "reserve 0x500000000000").output, "there\nreserve: done\n");
  EXPECT_EQ(run("KERNLOOP_FAKE_CUDA_REFUSE_ADDRESS=0x500001000000", "reserve 0x500000000000").output,
            "elsewhere\nreserve: done\n");
}

TEST(NoDevice, IsAnErrorOfInit) {
  const Outcome outcome = run("KERNLOOP_FAKE_CUDA_DEVICES=0", "saxpy");
  EXPECT_NE(outcome.status, 0);
  EXPECT_NE(outcome.output.find("CUDA_ERROR_NO_DEVICE"), std::string::npos) << outcome.output;
}

}  // namespace
}  // namespace kernloop::cuda::fake
