#include "capture/hsa/agent.h"

#include <pthread.h>
#include <unistd.h>

#include <cstdlib>

namespace kernloop::capture {

std::atomic<Agent*> Agent::instance_{nullptr};

Agent::Agent(const HsaOriginals& originals, std::unique_ptr<RecorderClient> client, std::string log_pattern)
    : AgentBase(std::move(client), std::move(log_pattern)),
      hsa(originals),
      pools(hsa),
      code_objects(hsa),
      copies(hsa),
      drainer(hsa, queues, copies),
      profiler(hsa, *recorder) {}

Agent& Agent::start(const HsaOriginals& hsa, std::unique_ptr<RecorderClient> client, std::string log) {
  static const int registered =
      pthread_atfork(nullptr, nullptr, &Agent::after_fork_in_child) + std::atexit(&Agent::at_exit);
  (void)registered;
  auto* agent = new Agent(hsa, std::move(client), std::move(log));
  agent->log.line("capturing through the HSA API tables, mode %s, %zu selections",
                  agent->profiling() ? "profile" : "capture", agent->welcome.selections.size());
  instance_.store(agent, std::memory_order_release);
  return *agent;
}

// A child has none of the threads that the HSA runtime and we rely on, and must not write into its parent's ring. If it
// starts the runtime anew, OnLoad connects it as a process of its own.
void Agent::after_fork_in_child() {
  Agent* agent = get();
  if (agent == nullptr || !agent->active()) return;
  agent->abandon_after_fork();
  agent->log.line("forked: this child (pid %d) is not captured unless it starts the HSA runtime itself",
                  static_cast<int>(getpid()));
}

// A program may end with dispatches still in flight. A profile that has seen them measures them; registered later than
// the runtime's own exit handlers, this runs before its queues are torn down.
void Agent::at_exit() {
  Agent* agent = get();
  if (agent == nullptr || !agent->active() || !agent->profiling()) return;
  if (!agent->profiler.wait_all(Deadline::in(std::chrono::milliseconds(agent->welcome.run_limit_ms)))) {
    agent->guarded([agent] { agent->note("NOT_MEASURED", "dispatches were still running when the program ended"); });
  }
}

void Agent::finish() {
  profiler.wait_all(Deadline::in(std::chrono::seconds(5)));
  if (profiler.lost() != 0) {
    note("NOT_MEASURED", "the program used the completion signals of " + std::to_string(profiler.lost()) +
                             " dispatches for other work before they could be measured");
  }
  say_goodbye();
  // ROCr warns the user of signals that are left at its end.
  profiler.release();
  for (QueueState* queue : queues.alive()) {
    if (queue->unfinished && queue->unfinished.value() >= 1) queue->unfinished.leak();
    queue->unfinished = OwnSignal();
  }
}

Result<ResolvedKernel> Agent::resolve(uint64_t kernel_object) {
  if (auto resolved = code_objects.resolve(kernel_object)) {
    // The code of an unwanted kernel stays here. A profile names the code of each.
    if (!profiling() && selections_of(resolved->symbol) == 0) {
      resolved->objects.clear();
    } else if (resolved->objects.empty()) {
      note("CODE_OBJECT_UNREADABLE", "the runtime shows no bytes of the code object of the kernel " + resolved->symbol +
                                         " (loaded with hsa_executable_load_code_object of HSA 1.0?)");
    } else {
      code_objects.send_new(resolved->objects, [this](uint32_t number, std::span<const uint8_t> bytes) {
        send_code_object(number, bytes);
      });
    }
    return std::move(*resolved);
  }
  char text[96];
  snprintf(text, sizeof text, "no loaded executable has a kernel descriptor at 0x%llx",
           static_cast<unsigned long long>(kernel_object));
  return Error{"UNKNOWN_KERNEL", text, ""};
}

}  // namespace kernloop::capture
