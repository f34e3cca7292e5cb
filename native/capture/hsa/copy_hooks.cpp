// Memory operations that the host starts. They wait while a capture holds, and those in flight are known when it
// drains.
#include "capture/hsa/agent.h"
#include "capture/hsa/hooks.h"

namespace kernloop::capture {
namespace {

const HsaOriginals& originals() {
  return Agent::get()->hsa;
}

template <typename Call>
hsa_status_t holding(Call&& call) {
  Agent* agent = agent_for_use();
  if (agent == nullptr || !agent->selections.anything_left()) return call();
  HoldScope scope(agent->hold);
  return call();
}

template <typename Call>
hsa_status_t asynchronous(hsa_signal_t completion, Call&& call) {
  Agent* agent = agent_for_use();
  if (agent == nullptr || !agent->selections.anything_left()) return call();
  HoldScope scope(agent->hold);
  agent->guarded([&] { agent->copies.started(completion); });
  const hsa_status_t status = call();
  if (status != HSA_STATUS_SUCCESS) agent->guarded([&] { agent->copies.failed_to_start(completion); });
  return status;
}

hsa_status_t memory_copy(void* to, const void* from, size_t size) {
  return holding([&] { return originals().core.hsa_memory_copy_fn(to, from, size); });
}

hsa_status_t memory_fill(void* base, uint32_t value, size_t count) {
  return holding([&] { return originals().amd.hsa_amd_memory_fill_fn(base, value, count); });
}

hsa_status_t async_copy(void* to, hsa_agent_t to_agent, const void* from, hsa_agent_t from_agent, size_t size,
                        uint32_t waits, const hsa_signal_t* wait_for, hsa_signal_t completion) {
  return asynchronous(completion, [&] {
    return originals().amd.hsa_amd_memory_async_copy_fn(to, to_agent, from, from_agent, size, waits, wait_for,
                                                        completion);
  });
}

hsa_status_t async_copy_rect(const hsa_pitched_ptr_t* to, const hsa_dim3_t* to_offset, const hsa_pitched_ptr_t* from,
                             const hsa_dim3_t* from_offset, const hsa_dim3_t* range, hsa_agent_t agent,
                             hsa_amd_copy_direction_t direction, uint32_t waits, const hsa_signal_t* wait_for,
                             hsa_signal_t completion) {
  return asynchronous(completion, [&] {
    return originals().amd.hsa_amd_memory_async_copy_rect_fn(to, to_offset, from, from_offset, range, agent, direction,
                                                             waits, wait_for, completion);
  });
}

hsa_status_t svm_prefetch(void* base, size_t size, hsa_agent_t agent, uint32_t waits, const hsa_signal_t* wait_for,
                          hsa_signal_t completion) {
  return asynchronous(completion, [&] {
    return originals().amd.hsa_amd_svm_prefetch_async_fn(base, size, agent, waits, wait_for, completion);
  });
}

void reused(hsa_signal_t signal) noexcept {
  if (Agent* agent = active_agent()) agent->copies.signal_reused(signal);
}

void signal_store_relaxed(hsa_signal_t signal, hsa_signal_value_t value) {
  reused(signal);
  originals().core.hsa_signal_store_relaxed_fn(signal, value);
}
void signal_store_screlease(hsa_signal_t signal, hsa_signal_value_t value) {
  reused(signal);
  originals().core.hsa_signal_store_screlease_fn(signal, value);
}
void signal_silent_store_relaxed(hsa_signal_t signal, hsa_signal_value_t value) {
  reused(signal);
  originals().core.hsa_signal_silent_store_relaxed_fn(signal, value);
}
void signal_silent_store_screlease(hsa_signal_t signal, hsa_signal_value_t value) {
  reused(signal);
  originals().core.hsa_signal_silent_store_screlease_fn(signal, value);
}
hsa_status_t signal_destroy(hsa_signal_t signal) {
  reused(signal);
  return originals().core.hsa_signal_destroy_fn(signal);
}

}  // namespace

void install_copy_hooks(HsaApiTable& table) {
  CoreApiTable& core = *table.core_;
  AmdExtTable& amd = *table.amd_ext_;
  hook(core.version, core.hsa_memory_copy_fn, &memory_copy);
  hook(core.version, core.hsa_signal_store_relaxed_fn, &signal_store_relaxed);
  hook(core.version, core.hsa_signal_store_screlease_fn, &signal_store_screlease);
  hook(core.version, core.hsa_signal_silent_store_relaxed_fn, &signal_silent_store_relaxed);
  hook(core.version, core.hsa_signal_silent_store_screlease_fn, &signal_silent_store_screlease);
  hook(core.version, core.hsa_signal_destroy_fn, &signal_destroy);
  hook(amd.version, amd.hsa_amd_memory_fill_fn, &memory_fill);
  hook(amd.version, amd.hsa_amd_memory_async_copy_fn, &async_copy);
  hook(amd.version, amd.hsa_amd_memory_async_copy_rect_fn, &async_copy_rect);
  hook(amd.version, amd.hsa_amd_svm_prefetch_async_fn, &svm_prefetch);
}

}  // namespace kernloop::capture
