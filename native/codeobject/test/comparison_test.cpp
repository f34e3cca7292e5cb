// Expected values: llvm-readelf-15 -s and llvm-objcopy-15 -O binary -j SECTION of the same files; the digests of
// kernels are those that earlier versions wrote into results.
#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>

#include "codeobject/amd_comparison.h"
#include "codeobject/code_object.h"
#include "codeobject/cubin_comparison.h"
#include "codeobject/test/test_files.h"

namespace kernloop::codeobject {
namespace {

using File = std::vector<uint8_t>;

AmdComparison compared(const File& file) {
  auto facts = compare_amd(file, "test");
  EXPECT_TRUE(facts) << facts.error().message;
  return facts ? *facts : AmdComparison();
}

Elf64_Shdr section_of(const File& file, std::string_view name, uint64_t* header_at = nullptr) {
  Elf64_Ehdr elf;
  std::memcpy(&elf, file.data(), sizeof elf);
  const auto header = [&](unsigned index) {
    Elf64_Shdr section;
    std::memcpy(&section, file.data() + elf.e_shoff + index * sizeof section, sizeof section);
    return section;
  };
  const uint64_t names = header(elf.e_shstrndx).sh_offset;
  for (unsigned index = 0; index < elf.e_shnum; ++index) {
    if (reinterpret_cast<const char*>(file.data() + names + header(index).sh_name) != name) continue;
    if (header_at) *header_at = elf.e_shoff + index * sizeof(Elf64_Shdr);
    return header(index);
  }
  ADD_FAILURE() << "no section " << name;
  return {};
}

TEST(AmdComparison, TellsWhereTheCodeOfEachKernelIs) {
  const AmdComparison facts = compared(read_test_file("baseline.hsaco"));
  ASSERT_EQ(facts.kernels.size(), 4u);
  const KernelCode& fill = facts.kernels.at("fill");
  EXPECT_EQ(fill.range.begin, 0x1f00u);
  EXPECT_EQ(fill.range.end, 0x1f00u + 272);
  EXPECT_FALSE(fill.sha256) << "it reads where its variable is";
  EXPECT_EQ(facts.kernels.at("sum").sha256->hex(), "06ff443f4a609405cc95b92a9ce7551a78a28d78c3fa1f800906b00daca20214");
  EXPECT_EQ(facts.kernels.at("_Z3ldsPf4Pair").sha256->hex(),
            "edd048d9e8f7bf398ac8715ed855df01ce7cf4fd3d60bff53fe8d3716d053ade");
  EXPECT_EQ(facts.version, 4u);
}

TEST(AmdComparison, FindsTheFunctionsOfTheDeviceHeap) {
  const AmdComparison facts = compared(read_test_file("allocates.hsaco"));
  std::vector<std::pair<uint64_t, uint64_t>> found;
  for (const CodeRange& code : facts.device_heap) found.emplace_back(code.begin, code.end - code.begin);
  std::ranges::sort(found);
  EXPECT_EQ(found, (std::vector<std::pair<uint64_t, uint64_t>>{{0x27b0, 872}, {0x2b18, 1604}, {0x365c, 13556}}));
  EXPECT_TRUE(compared(read_test_file("baseline.hsaco")).device_heap.empty());
}

TEST(AmdComparison, TakesLineTablesAndNamesOfFilesForNoDifference) {
  const File file = read_test_file("baseline.hsaco");
  File other = file;
  other[section_of(file, ".comment").sh_offset] ^= 1;
  EXPECT_EQ(compared(file).loaded, compared(other).loaded);
  EXPECT_EQ(compared(file).without_unit_name, compared(other).without_unit_name);
}

TEST(AmdComparison, SeesEachChangedByteOfInstructionsDescriptorsAndMetadata) {
  const File file = read_test_file("baseline.hsaco");
  const AmdComparison facts = compared(file);
  for (const std::string_view name : {".text", ".rodata", ".note"}) {
    const Elf64_Shdr section = section_of(file, name);
    for (uint64_t at = section.sh_offset; at < section.sh_offset + section.sh_size; at += 97) {
      File other = file;
      other[at] ^= 0x20;
      const auto changed = compare_amd(other, "test");
      if (!changed) continue;  // metadata that cannot be read
      EXPECT_NE(changed->loaded, facts.loaded) << name << " " << at;
      EXPECT_NE(changed->without_unit_name, facts.without_unit_name) << name << " " << at;
      EXPECT_EQ(changed->text == facts.text, name != ".text") << name << " " << at;
    }
  }
}

TEST(AmdComparison, GivesNoDigestOfAKernelThatReadsItsOwnAddress) {
  const File file = read_test_file("baseline.hsaco");
  const AmdComparison facts = compared(file);
  const Elf64_Shdr text = section_of(file, ".text");
  const KernelCode& sum = facts.kernels.at("sum");
  // s_getpc_b64 s[4:5], on GFX9 and GFX10, by llvm-mc-15.
  for (const uint32_t word : {0xbe841c00u, 0xbe841f00u}) {
    File other = file;
    std::memcpy(other.data() + text.sh_offset + (sum.range.begin - text.sh_addr), &word, sizeof word);
    const AmdComparison changed = compared(other);
    EXPECT_FALSE(changed.kernels.at("sum").sha256);
    EXPECT_EQ(changed.kernels.at("_Z3ldsPf4Pair").sha256, facts.kernels.at("_Z3ldsPf4Pair").sha256);
  }
}

TEST(AmdComparison, RefusesSectionsThatShareBytes) {
  File file = read_test_file("baseline.hsaco");
  // Each of 60 sections has the whole file.
  const uint64_t at = file.size();
  Elf64_Ehdr elf;
  std::memcpy(&elf, file.data(), sizeof elf);
  file.resize(at + (elf.e_shnum + 60) * sizeof(Elf64_Shdr));
  std::memcpy(file.data() + at, file.data() + elf.e_shoff, elf.e_shnum * sizeof(Elf64_Shdr));
  Elf64_Shdr whole = section_of(file, ".text");
  whole.sh_offset = 0, whole.sh_size = at;
  for (int index = 0; index < 60; ++index)
    std::memcpy(file.data() + at + (elf.e_shnum + index) * sizeof whole, &whole, sizeof whole);
  elf.e_shoff = at, elf.e_shnum += 60;
  std::memcpy(file.data(), &elf, sizeof elf);
  const auto facts = compare_amd(file, "test");
  ASSERT_FALSE(facts);
  EXPECT_NE(facts.error().message.find("share their bytes"), std::string::npos) << facts.error().message;
}

TEST(AmdComparison, SurvivesTruncationAtEveryByte) {
  const File file = read_test_file("baseline.hsaco");
  for (size_t size = 0; size < file.size(); ++size) EXPECT_FALSE(compare_amd(Bytes(file).first(size), "test"));
}

TEST(CubinComparison, HasADigestOfEachFunction) {
  const auto functions = cubin_functions(read_test_file("cubin/tiny.sm_86.cubin"), "test");
  ASSERT_TRUE(functions);
  ASSERT_EQ(functions->size(), 1u);
  EXPECT_EQ(functions->front().name, "tiny");
  EXPECT_EQ(functions->front().code.hex(), "9b513d85424a384b59380a27b54bd9363e0089302b863477d08d96518c42e322");
}

TEST(CubinComparison, FindsNoPtxWhereNoneWasKept) {
  const auto ptx = cubin_ptx(read_test_file("cubin/tiny.sm_86.cubin"), "test");
  ASSERT_TRUE(ptx);
  EXPECT_FALSE(*ptx);
}

TEST(CubinComparison, SurvivesTruncationAtEveryByte) {
  const File file = read_test_file("cubin/tiny.sm_86.cubin");
  for (size_t size = 0; size < file.size(); ++size) {
    (void)cubin_functions(Bytes(file).first(size), "test");
    (void)cubin_ptx(Bytes(file).first(size), "test");
  }
}

}  // namespace
}  // namespace kernloop::codeobject
