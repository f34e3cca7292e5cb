// Bytes of a capture that the captured dispatch neither reads nor writes. A launch may begin with other values there,
// and a right variant leaves these as they are. A store beside an output is therefore noticed even if it writes the
// value that memory holds. Reading bytes that the app has written is the variant's own affair: only the app knows what
// it keeps there. Blocks that are 0 throughout are mostly memory that the app never wrote, which may hold other values
// in another run: a right variant does not depend on them.
#pragma once

#include <vector>

#include "verdict/events.h"
#include "verdict/target.h"
#include "verdict/varying.h"

namespace kernloop::replay {

// Disturbed bytes: all, in every launch; or, in an extra last launch, those that the code under test writes, or those
// that it reads in blocks that are 0 throughout. Both need a record of its accesses.
enum class Disturbed : uint8_t { kNothing, kAll, kWritten, kZeros };

constexpr bool takes_accesses(Disturbed disturbed) {
  return disturbed == Disturbed::kWritten || disturbed == Disturbed::kZeros;
}

// Bytes that no wave touched, as offsets in each target.
std::vector<std::vector<AddressRange>> untouched_by(const std::vector<Access>& accesses,
                                                    const std::vector<Target>& targets);

// Removes bytes that are not judged from `untouched` of each target: ignored bytes, and places that vary from run to
// run.
void leave_unjudged_untouched(const std::vector<VaryingRange>& varying, std::vector<Target>& targets);

// Keeps in `untouched` of each target only bytes that these accesses write. False: none are left.
bool keep_written(const std::vector<Access>& accesses, std::vector<Target>& targets);

// Keeps in `untouched` of each region only bytes that these accesses read in aligned blocks of 64 bytes that are
// untouched and 0 throughout, and emits an `untouched_read` event for each region that has some. Variables keep none: a
// source defines their content. False: none are left.
Result<bool> keep_zeros_read(const std::vector<Access>& accesses, ContentCache& cache, std::vector<Target>& targets,
                             EventSink& sink);

// Each byte of `untouched` gets another value than the app's, on the memory, which holds the memory that the launch
// begins with.
Status disturb_untouched(Memory& memory, ContentCache& cache, const std::vector<Target>& targets);

// After the launch: counts the bytes that no longer hold that value, and restores the app's. Emits a `stray` event for
// each target that has some.
Result<uint64_t> settle_untouched(Memory& memory, ContentCache& cache, const std::vector<Target>& targets,
                                  EventSink& sink);

}  // namespace kernloop::replay
