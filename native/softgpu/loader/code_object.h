// An AMDGPU code object (ELF64, ABI versions 3 to 6), parsed from untrusted bytes: LLVM AMDGPUUsage, "ELF Code Object".
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "softgpu/isa/target.h"
#include "support/result.h"

namespace kernloop::softgpu {

struct LoadSegment {
  uint64_t file_offset;
  uint64_t file_bytes;
  uint64_t address;  // relative to the load base
  uint64_t memory_bytes;
  bool writable;
};

struct ElfSymbol {
  std::string name;
  uint64_t value = 0;  // relative to the load base
  uint64_t size = 0;
  uint8_t type = 0;     // STT_*
  uint8_t binding = 0;  // STB_*
  bool defined = false;
  bool absolute = false;
};

struct ElfRelocation {
  uint64_t offset;
  uint32_t type;    // R_AMDGPU_*
  uint32_t symbol;  // index into dynamic_symbols()
  int64_t addend;
};

enum class Feature : uint8_t { kUnsupported, kAny, kOff, kOn };

struct CodeTarget {
  uint8_t machine;  // EF_AMDGPU_MACH_*
  Feature xnack;
  Feature sramecc;
};

class CodeObject {
 public:
  // Keeps its own copy of the bytes. Every offset, size and index is checked here; what a CodeObject returns is in
  // range.
  static Result<CodeObject> parse(std::span<const std::byte> bytes);

  std::span<const std::byte> bytes() const { return bytes_; }
  uint8_t abi_version() const { return abi_version_; }  // EI_ABIVERSION: 1 is code object v3, 2 v4, 3 v5, 4 v6
  CodeTarget target() const { return target_; }
  uint64_t memory_bytes() const { return memory_bytes_; }  // of the loaded image, from address 0
  const std::vector<LoadSegment>& segments() const { return segments_; }
  // Entry 0 is the null symbol, as in the file.
  const std::vector<ElfSymbol>& dynamic_symbols() const { return dynamic_symbols_; }
  const std::vector<ElfSymbol>& static_symbols() const { return static_symbols_; }
  const std::vector<ElfRelocation>& relocations() const { return relocations_; }

  static bool is_kernel(const ElfSymbol& symbol);
  // The descriptor (engine/kernel_descriptor.h) of a symbol for which is_kernel holds, in the file; nothing when it is
  // not all there.
  std::optional<std::span<const std::byte>> kernel_descriptor(const ElfSymbol& symbol) const;

 private:
  friend class CodeObjectParser;
  std::vector<std::byte> bytes_;
  uint8_t abi_version_ = 0;
  CodeTarget target_{};
  uint64_t memory_bytes_ = 0;
  std::vector<LoadSegment> segments_;
  std::vector<ElfSymbol> dynamic_symbols_;
  std::vector<ElfSymbol> static_symbols_;
  std::vector<ElfRelocation> relocations_;
};

// An error with code CODE_OBJECT_TARGET unless the code runs on the software GPU of this instruction set:
// gfx90a:sramecc+:xnack- or gfx1030.
Status check_target(const CodeTarget& target, Isa isa);

// "gfx90a", "gfx1030", or "machine 0x42".
std::string machine_name(uint8_t machine);

}  // namespace kernloop::softgpu
