#include <optional>

#include "pgo/format/files.h"
#include "pgo/format/indexed.h"
#include "pgo/format/merge.h"

namespace kernloop::pgo {

namespace fs = std::filesystem;

Result<std::vector<Profile>> read_profiles(const fs::path& path, bool side_files) {
  const auto bytes = read_file(path);
  if (!bytes) return bytes.error();
  const std::string what = path.string();
  if (is_indexed(*bytes)) {
    auto profile = read_indexed(*bytes, what);
    if (!profile) return profile.error();
    return std::vector<Profile>{std::move(*profile)};
  }
  const auto raws = read_raw(*bytes, what);
  if (!raws) return raws.error();
  std::optional<std::vector<uint64_t>> uniform;
  std::optional<WaveFile> waves;
  for (const char* extension : {".unifcnts", ".wavecnts"}) {
    fs::path beside = path;
    beside.replace_extension(extension);
    std::error_code none;
    if (!side_files || !fs::exists(beside, none)) continue;
    const auto side = read_file(beside);
    if (!side) return side.error();
    if (raws->size() != 1) {
      return Error{"PGO_SIDE_FILE_FOREIGN", what + " holds several profiles, and " + beside.string() + " is of one",
                   "keep the files of one run together"};
    }
    if (extension[1] == 'u') {
      auto read = read_uniform_counters(*side, beside.string());
      if (!read) return read.error();
      uniform = std::move(*read);
    } else {
      auto read = read_waves(*side, beside.string());
      if (!read) return read.error();
      waves = std::move(*read);
    }
  }
  std::vector<Profile> profiles;
  for (const RawProfile& raw : *raws) {
    auto profile = with_side_files(raw, uniform ? &*uniform : nullptr, waves ? &*waves : nullptr, what);
    if (!profile) return profile.error();
    profiles.push_back(std::move(*profile));
  }
  return profiles;
}

}  // namespace kernloop::pgo
