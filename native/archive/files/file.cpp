#include "archive/files/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>

namespace kernloop::archive {

namespace fs = std::filesystem;

Error io_error(const std::string& action, const fs::path& path, int error_number) {
  const std::string message = action + " " + path.string() + ": " + std::strerror(error_number);
  if (error_number == ENOSPC || error_number == EDQUOT) {
    return {"DISK_FULL", message, "free some space on that disk, or narrow the capture's scope, and try again"};
  }
  if (error_number == ENOENT) return {"FILE_NOT_FOUND", message, "check the path"};
  return {"IO_ERROR", message, "check the path, its permissions and the disk"};
}

Result<FileDescriptor> open_for_reading(const fs::path& path, uint64_t* size) {
  // O_NONBLOCK: opening a FIFO without a writer would block for ever. It has no effect on regular files.
  FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file) return io_error("cannot open", path, errno);
  struct stat status;
  if (::fstat(file.get(), &status) != 0) return io_error("cannot examine", path, errno);
  if (!S_ISREG(status.st_mode)) {
    return Error{"IO_ERROR", path.string() + " is not a regular file",
                 "a capture holds only plain files: capture again"};
  }
  if (size) *size = static_cast<uint64_t>(status.st_size);
  return file;
}

Status read_exactly(int fd, uint64_t offset, std::span<uint8_t> into, const fs::path& path) {
  while (!into.empty()) {
    const ssize_t count = ::pread(fd, into.data(), into.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return io_error("cannot read", path, errno);
    if (count == 0) {
      return Error{"IO_ERROR",
                   path.string() + " ends at byte " + std::to_string(offset) + ", before what it should hold",
                   "the file was truncated: restore it or capture again"};
    }
    offset += static_cast<uint64_t>(count);
    into = into.subspan(static_cast<size_t>(count));
  }
  return Unit{};
}

Status write_all(int fd, Bytes bytes, const fs::path& path) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(fd, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return io_error("cannot write", path, errno);
    bytes = bytes.subspan(static_cast<size_t>(count));
  }
  return Unit{};
}

Status write_all_at(int fd, uint64_t offset, Bytes bytes, const fs::path& path) {
  while (!bytes.empty()) {
    const ssize_t count = ::pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return io_error("cannot write", path, errno);
    offset += static_cast<uint64_t>(count);
    bytes = bytes.subspan(static_cast<size_t>(count));
  }
  return Unit{};
}

Result<std::string> read_text(const fs::path& path, uint64_t max_bytes) {
  uint64_t size = 0;
  auto file = open_for_reading(path, &size);
  if (!file) return file.error();
  if (size > max_bytes) {
    return Error{
        "FILE_TOO_LARGE",
        path.string() + " is " + std::to_string(size) + " bytes; at most " + std::to_string(max_bytes) + " are read",
        "this is not a file that Kernloop wrote"};
  }
  std::string text(size, '\0');
  auto read = read_exactly(file->get(), 0, {reinterpret_cast<uint8_t*>(text.data()), text.size()}, path);
  if (!read) return read.error();
  return text;
}

Status sync_directory(const fs::path& directory) {
  FileDescriptor folder(::open(directory.empty() ? "." : directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder) return io_error("cannot open", directory, errno);
  // Some file systems cannot fsync a folder and return EINVAL; their renames are as durable as they get.
  if (::fsync(folder.get()) != 0 && errno != EINVAL) return io_error("cannot sync", directory, errno);
  return Unit{};
}

namespace {

constexpr size_t kDirectAtLeast = 1u << 20;  // below it the page cache is quicker

bool suits_direct_io(Bytes bytes) {
  return bytes.size() >= kDirectAtLeast && bytes.size() % kDirectAlignment == 0 &&
         reinterpret_cast<uintptr_t>(bytes.data()) % kDirectAlignment == 0;
}

// File systems without direct I/O say so when the file is opened, or written to.
Status write_new_file(const fs::path& path, Bytes bytes) {
  constexpr int kFlags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC;
  const bool direct = suits_direct_io(bytes);
  FileDescriptor file(::open(path.c_str(), direct ? kFlags | O_DIRECT : kFlags, 0644));
  if (!file && direct && errno == EINVAL) file = FileDescriptor(::open(path.c_str(), kFlags & ~O_EXCL, 0644));
  if (!file) return io_error("cannot create", path, errno);
  size_t done = 0;
  if (direct) {
    const ssize_t count = ::pwrite(file.get(), bytes.data(), bytes.size(), 0);
    if (count > 0) done = static_cast<size_t>(count);
    // The rest, or the error, comes the ordinary way.
    if (done != bytes.size()) ::fcntl(file.get(), F_SETFL, 0);
  }
  if (auto written = write_all_at(file.get(), done, bytes.subspan(done), path); !written) return written;
  if (::fdatasync(file.get()) != 0) return io_error("cannot sync", path, errno);
  return Unit{};
}

}  // namespace

Status replace_file(const fs::path& path, Bytes bytes) {
  return replace_file(path, bytes, path.parent_path());
}

Status replace_file(const fs::path& path, Bytes bytes, const fs::path& temporary_folder) {
  static std::atomic<uint64_t> counter{0};
  const std::string name = path.filename().string();
  const std::string unique = std::to_string(::getpid()) + '.' + std::to_string(counter.fetch_add(1));
  const fs::path temporary = temporary_folder / ('.' + name + '.' + unique + ".tmp");
  Status done = write_new_file(temporary, bytes);
  if (done && ::rename(temporary.c_str(), path.c_str()) != 0) done = io_error("cannot rename to", path, errno);
  if (!done) ::unlink(temporary.c_str());
  return done;
}

Status write_atomically(const fs::path& path, Bytes bytes) {
  if (auto replaced = replace_file(path, bytes); !replaced) return replaced;
  return sync_directory(path.parent_path());
}

Status write_atomically(const fs::path& path, std::string_view text) {
  return write_atomically(path, Bytes(reinterpret_cast<const uint8_t*>(text.data()), text.size()));
}

}  // namespace kernloop::archive
