// Expected values: for arguments, the host compiler's offsetof and sizeof of the same structures (parameters.h); for
// resources, the output of `ptxas -v` when compile.sh made the cubins; for variables, their initialisers in the
// sources.
#include "codeobject/cubin.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <random>

#include "codeobject/test/data/cubin/parameters.h"
#include "codeobject/test/test_files.h"

namespace kernloop::codeobject {
namespace {

CodeObjectInfo parse_cubin(const std::string& name) {
  auto info = parse_code_object(read_test_file("cubin/" + name), name);
  EXPECT_TRUE(info) << info.error().message;
  return info ? *info : CodeObjectInfo{};
}

const Kernel& kernel_of(const CodeObjectInfo& info, const std::string& name) {
  static const Kernel kNone = [] {
    Kernel kernel;
    kernel.cubin.emplace();
    return kernel;
  }();
  const Kernel* kernel = info.find_kernel(name);
  EXPECT_NE(kernel, nullptr) << name;
  return kernel && kernel->cubin ? *kernel : kNone;
}

using Places = std::vector<std::pair<size_t, size_t>>;

Places places_of(const Kernel& kernel) {
  Places places;
  for (const KernelArgument& argument : kernel.args) {
    EXPECT_EQ(argument.value_kind, "by_value");
    places.emplace_back(argument.offset, argument.size);
  }
  return places;
}

template <typename T>
std::vector<uint8_t> bytes_of(const T& value) {
  const auto* begin = reinterpret_cast<const uint8_t*>(&value);
  return {begin, begin + sizeof value};
}

const char* const kArchitectures[] = {"sm_75", "sm_90", "sm_100"};

TEST(CubinTarget, ReadsEveryEncodingOfTheArchitecture) {
  for (const std::string arch : {"sm_80", "sm_86", "sm_90a", "sm_100a", "sm_120"}) {
    EXPECT_EQ(parse_cubin("tiny." + arch + ".cubin").target, arch);
  }
  EXPECT_EQ(parse_cubin("tiny.sm_100f.cubin").target, "sm_100") << "f is in no field of the file";
  for (const std::string arch : kArchitectures) EXPECT_EQ(parse_cubin("resources." + arch + ".cubin").target, arch);
}

// The header of tiny.sm_86.cubin as CUDA before 13 wrote it.
std::vector<uint8_t> with_header(uint8_t os_abi, uint8_t abi_version, uint32_t flags) {
  auto bytes = read_test_file("cubin/tiny.sm_86.cubin");
  bytes[7] = os_abi;
  bytes[8] = abi_version;
  std::memcpy(&bytes[48], &flags, sizeof flags);
  return bytes;
}

TEST(CubinTarget, ReadsTheEncodingOfEarlierVersions) {
  // e_flags of CUDA 12: LLVM's EF_CUDA_SM, EF_CUDA_64BIT_ADDRESS | EF_CUDA_TEXMODE_UNIFIED, EF_CUDA_VIRTUAL_SM.
  EXPECT_EQ(parse_code_object(with_header(0x33, 7, 0x00560556), "old")->target, "sm_86");
  EXPECT_EQ(parse_code_object(with_header(0x33, 7, 0x005a0d5a), "old")->target, "sm_90a");
  EXPECT_EQ(parse_code_object(with_header(0x41, 8, 0x0600640a), "new")->target, "sm_100a");
}

TEST(CubinTarget, RefusesWhatItDoesNotKnow) {
  const auto version = parse_code_object(with_header(0x41, 9, 0x06005604), "future");
  ASSERT_FALSE(version);
  EXPECT_NE(version.error().message.find("unknown kind (OS ABI 65, version 9)"), std::string::npos)
      << version.error().message;
  const auto architecture = parse_code_object(with_header(0x41, 8, 0x0600fa04), "future");
  ASSERT_FALSE(architecture);
  EXPECT_NE(architecture.error().message.find("unknown architecture, 250"), std::string::npos)
      << architecture.error().message;
}

TEST(Cubin, FindsKernelsByNameWithoutAnAddress) {
  const CodeObjectInfo info = parse_cubin("parameters.sm_90.cubin");
  ASSERT_EQ(info.kernels.size(), 5u);
  EXPECT_EQ(info.memory_bytes, 0u);
  const Kernel& mixed = kernel_of(info, "_Z5mixedc5MixedPfb");
  EXPECT_EQ(mixed.demangled, "mixed(char, Mixed, float*, bool)");
  EXPECT_EQ(mixed.symbol, mixed.name);
  EXPECT_EQ(mixed.descriptor_address, 0u);
  EXPECT_EQ(mixed.wavefront_size, 32u);
  EXPECT_EQ(info.sha256, sha256(read_test_file("cubin/parameters.sm_90.cubin")));
  EXPECT_FALSE(parse_code_object(read_test_file("baseline.hsaco"), "amd")->kernels[0].cubin.has_value());
}

TEST(Cubin, ListsNoDeviceFunctionAsAKernel) {
  // allocate and sample have sections of their own in a linked cubin.
  const CodeObjectInfo info = parse_cubin("linked.sm_90.cubin");
  EXPECT_EQ(info.kernels.size(), 5u + 8u);
  EXPECT_EQ(info.find_kernel("_Z8allocatei"), nullptr);
  EXPECT_EQ(info.find_kernel("malloc"), nullptr);
}

TEST(CubinArguments, LieAsTheHostCompilerPlacesThem) {
  for (const std::string file : {"parameters.sm_75", "parameters.sm_90", "parameters.sm_100", "linked.sm_90"}) {
    SCOPED_TRACE(file);
    const CodeObjectInfo info = parse_cubin(file + ".cubin");
    using M = MixedParameters;
    const Kernel& mixed = kernel_of(info, "_Z5mixedc5MixedPfb");
    EXPECT_EQ(places_of(mixed), (Places{{offsetof(M, first), sizeof(char)},
                                        {offsetof(M, mixed), sizeof(Mixed)},
                                        {offsetof(M, out), sizeof(float*)},
                                        {offsetof(M, last), sizeof(bool)}}));
    EXPECT_EQ(mixed.kernarg_bytes, offsetof(M, last) + sizeof(bool)) << "without the structure's tail";
    using L = LargeParameters;
    const Kernel& large = kernel_of(info, "_Z5largePf5Larges");
    EXPECT_EQ(places_of(large), (Places{{offsetof(L, out), sizeof(float*)},
                                        {offsetof(L, large), sizeof(Large)},
                                        {offsetof(L, n), sizeof(short)}}));
    EXPECT_EQ(large.kernarg_bytes, offsetof(L, n) + sizeof(short));
    EXPECT_TRUE(kernel_of(info, "_Z7nothingv").args.empty());
    EXPECT_EQ(kernel_of(info, "_Z7nothingv").kernarg_bytes, 0u);
  }
}

// Alignment is relative to the constant bank, not the first parameter: the host's offsets hold up to 16 bytes only.
TEST(CubinArguments, AreAlignedInTheConstantBank) {
  for (const std::string arch : kArchitectures) {
    SCOPED_TRACE(arch);
    const CodeObjectInfo info = parse_cubin("parameters." + arch + ".cubin");
    const Kernel& opaque = kernel_of(info, "_Z6opaquei6OpaquePf");
    ASSERT_EQ(opaque.args.size(), 3u);
    const uint32_t base = opaque.cubin->parameter_base;
    const auto rounded = [](uint32_t value) {
      return (value + alignof(Opaque) - 1) / alignof(Opaque) * alignof(Opaque);
    };
    EXPECT_EQ(opaque.args[1].offset, rounded(base + sizeof(int)) - base);
    EXPECT_EQ(opaque.args[1].size, sizeof(Opaque));
    EXPECT_EQ(opaque.args[2].offset, opaque.args[1].offset + sizeof(Opaque));
    EXPECT_EQ(opaque.args[1].offset == offsetof(OpaqueParameters, map), arch == "sm_100") << "whose base is a multiple";
  }
}

TEST(CubinArguments, SayWhereTheyPointWhereTheCompilerTells) {
  const CodeObjectInfo info = parse_cubin("parameters.sm_100.cubin");
  EXPECT_EQ(kernel_of(info, "fill").args[0].address_space, "generic");
  EXPECT_EQ(kernel_of(info, "fill").args[2].address_space, "");
  EXPECT_EQ(kernel_of(info, "_Z5largePf5Larges").args[0].address_space, "generic");
  EXPECT_EQ(kernel_of(info, "_Z5largePf5Larges").args[0].size, 8u);
}

struct Resources {
  const char* kernel;
  std::array<uint32_t, 3> registers;  // sm_75, sm_90, sm_100
  uint32_t barriers, shared_bytes, stack_bytes;
};

TEST(CubinResources, AreWhatPtxasSaid) {
  const Resources expected[] = {
      {"_Z6sharedPf", {14, 16, 14}, 1, 48, 0},  {"_Z12only_dynamicPf", {10, 12, 12}, 1, 0, 0},
      {"_Z5localPii", {32, 31, 32}, 0, 0, 400}, {"_Z8recursesPi", {24, 24, 30}, 0, 0, 0},
      {"_Z7clusterPi", {0, 12, 12}, 0, 16, 0},  {"_Z11fixed_blockPi", {0, 10, 10}, 0, 0, 0},
  };
  for (size_t i = 0; i < std::size(kArchitectures); ++i) {
    const CodeObjectInfo info = parse_cubin(std::string("resources.") + kArchitectures[i] + ".cubin");
    for (const Resources& resources : expected) {
      SCOPED_TRACE(std::string(kArchitectures[i]) + " " + resources.kernel);
      if (resources.registers[i] == 0) {
        EXPECT_EQ(info.find_kernel(resources.kernel), nullptr);
        continue;
      }
      const Kernel& kernel = kernel_of(info, resources.kernel);
      EXPECT_EQ(kernel.cubin->registers, resources.registers[i]);
      EXPECT_EQ(kernel.cubin->barriers, resources.barriers);
      EXPECT_EQ(kernel.group_segment_bytes, resources.shared_bytes);
      EXPECT_EQ(kernel.private_segment_bytes, resources.stack_bytes);
    }
  }
}

TEST(CubinResources, LeaveOutWhatTheSystemReserves) {
  EXPECT_EQ(kernel_of(parse_cubin("resources.sm_90.cubin"), "_Z6sharedPf").cubin->reserved_shared_bytes, 1024u);
  EXPECT_EQ(kernel_of(parse_cubin("resources.sm_75.cubin"), "_Z6sharedPf").cubin->reserved_shared_bytes, 0u);
}

TEST(CubinResources, TellLaunchBoundsAndClusters) {
  using Dimensions = std::array<uint32_t, 3>;
  const CodeObjectInfo info = parse_cubin("resources.sm_90.cubin");
  const Kernel& bounded = kernel_of(info, "_Z6sharedPf");
  EXPECT_EQ(bounded.cubin->max_threads, (Dimensions{256, 1, 1}));
  EXPECT_EQ(bounded.cubin->register_limit, 65536u / 2 / 256) << "two blocks of 256 threads share 65536 registers";
  EXPECT_EQ(bounded.max_flat_workgroup_size, 256u);
  EXPECT_EQ(bounded.cubin->cluster_blocks, (Dimensions{0, 0, 0}));
  const Kernel& cluster = kernel_of(info, "_Z7clusterPi");
  EXPECT_EQ(cluster.cubin->cluster_blocks, (Dimensions{2, 1, 1}));
  EXPECT_TRUE(cluster.cubin->needs_cluster_dimensions);
  EXPECT_FALSE(cluster.cubin->grid_counts_clusters);
  EXPECT_EQ(cluster.max_flat_workgroup_size, 0u) << "no bounds were given";
  const Kernel& fixed = kernel_of(info, "_Z11fixed_blockPi");
  EXPECT_EQ(fixed.cubin->required_threads, (Dimensions{64, 2, 1}));
  EXPECT_EQ(fixed.cubin->cluster_blocks, (Dimensions{4, 1, 1}));
  EXPECT_TRUE(fixed.cubin->grid_counts_clusters);
  EXPECT_EQ(fixed.max_flat_workgroup_size, 128u);
}

struct Uses {
  const char* kernel;
  bool textures, surfaces, heap, printf, asserts, indirect;
};

TEST(CubinUses, AreThoseOfTheSource) {
  const Uses expected[] = {
      {"_Z6printsi", false, false, false, true, false, false},
      {"_Z9allocatesPPii", false, false, true, false, false, false},
      {"_Z5freesPPi", false, false, true, false, false, false},
      {"_Z7assertsPii", false, false, false, false, true, false},
      {"_Z7samplesyPf", true, false, false, false, false, false},
      {"_Z14writes_surfaceyf", false, true, false, false, false, false},
      {"_Z5plainPi", false, false, false, false, false, false},
  };
  for (const std::string file : {"calls.sm_75", "calls.sm_90", "calls.sm_100", "linked.sm_90"}) {
    const CodeObjectInfo info = parse_cubin(file + ".cubin");
    for (const Uses& uses : expected) {
      SCOPED_TRACE(file + " " + uses.kernel);
      const CubinKernelFacts& facts = *kernel_of(info, uses.kernel).cubin;
      EXPECT_EQ(facts.uses_textures, uses.textures);
      EXPECT_EQ(facts.uses_surfaces, uses.surfaces);
      EXPECT_EQ(facts.uses_device_heap, uses.heap);
      EXPECT_EQ(facts.uses_printf, uses.printf);
      EXPECT_EQ(facts.uses_assert, uses.asserts);
      EXPECT_EQ(facts.calls_indirectly, uses.indirect);
      EXPECT_FALSE(facts.launches_kernels);
    }
    const CubinKernelFacts& pointer = *kernel_of(info, "_Z13calls_pointerPPi").cubin;
    EXPECT_TRUE(pointer.uses_device_heap) << "through the pointer to allocate";
    EXPECT_EQ(pointer.externs, std::vector<std::string>{"malloc"});
    EXPECT_EQ(pointer.uses_textures, false) << "sample is called by name only";
  }
  EXPECT_TRUE(kernel_of(parse_cubin("linked.sm_90.cubin"), "_Z13calls_pointerPPi").cubin->calls_indirectly);
}

TEST(CubinUses, TellKernelsThatLaunchOthers) {
  const CodeObjectInfo info = parse_cubin("launches.sm_90.cubin");
  EXPECT_TRUE(kernel_of(info, "launches").cubin->launches_kernels);
  EXPECT_EQ(kernel_of(info, "launches").cubin->externs, std::vector<std::string>{"__cuda_syscall_cnpv2LaunchDeviceV2"});
}

TEST(CubinUses, SayNothingOfTexturesInUnknownCode) {
  // Pascal's instructions have 8 bytes and other numbers.
  const auto info = parse_code_object(with_header(0x33, 7, 0x003d053d), "sm_61");
  ASSERT_TRUE(info);
  EXPECT_EQ(info->target, "sm_61");
  EXPECT_EQ(info->kernels[0].cubin->uses_textures, std::nullopt);
  EXPECT_EQ(info->kernels[0].cubin->uses_surfaces, std::nullopt);
}

TEST(CubinVariables, AreWhatTheSourceDeclares) {
  for (const std::string file : {"parameters.sm_75", "parameters.sm_90", "parameters.sm_100", "linked.sm_90"}) {
    SCOPED_TRACE(file);
    const auto bytes = read_test_file("cubin/" + file + ".cubin");
    const CodeObjectInfo info = parse_cubin(file + ".cubin");
    const auto content = [&](const std::string& name) {
      const Variable* variable = info.find_variable(name);
      EXPECT_NE(variable, nullptr) << name;
      return variable ? *initial_content(bytes, *variable) : std::vector<uint8_t>{};
    };
    EXPECT_EQ(content("d_counter"), bytes_of(3));
    EXPECT_EQ(content("d_big"), std::vector<uint8_t>(32, 0));
    EXPECT_EQ(content("c_table"), bytes_of(std::array<float, 4>{1, 2, 3, 4}));
    EXPECT_EQ(content("m_managed"), bytes_of(std::array<short, 3>{4, 5, 6}));
    EXPECT_EQ(content("d_pointer").size(), 8u);
    for (const Variable& variable : info.variables) {
      if (variable.name.starts_with("$") || variable.name.starts_with("__unnamed")) continue;
      SCOPED_TRACE(variable.name);
      EXPECT_TRUE(variable.exported);
      EXPECT_EQ(variable.writable, variable.section != ".nv.constant3");
      EXPECT_EQ(variable.managed, variable.name == "m_managed");
    }
    EXPECT_EQ(info.find_variable("c_table")->section, ".nv.constant3");
    EXPECT_EQ(info.find_variable("d_big")->section, ".nv.global");
  }
  const CodeObjectInfo whole = parse_cubin("parameters.sm_90.cubin");
  EXPECT_EQ(whole.variables.size(), 8u);
  EXPECT_NE(whole.find_variable("d_static"), nullptr);
  EXPECT_NE(whole.find_variable("c_static"), nullptr);
}

TEST(CubinVariables, HaveAddressesOfTheirOwn) {
  const CodeObjectInfo info = parse_cubin("linked.sm_90.cubin");
  std::vector<std::pair<uint64_t, uint64_t>> ranges;
  for (const Variable& variable : info.variables) ranges.emplace_back(variable.address, variable.size);
  std::sort(ranges.begin(), ranges.end());
  for (size_t i = 1; i < ranges.size(); ++i) EXPECT_LE(ranges[i - 1].first + ranges[i - 1].second, ranges[i].first);
}

TEST(CubinVariables, ThatTheCompilerMadeAreNobodysToSet) {
  const CodeObjectInfo info = parse_cubin("calls.sm_90.cubin");
  size_t made = 0;
  for (const Variable& variable : info.variables) {
    if (variable.name == "d_operation") continue;
    ++made;
    EXPECT_FALSE(variable.exported || variable.writable) << variable.name;
  }
  EXPECT_GE(made, 2u) << "the format of printf, the texts of assert";
  EXPECT_TRUE(info.find_variable("d_operation")->writable);
}

TEST(CubinVariables, OfAnotherFileAreRefused) {
  const CodeObjectInfo info = parse_cubin("parameters.sm_90.cubin");
  Variable variable = *info.find_variable("d_counter");
  EXPECT_FALSE(initial_content(read_test_file("cubin/tiny.sm_86.cubin"), variable));
  variable.size = 1 << 20;
  EXPECT_FALSE(initial_content(read_test_file("cubin/parameters.sm_90.cubin"), variable));
}

TEST(Cubin, RefusesWhatWasNotLinked) {
  const auto info = parse_code_object(read_test_file("cubin/tiny.relocatable.cubin"), "tiny");
  ASSERT_FALSE(info);
  EXPECT_NE(info.error().message.find("device link"), std::string::npos) << info.error().message;
}

// The bytes of the section in the file: for tests that damage it.
std::span<uint8_t> section_in(std::vector<uint8_t>& file, const std::string& name) {
  const auto image = elf::Image::parse(file, "file");
  const elf::Section* section = image->section(name);
  EXPECT_NE(section, nullptr) << name;
  return {file.data() + (section->bytes.data() - file.data()), section->bytes.size()};
}

void expect_refused(const std::vector<uint8_t>& file, const std::string& why) {
  const auto info = parse_code_object(file, "damaged");
  ASSERT_FALSE(info) << why;
  EXPECT_EQ(info.error().code, "CODE_OBJECT_INVALID");
  EXPECT_NE(info.error().message.find(why), std::string::npos) << info.error().message;
}

// Offset of the attribute's value.
size_t find_attribute(std::span<const uint8_t> section, uint8_t format, uint8_t attribute) {
  for (size_t at = 0; at + 4 <= section.size();) {
    if (section[at] == format && section[at + 1] == attribute) return at + 4;
    at += 4 + (section[at] == 4 ? section[at + 2] : 0);
  }
  ADD_FAILURE() << "no attribute " << int{attribute};
  return 0;
}

TEST(CubinResources, SayThatTheStackIsNotKnown) {
  // nvlink's value if a kernel's calls recur: EIATTR_MIN_STACK_SIZE of -1 ("cannot be statically determined").
  auto file = read_test_file("cubin/tiny.sm_86.cubin");
  EXPECT_FALSE(parse_code_object(file, "tiny")->kernels[0].uses_dynamic_stack);
  const auto info = section_in(file, ".nv.info");
  std::memset(&info[find_attribute(info, 4, 0x12) + 4], 0xff, 4);
  EXPECT_TRUE(parse_code_object(file, "tiny")->kernels[0].uses_dynamic_stack);
  EXPECT_EQ(parse_code_object(file, "tiny")->kernels[0].private_segment_bytes, 0u);
}

TEST(CubinHostile, RefusesParametersThatOverlapOrLeaveTheirBank) {
  const auto original = read_test_file("cubin/tiny.sm_86.cubin");
  auto file = original;
  auto info = section_in(file, ".nv.info.tiny");
  const size_t second = find_attribute(info, 4, 0x17);  // the last parameter comes first
  info[second + 6] = 4;                                 // its offset, into the pointer before it
  expect_refused(file, "its parameters overlap");
  file = original;
  info = section_in(file, ".nv.info.tiny");
  info[second + 6] = 12;
  expect_refused(file, "a parameter ends beyond");
  info[second + 6] = 8, info[second + 4] = 5;  // its ordinal
  expect_refused(file, "a parameter is missing");
  info[second + 4] = 0;
  expect_refused(file, "two parameters with the same number");
  info[second + 4] = 1;
  EXPECT_EQ(file, original);
  info[find_attribute(info, 3, 0x19) - 2] = 16;
  expect_refused(file, "two sizes of its parameters");
}

TEST(CubinHostile, RefusesAttributesThatEndEarlyOrHaveAnUnknownFormat) {
  auto file = read_test_file("cubin/tiny.sm_86.cubin");
  const auto info = section_in(file, ".nv.info.tiny");
  const uint8_t size = info[2];
  info[3] = 0x7f;
  expect_refused(file, "ends within an attribute");
  info[3] = 0, info[0] = 9;
  expect_refused(file, "unknown format");
  info[0] = 4;
  EXPECT_EQ(info[2], size);
  info[find_attribute(info, 4, 0x17) - 2] = 4;  // one word instead of three; the rest reads as attributes
  EXPECT_FALSE(parse_code_object(file, "damaged"));
}

TEST(CubinHostile, RefusesSectionsThatShareBytes) {
  auto file = read_test_file("cubin/tiny.sm_86.cubin");
  const auto image = elf::Image::parse(file, "file");
  const auto header_of = [&](const std::string& name) {
    uint64_t table;
    std::memcpy(&table, &file[40], sizeof table);
    return file.data() + table + 64 * static_cast<size_t>(image->section(name) - image->sections().data());
  };
  std::memcpy(header_of(".nv.info") + 24, header_of(".nv.info.tiny") + 24, 8);  // sh_offset
  expect_refused(file, "its sections overlap");
}

TEST(CubinHostile, RefusesAVariableThatLeavesItsSection) {
  auto file = read_test_file("cubin/parameters.sm_90.cubin");
  const auto symbols = section_in(file, ".symtab");
  const auto image = elf::Image::parse(file, "file");
  const auto listed = *image->symbols(2);  // SHT_SYMTAB
  for (size_t i = 0; i < listed.size(); ++i) {
    if (listed[i].name != "d_big") continue;
    symbols[24 * i + 16 + 1] = 1;  // st_size
    expect_refused(file, "variable d_big lies outside of its section");
  }
}

TEST(CubinHostile, SurvivesTruncationAtEveryByte) {
  const auto bytes = read_test_file("cubin/tiny.sm_86.cubin");
  for (size_t size = 0; size < bytes.size(); ++size) EXPECT_FALSE(parse_code_object(Bytes(bytes).first(size), "cut"));
  const auto large = read_test_file("cubin/linked.sm_90.cubin");
  for (size_t size = 0; size < large.size(); size += 97)
    EXPECT_FALSE(parse_code_object(Bytes(large).first(size), "cut"));
}

void parse_all(const std::vector<uint8_t>& bytes) {
  const auto info = parse_code_object(bytes, "mutated");
  if (!info) return;
  for (const Variable& variable : info->variables) (void)initial_content(bytes, variable);
  for (const Kernel& kernel : info->kernels) {
    for (const KernelArgument& argument : kernel.args)
      ASSERT_LE(uint64_t{argument.offset} + argument.size, kernel.kernarg_bytes);
  }
}

TEST(CubinHostile, SurvivesAnyFlippedBit) {
  auto bytes = read_test_file("cubin/tiny.sm_86.cubin");
  for (size_t i = 0; i < bytes.size() * 8; ++i) {
    bytes[i / 8] ^= static_cast<uint8_t>(1 << i % 8);
    parse_all(bytes);
    bytes[i / 8] ^= static_cast<uint8_t>(1 << i % 8);
  }
}

TEST(CubinHostile, SurvivesRandomMutations) {
  std::mt19937 random(1);
  for (const std::string file : {"parameters.sm_75", "resources.sm_90", "calls.sm_100", "linked.sm_90"}) {
    const auto original = read_test_file("cubin/" + file + ".cubin");
    for (int round = 0; round < 2000; ++round) {
      auto bytes = original;
      for (uint32_t count = 1 + random() % 8; count > 0; --count) {
        const size_t at = random() % (bytes.size() - 8);
        const uint64_t values[] = {0, ~uint64_t{0}, random(), bytes.size(), uint64_t{1} << 40};
        std::memcpy(&bytes[at], &values[random() % std::size(values)], random() % 9);
      }
      parse_all(bytes);
    }
  }
}

}  // namespace
}  // namespace kernloop::codeobject
