#include "softgpu/loader/code_object.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <optional>

#include "softgpu/engine/code/kernel_descriptor.h"
#include "softgpu/loader/tests/elf_file.h"

namespace kernloop::softgpu {
namespace {

const elf::Symbol& symbol(const CodeObject& object, const std::string& name) {
  for (const elf::Symbol& candidate : object.dynamic_symbols()) {
    if (candidate.name == name) return candidate;
  }
  throw std::runtime_error("no symbol " + name);
}

TEST(CodeObject, ShowsItsKernelAsTheAssemblerWasTold) {
  auto object = CodeObject::parse(ElfFile(KERNLOOP_TEST_VARIABLES).bytes());
  ASSERT_TRUE(object) << object.error().message;
  const elf::Symbol& kernel = symbol(*object, "store_one.kd");
  ASSERT_TRUE(CodeObject::is_kernel(kernel));
  const auto bytes = object->kernel_descriptor(kernel);
  ASSERT_TRUE(bytes);
  ASSERT_EQ(bytes->size(), kKernelDescriptorBytes);
  KernelDescriptor descriptor;
  std::string refusal;
  const auto* raw = reinterpret_cast<const uint8_t*>(bytes->data());
  ASSERT_TRUE(KernelDescriptor::parse(raw, kernel.value, Isa::kGfx90a, &descriptor, &refusal)) << refusal;
  EXPECT_EQ(descriptor.group_segment_bytes, 1040u);
  EXPECT_EQ(descriptor.private_segment_bytes, 48u);
  EXPECT_EQ(descriptor.kernarg_bytes, 24u);
  EXPECT_FALSE(descriptor.dynamic_stack);
  // The entry is the function symbol's value.
  EXPECT_EQ(descriptor.entry, symbol(*object, "store_one").value);
}

TEST(CodeObject, TellsVariablesFromKernels) {
  auto object = CodeObject::parse(ElfFile(KERNLOOP_TEST_VARIABLES).bytes());
  ASSERT_TRUE(object);
  EXPECT_FALSE(CodeObject::is_kernel(symbol(*object, "counter")));
  EXPECT_EQ(symbol(*object, "zeroed").size, 20000u);
  EXPECT_FALSE(symbol(*object, "defined_by_the_program").is_defined());
  EXPECT_FALSE(object->kernel_descriptor(symbol(*object, "counter")));
}

TEST(CodeObject, ImageReachesToTheEndOfZeroedData) {
  auto object = CodeObject::parse(ElfFile(KERNLOOP_TEST_VARIABLES).bytes());
  ASSERT_TRUE(object);
  const elf::Symbol& zeroed = symbol(*object, "zeroed");
  EXPECT_GE(object->memory_bytes(), zeroed.value + zeroed.size);
}

TEST(CodeObject, RunsOnlyWhereItsTargetSays) {
  auto check = [](const char* path) {
    auto object = CodeObject::parse(ElfFile(path).bytes());
    EXPECT_TRUE(object) << path;
    return check_target(object->target(), Isa::kGfx90a);
  };
  EXPECT_TRUE(check(KERNLOOP_TEST_VARIABLES));
  EXPECT_TRUE(check(KERNLOOP_TEST_XNACK_OFF));
  Status wrong_machine = check(KERNLOOP_TEST_GFX1030);
  ASSERT_FALSE(wrong_machine);
  EXPECT_EQ(wrong_machine.error().code, "CODE_OBJECT_TARGET");
  EXPECT_NE(wrong_machine.error().message.find("gfx1030"), std::string::npos);
  Status wrong_feature = check(KERNLOOP_TEST_XNACK_ON);
  ASSERT_FALSE(wrong_feature);
  EXPECT_NE(wrong_feature.error().message.find("xnack+"), std::string::npos);
}

TEST(CodeObject, OfAnArchitectureThatIsNotExecutedRunsOnNoTarget) {
  constexpr uint32_t kMachine = 0xff, kGfx1201 = 0x4e;
  ElfFile elf(KERNLOOP_TEST_GFX1030);
  elf.header().e_flags = (elf.header().e_flags & ~kMachine) | kGfx1201;
  const auto object = CodeObject::parse(elf.bytes());
  ASSERT_TRUE(object) << object.error().message;
  for (const Isa isa : kExecutedIsas) {
    const Status refused = check_target(object->target(), isa);
    ASSERT_FALSE(refused) << isa_name(isa);
    EXPECT_EQ(refused.error().code, "CODE_OBJECT_TARGET");
    EXPECT_NE(refused.error().message.find("gfx1201 does not run on " + std::string(isa_name(isa))), std::string::npos)
        << refused.error().message;
    EXPECT_EQ(refused.error().hint, "compile with --offload-arch=" + std::string(isa_name(isa)));
  }
}

// Version 6 adds generic targets, and changes nothing for others. It is the default of clang 22.
TEST(CodeObject, Version6IsReadAs5) {
  ElfFile elf(KERNLOOP_TEST_XNACK_OFF);
  elf.header().e_ident[EI_ABIVERSION] = 4;
  const auto object = CodeObject::parse(elf.bytes());
  ASSERT_TRUE(object) << object.error().message;
  EXPECT_EQ(object->target().xnack, Feature::kOff);
  EXPECT_TRUE(check_target(object->target(), Isa::kGfx90a));
}

// Machine numbers of LLVM's ELF.h, with version 1 of the generic processor.
TEST(CodeObject, OfAGenericTargetRunsOnItsFamilyAlone) {
  const std::pair<uint32_t, std::optional<Isa>> generics[] = {
      {0x51, std::nullopt},  {0x52, std::nullopt}, {0x53, Isa::kGfx1030},
      {0x54, Isa::kGfx1100}, {0x59, std::nullopt}, {0x5f, Isa::kGfx942},
  };
  for (const auto& [machine, runs_on] : generics) {
    constexpr uint32_t kMachine = 0xff;
    ElfFile elf(KERNLOOP_TEST_XNACK_OFF);
    elf.header().e_ident[EI_ABIVERSION] = 4;
    elf.header().e_flags = (elf.header().e_flags & ~kMachine) | machine | 1u << 24;
    const auto object = CodeObject::parse(elf.bytes());
    ASSERT_TRUE(object) << object.error().message;
    for (const Isa isa : kExecutedIsas)
      EXPECT_EQ(check_target(object->target(), isa).ok(), isa == runs_on) << machine_name(machine) << isa_name(isa);
  }
}

TEST(CodeObject, RefusesWhatIsNotAnAmdgpuObjectAndSaysWhy) {
  struct Case {
    const char* expected;
    std::function<void(ElfFile&)> damage;
  };
  const Case cases[] = {
      {"no ELF magic", [](ElfFile& elf) { elf.header().e_ident[0] = 0; }},
      {"64-bit", [](ElfFile& elf) { elf.header().e_ident[EI_CLASS] = ELFCLASS32; }},
      {"little-endian", [](ElfFile& elf) { elf.header().e_ident[EI_DATA] = ELFDATA2MSB; }},
      {"machine 62", [](ElfFile& elf) { elf.header().e_machine = EM_X86_64; }},
      {"OS ABI 0", [](ElfFile& elf) { elf.header().e_ident[EI_OSABI] = 0; }},
      {"ABI version 0", [](ElfFile& elf) { elf.header().e_ident[EI_ABIVERSION] = 0; }},
      {"ABI version 5", [](ElfFile& elf) { elf.header().e_ident[EI_ABIVERSION] = 5; }},
      {"ABI version 9", [](ElfFile& elf) { elf.header().e_ident[EI_ABIVERSION] = 9; }},
      {"linked", [](ElfFile& elf) { elf.header().e_type = ET_REL; }},
      {"no program headers", [](ElfFile& elf) { elf.header().e_phnum = 0; }},
      {"no section headers", [](ElfFile& elf) { elf.header().e_shnum = 0; }},
      {"program header", [](ElfFile& elf) { elf.header().e_phoff = UINT64_MAX - 8; }},
      {"section header", [](ElfFile& elf) { elf.header().e_shoff = UINT64_MAX - 64; }},
      {"symbol table", [](ElfFile& elf) { elf.section(".dynsym").sh_size = UINT64_MAX / 24 * 24; }},
      {"string table", [](ElfFile& elf) { elf.section(".dynsym").sh_link = 999; }},
      {"relocations", [](ElfFile& elf) { elf.section(".rela.dyn").sh_offset = 1u << 30; }},
      {"names symbol 77", [](ElfFile& elf) { elf.relocation(0).r_info = ELF64_R_INFO(77, 3); }},
  };
  for (const Case& c : cases) {
    ElfFile elf(KERNLOOP_TEST_VARIABLES);
    c.damage(elf);
    auto object = CodeObject::parse(elf.bytes());
    ASSERT_FALSE(object) << c.expected;
    EXPECT_NE(object.error().message.find(c.expected), std::string::npos) << object.error().message;
    EXPECT_FALSE(object.error().hint.empty());
  }
}

TEST(CodeObject, RefusesSegmentsThatLie) {
  for (unsigned index = 0;; ++index) {
    ElfFile elf(KERNLOOP_TEST_VARIABLES);
    if (index == elf.header().e_phnum) break;
    if (elf.program(index).p_type != PT_LOAD) continue;
    const Elf64_Phdr good = elf.program(index);
    auto refused = [&](const char* field, uint64_t Elf64_Phdr::*member, uint64_t value) {
      elf.program(index) = good;
      elf.program(index).*member = value;
      EXPECT_FALSE(CodeObject::parse(elf.bytes())) << field << " of segment " << index;
    };
    refused("p_offset", &Elf64_Phdr::p_offset, elf.bytes().size() + 1);
    refused("p_offset", &Elf64_Phdr::p_offset, UINT64_MAX - 4);
    refused("p_filesz", &Elf64_Phdr::p_filesz, good.p_memsz + 1);
    refused("p_vaddr", &Elf64_Phdr::p_vaddr, UINT64_MAX - 16);
    refused("p_memsz", &Elf64_Phdr::p_memsz, UINT64_MAX - 16);
  }
}

}  // namespace
}  // namespace kernloop::softgpu
