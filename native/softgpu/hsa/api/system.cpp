// Initialisation, system information and extensions.
#include <algorithm>
#include <array>
#include <cstring>

#include "abi/hsa/softgpu_extension.h"
#include "softgpu/hsa/api/functions.h"
#include "softgpu/hsa/api/values.h"
#include "softgpu/hsa/loader_extension.h"
#include "softgpu/hsa/runtime.h"
#include "softgpu/hsa/softgpu_extension_table.h"

namespace kernloop::softgpu::api {
namespace {

struct Extension {
  uint16_t id;
  const char* name;
  uint16_t minor;  // newest of major version 1
  const void* table;
  size_t table_bytes;
};

std::array<Extension, 2> extensions() {
  return {{
      {HSA_EXTENSION_AMD_LOADER, "HSA_EXTENSION_AMD_LOADER", 3, &loader_extension_table(),
       sizeof(loader_extension_table())},
      {KERNLOOP_SOFTGPU_EXTENSION_ID, "KERNLOOP_EXTENSION_SOFTGPU", 0, &softgpu_extension_table(),
       sizeof(kernloop_softgpu_extension_1_t)},
  }};
}

std::optional<Extension> find_extension(uint16_t id, uint16_t major) {
  for (const Extension& extension : extensions()) {
    if (extension.id == id && major == 1) return extension;
  }
  return std::nullopt;
}

// Extensions that HSA or AMD have numbered, whether we have them or not.
bool known(uint16_t id) {
  return id <= HSA_EXTENSION_STD_LAST || (id >= HSA_AMD_FIRST_EXTENSION && id <= HSA_AMD_LAST_EXTENSION) ||
         id == KERNLOOP_SOFTGPU_EXTENSION_ID;
}

hsa_status_t copy_table(uint16_t id, uint16_t major, size_t length, void* table) {
  if (table == nullptr || length == 0) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  auto extension = find_extension(id, major);
  if (!extension) return HSA_STATUS_ERROR;
  // A longer table of the caller keeps null entries for functions that this version lacks.
  std::memset(table, 0, length);
  std::memcpy(table, extension->table, std::min(length, extension->table_bytes));
  return HSA_STATUS_SUCCESS;
}

}  // namespace

hsa_status_t hsa_init() {
  return Runtime::acquire();
}

hsa_status_t hsa_shut_down() {
  return Runtime::release();
}

hsa_status_t hsa_system_get_info(hsa_system_info_t attribute, void* value) {
  if (value == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  switch (attribute) {
    case HSA_SYSTEM_INFO_VERSION_MAJOR:
    case HSA_SYSTEM_INFO_VERSION_MINOR:
      return give<uint16_t>(value, 1);
    case HSA_SYSTEM_INFO_TIMESTAMP:
      return give<uint64_t>(value, now_ns());
    case HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY:
      return give<uint64_t>(value, 1'000'000'000);
    case HSA_SYSTEM_INFO_SIGNAL_MAX_WAIT:
      return give<uint64_t>(value, UINT64_MAX);
    case HSA_SYSTEM_INFO_ENDIANNESS:
      return give(value, HSA_ENDIANNESS_LITTLE);
    case HSA_SYSTEM_INFO_MACHINE_MODEL:
      return give(value, HSA_MACHINE_MODEL_LARGE);
    case HSA_SYSTEM_INFO_EXTENSIONS: {  // one bit each, as far as 128 bytes of bits reach
      std::array<uint8_t, 128> bits{};
      bits[HSA_EXTENSION_AMD_LOADER / 8] |= 1u << (HSA_EXTENSION_AMD_LOADER % 8);
      return give(value, bits);
    }
    case HSA_AMD_SYSTEM_INFO_BUILD_VERSION:
      return give<const char*>(value, "kernloop-softgpu 1");
    case HSA_AMD_SYSTEM_INFO_SVM_SUPPORTED:  // HIP then takes managed memory from the fine-grained host pool
    case HSA_AMD_SYSTEM_INFO_SVM_ACCESSIBLE_BY_DEFAULT:
    case HSA_AMD_SYSTEM_INFO_MWAITX_ENABLED:
    case HSA_AMD_SYSTEM_INFO_DMABUF_SUPPORTED:
      return give<bool>(value, false);
    case HSA_AMD_SYSTEM_INFO_XNACK_ENABLED:
      return give<bool>(value, runtime().options.hostility.xnack);
    case HSA_AMD_SYSTEM_INFO_VIRTUAL_MEM_API_SUPPORTED:
      return give<bool>(value, !runtime().options.hostility.old_driver);
    case HSA_AMD_SYSTEM_INFO_EXT_VERSION_MAJOR:
      return give<uint16_t>(value, HSA_AMD_INTERFACE_VERSION_MAJOR);
    case HSA_AMD_SYSTEM_INFO_EXT_VERSION_MINOR:
      return give<uint16_t>(value, HSA_AMD_INTERFACE_VERSION_MINOR);
  }
  return HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

// ROCr logs the packets of its own blit kernels. Copies use no kernels here: there is nothing to log.
hsa_status_t hsa_amd_enable_logging(uint8_t* flags, void*) {
  return flags == nullptr ? HSA_STATUS_ERROR_INVALID_ARGUMENT : HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_extension_get_name(uint16_t extension, const char** name) {
  if (name == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  auto found = find_extension(extension, 1);
  if (!found) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  *name = found->name;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_system_extension_supported(uint16_t extension, uint16_t version_major, uint16_t version_minor,
                                            bool* result) {
  if (result == nullptr || !known(extension)) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  auto found = find_extension(extension, version_major);
  *result = found && version_minor <= found->minor;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_system_major_extension_supported(uint16_t extension, uint16_t version_major, uint16_t* version_minor,
                                                  bool* result) {
  if (version_minor == nullptr || result == nullptr || !known(extension)) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  auto found = find_extension(extension, version_major);
  *result = found.has_value();
  if (found) *version_minor = found->minor;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_agent_extension_supported(uint16_t extension, hsa_agent_t agent, uint16_t version_major,
                                           uint16_t version_minor, bool* result) {
  if (!is_agent(agent)) return HSA_STATUS_ERROR_INVALID_AGENT;
  if (is_gpu(agent) && extension == HSA_EXTENSION_IMAGES && result != nullptr) {
    // HIP 5.2.3 refuses hipMallocPitch on a device without images. Making an image fails with a message.
    *result = version_major == 1 && version_minor == 0;
    return HSA_STATUS_SUCCESS;
  }
  if (is_gpu(agent)) return api::hsa_system_extension_supported(extension, version_major, version_minor, result);
  if (result == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  *result = false;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_agent_major_extension_supported(uint16_t extension, hsa_agent_t agent, uint16_t version_major,
                                                 uint16_t* version_minor, bool* result) {
  if (!is_agent(agent)) return HSA_STATUS_ERROR_INVALID_AGENT;
  if (is_gpu(agent)) return api::hsa_system_major_extension_supported(extension, version_major, version_minor, result);
  if (result == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  *result = false;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_system_get_extension_table(uint16_t extension, uint16_t version_major, uint16_t version_minor,
                                            void* table) {
  // The version that the caller names determines the length of its table.
  auto found = find_extension(extension, version_major);
  if (!found || version_minor > found->minor) return HSA_STATUS_ERROR;
  size_t length = found->table_bytes;
  if (extension == HSA_EXTENSION_AMD_LOADER) length = loader_extension_table_bytes(version_minor);
  return copy_table(extension, version_major, length, table);
}

hsa_status_t hsa_system_get_major_extension_table(uint16_t extension, uint16_t version_major, size_t table_length,
                                                  void* table) {
  return copy_table(extension, version_major, table_length, table);
}

}  // namespace kernloop::softgpu::api
