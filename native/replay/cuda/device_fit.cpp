#include "replay/cuda/device_fit.h"

#include "codeobject/bundle.h"

namespace kernloop::replay {

Status check_device_fits(const std::string& isa, const ComputeCapability& device, const std::string& device_name) {
  if (codeobject::target_fits(isa, device.isa())) return Unit{};
  return Error{"DEVICE_MISMATCH",
               "the capture is of " + isa + "; this device is " + device.isa() + " (" + device_name + ")",
               "replay on the kind of device it was captured on (--device N chooses among several), or capture here"};
}

}  // namespace kernloop::replay
