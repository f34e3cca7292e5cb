// The one instance of the agent in a process: state that every intercepted function needs.
#pragma once

#include <memory>
#include <string>

#include "capture/core/agent_base.h"
#include "capture/hsa/code_objects.h"
#include "capture/hsa/drain.h"
#include "capture/hsa/pools.h"
#include "capture/hsa/profiler.h"
#include "capture/hsa/queues/copy_tracker.h"
#include "capture/hsa/queues/queue_state.h"

namespace kernloop::capture {

class Agent : public AgentBase {
 public:
  // The current instance; it is never destroyed, because the app's threads may be inside of it at any time, its exit
  // included.
  static Agent* get() { return instance_.load(std::memory_order_acquire); }
  // Replaces the instance: the runtime was shut down and started again, or this is a forked child.
  static Agent& start(const HsaOriginals& hsa, std::unique_ptr<RecorderClient> client, std::string log);

  void finish();

  const KernelEntry* kernel(uint64_t kernel_object) {
    return AgentBase::kernel(kernel_object, [&] { return resolve(kernel_object); });
  }

  const HsaOriginals hsa;
  Pools pools;
  CodeObjects code_objects;
  QueueList queues;
  CopyTracker copies;
  Drainer drainer;
  Profiler profiler;
  std::atomic<bool> has_told_of_rings{false};  // QUEUE_IN_HOST_MEMORY of all queues

 private:
  Agent(const HsaOriginals& hsa, std::unique_ptr<RecorderClient> client, std::string log);
  Result<ResolvedKernel> resolve(uint64_t kernel_object);
  static void after_fork_in_child();
  static void at_exit();

  static std::atomic<Agent*> instance_;
};

// The original functions, for the hooks, which are installed only with an agent.
inline const HsaOriginals& originals() {
  return Agent::get()->hsa;
}

// The agent if it is active, else nullptr.
inline Agent* active_agent() {
  Agent* agent = Agent::get();
  return agent != nullptr && agent->active() ? agent : nullptr;
}

// The same for calls that begin something new: a forked child that makes one with its parent's runtime is reported.
inline Agent* agent_for_use() {
  Agent* agent = Agent::get();
  if (agent == nullptr || agent->active()) return agent;
  agent->on_use_after_fork();
  return nullptr;
}

}  // namespace kernloop::capture
