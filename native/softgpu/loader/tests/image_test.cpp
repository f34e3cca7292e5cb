#include "softgpu/loader/image.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "softgpu/loader/tests/elf_file.h"

namespace kernloop::softgpu {
namespace {

constexpr uint64_t kBase = 0x5000'0000'0000;
constexpr uint64_t kExternal = 0x4000'1234'5000;

std::optional<uint64_t> define_external(std::string_view name) {
  if (name == "defined_by_the_program") return kExternal;
  return std::nullopt;
}

struct Placed {
  CodeObject object;
  std::vector<std::byte> image;

  uint64_t value(const std::string& name) const {
    for (const elf::Symbol& symbol : object.dynamic_symbols()) {
      if (symbol.name == name) return symbol.value;
    }
    throw std::runtime_error("no symbol " + name);
  }
  template <typename T>
  T read(uint64_t offset) const {
    T result;
    std::memcpy(&result, &image.at(offset), sizeof(result));
    return result;
  }
};

Result<Placed> place_at(const ElfFile& elf, uint64_t base, const SymbolResolver& resolve = define_external) {
  auto object = CodeObject::parse(elf.bytes());
  if (!object) return object.error();
  Placed placed{std::move(*object), {}};
  placed.image.resize(placed.object.memory_bytes());
  if (Status s = place(placed.object, placed.image, base, resolve); !s) return s.error();
  return placed;
}

TEST(Image, HoldsTheInitialValuesAndZeroesTheRest) {
  auto placed = place_at(ElfFile(KERNLOOP_TEST_VARIABLES), kBase);
  ASSERT_TRUE(placed) << placed.error().message;
  EXPECT_EQ(placed->read<uint32_t>(placed->value("counter")), 41u);
  const uint64_t zeroed = placed->value("zeroed");
  EXPECT_TRUE(std::all_of(&placed->image[zeroed], &placed->image[zeroed] + 20000,
                          [](std::byte b) { return b == std::byte{0}; }));
}

TEST(Image, PointersFollowTheLoadAddress) {
  for (uint64_t base : {kBase, kBase + 0x7000}) {
    auto placed = place_at(ElfFile(KERNLOOP_TEST_VARIABLES), base);
    ASSERT_TRUE(placed) << placed.error().message;
    const uint64_t pointers = placed->value("pointers");
    EXPECT_EQ(placed->read<uint64_t>(pointers), base + placed->value("counter"));
    // RELATIVE64 with an addend into a hidden table: it points at the table's upper half.
    const uint64_t inside = placed->read<uint64_t>(pointers + 8) - base;
    EXPECT_EQ(placed->read<uint32_t>(inside), 0x11223344u);
    EXPECT_EQ(placed->read<uint64_t>(pointers + 16), kExternal);
    EXPECT_EQ(placed->read<uint64_t>(pointers + 24), 0u) << "an undefined weak symbol is null";
  }
}

TEST(Image, NamesTheVariableThatNobodyDefined) {
  auto placed = place_at(ElfFile(KERNLOOP_TEST_VARIABLES), kBase, [](std::string_view) { return std::nullopt; });
  ASSERT_FALSE(placed);
  EXPECT_EQ(placed.error().code, "CODE_OBJECT_UNDEFINED");
  EXPECT_NE(placed.error().message.find("defined_by_the_program"), std::string::npos);
}

// Each type against the formula of AMDGPUUsage's table, on a relocation of `counter` moved to `zeroed`.
TEST(Image, AppliesEachRelocationAsTheAbiSays) {
  constexpr int64_t kAddend = 0x1'2345;
  struct Case {
    uint32_t type;
    unsigned bytes;
    std::function<uint64_t(uint64_t s, uint64_t p, uint64_t base)> expected;
  };
  const Case cases[] = {
      {1, 4, [](uint64_t s, uint64_t, uint64_t) { return (s + kAddend) & 0xffffffff; }},
      {2, 4, [](uint64_t s, uint64_t, uint64_t) { return (s + kAddend) >> 32; }},
      {3, 8, [](uint64_t s, uint64_t, uint64_t) { return s + kAddend; }},
      {4, 4, [](uint64_t s, uint64_t p, uint64_t) { return (s + kAddend - p) & 0xffffffff; }},
      {5, 8, [](uint64_t s, uint64_t p, uint64_t) { return s + kAddend - p; }},
      {10, 4, [](uint64_t s, uint64_t p, uint64_t) { return (s + kAddend - p) & 0xffffffff; }},
      {11, 4, [](uint64_t s, uint64_t p, uint64_t) { return (s + kAddend - p) >> 32; }},
      {13, 8, [](uint64_t, uint64_t, uint64_t base) { return base + kAddend; }},
  };
  for (const Case& c : cases) {
    ElfFile elf(KERNLOOP_TEST_VARIABLES);
    auto plain = place_at(elf, kBase);
    ASSERT_TRUE(plain);
    const auto& symbols = plain->object.dynamic_symbols();
    const auto counter = static_cast<uint32_t>(
        std::find_if(symbols.begin(), symbols.end(), [](const elf::Symbol& s) { return s.name == "counter"; }) -
        symbols.begin());
    const uint64_t target = plain->value("zeroed") + 32;
    elf.relocation(0) = {target, ELF64_R_INFO(static_cast<uint64_t>(counter), c.type), kAddend};
    auto placed = place_at(elf, kBase);
    ASSERT_TRUE(placed) << placed.error().message;
    const uint64_t expected = c.expected(kBase + symbols[counter].value, kBase + target, kBase);
    EXPECT_EQ(c.bytes == 8 ? placed->read<uint64_t>(target) : placed->read<uint32_t>(target), expected)
        << "type " << c.type;
    if (c.bytes == 4) {
      EXPECT_EQ(placed->read<uint32_t>(target + 4), 0u) << "type " << c.type << " writes four bytes";
    }
  }
}

TEST(Image, RefusesValuesThatDoNotFit) {
  ElfFile elf(KERNLOOP_TEST_VARIABLES);
  size_t index = 0;
  while (ELF64_R_SYM(elf.relocation(index).r_info) == 0) ++index;
  elf.relocation(index).r_info =
      ELF64_R_INFO(ELF64_R_SYM(elf.relocation(index).r_info), 6);  // ABS32 of a 47-bit address
  auto placed = place_at(elf, kBase);
  ASSERT_FALSE(placed);
  EXPECT_NE(placed.error().message.find("R_AMDGPU_ABS32"), std::string::npos) << placed.error().message;
}

TEST(Image, NamesARelocationThatItDoesNotKnow) {
  for (auto [type, name] :
       {std::pair{7u, "R_AMDGPU_GOTPCREL"}, {12u, "type 12"}, {14u, "R_AMDGPU_REL16"}, {200u, "type 200"}}) {
    ElfFile elf(KERNLOOP_TEST_VARIABLES);
    elf.relocation(0).r_info = ELF64_R_INFO(0, static_cast<uint64_t>(type));
    auto placed = place_at(elf, kBase);
    ASSERT_FALSE(placed);
    EXPECT_EQ(placed.error().code, "CODE_OBJECT_RELOCATION");
    EXPECT_NE(placed.error().message.find(name), std::string::npos) << placed.error().message;
  }
}

TEST(Image, RefusesARelocationOutsideTheImage) {
  for (uint64_t offset : {uint64_t{1} << 40, UINT64_MAX - 3}) {
    ElfFile elf(KERNLOOP_TEST_VARIABLES);
    elf.relocation(0).r_offset = offset;
    EXPECT_FALSE(place_at(elf, kBase));
  }
  ElfFile elf(KERNLOOP_TEST_VARIABLES);
  auto plain = place_at(elf, kBase);
  ASSERT_TRUE(plain);
  elf.relocation(0) = {plain->object.memory_bytes() - 7, ELF64_R_INFO(0, 13), 0};  // one byte too far
  EXPECT_FALSE(place_at(elf, kBase));
  elf.relocation(0).r_offset -= 1;
  EXPECT_TRUE(place_at(elf, kBase));
}

}  // namespace
}  // namespace kernloop::softgpu
