// An HSA runtime, loaded by path: the software GPU or the system's ROCr. Nothing links against one.
#pragma once

#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>

#include <filesystem>
#include <memory>
#include <string>

#include "base/result.h"

namespace kernloop::replay {

// Functions that every replay calls.
#define KERNLOOP_HSA_FUNCTIONS(X)              \
  X(hsa_init)                                  \
  X(hsa_shut_down)                             \
  X(hsa_status_string)                         \
  X(hsa_system_get_info)                       \
  X(hsa_system_get_major_extension_table)      \
  X(hsa_iterate_agents)                        \
  X(hsa_agent_get_info)                        \
  X(hsa_agent_iterate_isas)                    \
  X(hsa_agent_iterate_caches)                  \
  X(hsa_cache_get_info)                        \
  X(hsa_isa_get_info_alt)                      \
  X(hsa_amd_agent_iterate_memory_pools)        \
  X(hsa_amd_memory_pool_get_info)              \
  X(hsa_amd_memory_pool_allocate)              \
  X(hsa_amd_memory_pool_free)                  \
  X(hsa_amd_agents_allow_access)               \
  X(hsa_amd_register_system_event_handler)     \
  X(hsa_amd_profiling_set_profiler_enabled)    \
  X(hsa_amd_profiling_get_dispatch_time)       \
  X(hsa_amd_memory_fill)                       \
  X(hsa_memory_copy)                           \
  X(hsa_queue_create)                          \
  X(hsa_queue_destroy)                         \
  X(hsa_queue_add_write_index_scacq_screl)     \
  X(hsa_signal_create)                         \
  X(hsa_signal_destroy)                        \
  X(hsa_signal_store_relaxed)                  \
  X(hsa_signal_store_screlease)                \
  X(hsa_signal_wait_scacquire)                 \
  X(hsa_code_object_reader_create_from_memory) \
  X(hsa_code_object_reader_destroy)            \
  X(hsa_executable_create_alt)                 \
  X(hsa_executable_destroy)                    \
  X(hsa_executable_load_agent_code_object)     \
  X(hsa_executable_freeze)                     \
  X(hsa_executable_get_symbol_by_name)         \
  X(hsa_executable_symbol_get_info)

// They came with ROCm 6.
#define KERNLOOP_HSA_VIRTUAL_MEMORY(X) \
  X(hsa_amd_vmem_address_reserve)      \
  X(hsa_amd_vmem_address_free)         \
  X(hsa_amd_vmem_handle_create)        \
  X(hsa_amd_vmem_handle_release)       \
  X(hsa_amd_vmem_map)                  \
  X(hsa_amd_vmem_unmap)                \
  X(hsa_amd_vmem_set_access)

// Replaces virtual memory before ROCm 6.
#define KERNLOOP_HSA_SHARED_MEMORY(X) \
  X(hsa_amd_svm_attributes_set)       \
  X(hsa_amd_svm_prefetch_async)

class HsaLibrary {
 public:
  static Result<std::unique_ptr<HsaLibrary>> open(const std::filesystem::path& path);
  ~HsaLibrary();

#define KERNLOOP_DECLARE(name) decltype(&::name) name = nullptr;
  KERNLOOP_HSA_FUNCTIONS(KERNLOOP_DECLARE)
  KERNLOOP_HSA_VIRTUAL_MEMORY(KERNLOOP_DECLARE)
  KERNLOOP_HSA_SHARED_MEMORY(KERNLOOP_DECLARE)
#undef KERNLOOP_DECLARE

  // The file that was loaded, which a name without a folder led to.
  const std::filesystem::path& path() const {
    return path_;
  }
  // Names of functions; empty on a runtime that has all.
  std::string missing_of_virtual_memory() const;
  // "hsa_amd_vmem_map: HSA_STATUS_ERROR_… (0x1008)"
  std::string describe(const char* call, hsa_status_t status) const;
  // OUT_OF_MEMORY or DEVICE_ERROR.
  Error error(const char* call, hsa_status_t status, const std::string& doing) const;

 private:
  HsaLibrary(std::filesystem::path path, void* handle) : path_(std::move(path)), handle_(handle) {}
  std::filesystem::path path_;
  void* handle_;
};

}  // namespace kernloop::replay
