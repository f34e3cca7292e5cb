#include "codeobject/code_object.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <map>

#include "base/malformed.h"
#include "codeobject/cubin.h"
#include "codeobject/metadata_note.h"
#include "codeobject/msgpack.h"

namespace kernloop::codeobject {

namespace {

constexpr uint64_t kMaxImageBytes = uint64_t{1} << 40;

std::string text_of(const msgpack::Value& map, const char* key) {
  const msgpack::Value* value = map.find(key);
  return value && value->text() ? *value->text() : "";
}

uint32_t number_of(const msgpack::Value& map, const char* key, bool required = false) {
  const msgpack::Value* value = map.find(key);
  const auto number = value ? value->number() : std::nullopt;
  if (!number && !required) return 0;
  if (!number || *number > std::numeric_limits<uint32_t>::max())
    throw Malformed{std::string("metadata lacks a good ") + key};
  return static_cast<uint32_t>(*number);
}

std::array<uint32_t, 3> dimensions_of(const msgpack::Value& map, const char* key) {
  const msgpack::Value* value = map.find(key);
  if (!value) return {};
  const auto* list = value->array();
  if (!list || list->size() != 3) throw Malformed{std::string("metadata lacks a good ") + key};
  std::array<uint32_t, 3> dimensions;
  for (size_t axis = 0; axis < 3; ++axis) {
    const auto number = (*list)[axis].number();
    if (!number || *number == 0 || *number > std::numeric_limits<uint32_t>::max())
      throw Malformed{std::string("metadata lacks a good ") + key};
    dimensions[axis] = static_cast<uint32_t>(*number);
  }
  return dimensions;
}

KernelArgument read_argument(const msgpack::Value& map, const std::string& kernel, uint32_t kernarg_bytes) {
  KernelArgument argument;
  argument.offset = number_of(map, ".offset", true);
  argument.size = number_of(map, ".size", true);
  argument.value_kind = text_of(map, ".value_kind");
  argument.name = text_of(map, ".name");
  argument.type_name = text_of(map, ".type_name");
  argument.address_space = text_of(map, ".address_space");
  argument.access = text_of(map, ".access");
  argument.actual_access = text_of(map, ".actual_access");
  if (argument.offset > kernarg_bytes || argument.size > kernarg_bytes - argument.offset) {
    throw Malformed{"an argument of " + kernel + " ends beyond its kernarg segment"};
  }
  return argument;
}

Kernel read_kernel(const msgpack::Value& map) {
  Kernel kernel;
  kernel.name = text_of(map, ".name");
  kernel.symbol = text_of(map, ".symbol");
  if (kernel.name.empty() || kernel.symbol.empty()) throw Malformed{"metadata has a kernel without a name"};
  kernel.demangled = demangle(kernel.name);
  kernel.kernarg_bytes = number_of(map, ".kernarg_segment_size", true);
  kernel.group_segment_bytes = number_of(map, ".group_segment_fixed_size", true);
  kernel.private_segment_bytes = number_of(map, ".private_segment_fixed_size", true);
  kernel.wavefront_size = number_of(map, ".wavefront_size", true);
  kernel.sgpr_count = number_of(map, ".sgpr_count");
  kernel.vgpr_count = number_of(map, ".vgpr_count");
  kernel.agpr_count = number_of(map, ".agpr_count");
  kernel.sgpr_spill_count = number_of(map, ".sgpr_spill_count");
  kernel.vgpr_spill_count = number_of(map, ".vgpr_spill_count");
  kernel.max_flat_workgroup_size = number_of(map, ".max_flat_workgroup_size");
  kernel.required_workgroup = dimensions_of(map, ".reqd_workgroup_size");
  kernel.needs_whole_workgroups = number_of(map, ".uniform_work_group_size") == 1;
  if (const auto* dynamic = map.find(".uses_dynamic_stack")) {
    if (const bool* value = std::get_if<bool>(&dynamic->data)) kernel.uses_dynamic_stack = *value;
  }
  if (const auto* args = map.find(".args")) {
    if (!args->array()) throw Malformed{"metadata of " + kernel.name + " has no list of arguments"};
    for (const auto& argument : *args->array()) {
      kernel.args.push_back(read_argument(argument, kernel.name, kernel.kernarg_bytes));
    }
  }
  return kernel;
}

void read_metadata(const elf::Image& image, const std::string& what, CodeObjectInfo& info) {
  const msgpack::Value metadata = read_metadata_note(image, what);
  info.target = text_of(metadata, "amdhsa.target");
  if (const auto* kernels = metadata.find("amdhsa.kernels"); kernels && kernels->array()) {
    for (const auto& kernel : *kernels->array()) info.kernels.push_back(read_kernel(kernel));
  }
}

std::vector<elf::Symbol> symbols_of(const elf::Image& image, uint32_t type) {
  auto symbols = image.symbols(type);
  if (!symbols) throw Malformed{symbols.error().message};
  return std::move(*symbols);
}

// ROCm-Device-Libs, ockl/src/dm.cl: a static variable that LLVM gives a name of its own.
void find_device_heap(const std::vector<elf::Symbol>& symbols, std::map<std::string_view, Variable>& variables) {
  const bool allocates = std::ranges::any_of(
      symbols, [](const elf::Symbol& symbol) { return symbol.type == STT_FUNC && symbol.name == "__ockl_dm_alloc"; });
  if (!allocates) return;
  Variable* heap = nullptr;
  for (auto& [name, variable] : variables) {
    const bool may_be = variable.writable && name.starts_with("__unnamed_");
    if (may_be && (!heap || variable.size > heap->size)) heap = &variable;
  }
  if (heap) heap->is_device_heap = true;
}

// WGP_MODE of the kernel descriptor (AMDGPUUsage, "Kernel Descriptor"); false if the file has no bytes for it.
bool is_in_workgroup_processor_mode(const elf::Image& image, uint64_t descriptor) {
  constexpr uint64_t kProgramResources1 = 48;
  constexpr uint32_t kWgpMode = 1u << 29;
  const uint64_t address = descriptor + kProgramResources1;
  for (const elf::Segment& segment : image.segments()) {
    if (segment.type != PT_LOAD || address < segment.address) continue;
    const uint64_t offset = address - segment.address;
    if (segment.bytes.size() < sizeof(uint32_t) || offset > segment.bytes.size() - sizeof(uint32_t)) continue;
    uint32_t word = 0;
    std::memcpy(&word, segment.bytes.data() + offset, sizeof word);
    return (word & kWgpMode) != 0;
  }
  return false;
}

void read_symbols(const elf::Image& image, CodeObjectInfo& info) {
  std::map<std::string_view, uint64_t> descriptors;
  std::map<std::string_view, Variable> variables;
  std::vector<elf::Symbol> lists[] = {symbols_of(image, SHT_DYNSYM), symbols_of(image, SHT_SYMTAB)};
  for (int list = 0; list < 2; ++list) {
    for (const elf::Symbol& symbol : lists[list]) {
      if (symbol.type != STT_OBJECT || symbol.section == SHN_UNDEF || symbol.section >= image.sections().size())
        continue;
      if (symbol.value >= kMaxImageBytes || symbol.size > kMaxImageBytes)
        throw Malformed{"a symbol lies outside of the image"};
      if (symbol.name.ends_with(".kd")) {
        descriptors.emplace(symbol.name, symbol.value);
        continue;
      }
      if (symbol.size == 0 || symbol.name.empty()) continue;
      const elf::Section& section = image.sections()[symbol.section];
      if (!(section.flags & SHF_ALLOC)) continue;
      variables.try_emplace(symbol.name,
                            Variable{std::string(symbol.name), symbol.value, symbol.size, std::string(section.name),
                                     (section.flags & SHF_WRITE) != 0, list == 0, false});
    }
  }
  find_device_heap(lists[1], variables);
  for (Kernel& kernel : info.kernels) {
    const auto found = descriptors.find(kernel.symbol);
    if (found == descriptors.end()) throw Malformed{"metadata names " + kernel.symbol + ", which is not defined"};
    kernel.descriptor_address = found->second;
    kernel.is_on_two_units = is_in_workgroup_processor_mode(image, found->second);
  }
  for (auto& [name, variable] : variables) info.variables.push_back(std::move(variable));
}

uint64_t image_bytes(const elf::Image& image) {
  uint64_t end = 0;
  for (const elf::Segment& segment : image.segments()) {
    if (segment.type != PT_LOAD) continue;
    if (segment.address > kMaxImageBytes || segment.memory_size > kMaxImageBytes)
      throw Malformed{"a segment is impossibly large"};
    end = std::max(end, segment.address + segment.memory_size);
  }
  if (end == 0) throw Malformed{"it has nothing to load"};
  return end;
}

// Rounds to pages of 4 KiB, the smallest page of any AMD GPU's memory.
void add_pages(const std::vector<elf::Segment>& segments, WritableBytes& bytes) {
  constexpr uint64_t kPage = 4096;
  const uint64_t last = bytes.address + bytes.size;
  uint64_t begin = bytes.address / kPage * kPage, end = (last + kPage - 1) / kPage * kPage;
  for (const elf::Segment& other : segments) {
    if (other.type != PT_LOAD || other.memory_size == 0) continue;
    const uint64_t other_end = other.address + other.memory_size;
    if (other_end <= bytes.address) begin = std::max(begin, other_end);
    if (other.address >= last) end = std::min(end, other.address);
  }
  bytes.pages_address = begin;
  bytes.pages_size = end - begin;
}

// Split where the loader's tables begin and end.
std::vector<WritableBytes> writable_bytes(const elf::Image& image) {
  const std::vector<elf::Segment>& segments = image.segments();
  const auto tables = std::find_if(segments.begin(), segments.end(),
                                   [](const elf::Segment& segment) { return segment.type == PT_GNU_RELRO; });
  std::vector<WritableBytes> writable;
  const auto add = [&](uint64_t address, uint64_t size, bool is_relocated) {
    if (size == 0) return;
    add_pages(segments, writable.emplace_back(WritableBytes{address, size, is_relocated}));
  };
  for (const elf::Segment& segment : segments) {
    if (segment.type != PT_LOAD || (segment.flags & PF_W) == 0) continue;
    uint64_t at = segment.address;
    const uint64_t end = at + segment.memory_size;
    if (tables != segments.end() && tables->address >= at && tables->address < end) {
      const uint64_t size = std::min(tables->memory_size, end - tables->address);
      add(at, tables->address - at, false);
      add(tables->address, size, true);
      at = tables->address + size;
    }
    add(at, end - at, false);
  }
  return writable;
}

std::vector<ExecutableBytes> executable_bytes(const elf::Image& image) {
  std::vector<ExecutableBytes> executable;
  for (const elf::Segment& segment : image.segments()) {
    if (segment.type != PT_LOAD || (segment.flags & PF_X) == 0 || segment.memory_size == 0) continue;
    executable.push_back({segment.address, segment.memory_size});
  }
  return executable;
}

}  // namespace

const Kernel* CodeObjectInfo::find_kernel(std::string_view mangled) const {
  const auto found = std::lower_bound(kernels.begin(), kernels.end(), mangled,
                                      [](const Kernel& kernel, std::string_view name) { return kernel.name < name; });
  return found != kernels.end() && found->name == mangled ? &*found : nullptr;
}

const Variable* CodeObjectInfo::find_variable(std::string_view name) const {
  const auto found =
      std::lower_bound(variables.begin(), variables.end(), name,
                       [](const Variable& variable, std::string_view wanted) { return variable.name < wanted; });
  return found != variables.end() && found->name == name ? &*found : nullptr;
}

Result<CodeObjectInfo> parse_code_object(Bytes bytes, const std::string& what) {
  auto image = elf::Image::parse(bytes, what);
  if (!image) return image.error();
  if (image->machine() == elf::kMachineCuda) return parse_cubin(*image, bytes, what);
  try {
    if (image->machine() != elf::kMachineAmdgpu) throw Malformed{"it is not for a GPU of AMD or NVIDIA"};
    CodeObjectInfo info;
    info.sha256 = sha256(bytes);
    read_metadata(*image, what, info);
    std::sort(info.kernels.begin(), info.kernels.end(),
              [](const Kernel& a, const Kernel& b) { return a.name < b.name; });
    for (size_t i = 1; i < info.kernels.size(); ++i) {
      if (info.kernels[i - 1].name == info.kernels[i].name)
        throw Malformed{"kernel " + info.kernels[i].name + " occurs twice"};
    }
    read_symbols(*image, info);
    info.memory_bytes = image_bytes(*image);
    info.writable = writable_bytes(*image);
    info.executable = executable_bytes(*image);
    return info;
  } catch (const Malformed& problem) {
    return Error{"CODE_OBJECT_INVALID", what + ": " + problem.why,
                 "give a complete code object, as the compiler wrote it"};
  }
}

Result<std::vector<uint8_t>> initial_content(Bytes code_object, const Variable& variable) {
  constexpr uint64_t kMaxBytes = uint64_t{1} << 30;
  auto image = elf::Image::parse(code_object, "the code object of " + variable.name);
  if (!image) return image.error();
  if (variable.size > kMaxBytes) {
    return Error{"CODE_OBJECT_INVALID", "variable " + variable.name + " is impossibly large",
                 "give a complete code object"};
  }
  if (image->machine() == elf::kMachineCuda) return initial_content_in_cubin(*image, variable);
  std::vector<uint8_t> content(variable.size, 0);
  for (const elf::Segment& segment : image->segments()) {
    if (segment.type != PT_LOAD || variable.address < segment.address) continue;
    const uint64_t offset = variable.address - segment.address;
    if (offset >= segment.bytes.size()) continue;
    std::copy_n(segment.bytes.begin() + static_cast<ptrdiff_t>(offset),
                std::min<uint64_t>(variable.size, segment.bytes.size() - offset), content.begin());
  }
  return content;
}

Result<std::optional<std::vector<uint8_t>>> content_with_addresses(Bytes code_object, const Variable& variable,
                                                                   uint64_t load_base) {
  // AMDGPUUsage, "Relocation Records".
  constexpr uint32_t kAbs64 = 3, kRelative64 = 13;
  using Content = std::optional<std::vector<uint8_t>>;
  auto image = elf::Image::parse(code_object, "the code object of " + variable.name);
  if (!image) return image.error();
  if (image->machine() == elf::kMachineCuda) return Content();
  auto content = initial_content(code_object, variable);
  if (!content) return content.error();
  bool has_addresses = false;
  for (const elf::Section& table : image->sections()) {
    if (table.type != SHT_RELA || (table.flags & SHF_ALLOC) == 0) continue;
    auto relocations = image->relocations(table);
    if (!relocations) return relocations.error();
    auto symbols = image->symbols(SHT_DYNSYM);
    if (!symbols) return symbols.error();
    for (const elf::Relocation& relocation : *relocations) {
      constexpr uint64_t kWord = sizeof(uint64_t);
      if (relocation.offset + kWord <= variable.address || relocation.offset >= variable.address + variable.size)
        continue;
      const bool is_inside =
          relocation.offset >= variable.address && relocation.offset + kWord <= variable.address + variable.size;
      uint64_t value = load_base + static_cast<uint64_t>(relocation.addend);
      if (relocation.type == kAbs64) {
        if (relocation.symbol >= symbols->size()) return Content();
        const elf::Symbol& symbol = (*symbols)[relocation.symbol];
        if (!symbol.is_defined() || symbol.is_absolute()) return Content();
        value += symbol.value;
      } else if (relocation.type != kRelative64) {
        return Content();
      }
      if (!is_inside) return Content();
      std::memcpy(content->data() + (relocation.offset - variable.address), &value, kWord);
      has_addresses = true;
    }
  }
  return has_addresses ? Content(std::move(*content)) : Content();
}

std::string symbol_at(Bytes code_object, uint64_t address) {
  auto image = elf::Image::parse(code_object, "the code object");
  if (!image) return "";
  for (const uint32_t type : {uint32_t{SHT_SYMTAB}, uint32_t{SHT_DYNSYM}}) {
    auto symbols = image->symbols(type);
    if (!symbols) continue;
    for (const elf::Symbol& symbol : *symbols) {
      const bool is_named = symbol.type == STT_FUNC || symbol.type == STT_OBJECT;
      if (!is_named || !symbol.is_defined() || address < symbol.value) continue;
      if (address - symbol.value < std::max<uint64_t>(symbol.size, 1)) return demangle(std::string(symbol.name));
    }
  }
  return "";
}

}  // namespace kernloop::codeobject
