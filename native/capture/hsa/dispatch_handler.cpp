#include "capture/hsa/dispatch_handler.h"

#include "capture/core/capture.h"
#include "capture/core/recorder_sink.h"
#include "capture/hsa/hsa_device.h"

namespace kernloop::capture {
namespace {

using Packet = hsa_kernel_dispatch_packet_t;  // every AQL packet has its size
static_assert(sizeof(Packet) == 64);

uint8_t packet_type(const Packet& packet) {
  return static_cast<uint8_t>(__atomic_load_n(&packet.header, __ATOMIC_ACQUIRE) >> HSA_PACKET_HEADER_TYPE);
}

// Hands packets on in runs, leaving some out.
class Batch {
 public:
  Batch(const Packet* packets, uint64_t count, PacketWriter write) : packets_(packets), count_(count), write_(write) {}
  // Everything before `index` goes on now; `index` itself does not.
  void pass_until(uint64_t index) {
    const uint64_t from = next_;
    next_ = index + 1;
    if (index > from) write_(packets_ + from, index - from);
  }
  void pass_rest() {
    if (count_ > next_) write_(packets_ + next_, count_ - next_);
    next_ = count_;
  }

 private:
  const Packet* packets_;
  const uint64_t count_;
  const PacketWriter write_;
  uint64_t next_ = 0;
};

class DispatchHandler {
 public:
  DispatchHandler(Agent& agent, QueueState& queue, const Packet* packets, uint64_t count, PacketWriter write)
      : agent_(agent), queue_(queue), packets_(packets), count_(count), write_(write), batch_(packets, count, write) {}

  // Nothing left to capture: counts, and hands on.
  void count_only() {
    uint64_t dispatches = 0;
    for (uint64_t i = 0; i < count_; ++i) {
      if (is_marker(i)) {
        batch_.pass_until(i);
      } else if (packet_type(packets_[i]) == HSA_PACKET_TYPE_KERNEL_DISPATCH) {
        ++dispatches;
        agent_.kernel(packets_[i].kernel_object)->dispatches->fetch_add(1, std::memory_order_relaxed);
      }
    }
    if (dispatches != 0) agent_.recorder->dispatches()->fetch_add(dispatches, std::memory_order_relaxed);
    batch_.pass_rest();
  }

  void profile() {
    for (uint64_t i = 0; i < count_; ++i) {
      if (packet_type(packets_[i]) != HSA_PACKET_TYPE_KERNEL_DISPATCH) continue;
      const KernelEntry* kernel = agent_.kernel(packets_[i].kernel_object);
      kernel->dispatches->fetch_add(1, std::memory_order_relaxed);
      agent_.recorder->dispatches()->fetch_add(1, std::memory_order_relaxed);
      Packet ours = packets_[i];
      if (!agent_.profiler.attach(ours, *kernel, queue_.device)) continue;
      batch_.pass_until(i);
      write_(&ours, 1);
    }
    batch_.pass_rest();
  }

  void capture() {
    const Inside inside(*this);
    queue_.submitted.fetch_add(1, std::memory_order_relaxed);
    for (uint64_t i = 0; i < count_; ++i) {
      if (is_marker(i)) {
        batch_.pass_until(i);
        continue;
      }
      if (packet_type(packets_[i]) != HSA_PACKET_TYPE_KERNEL_DISPATCH) continue;
      const KernelEntry* kernel = agent_.kernel(packets_[i].kernel_object);
      kernel->dispatches->fetch_add(1, std::memory_order_relaxed);
      const uint64_t index = agent_.recorder->dispatches()->fetch_add(1, std::memory_order_relaxed);
      if (kernel->selections == 0) continue;
      const std::vector<Due> due = agent_.selections.on_dispatch(kernel->selections);
      if (due.empty()) continue;
      batch_.pass_until(i);
      capture_one(*kernel, packets_[i], index, due);
    }
    batch_.pass_rest();
    agent_.drainer.add_tail_barrier(queue_, write_);
  }

  void pass_rest() { batch_.pass_rest(); }

 private:
  // A call of the app that a capture may hold. Its queue is drained all the same: it leaves a barrier first.
  class Inside {
   public:
    explicit Inside(DispatchHandler& handler) : gate_(handler.agent_.hold) {
      if (gate_.try_enter()) return;
      handler.agent_.drainer.on_held(handler.queue_, handler.write_);
      gate_.enter();
    }
    ~Inside() { gate_.leave(); }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;

   private:
    HoldGate& gate_;
  };

  bool is_marker(uint64_t i) {
    return agent_.drainer.may_see_markers() && agent_.drainer.take_marker(&packets_[i], queue_, write_);
  }

