#include "softgpu/loader/code_object.h"

#include <elf.h>

#include <algorithm>
#include <utility>

#include "elf/generic_target.h"
#include "softgpu/engine/code/kernel_descriptor.h"

namespace kernloop::softgpu {
namespace {

// <hsa/amd_hsa_elf.h> declares these in a way that clashes with <elf.h>.
constexpr uint8_t kOsAbiAmdgpuHsa = 64;
constexpr uint8_t kAbiV3 = 1, kAbiV6 = 4;
constexpr uint8_t kSymbolTypeKernelV2 = 10;  // STT_AMDGPU_HSA_KERNEL

constexpr uint64_t kMaxImageBytes = uint64_t{4} << 30;
constexpr size_t kMaxSegments = 64;
constexpr size_t kMostRelocations = 8u << 20;

Error bad(std::string what) {
  return {"CODE_OBJECT_INVALID", "code object: " + std::move(what), "the file is damaged or is no AMDGPU code object"};
}

}  // namespace

// Checks the parts of an ELF file that make a loadable code object; the reader checks that they are within the file.
class CodeObjectParser {
 public:
  CodeObjectParser(CodeObject& object, const elf::Image& image) : object_(object), image_(image) {}

  Status run() {
    if (Status s = header(); !s) return s;
    if (Status s = segments(); !s) return s;
    return sections();
  }

 private:
  Status header() {
    if (image_.machine() != elf::kMachineAmdgpu)
      return bad("ELF machine " + std::to_string(image_.machine()) + " is not AMDGPU (224)");
    if (image_.os_abi() != kOsAbiAmdgpuHsa)
      return bad("ELF OS ABI " + std::to_string(image_.os_abi()) + " is not AMDGPU_HSA (64)");
    if (image_.type() != ET_DYN) return bad("not a linked, shared ELF object (ET_DYN)");
    object_.abi_version_ = image_.abi_version();
    if (object_.abi_version_ < kAbiV3 || object_.abi_version_ > kAbiV6) {
      return Error{"CODE_OBJECT_VERSION",
                   "code object: ELF ABI version " + std::to_string(object_.abi_version_) +
                       " is not supported (1 to 4 are: code object v3 to v6)",
                   "compile with -mcode-object-version=4"};
    }
    object_.target_ = target();
    if (image_.segments().empty()) return bad("no program headers");
    if (image_.sections().empty()) return bad("no section headers");
    return Unit{};
  }

  CodeTarget target() const {
    const uint32_t flags = image_.flags();
    CodeTarget target{static_cast<uint8_t>(flags & 0xff), Feature::kAny, Feature::kAny};
    if (object_.abi_version_ == kAbiV3) {
      // Bit set: on, or any (LLVM sets it for both); clear: off, or the target has no such feature.
      target.xnack = (flags & 0x100) != 0 ? Feature::kAny : Feature::kOff;
      target.sramecc = (flags & 0x200) != 0 ? Feature::kAny : Feature::kOff;
    } else {
      target.xnack = static_cast<Feature>((flags >> 8) & 3);
      target.sramecc = static_cast<Feature>((flags >> 10) & 3);
    }
    return target;
  }

