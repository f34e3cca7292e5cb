// Replay on an NVIDIA GPU through the CUDA driver, which is loaded at run time.
#pragma once

#include <memory>

#include "replay/core/device/device.h"
#include "replay/core/session/options.h"

namespace kernloop::replay {

// May start this program again (`argv`) to get the captured addresses: before the driver starts, and when the driver
// gives others.
Result<std::unique_ptr<DeviceReplay>> open_cuda_device(const Options& options, const archive::Manifest& manifest,
                                                       char** argv);

// Kind of memory that a captured region is restored to. Pinned and registered host memory is memory of this process.
// The other kinds that others could change meanwhile (managed, of another process or device) are device memory: here
// nobody changes them.
archive::RegionClass cuda_home_of(const archive::Region& region);

}  // namespace kernloop::replay
