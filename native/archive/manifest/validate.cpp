// Relations between the values of a manifest, checked so that later code never meets an impossible capture.
#include <algorithm>
#include <set>
#include <unordered_set>

#include "archive/manifest/dropped.h"
#include "archive/manifest/fields.h"
#include "archive/manifest/limits.h"
#include "archive/manifest/manifest.h"

namespace kernloop::archive {

namespace {

constexpr uint64_t kMaxAddress = uint64_t{1} << 56;  // more than any GPU's virtual address space
constexpr size_t kMaxItems = 1u << 20;               // regions, variables, code objects
constexpr uint32_t kMaxKernargBytes = 1u << 20;
constexpr size_t kMaxAttributes = 1024;

void require(bool condition, const std::string& what) {
  if (!condition) throw ManifestProblem{what};
}

void check_extent(uint64_t base, uint64_t size, const std::string& what) {
  require(size > 0, what + " is empty");
  require(base < kMaxAddress && size <= kMaxAddress - base, what + " reaches beyond the address space");
}

// Bytes that a capture asks for in one place, each of which may be possible where all are not.
class Sum {
 public:
  Sum(uint64_t bound, std::string what) : bound_(bound), what_(std::move(what)) {}
  void add(uint64_t bytes) {
    require(bytes <= bound_ - total_, what_ + " have more than " + std::to_string(bound_) + " bytes together");
    total_ += bytes;
  }

