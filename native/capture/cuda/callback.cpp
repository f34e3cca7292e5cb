// CUPTI's callback: sorts the calls it reports, and lets the app's through the gate.
#include "capture/cuda/agent.h"
#include "capture/cuda/captured_launch.h"
#include "capture/cuda/launch/redirection.h"

namespace kernloop::capture {

using namespace cuda;

namespace {

// Threads that are in a callback of ours.
std::atomic<uint32_t> inside{0};

class Inside {
 public:
  Inside() { inside.fetch_add(1, std::memory_order_acq_rel); }
  ~Inside() { inside.fetch_sub(1, std::memory_order_acq_rel); }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
};

bool is_alone() {
  return inside.load(std::memory_order_acquire) == 1;
}

void on_resource(CudaAgent& agent, uint32_t id, const CUpti_ResourceData& data, ThreadState& thread) {
  switch (id) {
    case CUPTI_CBID_RESOURCE_CONTEXT_CREATED:
      agent.contexts.created(data.context);
      break;
    case CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING:
      agent.contexts.destroyed(data.context);
      agent.memory.context_gone(data.context);
      break;
    case CUPTI_CBID_RESOURCE_MODULE_LOADED: {
      // Also within our own calls: asking for a kernel loads the app's module.
      if (thread.own_modules != 0) break;
      const auto& module = *static_cast<const CUpti_ModuleResourceData*>(data.resourceDescriptor);
      agent.module_loaded(module.moduleId, {reinterpret_cast<const uint8_t*>(module.pCubin), module.cubinSize}, thread);
      break;
    }
    case CUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING:
      agent.cubins.unloading(static_cast<const CUpti_ModuleResourceData*>(data.resourceDescriptor)->moduleId);
      break;
    default:
      break;
  }
}

void before(const ApiCall& call, const ApiHandlers& handlers) {
  CudaAgent& agent = call.agent;
  // While nothing can be captured, nothing is held.
  if (agent.armed() && !handlers.waits) agent.let_in(call);
  call.thread.loaded.clear();
  if (handlers.before != nullptr) agent.guarded([&] { handlers.before(call); });
}

// The agent's own call that tests whether a launch of a graph can be made to launch another.
void on_own_call(uint32_t id, const CUpti_CallbackData& data, const ThreadState& thread) {
  if (thread.launch_instead == nullptr || data.callbackSite != CUPTI_API_ENTER) return;
  if (id == CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch) launch_instead(data, thread.launch_instead);
}

// Even after a failure of ours: a capture ends, and the gate is left.
void after(const ApiCall& call, const ApiHandlers& handlers) {
  CudaAgent& agent = call.agent;
  if (call.thread.capturing != nullptr) {
    const auto capturing = std::move(call.thread.capturing);
    capturing->after(call.result());
  }
  if (handlers.after != nullptr) agent.guarded([&] { handlers.after(call); });
  agent.guarded([&] { agent.tell_of_devices(); });
  agent.let_out(call);
  agent.end_if_done(is_alone);
}

}  // namespace

void on_callback(void*, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) {
  CudaAgent* agent = CudaAgent::get();
  if (agent == nullptr || agent->abandoned()) return;
  const Inside here;
  ThreadState& thread = this_thread();
  try {
    if (domain == CUPTI_CB_DOMAIN_RESOURCE) {
      agent->guarded([&] { on_resource(*agent, id, *static_cast<const CUpti_ResourceData*>(data), thread); });
      return;
    }
    if (domain != CUPTI_CB_DOMAIN_DRIVER_API) return;
    if (thread.own_calls != 0) return on_own_call(id, *static_cast<const CUpti_CallbackData*>(data), thread);
    const ApiCall call{*agent, id, *static_cast<const CUpti_CallbackData*>(data), thread};
    const ApiHandlers& handlers = agent->calls.of(id);
    if (call.data.callbackSite == CUPTI_API_EXIT) {
      after(call, handlers);
    } else if (agent->active()) {
      before(call, handlers);
    }
  } catch (const std::exception& error) {
    agent->retire(error.what());
  }
}

}  // namespace kernloop::capture
