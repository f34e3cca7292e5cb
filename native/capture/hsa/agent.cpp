#include "capture/hsa/agent.h"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace kernloop::capture {

std::atomic<Agent*> Agent::instance_{nullptr};

Agent::Agent(const HsaOriginals& originals, std::unique_ptr<RecorderClient> client, const Welcome& answer,
             std::string log_pattern)
    : hsa(originals),
      recorder(std::move(client)),
      welcome(answer),
      pools(hsa),
      code_objects(hsa,
                   [this](uint32_t object, std::span<const uint8_t> bytes) {
                     recorder->send(FrameType::kCodeObject, CodeObjectMessage{object, bytes.size()}.encode());
                     for (size_t at = 0; at < bytes.size(); at += kMaxBulkBytes) {
                       const auto piece = bytes.subspan(at, std::min<size_t>(kMaxBulkBytes, bytes.size() - at));
                       recorder->send(FrameType::kCodeObjectBytes, BulkHeader{0, object, at}.encode(), piece);
                     }
                   }),
      copies(hsa),
      drainer(hsa, queues, copies),
      profiler(hsa, *recorder) {
  log.open_as(std::move(log_pattern));
  selections.configure(welcome.mode == Mode::kCapture ? welcome.selections : std::vector<SelectionRequest>());
}

Agent& Agent::start(const HsaOriginals& hsa, std::unique_ptr<RecorderClient> client, const Welcome& welcome,
                    std::string log) {
  static const int registered =
      pthread_atfork(nullptr, nullptr, &Agent::after_fork_in_child) + std::atexit(&Agent::at_exit);
  (void)registered;
  auto* agent = new Agent(hsa, std::move(client), welcome, std::move(log));
  agent->log.line("capturing through the HSA API tables, mode %s, %zu selections",
                  agent->profiling() ? "profile" : "capture", welcome.selections.size());
  instance_.store(agent, std::memory_order_release);
  return *agent;
}

// A child has none of the threads that the HSA runtime and we rely on, and must not write into its parent's ring. When
// it starts the runtime anew, OnLoad connects it as a process of its own.
void Agent::after_fork_in_child() {
  Agent* agent = get();
  if (agent == nullptr || !agent->active()) return;
  agent->active_.store(false, std::memory_order_relaxed);
  agent->recorder->abandon_after_fork();
  agent->log.after_fork_in_child();
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

void Agent::retire(const char* why) {
  if (active_.exchange(false, std::memory_order_relaxed)) log.alarm("capture stopped, the program goes on: %s", why);
}

void Agent::note(const char* code, const std::string& text) {
  log.line("%s: %s", code, text.c_str());
  NoteMessage message{code, text.substr(0, kMaxReasonBytes)};
  recorder->send(FrameType::kNote, message.encode());
}

void Agent::finish() {
  profiler.wait_all(Deadline::in(std::chrono::seconds(5)));
  recorder->send(FrameType::kGoodbye, Encoded());
  active_.store(false, std::memory_order_relaxed);
}

const KernelEntry* Agent::learn_kernel(uint64_t kernel_object) {
  std::lock_guard lock(learn_mutex_);
  if (const KernelEntry* known = kernels.find(kernel_object)) return known;
  auto entry = std::make_unique<KernelEntry>();
  entry->kernel_object = kernel_object;
  entry->id = next_kernel_++;
  entry->dispatches = recorder->counter(entry->id);
  const std::optional<ResolvedKernel> resolved = code_objects.resolve(kernel_object);
  if (entry->id >= kMaxKernels) {
    if (entry->id == kMaxKernels) note("TOO_MANY_KERNELS", "only the first 65536 kernels of a process are looked at");
  } else if (!resolved) {
    char text[96];
    snprintf(text, sizeof text, "no loaded executable has a kernel descriptor at 0x%llx",
             static_cast<unsigned long long>(kernel_object));
    note("UNKNOWN_KERNEL", text);
  } else {
    entry->symbol = resolved->symbol;
    const auto reply = recorder->request<KernelReply>(FrameType::kKernel, [&](uint32_t request) {
      return KernelMessage{request, entry->id, kernel_object, entry->symbol, resolved->objects};
    });
    if (reply) {
      entry->selections = reply->selections;
    } else {
      retire("the recorder is gone");
    }
  }
  return kernels.insert(std::move(entry));
}

}  // namespace kernloop::capture
