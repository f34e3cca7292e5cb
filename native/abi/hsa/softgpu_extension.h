/* Vendor extension of the software GPU, reached through hsa_system_get_major_extension_table(0x4B4C, 1, sizeof table,
   &table). Absent on real hardware: callers must do without. C, so that any tool can use it. */
#ifndef KERNLOOP_SOFTGPU_EXTENSION_H
#define KERNLOOP_SOFTGPU_EXTENSION_H

#include <hsa/hsa.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define KERNLOOP_SOFTGPU_EXTENSION_ID 0x4B4C

typedef void (*kernloop_softgpu_queue_error_t)(hsa_status_t status, hsa_queue_t* queue, void* data);

/* A library in front of the HIP runtime (LD_PRELOAD; softgpu/hip is one) may define this function. The software GPU
   calls it before it reports an error of a queue to `callback`, and does not call `callback` if the answer is not 0:
   from now on the library reports the error, in each of the program's HIP calls. The device is lost: no queue executes
   dispatches any more; waiting and later ones complete at once, and their reports say that they were not executed. */
#define KERNLOOP_SOFTGPU_TAKE_ERROR "kernloop_softgpu_take_error"
typedef int (*kernloop_softgpu_take_error_t)(hsa_status_t status, kernloop_softgpu_queue_error_t callback);

typedef struct kernloop_softgpu_report_s {
  uint32_t struct_size; /* set by the caller */
  uint32_t faulted;     /* 1: fault_json is not empty */
  uint64_t wave_instructions, valu, salu, smem, vmem_read, vmem_write, atomics, lds, scratch, branches,
      divergent_branches, barriers;
  uint64_t active_lanes, bytes_read, bytes_written, memory_transactions, waves, workgroups;
  char fault_json[4096]; /* Fault::json(), NUL-terminated */
} kernloop_softgpu_report_t;

/* Counts of one instruction, over all waves (engine/observe/profile.h). */
/* clang-format off */
#define KERNLOOP_SOFTGPU_PC_FIELDS(X)                                                                          \
  X(executed) X(lanes) X(taken) X(splits) X(split_before) X(true_lanes) X(false_lanes)                         \
  X(memory_transactions) X(memory_lines_128) X(bytes_read) X(bytes_written)                                    \
  X(scratch_bytes_read) X(scratch_bytes_written) X(lds_passes) X(lds_bank_conflicts) X(lds_address_conflicts)
/* clang-format on */

typedef struct kernloop_softgpu_pc_s {
  uint64_t address;
  uint32_t size_bytes;
  uint16_t is_conditional_branch;
  uint16_t is_vector;      /* executed by the active lanes */
  const char* instruction; /* disassembled; valid during the callback */
#define KERNLOOP_FIELD(name) uint64_t name;
  KERNLOOP_SOFTGPU_PC_FIELDS(KERNLOOP_FIELD)
#undef KERNLOOP_FIELD
} kernloop_softgpu_pc_t;

/* Content of a probe's map after a dispatch (engine/observe/probes.h). The pointers are valid during the callback. */
typedef struct kernloop_softgpu_probed_map_s {
  const char* name;
  uint64_t units;      /* work-items or waves of the grid, partial workgroups as whole ones */
  uint64_t unit_bytes; /* room for records */
  const uint8_t* records;
  const uint32_t* counts; /* of each unit, records that it had */
  uint64_t kept, dropped;
  uint32_t wave_size;
} kernloop_softgpu_probed_map_t;

typedef struct kernloop_softgpu_range_s {
  uint64_t base, size;
} kernloop_softgpu_range_t;

