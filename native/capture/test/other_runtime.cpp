// Puts what the runtimes at hand do not do into their tables below the agent's functions (HSA_TOOLS_LIB names this tool
// first). OTHER_RUNTIME says what: "shared": memory and handles can be handed to other processes, and come back as
// themselves; "peer": all memory is another GPU's; "generic": the device's first ISA is a generic target; "counted": it
// has a pool of queues, which programs reach by the functions that this library exports; "images": an image's handle is
// the address of a word that the host reaches, which is cleared to a value and read and written by copies; "files": it
// reads files into memory.
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "capture/hsa/hooks.h"
#include "capture/hsa/queues/hsa_api.h"

namespace kernloop::capture {
namespace {

HsaOriginals originals;

hsa_status_t ipc_create(void* base, size_t, hsa_amd_ipc_memory_t* handle) {
  std::memcpy(handle, &base, sizeof base);
  return HSA_STATUS_SUCCESS;
}

hsa_status_t ipc_attach(const hsa_amd_ipc_memory_t* handle, size_t, uint32_t, const hsa_agent_t*, void** mapped) {
  std::memcpy(mapped, handle, sizeof *mapped);
  return HSA_STATUS_SUCCESS;
}

hsa_status_t export_dmabuf(const void*, size_t, int* descriptor, uint64_t* offset) {
  *descriptor = 0;
  *offset = 0;
  return HSA_STATUS_SUCCESS;
}

uint64_t exported = 0;

hsa_status_t vmem_export(int* descriptor, hsa_amd_vmem_alloc_handle_t handle, uint64_t) {
  exported = handle.handle;
  *descriptor = 0;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t vmem_import(int, hsa_amd_vmem_alloc_handle_t* handle) {
  handle->handle = exported;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t pointer_info(const void* address, hsa_amd_pointer_info_t* info, void* (*allocate)(size_t), uint32_t* count,
                          hsa_agent_t** accessible) {
  const hsa_status_t status = originals.amd.hsa_amd_pointer_info_fn(address, info, allocate, count, accessible);
  info->agentOwner.handle ^= 1;
  return status;
}

template <typename Address>
void copy_word(Address from, uint64_t to) {
  std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), sizeof(uint32_t));
}

hsa_status_t image_clear(hsa_agent_t, hsa_ext_image_t image, const void* value, const hsa_ext_image_region_t*) {
  copy_word(value, image.handle);
  return HSA_STATUS_SUCCESS;
}

hsa_status_t image_import(hsa_agent_t, const void* from, size_t, size_t, hsa_ext_image_t to,
                          const hsa_ext_image_region_t*) {
  copy_word(from, to.handle);
  return HSA_STATUS_SUCCESS;
}

hsa_status_t image_export(hsa_agent_t, hsa_ext_image_t from, void* to, size_t, size_t, const hsa_ext_image_region_t*) {
  copy_word(from.handle, reinterpret_cast<uint64_t>(to));
  return HSA_STATUS_SUCCESS;
}

hsa_status_t image_copy(hsa_agent_t, hsa_ext_image_t from, const hsa_dim3_t*, hsa_ext_image_t to, const hsa_dim3_t*,
                        const hsa_dim3_t*) {
  copy_word(from.handle, to.handle);
  return HSA_STATUS_SUCCESS;
}

hsa_status_t file_read(hsa_amd_ais_file_handle_t file, void* to, uint64_t size, int64_t offset, uint64_t* copied,
                       int32_t*) {
  const ssize_t read = pread(file.fd, to, size, offset);
  *copied = read < 0 ? 0 : static_cast<uint64_t>(read);
  return *copied == size ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR;
}

HsaApiTable* tables = nullptr;
std::atomic<int> queues_out{0};

hsa_status_t counted_acquire(hsa_agent_t agent, hsa_queue_type_t type, hsa_amd_queue_priority_t,
                             void (*callback)(hsa_status_t, hsa_queue_t*, void*), void* data, uint64_t,
                             hsa_queue_t** queue) {
  ++queues_out;
  return originals.core.hsa_queue_create_fn(agent, 64, type, callback, data, UINT32_MAX, UINT32_MAX, queue);
}

hsa_status_t counted_release(hsa_queue_t* queue) {
  --queues_out;
  return originals.core.hsa_queue_destroy_fn(queue);
}

constexpr hsa_isa_t kGeneric{4242};
constexpr char kGenericName[] = "amdgcn-amd-amdhsa--gfx9-generic:xnack-";

hsa_status_t iterate_isas(hsa_agent_t agent, hsa_status_t (*callback)(hsa_isa_t, void*), void* data) {
  const hsa_status_t status = callback(kGeneric, data);
  return status == HSA_STATUS_SUCCESS ? originals.core.hsa_agent_iterate_isas_fn(agent, callback, data) : status;
}

hsa_status_t isa_info(hsa_isa_t isa, hsa_isa_info_t question, void* answer) {
  if (isa.handle != kGeneric.handle) return originals.core.hsa_isa_get_info_alt_fn(isa, question, answer);
  const uint32_t length = sizeof kGenericName;
  if (question == HSA_ISA_INFO_NAME_LENGTH) std::memcpy(answer, &length, sizeof length);
  if (question == HSA_ISA_INFO_NAME) std::memcpy(answer, kGenericName, length);
  return HSA_STATUS_SUCCESS;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) bool OnLoad(HsaApiTable* table, uint64_t, uint64_t,
                                                              const char* const*) {
  if (!originals.copy_from(*table)) return false;
  tables = table;
  const std::string_view other = std::getenv("OTHER_RUNTIME");
  CoreApiTable& core = *table->core_;
  if (other == "shared") {
    KERNLOOP_HOOK_AMD(*table, hsa_amd_ipc_memory_create, &ipc_create);
    KERNLOOP_HOOK_AMD(*table, hsa_amd_ipc_memory_attach, &ipc_attach);
    KERNLOOP_HOOK_LATER_AMD(*table, hsa_amd_portable_export_dmabuf, &export_dmabuf);
    KERNLOOP_HOOK_LATER_AMD(*table, hsa_amd_vmem_export_shareable_handle, &vmem_export);
    KERNLOOP_HOOK_LATER_AMD(*table, hsa_amd_vmem_import_shareable_handle, &vmem_import);
  } else if (other == "peer") {
    KERNLOOP_HOOK_AMD(*table, hsa_amd_pointer_info, &pointer_info);
  } else if (other == "counted") {
    auto& amd = rocm7_amd_table(*table);
    if (amd.version.minor_id < offsetof(rocr::Rocm7AmdExtTable, hsa_amd_memory_async_batch_copy_fn)) return false;
    amd.hsa_amd_counted_queue_acquire_fn = &counted_acquire;
    amd.hsa_amd_counted_queue_release_fn = &counted_release;
  } else if (other == "files") {
    rocm7_amd_table(*table).hsa_amd_ais_file_read_fn = &file_read;
  } else if (other == "images") {
    ImageExtTable& image = *table->image_ext_;
    hook(image.version, image.hsa_ext_image_clear_fn, &image_clear);
    hook(image.version, image.hsa_ext_image_import_fn, &image_import);
    hook(image.version, image.hsa_ext_image_export_fn, &image_export);
    hook(image.version, image.hsa_ext_image_copy_fn, &image_copy);
  } else if (other == "generic") {
    hook(core.version, core.hsa_agent_iterate_isas_fn, &iterate_isas);
    hook(core.version, core.hsa_isa_get_info_alt_fn, &isa_info);
  }
  return true;
}

extern "C" __attribute__((visibility("default"))) void OnUnload() {}

// As ROCr exports them. An error of the release if a queue of the pool was never given back.
extern "C" __attribute__((visibility("default"))) hsa_status_t other_runtime_acquire(hsa_agent_t agent,
                                                                                     hsa_queue_t** queue) {
  return rocm7_amd_table(*tables).hsa_amd_counted_queue_acquire_fn(
      agent, HSA_QUEUE_TYPE_MULTI, HSA_AMD_QUEUE_PRIORITY_HIGH, nullptr, nullptr, 0, queue);
}

extern "C" __attribute__((visibility("default"))) hsa_status_t other_runtime_release(hsa_queue_t* queue) {
  const hsa_status_t status = rocm7_amd_table(*tables).hsa_amd_counted_queue_release_fn(queue);
  return queues_out == 0 ? status : HSA_STATUS_ERROR;
}

extern "C" __attribute__((visibility("default"))) hsa_status_t other_runtime_read(int descriptor, void* to,
                                                                                  uint64_t size) {
  hsa_amd_ais_file_handle_t file{};
  file.fd = descriptor;
  uint64_t copied = 0;
  return rocm7_amd_table(*tables).hsa_amd_ais_file_read_fn(file, to, size, 0, &copied, nullptr);
}

}  // namespace kernloop::capture
