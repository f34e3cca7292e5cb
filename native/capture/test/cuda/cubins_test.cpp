// Finding the cubin of a kernel. The cubins are nvcc's; the driver is a fake that knows only handles.
#include "capture/cuda/app/cubins.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>

namespace kernloop::capture {
namespace {

using namespace cuda;

std::vector<uint8_t> file(const std::string& name) {
  std::ifstream in(std::string(KERNLOOP_CUBIN_TEST_DATA) + "/" + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Modules by function, and the functions of a module by name.
std::map<CUfunction, CUmodule> module_of;
std::map<CUmodule, std::vector<CUfunction>> functions_of;
std::map<CUfunction, std::string> names;

CUfunction function(uint64_t value) {
  return reinterpret_cast<CUfunction>(value);
}
CUmodule module(uint64_t value) {
  return reinterpret_cast<CUmodule>(value);
}

class CubinsTest : public ::testing::Test {
 protected:
  CubinsTest() {
    module_of.clear();
    functions_of.clear();
    names.clear();
    driver.cuFuncGetModule = [](CUmodule* result, CUfunction of) {
      const auto known = module_of.find(of);
      if (known == module_of.end()) return CUDA_ERROR_INVALID_HANDLE;
      *result = known->second;
      return CUDA_SUCCESS;
    };
    driver.cuModuleGetFunctionCount = [](unsigned int* count, CUmodule of) {
      *count = static_cast<unsigned int>(functions_of[of].size());
      return CUDA_SUCCESS;
    };
    driver.cuModuleEnumerateFunctions = [](CUfunction* result, unsigned int count, CUmodule of) {
      std::copy_n(functions_of[of].begin(), count, result);
      return CUDA_SUCCESS;
    };
    driver.cuFuncGetName = [](const char** name, CUfunction of) {
      *name = names[of].c_str();
      return CUDA_SUCCESS;
    };
  }
  uint32_t load(uint32_t id, const std::vector<uint8_t>& bytes) {
    return cubins.loaded(id, bytes, [](const auto&) { return true; });
  }
  void add_function(uint64_t handle, CUmodule of, const std::string& name) {
    module_of[function(handle)] = of;
    functions_of[of].push_back(function(handle));
    names[function(handle)] = name;
  }

  Driver driver;
  Cubins cubins{driver};
};

// The same kernels, another content: a byte of the machine code differs.
std::vector<uint8_t> rebuilt(std::vector<uint8_t> bytes) {
  bytes[bytes.size() / 2] ^= 1;
  return bytes;
}

TEST(KernelNames, AreTheEntriesAndNothingElse) {
  const auto kernels = kernel_names(file("parameters.sm_90.cubin"));
  ASSERT_TRUE(kernels);
  // The names that `cuobjdump -elf` lists with STO_ENTRY.
  EXPECT_TRUE(kernels->contains("_Z7nothingv"));
  EXPECT_TRUE(kernels->contains("fill"));
  EXPECT_EQ(kernels->size(), 5u);
  // Device functions that were not inlined are functions of the file, too.
  const auto calls = kernel_names(file("calls.sm_90.cubin"));
  ASSERT_TRUE(calls);
  for (const std::string& name : *calls) EXPECT_EQ(name.find("__internal"), std::string::npos) << name;
}

TEST(KernelNames, OfDamagedFilesAreNoneAndNothingIsReadOutside) {
  const auto whole = file("parameters.sm_90.cubin");
  ASSERT_FALSE(whole.empty());
  for (size_t size = 0; size < whole.size(); size += 7) {
    std::vector<uint8_t> cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    (void)kernel_names(cut);
  }
  EXPECT_FALSE(kernel_names({}));
  for (size_t at = 0; at < std::min<size_t>(whole.size(), 512); ++at) {
    auto damaged = whole;
    damaged[at] ^= 0xff;
    (void)kernel_names(damaged);
  }
}

TEST_F(CubinsTest, AKernelOfOneCubinIsThatCubins) {
  load(1, file("parameters.sm_90.cubin"));
  const uint32_t calls = load(2, file("tiny.sm_80.cubin"));
  const auto kernels = kernel_names(file("tiny.sm_80.cubin"));
  ASSERT_TRUE(kernels && !kernels->empty());
  const std::string kernel = *kernels->begin();
  const CubinChoice choice = cubins.find(function(0x10), kernel, {});
  ASSERT_NE(choice.cubin, nullptr);
  EXPECT_EQ(choice.cubin->number, calls);
}

TEST_F(CubinsTest, TheSameContentTwiceIsOneCubin) {
  EXPECT_EQ(load(1, file("parameters.sm_90.cubin")), load(2, file("parameters.sm_90.cubin")));
  cubins.unloading(1);
  EXPECT_NE(cubins.find(function(0x10), "fill", {}).cubin, nullptr) << "still loaded as another module";
  cubins.unloading(2);
  EXPECT_EQ(cubins.find(function(0x10), "fill", {}).cubin, nullptr);
}

TEST_F(CubinsTest, OfTwoWithTheSameKernelsTheModuleTells) {
  const uint32_t one = load(1, file("parameters.sm_90.cubin"));
  const uint32_t two = load(2, rebuilt(file("parameters.sm_90.cubin")));
  ASSERT_NE(one, two);
  module_of[function(0x10)] = module(0x100);
  module_of[function(0x20)] = module(0x200);
  cubins.is_module(module(0x100), one);
  cubins.is_module(module(0x200), two);
  EXPECT_EQ(cubins.find(function(0x10), "fill", {}).cubin->number, one);
  EXPECT_EQ(cubins.find(function(0x20), "fill", {}).cubin->number, two);
  // A module that took the place of an unloaded one is not mistaken for it.
  cubins.unloading(1);
  EXPECT_EQ(cubins.find(function(0x10), "fill", {}).cubin->number, two);
}

TEST_F(CubinsTest, WhatWasLoadedByAskingForTheKernelIsItsCubin) {
  load(1, file("parameters.sm_90.cubin"));
  const uint32_t two = load(2, rebuilt(file("parameters.sm_90.cubin")));
  EXPECT_EQ(cubins.find(function(0x10), "fill", {two}).cubin->number, two);
}

TEST_F(CubinsTest, TheOtherFunctionsOfItsModuleTell) {
  const auto tiny = file("linked.sm_90.cubin"), whole = file("parameters.sm_90.cubin");
  load(1, tiny);
  const uint32_t two = load(2, whole);
  ASSERT_TRUE(kernel_names(tiny)->contains("fill"));
  uint64_t handle = 0x10;
  const auto kernels = kernel_names(whole);
  ASSERT_TRUE(kernels);
  for (const std::string& name : *kernels) add_function(handle++, module(0x100), name);
  EXPECT_EQ(cubins.find(function(0x10), "fill", {}).cubin->number, two);
}

TEST_F(CubinsTest, WhatCannotBeToldIsNotGuessed) {
  load(1, file("parameters.sm_90.cubin"));
  load(2, rebuilt(file("parameters.sm_90.cubin")));
  const CubinChoice choice = cubins.find(function(0x10), "fill", {});
  EXPECT_EQ(choice.cubin, nullptr);
  EXPECT_EQ(choice.candidates.size(), 2u);
}

TEST_F(CubinsTest, BytesAreKeptOnlyWhereAKernelIsWanted) {
  cubins.loaded(1, file("parameters.sm_90.cubin"), [](const auto& names) { return names.contains("nobody"); });
  EXPECT_TRUE(cubins.find(function(0x10), "fill", {}).cubin->bytes.empty());
}

}  // namespace
}  // namespace kernloop::capture