  Status segments() {
    for (size_t i = 0; i < image_.segments().size(); ++i) {
      const elf::Segment& segment = image_.segments()[i];
      if (segment.type != PT_LOAD || segment.memory_size == 0) continue;
      const std::string name = "PT_LOAD segment " + std::to_string(i);
      if (segment.bytes.size() > segment.memory_size) return bad(name + " is larger in the file than in memory");
      if (segment.address > kMaxImageBytes || segment.memory_size > kMaxImageBytes - segment.address)
        return bad(name + " ends beyond 4 GiB");
      if (object_.segments_.size() == kMaxSegments) return bad("more than 64 PT_LOAD segments");
      object_.segments_.push_back({segment.offset, segment.bytes.size(), segment.address, segment.memory_size,
                                   (segment.flags & PF_W) != 0, (segment.flags & PF_X) != 0});
      object_.memory_bytes_ = std::max(object_.memory_bytes_, segment.address + segment.memory_size);
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

  Status sections() {
    std::vector<const elf::Section*> relocated;
    const elf::Section *dynamic = nullptr, *fixed = nullptr;
    for (const elf::Section& section : image_.sections()) {
      if (section.type == SHT_DYNSYM) {
        if (dynamic) return bad("two dynamic symbol tables");
        dynamic = &section;
        if (Status s = symbols(section, object_.dynamic_symbols_); !s) return s;
      } else if (section.type == SHT_SYMTAB) {
        if (fixed) return bad("two symbol tables");
        fixed = &section;
        if (Status s = symbols(section, object_.static_symbols_); !s) return s;
      } else if ((section.type == SHT_RELA || section.type == SHT_REL) && (section.flags & SHF_ALLOC) != 0) {
        relocated.push_back(&section);
      }
    }
    for (const elf::Section* section : relocated) {
      if (Status s = relocations(*section, dynamic); !s) return s;
    }
    return Unit{};
  }

  Status symbols(const elf::Section& table, std::vector<elf::Symbol>& symbols) {
    auto read = image_.symbols(table);
    if (!read) return read.error();
    symbols = std::move(*read);
    for (const elf::Symbol& symbol : symbols) {
      if (symbol.is_defined() && !symbol.is_absolute() && is_memory(symbol) && !in_image(symbol.value, symbol.size))
        return bad("symbol " + std::string(symbol.name) + " is outside the loaded image");
    }
    return Unit{};
  }

  static bool is_memory(const elf::Symbol& symbol) {
    return symbol.type == STT_OBJECT || symbol.type == STT_FUNC || symbol.type == kSymbolTypeKernelV2;
  }

  bool in_image(uint64_t address, uint64_t size) const {
    return std::any_of(object_.segments_.begin(), object_.segments_.end(), [&](const LoadSegment& segment) {
      return address >= segment.address && address - segment.address <= segment.memory_bytes &&
             size <= segment.memory_bytes - (address - segment.address);
    });
  }

  Status relocations(const elf::Section& table, const elf::Section* dynamic) {
    const std::string name = "relocations (section " + std::to_string(&table - image_.sections().data()) + ")";
    if (table.type == SHT_REL) return bad(name + " have no addends (SHT_REL), which AMDGPU does not use");
    if (table.size == 0) return Unit{};
    auto read = image_.relocations(table);
    if (!read) return read.error();
    if (!dynamic || table.link != static_cast<uint64_t>(dynamic - image_.sections().data()))
      return bad(name + " do not use the dynamic symbol table");
    // Many tables may share the same bytes.
    if (read->size() > kMostRelocations - object_.relocations_.size()) return bad("impossibly many relocations");
    for (const elf::Relocation& relocation : *read) {
      if (relocation.symbol >= object_.dynamic_symbols_.size())
        return bad("relocation at " + to_hex_number(relocation.offset) + " names symbol " +
                   std::to_string(relocation.symbol) + ", which does not exist");
      object_.relocations_.push_back(relocation);
    }
    return Unit{};
  }

  CodeObject& object_;
  const elf::Image& image_;
};

Result<CodeObject> CodeObject::parse(std::span<const std::byte> bytes) {
  CodeObject object;
  object.bytes_.assign(bytes.begin(), bytes.end());
  const auto* begin = reinterpret_cast<const uint8_t*>(object.bytes_.data());
  const auto image = elf::Image::parse(Bytes(begin, object.bytes_.size()), "code object");
  if (!image) return image.error();
  if (Status s = CodeObjectParser(object, *image).run(); !s) return s.error();
  return object;
}

bool CodeObject::is_kernel(const elf::Symbol& symbol) {
  return symbol.is_defined() && symbol.type == STT_OBJECT && symbol.size == kKernelDescriptorBytes &&
         symbol.name.ends_with(".kd");
}

std::optional<std::span<const std::byte>> CodeObject::kernel_descriptor(const elf::Symbol& symbol) const {
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
      {0x2c, "gfx900"},        {0x2f, "gfx906"},          {0x30, "gfx908"},          {0x33, "gfx1010"},
      {0x36, "gfx1030"},       {0x37, "gfx1031"},         {0x38, "gfx1032"},         {0x3f, "gfx90a"},
      {0x40, "gfx940"},        {0x4b, "gfx941"},          {0x4c, "gfx942"},          {0x41, "gfx1100"},
      {0x46, "gfx1101"},       {0x47, "gfx1102"},         {0x44, "gfx1103"},         {0x43, "gfx1150"},
      {0x4a, "gfx1151"},       {0x55, "gfx1152"},         {0x48, "gfx1200"},         {0x4e, "gfx1201"},
      {0x51, "gfx9-generic"},  {0x52, "gfx10-1-generic"}, {0x53, "gfx10-3-generic"}, {0x54, "gfx11-generic"},
      {0x59, "gfx12-generic"}, {0x5f, "gfx9-4-generic"},
  };
  for (const auto& [value, name] : kNames) {
    if (value == machine) return name;
  }
  return "machine " + to_hex_number(machine);
}

namespace {

bool is_for(const CodeTarget& target, Isa isa) {
  const std::string name = machine_name(target.machine);
  return name == isa_name(isa) || elf::generic_includes(name, isa_name(isa));
}

Status check_cdna(const CodeTarget& target, Isa isa) {
  const std::string name = isa_name(isa);
  auto mismatch = [&](std::string what) {
    return Error{"CODE_OBJECT_TARGET",
                 "code object: " + std::move(what) + " does not run on " + name + ":sramecc+:xnack-",
                 "compile with --offload-arch=" + name};
  };
  if (!is_for(target, isa)) return mismatch("code for " + machine_name(target.machine));
  if (target.xnack == Feature::kOn) return mismatch("code for " + name + ":xnack+");
  if (target.sramecc == Feature::kOff) return mismatch("code for " + name + ":sramecc-");
  return Unit{};
}

Status check_rdna(const CodeTarget& target, Isa isa) {
  if (is_for(target, isa)) return Unit{};
  const std::string name = isa_name(isa);
  return Error{"CODE_OBJECT_TARGET",
               "code object: code for " + machine_name(target.machine) + " does not run on " + name,
               "compile with --offload-arch=" + name};
}

}  // namespace

Status check_target(const CodeTarget& target, Isa isa) {
  return is_rdna(isa) ? check_rdna(target, isa) : check_cdna(target, isa);
}

}  // namespace kernloop::softgpu
