#include "pgo/format/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/process_name.h"

namespace kernloop::pgo {

namespace fs = std::filesystem;

namespace {

constexpr uint64_t kMaxFileBytes = uint64_t{4} << 30;

Error file_error(const std::string& action, const fs::path& path, int number) {
  const std::string message = "cannot " + action + " " + path.string() + ": " + std::strerror(number);
  if (number == ENOENT) return {"FILE_NOT_FOUND", message, "check the path"};
  if (number == ENOSPC || number == EDQUOT)
    return {"DISK_FULL", message, "free some space on that disk, and try again"};
  return {"IO_ERROR", message, "check the path, its permissions and the disk"};
}

struct Descriptor {
  int fd;
  ~Descriptor() {
    if (fd >= 0) ::close(fd);
  }
};

fs::path beside(fs::path path, const char* extension) {
  return path.replace_extension(extension);
}

}  // namespace

Result<Buffer> read_file(const fs::path& path) {
  // A FIFO without a writer would block for ever.
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  struct stat status {};
  if (file.fd < 0 || ::fstat(file.fd, &status) != 0) return file_error("open", path, errno);
  if (!S_ISREG(status.st_mode)) return Error{"IO_ERROR", path.string() + " is not a regular file", "give a file"};
  if (static_cast<uint64_t>(status.st_size) > kMaxFileBytes)
    return Error{"PGO_PROFILE_INVALID", path.string() + " is larger than any profile", "give a profile"};
  Buffer bytes(static_cast<size_t>(status.st_size));
  size_t at = 0;
  while (at < bytes.size()) {
    const ssize_t count = ::read(file.fd, bytes.data() + at, bytes.size() - at);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return file_error("read", path, errno);
    if (count == 0) break;
    at += static_cast<size_t>(count);
  }
  bytes.resize(at);
  return bytes;
}

Status write_file(const fs::path& path, Bytes bytes) {
  const fs::path temporary = path.string() + ".tmp." + process_name();
  {
    const Descriptor file{::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644)};
    if (file.fd < 0) return file_error("create", temporary, errno);
    while (!bytes.empty()) {
      const ssize_t count = ::write(file.fd, bytes.data(), bytes.size());
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) {
        const int number = errno;
        ::unlink(temporary.c_str());
        return file_error("write", path, number);
      }
      bytes = bytes.subspan(static_cast<size_t>(count));
    }
  }
  if (::rename(temporary.c_str(), path.c_str()) != 0) {
    const int number = errno;
    ::unlink(temporary.c_str());
    return file_error("rename to", path, number);
  }
  return Unit{};
}

fs::path unit_path(const fs::path& base, const UnitProfile& unit) {
  const std::string extension = base.extension().empty() ? ".profraw" : base.extension().string();
  fs::path path = base;
  path.replace_extension();
  path += std::string(".") + (unit.stock ? "amdgcn-amd-amdhsa" : triple_of(unit.waves.arch)) + "." + unit.waves.cuid +
          extension;
  return path;
}

Result<std::vector<fs::path>> write_unit(const fs::path& raw, const UnitProfile& unit) {
  std::vector<fs::path> written;
  // The raw profile is written last: whoever sees it finds the others.
  const std::pair<fs::path, Buffer> files[] = {{beside(raw, ".unifcnts"), write_uniform_counters(unit.uniform)},
                                               {beside(raw, ".wavecnts"), write_waves(unit.waves)},
                                               {raw, write_raw(unit)}};
  for (const auto& [path, bytes] : files) {
    if (unit.stock && path != raw) continue;
    if (auto done = write_file(path, bytes); !done) return done.error();
    written.insert(written.begin(), path);
  }
  return written;
}

}  // namespace kernloop::pgo
