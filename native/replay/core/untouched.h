// Bytes of a capture that the captured dispatch neither reads nor writes, beside those that it does. A launch may begin
// with other values there, and a right variant leaves these as they are. So a store beside an output is noticed even
// where it writes what lies there. A right variant does not depend on them, either: the app may leave anything there
// before its next launch.
#pragma once

#include <vector>

#include "replay/core/events.h"
#include "replay/core/target.h"
#include "replay/core/varying.h"

namespace kernloop::replay {

// Which of them: all, in every launch; or those that the code under test uses, in a launch behind the others. The
// latter takes a record of its accesses, and leaves alone what it only reads of variables: a source tells what these
// hold. What it only reads of regions gets the app's other values that it reads there, where it reads several: they may
// be indexes.
enum class Disturbed : uint8_t { kNothing, kAll, kUsed };

// As offsets in each target: what no wave touched.
std::vector<std::vector<AddressRange>> untouched_by(const std::vector<Access>& accesses,
                                                    const std::vector<Target>& targets);

// Takes what is not judged out of `untouched` of each target: ignored bytes, and places that vary from run to run.
void leave_unjudged_untouched(const std::vector<VaryingRange>& varying, std::vector<Target>& targets);

// Leaves in `untouched` of each target what these accesses use (kUsed). Emits an `untouched_read` event for each region
// of which some is read. False: nothing is left.
bool keep_used(const std::vector<Access>& accesses, std::vector<Target>& targets, EventSink& sink);

// Each byte of `untouched` gets another value than the app had there, on the device, which holds what the launch begins
// with.
Status disturb_untouched(DeviceReplay& device, ContentCache& cache, const std::vector<Target>& targets);

// After the launch: counts the bytes that do not hold that value any more, and puts back what the app had. Emits a
// `stray` event for each target that has some.
Result<uint64_t> settle_untouched(DeviceReplay& device, ContentCache& cache, const std::vector<Target>& targets,
                                  EventSink& sink);

}  // namespace kernloop::replay
