/* Functions of releases after ROCr 6.4, as in hsa_ext_amd.h of ROCm/rocm-systems (commit 41e1945, interface 1.31;
   reserved fields shortened to their size). */
#ifndef KERNLOOP_HSA_ROCM7_API_H
#define KERNLOOP_HSA_ROCM7_API_H

#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
  HSA_AMD_QUEUE_CREATE_DEVICE_MEM_RING_BUF = 1,
  HSA_AMD_QUEUE_CREATE_DEVICE_MEM_QUEUE_DESCRIPTOR = 2,
};

enum { HSA_AMD_QUEUE_ENGINE_COMPUTE = 0, HSA_AMD_QUEUE_ENGINE_SDMA = 1, HSA_AMD_QUEUE_ENGINE_AIE = 2 };

#define HSA_AMD_QUEUE_CREATE_DESC_VERSION 1
#define HSA_AMD_PRIVATE_SEGMENT_SIZE_DEFAULT UINT32_MAX

typedef struct hsa_amd_compute_queue_params_s {
  const uint32_t* cu_mask;
  hsa_queue_type32_t type;
  uint32_t private_segment_size;
  uint32_t cu_mask_count; /* bits, a multiple of 32 */
  uint32_t reserved[3];
} hsa_amd_compute_queue_params_t;

typedef struct hsa_amd_queue_create_desc_s {
  uint16_t version;
  uint16_t flags;
  uint8_t engine_type;
  uint8_t reserved_header[3];
  uint32_t queue_size_bytes;
  hsa_amd_queue_priority_t priority;
  void (*callback)(hsa_status_t status, hsa_queue_t* source, void* data);
  void* callback_data;
  hsa_queue_t* queue; /* out; NULL on failure */
  union {
    hsa_amd_compute_queue_params_t compute;
    uint8_t reserved[32];
  } engine;
  uint32_t traffic_class;
  uint8_t reserved[20];
} hsa_amd_queue_create_desc_t;

/* Creates all that it can and returns the first error. */
hsa_status_t hsa_amd_queue_create(hsa_agent_t agent, hsa_amd_queue_create_desc_t* descs, uint32_t num_descs);

/* A queue of a pool that the runtime shares among its callers. */
hsa_status_t hsa_amd_counted_queue_acquire(hsa_agent_t agent, hsa_queue_type_t type, hsa_amd_queue_priority_t priority,
                                           void (*callback)(hsa_status_t status, hsa_queue_t* source, void* data),
                                           void* data, uint64_t flags, hsa_queue_t** queue);

hsa_status_t hsa_amd_counted_queue_release(hsa_queue_t* queue);

hsa_status_t hsa_amd_portable_export_dmabuf_v2(const void* ptr, size_t size, int* dmabuf, uint64_t* offset,
                                               uint64_t flags);

typedef struct hsa_amd_ais_file_handle_s {
  union {
    void* handle;
    int fd;
    uint8_t pad[8];
  };
} hsa_amd_ais_file_handle_t;

/* Returns when the bytes are in the device's memory. */
hsa_status_t hsa_amd_ais_file_read(hsa_amd_ais_file_handle_t handle, void* device_ptr, uint64_t size,
                                   int64_t file_offset, uint64_t* size_copied, int32_t* status);

#define HSA_AMD_MEMORY_COPY_OP_VERSION 1

/* The part of an operation that waiting needs; the rest describes the copy. */
typedef struct hsa_amd_memory_copy_op_s {
  uint16_t version;
  uint16_t type;
  uint16_t num_entries;
  uint16_t traffic_class;
  hsa_signal_t completion_signal; /* the same of all operations of a batch */
  uint64_t rest[14];
} hsa_amd_memory_copy_op_t;

hsa_status_t hsa_amd_memory_async_batch_copy(const hsa_amd_memory_copy_op_t* copy_ops, uint32_t num_copy_ops,
                                             uint32_t num_dep_signals, const hsa_signal_t* dep_signals);

#ifdef __cplusplus
}
static_assert(sizeof(hsa_amd_queue_create_desc_t) == 96, "version 1 of the descriptor");
static_assert(sizeof(hsa_amd_memory_copy_op_t) == 128, "version 1 of the operation");
#endif
#endif
