// The two agents, their ISA, caches and wavefronts.
#include <hsa/hsa_ext_image.h>

#include <array>
#include <string>

#include "softgpu/hsa/api/functions.h"
#include "softgpu/hsa/api/values.h"
#include "softgpu/hsa/device_model.h"
#include "softgpu/hsa/runtime.h"

namespace kernloop::softgpu::api {
namespace {

constexpr hsa_isa_t kIsa{1};
constexpr hsa_wavefront_t kWavefront{1};
constexpr uint32_t kComputeUnits = 4;
constexpr uint32_t kMaxWorkgroupItems = 1024;
constexpr uint32_t kMinQueuePackets = 64;
constexpr uint32_t kMaxQueuePackets = 131072;
constexpr uint64_t kRealTimeFrequency = 100'000'000;  // frequency of s_memrealtime, in Hz

const DeviceModel& model() {
  return device_model(runtime().options.isa());
}

hsa_status_t cpu_info(hsa_agent_info_t attribute, void* value) {
  switch (static_cast<int>(attribute)) {
    case HSA_AGENT_INFO_NAME:
    case HSA_AMD_AGENT_INFO_PRODUCT_NAME:
      return give_text(value, "Host CPU", 64);
    case HSA_AGENT_INFO_VENDOR_NAME:
      return give_text(value, "CPU", 64);
    case HSA_AGENT_INFO_FEATURE:
    case HSA_AGENT_INFO_WAVEFRONT_SIZE:
    case HSA_AGENT_INFO_WORKGROUP_MAX_SIZE:
    case HSA_AGENT_INFO_GRID_MAX_SIZE:
    case HSA_AGENT_INFO_FBARRIER_MAX_SIZE:
    case HSA_AGENT_INFO_QUEUES_MAX:
    case HSA_AGENT_INFO_QUEUE_MIN_SIZE:
    case HSA_AGENT_INFO_QUEUE_MAX_SIZE:
    case HSA_AGENT_INFO_NODE:
    case HSA_AMD_AGENT_INFO_DRIVER_NODE_ID:
    case HSA_AMD_AGENT_INFO_CHIP_ID:
    case HSA_AMD_AGENT_INFO_BDFID:
    case HSA_AMD_AGENT_INFO_DOMAIN:
    case HSA_AMD_AGENT_INFO_ASIC_REVISION:
    case HSA_AMD_AGENT_INFO_MEMORY_WIDTH:
    case HSA_AMD_AGENT_INFO_MEMORY_MAX_FREQUENCY:
    case HSA_AMD_AGENT_INFO_MAX_CLOCK_FREQUENCY:
    case HSA_AMD_AGENT_INFO_MAX_ADDRESS_WATCH_POINTS:
    case HSA_AMD_AGENT_INFO_MAX_WAVES_PER_CU:
    case HSA_AMD_AGENT_INFO_NUM_SIMDS_PER_CU:
    case HSA_AMD_AGENT_INFO_NUM_SHADER_ENGINES:
    case HSA_AMD_AGENT_INFO_NUM_SHADER_ARRAYS_PER_SE:
    case HSA_AMD_AGENT_INFO_COOPERATIVE_COMPUTE_UNIT_COUNT:
    case HSA_AMD_AGENT_INFO_ASIC_FAMILY_ID:
    case HSA_AMD_AGENT_INFO_UCODE_VERSION:
    case HSA_AMD_AGENT_INFO_SDMA_UCODE_VERSION:
    case HSA_AMD_AGENT_INFO_NUM_SDMA_ENG:
    case HSA_AMD_AGENT_INFO_NUM_SDMA_XGMI_ENG:
    case HSA_AMD_AGENT_INFO_NUM_XCC:
    case HSA_AMD_AGENT_INFO_DRIVER_UID:
      return give<uint32_t>(value, 0);
    case HSA_AMD_AGENT_INFO_COMPUTE_UNIT_COUNT:
      return give<uint32_t>(value, 1);
    case HSA_AMD_AGENT_INFO_IOMMU_SUPPORT:
      return give(value, HSA_IOMMU_SUPPORT_NONE);
    case HSA_AMD_AGENT_INFO_NEAREST_CPU:
      return give(value, hsa_agent_t{0});
    case HSA_AMD_AGENT_INFO_MEMORY_PROPERTIES:
    case HSA_AMD_AGENT_INFO_AQL_EXTENSIONS:
      return give(value, std::array<uint8_t, 8>{});
    case HSA_AMD_AGENT_INFO_HDP_FLUSH:
      return give(value, hsa_amd_hdp_flush_t{nullptr, nullptr});
    case HSA_AMD_AGENT_INFO_SVM_DIRECT_HOST_ACCESS:
      return give<bool>(value, true);
    case HSA_AMD_AGENT_INFO_TIMESTAMP_FREQUENCY:
      return api::hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY, value);
    case HSA_AMD_AGENT_INFO_CACHELINE_SIZE:
      return give<uint32_t>(value, 64);
    case HSA_AGENT_INFO_PROFILE:
      return give(value, HSA_PROFILE_FULL);
    case HSA_AGENT_INFO_QUEUE_TYPE:
      return give<uint32_t>(value, HSA_QUEUE_TYPE_MULTI);
    case HSA_AGENT_INFO_DEVICE:
      return give(value, HSA_DEVICE_TYPE_CPU);
    case HSA_AGENT_INFO_FAST_F16_OPERATION:
    case HSA_AMD_AGENT_INFO_COOPERATIVE_QUEUES:
      return give<bool>(value, false);
    case HSA_AGENT_INFO_WORKGROUP_MAX_DIM:
      return give(value, std::array<uint16_t, 3>{});
    case HSA_AGENT_INFO_GRID_MAX_DIM:
      return give(value, hsa_dim3_t{});
    case HSA_AGENT_INFO_CACHE_SIZE:
      return give(value, std::array<uint32_t, 4>{});
    case HSA_AGENT_INFO_ISA:
      return give(value, hsa_isa_t{0});
    case HSA_AMD_AGENT_INFO_UUID:
      return give_text(value, "CPU-XX", 24);  // ROCr's value for CPUs: no unique identifier
  }
  return HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

// The limits of an MI200's images. HIP asks for them before it allocates pitched memory (hipMallocPitch); creating an
// image fails (api/images.cpp).
hsa_status_t image_info(int attribute, void* value) {
  constexpr size_t kMaxElements = 16384, kMaxBufferElements = size_t{1} << 32, kMax3d = 16384, kMaxLayers = 8192;
  switch (attribute) {
    case HSA_EXT_AGENT_INFO_IMAGE_1D_MAX_ELEMENTS:
    case HSA_EXT_AGENT_INFO_IMAGE_1DA_MAX_ELEMENTS:
      return give<size_t>(value, kMaxElements);
    case HSA_EXT_AGENT_INFO_IMAGE_1DB_MAX_ELEMENTS:
      return give<size_t>(value, kMaxBufferElements);
    case HSA_EXT_AGENT_INFO_IMAGE_2D_MAX_ELEMENTS:
    case HSA_EXT_AGENT_INFO_IMAGE_2DA_MAX_ELEMENTS:
    case HSA_EXT_AGENT_INFO_IMAGE_2DDEPTH_MAX_ELEMENTS:
    case HSA_EXT_AGENT_INFO_IMAGE_2DADEPTH_MAX_ELEMENTS:
      return give(value, std::array<size_t, 2>{kMaxElements, kMaxElements});
    case HSA_EXT_AGENT_INFO_IMAGE_3D_MAX_ELEMENTS:
      return give(value, std::array<size_t, 3>{kMax3d, kMax3d, kMaxLayers});
    case HSA_EXT_AGENT_INFO_IMAGE_ARRAY_MAX_LAYERS:
      return give<size_t>(value, kMaxLayers);
    case HSA_EXT_AGENT_INFO_MAX_IMAGE_RD_HANDLES:
    case HSA_EXT_AGENT_INFO_MAX_IMAGE_RORW_HANDLES:
      return give<size_t>(value, 64);
    case HSA_EXT_AGENT_INFO_MAX_SAMPLER_HANDLERS:
      return give<size_t>(value, 16);
    case HSA_EXT_AGENT_INFO_IMAGE_LINEAR_ROW_PITCH_ALIGNMENT:
      return give<size_t>(value, 256);
  }
  return HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

hsa_status_t gpu_info(hsa_agent_info_t attribute, void* value) {
  switch (static_cast<int>(attribute)) {
    case HSA_AGENT_INFO_NAME:
      return give_text(value, runtime().options.target, 64);
    case HSA_AMD_AGENT_INFO_PRODUCT_NAME:
      return give_text(value, "Software AMD GPU", 64);
    case HSA_AGENT_INFO_VENDOR_NAME:
      return give_text(value, "AMD", 64);
    case HSA_AGENT_INFO_FEATURE:
      return give(value, HSA_AGENT_FEATURE_KERNEL_DISPATCH);
    case HSA_AGENT_INFO_PROFILE:
      return give(value, HSA_PROFILE_BASE);
    case HSA_AGENT_INFO_FAST_F16_OPERATION:
      return give<bool>(value, true);
    case HSA_AGENT_INFO_WAVEFRONT_SIZE:
      return give<uint32_t>(value, model().wavefront_size);
    case HSA_AGENT_INFO_WORKGROUP_MAX_DIM:
      return give(value, std::array<uint16_t, 3>{kMaxWorkgroupItems, kMaxWorkgroupItems, kMaxWorkgroupItems});
    case HSA_AGENT_INFO_WORKGROUP_MAX_SIZE:
      return give<uint32_t>(value, kMaxWorkgroupItems);
    case HSA_AGENT_INFO_GRID_MAX_DIM:
      return give(value, hsa_dim3_t{INT32_MAX, INT32_MAX, INT32_MAX});
    case HSA_AGENT_INFO_GRID_MAX_SIZE:
      return give<uint32_t>(value, UINT32_MAX);
    case HSA_AGENT_INFO_FBARRIER_MAX_SIZE:
      return give<uint32_t>(value, 32);
    case HSA_AGENT_INFO_QUEUES_MAX:
      return give<uint32_t>(value, 128);
    case HSA_AGENT_INFO_QUEUE_MIN_SIZE:
      return give<uint32_t>(value, kMinQueuePackets);
    case HSA_AGENT_INFO_QUEUE_MAX_SIZE:
      return give<uint32_t>(value, kMaxQueuePackets);
    case HSA_AGENT_INFO_QUEUE_TYPE:
      return give<uint32_t>(value, HSA_QUEUE_TYPE_MULTI);
    case HSA_AGENT_INFO_NODE:
    case HSA_AMD_AGENT_INFO_DRIVER_NODE_ID:
      return give<uint32_t>(value, 1);
    case HSA_AGENT_INFO_DEVICE:
      return give(value, HSA_DEVICE_TYPE_GPU);
    case HSA_AGENT_INFO_CACHE_SIZE:
      return give(value, std::array<uint32_t, 4>{model().caches[0].bytes, model().caches[1].bytes, 0, 0});
    case HSA_AGENT_INFO_ISA:
      return give(value, kIsa);
    case HSA_AMD_AGENT_INFO_CHIP_ID:
      return give<uint32_t>(value, model().chip_id);
    case HSA_AMD_AGENT_INFO_CACHELINE_SIZE:
      return give<uint32_t>(value, 64);
    case HSA_AMD_AGENT_INFO_COMPUTE_UNIT_COUNT:
    case HSA_AMD_AGENT_INFO_COOPERATIVE_COMPUTE_UNIT_COUNT:
      return give<uint32_t>(value, kComputeUnits);
    case HSA_AMD_AGENT_INFO_MAX_CLOCK_FREQUENCY:
    case HSA_AMD_AGENT_INFO_MEMORY_MAX_FREQUENCY:
      return give<uint32_t>(value, 1000);
    case HSA_AMD_AGENT_INFO_MAX_ADDRESS_WATCH_POINTS:
    case HSA_AMD_AGENT_INFO_ASIC_REVISION:
    case HSA_AMD_AGENT_INFO_DOMAIN:
      return give<uint32_t>(value, 0);
    case HSA_AMD_AGENT_INFO_BDFID:
      return give<uint32_t>(value, 0x300);
    case HSA_AMD_AGENT_INFO_MEMORY_WIDTH:
      return give<uint32_t>(value, 256);
    case HSA_AMD_AGENT_INFO_MAX_WAVES_PER_CU:
      return give<uint32_t>(value, 32);
    case HSA_AMD_AGENT_INFO_NUM_SIMDS_PER_CU:
      return give<uint32_t>(value, 4);
    case HSA_AMD_AGENT_INFO_NUM_SHADER_ENGINES:
    case HSA_AMD_AGENT_INFO_NUM_SHADER_ARRAYS_PER_SE:
      return give<uint32_t>(value, 1);
    case HSA_AMD_AGENT_INFO_HDP_FLUSH:  // null registers: there is no host data path to flush
      return give(value, hsa_amd_hdp_flush_t{nullptr, nullptr});
    case HSA_AMD_AGENT_INFO_COOPERATIVE_QUEUES:
      return give<bool>(value, true);
    case HSA_AMD_AGENT_INFO_UUID:
      return give_text(value, "GPU-6b65726e6c6f6f70", 24);
    case HSA_AMD_AGENT_INFO_SVM_DIRECT_HOST_ACCESS:
      return give<bool>(value, true);
    case HSA_AMD_AGENT_INFO_MEMORY_AVAIL:
      return give<uint64_t>(value, runtime().memory.available(device_pool()));
    case HSA_AMD_AGENT_INFO_TIMESTAMP_FREQUENCY:
      return give<uint64_t>(value, kRealTimeFrequency);
    case HSA_AMD_AGENT_INFO_ASIC_FAMILY_ID:
      return give<uint32_t>(value, model().family_id);
    case HSA_AMD_AGENT_INFO_UCODE_VERSION:  // there is no firmware
    case HSA_AMD_AGENT_INFO_SDMA_UCODE_VERSION:
    case HSA_AMD_AGENT_INFO_NUM_SDMA_XGMI_ENG:
      return give<uint32_t>(value, 0);
    case HSA_AMD_AGENT_INFO_NUM_SDMA_ENG:
    case HSA_AMD_AGENT_INFO_NUM_XCC:
    case HSA_AMD_AGENT_INFO_DRIVER_UID:
      return give<uint32_t>(value, 1);
    case HSA_AMD_AGENT_INFO_IOMMU_SUPPORT:
      return give(value, HSA_IOMMU_SUPPORT_NONE);
    case HSA_AMD_AGENT_INFO_NEAREST_CPU:
      return give(value, kCpuAgent);
    case HSA_AMD_AGENT_INFO_MEMORY_PROPERTIES:  // one bit, for APUs
    case HSA_AMD_AGENT_INFO_AQL_EXTENSIONS:     // none are defined
      return give(value, std::array<uint8_t, 8>{});
    case HSA_AMD_AGENT_INFO_SCRATCH_LIMIT_MAX:  // private memory is given to each dispatch anew
    case HSA_AMD_AGENT_INFO_SCRATCH_LIMIT_CURRENT:
      return give<uint64_t>(value, 0);
  }
  return image_info(static_cast<int>(attribute), value);
}

}  // namespace

hsa_status_t hsa_iterate_agents(hsa_status_t (*callback)(hsa_agent_t agent, void* data), void* data) {
  if (callback == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  const hsa_status_t status = callback(kCpuAgent, data);
  return status != HSA_STATUS_SUCCESS ? status : callback(kGpuAgent, data);
}

hsa_status_t hsa_agent_get_info(hsa_agent_t agent, hsa_agent_info_t attribute, void* value) {
  if (!is_agent(agent)) return HSA_STATUS_ERROR_INVALID_AGENT;
  if (value == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  switch (attribute) {  // the same for both
    case HSA_AGENT_INFO_MACHINE_MODEL:
      return give(value, HSA_MACHINE_MODEL_LARGE);
    case HSA_AGENT_INFO_DEFAULT_FLOAT_ROUNDING_MODE:
    case HSA_AGENT_INFO_BASE_PROFILE_DEFAULT_FLOAT_ROUNDING_MODES:
      return give(value, HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR);
    case HSA_AGENT_INFO_VERSION_MAJOR:
    case HSA_AGENT_INFO_VERSION_MINOR:
      return give<uint16_t>(value, 1);
    case HSA_AGENT_INFO_EXTENSIONS: {
      std::array<uint8_t, 128> bits{};
      if (is_gpu(agent)) {
        api::hsa_system_get_info(HSA_SYSTEM_INFO_EXTENSIONS, bits.data());
        bits[HSA_EXTENSION_IMAGES / 8] |= 1u << (HSA_EXTENSION_IMAGES % 8);  // see image_info
      }
      return give(value, bits);
    }
    default:
      return is_gpu(agent) ? gpu_info(attribute, value) : cpu_info(attribute, value);
  }
}

hsa_status_t hsa_agent_get_exception_policies(hsa_agent_t agent, hsa_profile_t, uint16_t* mask) {
  if (!is_agent(agent)) return HSA_STATUS_ERROR_INVALID_AGENT;
  if (mask == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  *mask = 0;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_agent_iterate_caches(hsa_agent_t agent, hsa_status_t (*callback)(hsa_cache_t cache, void* data),
                                      void* data) {
  if (!is_agent(agent)) return HSA_STATUS_ERROR_INVALID_AGENT;
  if (callback == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  if (!is_gpu(agent)) return HSA_STATUS_SUCCESS;
  for (size_t i = 0; i < model().caches.size(); ++i) {
    if (hsa_status_t status = callback({i + 1}, data); status != HSA_STATUS_SUCCESS) return status;
  }
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_cache_get_info(hsa_cache_t cache, hsa_cache_info_t attribute, void* value) {
  if (cache.handle == 0 || cache.handle > model().caches.size()) return HSA_STATUS_ERROR_INVALID_CACHE;
  if (value == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  const DeviceModel::Cache& found = model().caches[cache.handle - 1];
  const std::string_view name = found.name;
  switch (attribute) {
    case HSA_CACHE_INFO_NAME_LENGTH:
      return give<uint32_t>(value, static_cast<uint32_t>(name.size()));
    case HSA_CACHE_INFO_NAME:
      return give_text(value, name, name.size() + 1);
    case HSA_CACHE_INFO_LEVEL:
      return give<uint8_t>(value, found.level);
    case HSA_CACHE_INFO_SIZE:
      return give<uint32_t>(value, found.bytes);
  }
  return HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

hsa_status_t hsa_agent_iterate_isas(hsa_agent_t agent, hsa_status_t (*callback)(hsa_isa_t isa, void* data),
                                    void* data) {
  if (!is_agent(agent)) return HSA_STATUS_ERROR_INVALID_AGENT;
  if (callback == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  return is_gpu(agent) ? callback(kIsa, data) : HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_isa_from_name(const char* name, hsa_isa_t* isa) {
  if (name == nullptr || isa == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  // With or without this device's features.
  const std::string_view isa_name = model().isa_name;
  if (name != isa_name && name != isa_name.substr(0, isa_name.find(':'))) return HSA_STATUS_ERROR_INVALID_ISA_NAME;
  *isa = kIsa;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_isa_get_info(hsa_isa_t isa, hsa_isa_info_t attribute, uint32_t index, void* value) {
  if (index != 0) return HSA_STATUS_ERROR_INVALID_INDEX;  // one call convention
  return api::hsa_isa_get_info_alt(isa, attribute, value);
}

hsa_status_t hsa_isa_get_info_alt(hsa_isa_t isa, hsa_isa_info_t attribute, void* value) {
  if (isa.handle != kIsa.handle) return HSA_STATUS_ERROR_INVALID_ISA;
  if (value == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  switch (attribute) {
    case HSA_ISA_INFO_NAME_LENGTH:
      return give<uint32_t>(value,
                            model().isa_name.size() + 1);  // ROCr counts the NUL, and HIP allocates just this much
    case HSA_ISA_INFO_NAME:
      return give_text(value, model().isa_name, model().isa_name.size() + 1);
    case HSA_ISA_INFO_CALL_CONVENTION_COUNT:
      return give<uint32_t>(value, 1);
    case HSA_ISA_INFO_CALL_CONVENTION_INFO_WAVEFRONT_SIZE:
      return give<uint32_t>(value, model().wavefront_size);
    case HSA_ISA_INFO_CALL_CONVENTION_INFO_WAVEFRONTS_PER_COMPUTE_UNIT:
      return give<uint32_t>(value, 32);
    case HSA_ISA_INFO_MACHINE_MODELS:
      return give(value, std::array<bool, 2>{false, true});  // small, large
    case HSA_ISA_INFO_PROFILES:
      return give(value, std::array<bool, 2>{true, false});  // base, full
    case HSA_ISA_INFO_DEFAULT_FLOAT_ROUNDING_MODES:
    case HSA_ISA_INFO_BASE_PROFILE_DEFAULT_FLOAT_ROUNDING_MODES:
      return give(value, std::array<bool, 3>{false, false, true});  // default, zero, near
    case HSA_ISA_INFO_FAST_F16_OPERATION:
      return give<bool>(value, true);
    case HSA_ISA_INFO_WORKGROUP_MAX_DIM:
      return give(value, std::array<uint16_t, 3>{kMaxWorkgroupItems, kMaxWorkgroupItems, kMaxWorkgroupItems});
    case HSA_ISA_INFO_WORKGROUP_MAX_SIZE:
      return give<uint32_t>(value, kMaxWorkgroupItems);
    case HSA_ISA_INFO_GRID_MAX_DIM:
      return give(value, hsa_dim3_t{INT32_MAX, INT32_MAX, INT32_MAX});
    case HSA_ISA_INFO_GRID_MAX_SIZE:
      return give<uint64_t>(value, UINT64_MAX);
    case HSA_ISA_INFO_FBARRIER_MAX_SIZE:
      return give<uint32_t>(value, 32);
  }
  return HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

hsa_status_t hsa_isa_get_exception_policies(hsa_isa_t isa, hsa_profile_t, uint16_t* mask) {
  if (isa.handle != kIsa.handle) return HSA_STATUS_ERROR_INVALID_ISA;
  if (mask == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  *mask = 0;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_isa_get_round_method(hsa_isa_t isa, hsa_fp_type_t, hsa_flush_mode_t, hsa_round_method_t* method) {
  if (isa.handle != kIsa.handle) return HSA_STATUS_ERROR_INVALID_ISA;
  if (method == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  *method = HSA_ROUND_METHOD_SINGLE;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_isa_iterate_wavefronts(hsa_isa_t isa, hsa_status_t (*callback)(hsa_wavefront_t, void*), void* data) {
  if (isa.handle != kIsa.handle) return HSA_STATUS_ERROR_INVALID_ISA;
  if (callback == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  return callback(kWavefront, data);
}

hsa_status_t hsa_wavefront_get_info(hsa_wavefront_t wavefront, hsa_wavefront_info_t attribute, void* value) {
  if (wavefront.handle != kWavefront.handle) return HSA_STATUS_ERROR_INVALID_WAVEFRONT;
  if (value == nullptr || attribute != HSA_WAVEFRONT_INFO_SIZE) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  return give<uint32_t>(value, model().wavefront_size);
}

hsa_status_t hsa_isa_compatible(hsa_isa_t code_object_isa, hsa_isa_t agent_isa, bool* result) {
  if (code_object_isa.handle != kIsa.handle || agent_isa.handle != kIsa.handle) return HSA_STATUS_ERROR_INVALID_ISA;
  if (result == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  *result = true;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_coherency_get_type(hsa_agent_t agent, hsa_amd_coherency_type_t* type) {
  if (!is_agent(agent)) return HSA_STATUS_ERROR_INVALID_AGENT;
  if (type == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  *type = HSA_AMD_COHERENCY_TYPE_COHERENT;
  return HSA_STATUS_SUCCESS;
}

// One coherent memory: either type is honoured.
hsa_status_t hsa_amd_coherency_set_type(hsa_agent_t agent, hsa_amd_coherency_type_t type) {
  if (!is_agent(agent)) return HSA_STATUS_ERROR_INVALID_AGENT;
  if (type != HSA_AMD_COHERENCY_TYPE_COHERENT && type != HSA_AMD_COHERENCY_TYPE_NONCOHERENT)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  return HSA_STATUS_SUCCESS;
}

}  // namespace kernloop::softgpu::api
