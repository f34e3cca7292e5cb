// Proves that the comparison would have noticed: flips single bits of device memory after a passing replay, one at a
// time.
#pragma once

#include <vector>

#include "replay/core/device/device.h"
#include "replay/core/device/layout.h"
#include "verdict/target.h"
#include "verdict/varying.h"

namespace kernloop::replay {

struct Injection {
  uint64_t flips = 0;
  uint64_t detected = 0;
  uint64_t overwritten = 0;                       // flips in bytes that began with other values (overwritten.h)
  archive::Json missed = archive::Json::array();  // {"region"|"variable", "offset", "bit"}, the first of them
};

// `count` bits of what the comparison covers byte for byte, half of them in targets that the kernel changed; each is
// flipped back. `seed` chooses them. INJECTION_EMPTY when nothing is compared byte for byte.
Result<Injection> inject_bit_flips(DeviceReplay& device, ContentCache& cache, const std::vector<Target>& targets,
                                   const std::vector<AddressRange>& padding, uint8_t poison,
                                   const std::vector<VaryingRange>& varying, uint64_t count, uint64_t seed);

}  // namespace kernloop::replay
