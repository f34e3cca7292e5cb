// The captured code as an oracle for inputs that the app never gave it: other values in the memory that it reads and in
// its scalar arguments (derived_array.h). The captured code is launched with such an input and what it leaves in memory
// is kept; then the variant is launched with the same one, and is to leave the same.
//
// An input counts only where the captured code shows that it is one. Where the device tells what a kernel touches, the
// captured code is to touch the same bytes as with the captured input (so that nothing that was changed is an address,
// an index or a bound); only what is declared to be floating-point may lead it elsewhere in captured memory, and a
// smaller scalar argument may have it touch less. Where the device does not tell, nothing but declared floating-point
// arrays changes. Inputs with which the captured code faults, does not end, gives NaN or infinities that it did not
// give before, or varies from run to run, are dropped, and so are those that change nothing of its result.
#pragma once

#include "archive/reader.h"
#include "replay/core/options.h"
#include "replay/core/session.h"

namespace kernloop::replay {

// Emits `derived` for each input that was tried: what it changes and what came of it. The first input with which the
// variant differs ends it; its differences are told as those of a comparison. `result`: pass, fail, fault or limit by
// the variant, vacuous where no input counted.
Result<SessionEnd> judge_derived_inputs(const Options& options, const archive::Reader& reader, DeviceReplay& device,
                                        EventSink& sink);

}  // namespace kernloop::replay
