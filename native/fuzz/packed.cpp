// Packed captures: a hostile file is refused without a trace, or yields a capture whose every byte is right.
#include "archive/packed/packed_capture.h"

#include <cstdio>
#include <cstring>

#include "archive/packed/tar.h"
#include "fuzz/target.h"

namespace kernloop::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMagicAt = 257, kChecksumAt = 148, kChecksumBytes = 8;  // in a ustar header
constexpr uint64_t kMaxRead = 1u << 20;

// A fuzzer would hardly find them.
void correct_checksums(Input& file) {
  for (size_t at = 0; at + archive::kTarBlockBytes <= file.size(); at += archive::kTarBlockBytes) {
    uint8_t* block = file.data() + at;
    if (std::memcmp(block + kMagicAt, "ustar", 5) != 0) continue;
    std::memset(block + kChecksumAt, ' ', kChecksumBytes);
    unsigned sum = 0;
    for (size_t i = 0; i < archive::kTarBlockBytes; ++i) sum += block[i];
    char text[kChecksumBytes];
    std::snprintf(text, sizeof text, "%06o", sum);
    std::memcpy(block + kChecksumAt, text, 7);
  }
}

void require_complete(const fs::path& capture) {
  const auto reader = archive::Reader::open(capture, {});
  require(reader.ok(), "what was unpacked opens");
  for (const archive::ContentView& view : archive::contents_of((*reader)->manifest())) {
    if (view.size <= kMaxRead) require((*reader)->read_all(view, kMaxRead).ok(), "what was unpacked is complete");
  }
}

void unpack(Bytes bytes) {
  static const ScratchFolder folder;
  Input file(bytes.begin(), bytes.end());
  correct_checksums(file);
  const fs::path target = folder.path() / "out" / "capture";
  const auto unpacked = archive::unpack_capture({folder.write("packed", file), target, ""});
  if (unpacked) {
    require_complete(target);
  } else {
    require(!fs::exists(target), "a refused file leaves no capture");
  }
  for (const auto& entry : fs::recursive_directory_iterator(folder.path())) {
    const fs::path& path = entry.path();
    const bool expected = path.filename() == "packed" || path.filename() == "out" || path == target ||
                          (unpacked && path.parent_path() == target);
    require(expected, "nothing is written elsewhere");
  }
  fs::remove_all(folder.path() / "out");
}

std::vector<Input> seeds() {
  const ScratchFolder folder;
  const fs::path golden = fs::path(KERNLOOP_FUZZ_SOURCES) / "archive/test/golden/capture-v1";
  const auto reader = archive::Reader::open(golden, {});
  require(reader.ok() && archive::pack_capture(**reader, folder.path() / "packed").ok(),
          "the golden capture is packed");
  return {file_bytes(folder.path() / "packed")};
}

const Registration kPacked({"packed", unpack, seeds});

}  // namespace
}  // namespace kernloop::fuzz
