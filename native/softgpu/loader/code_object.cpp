#include "softgpu/loader/code_object.h"

#include <elf.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <utility>

#include "softgpu/engine/kernel_descriptor.h"

namespace kernloop::softgpu {
namespace {

// <hsa/amd_hsa_elf.h> declares these in a way that clashes with <elf.h>.
constexpr uint16_t kMachineAmdgpu = 224;
constexpr uint8_t kOsAbiAmdgpuHsa = 64;
constexpr uint8_t kAbiV3 = 1, kAbiV6 = 4;
constexpr uint8_t kSymbolTypeKernelV2 = 10;  // STT_AMDGPU_HSA_KERNEL

constexpr uint64_t kMaxImageBytes = uint64_t{4} << 30;
constexpr size_t kMaxSegments = 64;

Error bad(std::string what) {
  return {"CODE_OBJECT_INVALID", "code object: " + std::move(what), "the file is damaged or is no AMDGPU code object"};
}

std::string hex(uint64_t value) {
  char text[20];
  std::snprintf(text, sizeof(text), "0x%lx", static_cast<unsigned long>(value));
  return text;
}

}  // namespace

class CodeObjectParser {
 public:
  explicit CodeObjectParser(CodeObject& object) : object_(object), bytes_(object.bytes_) {}

  Status run() {
    if (Status s = header(); !s) return s;
    if (Status s = segments(); !s) return s;
    return sections();
  }

 private:
  bool inside(uint64_t offset, uint64_t size) const {
    return offset <= bytes_.size() && size <= bytes_.size() - offset;
  }

  template <typename Record>
  std::optional<Record> read(uint64_t offset) const {
    if (!inside(offset, sizeof(Record))) return std::nullopt;
    Record record;
    std::memcpy(&record, bytes_.data() + offset, sizeof(record));
    return record;
  }

  Status header() {
    const auto header = read<Elf64_Ehdr>(0);
    if (!header) return bad("shorter than an ELF header");
    header_ = *header;
    if (std::memcmp(header_.e_ident, ELFMAG, SELFMAG) != 0) return bad("no ELF magic");
    if (header_.e_ident[EI_CLASS] != ELFCLASS64 || header_.e_ident[EI_DATA] != ELFDATA2LSB)
      return bad("not a little-endian 64-bit ELF file");
    if (header_.e_machine != kMachineAmdgpu)
      return bad("ELF machine " + std::to_string(header_.e_machine) + " is not AMDGPU (224)");
    if (header_.e_ident[EI_OSABI] != kOsAbiAmdgpuHsa)
      return bad("ELF OS ABI " + std::to_string(header_.e_ident[EI_OSABI]) + " is not AMDGPU_HSA (64)");
    if (header_.e_type != ET_DYN) return bad("not a linked, shared ELF object (ET_DYN)");
    object_.abi_version_ = header_.e_ident[EI_ABIVERSION];
    if (object_.abi_version_ < kAbiV3 || object_.abi_version_ > kAbiV6) {
      return Error{"CODE_OBJECT_VERSION",
                   "code object: ELF ABI version " + std::to_string(object_.abi_version_) +
                       " is not supported (1 to 4 are: code object v3 to v6)",
                   "compile with -mcode-object-version=4"};
    }
    object_.target_ = target();
    if (header_.e_phentsize != sizeof(Elf64_Phdr) || header_.e_phnum == 0) return bad("no program headers");
    if (header_.e_shentsize != sizeof(Elf64_Shdr) || header_.e_shnum == 0) return bad("no section headers");
    return Unit{};
  }

  CodeTarget target() const {
    CodeTarget target{static_cast<uint8_t>(header_.e_flags & 0xff), Feature::kAny, Feature::kAny};
    if (object_.abi_version_ == kAbiV3) {
      // Bit set: on, or any (LLVM sets it for both); clear: off, or the target has no such feature.
      target.xnack = (header_.e_flags & 0x100) != 0 ? Feature::kAny : Feature::kOff;
      target.sramecc = (header_.e_flags & 0x200) != 0 ? Feature::kAny : Feature::kOff;
    } else {
      target.xnack = static_cast<Feature>((header_.e_flags >> 8) & 3);
      target.sramecc = static_cast<Feature>((header_.e_flags >> 10) & 3);
    }
    return target;
  }

