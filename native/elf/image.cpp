#include "elf/image.h"

#include <elf.h>

#include <cstring>

#include "base/malformed.h"

namespace kernloop::elf {

namespace {

constexpr size_t kMaxSymbols = 8u << 20;
constexpr size_t kMaxNotes = 65536;

Error bad_elf(const std::string& what, const std::string& why) {
  return {"CODE_OBJECT_INVALID", what + ": " + why, "give a complete code object, as the compiler wrote it"};
}

// A copy, so that alignment of the input never matters.
template <typename T>
T load(Bytes bytes, uint64_t offset, const char* what) {
  if (offset > bytes.size() || sizeof(T) > bytes.size() - offset)
    throw Malformed{std::string(what) + " lies outside of the file"};
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

Bytes slice(Bytes bytes, uint64_t offset, uint64_t size, const char* what) {
  if (offset > bytes.size() || size > bytes.size() - offset)
    throw Malformed{std::string(what) + " lies outside of the file"};
  return bytes.subspan(offset, size);
}

std::string_view text_at(Bytes table, uint64_t offset, const char* what) {
  if (offset >= table.size()) throw Malformed{std::string(what) + " has a name outside of its string table"};
  const auto* begin = reinterpret_cast<const char*>(table.data()) + offset;
  const void* end = std::memchr(begin, 0, table.size() - offset);
  if (!end) throw Malformed{std::string(what) + " has a name without an end"};
  return {begin, static_cast<size_t>(static_cast<const char*>(end) - begin)};
}

const char* kind_of_section(uint32_t type) {
  switch (type) {
    case SHT_DYNSYM:
    case SHT_SYMTAB:
      return "a section (symbol table)";
    case SHT_RELA:
    case SHT_REL:
      return "a section (relocations)";
    default:
      return "a section";
  }
}

// The records of a table, which must fill it exactly.
size_t count_of(const Section& table, size_t entry_size, const char* what) {
  if (table.entry_size != entry_size || table.bytes.size() % entry_size != 0)
    throw Malformed{std::string(what) + " has a wrong entry size"};
  return table.bytes.size() / entry_size;
}

std::vector<Section> read_sections(Bytes bytes, const Elf64_Ehdr& header) {
  std::vector<Section> sections;
  std::vector<Elf64_Shdr> raw;
  if (header.e_shoff == 0 || header.e_shnum == 0) return sections;
  if (header.e_shentsize != sizeof(Elf64_Shdr)) throw Malformed{"section headers have an unknown size"};
  raw.reserve(header.e_shnum);
  for (size_t i = 0; i < header.e_shnum; ++i) {
    raw.push_back(load<Elf64_Shdr>(bytes, header.e_shoff + i * sizeof(Elf64_Shdr), "a section header"));
  }
  if (header.e_shstrndx >= raw.size()) throw Malformed{"the section name table does not exist"};
  const Elf64_Shdr& names_header = raw[header.e_shstrndx];
  if (names_header.sh_type == SHT_NOBITS) throw Malformed{"the section name table is empty"};
  const Bytes names = slice(bytes, names_header.sh_offset, names_header.sh_size, "the section name table");
  for (const Elf64_Shdr& s : raw) {
    Section section;
    section.type = s.sh_type;
    section.flags = s.sh_flags;
    section.address = s.sh_addr;
    section.size = s.sh_size;
    section.link = s.sh_link;
    section.entry_size = s.sh_entsize;
    if (s.sh_type != SHT_NULL) {
      section.name = text_at(names, s.sh_name, "a section");
      if (s.sh_type != SHT_NOBITS) section.bytes = slice(bytes, s.sh_offset, s.sh_size, kind_of_section(s.sh_type));
    }
    sections.push_back(section);
  }
  return sections;
}

std::vector<Segment> read_segments(Bytes bytes, const Elf64_Ehdr& header) {
  std::vector<Segment> segments;
  if (header.e_phnum == 0) return segments;
  if (header.e_phentsize != sizeof(Elf64_Phdr)) throw Malformed{"program headers have an unknown size"};
  for (size_t i = 0; i < header.e_phnum; ++i) {
    const auto p = load<Elf64_Phdr>(bytes, header.e_phoff + i * sizeof(Elf64_Phdr), "a program header");
    segments.push_back(
        {p.p_type, p.p_flags, p.p_vaddr, p.p_memsz, p.p_offset, slice(bytes, p.p_offset, p.p_filesz, "a segment")});
  }
  return segments;
}

void read_notes(Bytes bytes, std::vector<Note>& notes) {
  uint64_t offset = 0;
  const auto padded = [](uint64_t size) { return (size + 3) & ~uint64_t{3}; };
  while (offset < bytes.size()) {
    const auto header = load<Elf64_Nhdr>(bytes, offset, "a note");
    offset += sizeof header;
    const Bytes name = slice(bytes, offset, header.n_namesz, "a note's name");
    offset += padded(header.n_namesz);
    const Bytes description = slice(bytes, offset, header.n_descsz, "a note's content");
    offset += padded(header.n_descsz);
    std::string_view text(reinterpret_cast<const char*>(name.data()), name.size());
    if (const size_t end = text.find('\0'); end != text.npos) text = text.substr(0, end);
    if (notes.size() == kMaxNotes) throw Malformed{"it has impossibly many notes"};
    notes.push_back({text, header.n_type, description});
  }
}

}  // namespace

Result<Image> Image::parse(Bytes bytes, const std::string& what) {
  try {
    const auto header = load<Elf64_Ehdr>(bytes, 0, "the ELF header");
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) throw Malformed{"this is not an ELF file (no ELF magic)"};
    if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB) {
      throw Malformed{"this is not a 64-bit little-endian ELF file"};
    }
    Image image;
    image.what_ = what;
    image.file_bytes_ = bytes.size();
    image.type_ = header.e_type;
    image.machine_ = header.e_machine;
    image.os_abi_ = header.e_ident[EI_OSABI];
    image.abi_version_ = header.e_ident[EI_ABIVERSION];
    image.flags_ = header.e_flags;
    image.sections_ = read_sections(bytes, header);
    image.segments_ = read_segments(bytes, header);
    return image;
  } catch (const Malformed& problem) {
    return bad_elf(what, problem.why);
  }
}

