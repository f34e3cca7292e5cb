// The recorder's end of the line to one agent: takes its frames from the ring, answers on the socket. Trusts nothing.
#pragma once

#include <sys/types.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "archive/files/file.h"
#include "base/result.h"
#include "protocol/messages.h"
#include "protocol/ring.h"

namespace kernloop::recorder {

// Payload behind the header of a bulk frame: still in the ring, to be copied once, in order, to its destination.
class BulkBytes {
 public:
  BulkBytes(const protocol::RingConsumer& ring, uint64_t offset, uint64_t size)
      : ring_(ring), offset_(offset), size_(size) {}
  uint64_t size() const { return size_; }  // size of the rest
  void take(std::span<uint8_t> into) {
    ring_.copy(offset_, into);
    offset_ += into.size();
    size_ -= into.size();
  }

 private:
  const protocol::RingConsumer& ring_;
  uint64_t offset_, size_;
};

class AgentLink {
 public:
  // Takes the agent's greeting from a freshly accepted socket.
  static Result<std::unique_ptr<AgentLink>> accept(FileDescriptor socket);

  pid_t pid() const { return pid_; }
  // The process's greeting.
  const protocol::Hello& process() const { return process_; }
  bool answer(const protocol::Encoded& datagram);

  enum class Event { kFrame, kIdle, kClosed, kCorrupt };
  // The next frame, waiting up to `timeout_ms` for it. kIdle: none came, or `wake` became readable. kClosed: the agent
  // is gone and the ring is empty: everything it ever sent has been seen. For kPre and kPost the payload is the header
  // only; the rest is in bulk(), until the next call.
  Event next(uint32_t* type, std::vector<uint8_t>* payload, int timeout_ms, int wake);
  BulkBytes bulk() const;

  uint64_t dispatches() const { return ring_.header().dispatches.load(std::memory_order_relaxed); }
  uint64_t matches(uint32_t selection) const {
    return ring_.header().matches[selection].load(std::memory_order_relaxed);
  }
  uint64_t kernel_dispatches(uint32_t kernel) const { return ring_.counters()[kernel].load(std::memory_order_relaxed); }

 private:
  AgentLink() = default;
  void take_frame(uint32_t type, uint32_t size, std::vector<uint8_t>* payload);
  void skip_frame();

  FileDescriptor socket_, wake_;
  protocol::RingMapping ring_;
  std::optional<protocol::RingConsumer> consumer_;
  bool frame_in_ring_ = false;  // the last one, for bulk()
  uint32_t frame_bytes_ = 0;
  pid_t pid_ = 0;
  protocol::Hello process_;
};

}  // namespace kernloop::recorder
