// Expected values: llvm-readelf-15 --notes -s of the same files.
#include "codeobject/code_object.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "codeobject/test/test_files.h"

namespace kernloop::codeobject {
namespace {

CodeObjectInfo parse_file(const std::string& name) {
  auto info = parse_code_object(read_test_file(name), name);
  EXPECT_TRUE(info) << info.error().message;
  return *info;
}

TEST(CodeObject, TellsWhichVariableIsTheHeapOfTheDevice) {
  for (const auto& [name, heaps] : {std::pair{"allocates.hsaco", 1}, std::pair{"baseline.hsaco", 0}}) {
    const auto info = parse_code_object(read_test_file(name), name);
    ASSERT_TRUE(info) << info.error().message;
    const auto found = std::ranges::count_if(info->variables, &Variable::is_device_heap);
    EXPECT_EQ(found, heaps) << name;
    for (const Variable& variable : info->variables) {
      if (!variable.is_device_heap) continue;
      EXPECT_TRUE(variable.writable) << variable.name;
      EXPECT_GT(variable.size, 65536u) << "the constants of the same code are smaller: " << variable.name;
    }
  }
}

TEST(CodeObject, ListsKernelsWithDescriptorAddressAndSegments) {
  const CodeObjectInfo info = parse_file("baseline.hsaco");
  EXPECT_EQ(info.target, "amdgcn-amd-amdhsa--gfx90a");
  ASSERT_EQ(info.kernels.size(), 4u);
  const Kernel* fill = info.find_kernel("fill");
  ASSERT_NE(fill, nullptr);
  EXPECT_EQ(fill->symbol, "fill.kd");
  EXPECT_EQ(fill->descriptor_address, 0xd80u);
  EXPECT_EQ(fill->kernarg_bytes, 20u);
  EXPECT_EQ(fill->wavefront_size, 64u);
  EXPECT_EQ(fill->sgpr_count, 10u);
  EXPECT_EQ(fill->vgpr_count, 9u);
  EXPECT_EQ(fill->max_flat_workgroup_size, 1024u);
  const Kernel* lds = info.find_kernel("_Z3ldsPf4Pair");
  ASSERT_NE(lds, nullptr);
  EXPECT_EQ(lds->group_segment_bytes, 40u);
  EXPECT_EQ(lds->demangled, "lds(float*, Pair)");
  EXPECT_EQ(info.find_kernel("_Z5scaleIfEvPT_S0_")->demangled, "void scale<float>(float*, float)");
}

TEST(CodeObject, TellsWhichBlocksAKernelWasCompiledFor) {
  const CodeObjectInfo info = parse_file("required_block.hsaco");
  EXPECT_EQ(info.find_kernel("required")->required_workgroup, (std::array<uint32_t, 3>{64, 2, 1}));
  EXPECT_EQ(info.find_kernel("required")->max_flat_workgroup_size, 128u);
  EXPECT_EQ(info.find_kernel("any_block")->required_workgroup, (std::array<uint32_t, 3>{}));
  EXPECT_FALSE(info.find_kernel("any_block")->needs_whole_workgroups);
}

TEST(CodeObject, DescribesArguments) {
  const CodeObjectInfo info = parse_file("baseline.hsaco");
  const auto& args = info.find_kernel("_Z3ldsPf4Pair")->args;
  ASSERT_EQ(args.size(), 2u);
  EXPECT_EQ(args[0].value_kind, "global_buffer");
  EXPECT_EQ(args[0].address_space, "global");
  EXPECT_EQ(args[1].value_kind, "by_value");
  EXPECT_EQ(args[1].offset, 8u);
  EXPECT_EQ(args[1].size, 16u);
}

TEST(CodeObject, FindsNoKernelByPartOfItsName) {
  const CodeObjectInfo info = parse_file("baseline.hsaco");
  EXPECT_EQ(info.find_kernel("fil"), nullptr);
  EXPECT_EQ(info.find_kernel("fill.kd"), nullptr);
  EXPECT_EQ(info.find_kernel("scale"), nullptr);
}

TEST(CodeObject, ListsModuleVariablesButNotKernelDescriptors) {
  const CodeObjectInfo info = parse_file("baseline.hsaco");
  const Variable* counter = info.find_variable("d_counter");
  ASSERT_NE(counter, nullptr);
  EXPECT_EQ(counter->address, 0x47f0u);
  EXPECT_EQ(counter->size, 4u);
  EXPECT_EQ(counter->section, ".data");
  EXPECT_TRUE(counter->writable);
  EXPECT_TRUE(counter->exported);
  const Variable* big = info.find_variable("d_big");
  ASSERT_NE(big, nullptr);
  EXPECT_EQ(big->section, ".bss");
  EXPECT_EQ(info.find_variable("fill.kd"), nullptr);
  for (const Variable& variable : info.variables) EXPECT_LE(variable.address + variable.size, info.memory_bytes);
}

// The segments that `readelf -lW` lists: the page that only the loader writes to, then data.
TEST(CodeObject, TellsWhichBytesOfTheImageAreWritable) {
  const CodeObjectInfo info = parse_file("baseline.hsaco");
  ASSERT_EQ(info.writable.size(), 2u);
  const auto [tables, data] = std::pair(info.writable[0], info.writable[1]);
  EXPECT_EQ(std::tuple(tables.address, tables.size, tables.is_relocated), std::tuple(0x3778u, 0x70u, true));
  EXPECT_EQ(std::tuple(data.address, data.size, data.is_relocated), std::tuple(0x47f0u, 0x40u, false));
  // From the end of the code, 0x2774, on, the pages of both.
  EXPECT_EQ(std::pair(tables.pages_address, tables.pages_size), (std::pair<uint64_t, uint64_t>(0x3000, 0x1000)));
  EXPECT_EQ(std::pair(data.pages_address, data.pages_size), (std::pair<uint64_t, uint64_t>(0x4000, 0x1000)));
}

// The segment and the symbols that `readelf -lsW` lists.
TEST(CodeObject, TellsWhereInstructionsAreAndOfWhichFunctionTheyAre) {
  const auto bytes = read_test_file("baseline.hsaco");
  const CodeObjectInfo info = parse_file("baseline.hsaco");
  ASSERT_EQ(info.executable.size(), 1u);
  EXPECT_EQ(std::pair(info.executable[0].address, info.executable[0].size),
            (std::pair<uint64_t, uint64_t>(0x1f00, 0x874)));
  EXPECT_EQ(symbol_at(bytes, 0x2100), "sum");
  EXPECT_EQ(symbol_at(bytes, 0x215f), "sum");
  EXPECT_EQ(symbol_at(bytes, 0x2160), "") << "behind it";
  EXPECT_EQ(symbol_at(bytes, 0xdc0), "sum.kd");
  EXPECT_EQ(symbol_at(bytes, 0x2700), "void scale<float>(float*, float)") << "demangled";
  EXPECT_EQ(symbol_at(std::span(bytes).first(100), 0x2100), "");
}

TEST(CodeObject, KnowsWhatVariablesHoldAfterLoading) {
  const auto bytes = read_test_file("baseline.hsaco");
  const CodeObjectInfo info = parse_file("baseline.hsaco");
  EXPECT_EQ(*initial_content(bytes, *info.find_variable("d_counter")), (std::vector<uint8_t>{3, 0, 0, 0}));
  const auto table = *initial_content(bytes, *info.find_variable("c_tab"));
  const float expected[] = {1, 2, 3, 4};
  ASSERT_EQ(table.size(), sizeof expected);
  EXPECT_EQ(std::memcmp(table.data(), expected, sizeof expected), 0);
  EXPECT_EQ(*initial_content(bytes, *info.find_variable("d_big")), std::vector<uint8_t>(32, 0))
      << ".bss has no bytes in the file";
}

TEST(CodeObject, IsIdentifiedByTheDigestOfItsBytes) {
  const auto bytes = read_test_file("baseline.hsaco");
  EXPECT_EQ(parse_file("baseline.hsaco").sha256, sha256(bytes));
}

TEST(CodeObject, RefusesHostProgramsAndOtherFiles) {
  const auto host = parse_code_object(read_test_file("small.o"), "small.o");
  ASSERT_FALSE(host);
  EXPECT_NE(host.error().message.find("not for a GPU of AMD or NVIDIA"), std::string::npos) << host.error().message;
  EXPECT_FALSE(parse_code_object(read_test_file("kernels.hip"), "kernels.hip"));
  EXPECT_FALSE(parse_code_object({}, "nothing"));
}

TEST(CodeObject, SurvivesTruncationAtEveryByte) {
  const auto bytes = read_test_file("baseline.hsaco");
  for (size_t size = 0; size < bytes.size(); ++size) {
    // Section headers are at the end: no proper prefix is a code object.
    EXPECT_FALSE(parse_code_object(Bytes(bytes).first(size), "cut")) << size;
  }
}

TEST(CodeObject, SurvivesAnyFlippedBit) {
  const auto original = read_test_file("baseline.hsaco");
  auto bytes = original;
  for (size_t i = 0; i < bytes.size(); ++i) {
    for (int bit = 0; bit < 8; bit += i < 0x400 ? 1 : 3) {
      bytes[i] ^= static_cast<uint8_t>(1 << bit);
      if (auto info = parse_code_object(bytes, "flipped")) {
        for (const Variable& variable : info->variables) (void)initial_content(bytes, variable);
      }
      bytes[i] = original[i];
    }
  }
}

TEST(Demangle, LeavesOtherNamesAlone) {
  EXPECT_EQ(demangle("_Z5scalePPfPKif"), "scale(float**, int const*, float)");
  EXPECT_EQ(demangle("fill"), "fill");
  EXPECT_EQ(demangle("_Zbroken"), "_Zbroken");
  // Names as nvcc 13.0 wrote them.
  EXPECT_EQ(demangle("__nv_static_25__dc4cb072_4_k_cu_4e539ff5__Z4statPf"), "stat(float*)");
  EXPECT_EQ(demangle("__nv_static_25__dc4cb072_4_k_cu_4e539ff5_plain"), "plain");
  EXPECT_EQ(demangle("_ZN4pipe36_GLOBAL__N__dc4cb072_4_k_cu_4e539ff55scaleIfEEvPT_i"),
            "void pipe::(anonymous namespace)::scale<float>(float*, int)");
  for (const char* broken : {"__nv_static_", "__nv_static_9", "__nv_static_9_ab",
                             "__nv_static_99999999999999999999_a_b", "__nv_static_2_ab_", "__nv_static_2_abc_d"}) {
    EXPECT_EQ(demangle(broken), broken);
  }
  EXPECT_EQ(demangle(std::string(1 << 20, 'P').insert(0, "_Z1f")).size(), (1u << 20) + 4);
}

TEST(NearestNames, PutsTheLikeliestFirst) {
  EXPECT_EQ(nearest_names("fil", {"sum", "fill", "scale"}, 1), std::vector<std::string>{"fill"});
  EXPECT_TRUE(nearest_names("x", {}).empty());
}

}  // namespace
}  // namespace kernloop::codeobject