  Status segments() {
    for (unsigned i = 0; i < header_.e_phnum; ++i) {
      const auto program = read<Elf64_Phdr>(header_.e_phoff + uint64_t{i} * sizeof(Elf64_Phdr));
      if (!program || header_.e_phoff > bytes_.size())
        return bad("program header " + std::to_string(i) + " is outside the file");
      if (program->p_type != PT_LOAD || program->p_memsz == 0) continue;
      const std::string name = "PT_LOAD segment " + std::to_string(i);
      if (!inside(program->p_offset, program->p_filesz)) return bad(name + " is outside the file");
      if (program->p_filesz > program->p_memsz) return bad(name + " is larger in the file than in memory");
      if (program->p_vaddr > kMaxImageBytes || program->p_memsz > kMaxImageBytes - program->p_vaddr)
        return bad(name + " ends beyond 4 GiB");
      if (object_.segments_.size() == kMaxSegments) return bad("more than 64 PT_LOAD segments");
      object_.segments_.push_back(
          {program->p_offset, program->p_filesz, program->p_vaddr, program->p_memsz, (program->p_flags & PF_W) != 0});
      object_.memory_bytes_ = std::max(object_.memory_bytes_, program->p_vaddr + program->p_memsz);
    }
    if (object_.segments_.empty()) return bad("nothing to load");
    auto sorted = object_.segments_;
    std::sort(sorted.begin(), sorted.end(), [](auto& a, auto& b) { return a.address < b.address; });
    for (size_t i = 1; i < sorted.size(); ++i) {
      if (sorted[i - 1].address + sorted[i - 1].memory_bytes > sorted[i].address)
        return bad("PT_LOAD segments overlap");
    }
    return Unit{};
  }

  std::optional<Elf64_Shdr> section(uint32_t index) const {
    if (index >= header_.e_shnum || header_.e_shoff > bytes_.size()) return std::nullopt;
    return read<Elf64_Shdr>(header_.e_shoff + uint64_t{index} * sizeof(Elf64_Shdr));
  }

  Status sections() {
    std::vector<std::pair<unsigned, Elf64_Shdr>> relocation_sections;
    std::optional<unsigned> dynamic_index;
    for (unsigned i = 0; i < header_.e_shnum; ++i) {
      const auto found = section(i);
      if (!found) return bad("section header " + std::to_string(i) + " is outside the file");
      if (found->sh_type == SHT_DYNSYM) {
        if (dynamic_index) return bad("two dynamic symbol tables");
        dynamic_index = i;
        if (Status s = symbols(i, *found, object_.dynamic_symbols_); !s) return s;
      } else if (found->sh_type == SHT_SYMTAB) {
        if (!object_.static_symbols_.empty()) return bad("two symbol tables");
        if (Status s = symbols(i, *found, object_.static_symbols_); !s) return s;
      } else if ((found->sh_type == SHT_RELA || found->sh_type == SHT_REL) && (found->sh_flags & SHF_ALLOC) != 0) {
        relocation_sections.emplace_back(i, *found);
      }
    }
    for (const auto& [index, found] : relocation_sections) {
      if (Status s = relocations(index, found, dynamic_index); !s) return s;
    }
    return Unit{};
  }

  Status symbols(unsigned index, const Elf64_Shdr& table, std::vector<ElfSymbol>& symbols) {
    const std::string name = "symbol table (section " + std::to_string(index) + ")";
    if (table.sh_entsize != sizeof(Elf64_Sym) || table.sh_size % sizeof(Elf64_Sym) != 0)
      return bad(name + " has a wrong entry size");
    if (!inside(table.sh_offset, table.sh_size)) return bad(name + " is outside the file");
    const auto strings = section(table.sh_link);
    if (!strings || strings->sh_type != SHT_STRTAB || !inside(strings->sh_offset, strings->sh_size))
      return bad(name + " has no string table");
    const char* text = reinterpret_cast<const char*>(bytes_.data() + strings->sh_offset);
    const std::string_view names(text, strings->sh_size);
    // One table of names may serve many symbols: the sum of their lengths is bounded, too.
    uint64_t name_bytes = 0;
    symbols.reserve(table.sh_size / sizeof(Elf64_Sym));
    for (uint64_t i = 0; i < table.sh_size / sizeof(Elf64_Sym); ++i) {
      const auto raw = read<Elf64_Sym>(table.sh_offset + i * sizeof(Elf64_Sym));
      const auto end = raw->st_name < names.size() ? names.find('\0', raw->st_name) : std::string_view::npos;
      if (end == std::string_view::npos && !(raw->st_name == 0 && names.empty()))
        return bad(name + ": the name of symbol " + std::to_string(i) + " is outside the string table");
      ElfSymbol symbol;
      if (end != std::string_view::npos) symbol.name = names.substr(raw->st_name, end - raw->st_name);
      name_bytes += symbol.name.size();
      if (name_bytes > 4 * bytes_.size()) return bad(name + ": its names overlap each other");
      symbol.value = raw->st_value;
      symbol.size = raw->st_size;
      symbol.type = ELF64_ST_TYPE(raw->st_info);
      symbol.binding = ELF64_ST_BIND(raw->st_info);
      // Reserved section indices (but for ABS) name no place in the image, e.g. SHN_AMDGPU_LDS.
      symbol.defined = raw->st_shndx != SHN_UNDEF && (raw->st_shndx < SHN_LORESERVE || raw->st_shndx == SHN_ABS);
      symbol.absolute = raw->st_shndx == SHN_ABS;
      if (symbol.defined && !symbol.absolute && is_memory(symbol) && !in_image(symbol.value, symbol.size))
        return bad("symbol " + symbol.name + " is outside the loaded image");
      symbols.push_back(std::move(symbol));
    }
    return Unit{};
  }

  static bool is_memory(const ElfSymbol& symbol) {
    return symbol.type == STT_OBJECT || symbol.type == STT_FUNC || symbol.type == kSymbolTypeKernelV2;
  }

