// A code object loaded through plain HSA onto whatever libhsa-runtime64.so.1 is there, and its kernels dispatched one
// at a time.
#pragma once

#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "../../native/abi/hsa/softgpu_extension.h"

[[noreturn]] inline void die(const std::string& what) {
  std::fprintf(stderr, "%s: %s\n", program_invocation_short_name, what.c_str());
  std::exit(1);
}
inline void check(hsa_status_t status, const char* call) {
  if (status != HSA_STATUS_SUCCESS) die(std::string(call) + " failed with " + std::to_string(status));
}
#define HSA(call) check(call, #call)

class LoadedCode {
 public:
  explicit LoadedCode(const char* code_path) {
    HSA(hsa_init());
    HSA(hsa_iterate_agents(
        [](hsa_agent_t agent, void* data) {
          hsa_device_type_t type;
          hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type);
          auto* self = static_cast<LoadedCode*>(data);
          (type == HSA_DEVICE_TYPE_GPU ? self->gpu_ : self->cpu_) = agent;
          return HSA_STATUS_SUCCESS;
        },
        this));
    HSA(hsa_amd_agent_iterate_memory_pools(gpu_, take_pool, &device_));
    HSA(hsa_amd_agent_iterate_memory_pools(cpu_, take_pool, &host_));
    HSA(hsa_queue_create(gpu_, 64, HSA_QUEUE_TYPE_MULTI, on_error, nullptr, UINT32_MAX, UINT32_MAX, &queue_));
    HSA(hsa_signal_create(0, 0, nullptr, &completion_));
    std::ifstream file(code_path, std::ios::binary);
    code_.assign(std::istreambuf_iterator<char>(file), {});
    hsa_code_object_reader_t reader;
    HSA(hsa_code_object_reader_create_from_memory(code_.data(), code_.size(), &reader));
    HSA(hsa_executable_create_alt(HSA_PROFILE_BASE, HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR, nullptr, &executable_));
    HSA(hsa_executable_load_agent_code_object(executable_, gpu_, reader, nullptr, nullptr));
    HSA(hsa_executable_freeze(executable_, nullptr));
    HSA(hsa_system_get_major_extension_table(KERNLOOP_SOFTGPU_EXTENSION_ID, 1, sizeof extension_, &extension_));
  }

  template <class T>
  T* allocate(size_t count) {
    void* at = nullptr;
    HSA(hsa_amd_memory_pool_allocate(device_, count * sizeof(T), 0, &at));
    return static_cast<T*>(at);
  }

  hsa_kernel_dispatch_packet_t packet_of(const std::string& name, const uint32_t groups[2], const uint16_t block[2],
                                         const void* arguments, size_t bytes) {
    hsa_executable_symbol_t symbol;
    HSA(hsa_executable_get_symbol_by_name(executable_, (name + ".kd").c_str(), &gpu_, &symbol));
    hsa_kernel_dispatch_packet_t packet{};
    packet.setup = 2;
    packet.workgroup_size_x = block[0];
    packet.workgroup_size_y = block[1];
    packet.workgroup_size_z = 1;
    packet.grid_size_x = groups[0] * block[0];
    packet.grid_size_y = groups[1] * block[1];
    packet.grid_size_z = 1;
    HSA(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT, &packet.kernel_object));
    HSA(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE,
                                       &packet.group_segment_size));
    HSA(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE,
                                       &packet.private_segment_size));
    HSA(hsa_amd_memory_pool_allocate(host_, 4096, 0, &packet.kernarg_address));
    std::memset(packet.kernarg_address, 0, 4096);
    std::memcpy(packet.kernarg_address, arguments, bytes);
    packet.completion_signal = completion_;
    return packet;
  }

  // Until it is done.
  void dispatch(const hsa_kernel_dispatch_packet_t& packet) {
    hsa_signal_store_relaxed(completion_, 1);
    const uint64_t index = hsa_queue_add_write_index_screlease(queue_, 1);
    auto* slot = static_cast<char*>(queue_->base_address) + index % queue_->size * 64;
    std::memcpy(slot + 2, reinterpret_cast<const char*>(&packet) + 2, 62);
    const uint16_t header = HSA_PACKET_TYPE_KERNEL_DISPATCH << HSA_PACKET_HEADER_TYPE | 1 << HSA_PACKET_HEADER_BARRIER |
                            HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
                            HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE;
    __atomic_store_n(reinterpret_cast<uint16_t*>(slot), header, __ATOMIC_RELEASE);
    hsa_signal_store_screlease(queue_->doorbell_signal, static_cast<hsa_signal_value_t>(index));
    hsa_signal_wait_scacquire(completion_, HSA_SIGNAL_CONDITION_LT, 1, UINT64_MAX, HSA_WAIT_STATE_BLOCKED);
  }

  const hsa_agent_t& gpu() const { return gpu_; }
  hsa_signal_t completion() const { return completion_; }
  hsa_executable_t executable() const { return executable_; }
  // The software GPU's extension; without functions if the runtime has none.
  const kernloop_softgpu_extension_1_t& extension() const { return extension_; }

 private:
  static hsa_status_t take_pool(hsa_amd_memory_pool_t pool, void* data) {
    hsa_amd_segment_t segment;
    hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_SEGMENT, &segment);
    if (segment == HSA_AMD_SEGMENT_GLOBAL && static_cast<hsa_amd_memory_pool_t*>(data)->handle == 0) {
      *static_cast<hsa_amd_memory_pool_t*>(data) = pool;
    }
    return HSA_STATUS_SUCCESS;
  }
  static void on_error(hsa_status_t status, hsa_queue_t*, void*) {
    die("the queue failed with " + std::to_string(status));
  }

  hsa_agent_t cpu_{}, gpu_{};
  hsa_amd_memory_pool_t device_{}, host_{};
  hsa_queue_t* queue_ = nullptr;
  hsa_signal_t completion_{};
  hsa_executable_t executable_{};
  kernloop_softgpu_extension_1_t extension_{};
  std::vector<char> code_;
};
