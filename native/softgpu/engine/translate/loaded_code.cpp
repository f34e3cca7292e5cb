#include "softgpu/engine/translate/loaded_code.h"

#include <elf.h>
#include <sys/mman.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

namespace kernloop::softgpu {

namespace {

constexpr size_t kPage = 4096;

std::atomic<size_t> loaded_bytes{0};

size_t aligned(size_t value, size_t alignment) {
  return alignment > 1 ? (value + alignment - 1) / alignment * alignment : value;
}

}  // namespace

class ObjectReader {
 public:
  explicit ObjectReader(std::span<const char> object) : object_(object) {}

  std::shared_ptr<const LoadedCode> load() {
    if (!read_sections()) return nullptr;
    // Code first, then data in pages of their own.
    size_t bytes = 0;
    place(true, bytes);
    const size_t code_bytes = bytes = aligned(bytes, kPage);
    place(false, bytes);
    bytes = aligned(bytes, kPage);
    if (code_bytes == 0 || bytes > kMost) return fail("it has no code, or too much");
    void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return fail("no memory for it");
    std::shared_ptr<LoadedCode> code(new LoadedCode(static_cast<char*>(memory), bytes));
    memory_ = code->memory_;
    for (size_t k = 0; k < sections_.size(); ++k) {
      if (places_[k]) std::memcpy(memory_ + *places_[k], object_.data() + sections_[k].sh_offset, sections_[k].sh_size);
    }
    for (const Elf64_Shdr& section : sections_) {
      if (section.sh_type == SHT_RELA && !relocate(section)) return nullptr;
      if (section.sh_type == SHT_SYMTAB && !read_symbols(section, *code)) return nullptr;
    }
    if (::mprotect(memory_, code_bytes, PROT_READ | PROT_EXEC) != 0 ||
        (bytes > code_bytes && ::mprotect(memory_ + code_bytes, bytes - code_bytes, PROT_READ) != 0))
      return fail("its memory cannot be made executable");
    return code;
  }
  const std::string& problem() const { return problem_; }

 private:
  static constexpr size_t kMost = size_t{64} << 20;

  std::nullptr_t fail(std::string why) {
    problem_ = "the object cannot be loaded: " + std::move(why);
    return nullptr;
  }
  bool refuse(std::string why) {
    fail(std::move(why));
    return false;
  }

  bool is_inside(uint64_t offset, uint64_t bytes) const {
    return offset <= object_.size() && bytes <= object_.size() - offset;
  }
  template <class T>
  T at(uint64_t offset) const {
    T value;
    std::memcpy(&value, object_.data() + offset, sizeof value);
    return value;
  }
  // The entries of a table; empty if it is not in the object.
  template <class T>
  std::vector<T> table(const Elf64_Shdr& section) const {
    if (!is_inside(section.sh_offset, section.sh_size)) return {};
    std::vector<T> entries(section.sh_size / sizeof(T));
    std::memcpy(entries.data(), object_.data() + section.sh_offset, entries.size() * sizeof(T));
    return entries;
  }

  bool read_sections() {
    if (!is_inside(0, sizeof(Elf64_Ehdr))) return refuse("it is too short");
    const auto header = at<Elf64_Ehdr>(0);
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_type != ET_REL || header.e_machine != EM_X86_64 ||
        header.e_shentsize != sizeof(Elf64_Shdr) || header.e_shnum == 0 ||
        !is_inside(header.e_shoff, uint64_t{header.e_shnum} * sizeof(Elf64_Shdr)))
      return refuse("it is no relocatable object of x86-64");
    for (unsigned k = 0; k < header.e_shnum; ++k) {
      const auto section = at<Elf64_Shdr>(header.e_shoff + k * sizeof(Elf64_Shdr));
      if (section.sh_type != SHT_NOBITS && !is_inside(section.sh_offset, section.sh_size))
        return refuse("a section is not inside of it");
      if ((section.sh_flags & (SHF_ALLOC | SHF_WRITE)) == (SHF_ALLOC | SHF_WRITE) && section.sh_size != 0)
        return refuse("it has data that is written");
      if (section.sh_addralign > kPage || section.sh_size > kMost) return refuse("a section is too large");
      sections_.push_back(section);
    }
    places_.resize(sections_.size());
    return true;
  }

