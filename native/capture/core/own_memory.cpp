#include "capture/core/own_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include "base/bytes.h"

namespace kernloop::capture {
namespace {

bool is_mapped(uint64_t address) {
  const auto page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  unsigned char resident = 0;
  return mincore(reinterpret_cast<void*>(address & ~(page - 1)), page, &resident) == 0;
}

}  // namespace

std::optional<OwnMemory> own_memory(const AllocationList& allocations, std::span<const uint8_t> arguments,
                                    const std::function<bool(uint64_t)>& is_known) {
  std::optional<OwnMemory> found;
  for_each_untracked(allocations, arguments, [&](size_t at, uint64_t value) {
    if (!is_known(value) && is_mapped(value)) found = OwnMemory{at, value};
    return found.has_value();
  });
  return found;
}

std::string in_words(const OwnMemory& own, const std::string& symbol, const std::string& remedy) {
  return "the 8 bytes at offset " + std::to_string(own.offset) + " of the arguments of " + symbol +
         " are an address of the program's own memory (" + to_hex_number(own.address) +
         "), which this GPU can reach: it is not in the capture. If the kernel uses it, the self-check fails: " +
         remedy;
}

}  // namespace kernloop::capture
