// Replay on an NVIDIA GPU through the CUDA driver, which is loaded at run time.
#pragma once

#include <memory>

#include "replay/core/device.h"
#include "replay/core/options.h"

namespace kernloop::replay {

// May start this program again (`argv`) to get the captured addresses: before the driver starts, and when the driver
// gives others.
Result<std::unique_ptr<DeviceReplay>> open_cuda_device(const Options& options, const archive::Manifest& manifest,
                                                       char** argv);

// What a captured region comes back as. Pinned and registered host memory is memory of this process. The rest that
// others could change meanwhile (managed, of another process or device) is device memory: here nobody does.
archive::RegionClass cuda_home_of(const archive::Region& region);

}  // namespace kernloop::replay
