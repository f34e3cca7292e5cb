#include "verdict/expected_files.h"

#include "archive/files/file.h"

namespace kernloop::replay {

Status check_expected(const ExpectedFiles& expected, const std::filesystem::path& path, const Digest& digest) {
  const auto found = expected.find(path);
  if (found == expected.end() || found->second == digest) return Unit{};
  return Error{"INPUT_CHANGED",
               path.string() + " was changed while it was judged: sha256 " + digest.hex().substr(0, 12) +
                   "… was read, and " + found->second.hex().substr(0, 12) + "… is what was to be judged",
               "run it again when nothing writes there"};
}

Result<std::string> read_expected(const ExpectedFiles& expected, const std::filesystem::path& path,
                                  uint64_t max_bytes) {
  auto text = archive::read_text(path, max_bytes);
  if (!text) return text;
  const Bytes bytes(reinterpret_cast<const uint8_t*>(text->data()), text->size());
  // Most are not expected to be anything: they are not hashed.
  if (expected.contains(path)) {
    if (auto checked = check_expected(expected, path, sha256(bytes)); !checked) return checked.error();
  }
  return text;
}

}  // namespace kernloop::replay
