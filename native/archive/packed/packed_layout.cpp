#include "archive/packed/packed_layout.h"

#include <algorithm>

#include "archive/capture/reader.h"
#include "archive/files/file.h"

namespace kernloop::archive {

namespace fs = std::filesystem;

namespace {

// Position among the files of a packed capture; nullopt for any other name.
std::optional<size_t> rank_of(const std::string& name) {
  const auto found = std::find(kPackedFiles.begin(), kPackedFiles.end(), name);
  if (found == kPackedFiles.end()) return std::nullopt;
  return static_cast<size_t>(found - kPackedFiles.begin());
}

uint64_t limit_of(const std::string& name) {
  if (name == kPackFile) return ~uint64_t{0};
  return name == kManifestFile ? kMaxManifestText : kMaxSideText;
}

Status check_zeros(int fd, uint64_t offset, uint64_t size, const std::string& what, const fs::path& file) {
  Buffer bytes(size);
  if (auto read = read_exactly(fd, offset, bytes, file); !read) return read;
  return is_all_zero(bytes) ? Status(Unit{}) : packed_invalid(file, what + " is not zero");
}

}  // namespace

Error packed_invalid(const fs::path& file, const std::string& why) {
  return {"PACKED_INVALID", file.string() + " is no packed capture: it " + why,
          "copy the file afresh from where it came from, or pack the capture again with `kernloop pack`"};
}

Result<std::vector<PlacedEntry>> packed_layout(int fd, uint64_t file_size, const fs::path& file) {
  std::vector<PlacedEntry> entries;
  uint64_t position = 0;
  size_t next_rank = 0;
  for (;;) {
    Buffer blocks(std::min(3 * kTarBlockBytes, file_size - position));
    if (auto read = read_exactly(fd, position, blocks, file); !read) return read.error();
    const auto header = parse_tar_header(blocks);
    if (!header) return packed_invalid(file, header.error().message);
    if (!*header) break;
    const TarEntry& entry = (*header)->entry;
    const auto rank = rank_of(entry.name);
    if (!rank) return packed_invalid(file, "holds \"" + entry.name + "\", which is no file of a capture");
    if (*rank < next_rank) return packed_invalid(file, "holds " + entry.name + " twice or out of order");
    next_rank = *rank + 1;
    position += (*header)->header_bytes;
    if (entry.size > limit_of(entry.name) || entry.size > file_size - position ||
        tar_padding(entry.size) > file_size - position - entry.size) {
      return packed_invalid(
          file, "says that " + entry.name + " has " + std::to_string(entry.size) + " bytes, more than it can have");
    }
    entries.push_back({entry, position});
    position += entry.size;
    if (auto zeros = check_zeros(fd, position, tar_padding(entry.size), "has padding that", file); !zeros)
      return zeros.error();
    position += tar_padding(entry.size);
  }
  if (file_size - position != kTarEndBytes) {
    return packed_invalid(file, file_size - position < kTarEndBytes ? "is cut short" : "goes on after its end");
  }
  if (auto zeros = check_zeros(fd, position, kTarEndBytes, "has an end that", file); !zeros) return zeros.error();
  if (entries.empty() || entries.front().entry.name != kManifestFile || entries.back().entry.name != kPackFile) {
    return packed_invalid(file, std::string("lacks ") + kManifestFile + " or " + kPackFile);
  }
  return entries;
}

Result<std::map<Digest, uint64_t>> chunks_named(const Manifest& manifest, const std::string& where) {
  std::map<Digest, uint64_t> named;
  for (const ContentView& view : contents_of(manifest)) {
    for (size_t i = 0; i < view.content->chunks.size(); ++i) {
      const ChunkName& name = view.content->chunks[i];
      if (!name) continue;
      const uint64_t size = std::min(manifest.chunk_bytes, view.size - i * manifest.chunk_bytes);
      if (named.emplace(*name, size).first->second != size) {
        return Error{"CAPTURE_INVALID", where + " names the chunk " + name->hex() + " with two sizes",
                     "the manifest was damaged: restore it, or capture again"};
      }
    }
  }
  return named;
}

Status check_pack(const PackReader& pack, const std::map<Digest, uint64_t>& named, uint64_t pack_bytes,
                  const fs::path& file) {
  if (pack.entries().size() != named.size()) {
    return packed_invalid(file, "holds " + std::to_string(pack.entries().size()) + " chunks, and its manifest names " +
                                    std::to_string(named.size()));
  }
  uint64_t stored_bytes = 0;
  std::vector<const PackEntry*> in_order;
  for (const PackEntry& entry : pack.entries()) {
    const auto found = named.find(entry.digest);
    if (found == named.end() || found->second != entry.raw_bytes) {
      return packed_invalid(file, "holds a chunk " + entry.digest.hex() + " that its manifest does not name so");
    }
    stored_bytes += entry.stored_bytes;
    in_order.push_back(&entry);
  }
  std::sort(in_order.begin(), in_order.end(), [](auto* a, auto* b) { return a->offset < b->offset; });
  for (size_t i = 1; i < in_order.size(); ++i) {
    if (in_order[i]->offset != in_order[i - 1]->offset + in_order[i - 1]->stored_bytes)
      return packed_invalid(file, "has chunks that are not back to back");
  }
  const uint64_t overhead = pack_overhead_bytes(named.size());
  if (pack_bytes != stored_bytes + overhead)
    return packed_invalid(file, "has bytes between its chunks and their index");
  return Unit{};
}

Status check_side_text(const std::string& name, std::string_view text, const Digest& capture, const fs::path& file) {
  auto json = parse_json(text, file.string() + ": " + name);
  if (!json) return json.error();
  if (!json->is_object()) return packed_invalid(file, "has a " + name + " that is no object");
  if (name != kSelfcheckFile) return Unit{};
  const auto of = json->find("capture_sha256");
  if (of == json->end() || !of->is_string() || of->get<std::string>() != capture.hex()) {
    return Error{"CAPTURE_INVALID", file.string() + ": " + name + " is that of another capture",
                 "capture again, which checks the capture, and pack that"};
  }
  return Unit{};
}

fs::path hidden_beside(const fs::path& path, const std::string& suffix) {
  std::string name = ".";
  name += path.filename().string();
  name += suffix;
  return path.parent_path() / name;
}

}  // namespace kernloop::archive
