// Memory of a capture that the captured dispatch neither reads nor writes, in whole granules: what `--shrink` drops.
#pragma once

#include <vector>

#include "replay/core/device.h"
#include "replay/core/target.h"

namespace kernloop::replay {

// Of what the device tells of a launch, as offsets in each region; nothing of variables. A granule counts by its
// address.
std::vector<std::vector<AddressRange>> unused_by(const std::vector<Access>& accesses,
                                                 const std::vector<Target>& targets, uint64_t granule);

}  // namespace kernloop::replay
