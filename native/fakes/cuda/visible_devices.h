// Installed devices that a process sees: CUDA_VISIBLE_DEVICES, as the CUDA programming guide defines it.
#pragma once

#include <string>
#include <vector>

namespace kernloop::cuda::fake {

// "GPU-66616b65-…": cuDeviceGetUuid's result, as nvidia-smi writes it.
std::string uuid_bytes(int installed_index);
std::string uuid_text(int installed_index);

// Installed indices in the order of the process's. `text` is a list of numbers and of beginnings of UUIDs; everything
// after the first entry that names no device is ignored. Null: all of them.
std::vector<int> visible_devices(const char* text, int installed);

}  // namespace kernloop::cuda::fake
