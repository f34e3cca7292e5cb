#include "recorder/agent_link.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace kernloop::recorder {
namespace {

constexpr int kDescriptors = 2;
constexpr timeval kSocketLimit{10, 0};

Error bad_agent(const std::string& what) {
  return {"AGENT_PROTOCOL", "a process connected that is no agent of this version: " + what,
          "use an agent and a recorder of the same version"};
}

bool wait_for(int fd, short events, int timeout_ms) {
  pollfd entry{fd, events, 0};
  int ready;
  do {
    ready = poll(&entry, 1, timeout_ms);
  } while (ready < 0 && errno == EINTR);
  return ready > 0;
}

}  // namespace

Result<std::unique_ptr<AgentLink>> AgentLink::accept(FileDescriptor socket) {
  std::unique_ptr<AgentLink> link(new AgentLink);
  ucred peer{};
  socklen_t size = sizeof peer;
  if (getsockopt(socket.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 || peer.uid != geteuid()) {
    return bad_agent("it belongs to another user");
  }
  link->pid_ = peer.pid;
  setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &kSocketLimit, sizeof kSocketLimit);
  if (!wait_for(socket.get(), POLLIN, static_cast<int>(kSocketLimit.tv_sec) * 1000))
    return bad_agent("it says nothing");

  std::vector<uint8_t> hello(16u << 10);
  iovec data{hello.data(), hello.size()};
  alignas(cmsghdr) char control[CMSG_SPACE(kDescriptors * sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  const ssize_t got = recvmsg(socket.get(), &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
  std::vector<FileDescriptor> descriptors;
  for (cmsghdr* header = CMSG_FIRSTHDR(&message); got > 0 && header != nullptr;
       header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
    const size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t i = 0; i < count; ++i) {
      int fd;
      std::memcpy(&fd, CMSG_DATA(header) + i * sizeof fd, sizeof fd);
      descriptors.emplace_back(fd);
    }
  }
  if (got <= 0 || (message.msg_flags & (MSG_CTRUNC | MSG_TRUNC)) != 0 || descriptors.size() != kDescriptors) {
    return bad_agent("its greeting is incomplete");
  }
  auto decoded = protocol::Hello::decode({hello.data(), static_cast<size_t>(got)});
  if (!decoded) return bad_agent("its greeting cannot be understood");
  link->process_ = std::move(*decoded);
  link->ring_ = protocol::RingMapping::map(descriptors[0].get(), true);
  if (!link->ring_) return bad_agent("its ring cannot be mapped");
  link->consumer_.emplace(link->ring_);
  link->wake_ = std::move(descriptors[1]);
  link->socket_ = std::move(socket);
  return link;
}

bool AgentLink::answer(const protocol::Encoded& datagram) {
  ssize_t sent;
  do {
    sent = send(socket_.get(), datagram.data(), datagram.size(), MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  return sent == static_cast<ssize_t>(datagram.size());
}

void AgentLink::take_frame(uint32_t type, uint32_t size, std::vector<uint8_t>* payload) {
  const auto kind = static_cast<protocol::FrameType>(type);
  const bool bulk = kind == protocol::FrameType::kPre || kind == protocol::FrameType::kPost;
  frame_bytes_ = size;
  payload->resize(bulk ? std::min<size_t>(size, protocol::BulkHeader::kEncodedBytes) : size);
  consumer_->copy(0, *payload);
  frame_in_ring_ = true;
  if (!bulk) skip_frame();
}

BulkBytes AgentLink::bulk() const {
  const uint64_t header = std::min<uint64_t>(frame_bytes_, protocol::BulkHeader::kEncodedBytes);
  return {*consumer_, header, frame_in_ring_ ? frame_bytes_ - header : 0};
}

void AgentLink::skip_frame() {
  if (!frame_in_ring_) return;
  frame_in_ring_ = false;
  consumer_->skip();
  if (ring_.header().producer_waiting.load(std::memory_order_seq_cst) == 0) return;
  const char byte = 0;
  [[maybe_unused]] const ssize_t sent = send(wake_.get(), &byte, 1, MSG_NOSIGNAL | MSG_DONTWAIT);
}

AgentLink::Event AgentLink::next(uint32_t* type, std::vector<uint8_t>* payload, int timeout_ms, int wake) {
  skip_frame();
  bool closed = false;
  while (true) {
    uint32_t size = 0;
    switch (consumer_->peek(type, &size)) {
      case protocol::RingConsumer::Outcome::kFrame:
        take_frame(*type, size, payload);
        return Event::kFrame;
      case protocol::RingConsumer::Outcome::kCorrupt:
        return Event::kCorrupt;
      case protocol::RingConsumer::Outcome::kEmpty:
        break;
    }
    if (closed) return Event::kClosed;
    ring_.header().consumer_waiting.store(1, std::memory_order_seq_cst);
    if (!consumer_->empty()) continue;
    pollfd events[3] = {{wake_.get(), POLLIN, 0}, {socket_.get(), POLLRDHUP, 0}, {wake, POLLIN, 0}};
    const int ready = poll(events, wake >= 0 ? 3 : 2, timeout_ms);
    if (ready < 0 && errno != EINTR) return Event::kClosed;
    if (ready == 0) return Event::kIdle;
    if ((events[0].revents & POLLIN) != 0) {
      char bytes[256];
      const ssize_t got = recv(wake_.get(), bytes, sizeof bytes, MSG_DONTWAIT);
      if (got == 0) closed = true;
      if (got < 0 && errno != EAGAIN && errno != EINTR) return Event::kCorrupt;
    } else if ((events[0].revents & (POLLERR | POLLHUP | POLLNVAL)) != 0) {
      return Event::kCorrupt;
    }
    // Checks the ring once more after the end: frames written before it count.
    if ((events[1].revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0) closed = true;
    if (!closed && wake >= 0 && (events[2].revents & POLLIN) != 0 && consumer_->empty()) return Event::kIdle;
  }
}

}  // namespace kernloop::recorder
