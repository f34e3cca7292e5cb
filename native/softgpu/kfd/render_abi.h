// The calls of a render node that libdrm_amdgpu makes, of Linux' include/uapi/drm/{drm,amdgpu_drm}.h, which not every
// system installs.
#pragma once

#include <cstddef>
#include <cstdint>

namespace kernloop::softgpu::kfd {

constexpr unsigned kDrmVersion = 0x00, kDrmGemClose = 0x09, kDrmGetCapability = 0x0c, kDrmPrimeToHandle = 0x2e;
constexpr unsigned kAmdgpuGemMmap = 0x40 + 0x01, kAmdgpuInfo = 0x40 + 0x05, kAmdgpuGemAddress = 0x40 + 0x08,
                   kAmdgpuGemOperation = 0x40 + 0x10;
constexpr uint32_t kInfoAccelWorking = 0x00, kInfoEngines = 0x03, kInfoReadRegisters = 0x15, kInfoDevice = 0x16;

struct DrmVersion {
  int32_t major, minor, patch;
  uint64_t name_bytes;
  char* name;
  uint64_t date_bytes;
  char* date;
  uint64_t description_bytes;
  char* description;
};

struct DrmCapability {
  uint64_t capability, value;
};

struct DrmGemClose {
  uint32_t handle, padding;
};

struct DrmPrimeHandle {
  uint32_t handle, flags;
  int32_t descriptor;
};

union AmdgpuGemMmap {
  struct {
    uint32_t handle, padding;
  } in;
  uint64_t out_offset;
};

constexpr uint32_t kGemHowCreated = 0;
struct AmdgpuGemOperation {
  uint32_t handle, operation;
  uint64_t value;  // an address
};

constexpr uint64_t kGemDomainVram = 4;
struct AmdgpuGemCreation {
  uint64_t bytes, alignment, domains, flags;
};

constexpr uint32_t kGemMap = 1, kGemUnmap = 2, kGemClear = 3, kGemReplace = 4;
struct AmdgpuGemAddress {
  uint32_t handle, padding, operation, flags;
  uint64_t address, offset, bytes;
};

struct AmdgpuInfo {
  uint64_t result;
  uint32_t result_bytes, query;
};

// drm_amdgpu_info_device, as far as it is filled in. Older callers request fewer bytes, newer ones more.
struct AmdgpuDeviceInfo {
  uint32_t device_id, chip_revision, external_revision, pci_revision, family;
  uint32_t shader_engines, shader_arrays_per_engine;
  uint32_t counter_khz;
  uint64_t max_engine_khz, max_memory_khz;
  uint32_t active_compute_units, always_on_mask, compute_unit_bitmap[4][4];
  uint32_t unused[4];
  uint64_t flags, address_begin, address_end;
  uint32_t address_alignment, pte_fragment_bytes, gart_page_bytes, ce_ram_bytes, vram_type, vram_bits;
};
static_assert(offsetof(AmdgpuDeviceInfo, flags) == 136 && offsetof(AmdgpuDeviceInfo, vram_type) == 176);

}  // namespace kernloop::softgpu::kfd
