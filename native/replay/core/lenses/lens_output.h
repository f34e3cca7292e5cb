// Writes the lens's result as files: `<variable>.bin` and `<buffer id>.bin`, and last `lens.json`, which describes
// them: without it they are not complete.
#pragma once

#include <filesystem>

#include "replay/core/device/device.h"
#include "replay/core/lenses/lens_state.h"

namespace kernloop::replay {

struct LensRequest {
  std::filesystem::path file, directory;
};

// Called before anything is launched. TARGET_EXISTS if something would be overwritten.
Status check_lens_output(const LensRequest& request, const LensState& lens);

// The fields of a `lens` event. `facts` go into lens.json ("kernloop.lens-output/1").
Result<Json> write_lens(const LensRequest& request, DeviceReplay& device, const LensState& lens, Json facts);

}  // namespace kernloop::replay
