#include "replay/cuda/device_fit.h"

#include <charconv>

namespace kernloop::replay {

Status check_device_fits(const std::string& isa, const ComputeCapability& device, const std::string& device_name) {
  const auto mismatch = [&](const std::string& why) {
    return Error{"DEVICE_MISMATCH",
                 "the capture is of " + isa + "; this device is " + device.isa() + " (" + device_name + ")" + why,
                 "replay on the kind of device it was captured on (--device N chooses among several), or capture here"};
  };
  int number = 0;
  const bool prefixed = isa.starts_with("sm_");
  const char* begin = isa.data() + (prefixed ? 3 : 0);
  const auto [end, problem] = std::from_chars(begin, isa.data() + isa.size(), number);
  const std::string suffix(end, isa.data() + isa.size());
  if (!prefixed || problem != std::errc() || number < 10 || (suffix != "" && suffix != "a" && suffix != "f"))
    return mismatch(", and the former is no architecture that is known");
  const int major = number / 10, minor = number % 10;
  const bool fits =
      suffix == "a" ? major == device.major && minor == device.minor : major == device.major && minor <= device.minor;
  if (!fits) return mismatch("");
  return Unit{};
}

}  // namespace kernloop::replay