const Section* Image::section(std::string_view name) const {
  for (const Section& section : sections_) {
    if (section.name == name) return &section;
  }
  return nullptr;
}

bool Symbol::is_defined() const {
  return section != SHN_UNDEF && (section < SHN_LORESERVE || section == SHN_ABS);
}

bool Symbol::is_absolute() const {
  return section == SHN_ABS;
}

void Image::read_symbols(const Section& table, std::vector<Symbol>& symbols) const {
  if (table.link >= sections_.size() || sections_[table.link].type != SHT_STRTAB)
    throw Malformed{"a symbol table has no string table"};
  const Bytes names = sections_[table.link].bytes;
  const size_t count = count_of(table, sizeof(Elf64_Sym), "a symbol table");
  // Together, not each: headers of many tables may share the same bytes.
  if (count > kMaxSymbols - symbols.size()) throw Malformed{"its symbol tables are impossibly large"};
  symbols.reserve(symbols.size() + count);
  // One table of names may serve many symbols: the sum of their lengths is bounded, too.
  uint64_t name_bytes = 0;
  for (size_t i = 0; i < count; ++i) {
    const auto s = load<Elf64_Sym>(table.bytes, i * sizeof(Elf64_Sym), "a symbol");
    const bool nameless = s.st_name == 0 && names.empty();
    const std::string_view name = nameless ? std::string_view() : text_at(names, s.st_name, "a symbol");
    name_bytes += name.size();
    if (name_bytes > 4 * uint64_t{file_bytes_}) throw Malformed{"the names of a symbol table overlap each other"};
    symbols.push_back({name, static_cast<uint8_t>(ELF64_ST_TYPE(s.st_info)),
                       static_cast<uint8_t>(ELF64_ST_BIND(s.st_info)), s.st_other, s.st_shndx, s.st_value, s.st_size});
  }
}

Result<std::vector<Symbol>> Image::symbols(uint32_t section_type) const {
  try {
    std::vector<Symbol> symbols;
    for (const Section& table : sections_) {
      if (table.type == section_type) read_symbols(table, symbols);
    }
    return symbols;
  } catch (const Malformed& problem) {
    return bad_elf(what_, problem.why);
  }
}

Result<std::vector<Symbol>> Image::symbols(const Section& table) const {
  try {
    std::vector<Symbol> symbols;
    read_symbols(table, symbols);
    return symbols;
  } catch (const Malformed& problem) {
    return bad_elf(what_, problem.why);
  }
}

Result<std::vector<Relocation>> Image::relocations(const Section& table) const {
  try {
    const size_t count = count_of(table, sizeof(Elf64_Rela), "relocations: their section");
    std::vector<Relocation> relocations;
    relocations.reserve(count);
    for (size_t i = 0; i < count; ++i) {
      const auto r = load<Elf64_Rela>(table.bytes, i * sizeof(Elf64_Rela), "a relocation");
      relocations.push_back({r.r_offset, static_cast<uint32_t>(ELF64_R_TYPE(r.r_info)),
                             static_cast<uint32_t>(ELF64_R_SYM(r.r_info)), r.r_addend});
    }
    return relocations;
  } catch (const Malformed& problem) {
    return bad_elf(what_, problem.why);
  }
}

Result<std::vector<Note>> Image::notes() const {
  try {
    std::vector<Note> notes;
    for (const Segment& segment : segments_) {
      if (segment.type == PT_NOTE) read_notes(segment.bytes, notes);
    }
    if (!notes.empty()) return notes;
    for (const Section& section : sections_) {
      if (section.type == SHT_NOTE) read_notes(section.bytes, notes);
    }
    return notes;
  } catch (const Malformed& problem) {
    return bad_elf(what_, problem.why);
  }
}

}  // namespace kernloop::elf
