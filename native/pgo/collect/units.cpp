#include "pgo/collect/units.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "elf/image.h"
#include "pgo/format/raw.h"

namespace kernloop::pgo {

namespace {

constexpr std::string_view kStockRecord = "__profd_", kStockCounters = "__profc_", kStockNames = "__llvm_prf_nm",
                           kStockVersion = "__llvm_profile_raw_version", kAll = "all_", kHipCuid = "__hip_cuid_";

// Stock records: names that are also the prefix of ours.
bool is_of_function(std::string_view name, std::string_view prefix) {
  return name.starts_with(prefix) && !name.substr(prefix.size()).starts_with(kAll);
}

uint64_t size_of_elf(const uint8_t* image) {
  Elf64_Ehdr header;
  std::memcpy(&header, image, sizeof header);
  uint64_t size = std::max<uint64_t>(sizeof header, header.e_shoff + uint64_t{header.e_shnum} * sizeof(Elf64_Shdr));
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section;
    std::memcpy(&section, image + header.e_shoff + i * sizeof section, sizeof section);
    if (section.sh_type != SHT_NOBITS) size = std::max(size, section.sh_offset + section.sh_size);
  }
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    std::memcpy(&segment, image + header.e_phoff + i * sizeof segment, sizeof segment);
    size = std::max(size, segment.p_offset + segment.p_filesz);
  }
  return size;
}

}  // namespace

std::string processor_in(std::string_view text) {
  const size_t begin = text.find("gfx");
  if (begin == text.npos) return "";
  size_t end = begin + 3;
  while (end < text.size() && std::isxdigit(static_cast<unsigned char>(text[end]))) ++end;
  return std::string(text.substr(begin, end - begin));
}

namespace {

Result<UnitProfile> stock_profile(const Unit& unit, const std::map<std::string, Buffer>& values) {
  UnitProfile profile;
  profile.waves.cuid = unit.cuid;
  profile.stock = true;
  profile.raw_version = load<uint64_t>(values.at(std::string(kStockVersion)), 0, "the version");
  profile.names = values.at(std::string(kStockNames));
  for (const auto& [name, record] : values) {
    if (!is_of_function(name, kStockRecord)) continue;
    const auto counters = values.find(std::string(kStockCounters) + name.substr(kStockRecord.size()));
    if (record.size() != kRawRecordBytes || counters == values.end())
      malformed("the record " + name + " has no counters");
    const auto count = load<uint32_t>(record, 48, "a record");
    profile.records.push_back({load<uint64_t>(record, 0, "a record"), load<uint64_t>(record, 8, "a record"), count});
    for (uint32_t i = 0; i < count; ++i)
      profile.counters.push_back(load<uint64_t>(counters->second, uint64_t{i} * 8, "the counters of a function"));
  }
  return profile;
}

}  // namespace

Result<std::vector<ImagePiece>> code_objects_at(const void* image, const std::string& what) {
  constexpr std::string_view kBundle = "__CLANG_OFFLOAD_BUNDLE__";
  constexpr uint64_t kMaxEntries = 256;
  const auto* bytes = static_cast<const uint8_t*>(image);
  if (std::memcmp(bytes, ELFMAG, SELFMAG) == 0) return std::vector<ImagePiece>{{"", {bytes, size_of_elf(bytes)}}};
  if (std::memcmp(bytes, "CCOB", 4) == 0) {
    return Error{"CODE_OBJECT_COMPRESSED", what + " is a compressed offload bundle, which is not read",
                 "build it with --no-offload-compress"};
  }
  if (std::memcmp(bytes, kBundle.data(), kBundle.size()) != 0) {
    return Error{"CODE_OBJECT_INVALID", what + " is neither an ELF file nor an offload bundle",
                 "give the code object as the compiler wrote it"};
  }
  std::vector<ImagePiece> found;
  const uint8_t* at = bytes + kBundle.size();
  const auto word = [&] {
    uint64_t value;
    std::memcpy(&value, at, sizeof value);
    at += sizeof value;
    return value;
  };
  const uint64_t count = word();
  for (uint64_t i = 0; i < std::min(count, kMaxEntries); ++i) {
    const uint64_t offset = word(), size = word(), id = word();
    const std::string_view target(reinterpret_cast<const char*>(at), id);
    at += id;
    if (size < sizeof(Elf64_Ehdr) || std::memcmp(bytes + offset, ELFMAG, SELFMAG) != 0) continue;
    found.push_back({processor_in(target), {bytes + offset, size}});
  }
  return found;
}