  void capture_one(const KernelEntry& kernel, const Packet& packet, uint64_t index, const std::vector<Due>& due) {
    const Due& first = due.front();
    BeginMessage begin;
    begin.capture = agent_.next_capture();
    begin.selection = first.selection;
    begin.kernel = kernel.id;
    begin.ordinal = first.ordinal;
    begin.index = index;
    begin.queue = queue_.index;
    begin.scope = agent_.selections.request(first.selection).scope;
    begin.widened = !first.widened.empty();
    begin.geometry = geometry_of(packet);
    bool handed_over = false;
    CaptureOutcome outcome;
    queue_.capturing.store(true);
    try {
      for (size_t i = 1; i < due.size(); ++i) refuse_second(begin, due[i], first.selection);
      const auto answer = ask(begin);
      if (answer) {
        HsaDevice device(agent_, queue_, packet, write_);
        RecorderSink sink(*agent_.recorder, begin.capture);
        try {
          outcome =
              capture_dispatch(request_for(first, packet, *answer), agent_.allocations, agent_.hold, device, sink);
        } catch (const std::exception& error) {
          sink.abort({"AGENT_FAILED", std::string("the agent failed: ") + error.what(), "see the agent's log"});
          outcome.refusal = Refusal{"AGENT_FAILED", error.what(), ""};
        }
        handed_over = device.handed_over();
      }
    } catch (const std::exception& error) {
      agent_.log.line("capture failed: %s", error.what());
    }
    queue_.capturing.store(false);
    if (!handed_over) write_(&packet, 1);
    settle(first, outcome);
  }

  std::optional<BeginReply> ask(BeginMessage begin) {
    auto reply = agent_.recorder->request<BeginReply>(FrameType::kBegin, [&](uint32_t request) {
      begin.request = request;
      return begin;
    });
    if (!reply) agent_.retire("the recorder is gone");
    if (!reply || !reply->granted) return std::nullopt;
    return reply;
  }

  CaptureRequest request_for(const Due& due, const Packet& packet, const BeginReply& answer) const {
    const SelectionRequest& selection = agent_.selections.request(due.selection);
    CaptureRequest request;
    request.scope = selection.scope;
    request.byte_budget = selection.byte_budget;
    request.drain_limit = std::chrono::milliseconds(agent_.welcome.drain_limit_ms);
    request.run_limit = std::chrono::milliseconds(agent_.welcome.run_limit_ms);
    request.kernarg_address = reinterpret_cast<uint64_t>(packet.kernarg_address);
    request.kernarg_bytes = packet.kernarg_address != nullptr ? answer.kernarg_bytes : 0;
    request.ignored_kernarg = answer.ignored_kernarg;
    request.module_variables = answer.module_variables;
    request.widened = due.widened;
    return request;
  }

  // A dispatch can be captured once only.
  void refuse_second(BeginMessage begin, const Due& due, uint32_t first) {
    begin.capture = agent_.next_capture();
    begin.selection = due.selection;
    begin.ordinal = due.ordinal;
    if (ask(begin)) {
      RecorderSink(*agent_.recorder, begin.capture)
          .abort({"SELECTION_CONFLICT",
                  "another selection (number " + std::to_string(first) + ") captures this very dispatch",
                  "give the two selections different ordinals, or keep one of them"});
    }
    agent_.selections.settle_done(due.selection);
  }

  void settle(const Due& due, const CaptureOutcome& outcome) {
    if (outcome.refusal) {
      agent_.log.line("selection %u, match %llu: refused: %s: %s", due.selection,
                      static_cast<unsigned long long>(due.ordinal), outcome.refusal->code.c_str(),
                      outcome.refusal->reason.c_str());
    }
    if (!outcome.violation.empty()) {
      agent_.selections.settle_widen(due.selection, outcome.violation);
    } else {
      agent_.selections.settle_done(due.selection);
    }
  }

  Agent& agent_;
  QueueState& queue_;
  const Packet* packets_;
  const uint64_t count_;
  const PacketWriter write_;
  Batch batch_;
};

}  // namespace

void on_packets(const void* raw, uint64_t count, uint64_t, void* data, PacketWriter write) {
  QueueState& queue = *static_cast<QueueState*>(data);
  Agent& agent = *queue.agent;
  if (!agent.active() && !agent.drainer.may_see_markers()) {
    write(raw, count);
    return;
  }
  DispatchHandler handler(agent, queue, static_cast<const Packet*>(raw), count, write);
  try {
    if (agent.active() && agent.profiling()) {
      handler.profile();
    } else if (agent.active() && agent.selections.anything_left()) {
      handler.capture();
    } else {
      handler.count_only();
    }
  } catch (const std::exception& error) {
    // Out of memory, most likely. What has not been handed on yet goes on untouched.
    agent.retire(error.what());
    handler.pass_rest();
  }
}

}  // namespace kernloop::capture
