#include "recorder/kernels.h"

#include <elf.h>

#include <algorithm>
#include <array>
#include <set>

#include "archive/manifest/limits.h"
#include "protocol/ring.h"
#include "recorder/protocol_error.h"

namespace kernloop::recorder {
namespace {

// The code of a process whose kernels are wanted stays in memory until the process ends.
constexpr uint64_t kMaxKeptBytes = archive::kMaxCodeObjectBytes;
constexpr size_t kMaxObjects = 65536;

void complete(CodeObject& object, uint32_t number) {
  if (!object.kept) {
    static_assert(kMaxKeptBytes == uint64_t{4} << 30);
    object.unreadable = "with it, the code objects of this process's selected kernels exceed the 4 GiB that are kept";
    return;
  }
  auto info = codeobject::parse_code_object(object.bytes, "code object " + std::to_string(number));
  if (info) {
    object.info = std::move(*info);
  } else {
    object.unreadable = info.error().message;
  }
}

bool holds_data(const elf::Section& section) {
  // Data that the loader fills in itself come back by loading at the same address.
  const bool loader_owned =
      section.type == SHT_DYNAMIC || section.name.starts_with(".got") || section.name.starts_with(".relro");
  return (section.flags & SHF_ALLOC) != 0 && (section.flags & SHF_WRITE) != 0 && section.size != 0 && !loader_owned;
}

// A stripped code object names its exported variables only: the rest of its writable sections is covered piece by
// piece.
void add_nameless(std::span<const uint8_t> bytes, uint64_t load_base, std::vector<ModulePiece>& pieces) {
  auto image = elf::Image::parse(bytes, "code object");
  if (!image) return;
  std::vector<protocol::ByteRange> named;
  for (const ModulePiece& piece : pieces) named.push_back(piece.range);
  std::sort(named.begin(), named.end(), [](const auto& a, const auto& b) { return a.base < b.base; });
  for (const elf::Section& section : image->sections()) {
    if (!holds_data(section)) continue;
    const uint64_t start = load_base + section.address, end = start + section.size;
    const auto add = [&](uint64_t from, uint64_t to) {
      if (from < to)
        pieces.push_back({std::string(section.name) + "+" + to_hex_number(from - start), {from, to - from}});
    };
    uint64_t at = start;
    for (const protocol::ByteRange& range : named) {
      if (range.base + range.size <= at || range.base >= end) continue;
      add(at, std::max(at, range.base));
      at = std::max(at, range.base + range.size);
    }
    add(at, end);
  }
}

}  // namespace

Status Kernels::begin_object(const protocol::CodeObjectMessage& message) {
  if (objects_.contains(message.object) || objects_.size() >= kMaxObjects) return protocol_error("code object numbers");
  if (message.size == 0 || message.size > archive::kMaxCodeObjectBytes) {
    return protocol_error("a code object of " + std::to_string(message.size) + " bytes");
  }
  auto object = std::make_shared<CodeObject>();
  object->expected_bytes = message.size;
  object->kept = message.size <= kMaxKeptBytes - kept_bytes_;
  if (object->kept) kept_bytes_ += message.size;
  objects_[message.object] = std::move(object);
  return Unit{};
}

Status Kernels::append_object(const protocol::BulkHeader& header, std::span<const uint8_t> bytes) {
  const auto found = objects_.find(header.id);
  if (found == objects_.end()) return protocol_error("bytes of an unknown code object");
  CodeObject& object = *found->second;
  if (header.offset != object.received_bytes || bytes.empty() ||
      bytes.size() > object.expected_bytes - object.received_bytes) {
    return protocol_error("bytes of a code object out of order");
  }
  // Grows with the bytes that arrive, not with the announced size.
  object.received_bytes += bytes.size();
  if (object.kept) object.bytes.insert(object.bytes.end(), bytes.begin(), bytes.end());
  if (!object.complete()) return Unit{};
  complete(object, header.id);
  // A profile names code objects, and needs no byte of them.
  if (config_.mode == protocol::Mode::kProfile && object.kept) {
    kept_bytes_ -= object.bytes.size();
    object.bytes = {};
  }
  return Unit{};
}

Wanted Kernels::matching(const std::string& symbol) const {
  const std::string demangled = codeobject::demangle(symbol);
  const std::string plain = codeobject::plain_name(demangled);
  Wanted wanted;
  for (size_t i = 0; i < config_.selections.size(); ++i) {
    const Selection& selection = config_.selections[i];
    if (selection.match.matches(symbol, demangled, plain)) wanted.selections |= uint64_t{1} << i;
    if (selection.gate && selection.gate->matches(symbol, demangled, plain)) wanted.gates |= uint64_t{1} << i;
  }
  return wanted;
}

Result<const KernelRecord*> Kernels::add(const protocol::KernelMessage& message) {
  if (message.kernel >= protocol::kMaxKernels || kernels_.contains(message.kernel))
    return protocol_error("kernel numbers");
  KernelRecord record;
  record.id = message.kernel;
  record.symbol = message.symbol;
  record.demangled = codeobject::demangle(message.symbol);
  record.wanted = matching(record.symbol);
  for (uint32_t number : message.objects) {
    const auto object = objects_.find(number);
    if (object == objects_.end()) continue;
    if (!object->second->info) {
      record.unreadable = object->second->unreadable;
      continue;
    }
    const codeobject::Kernel* metadata = object->second->info->find_kernel(message.symbol);
    if (metadata == nullptr || metadata->descriptor_address > message.kernel_object) continue;
    record.object = object->second;
    record.metadata = metadata;
    record.has_address = message.kernel_object != 0;
    record.load_base = message.kernel_object - metadata->descriptor_address;
    break;
  }
  const auto next = static_cast<uint32_t>(identities_.size());
  record.identity = identities_.emplace(std::pair(record.symbol, record.code_object_hex()), next).first->second;
  return &kernels_.emplace(message.kernel, std::move(record)).first->second;
}

const KernelRecord* Kernels::find(uint32_t id) const {
  const auto found = kernels_.find(id);
  return found != kernels_.end() ? &found->second : nullptr;
}

namespace {

// An exported constant may have been set by the host (hipMemcpyToSymbol); one that is neither is as in the code object.
std::vector<const codeobject::Variable*> variables_in_play(const codeobject::CodeObjectInfo& info) {
  std::vector<const codeobject::Variable*> variables;
  for (const codeobject::Variable& variable : info.variables) {
    if (variable.size != 0 && (variable.writable || variable.exported)) variables.push_back(&variable);
  }
  return variables;
}

// The driver places each section: there are no addresses, and no nameless parts.
std::vector<ModulePiece> pieces_by_name(const codeobject::CodeObjectInfo& info) {
  std::vector<ModulePiece> pieces;
  std::set<uint64_t> seen;  // aliases of the same bytes: once
  for (const codeobject::Variable* variable : variables_in_play(info)) {
    if (seen.insert(variable->address).second) pieces.push_back({variable->name, {0, variable->size}});
  }
  return pieces;
}

}  // namespace

std::vector<ModulePiece> module_pieces(const KernelRecord& kernel) {
  if (!kernel.has_address) return pieces_by_name(*kernel.object->info);
  std::vector<ModulePiece> pieces;
  for (const codeobject::Variable* variable : variables_in_play(*kernel.object->info)) {
    pieces.push_back({variable->name, {kernel.load_base + variable->address, variable->size}});
  }
  std::stable_sort(pieces.begin(), pieces.end(), [](const auto& a, const auto& b) {
    return a.range.base != b.range.base ? a.range.base < b.range.base : a.range.size > b.range.size;
  });
  // Aliases of the same bytes: once.
  std::vector<ModulePiece> disjoint;
  for (ModulePiece& piece : pieces) {
    if (!disjoint.empty() && piece.range.base < disjoint.back().range.base + disjoint.back().range.size) continue;
    disjoint.push_back(std::move(piece));
  }
  add_nameless(kernel.object->bytes, kernel.load_base, disjoint);
  return disjoint;
}

namespace {

Error textures_of(const KernelRecord& kernel) {
  return {"TEXTURE_OBJECT",
          kernel.demangled + " reads or writes texture or surface objects: they are the driver's, and not in memory",
          "capture a kernel that uses plain memory, or give this one a version without textures"};
}

// HIP's types of texture and surface objects among the parameters.
bool takes_hip_textures(const std::string& symbol) {
  return symbol.find("P13__hip_texture") != std::string::npos || symbol.find("P13__hip_surface") != std::string::npos;
}

}  // namespace

std::optional<Error> obstacle_in_code(const KernelRecord& kernel) {
  if (takes_hip_textures(kernel.symbol)) return textures_of(kernel);
  if (kernel.metadata == nullptr || !kernel.metadata->cubin) return std::nullopt;
  const codeobject::CubinKernelFacts& facts = *kernel.metadata->cubin;
  if (facts.uses_textures.value_or(false) || facts.uses_surfaces.value_or(false)) {
    return textures_of(kernel);
  }
  if (facts.launches_kernels) {
    return Error{"UNSUPPORTED_LAUNCH", kernel.demangled + " launches kernels itself (CUDA dynamic parallelism)",
                 "capture the kernels that it launches from a version that launches them from the host"};
  }
  return std::nullopt;
}

Error with_cause(Error why, const KernelRecord& kernel) {
  if (why.code != "RUN_LIMIT" || kernel.metadata == nullptr) return why;
  const auto& arguments = kernel.metadata->args;
  const bool calls = std::any_of(arguments.begin(), arguments.end(), [](const codeobject::KernelArgument& argument) {
    return argument.value_kind == "hidden_hostcall_buffer";
  });
  if (!calls) return why;
  return {"HOST_CALL",
          kernel.demangled +
              " can call its program while it runs (it prints, or has an assertion that fails), did not end, and a "
              "capture holds the program meanwhile",
          "capture it without device_print, printf or the assertion; if it does not print, it takes longer than "
          "--run-limit-ms"};
}

bool is_compiled_in(const codeobject::Kernel& kernel, const protocol::LaunchAttribute& attribute) {
  return kernel.cubin && kernel.cubin->cluster_blocks[0] != 0 && attribute.name.starts_with("required_cluster_blocks_");
}

bool is_process_bound(const std::string& value_kind) {
  static constexpr std::array kKinds = {"hidden_hostcall_buffer",    "hidden_printf_buffer",
                                        "hidden_multigrid_sync_arg", "hidden_default_queue",
                                        "hidden_completion_action",  "hidden_queue_ptr"};
  return std::find(kKinds.begin(), kKinds.end(), value_kind) != kKinds.end();
}

}  // namespace kernloop::recorder
