// Copies and fills, synchronous and as copy engines do them.
#include <algorithm>
#include <cstring>
#include <vector>

#include "softgpu/hsa/api/functions.h"
#include "softgpu/hsa/host/log.h"
#include "softgpu/hsa/runtime.h"

namespace kernloop::softgpu::api {
namespace {

hsa_status_t check_signals(uint32_t count, const hsa_signal_t* dependencies, hsa_signal_t completion) {
  if (count > 0 && dependencies == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  for (uint32_t i = 0; i < count; ++i) {
    if (!runtime().signals.valid(dependencies[i])) return HSA_STATUS_ERROR_INVALID_SIGNAL;
  }
  return runtime().signals.valid(completion) ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_SIGNAL;
}

hsa_status_t check_range(const void* pointer, uint64_t size) {
  if (runtime().copyable(pointer, size)) return HSA_STATUS_SUCCESS;
  report_error("copy or fill of %lu bytes at %p, which is not all allocated: refused", size, pointer);
  return HSA_STATUS_ERROR_INVALID_ALLOCATION;
}

// The bytes from the first to the last one of a box in pitched memory; false if that overflows.
bool box_extent(const hsa_pitched_ptr_t& memory, const hsa_dim3_t& offset, const hsa_dim3_t& range, uint64_t* bytes) {
  uint64_t last_row = 0, last_slice = 0, end = 0;
  return !__builtin_mul_overflow(uint64_t{offset.y} + range.y - 1, memory.pitch, &last_row) &&
         !__builtin_mul_overflow(uint64_t{offset.z} + range.z - 1, memory.slice, &last_slice) &&
         !__builtin_add_overflow(last_row, last_slice, &end) &&
         !__builtin_add_overflow(end, uint64_t{offset.x} + range.x, bytes);
}

char* row(const hsa_pitched_ptr_t& memory, const hsa_dim3_t& offset, uint32_t y, uint32_t z) {
  return static_cast<char*>(memory.base) + (uint64_t{offset.z} + z) * memory.slice +
         (uint64_t{offset.y} + y) * memory.pitch + offset.x;
}

// For the checker.
void mark_written(const void* pointer, uint64_t size) {
  if (runtime().settings.checks.uninitialized) runtime().space.mark_written(reinterpret_cast<uint64_t>(pointer), size);
}

void copy(void* to, const void* from, uint64_t size) {
  std::memmove(to, from, size);
  mark_written(to, size);
}

}  // namespace

hsa_status_t hsa_memory_copy(void* dst, const void* src, size_t size) {
  if (dst == nullptr || src == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  if (size == 0) return HSA_STATUS_SUCCESS;
  if (hsa_status_t status = check_range(dst, size); status != HSA_STATUS_SUCCESS) return status;
  if (hsa_status_t status = check_range(src, size); status != HSA_STATUS_SUCCESS) return status;
  copy(dst, src, size);
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_memory_fill(void* ptr, uint32_t value, size_t count) {
  if (ptr == nullptr || reinterpret_cast<uint64_t>(ptr) % sizeof(value) != 0 || count > SIZE_MAX / sizeof(value))
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  if (count == 0) return HSA_STATUS_SUCCESS;
  if (hsa_status_t status = check_range(ptr, count * sizeof(value)); status != HSA_STATUS_SUCCESS) return status;
  std::fill_n(static_cast<uint32_t*>(ptr), count, value);
  mark_written(ptr, count * sizeof(value));
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_memory_async_copy(void* dst, hsa_agent_t dst_agent, const void* src, hsa_agent_t src_agent,
                                       size_t size, uint32_t num_dep_signals, const hsa_signal_t* dep_signals,
                                       hsa_signal_t completion_signal) {
  if (dst == nullptr || src == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  if (!is_agent(dst_agent) || !is_agent(src_agent)) return HSA_STATUS_ERROR_INVALID_AGENT;
  if (hsa_status_t status = check_signals(num_dep_signals, dep_signals, completion_signal);
      status != HSA_STATUS_SUCCESS)
    return status;
  if (hsa_status_t status = check_range(dst, size); status != HSA_STATUS_SUCCESS) return status;
  if (hsa_status_t status = check_range(src, size); status != HSA_STATUS_SUCCESS) return status;
  runtime().copies.submit(
      {dep_signals, dep_signals + num_dep_signals}, [=] { copy(dst, src, size); }, completion_signal);
  return HSA_STATUS_SUCCESS;
}

// There is one engine. It takes copies at any time.
hsa_status_t hsa_amd_memory_copy_engine_status(hsa_agent_t dst_agent, hsa_agent_t src_agent,
                                               uint32_t* engine_ids_mask) {
  if (!is_agent(dst_agent) || !is_agent(src_agent) || dst_agent.handle == src_agent.handle)
    return HSA_STATUS_ERROR_INVALID_AGENT;
  if (engine_ids_mask == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  *engine_ids_mask = HSA_AMD_SDMA_ENGINE_0;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_memory_async_copy_on_engine(void* dst, hsa_agent_t dst_agent, const void* src,
                                                 hsa_agent_t src_agent, size_t size, uint32_t num_dep_signals,
                                                 const hsa_signal_t* dep_signals, hsa_signal_t completion_signal,
                                                 hsa_amd_sdma_engine_id_t engine_id, bool) {
  if (engine_id != HSA_AMD_SDMA_ENGINE_0) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  return api::hsa_amd_memory_async_copy(dst, dst_agent, src, src_agent, size, num_dep_signals, dep_signals,
                                        completion_signal);
}

hsa_status_t hsa_amd_memory_async_copy_rect(const hsa_pitched_ptr_t* dst, const hsa_dim3_t* dst_offset,
                                            const hsa_pitched_ptr_t* src, const hsa_dim3_t* src_offset,
                                            const hsa_dim3_t* range, hsa_agent_t copy_agent, hsa_amd_copy_direction_t,
                                            uint32_t num_dep_signals, const hsa_signal_t* dep_signals,
                                            hsa_signal_t completion_signal) {
  if (dst == nullptr || dst_offset == nullptr || src == nullptr || src_offset == nullptr || range == nullptr)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  if (!is_gpu(copy_agent)) return HSA_STATUS_ERROR_INVALID_AGENT;
  if (hsa_status_t status = check_signals(num_dep_signals, dep_signals, completion_signal);
      status != HSA_STATUS_SUCCESS)
    return status;
  const bool empty = range->x == 0 || range->y == 0 || range->z == 0;
  if (!empty) {
    for (auto [memory, offset] : {std::pair{dst, dst_offset}, std::pair{src, src_offset}}) {
      uint64_t bytes = 0;
      if (memory->base == nullptr || !box_extent(*memory, *offset, *range, &bytes))
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
      if (hsa_status_t status = check_range(memory->base, bytes); status != HSA_STATUS_SUCCESS) return status;
    }
  }
  auto work = [to = *dst, to_offset = *dst_offset, from = *src, from_offset = *src_offset,
               box = empty ? hsa_dim3_t{} : *range] {
    for (uint32_t z = 0; z < box.z; ++z) {
      for (uint32_t y = 0; y < box.y; ++y) copy(row(to, to_offset, y, z), row(from, from_offset, y, z), box.x);
    }
  };
  runtime().copies.submit({dep_signals, dep_signals + num_dep_signals}, std::move(work), completion_signal);
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_profiling_async_copy_enable(bool) {
  return HSA_STATUS_SUCCESS;
}  // times are always taken

hsa_status_t hsa_amd_profiling_get_async_copy_time(hsa_signal_t signal, hsa_amd_profiling_async_copy_time_t* time) {
  if (time == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  if (!runtime().signals.valid(signal)) return HSA_STATUS_ERROR_INVALID_SIGNAL;
  *time = {Signals::abi(signal).start_ts, Signals::abi(signal).end_ts};
  return HSA_STATUS_SUCCESS;
}

}  // namespace kernloop::softgpu::api
