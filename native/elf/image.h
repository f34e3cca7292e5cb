// Bounded reading of 64-bit little-endian ELF: only the parts that code objects and fat binaries need, for all rooms.
// Holds views into the caller's bytes. Needs only libc: agents inside of an app's process use it, too.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace kernloop::elf {

constexpr uint16_t kMachineAmdgpu = 224;  // EM_AMDGPU
constexpr uint16_t kMachineCuda = 190;    // EM_CUDA

struct Section {
  std::string_view name;
  uint32_t type = 0;
  uint64_t flags = 0, address = 0, size = 0, link = 0, entry_size = 0;
  Bytes bytes;  // empty for SHT_NOBITS
};

struct Segment {
  uint32_t type = 0, flags = 0;
  uint64_t address = 0, memory_size = 0;
  uint64_t offset = 0;  // offset of `bytes` in the file
  Bytes bytes;
};

struct Symbol {
  std::string_view name;
  uint8_t type = 0, binding = 0;
  uint8_t other = 0;     // st_other: visibility, and what the machine's ABI adds
  uint16_t section = 0;  // SHN_UNDEF: not defined here
  uint64_t value = 0, size = 0;

  // Reserved section indices (except ABS) name no section, e.g. SHN_AMDGPU_LDS.
  bool is_defined() const;
  bool is_absolute() const;
};

struct Relocation {
  uint64_t offset = 0;
  uint32_t type = 0;    // R_*
  uint32_t symbol = 0;  // index into the symbols of the linked table
  int64_t addend = 0;
};

struct Note {
  std::string_view name;
  uint32_t type = 0;
  Bytes description;
};

class Image {
 public:
  // Refuses bytes that are not a complete ELF of that kind; `what` names them in errors.
  static Result<Image> parse(Bytes bytes, const std::string& what);

  uint16_t type() const { return type_; }  // ET_EXEC, ET_DYN, ET_REL
  uint16_t machine() const { return machine_; }
  uint8_t os_abi() const { return os_abi_; }
  uint8_t abi_version() const { return abi_version_; }
  uint32_t flags() const { return flags_; }
  const std::vector<Section>& sections() const { return sections_; }
  const std::vector<Segment>& segments() const { return segments_; }
  const Section* section(std::string_view name) const;

  // Symbols of all tables of a type (SHT_DYNSYM, SHT_SYMTAB), empty if there is none; or of one.
  Result<std::vector<Symbol>> symbols(uint32_t section_type) const;
  Result<std::vector<Symbol>> symbols(const Section& table) const;
  Result<std::vector<Relocation>> relocations(const Section& table) const;  // SHT_RELA
  Result<std::vector<Note>> notes() const;  // from PT_NOTE segments, else from SHT_NOTE sections

 private:
  Image() = default;
  void read_symbols(const Section& table, std::vector<Symbol>& symbols) const;
  std::string what_;
  size_t file_bytes_ = 0;
  uint16_t type_ = 0, machine_ = 0;
  uint8_t os_abi_ = 0, abi_version_ = 0;
  uint32_t flags_ = 0;
  std::vector<Section> sections_;
  std::vector<Segment> segments_;
};

}  // namespace kernloop::elf
