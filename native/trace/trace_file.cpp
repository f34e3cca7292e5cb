#include "trace/trace_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace kernloop::trace {

namespace {

Error io_error(const std::filesystem::path& path, const std::string& what) {
  return {"IO_ERROR", path.string() + ": " + what, "look at the disk"};
}

uint32_t u32_at(const uint8_t* bytes) {
  uint32_t value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

uint64_t u64_at(const uint8_t* bytes) {
  uint64_t value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

// Reads records at the file's offsets, as Neutrino's own reader does.
Status use_recorded_offsets(Layout& layout, uint64_t file_bytes) {
  for (size_t i = 0; i < layout.sections.size(); ++i) {
    Section& section = layout.sections[i];
    section.offset = section.recorded_offset;
    section.units = section.units_read;
    const uint64_t bytes = layout.blocks * section.units * section.unit_bytes.value_or(0);
    if (section.offset > file_bytes || bytes > file_bytes - section.offset) {
      return Error{"TRACE_INVALID", "section[" + std::to_string(i) + "].offset: its records would end behind the file",
                   "read with --offsets repaired"};
    }
  }
  return Unit{};
}

}  // namespace

Result<std::unique_ptr<File>> File::open(const std::filesystem::path& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    if (errno == ENOENT)
      return Error{"FILE_NOT_FOUND", path.string() + " does not exist", "name a .bin file of a trace"};
    return Error{"FILE_UNREADABLE", path.string() + ": " + std::strerror(errno), "name a file that can be read"};
  }
  struct stat status;
  if (::fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) {
    ::close(fd);
    return Error{"FILE_UNREADABLE", path.string() + " is no file", "name a .bin file of a trace"};
  }
  ::posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
  return std::unique_ptr<File>(new File(fd, static_cast<uint64_t>(status.st_size), path));
}

File::~File() {
  ::close(fd_);
}

Status File::read(uint64_t offset, std::span<uint8_t> into) const {
  while (!into.empty()) {
    const ssize_t got = ::pread(fd_, into.data(), into.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return io_error(path_, std::strerror(errno));
    if (got == 0) return io_error(path_, "it became shorter while it was read");
    offset += static_cast<uint64_t>(got);
    into = into.subspan(static_cast<size_t>(got));
  }
  return Unit{};
}

Result<Table> read_table(const File& file) {
  const Error cut{"TRACE_INVALID", "", "the file is cut off, or no trace of Neutrino"};
  const std::string has = "the file has " + std::to_string(file.bytes()) + " bytes";
  if (file.bytes() < kHeaderBytes) return Error{cut.code, has + ", a header is of 32", cut.hint};
  uint8_t header[kHeaderBytes];
  if (auto read = file.read(0, header); !read) return read.error();
  Table table;
  table.file_bytes = file.bytes();
  for (size_t axis = 0; axis < 3; ++axis) {
    table.header.grid[axis] = u32_at(header + 4 * axis);
    table.header.block[axis] = u32_at(header + 12 + 4 * axis);
  }
  table.header.shared_bytes = u32_at(header + 24);
  table.header.maps = u32_at(header + 28);
  if (table.header.maps > (file.bytes() - kHeaderBytes) / kSectionBytes) {
    return Error{cut.code,
                 "numProbes is " + std::to_string(table.header.maps) + ": so many sections are more than " + has,
                 cut.hint};
  }
  // Sections of no bytes at all could be as many as the header claims.
  constexpr uint32_t kMostMaps = 4096;
  if (table.header.maps > kMostMaps) {
    return Error{cut.code,
                 "numProbes is " + std::to_string(table.header.maps) + ", more than " + std::to_string(kMostMaps),
                 cut.hint};
  }
  std::vector<uint8_t> sections(table.header.maps * kSectionBytes);
  if (auto read = file.read(kHeaderBytes, sections); !read) return read.error();
  for (size_t at = 0; at < sections.size(); at += kSectionBytes) {
    table.sections.push_back({u64_at(&sections[at]), u64_at(&sections[at + 8])});
  }
  return table;
}

Result<Trace> open_trace(Request request) {
  auto file = File::open(request.path);
  if (!file) return file.error();
  const auto table = read_table(**file);
  if (!table) return table.error();
  auto layout = choose(fits_of(*table, &request.maps), request.dialect);
  if (!layout) return layout.error();
  if (request.offsets == Offsets::kRecorded) {
    if (auto used = use_recorded_offsets(*layout, (*file)->bytes()); !used) return used.error();
  } else if (request.offsets == Offsets::kUnsaid && layout->has_wrong_offsets()) {
    return Error{
        "TRACE_OFFSETS",
        "the offsets that the file records are not where its maps are: its writer miscounts the warps of blocks of " +
            std::to_string(layout->threads) + " threads, or 4 GiB",
        "read with --offsets repaired, or --offsets recorded for what Neutrino's own reader makes of it"};
  }
  return Trace{std::move(*file), std::move(request.maps), std::move(*layout)};
}

}  // namespace kernloop::trace
