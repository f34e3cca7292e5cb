#include <iostream>
#include <iterator>

#include "archive/commands.h"
#include "codeobject/code_object.h"

namespace kernloop::archive {

namespace {

constexpr size_t kMostBytes = size_t{1} << 30;

Result<Buffer> read_stdin() {
  Buffer bytes;
  char block[1 << 16];
  while (std::cin.read(block, sizeof block), std::cin.gcount() > 0) {
    if (bytes.size() + static_cast<size_t>(std::cin.gcount()) > kMostBytes)
      return Error{"CODE_OBJECT_INVALID", "stdin has more than a GiB", "give one code object"};
    bytes.insert(bytes.end(), block, block + std::cin.gcount());
  }
  return bytes;
}

Json described(const codeobject::Kernel& kernel) {
  Json json = {{"symbol", kernel.name},
               {"wavefront_size", kernel.wavefront_size},
               {"vector_registers", kernel.cubin ? kernel.cubin->registers : kernel.vgpr_count},
               {"private_segment_bytes", kernel.private_segment_bytes},
               {"uses_dynamic_stack", kernel.uses_dynamic_stack},
               {"group_segment_bytes", kernel.group_segment_bytes}};
  if (!kernel.cubin) {
    json["scalar_registers"] = kernel.sgpr_count;
    json["vector_spills"] = kernel.vgpr_spill_count;
    json["scalar_spills"] = kernel.sgpr_spill_count;
    json["is_on_two_units"] = kernel.is_on_two_units;
  }
  return json;
}

}  // namespace

int describe_command() {
  const auto bytes = read_stdin();
  if (!bytes) return print(error_event(bytes.error()));
  const auto info = codeobject::parse_code_object(*bytes, "the code object on stdin");
  if (!info) return print(error_event(info.error()));
  Json kernels = Json::array();
  for (const codeobject::Kernel& kernel : info->kernels) kernels.push_back(described(kernel));
  Json variables = Json::array();
  for (const codeobject::Variable& variable : info->variables)
    variables.push_back({{"name", variable.name}, {"bytes", variable.size}, {"is_writable", variable.writable}});
  return print({{"event", ArchiveEvent::described},
                {"target", info->target},
                {"kernels", std::move(kernels)},
                {"variables", std::move(variables)}});
}

}  // namespace kernloop::archive
