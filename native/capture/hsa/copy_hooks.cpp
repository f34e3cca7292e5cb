// Memory operations that the host starts. They wait during a hold, and a drain waits for those in flight.
#include <span>

#include "capture/hsa/agent.h"
#include "capture/hsa/hooks.h"

namespace kernloop::capture {
namespace {

template <typename Call>
hsa_status_t holding(Call&& call) {
  Agent* agent = agent_for_use();
  if (agent == nullptr || !agent->selections.anything_left()) return call();
  HoldScope scope(agent->hold);
  return call();
}

// `copies` count the signal down, each by one.
template <typename Call>
hsa_status_t asynchronous(hsa_signal_t completion, uint32_t waits, const hsa_signal_t* wait_for, Call&& call,
                          uint32_t copies = 1) {
  Agent* agent = agent_for_use();
  if (agent != nullptr) agent->profiler.signal_reused(completion);
  if (agent == nullptr || !agent->selections.anything_left()) return call();
  agent->guarded([&] { agent->copies.comes(completion); });
  HoldScope scope(agent->hold);
  agent->guarded([&] {
    const std::span waited = wait_for != nullptr ? std::span(wait_for, waits) : std::span<const hsa_signal_t>();
    for (uint32_t i = 0; i < copies; ++i) agent->copies.started(completion, waited);
  });
  const hsa_status_t status = call();
  if (status != HSA_STATUS_SUCCESS) {
    agent->guarded([&] {
      for (uint32_t i = 0; i < copies; ++i) agent->copies.failed_to_start(completion);
    });
  }
  return status;
}

hsa_status_t memory_copy(void* to, const void* from, size_t size) {
  return holding([&] { return originals().core.hsa_memory_copy_fn(to, from, size); });
}

hsa_status_t memory_fill(void* base, uint32_t value, size_t count) {
  return holding([&] { return originals().amd.hsa_amd_memory_fill_fn(base, value, count); });
}

hsa_status_t file_read(hsa_amd_ais_file_handle_t file, void* to, uint64_t size, int64_t offset, uint64_t* copied,
                       int32_t* error) {
  return holding([&] { return originals().amd.hsa_amd_ais_file_read_fn(file, to, size, offset, copied, error); });
}

// The runtime executes these by kernels in a queue of its own, and returns when they are done.
hsa_status_t image_import(hsa_agent_t agent, const void* from, size_t row_pitch, size_t slice_pitch, hsa_ext_image_t to,
                          const hsa_ext_image_region_t* region) {
  return holding(
      [&] { return originals().image.hsa_ext_image_import_fn(agent, from, row_pitch, slice_pitch, to, region); });
}

hsa_status_t image_export(hsa_agent_t agent, hsa_ext_image_t from, void* to, size_t row_pitch, size_t slice_pitch,
                          const hsa_ext_image_region_t* region) {
  return holding(
      [&] { return originals().image.hsa_ext_image_export_fn(agent, from, to, row_pitch, slice_pitch, region); });
}

hsa_status_t image_copy(hsa_agent_t agent, hsa_ext_image_t from, const hsa_dim3_t* from_offset, hsa_ext_image_t to,
                        const hsa_dim3_t* to_offset, const hsa_dim3_t* range) {
  return holding(
      [&] { return originals().image.hsa_ext_image_copy_fn(agent, from, from_offset, to, to_offset, range); });
}

hsa_status_t image_clear(hsa_agent_t agent, hsa_ext_image_t image, const void* value,
                         const hsa_ext_image_region_t* region) {
  return holding([&] { return originals().image.hsa_ext_image_clear_fn(agent, image, value, region); });
}

hsa_status_t async_copy(void* to, hsa_agent_t to_agent, const void* from, hsa_agent_t from_agent, size_t size,
                        uint32_t waits, const hsa_signal_t* wait_for, hsa_signal_t completion) {
  return asynchronous(completion, waits, wait_for, [&] {
    return originals().amd.hsa_amd_memory_async_copy_fn(to, to_agent, from, from_agent, size, waits, wait_for,
                                                        completion);
  });
}

hsa_status_t async_copy_on_engine(void* to, hsa_agent_t to_agent, const void* from, hsa_agent_t from_agent, size_t size,
                                  uint32_t waits, const hsa_signal_t* wait_for, hsa_signal_t completion,
                                  hsa_amd_sdma_engine_id_t engine, bool force) {
  return asynchronous(completion, waits, wait_for, [&] {
    return originals().amd.hsa_amd_memory_async_copy_on_engine_fn(to, to_agent, from, from_agent, size, waits, wait_for,
                                                                  completion, engine, force);
  });
}

// All of a batch count one signal down, each by one: it is complete when the last of them is.
hsa_status_t async_batch_copy(const hsa_amd_memory_copy_op_t* operations, uint32_t count, uint32_t waits,
                              const hsa_signal_t* wait_for) {
  const auto call = [&] {
    return originals().amd.hsa_amd_memory_async_batch_copy_fn(operations, count, waits, wait_for);
  };
  if (operations == nullptr || count == 0 || operations->version != HSA_AMD_MEMORY_COPY_OP_VERSION) return call();
  return asynchronous(operations->completion_signal, waits, wait_for, call, count);
}

hsa_status_t async_copy_rect(const hsa_pitched_ptr_t* to, const hsa_dim3_t* to_offset, const hsa_pitched_ptr_t* from,
                             const hsa_dim3_t* from_offset, const hsa_dim3_t* range, hsa_agent_t agent,
                             hsa_amd_copy_direction_t direction, uint32_t waits, const hsa_signal_t* wait_for,
                             hsa_signal_t completion) {
  return asynchronous(completion, waits, wait_for, [&] {
    return originals().amd.hsa_amd_memory_async_copy_rect_fn(to, to_offset, from, from_offset, range, agent, direction,
                                                             waits, wait_for, completion);
  });
}

hsa_status_t svm_prefetch(void* base, size_t size, hsa_agent_t agent, uint32_t waits, const hsa_signal_t* wait_for,
                          hsa_signal_t completion) {
  return asynchronous(completion, waits, wait_for, [&] {
    return originals().amd.hsa_amd_svm_prefetch_async_fn(base, size, agent, waits, wait_for, completion);
  });
}

}  // namespace

void install_copy_hooks(HsaApiTable& table) {
  CoreApiTable& core = *table.core_;
  hook(core.version, core.hsa_memory_copy_fn, &memory_copy);
  KERNLOOP_HOOK_AMD(table, hsa_amd_memory_fill, &memory_fill);
  KERNLOOP_HOOK_AMD(table, hsa_amd_memory_async_copy, &async_copy);
  KERNLOOP_HOOK_LATER_AMD(table, hsa_amd_memory_async_copy_on_engine, &async_copy_on_engine);
  KERNLOOP_HOOK_LATER_AMD(table, hsa_amd_memory_async_batch_copy, &async_batch_copy);
  KERNLOOP_HOOK_AMD(table, hsa_amd_memory_async_copy_rect, &async_copy_rect);
  KERNLOOP_HOOK_AMD(table, hsa_amd_svm_prefetch_async, &svm_prefetch);
  KERNLOOP_HOOK_LATER_AMD(table, hsa_amd_ais_file_read, &file_read);
  if (table.image_ext_ == nullptr) return;
  ImageExtTable& image = *table.image_ext_;
  hook(image.version, image.hsa_ext_image_import_fn, &image_import);
  hook(image.version, image.hsa_ext_image_export_fn, &image_export);
  hook(image.version, image.hsa_ext_image_copy_fn, &image_copy);
  hook(image.version, image.hsa_ext_image_clear_fn, &image_clear);
}

}  // namespace kernloop::capture
