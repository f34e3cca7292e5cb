// Memory of this process that the app may unmap at any time: read through the kernel, so that this is an error then and
// not a crash of the app.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "capture/core/device_capture.h"

namespace kernloop::capture {

// The parts of the range that are mapped now, in order: whole pages, but for the ends of the range. Nothing if that
// cannot be found out.
std::optional<std::vector<ByteRange>> mapped_parts(uint64_t address, uint64_t size);

class HostMemory {
 public:
  // READ_FAILED if nothing is mapped.
  std::optional<Error> read(uint64_t address, std::span<uint8_t> into);
};

}  // namespace kernloop::capture
