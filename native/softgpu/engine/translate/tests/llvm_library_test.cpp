// LLVM in the process of somebody else: what the program must not notice of it, and where it may not be.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <string>

namespace kernloop::softgpu::testing {
namespace {

struct Ended {
  int status;
  std::string output;
};

Ended run(const std::string& command) {
  std::FILE* const pipe = ::popen((command + " 2>&1").c_str(), "r");
  if (!pipe) return {-1, {}};
  Ended ended{0, {}};
  std::array<char, 4096> part;
  while (const size_t count = std::fread(part.data(), 1, part.size(), pipe)) ended.output.append(part.data(), count);
  const int status = ::pclose(pipe);
  ended.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return ended;
}

const std::string kProgram = KERNLOOP_TEST_LLVM_PROGRAM;

TEST(LlvmLibrary, AProgramThatWaitsForAnyChildSeesNone) {
  const Ended ended = run(kProgram + " WAIT");
  EXPECT_EQ(ended.status, 0) << ended.output;
}

// One process, and no system call that the judge's sandbox refuses.
TEST(LlvmLibrary, CompilesInTheSandbox) {
  const std::string folder = kProgram.substr(0, kProgram.rfind('/'));
  const Ended ended =
      run(std::string(KERNLOOP_TEST_SANDBOX) + " --read /usr --read /lib --read /lib64 --read /etc --read " + folder +
          " --limit-memory-bytes 4000000000 --limit-processes 2 -- " + kProgram + " COMPILE");
  EXPECT_EQ(ended.status, 0) << ended.output;
  EXPECT_EQ(ended.output, "compiled\n");
}

TEST(LlvmLibrary, AFatalErrorOfLlvmEndsTheTranslatorAndNotTheProgram) {
  const Ended ended = run(kProgram + " FATAL");
  EXPECT_EQ(ended.status, 0) << ended.output;
  EXPECT_NE(ended.output.find("nline asm"), std::string::npos) << ended.output;
}

// LLVM's destructors run at the end of a program, while another thread is in LLVM.
TEST(LlvmLibrary, AProgramMayEndInTheMiddleOfACompilation) {
  for (unsigned milliseconds : {0, 1, 2, 5, 10, 15, 20, 30, 50, 80, 130, 210, 340}) {
    const Ended ended = run(kProgram + " END " + std::to_string(milliseconds));
    EXPECT_EQ(ended.status, 0) << milliseconds << " ms: " << ended.output;
  }
}

// It did not wait for longer than 5 seconds, of which a busy machine leaves a thread a fraction.
TEST(LlvmLibrary, AProgramThatEndsWaitsForASlowPartOfACompilation) {
  const Ended ended = run(kProgram + " SLOW 6000");
  EXPECT_EQ(ended.output, "in LLVM\nout of LLVM\n");
  EXPECT_EQ(ended.status, 0);
}

// A destructor is registered as soon as its object is made, and the last one registered is called first.
TEST(LlvmLibrary, AProgramMayEndWhileLlvmIsOpened) {
  const Ended ended = run("KERNLOOP_SOFTGPU_LLVM=" KERNLOOP_TEST_SLOW_LIBRARY " " + kProgram + " END 100");
  EXPECT_EQ(ended.output, "opening\n");
  EXPECT_EQ(ended.status, 0);
}

// At the end of a program the loader makes the objects of a library that it destroyed again, if somebody opens it.
TEST(LlvmLibrary, AProgramThatIsLinkedWithLlvmMayEndBeforeItIsOpened) {
  const Ended ended =
      run("LD_PRELOAD=" KERNLOOP_TEST_SLOW_LIBRARY " KERNLOOP_SOFTGPU_LLVM=" KERNLOOP_TEST_SLOW_LIBRARY " " + kProgram +
          " OWN");
  EXPECT_EQ(ended.output, "opening\n");
  EXPECT_EQ(ended.status, 0);
}

TEST(LlvmLibrary, AnLlvmThatTheProgramExportsIsNotMixedWithOurs) {
  const Ended ended = run(std::string(KERNLOOP_TEST_LLVM_EXPORTER) + " COMPILE");
  EXPECT_EQ(ended.status, 1);
  EXPECT_EQ(ended.output, "the program exports an LLVM of its own\n");
}

TEST(LlvmLibrary, AMachineWithoutOneIsTold) {
  const Ended none = run("KERNLOOP_SOFTGPU_LLVM=/nowhere/libLLVM.so " + kProgram + " COMPILE");
  EXPECT_EQ(none.status, 1);
  EXPECT_NE(none.output.find("/nowhere/libLLVM.so"), std::string::npos) << none.output;
  const Ended other = run("KERNLOOP_SOFTGPU_LLVM=libm.so.6 " + kProgram + " COMPILE");
  EXPECT_EQ(other.status, 1);
  EXPECT_EQ(other.output, "libm.so.6 is older than LLVM 15\n");
}

const std::string kByDefault = "env -u KERNLOOP_SOFTGPU_TRANSLATE -u KERNLOOP_SOFTGPU_LLVM ";

TEST(TranslatorByDefault, TranslatesWhatIsExecutedOften) {
  EXPECT_EQ(run(kByDefault + kProgram + " LOOP 5000 20000").output, "translated, LLVM is open\n");
}

TEST(TranslatorByDefault, AShortProgramDoesNotOpenLlvm) {
  EXPECT_EQ(run(kByDefault + kProgram + " LOOP 100000 150").output, "interpreted, LLVM is closed\n");
}

TEST(TranslatorByDefault, AMachineWithoutLlvmInterpretsWithoutAWord) {
  const std::string nowhere = kByDefault + "KERNLOOP_SOFTGPU_LLVM=/nowhere/libLLVM.so ";
  EXPECT_EQ(run(nowhere + kProgram + " LOOP 5000 900").output, "interpreted, LLVM is closed\n");
  // Asked for, it says why it stops.
  const Ended asked = run(nowhere + "KERNLOOP_SOFTGPU_TRANSLATE=on " + kProgram + " LOOP 5000 900");
  EXPECT_NE(asked.output.find("the translator stops: /nowhere/libLLVM.so"), std::string::npos) << asked.output;
}

TEST(TranslatorByDefault, CanBeSwitchedOff) {
  const Ended off = run(kByDefault + "KERNLOOP_SOFTGPU_TRANSLATE=off " + kProgram + " LOOP 5000 600");
  EXPECT_EQ(off.output, "interpreted, LLVM is closed\n");
}

// Half a GiB of address space is enough for the program and too little for LLVM.
TEST(LlvmLibrary, IsNotOpenedWithTooLittleAddressSpace) {
  const Ended ended = run("ulimit -v 500000; " + kProgram + " COMPILE");
  EXPECT_EQ(ended.status, 1);
  EXPECT_EQ(ended.output, "the limit of address space leaves no GiB\n");
}

}  // namespace
}  // namespace kernloop::softgpu::testing
