#include "replay/cuda/device_memory.h"

#include <sys/mman.h>

#include <algorithm>

namespace kernloop::replay {

using namespace cuda;

namespace {

std::string text_of(const AddressRange& range) {
  return to_hex_number(range.base) + " (" + std::to_string(range.size) + " bytes)";
}

}  // namespace

DeviceMemory::~DeviceMemory() {
  if (!context_.abandoned()) release_all();
}

Status DeviceMemory::map(const std::vector<Mapping>& mappings) {
  auto mapped = map_all(mappings);
  if (!mapped) release_all();
  return mapped;
}

Status DeviceMemory::map_all(const std::vector<Mapping>& mappings) {
  std::vector<AddressRange> device, host;
  for (const Mapping& mapping : mappings)
    (mapping.home == archive::RegionClass::kHost ? host : device).push_back(mapping.range);
  // A window belongs to the driver as a whole: host memory inside of one cannot be pages of this process too.
  const std::vector<AddressRange> windows = round_out(device, kWindowBytes);
  for (const AddressRange& range : host) {
    if (!overlaps_any(windows, range) && map_host(range)) continue;
    device.push_back(range);
    host_bytes_on_device_ += range.size;
  }
  const std::vector<AddressRange> granules = round_out(device, kDeviceGranule);
  if (auto room = check_room(granules); !room) return room;
  for (const AddressRange& window : round_out(device, kWindowBytes)) {
    if (auto reserved = reserve(window); !reserved) return reserved;
  }
  for (const AddressRange& range : granules) {
    if (auto done = map_device(range); !done) return done;
  }
  return Unit{};
}

bool DeviceMemory::map_host(const AddressRange& range) {
  void* wanted = reinterpret_cast<void*>(range.base);
  void* got =
      ::mmap(wanted, range.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  if (got == MAP_FAILED) return false;
  CUdeviceptr seen = 0;
  const bool registered =
      got == wanted && context_.driver().cuMemHostRegister(
                           got, range.size, CU_MEMHOSTREGISTER_DEVICEMAP | CU_MEMHOSTREGISTER_PORTABLE) == CUDA_SUCCESS;
  const bool same =
      registered && context_.driver().cuMemHostGetDevicePointer(&seen, got, 0) == CUDA_SUCCESS && seen == range.base;
  if (same) {
    host_.push_back(range);
    return true;
  }
  if (registered) context_.driver().cuMemHostUnregister(got);
  ::munmap(got, range.size);
  return false;
}

Status DeviceMemory::check_room(const std::vector<AddressRange>& granules) const {
  uint64_t needed = 0;
  for (const AddressRange& range : granules) needed += range.size;
  size_t free = 0, total = 0;
  if (auto asked = context_.check("cuMemGetInfo", context_.driver().cuMemGetInfo(&free, &total), "asking for memory");
      !asked)
    return asked;
  if (needed <= free) return Unit{};
  return Error{"OUT_OF_MEMORY",
               "the capture needs " + std::to_string(needed) + " bytes of device memory; " + context_.device_name() +
                   " has " + std::to_string(free) + " free of " + std::to_string(total) + ": " +
                   std::to_string(needed - free) + " are missing",
               "end what else uses the device (nvidia-smi shows it), choose another with --device, or capture with "
               "scope `reachable`"};
}

Status DeviceMemory::reserve(const AddressRange& window) {
  CUdeviceptr got = 0;
  const CUresult result = context_.driver().cuMemAddressReserve(&got, window.size, 0, window.base, 0);
  const std::string wanted =
      "captured memory cannot be restored at its address: the driver was asked for " + text_of(window) + " and ";
  const char* hint = "run it again; something else in this process or in the driver uses those addresses";
  if (result != CUDA_SUCCESS) {
    return Error{"ADDRESS_TAKEN", wanted + "refused: cuMemAddressReserve: " + context_.describe(result), hint};
  }
  if (got != window.base) {
    context_.driver().cuMemAddressFree(got, window.size);
    return Error{"ADDRESS_TAKEN", wanted + "gave " + to_hex_number(got) + " instead", hint};
  }
  windows_.push_back(window);
  return Unit{};
}

Status DeviceMemory::map_device(const AddressRange& range) {
  const Driver& driver = context_.driver();
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, context_.device()};
  Physical physical{range, 0};
  if (auto made = context_.check("cuMemCreate", driver.cuMemCreate(&physical.handle, range.size, &properties, 0),
                                 "allocating " + text_of(range));
      !made)
    return made;
  if (auto mapped = context_.check("cuMemMap", driver.cuMemMap(range.base, range.size, 0, physical.handle, 0),
                                   "mapping " + text_of(range));
      !mapped) {
    driver.cuMemRelease(physical.handle);
    return mapped;
  }
  physical_.push_back(physical);
  const CUmemAccessDesc access{{CU_MEM_LOCATION_TYPE_DEVICE, context_.device()}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  return context_.check("cuMemSetAccess", driver.cuMemSetAccess(range.base, range.size, &access, 1),
                        "giving access to " + text_of(range));
}

Result<bool> DeviceMemory::map_apart(const AddressRange& window, const AddressRange& range) {
  if (auto room = check_room({range}); !room) return room.error();
  if (!reserve(window)) return false;
  if (auto mapped = map_device(range); !mapped) return mapped.error();
  return true;
}

bool DeviceMemory::keep_unmapped(const AddressRange& range) {
  if (is_host(range.base - 1) || is_host(range.end())) {
    void* wanted = reinterpret_cast<void*>(range.base);
    void* got =
        ::mmap(wanted, range.size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (got == MAP_FAILED) return false;
    if (got == wanted) return closed_pages_.push_back(range), true;
    ::munmap(got, range.size);
    return false;
  }
  // The driver frees a window only as a whole: unmapped parts of ours stay reserved.
  const AddressRange window = round_out({range}, kWindowBytes).at(0);
  if (overlaps_any(merge_ranges(windows_), range)) return true;
  return reserve(window).ok();
}

bool DeviceMemory::is_host(uint64_t address) const {
  return std::any_of(host_.begin(), host_.end(),
                     [&](const AddressRange& range) { return address - range.base < range.size; });
}

void DeviceMemory::release_all() {
  const Driver& driver = context_.driver();
  for (const Physical& physical : physical_) {
    driver.cuMemUnmap(physical.range.base, physical.range.size);
    driver.cuMemRelease(physical.handle);
  }
  for (const AddressRange& window : windows_) driver.cuMemAddressFree(window.base, window.size);
  for (const AddressRange& range : host_) {
    driver.cuMemHostUnregister(reinterpret_cast<void*>(range.base));
    ::munmap(reinterpret_cast<void*>(range.base), range.size);
  }
  for (const AddressRange& range : closed_pages_) ::munmap(reinterpret_cast<void*>(range.base), range.size);
  closed_pages_.clear();
  physical_.clear();
  windows_.clear();
  host_.clear();
}

}  // namespace kernloop::replay
