// The captured code as an oracle for inputs that the app never gave it: other values in the memory that it reads and in
// its scalar arguments (derived_array.h). The captured code is launched with such an input and its result in memory is
// kept; the variant, launched with the same input, must leave the same result.
//
// An input counts only if the captured code proves it valid. If the device records accesses, the captured code must
// touch the same bytes as with the captured input (then no changed value is an address, an index or a bound); only
// values declared as floating-point may lead it elsewhere in captured memory, and a smaller scalar argument may let it
// touch less. If the device records no accesses, only declared floating-point arrays change, and arrays of records that
// the options name, whose records change places as wholes (record_order.h) and in no other way. Inputs with which the
// captured code faults, does not end, gives NaN or infinities that it did not give before, or varies from run to run,
// are dropped, and so are those that change nothing of its result.
#pragma once

#include "archive/capture/reader.h"
#include "replay/core/device/device.h"
#include "replay/core/session/options.h"
#include "replay/core/session/session.h"

namespace kernloop::replay {

// Emits `derived` for each input that was tried: its changes and its outcome. The first input with which the variant
// differs ends the search; its differences are reported like those of a comparison. `result`: pass, fail, fault or
// limit by the variant, vacuous if no input counted.
Result<SessionEnd> judge_derived_inputs(const Options& options, const archive::Reader& reader, DeviceReplay& device,
                                        EventSink& sink);

}  // namespace kernloop::replay
