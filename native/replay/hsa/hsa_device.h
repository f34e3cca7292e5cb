// Replay on an HSA runtime: the software GPU, or AMD hardware through ROCr.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "replay/core/device.h"
#include "replay/hsa/address_hold.h"

namespace kernloop::replay {

// `isa` is the captured device's. `hold` is released when the runtime runs and the addresses can be reserved through
// it.
Result<std::unique_ptr<DeviceReplay>> open_hsa_device(const std::filesystem::path& library, const std::string& isa,
                                                      AddressHold& hold);

}  // namespace kernloop::replay
