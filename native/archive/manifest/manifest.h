// capture.json as structs ("kernloop.capture/1", docs/archive-format.md). Unknown fields survive a round trip in
// `extra`.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "archive/chunks/chunk.h"
#include "base/digest.h"
#include "base/json.h"
#include "base/result.h"

namespace kernloop::archive {

using kernloop::Json;

inline constexpr const char* kCaptureSchema = "kernloop.capture/1";
inline constexpr const char* kManifestFile = "capture.json";
inline constexpr const char* kObservedFile = "observed.json";
inline constexpr const char* kSelfcheckFile = "selfcheck.json";
inline constexpr const char* kPackFile = "chunks.pack";

struct Tool {
  std::string name = "kernloop";
  std::string version;
  Json extra = Json::object();
};

struct Device {
  std::string kind;  // softgpu, hsa, cuda
  std::string identity;
  std::string isa;
  std::string name;
  uint32_t wavefront_size = 0;
  Json extra = Json::object();
};

struct Kernel {
  std::string name;    // demangled
  std::string symbol;  // mangled, without ".kd"
  Digest code_object;
  uint32_t kernarg_bytes = 0;
  uint32_t group_segment_bytes = 0;    // static, of the code object
  uint32_t private_segment_bytes = 0;  // per work-item, of the code object
  Json extra = Json::object();
};

struct Dispatch {
  uint64_t ordinal = 0;  // among the matches, from 1
  uint64_t index = 0;    // among all dispatches of the process
  uint64_t queue = 0;
  Json extra = Json::object();
};

struct Geometry {
  std::array<uint32_t, 3> grid_blocks = {1, 1, 1};
  std::array<uint32_t, 3> block_threads = {1, 1, 1};
  std::array<uint64_t, 3> grid_work_items = {1, 1, 1};  // the last block of a dimension may be partial
  uint32_t group_segment_bytes = 0;                     // per launch: static + dynamic
  uint32_t private_segment_bytes = 0;                   // per work-item of the launch
  uint32_t dimensions = 1;
  std::map<std::string, uint64_t> attributes;  // further attributes of the launch; absent if there are none
  Json extra = Json::object();
};

enum class SlotPolicy { kReplay, kZero };

struct KernargSlot {
  uint32_t offset = 0;
  uint32_t size = 0;
  std::string kind;  // value_kind of the metadata: global_buffer, by_value, hidden_…
  std::string name;
  std::optional<std::string> type_name;  // "float*", if the compiler records it
  Json value;                            // "0x…" for up to eight bytes; absent (null) for larger ones
  std::optional<std::string> region;     // id of the region the value points into
  SlotPolicy policy = SlotPolicy::kReplay;
  Json extra = Json::object();
};

struct Kernarg {
  Buffer bytes;  // exactly Kernel::kernarg_bytes
  std::vector<KernargSlot> slots;
  Json extra = Json::object();
};

struct Scope {
  std::string mode;  // reachable, all
  bool widened = false;
  uint64_t tracked_regions = 0;
  uint64_t tracked_bytes = 0;
  Json extra = Json::object();
};

enum class RegionClass { kDevice, kHost };

struct Region {
  std::string id;  // [A-Za-z0-9_-]{1,64}: names files of a dump
  uint64_t base = 0;
  uint64_t size = 0;
  RegionClass memory_class = RegionClass::kDevice;
  std::string api;  // the call that allocated it
  uint64_t allocation_ordinal = 0;
  Content pre, post;
  std::optional<bool> fine_grained;  // coherent with the host while a kernel runs; none: unknown
  Json extra = Json::object();
};

struct ModuleVariable {
  Digest code_object;
  std::string name;
  uint64_t address = 0;
  uint64_t size = 0;
  Content pre, post;
  std::optional<bool> address_told;  // whether the app asked for its address, and may have set it; none: not watched
  Json extra = Json::object();
};

struct CodeObject {
  Digest sha256;
  uint64_t size = 0;
  uint64_t load_base = 0;
  Content content;
  Json extra = Json::object();
};

struct Execution {
  std::optional<uint64_t> wave_instructions;  // softgpu only
  Json extra = Json::object();
};

// A reader that does not know the meaning of these names of `requires` must refuse the capture.
inline constexpr const char* kRequiresDropped = "dropped";  // archive/manifest/dropped.h

struct Manifest {
  Tool tool;
  std::set<std::string> required;  // names of features, "requires" of the file
  uint64_t chunk_bytes = kChunkBytes;
  Json app = Json::object();  // written and read by the stages; native code opens nothing that it names
  Device device;
  Kernel kernel;
  Dispatch dispatch;
  Geometry geometry;
  Kernarg kernarg;
  Scope scope;
  std::vector<Region> regions;  // disjoint
  std::vector<ModuleVariable> module_variables;
  std::vector<CodeObject> code_objects;
  Execution execution;
  Json extra = Json::object();

  const CodeObject* find_code_object(const Digest& digest) const;
};

// Pretty-printed with two spaces, keys sorted, one newline at the end.
std::string to_text(const Json& json);
std::string to_text(const Manifest& manifest);
Json to_json(const Manifest& manifest);
Json to_json(const Geometry& geometry);

// Every field is checked: types, bounds, chunk counts against sizes, overlaps, references. Never throws.
// `where` names the file in errors. CAPTURE_NEWER for another major version and for features of `requires` that are not
// known here, CAPTURE_INVALID for the rest.
Result<Manifest> parse_manifest(std::string_view text, const std::string& where);
// The checks of parse_manifest, for a manifest made in memory: a writer refuses a manifest that readers would refuse.
Status validate(const Manifest& manifest, const std::string& where);

}  // namespace kernloop::archive
