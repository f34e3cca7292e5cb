#include "archive/capture_scan.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <optional>

#include "archive/file.h"
#include "archive/packed_layout.h"
#include "archive/reader.h"

namespace kernloop::archive {

namespace fs = std::filesystem;

namespace {

using FileIdentity = std::pair<dev_t, ino_t>;

std::optional<FileIdentity> identity_of(const fs::path& path) {
  struct stat status;
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  return FileIdentity{status.st_dev, status.st_ino};
}

// Some other program's file of that name. What is no JSON may be a damaged capture.
bool is_foreign(const std::string& text, const std::string& where) {
  const auto json = parse_json(text, where);
  if (!json) return false;
  if (!json->is_object()) return true;
  const auto schema = json->find("schema");
  return schema == json->end() || !schema->is_string() || !schema->get<std::string>().starts_with("kernloop.capture/");
}

class Scanner {
 public:
  explicit Scanner(const std::vector<fs::path>& skip) {
    for (const fs::path& folder : skip) {
      if (const auto identity = identity_of(folder)) visited_.insert(*identity);
    }
  }

  void visit(const fs::path& folder) {
    const auto identity = identity_of(folder);
    if (!identity || !visited_.insert(*identity).second) return;
    std::error_code failure;
    fs::directory_iterator entries(folder, failure);
    for (; !failure && entries != fs::directory_iterator(); entries.increment(failure)) {
      const std::string name = entries->path().filename().string();
      std::error_code none;  // a link to nothing is no folder
      if (name == kManifestFile) {
        take(folder);
      } else if (name != "node_modules" && name != ".git" && fs::is_directory(entries->path(), none)) {
        visit(entries->path());
      }
    }
    if (failure) scan.unreadable.push_back(io_error("cannot read", folder, failure.value()));
  }

  CaptureScan scan;

 private:
  void take(const fs::path& folder) {
    const fs::path path = folder / kManifestFile;
    const auto text = read_text(path, kMaxManifestText);
    if (text && is_foreign(*text, path.string())) return;
    auto manifest = text ? parse_manifest(*text, path.string()) : Result<Manifest>(text.error());
    auto named = manifest ? chunks_named(*manifest, path.string()) : manifest.error();
    if (!named) return scan.unreadable.push_back(named.error());
    FoundCapture found;
    found.directory = folder;
    found.kernel = manifest->kernel.name;
    found.capture_sha256 = sha256({reinterpret_cast<const uint8_t*>(text->data()), text->size()});
    found.named = std::move(*named);
    // A pack that cannot be read holds nothing that could be relied on.
    if (const auto pack = PackReader::open(folder / kPackFile)) {
      for (const PackEntry& entry : (*pack)->entries()) found.packed.insert(entry.digest);
    }
    scan.captures.push_back(std::move(found));
  }

  std::set<FileIdentity> visited_;
};

}  // namespace

Result<CaptureScan> scan_captures(const std::vector<fs::path>& roots, const std::vector<fs::path>& skip) {
  Scanner scanner(skip);
  for (const fs::path& root : roots) {
    std::error_code failure;
    if (!fs::is_directory(root, failure))
      return io_error("cannot look for captures in", root, failure ? failure.value() : ENOTDIR);
    scanner.visit(root);
  }
  std::sort(scanner.scan.captures.begin(), scanner.scan.captures.end(),
            [](const FoundCapture& a, const FoundCapture& b) { return a.directory < b.directory; });
  return std::move(scanner.scan);
}

}  // namespace kernloop::archive
