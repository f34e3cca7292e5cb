// capture.json → Manifest: the shape. validate.cpp checks relations between values.
#include "archive/manifest/fields.h"
#include "archive/manifest/manifest.h"

namespace kernloop::archive {

namespace {

Tool read_tool(const Json& json) {
  Fields fields(json, "tool");
  Tool tool{fields.text("name"), fields.text("version")};
  tool.extra = fields.rest();
  return tool;
}

Device read_device(const Json& json) {
  Fields fields(json, "device");
  Device device;
  device.kind = fields.text("kind");
  device.identity = fields.text("identity");
  device.isa = fields.text("isa");
  device.name = fields.text("name");
  device.wavefront_size = fields.number<uint32_t>("wavefront_size");
  device.extra = fields.rest();
  return device;
}

Kernel read_kernel(const Json& json) {
  Fields fields(json, "kernel");
  Kernel kernel;
  kernel.name = fields.text("name");
  kernel.symbol = fields.text("symbol");
  kernel.code_object = fields.digest("code_object");
  kernel.kernarg_bytes = fields.number<uint32_t>("kernarg_bytes");
  kernel.group_segment_bytes = fields.number<uint32_t>("group_segment_bytes");
  kernel.private_segment_bytes = fields.number<uint32_t>("private_segment_bytes");
  kernel.extra = fields.rest();
  return kernel;
}

Dispatch read_dispatch(const Json& json) {
  Fields fields(json, "dispatch");
  Dispatch dispatch;
  dispatch.ordinal = fields.number<uint64_t>("ordinal");
  dispatch.index = fields.number<uint64_t>("index");
  dispatch.queue = fields.number<uint64_t>("queue");
  dispatch.extra = fields.rest();
  return dispatch;
}

Geometry read_geometry(const Json& json) {
  Fields fields(json, "geometry");
  Geometry geometry;
  geometry.grid_blocks = fields.extent<uint32_t>("grid_blocks");
  geometry.block_threads = fields.extent<uint32_t>("block_threads");
  geometry.grid_work_items = fields.extent<uint64_t>("grid_work_items");
  geometry.group_segment_bytes = fields.number<uint32_t>("group_segment_bytes");
  geometry.private_segment_bytes = fields.number<uint32_t>("private_segment_bytes");
  geometry.dimensions = fields.number<uint32_t>("dimensions");
  if (fields.has("attributes")) geometry.attributes = fields.numbers("attributes");
  geometry.extra = fields.rest();
  return geometry;
}

KernargSlot read_slot(const Json& json, const std::string& path) {
  Fields fields(json, path);
  KernargSlot slot;
  slot.offset = fields.number<uint32_t>("offset");
  slot.size = fields.number<uint32_t>("size");
  slot.kind = fields.text("kind");
  if (fields.has("name")) slot.name = fields.text("name");
  if (fields.has("type_name")) slot.type_name = fields.text("type_name");
  if (fields.has("value")) slot.value = fields.any("value");
  if (fields.has("region")) slot.region = fields.text("region");
  const std::string policy = fields.text("policy");
  if (policy == "zero") {
    slot.policy = SlotPolicy::kZero;
  } else if (policy != "replay") {
    throw ManifestProblem{path + ".policy is \"" + policy + "\": only replay and zero are known"};
  }
  slot.extra = fields.rest();
  return slot;
}

Kernarg read_kernarg(const Json& json) {
  Fields fields(json, "kernarg");
  Kernarg kernarg;
  const auto bytes = from_hex(fields.text("hex"));
  if (!bytes) throw ManifestProblem{"kernarg.hex is not hexadecimal"};
  kernarg.bytes = *bytes;
  size_t index = 0;
  for (const Json& slot : fields.array("slots")) {
    kernarg.slots.push_back(read_slot(slot, "kernarg.slots[" + std::to_string(index++) + "]"));
  }
  kernarg.extra = fields.rest();
  return kernarg;
}

Scope read_scope(const Json& json) {
  Fields fields(json, "scope");
  Scope scope;
  scope.mode = fields.text("mode");
  scope.widened = fields.boolean("widened");
  scope.tracked_regions = fields.number<uint64_t>("tracked_regions");
  scope.tracked_bytes = fields.number<uint64_t>("tracked_bytes");
  scope.extra = fields.rest();
  return scope;
}

Region read_region(const Json& json, const std::string& path) {
  Fields fields(json, path);
  Region region;
  region.id = fields.text("id");
  region.base = fields.address("base");
  region.size = fields.number<uint64_t>("size");
  const std::string memory_class = fields.text("class");
  if (memory_class == "host") {
    region.memory_class = RegionClass::kHost;
  } else if (memory_class != "device") {
    throw ManifestProblem{path + ".class is \"" + memory_class + "\": only device and host are known"};
  }
  region.api = fields.text("api");
  region.allocation_ordinal = fields.number<uint64_t>("allocation_ordinal");
  region.pre = fields.content("pre");
  region.post = fields.content("post");
  if (fields.has("fine_grained")) region.fine_grained = fields.boolean("fine_grained");
  region.extra = fields.rest();
  return region;
}

ModuleVariable read_variable(const Json& json, const std::string& path) {
  Fields fields(json, path);
  ModuleVariable variable;
  variable.code_object = fields.digest("code_object");
  variable.name = fields.text("name");
  variable.address = fields.address("address");
  variable.size = fields.number<uint64_t>("size");
  variable.pre = fields.content("pre");
  variable.post = fields.content("post");
  if (fields.has("address_told")) variable.address_told = fields.boolean("address_told");
  variable.extra = fields.rest();
  return variable;
}

CodeObject read_code_object(const Json& json, const std::string& path) {
  Fields fields(json, path);
  CodeObject code_object;
  code_object.sha256 = fields.digest("sha256");
  code_object.size = fields.number<uint64_t>("size");
  code_object.load_base = fields.address("load_base");
  code_object.content = fields.content("content");
  code_object.extra = fields.rest();
  return code_object;
}

Execution read_execution(const Json& json) {
  Fields fields(json, "execution");
  Execution execution;
  if (fields.has("wave_instructions")) execution.wave_instructions = fields.number<uint64_t>("wave_instructions");
  execution.extra = fields.rest();
  return execution;
}

template <typename T>
std::vector<T> read_list(Fields& top, const char* name, T (*read)(const Json&, const std::string&)) {
  std::vector<T> list;
  for (const Json& json : top.array(name))
    list.push_back(read(json, std::string(name) + "[" + std::to_string(list.size()) + "]"));
  return list;
}

// "kernloop.capture/1" and, should minor versions come, "kernloop.capture/1.2".
std::optional<Error> check_schema(const Json& json, const std::string& where) {
  constexpr std::string_view kPrefix = "kernloop.capture/";
  const auto found = json.is_object() ? json.find("schema") : json.end();
  if (!json.is_object() || found == json.end() || !found->is_string() ||
      !found->get_ref<const std::string&>().starts_with(kPrefix)) {
    return Error{"CAPTURE_INVALID", where + " is not a Kernloop capture: it has no schema \"kernloop.capture/…\"",
                 "give the folder that a capture wrote"};
  }
  const std::string version = found->get<std::string>().substr(kPrefix.size());
  if (version == "1" || version.starts_with("1.")) return std::nullopt;
  return Error{"CAPTURE_NEWER",
               where + " has format version " + version.substr(0, 20) + "; this Kernloop reads version 1",
               "update Kernloop, or capture again with this version"};
}

// Features that a reader must know to interpret the other fields: an unknown one is refused before those are read.
std::optional<Error> check_required(const Json& json, const std::string& where) {
  if (!json.contains("requires")) return std::nullopt;
  for (const Json& feature : Fields(json, "").array("requires")) {
    if (!feature.is_string()) throw ManifestProblem{"requires names something that is not a string"};
    const auto& name = feature.get_ref<const std::string&>();
    if (name != kRequiresDropped)
      return Error{"CAPTURE_NEWER",
                   where + " requires \"" + name.substr(0, 80) + "\", which this Kernloop does not know",
                   "update Kernloop, or capture again with this version"};
  }
  return std::nullopt;
}

Manifest read_manifest(const Json& json) {
  Fields top(json, "");
  Manifest manifest;
  top.any("schema");
  if (const std::string hash = top.text("hash"); hash != "sha256") {
    throw ManifestProblem{"hash is \"" + hash + "\": only sha256 is known"};
  }
  if (top.has("requires")) manifest.required = top.any("requires").get<std::set<std::string>>();
  manifest.chunk_bytes = top.number<uint64_t>("chunk_bytes");
  if (top.has("tool")) manifest.tool = read_tool(top.any("tool"));
  if (top.has("app")) manifest.app = top.any("app");
  manifest.device = read_device(top.any("device"));
  manifest.kernel = read_kernel(top.any("kernel"));
  if (top.has("dispatch")) manifest.dispatch = read_dispatch(top.any("dispatch"));
  manifest.geometry = read_geometry(top.any("geometry"));
  manifest.kernarg = read_kernarg(top.any("kernarg"));
  if (top.has("scope")) manifest.scope = read_scope(top.any("scope"));
  manifest.regions = read_list(top, "regions", read_region);
  manifest.module_variables = read_list(top, "module_variables", read_variable);
  manifest.code_objects = read_list(top, "code_objects", read_code_object);
  if (top.has("execution")) manifest.execution = read_execution(top.any("execution"));
  manifest.extra = top.rest();
  return manifest;
}

}  // namespace

Result<Manifest> parse_manifest(std::string_view text, const std::string& where) {
  auto json = parse_json(text, where);
  if (!json) return Error{"CAPTURE_INVALID", json.error().message, json.error().hint};
  if (auto problem = check_schema(*json, where)) return *problem;
  try {
    if (auto problem = check_required(*json, where)) return *problem;
    Manifest manifest = read_manifest(*json);
    if (auto valid = validate(manifest, where); !valid) return valid.error();
    return manifest;
  } catch (const ManifestProblem& problem) {
    return Error{"CAPTURE_INVALID", where + ": " + problem.what,
                 "the file was damaged or edited: restore it, or capture again"};
  }
}

}  // namespace kernloop::archive