  bool in_image(uint64_t address, uint64_t size) const {
    return std::any_of(object_.segments_.begin(), object_.segments_.end(), [&](const LoadSegment& segment) {
      return address >= segment.address && address - segment.address <= segment.memory_bytes &&
             size <= segment.memory_bytes - (address - segment.address);
    });
  }

  Status relocations(unsigned index, const Elf64_Shdr& table, std::optional<unsigned> dynamic_index) {
    const std::string name = "relocations (section " + std::to_string(index) + ")";
    if (table.sh_type == SHT_REL) return bad(name + " have no addends (SHT_REL), which AMDGPU does not use");
    if (table.sh_size == 0) return Unit{};
    if (table.sh_entsize != sizeof(Elf64_Rela) || table.sh_size % sizeof(Elf64_Rela) != 0)
      return bad(name + " have a wrong entry size");
    if (!inside(table.sh_offset, table.sh_size)) return bad(name + " are outside the file");
    if (!dynamic_index || table.sh_link != *dynamic_index) return bad(name + " do not use the dynamic symbol table");
    for (uint64_t i = 0; i < table.sh_size / sizeof(Elf64_Rela); ++i) {
      const auto raw = read<Elf64_Rela>(table.sh_offset + i * sizeof(Elf64_Rela));
      ElfRelocation relocation{raw->r_offset, static_cast<uint32_t>(ELF64_R_TYPE(raw->r_info)),
                               static_cast<uint32_t>(ELF64_R_SYM(raw->r_info)), raw->r_addend};
      if (relocation.symbol >= object_.dynamic_symbols_.size())
        return bad("relocation at " + hex(relocation.offset) + " names symbol " + std::to_string(relocation.symbol) +
                   ", which does not exist");
      object_.relocations_.push_back(relocation);
    }
    return Unit{};
  }

  CodeObject& object_;
  std::span<const std::byte> bytes_;
  Elf64_Ehdr header_{};
};

Result<CodeObject> CodeObject::parse(std::span<const std::byte> bytes) {
  CodeObject object;
  object.bytes_.assign(bytes.begin(), bytes.end());
  if (Status s = CodeObjectParser(object).run(); !s) return s.error();
  return object;
}

bool CodeObject::is_kernel(const ElfSymbol& symbol) {
  return symbol.defined && symbol.type == STT_OBJECT && symbol.size == kKernelDescriptorBytes &&
         symbol.name.ends_with(".kd");
}

std::optional<std::span<const std::byte>> CodeObject::kernel_descriptor(const ElfSymbol& symbol) const {
  if (!is_kernel(symbol)) return std::nullopt;
  for (const LoadSegment& segment : segments_) {
    if (symbol.value < segment.address) continue;
    const uint64_t within = symbol.value - segment.address;
    if (within > segment.file_bytes || kKernelDescriptorBytes > segment.file_bytes - within) continue;
    return std::span(bytes_).subspan(segment.file_offset + within, kKernelDescriptorBytes);
  }
  return std::nullopt;
}

std::string machine_name(uint8_t machine) {
  static constexpr std::pair<uint8_t, const char*> kNames[] = {
      {0x2c, "gfx900"},  {0x2f, "gfx906"},  {0x30, "gfx908"},  {0x33, "gfx1010"}, {0x36, "gfx1030"},
      {0x37, "gfx1031"}, {0x38, "gfx1032"}, {0x3f, "gfx90a"},  {0x40, "gfx940"},  {0x4b, "gfx941"},
      {0x4c, "gfx942"},  {0x41, "gfx1100"}, {0x46, "gfx1101"}, {0x47, "gfx1102"}, {0x44, "gfx1103"},
  };
  for (const auto& [value, name] : kNames) {
    if (value == machine) return name;
  }
  return "machine " + hex(machine);
}

namespace {

Status check_cdna(const CodeTarget& target, Isa isa) {
  const std::string name = isa_name(isa);
  auto mismatch = [&](std::string what) {
    return Error{"CODE_OBJECT_TARGET",
                 "code object: " + std::move(what) + " does not run on " + name + ":sramecc+:xnack-",
                 "compile with --offload-arch=" + name};
  };
  if (machine_name(target.machine) != name) return mismatch("code for " + machine_name(target.machine));
  if (target.xnack == Feature::kOn) return mismatch("code for " + name + ":xnack+");
  if (target.sramecc == Feature::kOff) return mismatch("code for " + name + ":sramecc-");
  return Unit{};
}

Status check_gfx1030(const CodeTarget& target) {
  constexpr uint8_t kMachine = 0x36;
  if (target.machine == kMachine) return Unit{};
  return Error{"CODE_OBJECT_TARGET",
               "code object: code for " + machine_name(target.machine) + " does not run on gfx1030",
               "compile with --offload-arch=gfx1030"};
}

}  // namespace

Status check_target(const CodeTarget& target, Isa isa) {
  return isa == Isa::kGfx1030 ? check_gfx1030(target) : check_cdna(target, isa);
}

}  // namespace kernloop::softgpu
