// The agent's end of the line to kernloop-recorder. Any thread may send. If the recorder is gone or stuck, every call
// fails at once and the app continues without the agent.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>

#include "base/result.h"
#include "capture/core/own_descriptor.h"
#include "capture/core/protocol.h"

namespace kernloop::capture {

class RecorderClient {
 public:
  // An error if there is no recorder, or it rejects this process. `runtime`: the runtime that loaded the agent.
  static Result<std::unique_ptr<RecorderClient>> connect(const std::string& socket_path, const std::string& runtime,
                                                         uint64_t ring_bytes);
  // The recorder's answer.
  const Welcome& welcome() const { return welcome_; }

  // Waits while the ring is full. False when the recorder is lost.
  bool send(FrameType type, std::span<const uint8_t> head, std::span<const uint8_t> bulk = {});
  bool send(FrameType type, const Encoded& message) { return send(type, std::span<const uint8_t>(message)); }

  // Sends a message made by `make(request id)` and waits for its reply. One at a time.
  template <typename Reply, typename Make>
  std::optional<Reply> request(FrameType type, Make&& make) {
    std::lock_guard lock(request_mutex_);
    const uint32_t id = ++last_request_;
    if (!send(type, make(id).encode())) return std::nullopt;
    while (auto datagram = receive()) {
      auto reply = Reply::decode(*datagram);
      if (reply && reply->request == id) return reply;
      if (!reply || reply->request > id) break;  // an older one came late: wait on
    }
    lose();
    return std::nullopt;
  }

  bool lost() const { return lost_.load(std::memory_order_relaxed); }
  const char* why_lost() const {
    return closed_.load(std::memory_order_relaxed) ? "it has closed the agent's descriptors" : "the recorder is gone";
  }
  // Counters that the recorder reads even after the app was killed.
  std::atomic<uint64_t>* counter(uint32_t kernel) {
    return &ring_.counters()[kernel < kMaxKernels ? kernel : kMaxKernels - 1];
  }
  std::atomic<uint64_t>* dispatches() { return &ring_.header().dispatches; }
  std::atomic<uint64_t>* matches() { return ring_.header().matches; }  // by selection

  // In a forked child: drops the parent's connection without a message to it.
  void abandon_after_fork();

 private:
  RecorderClient() = default;
  std::optional<Encoded> receive();
  bool wait_for_room(uint64_t payload);
  void lose() { lost_.store(true, std::memory_order_relaxed); }
  bool has_its_descriptors();
  void tell_of_closed_descriptors();

  Welcome welcome_;
  std::string socket_path_, runtime_;
  // `wake_` carries a byte to the side that waits for data, or for space. Both are sockets, because no other file
  // accepts a send, and because each has a number of its own (eventfds share one).
  OwnDescriptor socket_, wake_;
  RingMapping ring_;
  std::optional<RingProducer> producer_;
  std::mutex send_mutex_, request_mutex_;
  uint32_t last_request_ = 0;
  std::atomic<bool> lost_{false};
  std::atomic<bool> closed_{false};  // by the app
};

}  // namespace kernloop::capture
