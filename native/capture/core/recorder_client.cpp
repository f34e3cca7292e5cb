#include "capture/core/recorder_client.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "capture/core/deadline.h"
#include "capture/core/this_process.h"

namespace kernloop::capture {
namespace {

// A recorder that takes nothing for this long counts as dead; the app must not wait for it any longer.
constexpr std::chrono::milliseconds kStallLimit{30000};

constexpr uint64_t kSmallRingBytes = 4ull << 20;

constexpr const char* kAskTheStage = "the stage that started this program says what became of its recorder";

int connect_to(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) {
    errno = ENAMETOOLONG;
    return -1;
  }
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  const int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  if (fd < 0) return -1;
  if (connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    const int error = errno;
    close(fd);
    errno = error;
    return -1;
  }
  return fd;
}

bool send_hello(int socket, const Encoded& hello, const int (&descriptors)[2]) {
  iovec data{const_cast<uint8_t*>(hello.data()), hello.size()};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof descriptors)] = {};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof descriptors);
  std::memcpy(CMSG_DATA(header), descriptors, sizeof descriptors);
  ssize_t sent;
  do {
    sent = sendmsg(socket, &message, MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  return sent == static_cast<ssize_t>(hello.size());
}

void send_wake(const OwnDescriptor& wake) {
  const char byte = 0;
  [[maybe_unused]] const ssize_t sent = ::send(wake.get(), &byte, 1, MSG_NOSIGNAL | MSG_DONTWAIT);
}

}  // namespace

Result<std::unique_ptr<RecorderClient>> RecorderClient::connect(const std::string& socket_path,
                                                                const std::string& runtime, uint64_t ring_bytes) {
  std::unique_ptr<RecorderClient> client(new RecorderClient);
  const auto fail = [](const std::string& what) {
    return Error{"RECORDER_FAILED", what + ": " + std::strerror(errno), kAskTheStage};
  };
  client->socket_path_ = socket_path;
  client->runtime_ = runtime;
  client->socket_ = OwnDescriptor(connect_to(socket_path));
  if (!client->socket_) return fail("cannot connect to the recorder at " + socket_path);
  const OwnDescriptor memory(RingMapping::create_memfd(ring_bytes));
  if (!memory) return fail("cannot make the shared ring");
  client->ring_ = RingMapping::map(memory.get(), false);
  int ends[2] = {-1, -1};
  if (!client->ring_ || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) != 0) {
    return fail("cannot make the shared ring");
  }
  client->wake_ = OwnDescriptor(ends[0]);
  const OwnDescriptor recorders_end(ends[1]);
  // A forked child must not write into its parent's ring.
  madvise(client->ring_.base(), client->ring_.bytes(), MADV_DONTFORK);
  client->producer_.emplace(client->ring_);

  const Encoded hello = describe_this_process(runtime).encode();
  if (!send_hello(client->socket_.get(), hello, {memory.get(), recorders_end.get()}))
    return fail("cannot greet the recorder");
  const auto answer = client->receive();
  const auto decoded = answer ? Welcome::decode(*answer) : std::nullopt;
  if (!decoded)
    return Error{"AGENT_PROTOCOL", "the recorder did not answer as expected (another version?)",
                 "use agent and recorder of one Kernloop"};
  if (!decoded->refusal.empty())
    return Error{"RECORDER_FAILED", "the recorder refused this process: " + decoded->refusal, kAskTheStage};
  client->welcome_ = *decoded;
  return client;
}

void RecorderClient::abandon_after_fork() {
  lose();
  socket_.close();
  wake_.close();
}

// The recorder has seen the end of this connection already.
void RecorderClient::tell_of_closed_descriptors() {
  lose();
  if (closed_.exchange(true)) return;
  const auto again = connect(socket_path_, runtime_, kSmallRingBytes);
  if (!again) return;
  const char* text =
      "the program closed the descriptors of the agent inside of it (closefrom, close_range, a loop over all numbers): "
      "what it launched from then on was not seen";
  (*again)->send(FrameType::kNote, NoteMessage{"DESCRIPTORS_CLOSED", text}.encode());
  (*again)->send(FrameType::kGoodbye, Encoded());
}

bool RecorderClient::has_its_descriptors() {
  if (socket_.is_ours() && wake_.is_ours()) return true;
  tell_of_closed_descriptors();
  return false;
}

bool RecorderClient::wait_for_room(uint64_t payload) {
  RingHeader& header = ring_.header();
  uint64_t seen = header.tail.load(std::memory_order_acquire);
  Deadline stall = Deadline::in(kStallLimit);
  while (!producer_->has_room(payload)) {
    header.producer_waiting.store(1, std::memory_order_seq_cst);
    if (producer_->has_room(payload)) break;
    if (!has_its_descriptors()) return false;
    pollfd events[2] = {{wake_.get(), POLLIN, 0}, {socket_.get(), POLLRDHUP, 0}};
    const int ready = poll(events, 2, static_cast<int>(stall.left().count()));
    if (ready < 0 && errno != EINTR) return false;
    if ((events[1].revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0) return false;
    if ((events[0].revents & POLLIN) != 0) {
      char bytes[256];
      if (recv(wake_.get(), bytes, sizeof bytes, MSG_DONTWAIT) == 0) return false;
    }
    if (const uint64_t tail = header.tail.load(std::memory_order_acquire); tail != seen) {
      seen = tail;
      stall = Deadline::in(kStallLimit);
    } else if (stall.passed()) {
      return false;
    }
  }
  header.producer_waiting.store(0, std::memory_order_relaxed);
  return true;
}

bool RecorderClient::send(FrameType type, std::span<const uint8_t> head, std::span<const uint8_t> bulk) {
  std::lock_guard lock(send_mutex_);
  if (lost() || !has_its_descriptors()) return false;
  if (!producer_->try_write(static_cast<uint32_t>(type), head, bulk)) {
    if (!wait_for_room(head.size() + bulk.size()) || !producer_->try_write(static_cast<uint32_t>(type), head, bulk)) {
      lose();
      return false;
    }
  }
  if (ring_.header().consumer_waiting.exchange(0, std::memory_order_seq_cst) != 0) {
    send_wake(wake_);
  }
  return true;
}

std::optional<Encoded> RecorderClient::receive() {
  const Deadline deadline = Deadline::in(kStallLimit);
  Encoded datagram(kMaxDatagramBytes);
  while (!deadline.passed()) {
    if (!has_its_descriptors()) break;
    pollfd event{socket_.get(), POLLIN, 0};
    const int ready = poll(&event, 1, static_cast<int>(deadline.left().count()));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) break;
    const ssize_t size = recv(socket_.get(), datagram.data(), datagram.size(), MSG_DONTWAIT);
    if (size < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (size <= 0) break;
    datagram.resize(static_cast<size_t>(size));
    return datagram;
  }
  return std::nullopt;
}

}  // namespace kernloop::capture
