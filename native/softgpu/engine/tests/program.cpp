#include "softgpu/engine/tests/program.h"

#include <elf.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace kernloop::softgpu::testing {

namespace {

// Room around every buffer that the host has but the device does not.
constexpr size_t kGap = 4096;

template <typename T>
T at(const std::vector<char>& file, uint64_t offset) {
  if (offset + sizeof(T) > file.size()) throw std::runtime_error("truncated ELF");
  T value;
  std::memcpy(&value, &file[offset], sizeof value);
  return value;
}

}  // namespace

Buffer::Buffer(AddressSpace& space, size_t bytes, std::string label, AddressSpace::Access access)
    : space_(space), block_(bytes + kGap), bytes_(bytes) {
  space_.map(address(), bytes, access, std::move(label));
}

Buffer::~Buffer() {
  space_.unmap(address(), bytes_);
}

Program::Program(AddressSpace& space, const std::string& path) : space_(space) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("cannot open " + path);
  const std::vector<char> file((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  const auto header = at<Elf64_Ehdr>(file, 0);
  uint64_t end = 0;
  for (unsigned k = 0; k < header.e_phnum; ++k) {
    const auto segment = at<Elf64_Phdr>(file, header.e_phoff + k * sizeof(Elf64_Phdr));
    if (segment.p_type == PT_LOAD) end = std::max(end, segment.p_vaddr + segment.p_memsz);
  }
  image_ = PageBlock(end);
  for (unsigned k = 0; k < header.e_phnum; ++k) {
    const auto segment = at<Elf64_Phdr>(file, header.e_phoff + k * sizeof(Elf64_Phdr));
    if (segment.p_type != PT_LOAD || segment.p_memsz == 0) continue;
    std::memcpy(image_.data() + segment.p_vaddr, &file.at(segment.p_offset), segment.p_filesz);
    const bool writable = (segment.p_flags & PF_W) != 0;
    space_.map(base() + segment.p_vaddr, segment.p_memsz,
               writable ? AddressSpace::Access::kReadWrite : AddressSpace::Access::kRead,
               "code object segment " + std::to_string(k));
  }
  for (unsigned k = 0; k < header.e_shnum; ++k) {
    const auto section = at<Elf64_Shdr>(file, header.e_shoff + k * sizeof(Elf64_Shdr));
    if (section.sh_type == SHT_RELA) throw std::runtime_error(path + " has relocations");
    if (section.sh_type != SHT_SYMTAB) continue;
    const auto strings = at<Elf64_Shdr>(file, header.e_shoff + section.sh_link * sizeof(Elf64_Shdr));
    for (uint64_t offset = 0; offset < section.sh_size; offset += sizeof(Elf64_Sym)) {
      const auto symbol = at<Elf64_Sym>(file, section.sh_offset + offset);
      symbols_[&file.at(strings.sh_offset + symbol.st_name)] = base() + symbol.st_value;
    }
  }
}

Program::~Program() {
  space_.unmap(base(), size());
}

uint64_t Program::symbol(const std::string& name) const {
  const auto found = symbols_.find(name);
  if (found == symbols_.end()) throw std::runtime_error("no symbol " + name);
  return found->second;
}

uint64_t Program::kernel_object(const std::string& kernel) const {
  return symbol(kernel + ".kd");
}

DispatchRequest Device::request(const std::string& kernel, Geometry geometry, const Arguments& arguments,
                                size_t kernarg_slot) {
  DispatchRequest request;
  request.kernel_name = kernel;
  request.kernel_object = program.kernel_object(kernel);
  std::copy_n(geometry.items, 3, request.grid_size);
  std::copy_n(geometry.workgroup, 3, request.workgroup_size);
  request.dimensions = 3;
  request.kernarg_address = kernarg_.address() + kernarg_slot * 512;
  std::memset(reinterpret_cast<void*>(request.kernarg_address), 0, 512);
  std::memcpy(reinterpret_cast<void*>(request.kernarg_address), arguments.bytes().data(), arguments.bytes().size());
  return request;
}

DispatchOutcome Device::run(const std::string& kernel, Geometry geometry, const Arguments& arguments,
                            const DispatchOptions& options) {
  return engine.run(request(kernel, geometry, arguments), options);
}

}  // namespace kernloop::softgpu::testing
