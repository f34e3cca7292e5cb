#include "softgpu/hsa/code/code_object_source.h"

#include <sys/stat.h>
#include <unistd.h>

#include <climits>
#include <string>

namespace kernloop::softgpu {

std::shared_ptr<CodeObjectSource> code_object_in_memory(const void* bytes, size_t size) {
  auto source = std::make_shared<CodeObjectSource>();
  source->bytes = {static_cast<const std::byte*>(bytes), size};
  char uri[96];
  std::snprintf(uri, sizeof(uri), "memory://%d#offset=0x%lx&size=%zu", ::getpid(),
                reinterpret_cast<unsigned long>(bytes), size);
  source->uri = uri;
  return source;
}

std::shared_ptr<CodeObjectSource> read_code_object(int file, size_t offset, std::optional<size_t> size) {
  struct stat status;
  if (::fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) return nullptr;
  const auto file_size = static_cast<size_t>(status.st_size);
  if (offset > file_size || size.value_or(0) > file_size - offset) return nullptr;
  auto source = std::make_shared<CodeObjectSource>();
  source->file_bytes.resize(size.value_or(file_size - offset));
  for (size_t done = 0; done < source->file_bytes.size();) {
    const ssize_t got = ::pread(file, source->file_bytes.data() + done, source->file_bytes.size() - done,
                                static_cast<off_t>(offset + done));
    if (got <= 0) return nullptr;
    done += static_cast<size_t>(got);
  }
  source->bytes = source->file_bytes;
  source->file = file;
  char path[PATH_MAX];
  const std::string link = "/proc/self/fd/" + std::to_string(file);
  const ssize_t length = ::readlink(link.c_str(), path, sizeof(path));
  if (length > 0) {
    source->uri = "file://" + std::string(path, static_cast<size_t>(length)) + "#offset=" + std::to_string(offset) +
                  "&size=" + std::to_string(source->file_bytes.size());
  }
  return source;
}

}  // namespace kernloop::softgpu
