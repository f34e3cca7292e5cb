#include "replay/cuda/describe.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <sstream>

#include "replay/cuda/context.h"

namespace kernloop::replay {

using namespace cuda;

namespace {

constexpr const char* kProcVersion = "/proc/driver/nvidia/version";

bool is_version(const std::string& word) {
  const bool plain = std::all_of(word.begin(), word.end(), [](unsigned char c) { return std::isdigit(c) || c == '.'; });
  return plain && word.find('.') != word.npos && word.front() != '.' && word.back() != '.';
}

// "GPU-01234567-89ab-cdef-0123-456789abcdef", as nvidia-smi -L prints it.
std::string uuid_text(const CUuuid& uuid) {
  std::string text = "GPU-";
  for (size_t i = 0; i < sizeof uuid.bytes; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    const auto byte = static_cast<uint8_t>(uuid.bytes[i]);
    text += to_hex({&byte, 1});
  }
  return text;
}

}  // namespace

// Its first line: "NVRM version: NVIDIA UNIX … Kernel Module  580.65.06  Release Build …".
std::string driver_version_in(const std::string& proc_text) {
  std::istringstream words(proc_text.substr(0, proc_text.find('\n')));
  for (std::string word; words >> word;) {
    if (is_version(word)) return word;
  }
  return "";
}

Result<archive::Json> describe_cuda_device(uint32_t ordinal) {
  auto found = Context::find(ordinal);
  if (!found) return found.error();
  const Context& context = **found;
  const Driver& driver = context.driver();

  CUuuid uuid{};
  if (!driver.cuDeviceGetUuid)
    return Error{"DEVICE_ERROR", "the driver does not tell the device's UUID", "use a newer driver"};
  if (auto told =
          context.check("cuDeviceGetUuid", driver.cuDeviceGetUuid(&uuid, context.device()), "asking the device");
      !told)
    return told.error();
  size_t memory = 0;
  if (auto told =
          context.check("cuDeviceTotalMem", driver.cuDeviceTotalMem(&memory, context.device()), "asking the device");
      !told)
    return told.error();

  const std::string cuda_version =
      std::to_string(driver.version / 1000) + "." + std::to_string(driver.version % 1000 / 10);
  std::ifstream proc(kProcVersion);
  std::stringstream proc_text;
  proc_text << proc.rdbuf();
  const std::string package = driver_version_in(proc_text.str());
  archive::Json event = {{"event", ReplayEvent::device},
                         {"kind", "cuda"},
                         {"name", context.device_name()},
                         {"uuid", uuid_text(uuid)},
                         {"isa", context.capability().isa()},
                         {"driver_version", package.empty() ? cuda_version : package},
                         {"cuda_version", cuda_version},
                         {"total_memory_bytes", memory},
                         {"multiprocessors", context.attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)},
                         {"l2_bytes", context.attribute(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE)},
                         {"pci_bus_id", context.pci_bus_id()}};
  if (const int clock = context.attribute(CU_DEVICE_ATTRIBUTE_CLOCK_RATE); clock > 0) event["sm_clock_khz"] = clock;
  if (const int clock = context.attribute(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE); clock > 0)
    event["memory_clock_khz"] = clock;
  if (const int bits = context.attribute(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH); bits > 0)
    event["memory_bus_bits"] = bits;
  return event;
}

}  // namespace kernloop::replay
