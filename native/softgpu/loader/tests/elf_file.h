// A code object of the tests, open for damage: its ELF records by name.
#pragma once

#include <elf.h>

#include <cstddef>
#include <cstring>
#include <fstream>
#include <iterator>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace kernloop::softgpu {

class ElfFile {
 public:
  explicit ElfFile(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw std::runtime_error("cannot read " + path);
    bytes_.assign(std::istreambuf_iterator<char>(file), {});
  }

  std::span<const std::byte> bytes() const { return std::as_bytes(std::span(bytes_)); }
  std::vector<char>& raw() { return bytes_; }

  Elf64_Ehdr& header() { return at<Elf64_Ehdr>(0); }
  Elf64_Phdr& program(unsigned index) { return at<Elf64_Phdr>(header().e_phoff + index * sizeof(Elf64_Phdr)); }
  Elf64_Shdr& section(unsigned index) { return at<Elf64_Shdr>(header().e_shoff + index * sizeof(Elf64_Shdr)); }
  Elf64_Shdr& section(const std::string& name) {
    const Elf64_Shdr& names = section(header().e_shstrndx);
    for (unsigned i = 0; i < header().e_shnum; ++i) {
      if (name == &bytes_[names.sh_offset + section(i).sh_name]) return section(i);
    }
    throw std::runtime_error("no section " + name);
  }
  size_t relocations() { return section(".rela.dyn").sh_size / sizeof(Elf64_Rela); }
  Elf64_Rela& relocation(size_t index) {
    return at<Elf64_Rela>(section(".rela.dyn").sh_offset + index * sizeof(Elf64_Rela));
  }

 private:
  template <typename Record>
  Record& at(size_t offset) {
    if (offset + sizeof(Record) > bytes_.size()) throw std::runtime_error("ELF record outside the file");
    return *reinterpret_cast<Record*>(&bytes_[offset]);
  }
  std::vector<char> bytes_;
};

}  // namespace kernloop::softgpu
