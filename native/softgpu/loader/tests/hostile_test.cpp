// Damaged code objects: never a crash, never a byte outside the image. Run under AddressSanitizer this shows more.
#include <gtest/gtest.h>

#include <random>

#include "softgpu/loader/image.h"
#include "softgpu/loader/tests/elf_file.h"

namespace kernloop::softgpu {
namespace {

constexpr uint64_t kMaxImage = uint64_t{16} << 20;  // larger ones are legal, but not tried here

// Parses and places; between guard bytes that must stay as they are.
void load(std::span<const std::byte> bytes) {
  auto object = CodeObject::parse(bytes);
  if (!object) {
    EXPECT_FALSE(object.error().message.empty());
    return;
  }
  for (const elf::Symbol& symbol : object->dynamic_symbols()) (void)object->kernel_descriptor(symbol);
  if (object->memory_bytes() > kMaxImage) return;
  constexpr size_t kGuard = 64;
  std::vector<std::byte> memory(object->memory_bytes() + 2 * kGuard, std::byte{0xcd});
  std::fill_n(memory.begin() + kGuard, object->memory_bytes(), std::byte{0});
  (void)place(*object, std::span(memory).subspan(kGuard, object->memory_bytes()), 0x5000'0000'0000,
              [](std::string_view) { return 0x4000'0000'0000; });
  for (size_t i = 0; i < kGuard; ++i) {
    ASSERT_EQ(memory[i], std::byte{0xcd});
    ASSERT_EQ(memory[memory.size() - 1 - i], std::byte{0xcd});
  }
}

TEST(HostileCodeObject, EveryTruncationIsAnError) {
  const ElfFile elf(KERNLOOP_TEST_VARIABLES);
  for (size_t length = 0; length < elf.bytes().size(); ++length) {
    // A copy of exactly this length, so that reading on is caught by tools.
    const std::vector<std::byte> cut(elf.bytes().begin(), elf.bytes().begin() + static_cast<ptrdiff_t>(length));
    ASSERT_FALSE(CodeObject::parse(cut)) << length << " bytes";
  }
  EXPECT_TRUE(CodeObject::parse(elf.bytes()));
}

TEST(HostileCodeObject, EveryFlippedBitIsSurvived) {
  ElfFile elf(KERNLOOP_TEST_VARIABLES);
  for (size_t i = 0; i < elf.raw().size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      elf.raw()[i] ^= static_cast<char>(1 << bit);
      load(elf.bytes());
      elf.raw()[i] ^= static_cast<char>(1 << bit);
      if (HasFatalFailure()) FAIL() << "byte " << i << " bit " << bit;
    }
  }
}

TEST(HostileCodeObject, ExtremeWordsAreSurvived) {
  const ElfFile good(KERNLOOP_TEST_VARIABLES);
  const uint64_t extremes[] = {0, 1, 0x7fff'ffff, 0xffff'ffff, 0x7fff'ffff'ffff'ffff, UINT64_MAX, UINT64_MAX - 63};
  for (size_t i = 0; i + 8 <= good.bytes().size(); i += 4) {
    for (uint64_t extreme : extremes) {
      ElfFile elf = good;
      std::memcpy(&elf.raw()[i], &extreme, sizeof(extreme));
      load(elf.bytes());
      if (HasFatalFailure()) FAIL() << "word at " << i;
    }
  }
}

TEST(HostileCodeObject, RandomDamageIsSurvived) {
  const ElfFile good(KERNLOOP_TEST_VARIABLES);
  std::mt19937 random(20261107);
  for (int round = 0; round < 20000; ++round) {
    ElfFile elf = good;
    for (unsigned n = 1 + random() % 8; n > 0; --n)
      elf.raw()[random() % elf.raw().size()] = static_cast<char>(random());
    load(elf.bytes());
    if (HasFatalFailure()) FAIL() << "round " << round;
  }
}

}  // namespace
}  // namespace kernloop::softgpu
