// NVIDIA's management library (NVML), which comes with the driver: clocks, temperature and why clocks are low. It is
// loaded at run time through declarations of our own, as documented in NVIDIA's "NVML API Reference Guide" (nvml.h).
#pragma once

#include <memory>
#include <string>

#include "replay/core/device/conditions.h"

namespace kernloop::replay {

class ManagementLibrary {
 public:
  // Opens it for the device on that PCI bus ("0000:3b:00.0"). Null if the library is missing or does not know the
  // device: containers often lack it, and a time is useful without it.
  static std::unique_ptr<ManagementLibrary> open(const std::string& pci_bus_id);
  ~ManagementLibrary();
  ManagementLibrary(const ManagementLibrary&) = delete;
  ManagementLibrary& operator=(const ManagementLibrary&) = delete;

  Conditions conditions() const;

 private:
  struct Functions;
  ManagementLibrary(std::unique_ptr<Functions> functions, void* device);

  std::unique_ptr<Functions> functions_;
  void* device_;
};

}  // namespace kernloop::replay
