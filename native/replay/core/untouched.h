// Bytes of a capture that the captured dispatch neither reads nor writes, beside those that it does. A launch may begin
// with other values there, and a right variant leaves these as they are. So a store beside an output is noticed even
// where it writes what lies there. What a variant makes of such bytes by reading them is no fault of its own: they are
// the app's, and only the app knows what it keeps there.
#pragma once

#include <vector>

#include "replay/core/events.h"
#include "replay/core/target.h"
#include "replay/core/varying.h"

namespace kernloop::replay {

// Which of them: all, in every launch; or those that the code under test writes, in a launch behind the others. The
// latter takes a record of its accesses, and leaves alone what it reads only.
enum class Disturbed : uint8_t { kNothing, kAll, kWritten };

// As offsets in each target: up to 64 KiB at either end of each range that no wave touched.
std::vector<std::vector<AddressRange>> untouched_by(const std::vector<Access>& accesses,
                                                    const std::vector<Target>& targets);

// Takes what is not judged out of `untouched` of each target: ignored bytes, and places that vary from run to run.
void leave_unjudged_untouched(const std::vector<VaryingRange>& varying, std::vector<Target>& targets);

// Each byte of `untouched` gets another value than the app had there, on the device, which holds what the launch begins
// with.
Status disturb_untouched(DeviceReplay& device, ContentCache& cache, const std::vector<Target>& targets);

// After the launch: counts the bytes that do not hold that value any more, and puts back what the app had. Emits a
// `stray` event for each target that has some.
Result<uint64_t> settle_untouched(DeviceReplay& device, ContentCache& cache, const std::vector<Target>& targets,
                                  EventSink& sink);

}  // namespace kernloop::replay
