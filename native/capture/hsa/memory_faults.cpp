#include "capture/hsa/memory_faults.h"

#include <chrono>
#include <thread>

#include "base/bytes.h"
#include "capture/hsa/softgpu_counters.h"

namespace kernloop::capture {
namespace {

// Any other result leaves it to the app's handlers, or to the runtime, to end the process.
constexpr hsa_status_t kNotHandled = HSA_STATUS_ERROR;

hsa_status_t on_event(const hsa_amd_event_t* event, void*) {
  Agent* const agent = active_agent();
  if (agent == nullptr || event == nullptr || event->event_type != HSA_AMD_GPU_MEMORY_FAULT_EVENT) return kNotHandled;
  const hsa_amd_gpu_memory_fault_info_t& fault = event->memory_fault;
  std::vector<QueueState*> queues;
  agent->guarded([&] {
    queues = agent->queues.alive();
    for (QueueState* queue : queues) {
      if (queue->device.handle != fault.agent.handle) continue;
      queue->fault_address.store(fault.virtual_address);
      queue->failed.store(true);
    }
    agent->note("DEVICE_FAULT", describe_memory_fault(fault.virtual_address) + ", and the app's output says more");
  });
  for (const QueueState* queue : queues) wait_until_told(*queue);
  return kNotHandled;
}

}  // namespace

void watch_memory_faults(Agent& agent) {
  static std::atomic<Agent*> watched{nullptr};
  if (watched.exchange(&agent) == &agent) return;
  // The software GPU tells its queues, and more.
  if (SoftgpuCounters(agent.hsa).is_there()) return;
  const auto watch = agent.hsa.amd.hsa_amd_register_system_event_handler_fn;
  if (watch != nullptr) watch(on_event, nullptr);
}

std::string describe_memory_fault(uint64_t address) {
  return "memory access fault in the page of " + to_hex_number(address);
}

void wait_until_told(const QueueState& state) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  while (state.capturing.load() && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

}  // namespace kernloop::capture
