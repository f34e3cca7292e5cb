#include "softgpu/hsa/code/executable.h"

#include <elf.h>

#include <algorithm>
#include <utility>

#include "softgpu/hsa/host/log.h"
#include "softgpu/loader/image.h"

namespace kernloop::softgpu {
namespace {

thread_local uint64_t next_load_address = 0;

hsa_status_t status_of(const Error& error) {
  report_error("%s (%s)", error.message.c_str(), error.hint.c_str());
  if (error.code == "CODE_OBJECT_TARGET") return HSA_STATUS_ERROR_INVALID_ISA;
  if (error.code == "CODE_OBJECT_UNDEFINED") return HSA_STATUS_ERROR_VARIABLE_UNDEFINED;
  return HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
}

// Also for a kernel that this device refuses: its dispatch says why.
std::optional<KernelDescriptor> descriptor_of(const CodeObject& object, const elf::Symbol& elf, uint64_t address,
                                              Isa isa) {
  const auto bytes = object.kernel_descriptor(elf);
  if (!bytes) return std::nullopt;
  KernelDescriptor kernel;
  std::string refusal;
  (void)KernelDescriptor::parse(reinterpret_cast<const uint8_t*>(bytes->data()), address, isa, &kernel, &refusal);
  return kernel;
}

// Kernels and variables; functions are no executable symbols.
std::shared_ptr<const ExecutableSymbol> to_symbol(const CodeObject& object, const elf::Symbol& elf, uint64_t base,
                                                  Isa isa) {
  if (!elf.is_defined() || elf.type != STT_OBJECT || elf.name.empty()) return nullptr;
  auto symbol = std::make_shared<ExecutableSymbol>();
  symbol->name = elf.name;
  symbol->address = elf.is_absolute() ? elf.value : base + elf.value;
  symbol->size = elf.size;
  symbol->global = elf.binding != STB_LOCAL;
  symbol->kernel = descriptor_of(object, elf, symbol->address, isa);
  symbol->read_only = std::any_of(object.segments().begin(), object.segments().end(), [&](const LoadSegment& segment) {
    return !segment.writable && elf.value >= segment.address && elf.value - segment.address < segment.memory_bytes;
  });
  return symbol;
}

}  // namespace

CodeObjects::CodeObjects(AddressSpace& space, Memory& memory, Engine& engine, Isa isa)
    : space_(space), memory_(memory), engine_(engine), isa_(isa) {}

void CodeObjects::set_next_load_address(uint64_t address) {
  next_load_address = address;
}

hsa_status_t CodeObjects::load(const CodeObjectSource& source,
                               const std::map<std::string, std::shared_ptr<const ExecutableSymbol>>& defined,
                               std::shared_ptr<LoadedCodeObject>* loaded,
                               std::vector<std::shared_ptr<const ExecutableSymbol>>* symbols) {
  const uint64_t address = std::exchange(next_load_address, 0);
  auto object = CodeObject::parse(source.bytes);
  if (!object) return status_of(object.error());
  if (Status s = check_target(object->target(), isa_); !s) return status_of(s.error());

  auto mapping = memory_.take_code(object->memory_bytes(), address);
  if (!mapping) {
    report_error("no memory for a code object of %lu bytes%s", object->memory_bytes(),
                 address == 0 ? "" : " at the address asked for");
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  }
  const uint64_t base = mapping->base();
  std::span<std::byte> image(reinterpret_cast<std::byte*>(base), object->memory_bytes());
  Status placed = place(*object, image, base, [&](std::string_view name) -> std::optional<uint64_t> {
    auto found = defined.find(std::string(name));
    if (found == defined.end()) return std::nullopt;
    return found->second->address;
  });
  if (!placed) {
    memory_.give_back_code(std::move(*mapping));
    return status_of(placed.error());
  }
  map_segments(*object, base, "code object #" + std::to_string(next_ordinal_++));

  for (const elf::Symbol& elf : object->dynamic_symbols()) {
    auto symbol = to_symbol(*object, elf, base, isa_);
    if (symbol == nullptr) continue;
    if (symbol->kernel) {
      std::unique_lock lock(mutex_);
      kernels_[symbol->address] = {symbol->name.substr(0, symbol->name.size() - 3), symbol->kernel->group_segment_bytes,
                                   symbol->kernel->private_segment_bytes};
    }
    symbols->push_back(std::move(symbol));
  }
  log_line(LogLevel::kObjects, "code object of %lu bytes loaded at 0x%lx", object->memory_bytes(), base);
  loaded->reset(new LoadedCodeObject(*this, std::move(*object), std::move(*mapping)));
  (*loaded)->source_ = {(*loaded)->object_.bytes(), {}, source.file, source.uri};
  return HSA_STATUS_SUCCESS;
}

void CodeObjects::map_segments(const CodeObject& object, uint64_t base, const std::string& label) {
  // By pages, as hardware protects them; a page shared by two segments is as writable as the freer one. Instructions
  // are never writable: decoded ones are cached.
  std::map<uint64_t, bool> pages;
  for (const LoadSegment& segment : object.segments()) {
    for (uint64_t page = segment.address / kGranule; page * kGranule < segment.address + segment.memory_bytes; ++page)
      pages[page] |= segment.writable || (constants_are_open_ && !segment.executable);
  }
  for (auto first = pages.begin(); first != pages.end();) {
    auto last = first;
    uint64_t count = 0;
    while (last != pages.end() && last->first == first->first + count && last->second == first->second) ++last, ++count;
    space_.map(base + first->first * kGranule, count * kGranule,
               first->second ? AddressSpace::Access::kReadWrite : AddressSpace::Access::kRead, label);
    first = last;
  }
}

void CodeObjects::unload(LoadedCodeObject& loaded) {
  const uint64_t base = loaded.base(), size = loaded.size();
  {
    std::unique_lock lock(mutex_);
    kernels_.erase(kernels_.lower_bound(base), kernels_.lower_bound(base + size));
  }
  engine_.forget_code(base, size);
  space_.unmap(base, size, [&memory = memory_, mapping = std::make_shared<Mapping>(std::move(loaded.mapping_))] {
    memory.give_back_code(std::move(*mapping));
  });
}

LoadedCodeObject::~LoadedCodeObject() {
  owner_.unload(*this);
}

std::optional<KernelInfo> CodeObjects::find_kernel(uint64_t kernel_object) const {
  std::shared_lock lock(mutex_);
  auto found = kernels_.find(kernel_object);
  if (found == kernels_.end()) return std::nullopt;
  return found->second;
}

hsa_status_t Executable::load(CodeObjects& loader, const CodeObjectSource& source,
                              std::shared_ptr<LoadedCodeObject>* loaded) {
  std::lock_guard lock(mutex_);
  if (frozen_) return HSA_STATUS_ERROR_FROZEN_EXECUTABLE;
  std::vector<std::shared_ptr<const ExecutableSymbol>> symbols;
  if (hsa_status_t status = loader.load(source, symbols_, loaded, &symbols); status != HSA_STATUS_SUCCESS)
    return status;
  for (const auto& symbol : symbols) {
    if (symbols_.contains(symbol->name)) {
      report_error("code object: %s is already defined in this executable", symbol->name.c_str());
      loaded->reset();
      return HSA_STATUS_ERROR_VARIABLE_ALREADY_DEFINED;
    }
  }
  for (auto& symbol : symbols) symbols_.emplace(symbol->name, symbol);
  loaded_.push_back(*loaded);
  return HSA_STATUS_SUCCESS;
}

hsa_status_t Executable::define_variable(const std::string& name, uint64_t address) {
  std::lock_guard lock(mutex_);
  if (frozen_) return HSA_STATUS_ERROR_FROZEN_EXECUTABLE;
  if (symbols_.contains(name)) return HSA_STATUS_ERROR_VARIABLE_ALREADY_DEFINED;
  auto symbol = std::make_shared<ExecutableSymbol>();
  symbol->name = name;
  symbol->address = address;
  symbol->defined_by_program = true;
  symbols_.emplace(name, std::move(symbol));
  return HSA_STATUS_SUCCESS;
}

hsa_status_t Executable::freeze() {
  std::lock_guard lock(mutex_);
  if (std::exchange(frozen_, true)) return HSA_STATUS_ERROR_FROZEN_EXECUTABLE;
  return HSA_STATUS_SUCCESS;
}

bool Executable::frozen() const {
  std::lock_guard lock(mutex_);
  return frozen_;
}

std::shared_ptr<const ExecutableSymbol> Executable::find(const std::string& name) const {
  std::lock_guard lock(mutex_);
  auto found = symbols_.find(name);
  return found == symbols_.end() ? nullptr : found->second;
}

std::vector<std::shared_ptr<const ExecutableSymbol>> Executable::symbols() const {
  std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<const ExecutableSymbol>> symbols;
  for (const auto& [name, symbol] : symbols_) symbols.push_back(symbol);
  return symbols;
}

std::vector<std::shared_ptr<LoadedCodeObject>> Executable::code_objects() const {
  std::lock_guard lock(mutex_);
  return loaded_;
}

}  // namespace kernloop::softgpu
