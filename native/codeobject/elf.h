// Bounded reading of 64-bit little-endian ELF: just what code objects and fat binaries need. Holds views into the
// caller's bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "support/result.h"

namespace kernloop::codeobject {

using Bytes = std::span<const uint8_t>;

constexpr uint16_t kMachineAmdgpu = 224;  // EM_AMDGPU
constexpr uint16_t kMachineCuda = 190;    // EM_CUDA

struct ElfSection {
  std::string_view name;
  uint32_t type = 0;
  uint64_t flags = 0, address = 0, size = 0, link = 0;
  Bytes bytes;  // empty for SHT_NOBITS
};

struct ElfSegment {
  uint32_t type = 0, flags = 0;
  uint64_t address = 0, memory_size = 0;
  Bytes bytes;
};

struct ElfSymbol {
  std::string_view name;
  uint8_t type = 0, binding = 0;
  uint8_t other = 0;     // st_other: visibility, and what the machine's ABI adds
  uint16_t section = 0;  // SHN_UNDEF: not defined here
  uint64_t value = 0, size = 0;
};

struct ElfNote {
  std::string_view name;
  uint32_t type = 0;
  Bytes description;
};

class ElfImage {
 public:
  // Refuses what is not a complete ELF of that kind; `what` names it in errors.
  static Result<ElfImage> parse(Bytes bytes, const std::string& what);

  uint16_t type() const { return type_; }  // ET_EXEC, ET_DYN, ET_REL
  uint16_t machine() const { return machine_; }
  uint8_t os_abi() const { return os_abi_; }
  uint8_t abi_version() const { return abi_version_; }
  uint32_t flags() const { return flags_; }
  const std::vector<ElfSection>& sections() const { return sections_; }
  const std::vector<ElfSegment>& segments() const { return segments_; }
  const ElfSection* section(std::string_view name) const;

  Result<std::vector<ElfSymbol>> symbols(
      uint32_t section_type) const;            // SHT_DYNSYM or SHT_SYMTAB; empty when there is none
  Result<std::vector<ElfNote>> notes() const;  // of PT_NOTE segments, else of SHT_NOTE sections

 private:
  ElfImage() = default;
  std::string what_;
  uint16_t type_ = 0, machine_ = 0;
  uint8_t os_abi_ = 0, abi_version_ = 0;
  uint32_t flags_ = 0;
  std::vector<ElfSection> sections_;
  std::vector<ElfSegment> segments_;
};

}  // namespace kernloop::codeobject
