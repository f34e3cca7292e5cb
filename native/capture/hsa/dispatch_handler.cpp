#include "capture/hsa/dispatch_handler.h"

#include <algorithm>
#include <utility>

#include "capture/core/selected_dispatch.h"
#include "capture/hsa/hsa_device.h"

namespace kernloop::capture {
namespace {

using Packet = AqlPacket;

LaunchShape shape_of(const KernelEntry& kernel, const Packet& packet) {
  return {kernel.identity,
          {packet.grid_size_x, packet.grid_size_y, packet.grid_size_z},
          {packet.workgroup_size_x, packet.workgroup_size_y, packet.workgroup_size_z}};
}

bool holds_dispatch(const Packet* packets, uint64_t count) {
  return std::any_of(packets, packets + count,
                     [](const Packet& packet) { return packet_type(packet) == HSA_PACKET_TYPE_KERNEL_DISPATCH; });
}

// Hands packets on in runs, leaving some out. A batch of one is one call of the packet writer (drain.h).
class DispatchHandler {
 public:
  // `place` of the first packet in the queue's ring.
  DispatchHandler(Agent& agent, QueueState& queue, const Packet* packets, uint64_t count, uint64_t place,
                  PacketWriter write)
      : agent_(agent), queue_(queue), packets_(packets), count_(count), place_(place), write_(write) {}

  // Nothing left to capture: counts, and hands on.
  void count_only() {
    uint64_t dispatches = 0;
    for (uint64_t i = 0; i < count_; ++i) {
      if (packet_type(packets_[i]) != HSA_PACKET_TYPE_KERNEL_DISPATCH) continue;
      ++dispatches;
      agent_.kernel(packets_[i].kernel_object)->dispatches->fetch_add(1, std::memory_order_relaxed);
    }
    if (dispatches != 0) agent_.recorder->dispatches()->fetch_add(dispatches, std::memory_order_relaxed);
    pass_rest();
  }

  void profile() {
    for (uint64_t i = 0; i < count_; ++i) {
      if (packet_type(packets_[i]) != HSA_PACKET_TYPE_KERNEL_DISPATCH) {
        agent_.profiler.signal_reused(packets_[i].completion_signal);
        continue;
      }
      const KernelEntry* kernel = agent_.kernel(packets_[i].kernel_object);
      kernel->dispatches->fetch_add(1, std::memory_order_relaxed);
      agent_.recorder->dispatches()->fetch_add(1, std::memory_order_relaxed);
      Packet ours = packets_[i];
      if (!agent_.profiler.attach(ours, *kernel, queue_)) continue;
      pass_until(i);
      write_(&ours, 1);
    }
    pass_rest();
  }

  void capture() {
    const HoldScope inside(agent_.hold);
    captures_ = true;
    for (uint64_t i = 0; i < count_; ++i) {
      if (packet_type(packets_[i]) != HSA_PACKET_TYPE_KERNEL_DISPATCH) continue;
      // Arguments may be in device memory (HIP_FORCE_DEV_KERNARG), into which the host meanwhile stores those of the
      // next launches.
      agent_.allocations.mark_host_written(reinterpret_cast<uint64_t>(packets_[i].kernarg_address));
      const KernelEntry* kernel = agent_.kernel(packets_[i].kernel_object);
      kernel->dispatches->fetch_add(1, std::memory_order_relaxed);
      const uint64_t index = agent_.recorder->dispatches()->fetch_add(1, std::memory_order_relaxed);
      if (!kernel->is_wanted()) continue;
      std::vector<Due> due =
          agent_.selections.on_dispatch({kernel->selections, kernel->gates, shape_of(*kernel, packets_[i])});
      if (due.empty()) continue;
      pass_until(i);
      capture_one(*kernel, packets_[i], index, std::move(due));
    }
    pass_rest();
  }

  void pass_rest() {
    if (count_ > next_) pass_until(count_);
    queue_.handed_until.store(place_ + count_);
  }

 private:
  // Everything before `index` goes on now; `index` itself does not.
  void pass_until(uint64_t index) {
    const uint64_t from = std::exchange(next_, index + 1);
    if (index > from) hand_on(packets_ + from, index - from);
    queue_.handed_until.store(place_ + index);
  }

  void hand_on(const Packet* packets, uint64_t count) {
    if (captures_) {
      agent_.drainer.hand_on(queue_, packets, count, write_);
    } else {
      write_(packets, count);
    }
  }

  void capture_one(const KernelEntry& kernel, const Packet& packet, uint64_t index, std::vector<Due> due) {
    DispatchFacts facts;
    facts.kernel = &kernel;
    facts.index = index;
    facts.queue = queue_.index;
    facts.geometry = geometry_of(packet);
    facts.kernarg_address = reinterpret_cast<uint64_t>(packet.kernarg_address);
    facts.has_kernarg = packet.kernarg_address != nullptr;
    std::optional<HsaDevice> device;  // outlives the hold of the app's other calls
    queue_.capturing.store(true);
    try {
      SelectedDispatch dispatch(agent_, std::move(facts), std::move(due));
      if (dispatch.begin()) {
        device.emplace(agent_, queue_, kernel.symbol, packet, write_);
        dispatch.capture(*device,
                         [&](RunReport* report) { return device->run(Deadline::in(dispatch.run_limit()), report); });
      }
    } catch (const std::exception& error) {
      agent_.log.line("capture failed: %s", error.what());
    }
    const bool handed_over = device && device->handed_over();
    device.reset();
    queue_.capturing.store(false);
    if (!handed_over) hand_on(&packet, 1);
  }

  Agent& agent_;
  QueueState& queue_;
  const Packet* packets_;
  const uint64_t count_, place_;
  const PacketWriter write_;
  uint64_t next_ = 0;  // next packet to be handed on
  bool captures_ = false;
};

}  // namespace

void on_packets(const void* raw, uint64_t count, uint64_t place, void* data, PacketWriter write) {
  QueueState& queue = *static_cast<QueueState*>(data);
  Agent& agent = *queue.agent;
  if (!agent.active()) {
    if (holds_dispatch(static_cast<const Packet*>(raw), count)) agent.on_use_after_fork();
    write(raw, count);
    return;
  }
  DispatchHandler handler(agent, queue, static_cast<const Packet*>(raw), count, place, write);
  try {
    if (agent.profiling()) {
      handler.profile();
    } else if (agent.selections.anything_left()) {
      handler.capture();
    } else {
      handler.count_only();
    }
  } catch (const std::exception& error) {
    // Out of memory, most likely. Packets that have not been handed on yet go on untouched.
    agent.retire(error.what());
    handler.pass_rest();
  }
}

}  // namespace kernloop::capture
