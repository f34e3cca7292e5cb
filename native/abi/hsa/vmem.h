/* Virtual memory management of ROCm 6 (hsa_amd_vmem_*), which ROCm 5.2.3's headers do not declare. The software GPU
   exports these functions; look them up with dlsym so that a program also starts on a runtime without them. */
#ifndef KERNLOOP_SOFTGPU_VMEM_H
#define KERNLOOP_SOFTGPU_VMEM_H

#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hsa_amd_vmem_alloc_handle_s {
  uint64_t handle;
} hsa_amd_vmem_alloc_handle_t;

typedef enum { MEMORY_TYPE_NONE, MEMORY_TYPE_PINNED } hsa_amd_memory_type_t;

/* hsa_access_permission_t has no NONE (0) in 5.2.3. */
typedef struct hsa_amd_memory_access_desc_s {
  hsa_access_permission_t permissions;
  hsa_agent_t agent_handle;
} hsa_amd_memory_access_desc_t;

/* `address` 0 lets the runtime choose. Otherwise the reservation is at exactly that address, or fails with
 * OUT_OF_RESOURCES. */
hsa_status_t hsa_amd_vmem_address_reserve(void** va, size_t size, uint64_t address, uint64_t flags);
/* Frees a whole reservation in which nothing is mapped any more. */
hsa_status_t hsa_amd_vmem_address_free(void* va, size_t size);
hsa_status_t hsa_amd_vmem_handle_create(hsa_amd_memory_pool_t pool, size_t size, hsa_amd_memory_type_t type,
                                        uint64_t flags, hsa_amd_vmem_alloc_handle_t* memory_handle);
/* The memory lives on until its last mapping is gone. */
hsa_status_t hsa_amd_vmem_handle_release(hsa_amd_vmem_alloc_handle_t memory_handle);
/* No access until hsa_amd_vmem_set_access. The memory of a new handle is zero. */
hsa_status_t hsa_amd_vmem_map(void* va, size_t size, size_t in_offset, hsa_amd_vmem_alloc_handle_t memory_handle,
                              uint64_t flags);
hsa_status_t hsa_amd_vmem_unmap(void* va, size_t size);
hsa_status_t hsa_amd_vmem_set_access(void* va, size_t size, const hsa_amd_memory_access_desc_t* desc, size_t desc_cnt);
hsa_status_t hsa_amd_vmem_get_access(void* va, hsa_access_permission_t* permissions, hsa_agent_t agent_handle);

#ifdef __cplusplus
}
#endif
#endif
