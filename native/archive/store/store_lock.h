// Access to a chunk store. Writers share it and gc has it exclusively: a chunk that a writer has found there is not
// removed before the writer's manifest names it. The lock ends with the process that holds it.
#pragma once

#include <filesystem>

#include "archive/files/file.h"

namespace kernloop::archive {

class StoreLock {
 public:
  // Waits while gc has the store. Creates the store's folder. A file system without locks gives none: gc refuses there.
  static Result<StoreLock> share(const std::filesystem::path& store);
  // STORE_BUSY at once if a writer or another gc is at work.
  static Result<StoreLock> own(const std::filesystem::path& store);

 private:
  explicit StoreLock(FileDescriptor file) : file_(std::move(file)) {}
  FileDescriptor file_;  // its flock
};

}  // namespace kernloop::archive
