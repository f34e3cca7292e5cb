#include "archive/capture/shrink.h"

#include <algorithm>

#include "archive/files/file.h"
#include "archive/manifest/dropped.h"

namespace kernloop::archive {

namespace {

constexpr uint64_t kMaxObservedFile = 64u << 20;

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
