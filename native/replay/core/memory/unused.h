// Memory of a capture that the captured dispatch neither reads nor writes, in whole granules: `--shrink` drops it.
#pragma once

#include <vector>

#include "replay/core/device/device.h"
#include "verdict/target.h"

namespace kernloop::replay {

// Whole granules that a launch did not touch, by the device's record, as offsets in each region; none of variables.
// Granules are aligned by address.
std::vector<std::vector<AddressRange>> unused_by(const std::vector<Access>& accesses,
                                                 const std::vector<Target>& targets, uint64_t granule);

}  // namespace kernloop::replay
