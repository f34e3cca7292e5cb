// Manifest → capture.json. Known fields win over `extra` of the same name.
#include "archive/manifest/manifest.h"

namespace kernloop::archive {

namespace {

Json with_extra(const Json& extra, Json known) {
  if (!extra.is_object()) return known;
  for (const auto& [name, value] : extra.items()) {
    if (!known.contains(name)) known[name] = value;
  }
  return known;
}

Json to_json(const Content& content) {
  Json chunks = Json::array();
  for (const ChunkName& chunk : content.chunks) chunks.push_back(chunk ? Json(chunk->hex()) : Json(nullptr));
  return {{"chunks", std::move(chunks)}};
}

Json to_json(const KernargSlot& slot) {
  Json json = {{"offset", slot.offset},
               {"size", slot.size},
               {"kind", slot.kind},
               {"name", slot.name},
               {"policy", slot.policy == SlotPolicy::kZero ? "zero" : "replay"}};
  if (slot.type_name) json["type_name"] = *slot.type_name;
  if (!slot.value.is_null()) json["value"] = slot.value;
  if (slot.region) json["region"] = *slot.region;
  return with_extra(slot.extra, std::move(json));
}

Json to_json(const Kernarg& kernarg) {
  Json slots = Json::array();
  for (const KernargSlot& slot : kernarg.slots) slots.push_back(to_json(slot));
  return with_extra(kernarg.extra, {{"hex", to_hex(kernarg.bytes)}, {"slots", std::move(slots)}});
}

Json to_json(const Device& device) {
  return with_extra(device.extra, {{"kind", device.kind},
                                   {"identity", device.identity},
                                   {"isa", device.isa},
                                   {"name", device.name},
                                   {"wavefront_size", device.wavefront_size}});
}

Json to_json(const Kernel& kernel) {
  return with_extra(kernel.extra, {{"name", kernel.name},
                                   {"symbol", kernel.symbol},
                                   {"code_object", kernel.code_object.hex()},
                                   {"kernarg_bytes", kernel.kernarg_bytes},
                                   {"group_segment_bytes", kernel.group_segment_bytes},
                                   {"private_segment_bytes", kernel.private_segment_bytes}});
}

Json to_json(const Region& region) {
  Json json = with_extra(region.extra, {{"id", region.id},
                                        {"base", to_hex_number(region.base)},
                                        {"size", region.size},
                                        {"class", region.memory_class == RegionClass::kHost ? "host" : "device"},
                                        {"api", region.api},
                                        {"allocation_ordinal", region.allocation_ordinal},
                                        {"pre", to_json(region.pre)},
                                        {"post", to_json(region.post)}});
  if (region.fine_grained) json["fine_grained"] = *region.fine_grained;
  return json;
}

Json to_json(const ModuleVariable& variable) {
  Json json = with_extra(variable.extra, {{"code_object", variable.code_object.hex()},
                                          {"name", variable.name},
                                          {"address", to_hex_number(variable.address)},
                                          {"size", variable.size},
                                          {"pre", to_json(variable.pre)},
                                          {"post", to_json(variable.post)}});
  if (variable.address_told) json["address_told"] = *variable.address_told;
  return json;
}

Json to_json(const CodeObject& code_object) {
  return with_extra(code_object.extra, {{"sha256", code_object.sha256.hex()},
                                        {"size", code_object.size},
                                        {"load_base", to_hex_number(code_object.load_base)},
                                        {"content", to_json(code_object.content)}});
}

Json to_json(const Execution& execution) {
  Json json = Json::object();
  if (execution.wave_instructions) json["wave_instructions"] = *execution.wave_instructions;
  return with_extra(execution.extra, std::move(json));
}

template <typename T>
Json list_of(const std::vector<T>& items) {
  Json list = Json::array();
  for (const T& item : items) list.push_back(to_json(item));
  return list;
}

}  // namespace

Json to_json(const Geometry& geometry) {
  Json json = {{"grid_blocks", geometry.grid_blocks},
               {"block_threads", geometry.block_threads},
               {"grid_work_items", geometry.grid_work_items},
               {"group_segment_bytes", geometry.group_segment_bytes},
               {"private_segment_bytes", geometry.private_segment_bytes},
               {"dimensions", geometry.dimensions}};
  if (!geometry.attributes.empty()) json["attributes"] = geometry.attributes;
  return with_extra(geometry.extra, std::move(json));
}

Json to_json(const Manifest& manifest) {
  const Tool& tool = manifest.tool;
  const Dispatch& dispatch = manifest.dispatch;
  const Scope& scope = manifest.scope;
  Json json = with_extra(
      manifest.extra,
      {{"schema", kCaptureSchema},
       {"hash", "sha256"},
       {"chunk_bytes", manifest.chunk_bytes},
       {"tool", with_extra(tool.extra, {{"name", tool.name}, {"version", tool.version}})},
       {"app", manifest.app},
       {"device", to_json(manifest.device)},
       {"kernel", to_json(manifest.kernel)},
       {"dispatch", with_extra(dispatch.extra,
                               {{"ordinal", dispatch.ordinal}, {"index", dispatch.index}, {"queue", dispatch.queue}})},
       {"geometry", to_json(manifest.geometry)},
       {"kernarg", to_json(manifest.kernarg)},
       {"scope", with_extra(scope.extra, {{"mode", scope.mode},
                                          {"widened", scope.widened},
                                          {"tracked_regions", scope.tracked_regions},
                                          {"tracked_bytes", scope.tracked_bytes}})},
       {"regions", list_of(manifest.regions)},
       {"module_variables", list_of(manifest.module_variables)},
       {"code_objects", list_of(manifest.code_objects)},
       {"execution", to_json(manifest.execution)}});
  if (!manifest.required.empty()) json["requires"] = manifest.required;
  return json;
}

std::string to_text(const Json& json) {
  return json_text(json, 2) + "\n";
}

std::string to_text(const Manifest& manifest) {
  return to_text(to_json(manifest));
}

const CodeObject* Manifest::find_code_object(const Digest& digest) const {
  for (const CodeObject& code_object : code_objects) {
    if (code_object.sha256 == digest) return &code_object;
  }
  return nullptr;
}

}  // namespace kernloop::archive
