#include "softgpu/kfd/render_node.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "softgpu/hsa/host/log.h"
#include "softgpu/kfd/gpu_model.h"
#include "softgpu/kfd/kernel.h"
#include "softgpu/kfd/render_abi.h"

namespace kernloop::softgpu::kfd {
namespace {

void give(std::string_view text, char* place, uint64_t& bytes) {
  if (place != nullptr) std::memcpy(place, text.data(), std::min<size_t>(bytes, text.size()));
  bytes = text.size();
}

AmdgpuDeviceInfo device_info(Isa isa) {
  const GpuModel& gpu = gpu_model(isa);
  AmdgpuDeviceInfo info{};
  info.device_id = device_model(isa).chip_id;
  info.external_revision = 1;
  info.family = device_model(isa).family_id;
  info.shader_engines = gpu.shader_engines;
  info.shader_arrays_per_engine = 1;
  info.counter_khz = 100'000;
  info.max_engine_khz = kEngineClockMhz * 1000;
  info.max_memory_khz = kMemoryClockMhz * 1000;
  info.active_compute_units = gpu.compute_units;
  info.address_begin = 0x200000;
  info.address_end = uint64_t{1} << 47;
  info.address_alignment = info.gart_page_bytes = 4096;
  info.pte_fragment_bytes = 0x200000;
  info.vram_type = 6;  // HBM
  info.vram_bits = kVramBits;
  return info;
}

int answer(Isa isa, const AmdgpuInfo& call) {
  void* const result = reinterpret_cast<void*>(call.result);
  const auto put = [&](const auto& value) {
    std::memcpy(result, &value, std::min<size_t>(sizeof(value), call.result_bytes));
  };
  std::memset(result, 0, call.result_bytes);
  switch (call.query) {
    case kInfoAccelWorking:
      put(uint32_t{1});
      return 0;
    case kInfoDevice:
      put(device_info(isa));
      return 0;
    case kInfoEngines:        // none for graphics or video
    case kInfoReadRegisters:  // registers for the tiling of images, which are not emulated
      return 0;
    default:
      report_error("kfd: query 0x%x of the render node is not emulated", call.query);
      return EINVAL;
  }
}

}  // namespace

int render_call(Driver& driver, unsigned long request, void* argument) {
  switch (request & 0xff) {
    case kDrmVersion: {
      auto& version = *static_cast<DrmVersion*>(argument);
      version.major = 3;
      version.minor = kernel().drm_minor;
      version.patch = 0;
      give("amdgpu", version.name, version.name_bytes);
      give("20150101", version.date, version.date_bytes);
      give("AMD GPU", version.description, version.description_bytes);
      return 0;
    }
    case kDrmGetCapability:
      static_cast<DrmCapability*>(argument)->value = 0;
      return 0;
    case kAmdgpuInfo:
      return answer(driver.isa(), *static_cast<const AmdgpuInfo*>(argument));
    case kDrmGemClose:
      return driver.memory().close_import(static_cast<DrmGemClose*>(argument)->handle);
    case kDrmPrimeToHandle: {
      auto& args = *static_cast<DrmPrimeHandle*>(argument);
      return driver.memory().import_dmabuf(args.descriptor, args.handle);
    }
    case kAmdgpuGemMmap: {
      auto& args = *static_cast<AmdgpuGemMmap*>(argument);
      const auto place = driver.memory().place_of(args.in.handle);
      if (!place) return EINVAL;
      args.out_offset = place->second;
      return 0;
    }
    case kAmdgpuGemOperation: {
      const auto& args = *static_cast<const AmdgpuGemOperation*>(argument);
      const auto place = driver.memory().place_of(args.handle);
      if (!place || args.operation != kGemHowCreated) return EINVAL;
      *reinterpret_cast<AmdgpuGemCreation*>(args.value) = {place->first, 4096, kGemDomainVram, 0};
      return 0;
    }
    case kAmdgpuGemAddress: {
      const auto& args = *static_cast<const AmdgpuGemAddress*>(argument);
      if (args.operation == kGemMap || args.operation == kGemReplace)
        return driver.memory().show(args.handle, args.offset, args.bytes, args.address);
      if (args.operation == kGemUnmap || args.operation == kGemClear)
        return driver.memory().hide(args.bytes, args.address);
      return EINVAL;
    }
    default:
      report_error("kfd: ioctl 0x%lx of the render node is not emulated", request);
      return ENOTTY;
  }
}

}  // namespace kernloop::softgpu::kfd
