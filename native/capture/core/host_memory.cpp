#include "capture/core/host_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>

#include "base/bytes.h"
#include "capture/core/own_descriptor.h"

namespace kernloop::capture {

bool is_unmapped(uint64_t address, uint64_t size) {
  const auto page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  const uint64_t begin = address / page * page, end = address + size;
  // ENOMEM: part of the range is not mapped, or, of a page, the page.
  const auto is_missing = [](uint64_t base, uint64_t bytes) {
    return msync(reinterpret_cast<void*>(base), bytes, MS_ASYNC) != 0 && errno == ENOMEM;
  };
  if (!is_missing(begin, end - begin)) return false;
  for (uint64_t at = begin; at < end; at += page) {
    if (!is_missing(at, page)) return false;
  }
  return true;
}

std::optional<Error> HostMemory::read(uint64_t address, std::span<uint8_t> into) {
  // Opened for each read: the app may close any number meanwhile, and give it to a file of its own.
  const OwnDescriptor file(open("/proc/self/mem", O_RDONLY | O_CLOEXEC));
  for (size_t done = 0; done < into.size();) {
    const ssize_t got = pread(file.get(), into.data() + done, into.size() - done, static_cast<off_t>(address + done));
    if (got <= 0) {
      return Error{"READ_FAILED",
                   "host memory at " + to_hex_number(address + done) + " cannot be read: the program has unmapped it",
                   "unlock or unregister host memory before it is unmapped, or capture another dispatch"};
    }
    done += static_cast<size_t>(got);
  }
  if (!file.is_ours()) {
    return Error{"READ_FAILED", "the program closed the descriptor by which its memory is read",
                 "close descriptors before the GPU is used, or capture another dispatch"};
  }
  return std::nullopt;
}

}  // namespace kernloop::capture
