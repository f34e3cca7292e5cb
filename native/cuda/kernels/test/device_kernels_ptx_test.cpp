// The committed PTX belongs to the sources beside it, and to the host's view of the parameters.
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>

#include "base/digest.h"
#include "cuda/kernels/device_kernels_gfx.h"
#include "cuda/kernels/device_kernels_host.h"
#include "cuda/kernels/device_kernels_ptx.h"
#include "cuda/kernels/scrub_params.h"
#include "cuda/kernels/scrubber.h"

namespace kernloop::cuda {
namespace {

std::string read(const std::string& name) {
  std::ifstream file(std::string(KERNLOOP_DEVICE_KERNELS_FOLDER) + "/" + name, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(DevicePtx, IsTheCommittedFile) {
  EXPECT_EQ(device_kernels_ptx(), read("device_kernels.ptx"));
  EXPECT_EQ(scrub_kernel_ptx(), read("scrub_kernel.ptx"));
  EXPECT_EQ(demote_kernel_ptx(), read("demote_kernel.ptx"));
}

TEST(DevicePtx, WasMadeFromTheseSources) {
  const std::string ptx = std::string(device_kernels_ptx()) + scrub_kernel_ptx();
  for (const char* name : {"device_kernels.cu", "device_kernels_params.h", "device_shim.h", "checksum_mix.h",
                           "scrub_kernel.cu", "scrub_params.h"}) {
    const std::string source = read(name);
    ASSERT_FALSE(source.empty()) << name;
    const Digest digest = sha256({reinterpret_cast<const uint8_t*>(source.data()), source.size()});
    EXPECT_NE(ptx.find("// sha256 " + digest.hex() + " " + name + "\n"), std::string::npos)
        << name << " was edited after device_kernels.ptx was made: build the target device_kernels_ptx (needs clang)";
  }
}

TEST(DeviceCodeObjects, WereMadeFromTheseSources) {
  const std::string digests = read("gfx/sources.sha256");
  for (const char* name : {"device_kernels.cu", "device_kernels_params.h", "device_shim.h", "checksum_mix.h"}) {
    const std::string source = read(name);
    const Digest digest = sha256({reinterpret_cast<const uint8_t*>(source.data()), source.size()});
    EXPECT_NE(digests.find(digest.hex() + "  " + name + "\n"), std::string::npos)
        << name << " was edited after gfx/ was made: build the target device_kernels_gfx (needs clang 22)";
  }
}

TEST(DeviceCodeObjects, AreThereForTheTargetsOfTheSoftwareGpuAndForNoOther) {
  for (const char* target : {"gfx90a", "gfx942", "gfx1030", "gfx1100"}) {
    const auto bytes = gfx_code_object(target);
    EXPECT_EQ(std::string(bytes.begin(), bytes.end()), read("gfx/" + std::string(target) + ".hsaco"));
  }
  EXPECT_TRUE(gfx_code_object("gfx90").empty());
}

// Drivers from CUDA 11 on take PTX 6.4; an sm_60 target runs on everything that CUDA 11 to 13 support.
TEST(DevicePtx, IsForOldDriversToo) {
  for (const std::string ptx : {device_kernels_ptx(), scrub_kernel_ptx()})
    EXPECT_NE(ptx.find("\n.version 6.4\n.target sm_60\n.address_size 64\n"), std::string::npos);
}

TEST(DevicePtx, HasTheKernelsWithTheParametersOfTheHost) {
  const std::string ptx = device_kernels_ptx();
  for (const HostKernel& kernel : device_kernels_on_host()) {
    const std::regex entry("\\.visible \\.entry " + std::string(kernel.name) + "\\(\\s*\\.param \\.align 8 \\.b8 " +
                           std::string(kernel.name) + "_param_0\\[(\\d+)\\]\\s*\\)");
    std::smatch match;
    ASSERT_TRUE(std::regex_search(ptx, match, entry)) << kernel.name;
    EXPECT_EQ(std::stoul(match[1]), kernel.params_bytes) << kernel.name;
  }
}

// The loader replaces the compiled size of the local array by another.
TEST(DevicePtx, HasAScrubbingKernelWhoseLocalMemoryHasASizeThatStandsOnceInTheText) {
  const std::string ptx = scrub_kernel_ptx();
  const std::string size = "[" + std::to_string(4 * kScrubLocalWords) + "]";
  ASSERT_NE(ptx.find("__local_depot0" + size), std::string::npos);
  EXPECT_EQ(ptx.find(size), ptx.rfind(size));
  EXPECT_NE(ptx.find("kernloop_scrub_param_0[" + std::to_string(sizeof(ScrubParams)) + "]"), std::string::npos);
  EXPECT_NE(ptx.find("st.local"), std::string::npos) << "what nobody looks at is not written";
  EXPECT_NE(ptx.find("ld.local"), std::string::npos);
}

TEST(ScrubWord, IsLargeInEveryTypeAndOfEitherSign) {
  const auto as = [](uint8_t poison, auto number) {
    const uint32_t words[2] = {scrub_word(poison), scrub_word(poison)};
    std::memcpy(&number, words, sizeof number);
    return number;
  };
  for (const uint8_t poison : {0x00, 0x5a, 0x7f}) {
    EXPECT_GT(as(poison, float{}), 1e15f);
    EXPECT_GT(as(poison, double{}), 1e100);
    EXPECT_GT(as(poison, int32_t{}), 1 << 30);
    EXPECT_LT(as(poison | 0x80, float{}), -1e15f);
    EXPECT_LT(as(poison | 0x80, double{}), -1e100);
    EXPECT_LT(as(poison | 0x80, int32_t{}), -(1 << 28));
    EXPECT_NE(scrub_word(poison), scrub_word(poison ^ 1));
  }
}

// Local memory would make the driver resize the context's stack; calls and indirection would hide register use.
TEST(DevicePtx, NeedsNoStack) {
  const std::string ptx = device_kernels_ptx();
  EXPECT_EQ(ptx.find("__local_depot"), std::string::npos);
  EXPECT_EQ(ptx.find("call.uni"), std::string::npos);
}

}  // namespace
}  // namespace kernloop::cuda
