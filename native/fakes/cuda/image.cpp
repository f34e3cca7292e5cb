#include "fakes/cuda/image.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <regex>

#include "codeobject/code_object.h"
#include "fakes/cuda/settings.h"

namespace kernloop::cuda::fake {
namespace {

// A loader gets no size: the ELF file ends with its last table or section.
size_t elf_bytes(const uint8_t* data) {
  Elf64_Ehdr header;
  std::memcpy(&header, data, sizeof header);
  size_t end = std::max<size_t>(header.e_shoff + size_t{header.e_shnum} * header.e_shentsize,
                                header.e_phoff + size_t{header.e_phnum} * header.e_phentsize);
  for (size_t i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section;
    std::memcpy(&section, data + header.e_shoff + i * header.e_shentsize, sizeof section);
    if (section.sh_type != SHT_NOBITS) end = std::max<size_t>(end, section.sh_offset + section.sh_size);
  }
  return end;
}

ImageKernel kernel_of(const codeobject::Kernel& from) {
  ImageKernel kernel;
  kernel.name = from.name;
  for (const codeobject::KernelArgument& argument : from.args) {
    kernel.parameters.push_back({argument.offset, argument.size});
  }
  kernel.parameter_bytes = from.kernarg_bytes;
  kernel.static_shared_bytes = from.group_segment_bytes;
  kernel.local_bytes = from.private_segment_bytes;
  if (from.cubin && from.cubin->registers != 0) kernel.registers = from.cubin->registers;
  if (from.cubin) {
    std::copy_n(from.cubin->cluster_blocks.begin(), 3, kernel.cluster);
    std::copy_n(from.cubin->required_threads.begin(), 3, kernel.required_threads);
    kernel.max_cluster_blocks = from.cubin->max_cluster_blocks;
    kernel.needs_cluster = from.cubin->needs_cluster_dimensions;
  }
  if (from.max_flat_workgroup_size != 0) kernel.max_threads = from.max_flat_workgroup_size;
  return kernel;
}

CUresult read_cubin(std::vector<uint8_t> bytes, Image& image) {
  const auto parsed = codeobject::parse_code_object(bytes, "the image");
  if (!parsed) return CUDA_ERROR_INVALID_IMAGE;
  for (const codeobject::Kernel& kernel : parsed->kernels) image.kernels.push_back(kernel_of(kernel));
  for (const codeobject::Variable& variable : parsed->variables) {
    auto initial = codeobject::initial_content(bytes, variable);
    if (!initial) return CUDA_ERROR_INVALID_IMAGE;
    image.variables.push_back({variable.name, std::move(*initial)});
  }
  image.bytes = std::move(bytes);
  return CUDA_SUCCESS;
}

size_t ptx_type_bytes(const std::string& type) {
  return static_cast<size_t>(std::stoul(type.substr(1))) / 8;
}

// `.param .align 8 .b8 name[56]` or `.param .u64 name`.
void add_ptx_parameter(const std::smatch& found, ImageKernel& kernel) {
  size_t bytes = ptx_type_bytes(found[2]);
  const size_t alignment = found[1].matched ? std::stoul(found[1]) : bytes;
  if (found[3].matched) bytes *= std::stoul(found[3]);
  const size_t offset = (kernel.parameter_bytes + alignment - 1) / alignment * alignment;
  kernel.parameters.push_back({offset, bytes});
  kernel.parameter_bytes = offset + bytes;
}

CUresult read_ptx(const std::string& text, Image& image) {
  static const std::regex kEntry(R"(\.entry\s+([\w$]+)\s*\(([^)]*)\))");
  static const std::regex kParameter(R"(\.param\s+(?:\.align\s+(\d+)\s+)?\.([busf]\d+)\s+[\w$]+(?:\[(\d+)\])?)");
  for (std::sregex_iterator entry(text.begin(), text.end(), kEntry), end; entry != end; ++entry) {
    ImageKernel kernel;
    kernel.name = (*entry)[1];
    const std::string list = (*entry)[2];
    for (std::sregex_iterator found(list.begin(), list.end(), kParameter); found != end; ++found) {
      add_ptx_parameter(*found, kernel);
    }
    image.kernels.push_back(std::move(kernel));
  }
  image.bytes.assign(text.begin(), text.end());
  return image.kernels.empty() ? CUDA_ERROR_INVALID_PTX : CUDA_SUCCESS;
}

// Result of the driver's compilation: a cubin with all these kernels, if the tests name one.
CUresult compile_ptx(Image& image) {
  if (settings().compiled_ptx.empty()) return CUDA_SUCCESS;
  std::ifstream file(settings().compiled_ptx, std::ios::binary);
  Image compiled;
  const CUresult result = read_cubin({std::istreambuf_iterator<char>(file), {}}, compiled);
  if (result != CUDA_SUCCESS) return result;
  const bool has_all = std::all_of(image.kernels.begin(), image.kernels.end(),
                                   [&](const ImageKernel& kernel) { return compiled.find(kernel.name) != nullptr; });
  if (has_all) image = std::move(compiled);
  return CUDA_SUCCESS;
}

}  // namespace

const ImageKernel* Image::find(std::string_view name) const {
  for (const ImageKernel& kernel : kernels) {
    if (kernel.name == name) return &kernel;
  }
  return nullptr;
}

CUresult read_image(const void* data, std::shared_ptr<const Image>* image) {
  if (data == nullptr) return CUDA_ERROR_INVALID_VALUE;
  auto read = std::make_shared<Image>();
  const auto* bytes = static_cast<const uint8_t*>(data);
  const bool elf = std::memcmp(bytes, ELFMAG, SELFMAG) == 0;
  CUresult result = elf ? read_cubin({bytes, bytes + elf_bytes(bytes)}, *read)
                        : read_ptx(reinterpret_cast<const char*>(bytes), *read);
  if (result == CUDA_SUCCESS && !elf) result = compile_ptx(*read);
  if (result == CUDA_SUCCESS) *image = std::move(read);
  return result;
}

}  // namespace kernloop::cuda::fake
