#include "capture/core/host_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <string>

#include "base/bytes.h"
#include "capture/core/own_descriptor.h"

namespace kernloop::capture {

namespace {

// ENOMEM: part of the range is not mapped.
bool is_whole(uint64_t begin, uint64_t end) {
  return msync(reinterpret_cast<void*>(begin), end - begin, MS_ASYNC) == 0 || errno != ENOMEM;
}

std::optional<std::string> maps_of_this_process() {
  const OwnDescriptor file(open("/proc/self/maps", O_RDONLY | O_CLOEXEC));
  std::string text;
  char buffer[65536];
  ssize_t got;
  while ((got = ::read(file.get(), buffer, sizeof buffer)) > 0) text.append(buffer, static_cast<size_t>(got));
  if (got < 0 || !file.is_ours()) return std::nullopt;
  return text;
}

}  // namespace

std::optional<std::vector<ByteRange>> mapped_parts(uint64_t address, uint64_t size) {
  const auto page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  const uint64_t end = address + size;
  if (is_whole(address / page * page, end)) return std::vector<ByteRange>{{address, size}};
  const auto text = maps_of_this_process();
  if (!text) return std::nullopt;
  std::vector<ByteRange> parts;
  // Each line begins with "first-end " in hexadecimal digits; lines are in the order of addresses.
  for (size_t line = 0; line < text->size(); line = text->find('\n', line) + 1) {
    uint64_t from = 0, to = 0;
    if (std::sscanf(text->c_str() + line, "%" SCNx64 "-%" SCNx64, &from, &to) != 2) return std::nullopt;
    from = std::max(from, address);
    to = std::min(to, end);
    if (from < to && !parts.empty() && parts.back().base + parts.back().size == from) {
      parts.back().size += to - from;
    } else if (from < to) {
      parts.push_back({from, to - from});
    }
    if (text->find('\n', line) == std::string::npos) break;
  }
  return parts;
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
