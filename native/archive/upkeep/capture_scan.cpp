#include "archive/upkeep/capture_scan.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <numeric>
#include <optional>
#include <set>

#include "archive/capture/reader.h"
#include "archive/files/file.h"
#include "archive/packed/packed_layout.h"

namespace kernloop::archive {

namespace fs = std::filesystem;

namespace {

using FileIdentity = std::pair<dev_t, ino_t>;

struct Folder {
  FileIdentity identity;
  bool is_directory = false;
};

// None for a name without a target: a link to nothing or to itself, or a file removed meanwhile. An existing path that
// cannot be looked at is an error: captures may be in it.
Result<std::optional<Folder>> look_at(const fs::path& path) {
  struct stat status;
  if (::stat(path.c_str(), &status) == 0)
    return std::optional(Folder{{status.st_dev, status.st_ino}, S_ISDIR(status.st_mode)});
  if (errno == ENOENT || errno == ENOTDIR || errno == ELOOP) return std::optional<Folder>();
  return io_error("cannot look at", path, errno);
}

// End of a chain of links, existing or not: none for a circle, or if `path` is no link.
std::optional<fs::path> end_of_links(fs::path path) {
  constexpr int kMostLinks = 40;  // Linux's limit
  for (int followed = 0; followed <= kMostLinks; ++followed) {
    std::error_code failure;
    if (!fs::is_symlink(fs::symlink_status(path, failure)))
      return followed == 0 ? std::nullopt : std::optional(std::move(path));
    const fs::path folder = fs::weakly_canonical(path.parent_path(), failure);
    const fs::path target = fs::read_symlink(path, failure);
    if (failure) return std::nullopt;
    path = (folder / target).lexically_normal();
  }
  return std::nullopt;
}

bool lies_below(const fs::path& path, const fs::path& folder) {
  return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first == folder.end();
}

// Whether it is another program's file of that name. A file that is not JSON may be a damaged capture.
bool is_foreign(const std::string& text, const std::string& where) {
  const auto json = parse_json(text, where);
  if (!json) return false;
  if (!json->is_object()) return true;
  const auto schema = json->find("schema");
  return schema == json->end() || !schema->is_string() || !schema->get<std::string>().starts_with("kernloop.capture/");
}

class Scanner {
 public:
  Scanner(const std::vector<fs::path>& roots, const std::vector<fs::path>& skip) {
    for (const fs::path& root : roots) {
      std::error_code failure;
      roots_.push_back(fs::canonical(root, failure));
    }
    for (const fs::path& folder : skip) {
      if (const auto found = look_at(folder); found && *found) visited_.insert((*found)->identity);
    }
  }

  Status visit(const fs::path& folder) {
    const auto found = look_at(folder);
    if (!found) scan.unreadable.push_back(found.error());
    if (found && !*found) note_absent(folder);
    if (!found || !*found || !(*found)->is_directory || !visited_.insert((*found)->identity).second) return Unit{};
    std::error_code failure;
    fs::directory_iterator entries(folder, failure);
    for (; !failure && entries != fs::directory_iterator(); entries.increment(failure)) {
      const std::string name = entries->path().filename().string();
      std::error_code unknown;  // visit() tells
      if (name == kManifestFile) {
        if (auto taken = take(folder); !taken) return taken;
      } else if (name != "node_modules" && name != ".git" && !entries->is_regular_file(unknown)) {
        if (auto visited = visit(entries->path()); !visited) return visited;
      }
    }
    if (failure) scan.unreadable.push_back(io_error("cannot read", folder, failure.value()));
    return Unit{};
  }

  CaptureScan scan;

 private:
  // An unreadable capture is noted; an error is one of this machine.
  Status take(const fs::path& folder) {
    const fs::path path = folder / kManifestFile;
    const auto text = read_text(path, kMaxManifestText);
    if (text && is_foreign(*text, path.string())) return Unit{};
    auto manifest = text ? parse_manifest(*text, path.string()) : Result<Manifest>(text.error());
    const auto named = manifest ? chunks_named(*manifest, path.string()) : manifest.error();
    if (!named) {
      scan.unreadable.push_back(named.error());
      return Unit{};
    }
    FoundCapture found;
    found.directory = folder;
    found.kernel = manifest->kernel.name;
    found.capture_sha256 = sha256({reinterpret_cast<const uint8_t*>(text->data()), text->size()});
    std::set<Digest> packed;
    // An unreadable pack is treated as empty.
    if (const auto pack = PackReader::open(folder / kPackFile)) {
      for (const PackEntry& entry : (*pack)->entries()) packed.insert(entry.digest);
    }
    const auto index = static_cast<uint32_t>(scan.captures.size());
    scan.captures.push_back(std::move(found));
    for (const auto& [digest, size] : *named)
      if (auto added = scan.named.add({digest, index, packed.contains(digest)}); !added) return added;
    return Unit{};
  }

  // A missing target within the roots was removed there. A target elsewhere may come back: a disk that is not mounted.
  void note_absent(const fs::path& link) {
    const auto end = end_of_links(link);
    if (!end || std::ranges::any_of(roots_, [&](const fs::path& root) { return lies_below(*end, root); })) return;
    scan.absent.push_back({"FILE_NOT_FOUND", link.string() + " leads to " + end->string() + ", where nothing is", ""});
  }

  std::vector<fs::path> roots_;
  std::set<FileIdentity> visited_;
};

void sort_by_path(CaptureScan& scan) {
  std::vector<uint32_t> order(scan.captures.size()), numbers(order.size());
  std::iota(order.begin(), order.end(), 0u);
  const auto path_of = [&](uint32_t index) -> const fs::path& { return scan.captures[index].directory; };
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return path_of(a) < path_of(b); });
  std::vector<FoundCapture> sorted;
  for (uint32_t i = 0; i < order.size(); ++i) {
    numbers[order[i]] = i;
    sorted.push_back(std::move(scan.captures[order[i]]));
  }
  scan.captures = std::move(sorted);
  scan.named.renumber(std::move(numbers));
}

}  // namespace

Result<CaptureScan> scan_captures(const std::vector<fs::path>& roots, const std::vector<fs::path>& skip) {
  Scanner scanner(roots, skip);
  for (const fs::path& root : roots) {
    std::error_code failure;
    if (!fs::is_directory(root, failure))
      return io_error("cannot look for captures in", root, failure ? failure.value() : ENOTDIR);
    if (auto visited = scanner.visit(root); !visited) return visited.error();
  }
  sort_by_path(scanner.scan);
  return std::move(scanner.scan);
}

}  // namespace kernloop::archive
