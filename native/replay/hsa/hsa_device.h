// Replay on an HSA runtime: the software GPU, or AMD hardware through ROCr.
#pragma once

#include <memory>

#include "replay/core/device/device.h"
#include "replay/core/session/options.h"
#include "replay/hsa/hsa_library.h"

namespace kernloop::replay {

// The captured addresses are held while the runtime starts. May start this program again (`argv`) to get them.
Result<std::unique_ptr<DeviceReplay>> open_hsa_device(const Options& options, const archive::Manifest& manifest,
                                                      char** argv);

// The device on a runtime that is loaded already, for code of `isa`.
Result<std::unique_ptr<DeviceReplay>> start_hsa_device(std::unique_ptr<HsaLibrary> library, const Options& options,
                                                       const std::string& isa);

}  // namespace kernloop::replay
