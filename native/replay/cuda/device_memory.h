// The captured memory back at its addresses: device memory in reserved windows, host memory as pages of this process
// that the device sees at the same address.
#pragma once

#include <vector>

#include "replay/core/device.h"
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

  // More device memory, whole granules, in a window of the driver that has nothing else; false where it gives none
  // there.
  Result<bool> map_apart(const AddressRange& window, const AddressRange& range);

  // Nothing of the driver or of this process comes to lie there from now on; false where something does.
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
  std::vector<AddressRange> closed_pages_;  // of this process, beside those of captured host memory
  std::vector<Physical> physical_;
  uint64_t host_bytes_on_device_ = 0;
};

}  // namespace kernloop::replay