 private:
  const uint64_t bound_;
  const std::string what_;
  uint64_t total_ = 0;
};

void check_content(const Content& content, uint64_t size, uint64_t chunk_bytes, const std::string& what) {
  const uint64_t expected = size / chunk_bytes + (size % chunk_bytes != 0);
  require(content.chunks.size() == expected, what + " has " + std::to_string(content.chunks.size()) + " chunks; " +
                                                 std::to_string(size) + " bytes take " + std::to_string(expected));
}

// Region ids name the files of a dump: they must be plain names.
void check_region_id(const std::string& id) {
  const bool plain = !id.empty() && id.size() <= 64 && std::all_of(id.begin(), id.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
  require(plain, "region id \"" + id.substr(0, 80) + "\" is not a plain name (letters, digits, _ and -)");
}

void check_regions(const Manifest& manifest) {
  std::set<std::string> ids;
  std::vector<const Region*> by_base;
  Sum memory(kMaxMemoryBytes, "regions and module variables");
  for (const ModuleVariable& variable : manifest.module_variables) memory.add(variable.size);
  for (const Region& region : manifest.regions) {
    check_extent(region.base, region.size, "region " + region.id);
    memory.add(region.size);
  }
  for (const Region& region : manifest.regions) {
    check_region_id(region.id);
    require(ids.insert(region.id).second, "region id " + region.id + " occurs twice");
    check_content(region.pre, region.size, manifest.chunk_bytes, "region " + region.id + " (pre)");
    check_content(region.post, region.size, manifest.chunk_bytes, "region " + region.id + " (post)");
    dropped_of(region);
    by_base.push_back(&region);
  }
  std::sort(by_base.begin(), by_base.end(), [](auto* a, auto* b) { return a->base < b->base; });
  for (size_t i = 1; i < by_base.size(); ++i) {
    require(by_base[i - 1]->base + by_base[i - 1]->size <= by_base[i]->base,
            "regions " + by_base[i - 1]->id + " and " + by_base[i]->id + " overlap");
  }
  for (const KernargSlot& slot : manifest.kernarg.slots) {
    require(!slot.region || ids.contains(*slot.region),
            "kernarg slot at " + std::to_string(slot.offset) + " names an unknown region");
  }
}

void check_code_objects(const Manifest& manifest) {
  std::set<Digest> digests;
  Sum code(kMaxCodeBytes, "code objects");
  for (const CodeObject& code_object : manifest.code_objects) {
    const std::string what = "code object " + code_object.sha256.hex();
    require(digests.insert(code_object.sha256).second, what + " occurs twice");
    require(code_object.size > 0 && code_object.size <= kMaxCodeObjectBytes, what + " has an impossible size");
    code.add(code_object.size);
    require(code_object.load_base < kMaxAddress, what + " lies beyond the address space");
    check_content(code_object.content, code_object.size, manifest.chunk_bytes, what);
  }
  require(digests.contains(manifest.kernel.code_object), "the kernel's code object is not in code_objects");
  std::set<std::pair<Digest, std::string>> names;
  for (const ModuleVariable& variable : manifest.module_variables) {
    const std::string what = "module variable " + variable.name;
    require(!variable.name.empty(), "a module variable has no name");
    require(digests.contains(variable.code_object), what + " belongs to an unknown code object");
    require(names.emplace(variable.code_object, variable.name).second, what + " occurs twice");
    check_extent(variable.address, variable.size, what);
    check_content(variable.pre, variable.size, manifest.chunk_bytes, what + " (pre)");
    check_content(variable.post, variable.size, manifest.chunk_bytes, what + " (post)");
  }
}

void check_geometry(const Geometry& geometry) {
  require(geometry.dimensions >= 1 && geometry.dimensions <= 3, "geometry.dimensions is not 1, 2 or 3");
  for (size_t i = 0; i < 3; ++i) {
    const uint64_t blocks = geometry.grid_blocks[i], threads = geometry.block_threads[i],
                   items = geometry.grid_work_items[i];
    require(threads >= 1 && threads <= UINT16_MAX,
            "geometry.block_threads is out of range");  // 16 bits in an AQL packet
    require(items >= 1 && blocks == items / threads + (items % threads != 0),
            "geometry.grid_blocks does not fit grid_work_items");
  }
  require(geometry.attributes.size() <= kMaxAttributes, "geometry.attributes lists impossibly many");
}

void check_kernarg(const Manifest& manifest) {
  const size_t size = manifest.kernarg.bytes.size();
  require(size == manifest.kernel.kernarg_bytes, "kernarg.hex has " + std::to_string(size) +
                                                     " bytes; the kernel takes " +
                                                     std::to_string(manifest.kernel.kernarg_bytes));
  require(size <= kMaxKernargBytes, "the kernel-argument segment is impossibly large");
  for (const KernargSlot& slot : manifest.kernarg.slots) {
    require(slot.offset <= size && slot.size <= size - slot.offset,
            "kernarg slot at " + std::to_string(slot.offset) + " ends beyond the segment");
  }
}

// app.files lists the program's sources: a relative path must not leave its folder.
void check_app(const Json& app) {
  require(app.is_object(), "app is not an object");
  const auto files = app.find("files");
  if (files == app.end()) return;
  require(files->is_array(), "app.files is not a list");
  for (const Json& file : *files) {
    require(file.is_object(), "app.files holds something that is not an object");
    const auto path = file.find("path");
    require(path != file.end() && path->is_string(), "an entry of app.files has no path");
    const std::string text = path->get<std::string>();
    require(("/" + text + "/").find("/../") == std::string::npos,
            "app.files names a path that climbs: " + text.substr(0, 200));
  }
}

}  // namespace

Status validate(const Manifest& manifest, const std::string& where) {
  try {
    require(manifest.chunk_bytes >= 4096 && manifest.chunk_bytes <= kMaxChunkBytes && manifest.chunk_bytes % 4096 == 0,
            "chunk_bytes is " + std::to_string(manifest.chunk_bytes) + ": not a multiple of 4096 up to 64 MiB");
    require(manifest.regions.size() <= kMaxItems && manifest.module_variables.size() <= kMaxItems &&
                manifest.code_objects.size() <= kMaxItems && manifest.kernarg.slots.size() <= kMaxItems,
            "it lists impossibly many items");
    require(!manifest.kernel.symbol.empty(), "kernel.symbol is empty");
    check_app(manifest.app);
    check_geometry(manifest.geometry);
    check_kernarg(manifest);
    check_code_objects(manifest);
    check_regions(manifest);
    return Unit{};
  } catch (const ManifestProblem& problem) {
    return Error{"CAPTURE_INVALID", where + ": " + problem.what,
                 "the file was damaged or edited: restore it, or capture again"};
  }
}

}  // namespace kernloop::archive
