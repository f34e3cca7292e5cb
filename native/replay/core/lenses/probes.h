// Probes that the device itself calls: the request is a file ("kernloop.probes/1",
// softgpu/engine/observe/probe_request.cpp), and the results are files: `<map>.bin`, and `<map>.counts.bin` with a u32
// for each thread or wave.
#pragma once

#include <filesystem>

#include "replay/core/device/device.h"

namespace kernloop::replay {

struct ProbesRequest {
  std::filesystem::path file, directory;
};

// Called before anything is launched. TARGET_EXISTS if the folder is not empty.
Status set_probes(const ProbesRequest& request, DeviceReplay& device);

// The fields of a `probes` event.
Result<Json> write_probes(const ProbesRequest& request, DeviceReplay& device);

}  // namespace kernloop::replay
