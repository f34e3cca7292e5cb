#include "capture/core/host_memory.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/bytes.h"

namespace kernloop::capture {

HostMemory::~HostMemory() {
  if (file_ >= 0) close(file_);
}

std::optional<Error> HostMemory::read(uint64_t address, std::span<uint8_t> into) {
  if (file_ < 0) file_ = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
  for (size_t done = 0; done < into.size();) {
    const ssize_t got = pread(file_, into.data() + done, into.size() - done, static_cast<off_t>(address + done));
    if (got <= 0) {
      return Error{"READ_FAILED",
                   "host memory at " + to_hex_number(address + done) + " cannot be read: the program has unmapped it",
                   "unlock or unregister host memory before it is unmapped, or capture another dispatch"};
    }
    done += static_cast<size_t>(got);
  }
  return std::nullopt;
}

}  // namespace kernloop::capture
