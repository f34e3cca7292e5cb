// Queues are created as intercepted ones.
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "capture/hsa/agent.h"
#include "capture/hsa/dispatch_handler.h"
#include "capture/hsa/hooks.h"
#include "capture/hsa/memory_faults.h"
#include "capture/hsa/plain_queue.h"
#include "capture/hsa/softgpu_counters.h"

namespace kernloop::capture {
namespace {

void on_queue_error(hsa_status_t status, hsa_queue_t* queue, void* data) {
  auto& state = *static_cast<QueueState*>(data);
  state.failed.store(true);
  Agent& agent = *state.agent;
  agent.guarded([&] {
    char text[128];
    std::snprintf(text, sizeof text,
                  "queue %u reported error 0x%x: a dispatch faulted, and the app's output says where", state.index,
                  static_cast<unsigned>(status));
    agent.note("DEVICE_FAULT", text);
  });
  // The app's callback may end the process (HIP's does).
  wait_until_told(state);
  SoftgpuCounters(agent.hsa).report_to_app(status, queue, state.app_callback, state.app_data);
}

std::string name_of(const HsaOriginals& hsa, hsa_isa_t isa) {
  uint32_t length = 0;
  if (hsa.core.hsa_isa_get_info_alt_fn(isa, HSA_ISA_INFO_NAME_LENGTH, &length) != HSA_STATUS_SUCCESS ||
      length >= kMaxTextBytes) {
    return "";
  }
  std::string name(length, '\0');
  hsa.core.hsa_isa_get_info_alt_fn(isa, HSA_ISA_INFO_NAME, name.data());
  return name.substr(0, name.find('\0'));
}

// The processor's own name. Runtimes since ROCm 6.3 name the generic targets beside it that it executes, too.
std::string isa_of(const HsaOriginals& hsa, hsa_agent_t device) {
  struct Walk {
    const HsaOriginals* hsa;
    std::string name;
  } walk{&hsa, ""};
  const auto take = [](hsa_isa_t isa, void* data) {
    auto& [hsa, best] = *static_cast<Walk*>(data);
    std::string name = name_of(*hsa, isa);
    const bool is_generic = name.find("-generic") != std::string::npos;
    if (best.empty() || !is_generic) best = std::move(name);
    return is_generic || best.empty() ? HSA_STATUS_SUCCESS : HSA_STATUS_INFO_BREAK;
  };
  hsa.core.hsa_agent_iterate_isas_fn(device, take, &walk);
  return walk.name;
}

QueueMessage describe(const HsaOriginals& hsa, const QueueState& state) {
  QueueMessage message;
  message.index = state.index;
  char name[64] = {};
  if (hsa.core.hsa_agent_get_info_fn(state.device, static_cast<hsa_agent_info_t>(HSA_AMD_AGENT_INFO_PRODUCT_NAME),
                                     name) != HSA_STATUS_SUCCESS ||
      name[0] == '\0') {
    hsa.core.hsa_agent_get_info_fn(state.device, HSA_AGENT_INFO_NAME, name);
  }
  name[sizeof name - 1] = '\0';
  message.agent_name = name;
  hsa.core.hsa_agent_get_info_fn(state.device, HSA_AGENT_INFO_WAVEFRONT_SIZE, &message.wavefront_size);
  message.isa = isa_of(hsa, state.device);
  return message;
}

constexpr const char* kInHostMemory =
    "the program asked for a queue in memory of the GPU, and has one in memory of the host while it is recorded: the "
    "runtime keeps intercepted queues there. Its launches may take longer than without";

// A variable of ROCr puts the rings of all queues there (core/util/flag.h).
void note_ring_of_variable(Agent& agent) {
  const char* value = std::getenv("HSA_ALLOCATE_QUEUE_DEV_MEM");
  if (value == nullptr || std::string_view(value) != "1" || originals().tables != AmdTable::kSinceRocm6) return;
  if (!agent.has_told_of_rings.exchange(true)) agent.note("QUEUE_IN_HOST_MEMORY", kInHostMemory);
}

void adopt(Agent& agent, QueueState& state, hsa_queue_t* queue) {
  state.queue = queue;
  if (!agent.profiling()) state.unfinished = OwnSignal::create(agent.hsa, 0);
  if (agent.profiling()) agent.hsa.amd.hsa_amd_profiling_set_profiler_enabled_fn(queue, 1);
  state.alive.store(true, std::memory_order_release);
  agent.recorder->send(FrameType::kQueue, describe(agent.hsa, state).encode());
  note_ring_of_variable(agent);
}

// Arguments of a queue's creation.
struct QueueRequest {
  hsa_agent_t device;
  uint32_t packets;
  hsa_queue_type32_t type;
  QueueErrorCallback callback;
  void* data;
  uint32_t private_segment_size, group_segment_size;
};

// The runtime uses its one cooperative queue of the device behind an intercepted one, and deletes both when the program
// ends (seen with ROCr 6.4.3; not in 5.2.3).
bool is_deleted_twice(const QueueRequest& request) {
  return request.type == HSA_QUEUE_TYPE_COOPERATIVE && originals().tables == AmdTable::kSinceRocm6;
}

// An intercepted queue, or none, which is reported to the recorder.
hsa_queue_t* create_intercepted(Agent& agent, const QueueRequest& request) {
  if (is_deleted_twice(request)) {
    agent.guarded([&] {
      agent.note(
          "QUEUE_NOT_INTERCEPTED",
          "a cooperative queue is left alone, as this runtime deletes one twice that was intercepted: captures wait "
          "for what is dispatched there, but it is not seen");
    });
    return nullptr;
  }
  QueueState* state = nullptr;
  agent.guarded([&] { state = &agent.queues.add(); });
  if (state == nullptr) return nullptr;
  const HsaOriginals& hsa = originals();
  watch_memory_faults(agent);
  state->agent = &agent;
  state->device = request.device;
  state->app_callback = request.callback;
  state->app_data = request.data;
  hsa_queue_t* queue = nullptr;
  // Without a callback of the app, the runtime's default stays.
  const QueueErrorCallback callback = request.callback != nullptr ? on_queue_error : nullptr;
  hsa_status_t status =
      hsa.amd.hsa_amd_queue_intercept_create_fn(request.device, request.packets, request.type, callback, state,
                                                request.private_segment_size, request.group_segment_size, &queue);
  if (status == HSA_STATUS_SUCCESS) {
    status = hsa.amd.hsa_amd_queue_intercept_register_fn(queue, on_packets, state);
    if (status != HSA_STATUS_SUCCESS) hsa.core.hsa_queue_destroy_fn(queue);
  }
  if (status == HSA_STATUS_SUCCESS) {
    agent.guarded([&] { adopt(agent, *state, queue); });
    return queue;
  }
  agent.guarded([&] {
    agent.note("QUEUE_NOT_INTERCEPTED", "a queue could not be created as an intercepted one (status " +
                                            std::to_string(status) + "): what is dispatched there is not seen");
  });
  return nullptr;
}

// A queue that the runtime made, in place of an intercepted one. With several producers, that is: with one, a barrier
// of ours would take the place of the app's next packet.
void keep_as_plain(Agent& agent, const QueueRequest& request, hsa_queue_t* queue) {
  if (agent.profiling() || request.type == HSA_QUEUE_TYPE_SINGLE) return;
  agent.guarded([&] { add_plain(agent, request.device, queue); });
}

hsa_status_t queue_create(hsa_agent_t device, uint32_t size, hsa_queue_type32_t type, QueueErrorCallback callback,
                          void* data, uint32_t private_segment_size, uint32_t group_segment_size, hsa_queue_t** queue) {
  const auto create = [&] {
    return originals().core.hsa_queue_create_fn(device, size, type, callback, data, private_segment_size,
                                                group_segment_size, queue);
  };
  Agent* agent = agent_for_use();
  if (agent == nullptr || queue == nullptr) return create();
  const HoldScope scope(agent->hold);
  const QueueRequest request{device, size, type, callback, data, private_segment_size, group_segment_size};
  *queue = create_intercepted(*agent, request);
  if (*queue != nullptr) return HSA_STATUS_SUCCESS;
  const hsa_status_t status = create();
  if (status == HSA_STATUS_SUCCESS) keep_as_plain(*agent, request, *queue);
  return status;
}

// Applies the descriptor's other settings to an intercepted queue.
void apply_settings(const hsa_amd_queue_create_desc_t& desc, hsa_queue_t* queue) {
  const auto& amd = originals().amd;
  const hsa_amd_compute_queue_params_t& compute = desc.engine.compute;
  if (desc.priority != HSA_AMD_QUEUE_PRIORITY_NORMAL) amd.hsa_amd_queue_set_priority_fn(queue, desc.priority);
  if (compute.cu_mask_count != 0) amd.hsa_amd_queue_cu_set_mask_fn(queue, compute.cu_mask_count, compute.cu_mask);
}

// The runtime has made a plain queue, which cannot be intercepted any more: an intercepted one replaces it.
void replace_by_intercepted(Agent& agent, hsa_agent_t device, hsa_amd_queue_create_desc_t& desc) {
  if (desc.queue == nullptr) return;
  if (desc.engine_type != HSA_AMD_QUEUE_ENGINE_COMPUTE) {
    agent.guarded([&] {
      agent.note("COPY_QUEUE", "the program copies with a queue of its own: such copies are not waited for");
    });
    return;
  }
  const hsa_amd_compute_queue_params_t& compute = desc.engine.compute;
  const QueueRequest request{device,        desc.queue->size,   compute.type,
                             desc.callback, desc.callback_data, compute.private_segment_size,
                             UINT32_MAX};
  hsa_queue_t* intercepted = create_intercepted(agent, request);
  if (intercepted == nullptr) return keep_as_plain(agent, request, desc.queue);
  apply_settings(desc, intercepted);
  if ((desc.flags & (HSA_AMD_QUEUE_CREATE_DEVICE_MEM_RING_BUF | HSA_AMD_QUEUE_CREATE_DEVICE_MEM_QUEUE_DESCRIPTOR)) !=
      0) {
    agent.guarded([&] { agent.note("QUEUE_IN_HOST_MEMORY", kInHostMemory); });
  }
  originals().core.hsa_queue_destroy_fn(desc.queue);
  desc.queue = intercepted;
}

// HIP makes its queues with this since ROCm 10. The runtime checks the descriptors.
hsa_status_t amd_queue_create(hsa_agent_t device, hsa_amd_queue_create_desc_t* descs, uint32_t count) {
  Agent* agent = agent_for_use();
  if (agent == nullptr) return originals().amd.hsa_amd_queue_create_fn(device, descs, count);
  HoldScope scope(agent->hold);
  const hsa_status_t status = originals().amd.hsa_amd_queue_create_fn(device, descs, count);
  for (uint32_t i = 0; descs != nullptr && i < count; ++i) replace_by_intercepted(*agent, device, descs[i]);
  return status;
}

hsa_status_t queue_destroy(hsa_queue_t* queue) {
  Agent* agent = active_agent();
  if (agent == nullptr) return originals().core.hsa_queue_destroy_fn(queue);
  HoldScope scope(agent->hold);
  QueueState* state = nullptr;
  agent->guarded([&] {
    state = agent->queues.find(queue);
    if (state != nullptr && state->references > 1) {
      --state->references;
      state = nullptr;
    }
    if (state != nullptr) state->alive.store(false, std::memory_order_release);
  });
  const hsa_status_t status = originals().core.hsa_queue_destroy_fn(queue);
  if (state == nullptr) return status;
  if (status == HSA_STATUS_SUCCESS) {
    state->unfinished = OwnSignal();  // no barrier is left that would write to it
  } else {
    state->alive.store(true, std::memory_order_release);
  }
  return status;
}

// A queue of the runtime's pool, whose hardware queue other callers may have, too, cannot be intercepted: one of the
// app's own replaces it. The runtime checks the arguments, and chooses the size.
hsa_status_t counted_queue_acquire(hsa_agent_t device, hsa_queue_type_t type, hsa_amd_queue_priority_t priority,
                                   QueueErrorCallback callback, void* data, uint64_t flags, hsa_queue_t** queue) {
  const auto& amd = originals().amd;
  Agent* agent = agent_for_use();
  if (agent == nullptr)
    return amd.hsa_amd_counted_queue_acquire_fn(device, type, priority, callback, data, flags, queue);
  const HoldScope scope(agent->hold);
  const hsa_status_t status =
      amd.hsa_amd_counted_queue_acquire_fn(device, type, priority, callback, data, flags, queue);
  if (status != HSA_STATUS_SUCCESS) return status;
  const QueueRequest request{device, (*queue)->size, type, callback, data, UINT32_MAX, UINT32_MAX};
  hsa_queue_t* intercepted = create_intercepted(*agent, request);
  if (intercepted == nullptr) return status;
  if (priority != HSA_AMD_QUEUE_PRIORITY_NORMAL) amd.hsa_amd_queue_set_priority_fn(intercepted, priority);
  amd.hsa_amd_counted_queue_release_fn(*queue);
  *queue = intercepted;
  return status;
}

hsa_status_t counted_queue_release(hsa_queue_t* queue) {
  Agent* agent = active_agent();
  bool is_ours = false;
  if (agent != nullptr) agent->guarded([&] { is_ours = agent->queues.find(queue) != nullptr; });
  return is_ours ? queue_destroy(queue) : originals().amd.hsa_amd_counted_queue_release_fn(queue);
}

hsa_status_t set_profiler_enabled(hsa_queue_t* queue, int enable) {
  if (Agent* agent = active_agent()) {
    bool ours = false;
    agent->guarded([&] {
      if (QueueState* state = agent->queues.find(queue)) state->profiling.store(enable != 0);
      ours = agent->profiling();
    });
    if (ours) enable = 1;
  }
  return originals().amd.hsa_amd_profiling_set_profiler_enabled_fn(queue, enable);
}

}  // namespace

void install_queue_hooks(HsaApiTable& table) {
  CoreApiTable& core = *table.core_;
  hook(core.version, core.hsa_queue_create_fn, &queue_create);
  hook(core.version, core.hsa_queue_destroy_fn, &queue_destroy);
  KERNLOOP_HOOK_AMD(table, hsa_amd_profiling_set_profiler_enabled, &set_profiler_enabled);
  KERNLOOP_HOOK_LATER_AMD(table, hsa_amd_queue_create, &amd_queue_create);
  KERNLOOP_HOOK_LATER_AMD(table, hsa_amd_counted_queue_acquire, &counted_queue_acquire);
  KERNLOOP_HOOK_LATER_AMD(table, hsa_amd_counted_queue_release, &counted_queue_release);
}

}  // namespace kernloop::capture
