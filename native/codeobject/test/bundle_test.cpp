// Bundles and host objects as clang wrote them.
#include "codeobject/bundle.h"

#include <gtest/gtest.h>

#include "codeobject/code_object.h"
#include "codeobject/test/test_files.h"

namespace kernloop::codeobject {
namespace {

constexpr const char* kGfx90a = "amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-";

TEST(Bundle, ListsTheDeviceEntriesOfABundle) {
  const auto file = read_test_file("small.hipfb");
  const auto listed = list_code_objects(file, "small.hipfb");
  ASSERT_TRUE(listed) << listed.error().message;
  ASSERT_EQ(listed->size(), 2u);
  for (const BundledCodeObject& entry : *listed) {
    const auto info = parse_code_object(entry.bytes, entry.target);
    ASSERT_TRUE(info) << info.error().message;
    EXPECT_EQ(info->target, entry.target);
    EXPECT_NE(info->find_kernel("tiny"), nullptr);
  }
}

TEST(Bundle, FindsTheSameCodeObjectsInsideOfAHostObject) {
  const auto bundle = read_test_file("small.hipfb"), host = read_test_file("small.o");
  const auto from_bundle = select_code_object(bundle, kGfx90a, "tiny", "small.hipfb");
  const auto from_host = select_code_object(host, kGfx90a, "tiny", "small.o");
  ASSERT_TRUE(from_bundle) << from_bundle.error().message;
  ASSERT_TRUE(from_host) << from_host.error().message;
  EXPECT_EQ(parse_code_object(from_bundle->bytes, "a")->target, "amdgcn-amd-amdhsa--gfx90a");
  EXPECT_EQ(parse_code_object(from_host->bytes, "b")->target, "amdgcn-amd-amdhsa--gfx90a");
}

TEST(Bundle, TakesAPlainCodeObjectAsItIs) {
  const auto file = read_test_file("baseline.hsaco");
  const auto selected = select_code_object(file, kGfx90a, "fill", "baseline.hsaco");
  ASSERT_TRUE(selected);
  EXPECT_EQ(selected->bytes.size(), file.size());
}

TEST(Bundle, RefusesAnotherTargetAndNamesWhatThereIs) {
  const auto file = read_test_file("small.hipfb");
  const auto selected = select_code_object(file, "amdgcn-amd-amdhsa--gfx942", "tiny", "small.hipfb");
  ASSERT_FALSE(selected);
  EXPECT_EQ(selected.error().code, "CODE_OBJECT_TARGET");
  EXPECT_NE(selected.error().message.find("gfx1030"), std::string::npos) << selected.error().message;
}

TEST(Bundle, NamesTheNearestKernelsWhenTheOneIsMissing) {
  const auto file = read_test_file("baseline.hsaco");
  const auto selected = select_code_object(file, kGfx90a, "_Z5scaleIdEvPT_S0_", "baseline.hsaco");
  ASSERT_FALSE(selected);
  EXPECT_EQ(selected.error().code, "SYMBOL_MISSING");
  EXPECT_NE(selected.error().message.find("_Z5scaleIfEvPT_S0_ = void scale<float>(float*, float)"), std::string::npos)
      << selected.error().message;
}

TEST(Bundle, ReadsBundlesOfSeveralTranslationUnits) {
  auto file = read_test_file("small.hipfb");
  const auto once = file;
  file.resize((file.size() + 4095) / 4096 * 4096, 0);
  file.insert(file.end(), once.begin(), once.end());
  const auto listed = list_code_objects(file, "two");
  ASSERT_TRUE(listed);
  EXPECT_EQ(listed->size(), 4u);
  EXPECT_TRUE(select_code_object(file, kGfx90a, "tiny", "two")) << "the same code object twice is no ambiguity";
}

TEST(Bundle, RefusesDifferentCodeObjectsWithTheSameKernel) {
  // A bundle of baseline and do_nothing, both for gfx90a, built by hand from the documented layout.
  const std::string id = "hipv4-amdgcn-amd-amdhsa--gfx90a";
  const auto first = read_test_file("baseline.hsaco"), second = read_test_file("do_nothing.hsaco");
  std::vector<uint8_t> file;
  const auto text = [&](std::string_view t) { file.insert(file.end(), t.begin(), t.end()); };
  const auto number = [&](uint64_t value) {
    for (int i = 0; i < 8; ++i) file.push_back(static_cast<uint8_t>(value >> 8 * i));
  };
  text("__CLANG_OFFLOAD_BUNDLE__");
  number(2);
  number(4096), number(first.size()), number(id.size()), text(id);
  number(4096 + first.size()), number(second.size()), number(id.size()), text(id);
  file.resize(4096);
  file.insert(file.end(), first.begin(), first.end());
  file.insert(file.end(), second.begin(), second.end());
  const auto selected = select_code_object(file, kGfx90a, "fill", "mixed");
  ASSERT_FALSE(selected);
  EXPECT_EQ(selected.error().code, "CODE_OBJECT_AMBIGUOUS");
}

TEST(Bundle, ComparesTargetsByProcessorAndFeature) {
  EXPECT_TRUE(target_fits("amdgcn-amd-amdhsa--gfx90a", kGfx90a));
  EXPECT_TRUE(target_fits("amdgcn-amd-amdhsa--gfx90a:xnack-", kGfx90a));
  EXPECT_FALSE(target_fits("amdgcn-amd-amdhsa--gfx90a:xnack+", kGfx90a));
  EXPECT_FALSE(target_fits("amdgcn-amd-amdhsa--gfx90", kGfx90a));
  EXPECT_FALSE(target_fits("amdgcn-amd-amdhsa--gfx1030", kGfx90a));
}

TEST(Bundle, CodeForAGenericTargetFitsItsFamily) {
  EXPECT_TRUE(target_fits("amdgcn-amd-amdhsa--gfx10-3-generic", "amdgcn-amd-amdhsa--gfx1030"));
  EXPECT_TRUE(target_fits("amdgcn-amd-amdhsa--gfx11-generic", "amdgcn-amd-amdhsa--gfx1100"));
  EXPECT_TRUE(target_fits("amdgcn-amd-amdhsa--gfx9-4-generic:xnack-", "amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-"));
  EXPECT_FALSE(target_fits("amdgcn-amd-amdhsa--gfx9-4-generic:xnack+", "amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-"));
  EXPECT_FALSE(target_fits("amdgcn-amd-amdhsa--gfx9-generic", kGfx90a));
  EXPECT_FALSE(target_fits("amdgcn-amd-amdhsa--gfx10-1-generic", "amdgcn-amd-amdhsa--gfx1030"));
  EXPECT_FALSE(target_fits("amdgcn-amd-amdhsa--gfx1030", "amdgcn-amd-amdhsa--gfx10-3-generic"));
}

TEST(Bundle, TakesACubinAsItIs) {
  const auto file = read_test_file("cubin/parameters.sm_90.cubin");
  const auto selected = select_code_object(file, "sm_90", "fill", "k.cubin");
  ASSERT_TRUE(selected) << selected.error().message;
  EXPECT_EQ(selected->bytes.size(), file.size());
  const auto other = select_code_object(file, "sm_100", "fill", "k.cubin");
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, "CODE_OBJECT_TARGET");
  EXPECT_NE(other.error().message.find("k.cubin is built for sm_90; the capture is of sm_100"), std::string::npos)
      << other.error().message;
  EXPECT_NE(other.error().hint.find("-arch=sm_100"), std::string::npos) << other.error().hint;
  EXPECT_EQ(select_code_object(file, "sm_90", "_Z4fillPfPKfi", "k.cubin").error().code, "SYMBOL_MISSING");
}

TEST(Bundle, SaysHowToGetACubin) {
  const std::pair<const char*, const char*> cases[] = {
      {"tiny.fatbin", "fat binary"}, {"tiny.ptx", "PTX"}, {"tiny.o", "a host object or program with CUDA device code"}};
  for (const auto& [name, is] : cases) {
    const auto listed = list_code_objects(read_test_file(std::string("cubin/") + name), name);
    ASSERT_FALSE(listed) << name;
    EXPECT_NE(listed.error().message.find(is), std::string::npos) << listed.error().message;
    EXPECT_NE(listed.error().hint.find("nvcc -cubin"), std::string::npos) << listed.error().hint;
  }
}

TEST(Bundle, ComparesCudaTargetsByComputeCapability) {
  // CUDA C++ Programming Guide, "Binary Compatibility": within one major version, upwards, and not between Tegra and
  // others.
  EXPECT_TRUE(target_fits("sm_90", "sm_90"));
  EXPECT_TRUE(target_fits("sm_90a", "sm_90"));
  EXPECT_TRUE(target_fits("sm_80", "sm_86"));
  EXPECT_FALSE(target_fits("sm_86", "sm_80"));
  EXPECT_FALSE(target_fits("sm_80", "sm_90"));
  EXPECT_FALSE(target_fits("sm_80", "sm_87"));
  EXPECT_TRUE(target_fits("sm_100", "sm_103"));
  EXPECT_FALSE(target_fits("sm_100a", "sm_103"));
  EXPECT_FALSE(target_fits("sm_90", kGfx90a));
  EXPECT_FALSE(target_fits(kGfx90a, "sm_90"));
}

// As clang-offload-bundler 22 wrote them, from the code objects of small.hipfb, in both versions of the format; and an
// object of a host program by clang 21 (--offload-compress).
TEST(Bundle, ReadsCompressedBundles) {
  const auto plain = read_test_file("small.hipfb");
  for (const char* name : {"small.v2.ccob", "small.v3.ccob"}) {
    const auto file = read_test_file(name);
    const auto listed = list_code_objects(file, name);
    ASSERT_TRUE(listed) << listed.error().message;
    EXPECT_EQ(listed->size(), 2u) << "without the host's entry";
    for (const char* isa : {kGfx90a, "amdgcn-amd-amdhsa--gfx1030"}) {
      const auto selected = select_code_object(file, isa, "tiny", name),
                 expected = select_code_object(plain, isa, "tiny", "");
      ASSERT_TRUE(selected && expected) << selected.error().message;
      EXPECT_TRUE(std::ranges::equal(selected->bytes, expected->bytes)) << name << isa;
    }
  }
  const auto object = read_test_file("small_compressed.o");
  const auto selected = select_code_object(object, kGfx90a, "tiny", "o");
  ASSERT_TRUE(selected) << selected.error().message;
  EXPECT_TRUE(parse_code_object(selected->bytes, "o")->find_kernel("tiny"));
}

TEST(Bundle, ReadsCompressedAndPlainBundlesBesideEachOther) {
  const auto plain = read_test_file("small.hipfb"), old = read_test_file("small.v2.ccob"),
             recent = read_test_file("small.v3.ccob");
  std::vector<uint8_t> file;
  for (const auto& each : {old, plain, recent, old, plain}) {
    file.insert(file.end(), each.begin(), each.end());
    file.resize((file.size() + 4095) / 4096 * 4096, 0);
  }
  for (const bool starts_plain : {false, true}) {
    const Bytes all = Bytes(file).subspan(starts_plain ? 4096 : 0);
    const auto listed = list_code_objects(all, "all");
    ASSERT_TRUE(listed) << listed.error().message;
    EXPECT_EQ(listed->size(), starts_plain ? 8u : 10u);
    EXPECT_TRUE(select_code_object(all, kGfx90a, "tiny", "all"));
  }
}

std::vector<uint8_t> with_number(std::vector<uint8_t> file, size_t at, uint64_t value, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i) file.at(at + i) = static_cast<uint8_t>(value >> 8 * i);
  return file;
}

