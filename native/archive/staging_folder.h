// Where one writer of a store has its unfinished files: a folder of its own, locked while the writer lives. What a dead
// writer left behind is known by its lock being free, and the next writer removes it.
#pragma once

#include <filesystem>
#include <memory>

#include "archive/file.h"
#include "base/result.h"

namespace kernloop::archive {

class StagingFolder {
 public:
  // Below `<store>/.writing`, on the file system of the chunks: a rename puts them in place.
  static Result<std::unique_ptr<StagingFolder>> claim(const std::filesystem::path& store);
  ~StagingFolder();

  const std::filesystem::path& path() const { return path_; }

  // Removes the folders of dead writers. A file system without locks keeps them: nobody could tell who lives.
  static void sweep(const std::filesystem::path& store);

 private:
  StagingFolder(std::filesystem::path path, FileDescriptor lock) : path_(std::move(path)), lock_(std::move(lock)) {}
  std::filesystem::path path_;
  FileDescriptor lock_;
};

}  // namespace kernloop::archive
