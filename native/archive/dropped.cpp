#include "archive/dropped.h"

#include <algorithm>
#include <map>

#include "archive/file.h"
#include "archive/manifest_fields.h"

namespace kernloop::archive {

namespace {

constexpr uint64_t kMaxDroppedFile = 256u << 20;
constexpr uint64_t kMaxObservedFile = 64u << 20;
constexpr size_t kMaxDropped = 1u << 20;  // per region
constexpr const char* kDropped = "dropped";

using DroppedOfRegions = std::vector<std::vector<DroppedBytes>>;

Error bad_dropped(const std::filesystem::path& file, const std::string& why) {
  return {"USAGE", file.string() + ": " + why, "--dropped names ranges of the regions of this capture"};
}

bool is_inside(const DroppedBytes& range, uint64_t size) {
  return range.bytes > 0 && range.bytes <= size && range.offset <= size - range.bytes;
}

DroppedBytes read_range(const Json& json, const std::string& path) {
  Fields fields(json, path);
  return {fields.number<uint64_t>("offset"), fields.number<uint64_t>("bytes")};
}

// Sorted, and what touches is one.
std::vector<DroppedBytes> joined(std::vector<DroppedBytes> ranges) {
  std::sort(ranges.begin(), ranges.end(), [](const auto& a, const auto& b) { return a.offset < b.offset; });
  std::vector<DroppedBytes> all;
  for (const DroppedBytes& range : ranges) {
    if (all.empty() || all.back().offset + all.back().bytes < range.offset) {
      all.push_back(range);
    } else {
      DroppedBytes& last = all.back();
      last.bytes = std::max(last.offset + last.bytes, range.offset + range.bytes) - last.offset;
    }
  }
  return all;
}

void clear(std::span<uint8_t> chunk, uint64_t offset, const std::vector<DroppedBytes>& dropped) {
  for (const DroppedBytes& range : dropped) {
    const uint64_t from = std::max(range.offset, offset);
    const uint64_t to = std::min(range.offset + range.bytes, offset + chunk.size());
    if (from < to) std::fill_n(chunk.begin() + static_cast<ptrdiff_t>(from - offset), to - from, uint8_t{0});
  }
}

// The content once more, chunk by chunk.
Result<PendingContent> copy_content(const Reader& reader, const ContentView& view,
                                    const std::vector<DroppedBytes>& dropped, CaptureWriter& writer) {
  ContentStream stream(writer);
  Buffer chunk;
  for (size_t i = 0; i < view.content->chunks.size(); ++i) {
    chunk.resize(reader.chunk_size(view, i));
    if (auto read = reader.read_chunk(view, i, chunk); !read) return read.error();
    clear(chunk, i * reader.manifest().chunk_bytes, dropped);
    if (auto put = stream.append(Bytes(chunk)); !put) return put.error();
  }
  return stream.finish();
}

Json to_json(const std::vector<DroppedBytes>& dropped) {
  Json list = Json::array();
  for (const DroppedBytes& range : dropped) list.push_back({{"offset", range.offset}, {"bytes", range.bytes}});
  return list;
}

Result<Json> read_observed(const Reader& reader) {
  const std::filesystem::path path = reader.directory() / kObservedFile;
  auto text = read_text(path, kMaxObservedFile);
  if (!text) return text.error();
  return parse_json(*text, path.string());
}

}  // namespace

std::vector<DroppedBytes> dropped_of(const Region& region) {
  std::vector<DroppedBytes> dropped;
  const auto list = region.extra.find(kDropped);
  if (list == region.extra.end()) return dropped;
  const std::string what = "region " + region.id + ": dropped ";
  if (!list->is_array() || list->size() > kMaxDropped) throw ManifestProblem{what + "is no list that can be"};
  for (const Json& json : *list) {
    const DroppedBytes range = read_range(json, "region " + region.id + ".dropped");
    const uint64_t from = dropped.empty() ? 0 : dropped.back().offset + dropped.back().bytes;
    if (!is_inside(range, region.size) || range.offset < from)
      throw ManifestProblem{what + "has a range that is empty, out of order, or outside of the region"};
    dropped.push_back(range);
  }
  return dropped;
}

uint64_t dropped_bytes_of(const Manifest& manifest) {
  uint64_t bytes = 0;
  for (const Region& region : manifest.regions) {
    for (const DroppedBytes& range : dropped_of(region)) bytes += range.bytes;
  }
  return bytes;
}

Result<DroppedOfRegions> read_dropped(const std::filesystem::path& file, const Manifest& manifest) {
  DroppedOfRegions all;
  std::map<std::string, size_t> index;
  for (const Region& region : manifest.regions) {
    index[region.id] = all.size();
    all.push_back(dropped_of(region));
  }
  auto text = read_text(file, kMaxDroppedFile);
  if (!text) return text.error();
  auto json = parse_json(*text, file.string());
  if (!json) return json.error();
  try {
    for (const Json& item : Fields(*json, "").array(kDropped)) {
      const DroppedBytes range = read_range(item, kDropped);
      const std::string id = Fields(item, kDropped).text("region");
      const auto found = index.find(id);
      if (found == index.end()) return bad_dropped(file, "it names a region that the capture does not have: " + id);
      if (!is_inside(range, manifest.regions[found->second].size))
        return bad_dropped(file, "a range is empty or ends beyond " + id);
      all[found->second].push_back(range);
    }
  } catch (const ManifestProblem& problem) {
    return bad_dropped(file, problem.what);
  }
  for (std::vector<DroppedBytes>& ranges : all) ranges = joined(std::move(ranges));
  return all;
}

Result<Shrunk> shrink_capture(const Reader& reader, const ShrinkRequest& request) {
  Manifest manifest = reader.manifest();
  const auto dropped = read_dropped(request.dropped, manifest);
  if (!dropped) return dropped.error();
  const auto observed = read_observed(reader);
  if (!observed) return observed.error();
  std::error_code failure;
  if (!std::filesystem::create_directory(request.writer.directory, failure)) {
    return Error{"TARGET_EXISTS", request.writer.directory.string() + " is there already, or cannot be made",
                 "remove it, or look at the folder around it"};
  }
  auto writer = CaptureWriter::create(request.writer);
  if (!writer) return writer.error();
  std::vector<std::pair<Content*, PendingContent>> contents;
  const auto copy = [&](Content& content, const ContentView& view, const std::vector<DroppedBytes>& without) -> Status {
    auto pending = copy_content(reader, view, without, **writer);
    if (!pending) return pending.error();
    contents.emplace_back(&content, std::move(*pending));
    return Unit{};
  };
  // Views are of the reader's manifest: ours is filled once everything is written.
  const Manifest& old = reader.manifest();
  for (size_t i = 0; i < old.regions.size(); ++i) {
    Region& region = manifest.regions[i];
    if (auto done = copy(region.pre, pre_of(old.regions[i]), (*dropped)[i]); !done) return done.error();
    if (auto done = copy(region.post, post_of(old.regions[i]), (*dropped)[i]); !done) return done.error();
    if ((*dropped)[i].empty()) continue;
    region.extra[kDropped] = to_json((*dropped)[i]);
    manifest.required.insert(kRequiresDropped);
  }
  for (size_t i = 0; i < old.module_variables.size(); ++i) {
    ModuleVariable& variable = manifest.module_variables[i];
    if (auto done = copy(variable.pre, pre_of(old.module_variables[i]), {}); !done) return done.error();
    if (auto done = copy(variable.post, post_of(old.module_variables[i]), {}); !done) return done.error();
  }
  for (size_t i = 0; i < old.code_objects.size(); ++i) {
    CodeObject& code_object = manifest.code_objects[i];
    if (auto done = copy(code_object.content, content_of(old.code_objects[i]), {}); !done) return done.error();
  }
  if (auto settled = (*writer)->settle(); !settled) return settled.error();
  for (auto& [content, pending] : contents) *content = (*writer)->names(pending);
  if (auto finished = (*writer)->finish(manifest, *observed); !finished) return finished.error();
  return Shrunk{dropped_bytes_of(manifest), (*writer)->bytes_stored()};
}

}  // namespace kernloop::archive