  void place(bool code, size_t& bytes) {
    for (size_t k = 0; k < sections_.size(); ++k) {
      const Elf64_Shdr& section = sections_[k];
      // Unwind tables have a type of their own: nothing is thrown through this code.
      const bool is_wanted = section.sh_type == SHT_PROGBITS && (section.sh_flags & SHF_ALLOC) != 0;
      if (!is_wanted || ((section.sh_flags & SHF_EXECINSTR) != 0) != code) continue;
      bytes = aligned(bytes, section.sh_addralign);
      places_[k] = bytes;
      bytes += section.sh_size;
    }
  }

  std::optional<uint64_t> address_of(const Elf64_Sym& symbol) const {
    if (symbol.st_shndx >= sections_.size() || !places_[symbol.st_shndx]) return std::nullopt;
    return reinterpret_cast<uint64_t>(memory_) + *places_[symbol.st_shndx] + symbol.st_value;
  }

  bool relocate(const Elf64_Shdr& section) {
    if (section.sh_info >= sections_.size() || section.sh_link >= sections_.size() || !places_[section.sh_info])
      return true;
    const std::vector<Elf64_Sym> symbols = table<Elf64_Sym>(sections_[section.sh_link]);
    for (const Elf64_Rela& entry : table<Elf64_Rela>(section)) {
      const uint64_t type = ELF64_R_TYPE(entry.r_info), symbol = ELF64_R_SYM(entry.r_info);
      if (type != R_X86_64_PC32 && type != R_X86_64_PLT32) return refuse("relocation of type " + std::to_string(type));
      if (sections_[section.sh_info].sh_size < 4 || entry.r_offset > sections_[section.sh_info].sh_size - 4)
        return refuse("a relocation is outside of its section");
      const std::optional<uint64_t> target = symbol < symbols.size() ? address_of(symbols[symbol]) : std::nullopt;
      if (!target) return refuse("it needs a symbol from outside");
      char* const place = memory_ + *places_[section.sh_info] + entry.r_offset;
      const auto value =
          static_cast<uint32_t>(*target + static_cast<uint64_t>(entry.r_addend) - reinterpret_cast<uint64_t>(place));
      std::memcpy(place, &value, 4);
    }
    return true;
  }

  bool read_symbols(const Elf64_Shdr& section, LoadedCode& code) {
    if (section.sh_link >= sections_.size()) return refuse("its symbols have no names");
    const Elf64_Shdr& strings = sections_[section.sh_link];
    if (!is_inside(strings.sh_offset, strings.sh_size)) return refuse("the names of its symbols are not inside of it");
    for (const Elf64_Sym& symbol : table<Elf64_Sym>(section)) {
      const std::optional<uint64_t> address = address_of(symbol);
      if (!address || ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_name >= strings.sh_size) continue;
      const char* name = object_.data() + strings.sh_offset + symbol.st_name;
      code.symbols_[std::string(name, ::strnlen(name, strings.sh_size - symbol.st_name))] =
          reinterpret_cast<const void*>(*address);
    }
    return true;
  }

  const std::span<const char> object_;
  std::vector<Elf64_Shdr> sections_;
  std::vector<std::optional<size_t>> places_;  // of sections in memory
  char* memory_ = nullptr;
  std::string problem_;
};

std::shared_ptr<const LoadedCode> LoadedCode::load(std::span<const char> object, std::string& problem) {
  ObjectReader reader(object);
  std::shared_ptr<const LoadedCode> code = reader.load();
  if (!code) problem = reader.problem();
  return code;
}

LoadedCode::LoadedCode(char* memory, size_t bytes) : memory_(memory), bytes_(bytes) {
  loaded_bytes.fetch_add(bytes, std::memory_order_relaxed);
}
LoadedCode::~LoadedCode() {
  ::munmap(memory_, bytes_);
  loaded_bytes.fetch_sub(bytes_, std::memory_order_relaxed);
}
size_t LoadedCode::all_bytes() {
  return loaded_bytes.load(std::memory_order_relaxed);
}

const void* LoadedCode::symbol(const std::string& name) const {
  const auto found = symbols_.find(name);
  return found == symbols_.end() ? nullptr : found->second;
}

}  // namespace kernloop::softgpu
