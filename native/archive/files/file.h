// Files for the archive: owned descriptors, bounded reads, durable writes, and errors that name the remedy.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/descriptor.h"
#include "base/result.h"

namespace kernloop::archive {

inline constexpr size_t kDirectAlignment = 4096;  // required by O_DIRECT for addresses, offsets and lengths

// `code` is DISK_FULL for ENOSPC and EDQUOT, FILE_NOT_FOUND for ENOENT, IO_ERROR for the rest.
Error io_error(const std::string& action, const std::filesystem::path& path, int error_number);

// Regular files only: a FIFO or a device named by a hostile archive never blocks and never streams without end.
Result<FileDescriptor> open_for_reading(const std::filesystem::path& path, uint64_t* size);
Status read_exactly(int fd, uint64_t offset, std::span<uint8_t> into, const std::filesystem::path& path);
Status write_all(int fd, Bytes bytes, const std::filesystem::path& path);
Status write_all_at(int fd, uint64_t offset, Bytes bytes, const std::filesystem::path& path);
Result<std::string> read_text(const std::filesystem::path& path, uint64_t max_bytes);

// Temporary file beside the target, fsync, rename: readers see the old file or the new one. The new name is durable
// once the folder is synced. Large aligned contents bypass the page cache: a snapshot of gigabytes would only evict
// other pages, and then wait for the same disk.
Status replace_file(const std::filesystem::path& path, Bytes bytes);
// With the temporary file in another folder of the same file system.
Status replace_file(const std::filesystem::path& path, Bytes bytes, const std::filesystem::path& temporary_folder);
// Also syncs the folder.
Status write_atomically(const std::filesystem::path& path, Bytes bytes);
Status write_atomically(const std::filesystem::path& path, std::string_view text);
Status sync_directory(const std::filesystem::path& directory);

}  // namespace kernloop::archive
