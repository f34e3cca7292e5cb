// The captured memory back at its addresses: device memory in reserved windows, host memory as pages of this process
// that the device sees at the same address.
#pragma once

#include <vector>

#include "replay/core/device/device.h"
#include "replay/cuda/context.h"
#include "replay/cuda/reservation.h"

namespace kernloop::replay {

class DeviceMemory {
 public:
  explicit DeviceMemory(Context& context) : context_(context) {}
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  // ADDRESS_TAKEN names both addresses; OUT_OF_MEMORY says how much is missing. Nothing stays mapped after an error.
  Status map(const std::vector<Mapping>& mappings);

  // Maps more device memory, whole granules, in a driver window that has nothing else; false if the driver gives no
  // window there.
  Result<bool> map_apart(const AddressRange& window, const AddressRange& range);

  // Keeps the driver and this process from mapping anything there from now on; false if something is mapped already.
  bool keep_unmapped(const AddressRange& range);

  // Mapped as memory of this process.
  bool is_host(uint64_t address) const;
  // Captured host memory that could only come back as device memory.
  uint64_t host_bytes_on_device() const { return host_bytes_on_device_; }

 private:
  struct Physical {
    AddressRange range;
    cuda::CUmemGenericAllocationHandle handle = 0;
  };

  Status map_all(const std::vector<Mapping>& mappings);
  bool map_host(const AddressRange& range);
  Status check_room(const std::vector<AddressRange>& granules) const;
  Status reserve(const AddressRange& window);
  Status map_device(const AddressRange& range);
  void release_all();

  Context& context_;
  std::vector<AddressRange> windows_, host_;
  std::vector<AddressRange> closed_pages_;  // pages of this process, beyond those of captured host memory
  std::vector<Physical> physical_;
  uint64_t host_bytes_on_device_ = 0;
};

}  // namespace kernloop::replay
