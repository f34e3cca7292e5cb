#include "softgpu/loader/image.h"

#include <elf.h>

#include <cstring>
#include <string>

namespace kernloop::softgpu {
namespace {

// AMDGPUUsage, "Relocation Records". Types with a null name do not occur in loadable objects.
enum : uint32_t {
  kNone = 0,
  kAbs32Lo = 1,
  kAbs32Hi = 2,
  kAbs64 = 3,
  kRel32 = 4,
  kRel64 = 5,
  kAbs32 = 6,
  kRel32Lo = 10,
  kRel32Hi = 11,
  kRelative64 = 13,
};

std::string type_name(uint32_t type) {
  static constexpr const char* kNames[] = {
      "NONE",          "ABS32_LO",      "ABS32_HI", "ABS64",    "REL32", "REL64",      "ABS32", "GOTPCREL",
      "GOTPCREL32_LO", "GOTPCREL32_HI", "REL32_LO", "REL32_HI", nullptr, "RELATIVE64", "REL16",
  };
  const char* name = type < std::size(kNames) ? kNames[type] : nullptr;
  return name != nullptr ? std::string("R_AMDGPU_") + name : "relocation type " + std::to_string(type);
}

Error relocation_error(const elf::Relocation& relocation, const std::string& what) {
  return {"CODE_OBJECT_RELOCATION",
          "code object: " + type_name(relocation.type) + " at " + to_hex_number(relocation.offset) + " " + what,
          "the software GPU's loader applies ABS32, ABS32_LO, ABS32_HI, ABS64, REL32, REL32_LO, REL32_HI, REL64 and "
          "RELATIVE64"};
}

Result<uint64_t> symbol_address(const elf::Symbol& symbol, uint64_t load_base, const SymbolResolver& resolve) {
  if (symbol.is_absolute()) return symbol.value;
  if (symbol.is_defined()) return load_base + symbol.value;
  if (symbol.name.empty()) return uint64_t{0};
  if (auto address = resolve(symbol.name)) return *address;
  if (symbol.binding == STB_WEAK) return uint64_t{0};
  return Error{"CODE_OBJECT_UNDEFINED", "code object: variable " + std::string(symbol.name) + " is not defined",
               "define it with hsa_executable_agent_global_variable_define before the code object is loaded"};
}

Status apply(const elf::Relocation& relocation, uint64_t symbol, std::span<std::byte> image, uint64_t load_base) {
  const uint64_t target = symbol + static_cast<uint64_t>(relocation.addend);
  const uint64_t relative = target - (load_base + relocation.offset);
  auto put = [&](auto value) -> Status {
    if (relocation.offset > image.size() || sizeof(value) > image.size() - relocation.offset)
      return relocation_error(relocation, "is outside the loaded image");
    std::memcpy(image.data() + relocation.offset, &value, sizeof(value));
    return Unit{};
  };
  switch (relocation.type) {
    case kNone:
      return Unit{};
    case kAbs32Lo:
      return put(static_cast<uint32_t>(target));
    case kAbs32Hi:
      return put(static_cast<uint32_t>(target >> 32));
    case kAbs32:
      if (target > UINT32_MAX) return relocation_error(relocation, "does not hold its 64-bit value");
      return put(static_cast<uint32_t>(target));
    case kAbs64:
      return put(target);
    case kRel32: {
      const auto distance = static_cast<int64_t>(relative);
      if (distance != static_cast<int32_t>(distance)) return relocation_error(relocation, "does not hold its distance");
      return put(static_cast<uint32_t>(relative));
    }
    case kRel32Lo:
      return put(static_cast<uint32_t>(relative));
    case kRel32Hi:
      return put(static_cast<uint32_t>(relative >> 32));
    case kRel64:
      return put(relative);
    case kRelative64:
      return put(load_base + static_cast<uint64_t>(relocation.addend));
    default:
      return relocation_error(relocation, "is not supported");
  }
}

}  // namespace

Status place(const CodeObject& object, std::span<std::byte> image, uint64_t load_base, const SymbolResolver& resolve) {
  if (image.size() < object.memory_bytes())
    return Error{"CODE_OBJECT_INVALID", "code object: the image is smaller than its segments",
                 "this is a bug in the caller"};
  for (const LoadSegment& segment : object.segments())
    std::memcpy(image.data() + segment.address, object.bytes().data() + segment.file_offset, segment.file_bytes);
  for (const elf::Relocation& relocation : object.relocations()) {
    auto symbol = symbol_address(object.dynamic_symbols()[relocation.symbol], load_base, resolve);
    if (!symbol) return symbol.error();
    if (Status s = apply(relocation, *symbol, image, load_base); !s) return s;
  }
  return Unit{};
}

}  // namespace kernloop::softgpu
