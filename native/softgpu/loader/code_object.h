// An AMDGPU code object (ELF64, ABI versions 3 to 6), parsed from untrusted bytes: LLVM AMDGPUUsage, "ELF Code Object".
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "elf/image.h"
#include "softgpu/isa/target.h"

namespace kernloop::softgpu {

struct LoadSegment {
  uint64_t file_offset;
  uint64_t file_bytes;
  uint64_t address;  // relative to the load base
  uint64_t memory_bytes;
  bool writable;
  bool executable;
};

enum class Feature : uint8_t { kUnsupported, kAny, kOff, kOn };

struct CodeTarget {
  uint8_t machine;  // EF_AMDGPU_MACH_*
  Feature xnack;
  Feature sramecc;
};

class CodeObject {
 public:
  // Keeps its own copy of the bytes, into which names are views. Every offset, size and index is checked here; a
  // CodeObject returns only values in range.
  static Result<CodeObject> parse(std::span<const std::byte> bytes);
  CodeObject(CodeObject&&) = default;
  CodeObject& operator=(CodeObject&&) = default;

  std::span<const std::byte> bytes() const { return bytes_; }
  uint8_t abi_version() const { return abi_version_; }  // EI_ABIVERSION: 1 is code object v3, 2 v4, 3 v5, 4 v6
  CodeTarget target() const { return target_; }
  uint64_t memory_bytes() const { return memory_bytes_; }  // size of the loaded image, from address 0
  const std::vector<LoadSegment>& segments() const { return segments_; }
  // Entry 0 is the null symbol, as in the file.
  const std::vector<elf::Symbol>& dynamic_symbols() const { return dynamic_symbols_; }
  const std::vector<elf::Symbol>& static_symbols() const { return static_symbols_; }
  const std::vector<elf::Relocation>& relocations() const { return relocations_; }

  static bool is_kernel(const elf::Symbol& symbol);
  // The descriptor (engine/code/kernel_descriptor.h) of a symbol for which is_kernel holds, in the file; none if it is
  // incomplete.
  std::optional<std::span<const std::byte>> kernel_descriptor(const elf::Symbol& symbol) const;

 private:
  CodeObject() = default;
  friend class CodeObjectParser;
  std::vector<std::byte> bytes_;
  uint8_t abi_version_ = 0;
  CodeTarget target_{};
  uint64_t memory_bytes_ = 0;
  std::vector<LoadSegment> segments_;
  std::vector<elf::Symbol> dynamic_symbols_;
  std::vector<elf::Symbol> static_symbols_;
  std::vector<elf::Relocation> relocations_;
};

// An error with code CODE_OBJECT_TARGET unless the code runs on the software GPU of this instruction set:
// gfx90a:sramecc+:xnack-, gfx1030, or a generic target that includes it.
Status check_target(const CodeTarget& target, Isa isa);

// "gfx90a", "gfx1030", or "machine 0x42".
std::string machine_name(uint8_t machine);

}  // namespace kernloop::softgpu
