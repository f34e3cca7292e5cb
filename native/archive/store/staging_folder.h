// Folder for the unfinished files of one writer of a store, locked while the writer lives. A folder whose lock is free
// was left by a dead writer, and the next writer removes it.
#pragma once

#include <filesystem>
#include <memory>

#include "archive/files/file.h"
#include "base/result.h"

namespace kernloop::archive {

class StagingFolder {
 public:
  // Below `<store>/.writing`, on the file system of the chunks: a rename puts them in place.
  static Result<std::unique_ptr<StagingFolder>> claim(const std::filesystem::path& store);
  ~StagingFolder();

  const std::filesystem::path& path() const { return path_; }

  // Removes the folders of dead writers. On a file system without locks they stay: it is unknown which writers live.
  static void sweep(const std::filesystem::path& store);

 private:
  StagingFolder(std::filesystem::path path, FileDescriptor lock) : path_(std::move(path)), lock_(std::move(lock)) {}
  std::filesystem::path path_;
  FileDescriptor lock_;
};

}  // namespace kernloop::archive
