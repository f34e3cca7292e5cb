// The committed PTX belongs to the sources beside it, and to the host's view of the parameters.
#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <sstream>
#include <string>

#include "archive/digest.h"
#include "cuda/device_kernels_host.h"
#include "cuda/device_kernels_ptx.h"

namespace kernloop::cuda {
namespace {

std::string read(const std::string& name) {
  std::ifstream file(std::string(KERNLOOP_CUDA_SOURCE_FOLDER) + "/" + name, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(DevicePtx, IsTheCommittedFile) {
  EXPECT_EQ(device_kernels_ptx(), read("device_kernels.ptx"));
}

TEST(DevicePtx, WasMadeFromTheseSources) {
  const std::string ptx = device_kernels_ptx();
  for (const char* name : {"device_kernels.cu", "device_kernels_params.h", "device_shim.h", "checksum_mix.h"}) {
    const std::string source = read(name);
    ASSERT_FALSE(source.empty()) << name;
    const archive::Digest digest = archive::sha256({reinterpret_cast<const uint8_t*>(source.data()), source.size()});
    EXPECT_NE(ptx.find("// sha256 " + digest.hex() + " " + name + "\n"), std::string::npos)
        << name << " was edited after device_kernels.ptx was made: build the target device_kernels_ptx (needs clang)";
  }
}

// Drivers from CUDA 11 on take PTX 6.4; an sm_60 target runs on everything that CUDA 11 to 13 support.
TEST(DevicePtx, IsForOldDriversToo) {
  const std::string ptx = device_kernels_ptx();
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

// Local memory would make the driver resize the context's stack; calls and indirection would hide register use.
TEST(DevicePtx, NeedsNoStack) {
  const std::string ptx = device_kernels_ptx();
  EXPECT_EQ(ptx.find("__local_depot"), std::string::npos);
  EXPECT_EQ(ptx.find("call.uni"), std::string::npos);
}

}  // namespace
}  // namespace kernloop::cuda