Result<std::vector<Unit>> find_units(Bytes code_object, const std::string& what) {
  const auto image = elf::Image::parse(code_object, what);
  if (!image) return image.error();
  // Cubins have no table for dynamic linking.
  const bool cubin = image->machine() == elf::kMachineCuda;
  const auto symbols = image->symbols(cubin ? SHT_SYMTAB : SHT_DYNSYM);
  if (!symbols) return symbols.error();
  std::map<std::string, Unit> units;
  Unit stock{"0", true, {}};
  bool has_names = false, has_version = false;
  for (const elf::Symbol& symbol : *symbols) {
    if (symbol.section == SHN_UNDEF || symbol.binding == STB_LOCAL) continue;
    const Variable variable{std::string(symbol.name), symbol.size};
    for (const ImagePart& part : image_parts()) {
      if (!symbol.name.starts_with(part.prefix)) continue;
      Unit& unit = units[std::string(symbol.name.substr(part.prefix.size()))];
      unit.variables.push_back(variable);
    }
    if (symbol.name.starts_with(kHipCuid)) stock.cuid = symbol.name.substr(kHipCuid.size());
    has_names |= symbol.name == kStockNames, has_version |= symbol.name == kStockVersion;
    if (symbol.name == kStockNames || symbol.name == kStockVersion || is_of_function(symbol.name, kStockRecord) ||
        is_of_function(symbol.name, kStockCounters)) {
      stock.variables.push_back(variable);
    }
  }
  std::vector<Unit> found;
  for (auto& [cuid, unit] : units) {
    unit.cuid = cuid;
    // A unit has all parts; other symbols may begin like one of them.
    if (unit.variables.size() == image_parts().size()) found.push_back(std::move(unit));
  }
  if (has_names && has_version) found.push_back(std::move(stock));
  return found;
}

std::vector<Unit> find_units_by_name(Bytes image) {
  const std::string_view text(reinterpret_cast<const char*>(image.data()), image.size());
  const std::string_view prefix = image_parts()[0].prefix;
  const auto in_name = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '.';
  };
  std::map<std::string, Unit> units;
  for (size_t at = text.find(prefix); at != text.npos; at = text.find(prefix, at + 1)) {
    const size_t begin = at + prefix.size();
    size_t end = begin;
    while (end < text.size() && in_name(text[end])) ++end;
    Unit unit{std::string(text.substr(begin, end - begin)), false, {}};
    for (const ImagePart& part : image_parts()) unit.variables.push_back({std::string(part.prefix) + unit.cuid, 0});
    units.emplace(unit.cuid, std::move(unit));
  }
  std::vector<Unit> found;
  for (auto& [cuid, unit] : units) found.push_back(std::move(unit));
  return found;
}

uint64_t size_of_cuda_image(const void* image) {
  constexpr uint32_t kFatBinary = 0xba55ed50;  // fatbinary_section.h; the header says how long it and the rest are
  uint32_t magic;
  std::memcpy(&magic, image, sizeof magic);
  const auto* bytes = static_cast<const uint8_t*>(image);
  if (std::memcmp(image, ELFMAG, SELFMAG) == 0) return size_of_elf(bytes);
  if (magic == kFatBinary) {
    uint16_t header;
    uint64_t rest;
    std::memcpy(&header, bytes + 6, sizeof header);
    std::memcpy(&rest, bytes + 8, sizeof rest);
    return header + rest;
  }
  // PTX is text with an end.
  const auto* text = static_cast<const char*>(image);
  return std::strncmp(text, "//", 2) == 0 || std::strncmp(text, ".version", 8) == 0 || *text == '\n' ? std::strlen(text)
                                                                                                     : 0;
}

std::optional<Result<UnitProfile>> read_unit(const Unit& unit, const ReadVariable& read) {
  std::map<std::string, Buffer> values;
  for (const Variable& variable : unit.variables) {
    auto value = read(variable);
    if (!value) return std::nullopt;
    values[variable.name] = std::move(*value);
  }
  if (unit.stock) {
    try {
      return stock_profile(unit, values);
    } catch (const Malformed& problem) {
      return Error{problem.code, "the counters of translation unit " + unit.cuid + ": " + problem.why,
                   "build it again"};
    }
  }
  DeviceImage image;
  image.cuid = unit.cuid;
  for (const ImagePart& part : image_parts())
    image.*part.bytes = std::move(values[std::string(part.prefix) + unit.cuid]);
  return read_device_image(image);
}

}  // namespace kernloop::pgo
