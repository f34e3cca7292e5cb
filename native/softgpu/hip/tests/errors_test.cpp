// Errors that stock HIP programs see after a fault, with the library in front of HIP and without it.
#include <gtest/gtest.h>
#include <signal.h>

#include <cstdio>
#include <fstream>
#include <memory>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "capture/test/program.h"
#include "softgpu/loader/tests/elf_file.h"

namespace kernloop::softgpu::hip {
namespace {

using testing::Program;

constexpr int kIllegalAddress = 700, kLaunchFailure = 719;
constexpr int kOwnCode = 21;

struct Ended {
  int code;
  std::string output;
};

Ended run(std::vector<std::string> command, bool preload = true, const char* limit = "") {
  Program program({std::move(command),
                   {{"LD_LIBRARY_PATH", KERNLOOP_TEST_SOFTGPU},
                    {"LD_PRELOAD", preload ? "libkernloop-hip.so" : ""},
                    {"KERNLOOP_SOFTGPU_FATAL", "lds"},
                    {"KERNLOOP_SOFTGPU_MAX_INSTRUCTIONS", limit}}});
  const int code = program.wait();
  return {code, program.output()};
}

// The codes that the calls after the fault returned, by line.
std::vector<std::string> told(const std::string& output) {
  std::istringstream text(output.substr(std::min(output.find("first\n"), output.size())));
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) {
    if (line.rfind("hip", 0) == 0 || line.rfind("launch ", 0) == 0 || line.rfind("callback ", 0) == 0)
      lines.push_back(line);
  }
  return lines;
}

void expect_every_call_fails(const Ended& ended, int code) {
  EXPECT_EQ(ended.code, kOwnCode) << ended.output;
  EXPECT_EQ(ended.output.find("the host has"), std::string::npos) << "a kernel ran after the fault";
  const std::vector<std::string> lines = told(ended.output);
  // The first call, 14 of go_on, the callback, and the name.
  EXPECT_EQ(lines.size(), 17u) << ended.output;
  for (const std::string& line : lines) {
    if (line.rfind("hipError", 0) == 0) {
      EXPECT_EQ(line, code == kIllegalAddress ? "hipErrorIllegalAddress" : "hipErrorLaunchFailure");
    } else {
      EXPECT_EQ(line.substr(line.find(' ') + 1), std::to_string(code)) << line << "\n" << ended.output;
    }
  }
}

struct FaultCase {
  const char* fault;
  int code;
  const char* said;  // on stderr: a regular expression
};

#define PLACE(instruction) \
  " at pc 0x[0-9a-f]+ .entry .0x[0-9a-f]+., instruction `" instruction "[^`]*`, workgroup .0, 0, 0., wave 0"
#define LANE(number) ", lane " number
#define NEAR_FREED "allocation at 0x[0-9a-f]+ .*, which has been freed"
#define NEAR ".*allocation at 0x[0-9a-f]+ .'device allocation"

class HipErrorOfAFault : public ::testing::TestWithParam<FaultCase> {};

TEST_P(HipErrorOfAFault, IsToldByEveryCallAndTheProgramEndsAsItWants) {
  const Ended ended = run({KERNLOOP_TEST_FAULTS, GetParam().fault, "hipDeviceSynchronize"}, true,
                          GetParam().fault == std::string("limit") ? "1000000" : "");
  expect_every_call_fails(ended, GetParam().code);
  EXPECT_TRUE(std::regex_search(ended.output, std::regex(GetParam().said))) << ended.output;
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, HipErrorOfAFault,
    ::testing::Values(
        FaultCase{"wild", kIllegalAddress,
                  "memory access outside of every allocation in kernel _Z4wildPi" PLACE("flat_store_dword")
                      LANE("3") ": write of 4 bytes at 0x123456780000: " NEAR},
        FaultCase{"freed", kIllegalAddress,
                  "memory access outside of every allocation in kernel _Z3setPii" PLACE("global_store_dword")
                      LANE("0") ": write of 4 bytes at 0x[0-9a-f]+: 0 bytes into the 2097152-byte " NEAR_FREED},
        FaultCase{"misaligned", kIllegalAddress,
                  "misaligned access in kernel _Z10misalignedPi" PLACE("global_atomic_add")
                      LANE("5") ": write of 4 bytes at 0x[0-9a-f]+2: .* 2 bytes into the 256-byte " NEAR},
        FaultCase{
            "texture", kLaunchFailure,
            "_Z7fetchedP13__hip_texturePf.*the kernel reads or writes textures or surfaces .at .0x[0-9a-f]+., which "
            "the software GPU has not"},
        FaultCase{
            "lds", kIllegalAddress,
            "LDS access out of range in kernel _Z3ldsPi" PLACE("ds_write_b32")
                LANE("0") ": write of 4 bytes at 0x400000: 4194240 bytes past the end of the workgroup's 64 bytes"},
        FaultCase{"stack", kIllegalAddress,
                  "private memory access out of range in kernel _Z14index_of_stackPi" PLACE("[a-z]+_store_dword")
                      LANE("0") ": write of 4 bytes at 0x4[0-9a-f]+: .*each lane has [0-9]+ bytes of private memory"},
        FaultCase{"opcode", kLaunchFailure,
                  "unknown instruction in kernel _Z6opcodePi" PLACE("0xffffffff") ": gfx90a has no such instruction"},
        FaultCase{"modifier", kLaunchFailure,
                  "unsupported instruction in kernel _Z8modifierPi" PLACE("v_cmp_lt_f32_e64 s.30:31., v0, v0 clamp")},
        FaultCase{"trap", kLaunchFailure, "trap in kernel _Z4trapPi" PLACE("s_trap 2")},
        FaultCase{"limit", kLaunchFailure,
                  "instruction limit reached in kernel _Z7endlessPi" PLACE(
                      "[a-z0-9_]+") ": the dispatch executed more than 1000000 wave-instructions"}),
    [](const auto& info) { return std::string(info.param.fault); });

class HipErrorOfACall : public ::testing::TestWithParam<const char*> {};

// The call that waits for the faulting kernel is the first to report the fault.
TEST_P(HipErrorOfACall, ThatWaitsForTheKernelThatFaults) {
  expect_every_call_fails(run({KERNLOOP_TEST_FAULTS, "wild", GetParam()}), kIllegalAddress);
}

INSTANTIATE_TEST_SUITE_P(Calls, HipErrorOfACall,
                         ::testing::Values("hipStreamSynchronize", "hipEventSynchronize", "hipMemcpyWithStream",
                                           "hipStreamQuery", "hipEventQuery", "hipStreamDestroy", "hipMemcpy",
                                           "hipMemcpyDtoH", "hipMemcpy2D", "hipFree"),
                         [](const auto& info) { return std::string(info.param); });

TEST(HipError, EndsTheProgramWithoutTheLibrary) {
  const Ended ended = run({KERNLOOP_TEST_FAULTS, "wild", "hipDeviceSynchronize"}, false);
  EXPECT_EQ(ended.code, 128 + SIGABRT) << ended.output;
  EXPECT_EQ(ended.output.find("hipDeviceSynchronize 0\nhipGetLastError"), std::string::npos) << ended.output;
}

TEST(HipError, ReachesAProgramThatLoadsHipByName) {
  for (const char* lookup : {"dlsym", "dlvsym"}) {
    const Ended ended = run({KERNLOOP_TEST_LOADED_HIP, lookup, KERNLOOP_TEST_TO_NOWHERE});
    EXPECT_EQ(ended.code, kOwnCode) << ended.output;
    EXPECT_NE(ended.output.find("hipDeviceSynchronize 700\n"), std::string::npos) << ended.output;
  }
}

// There is no dispatch: the program gets an error of hipModuleLoad, and continues.
TEST(HipError, IsThatOfTheLoadWhereARelocationIsNotSupported) {
  ElfFile object(KERNLOOP_TEST_TO_NOWHERE);
  const auto symbol = ELF64_R_SYM(object.relocation(0).r_info);
  object.relocation(0).r_info = ELF64_R_INFO(static_cast<uint64_t>(symbol), 200);
  const std::string damaged = ::testing::TempDir() + "relocation-" + std::to_string(getpid()) + ".hsaco";
  std::ofstream(damaged, std::ios::binary)
      .write(object.raw().data(), static_cast<std::streamsize>(object.raw().size()));
  const Ended ended = run({KERNLOOP_TEST_LOADED_HIP, "dlsym", damaged});
  std::remove(damaged.c_str());
  EXPECT_EQ(ended.code, 5) << ended.output;
  EXPECT_TRUE(std::regex_search(ended.output, std::regex("hipModuleLoad [1-9]"))) << ended.output;
  EXPECT_NE(ended.output.find("relocation type 200 at 0x"), std::string::npos) << ended.output;
}

TEST(HipError, EndsAProgramWhoseCallsTakeAnotherWay) {
  const Ended ended = run({KERNLOOP_TEST_LOADED_HIP, "table", KERNLOOP_TEST_TO_NOWHERE});
  EXPECT_EQ(ended.code, 128 + SIGABRT) << ended.output;
  EXPECT_EQ(ended.output.find("hipDeviceSynchronize 0"), std::string::npos) << ended.output;
}

// Names that `nm -D` lists as code.
std::set<std::string> functions_of(const std::string& library) {
  std::set<std::string> names;
  const std::unique_ptr<FILE, int (*)(FILE*)> nm(popen(("nm -D --defined-only '" + library + "'").c_str(), "r"),
                                                 pclose);
  char line[4096];
  while (nm != nullptr && std::fgets(line, sizeof line, nm.get()) != nullptr) {
    std::istringstream words(line);
    std::string address, kind, name;
    words >> address >> kind >> name;
    if (kind == "T") names.insert(name.substr(0, name.find('@')));
  }
  return names;
}

// A function that is called past its gate would succeed on a device that is lost.
TEST(Gates, AreBeforeEveryFunctionOfHipThatReturnsAnError) {
  const std::set<std::string> none = {// Functions that return something else, or describe code rather than the device.
                                      "hipApiName",
                                      "hipCreateChannelDesc",
                                      "hipEnableActivityCallback",
                                      "hipGetCmdName",
                                      "hipGetErrorName",
                                      "hipGetErrorString",
                                      "hipGetStreamDeviceId",
                                      "hipInitActivityCallback",
                                      "hipKernelNameRef",
                                      "hipKernelNameRefByPtr",
                                      "hipRegisterActivityCallback",
                                      "hipRegisterApiCallback",
                                      "hipRemoveActivityCallback",
                                      "hipRemoveApiCallback"};
  const std::set<std::string> gates = functions_of(std::string(KERNLOOP_TEST_SOFTGPU) + "/libkernloop-hip.so");
  size_t seen = 0;
  for (const std::string& name : functions_of(KERNLOOP_TEST_HIP)) {
    const bool of_hip = name.rfind("hip", 0) == 0 || (name.rfind("_Z2", 0) == 0 && name.find("hip") == 4);
    if (!of_hip || name.rfind("hiprtc", 0) == 0) continue;
    EXPECT_NE(gates.count(name), none.count(name)) << name;
    ++seen;
  }
  EXPECT_GT(seen, 350u);
}

}  // namespace
}  // namespace kernloop::softgpu::hip