TEST(Bundle, RefusesCompressedBundlesThatItCannotRead) {
  const auto file = read_test_file("small.v3.ccob");
  const auto error = [](const std::vector<uint8_t>& changed) {
    const auto listed = list_code_objects(changed, "c");
    return listed ? Error{"none", "", ""} : listed.error();
  };
  const Error zlib = error(with_number(file, 6, 0, 2));
  EXPECT_EQ(zlib.code, "CODE_OBJECT_COMPRESSED");
  EXPECT_NE(zlib.message.find("by zlib"), std::string::npos) << zlib.message;
  EXPECT_EQ(error(with_number(file, 4, 1, 2)).code, "CODE_OBJECT_COMPRESSED") << "the first version has other fields";
  EXPECT_EQ(error(with_number(file, 4, 4, 2)).code, "CODE_OBJECT_COMPRESSED");

  constexpr size_t kFileBytes = 8, kRawBytes = 16;
  const Error large = error(with_number(file, kRawBytes, uint64_t{1} << 40, 8));
  EXPECT_NE(large.message.find("more than 1073741824 bytes"), std::string::npos) << large.message;
  EXPECT_EQ(error(with_number(file, kRawBytes, 100, 8)).code, "CODE_OBJECT_INVALID");
  EXPECT_EQ(error(with_number(file, kFileBytes, file.size() + 1, 8)).code, "CODE_OBJECT_INVALID");
  EXPECT_EQ(error(with_number(file, kFileBytes, 31, 8)).code, "CODE_OBJECT_INVALID") << "less than the header";
  for (size_t size = 4; size < file.size(); size += size < 64 ? 1 : 37)
    EXPECT_EQ(error({file.begin(), file.begin() + static_cast<ptrdiff_t>(size)}).code, "CODE_OBJECT_INVALID") << size;
}

TEST(Bundle, SurvivesTruncationAndFlippedBits) {
  const auto original = read_test_file("small.hipfb");
  for (size_t size = 0; size < original.size(); size += size < 512 ? 1 : 61) {
    EXPECT_FALSE(select_code_object(Bytes(original).first(size), kGfx90a, "tiny", "cut") &&
                 select_code_object(Bytes(original).first(size), "amdgcn-amd-amdhsa--gfx1030", "tiny", "cut"))
        << size;
  }
  auto bytes = original;
  for (size_t i = 0; i < bytes.size(); i += i < 512 ? 1 : 7) {
    bytes[i] ^= static_cast<uint8_t>(1 << (i % 8));
    (void)select_code_object(bytes, kGfx90a, "tiny", "flipped");
    bytes[i] = original[i];
  }
}

}  // namespace
}  // namespace kernloop::codeobject
