#include "elf/image.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>

namespace kernloop::elf {
namespace {

std::vector<uint8_t> code_object() {
  std::ifstream file(std::string(KERNLOOP_ELF_TEST_DATA) + "/baseline.hsaco", std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

const Section& only(const Image& image, uint32_t type) {
  return *std::find_if(image.sections().begin(), image.sections().end(), [&](auto& s) { return s.type == type; });
}

bool lies_in(Bytes part, Bytes whole) {
  return part.empty() || (part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size());
}

// One symbol table and one string table, to be filled with anything.
struct Crafted {
  static constexpr size_t kSections = sizeof(Elf64_Ehdr), kContent = kSections + 4 * sizeof(Elf64_Shdr);
  std::vector<Elf64_Sym> symbols;
  std::vector<Elf64_Rela> relocations;
  std::string names = std::string("\0name\0", 6);
  uint64_t symbol_entry = sizeof(Elf64_Sym), relocation_entry = sizeof(Elf64_Rela);
  uint32_t names_type = SHT_STRTAB;

  std::vector<uint8_t> bytes() const {
    const size_t symbol_bytes = symbols.size() * sizeof(Elf64_Sym);
    const size_t relocation_bytes = relocations.size() * sizeof(Elf64_Rela);
    std::vector<uint8_t> file(kContent + symbol_bytes + relocation_bytes + names.size());
    Elf64_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64, header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_shoff = kSections, header.e_shentsize = sizeof(Elf64_Shdr), header.e_shnum = 4, header.e_shstrndx = 3;
    Elf64_Shdr sections[4] = {};
    sections[1].sh_type = SHT_SYMTAB, sections[1].sh_offset = kContent, sections[1].sh_size = symbol_bytes;
    sections[1].sh_entsize = symbol_entry, sections[1].sh_link = 3;
    sections[2].sh_type = SHT_RELA, sections[2].sh_offset = kContent + symbol_bytes;
    sections[2].sh_size = relocation_bytes, sections[2].sh_entsize = relocation_entry, sections[2].sh_link = 1;
    sections[3].sh_type = names_type, sections[3].sh_offset = kContent + symbol_bytes + relocation_bytes;
    sections[3].sh_size = names.size();
    std::memcpy(file.data(), &header, sizeof header);
    std::memcpy(file.data() + kSections, sections, sizeof sections);
    if (symbol_bytes) std::memcpy(file.data() + kContent, symbols.data(), symbol_bytes);
    if (relocation_bytes) std::memcpy(file.data() + kContent + symbol_bytes, relocations.data(), relocation_bytes);
    std::memcpy(file.data() + sections[3].sh_offset, names.data(), names.size());
    return file;
  }
};

std::string refusal_of_symbols(const Crafted& crafted) {
  const auto file = crafted.bytes();
  const auto image = Image::parse(file, "it");
  if (!image) return image.error().message;
  const auto symbols = image->symbols(only(*image, SHT_SYMTAB));
  const auto all = image->symbols(SHT_SYMTAB);
  EXPECT_EQ(symbols.ok(), all.ok());
  return symbols ? "" : symbols.error().message;
}

TEST(ElfImage, OneTableOfSymbolsIsReadAsAllOfItsTypeAre) {
  const auto file = code_object();
  const auto image = Image::parse(file, "baseline.hsaco");
  ASSERT_TRUE(image);
  const auto one = image->symbols(only(*image, SHT_DYNSYM)), all = image->symbols(SHT_DYNSYM);
  ASSERT_TRUE(one && all);
  ASSERT_GT(one->size(), 1u);
  ASSERT_EQ(one->size(), all->size());
  for (size_t i = 0; i < one->size(); ++i) EXPECT_EQ((*one)[i].name, (*all)[i].name);
  EXPECT_FALSE(one->front().is_defined());
  EXPECT_TRUE(std::any_of(one->begin(), one->end(), [](auto& s) { return s.name.ends_with(".kd") && s.is_defined(); }));
}

TEST(ElfImage, TellsWhereASegmentLiesInTheFile) {
  const auto file = code_object();
  const auto image = Image::parse(file, "baseline.hsaco");
  ASSERT_TRUE(image);
  ASSERT_GT(image->segments().size(), 1u);
  for (const Segment& segment : image->segments()) EXPECT_EQ(segment.bytes.data(), file.data() + segment.offset);
}

TEST(ElfImage, ReadsRelocationsFieldByField) {
  Crafted crafted;
  crafted.relocations = {{0x10, ELF64_R_INFO(3, 13), -8}, {0x1'0000'0000, ELF64_R_INFO(uint64_t{1} << 31, 1), 5}};
  const auto file = crafted.bytes();
  const auto image = Image::parse(file, "it");
  ASSERT_TRUE(image) << image.error().message;
  const auto relocations = image->relocations(only(*image, SHT_RELA));
  ASSERT_TRUE(relocations);
  ASSERT_EQ(relocations->size(), 2u);
  EXPECT_EQ((*relocations)[0].offset, 0x10u);
  EXPECT_EQ((*relocations)[0].type, 13u);
  EXPECT_EQ((*relocations)[0].symbol, 3u);
  EXPECT_EQ((*relocations)[0].addend, -8);
  EXPECT_EQ((*relocations)[1].offset, 0x1'0000'0000u);
  EXPECT_EQ((*relocations)[1].symbol, 1u << 31);
}

TEST(ElfImage, RefusesTablesWhoseEntriesHaveAnotherSize) {
  Crafted crafted;
  crafted.symbols.resize(2), crafted.relocations.resize(2);
  EXPECT_EQ(refusal_of_symbols(crafted), "");
  crafted.symbol_entry = 48, crafted.relocation_entry = 16;
  EXPECT_NE(refusal_of_symbols(crafted).find("wrong entry size"), std::string::npos);
  const auto file = crafted.bytes();
  const auto image = Image::parse(file, "it");
  ASSERT_TRUE(image);
  EXPECT_FALSE(image->relocations(only(*image, SHT_RELA)));
  crafted.symbol_entry = 0;  // divides nothing
  EXPECT_NE(refusal_of_symbols(crafted).find("wrong entry size"), std::string::npos);
}

TEST(ElfImage, RefusesNamesThatAreNotInAStringTable) {
  Crafted crafted;
  crafted.symbols.resize(1);
  crafted.names_type = SHT_PROGBITS;
  EXPECT_NE(refusal_of_symbols(crafted).find("no string table"), std::string::npos);
  crafted.names_type = SHT_STRTAB;
  crafted.symbols[0].st_name = static_cast<uint32_t>(crafted.names.size());
  EXPECT_NE(refusal_of_symbols(crafted).find("outside of its string table"), std::string::npos);
}

// 4,096 symbols that share 64 KiB of one name would be 256 MiB of text if copied.
TEST(ElfImage, RefusesSymbolsThatShareTheBytesOfTheirNames) {
  Crafted crafted;
  crafted.names = std::string(1, '\0') + std::string(64 << 10, 'a') + std::string(1, '\0');
  crafted.symbols.resize(4096);
  EXPECT_EQ(refusal_of_symbols(crafted), "");
  for (Elf64_Sym& symbol : crafted.symbols) symbol.st_name = 1;
  EXPECT_NE(refusal_of_symbols(crafted).find("overlap"), std::string::npos);
  crafted.symbols.resize(2);
  EXPECT_EQ(refusal_of_symbols(crafted), "");
}

TEST(ElfImage, EveryTruncationIsAnErrorOrAViewOfWhatIsThere) {
  const auto whole = code_object();
  size_t refused = 0;
  for (size_t size = 0; size < whole.size(); ++size) {
    const std::vector<uint8_t> file(whole.begin(), whole.begin() + static_cast<ptrdiff_t>(size));
    const auto image = Image::parse(file, "cut");
    if (!image) {
      ++refused;
      continue;
    }
    for (const Section& section : image->sections()) ASSERT_TRUE(lies_in(section.bytes, file));
    for (const Segment& segment : image->segments()) ASSERT_TRUE(lies_in(segment.bytes, file));
    (void)image->symbols(SHT_DYNSYM), (void)image->notes();
  }
  EXPECT_EQ(refused, whole.size());  // its section headers are its end
}

}  // namespace
}  // namespace kernloop::elf
