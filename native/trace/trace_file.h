// An open trace file. It is read in pieces: memory does not grow with it.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "trace/dialect.h"

namespace kernloop::trace {

class File {
 public:
  static Result<std::unique_ptr<File>> open(const std::filesystem::path& path);
  ~File();
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  uint64_t bytes() const { return bytes_; }
  const std::filesystem::path& path() const { return path_; }
  // Reads all of it: a file that ends before was changed meanwhile.
  Status read(uint64_t offset, std::span<uint8_t> into) const;

 private:
  File(int fd, uint64_t bytes, std::filesystem::path path) : fd_(fd), bytes_(bytes), path_(std::move(path)) {}
  int fd_;
  uint64_t bytes_;
  std::filesystem::path path_;
};

// Header and sections, uninterpreted.
Result<Table> read_table(const File& file);

enum class Offsets { kUnsaid, kRepaired, kRecorded };

struct Request {
  std::filesystem::path path;
  std::vector<Map> maps;
  std::optional<Dialect> dialect = std::nullopt;
  Offsets offsets = Offsets::kUnsaid;
};

// A file whose records can be read.
struct Trace {
  std::unique_ptr<File> file;
  std::vector<Map> maps;
  Layout layout;
};

// TRACE_OFFSETS if the recorded offsets are wrong and the caller has not chosen which ones to read by.
Result<Trace> open_trace(Request request);

}  // namespace kernloop::trace
