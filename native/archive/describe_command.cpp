#include <iostream>
#include <iterator>
#include <map>

#include "archive/commands.h"
#include "codeobject/amd_comparison.h"
#include "codeobject/code_object.h"
#include "codeobject/cubin_comparison.h"

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

Json argument(const codeobject::KernelArgument& given) {
  Json json = {{"offset", given.offset}, {"size", given.size}, {"kind", given.value_kind}};
  if (!given.name.empty()) json["name"] = given.name;
  if (!given.address_space.empty()) json["address_space"] = given.address_space;
  return json;
}

Json described(const codeobject::Kernel& kernel) {
  Json args = Json::array();
  for (const codeobject::KernelArgument& one : kernel.args) args.push_back(argument(one));
  Json json = {{"event", ArchiveEvent::described_kernel},
               {"symbol", kernel.name},
               {"wavefront_size", kernel.wavefront_size},
               {"vector_registers", kernel.cubin ? kernel.cubin->registers : kernel.vgpr_count},
               {"private_segment_bytes", kernel.private_segment_bytes},
               {"uses_dynamic_stack", kernel.uses_dynamic_stack},
               {"group_segment_bytes", kernel.group_segment_bytes},
               {"args", std::move(args)}};
  if (!kernel.cubin) {
    json["scalar_registers"] = kernel.sgpr_count;
    json["vector_spills"] = kernel.vgpr_spill_count;
    json["scalar_spills"] = kernel.sgpr_spill_count;
    json["is_on_two_units"] = kernel.is_on_two_units;
  }
  return json;
}

Json range(const codeobject::CodeRange& code) {
  return {{"begin", code.begin}, {"end", code.end}};
}

// The facts by which it is compared with others.
struct Compared {
  Json all = Json::object();
  std::map<std::string, codeobject::KernelCode> kernels;  // of AMD
};

Result<Compared> compared_amd(Bytes bytes, const std::string& what) {
  auto facts = codeobject::compare_amd(bytes, what);
  if (!facts) return facts.error();
  Json amd = {{"version", facts->version}, {"text_sha256", facts->text.hex()}, {"device_heap", Json::array()}};
  if (facts->loaded) amd["loaded_sha256"] = facts->loaded->hex();
  if (facts->without_unit_name) amd["without_unit_name_sha256"] = facts->without_unit_name->hex();
  for (const codeobject::CodeRange& code : facts->device_heap) amd["device_heap"].push_back(range(code));
  return Compared{{{"amd", std::move(amd)}}, std::move(facts->kernels)};
}

Result<Compared> compared_cubin(Bytes bytes, const std::string& what, bool with_ptx) {
  const auto functions = codeobject::cubin_functions(bytes, what);
  if (!functions) return functions.error();
  Compared compared;
  Json& list = compared.all["functions"] = Json::array();
  for (const auto& [name, code] : *functions) list.push_back({{"name", name}, {"code_sha256", code.hex()}});
  if (!with_ptx) return compared;
  const auto ptx = codeobject::cubin_ptx(bytes, what);
  if (!ptx) return ptx.error();
  if (*ptx) compared.all["ptx"] = **ptx;
  return compared;
}

}  // namespace

int describe_command(bool with_ptx) {
  const std::string what = "the code object on stdin";
  const auto bytes = read_stdin();
  if (!bytes) return print(error_event(bytes.error()));
  const auto info = codeobject::parse_code_object(*bytes, what);
  if (!info) return print(error_event(info.error()));
  const auto image = elf::Image::parse(*bytes, what);
  if (!image) return print(error_event(image.error()));
  auto compared =
      image->machine() == elf::kMachineCuda ? compared_cubin(*bytes, what, with_ptx) : compared_amd(*bytes, what);
  if (!compared) return print(error_event(compared.error()));
  for (const codeobject::Kernel& kernel : info->kernels) {
    Json json = described(kernel);
    const std::string name = kernel.symbol.ends_with(".kd") ? kernel.symbol.substr(0, kernel.symbol.size() - 3) : "";
    if (const auto found = compared->kernels.find(name); found != compared->kernels.end()) {
      json["code"] = range(found->second.range);
      if (found->second.sha256) json["code_sha256"] = found->second.sha256->hex();
    }
    print(json);
  }
  Json variables = Json::array();
  for (const codeobject::Variable& variable : info->variables)
    variables.push_back({{"name", variable.name}, {"bytes", variable.size}, {"is_writable", variable.writable}});
  Json event = std::move(compared->all);
  event["event"] = ArchiveEvent::described;
  event["target"] = info->target;
  event["variables"] = std::move(variables);
  return print(event);
}

}  // namespace kernloop::archive