typedef struct kernloop_softgpu_extension_1_s {
  /* Limits for dispatches submitted after the call, process-wide. 0: default. */
  hsa_status_t (*set_max_wave_instructions)(uint64_t per_dispatch);
  hsa_status_t (*set_seed)(uint64_t seed);
  hsa_status_t (*set_threads)(uint32_t threads);
  /* Report of the dispatch that completed with (last decremented) this signal; with signal 0, here and below, of the
   * dispatch that ended last in the process. HSA_STATUS_ERROR_INVALID_SIGNAL if there was none. */
  hsa_status_t (*dispatch_report)(hsa_signal_t completion_signal, kernloop_softgpu_report_t* report);
  /* While enabled, every dispatch keeps its exact byte ranges. The callback is called for each range, reads (is_write
   * 0) first. */
  hsa_status_t (*set_access_recording)(uint32_t enabled);
  hsa_status_t (*dispatch_accesses)(hsa_signal_t completion_signal,
                                    void (*callback)(uint32_t is_write, uint64_t base, uint64_t size, void* data),
                                    void* data);
  /* The next code object loaded by this thread is placed at this address (from the capture); fails to load when it is
   * taken. */
  hsa_status_t (*set_next_load_address)(uint64_t base);
  /* While enabled, every dispatch is profiled: slower, with more counters, and with counts of each instruction. */
  hsa_status_t (*set_profiling)(uint32_t enabled);
  /* Every counter of the dispatch by name (engine/observe/counters.h); without a profile, its counters are left out.
   * Superset of dispatch_report's. */
  hsa_status_t (*dispatch_counters)(hsa_signal_t completion_signal,
                                    void (*callback)(const char* name, uint64_t value, void* data), void* data);
  /* By address. HSA_STATUS_ERROR_INVALID_SIGNAL when the dispatch was not profiled. */
  hsa_status_t (*dispatch_profile)(hsa_signal_t completion_signal,
                                   void (*callback)(const kernloop_softgpu_pc_t* pc, void* data), void* data);
  /* Kernels may not touch these bytes of mapped memory any more, to the byte, until access is set anew; the host still
   * can. */
  hsa_status_t (*close_to_kernels)(uint64_t base, uint64_t size);
  /* For tools that put an error callback of their own in front of the program's: calls the program's, unless a library
   * takes the error (above). */
  hsa_status_t (*report_queue_error)(hsa_status_t status, hsa_queue_t* queue, kernloop_softgpu_queue_error_t callback,
                                     void* data);
  /* Fill of unwritten LDS, private memory and registers for dispatches submitted after the call
   * (engine/wave/unwritten_fill.h); process-wide. 0: the default. Null in the table of an older software GPU, which
   * always has the same fill: a caller that goes on without it cannot detect a kernel that reads the fill. */
  hsa_status_t (*set_unwritten_fill)(uint64_t pattern);
  /* The adverse order (engine/schedule/adverse_order.h): number of wave-instructions of every dispatch that run in it,
   * checked for races if `races`; 0: none. */
  hsa_status_t (*set_adverse)(uint64_t wave_instructions, uint32_t races);
  /* Number of the dispatch's wave-instructions that ran in the adverse order, and the findings of checks and watches,
   * each as Fault::json(). The callback may be null. */
  hsa_status_t (*dispatch_findings)(hsa_signal_t completion_signal, uint64_t* adverse_wave_instructions,
                                    void (*callback)(const char* json, void* data), void* data);
  /* Probes on every dispatch submitted after the call: "kernloop.probes/1" as JSON (engine/observe/probe_request.cpp);
     null: none. HSA_STATUS_ERROR_INVALID_ARGUMENT if it is invalid, and `problem` is called with the reason. */
  hsa_status_t (*set_probes)(const char* json, void (*problem)(const char* text, void* data), void* data);
  /* The probes' results, map by map. HSA_STATUS_ERROR_INVALID_SIGNAL if the dispatch was not probed. */
  hsa_status_t (*dispatch_probes)(hsa_signal_t completion_signal,
                                  void (*callback)(const kernloop_softgpu_probed_map_t* map, void* data), void* data);
  /* Whether kernels may write to the constants of code objects that are loaded after the call, as they may on hardware
     (the default). Null in the table of an older software GPU, where they never may. */
  hsa_status_t (*open_constants)(uint32_t are_open);
  /* Whether dispatches submitted after the call have at most as many workgroups resident at once as the modelled GPU
     (hsa/device_model.h): a workgroup that waits for one beyond those waits until the limit. Null in the table of an
     older software GPU, which holds all. */
  hsa_status_t (*limit_residency)(uint32_t is_limited);
  /* The lanes' accesses in a dispatch whose accesses were kept, page by page: a number that differs if other lanes
     access the same bytes. Null in the table of an older software GPU. */
  hsa_status_t (*dispatch_lanes)(hsa_signal_t completion_signal,
                                 void (*callback)(uint64_t base, uint64_t size, uint64_t by_lane, void* data),
                                 void* data);
  /* A dispatch submitted after the call has a finding (dispatch_findings) for its first floating-point atomic on each
     of these ranges, which do not overlap. Null in the table of an older software GPU, which reports none. */
  hsa_status_t (*watch_float_atomics)(const kernloop_softgpu_range_t* ranges, uint32_t count);
  /* Dispatches submitted after the call find a machine in use, drawn from the seed: small numbers in unwritten LDS,
     private memory and registers, clocks that have run for hours; process-wide. 0: the fill of set_unwritten_fill, and
     clocks that begin with the wave. Null in the table of an older software GPU. */
  hsa_status_t (*set_machine_in_use)(uint32_t seed);
} kernloop_softgpu_extension_1_t;

#ifdef __cplusplus
}
#endif
#endif
