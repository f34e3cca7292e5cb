#include "archive/chunks/named_chunks.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <type_traits>
#include <utility>

namespace kernloop::archive {

namespace fs = std::filesystem;

namespace {

static_assert(std::is_trivially_copyable_v<ChunkUse>, "written as it lies in memory, and read by this process alone");

Result<FileDescriptor> nameless_file(const fs::path& folder) {
  std::string name = (folder / "kernloop-named-XXXXXX").string();
  FileDescriptor file(::mkostemp(name.data(), O_CLOEXEC));
  if (!file) return io_error("cannot create a file in", folder, errno);
  ::unlink(name.c_str());
  return Result<FileDescriptor>(std::move(file));
}

fs::path temporary_folder() {
  std::error_code none;
  const fs::path folder = fs::temp_directory_path(none);
  return none ? fs::path("/tmp") : folder;
}

}  // namespace

Status NamedChunks::add(const ChunkUse& use) {
  Bucket& bucket = buckets_[use.digest.bytes[0]];
  bucket.held.push_back(use);
  return bucket.held.size() < kHeld ? Status(Unit{}) : spill(bucket);
}

Status NamedChunks::spill(Bucket& bucket) {
  const fs::path folder = temporary_folder();
  if (!file_) {
    auto file = nameless_file(folder);
    if (!file) return file.error();
    file_ = std::move(*file);
  }
  const Bytes bytes(reinterpret_cast<const uint8_t*>(bucket.held.data()), kHeld * sizeof(ChunkUse));
  if (auto written = write_all_at(file_.get(), end_, bytes, folder); !written) return written;
  bucket.blocks.push_back(end_);
  end_ += bytes.size();
  bucket.held.clear();
  return Unit{};
}

Result<std::vector<ChunkUse>> NamedChunks::beginning_with(uint8_t first) const {
  const Bucket& bucket = buckets_[first];
  std::vector<ChunkUse> uses(bucket.blocks.size() * kHeld);
  for (size_t i = 0; i < bucket.blocks.size(); ++i) {
    const std::span<uint8_t> into(reinterpret_cast<uint8_t*>(&uses[i * kHeld]), kHeld * sizeof(ChunkUse));
    if (auto read = read_exactly(file_.get(), bucket.blocks[i], into, temporary_folder()); !read) return read.error();
  }
  uses.insert(uses.end(), bucket.held.begin(), bucket.held.end());
  if (!numbers_.empty())
    for (ChunkUse& use : uses) use.capture = numbers_[use.capture];
  std::sort(uses.begin(), uses.end());
  return uses;
}

}  // namespace kernloop::archive
