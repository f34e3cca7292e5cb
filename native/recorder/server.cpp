#include "recorder/server.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "recorder/deep_thread.h"

namespace kernloop::recorder {
namespace {

constexpr size_t kMaxSessions = 1024;  // at once

}  // namespace

Server::~Server() {
  if (listener_) unlink(path_.c_str());
}

Status Server::listen(const std::filesystem::path& path) {
  path_ = path;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string text = path.string();
  if (text.size() >= sizeof address.sun_path) {
    return Error{"USAGE",
                 "the socket's path is longer than the " + std::to_string(sizeof address.sun_path - 1) +
                     " bytes that the system allows: " + text,
                 "choose a shorter --socket, in /tmp for example"};
  }
  std::memcpy(address.sun_path, text.c_str(), text.size() + 1);
  FileDescriptor fd(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd) return archive::io_error("cannot make a socket for", path, errno);
  const auto* name = reinterpret_cast<const sockaddr*>(&address);
  if (bind(fd.get(), name, sizeof address) != 0) {
    if (errno != EADDRINUSE) return archive::io_error("cannot listen at", path, errno);
    // Is it a live recorder's, or left by a dead one?
    if (std::error_code none; !std::filesystem::is_socket(std::filesystem::symlink_status(path, none))) {
      return Error{"USAGE", text + " is there, and no socket", "choose another --socket"};
    }
    const FileDescriptor probe(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!probe) return archive::io_error("cannot make a socket for", path, errno);
    // If no process listens any more, the connection is refused; full queues and other kinds of socket give other
    // errors.
    if (connect(probe.get(), name, sizeof address) == 0 || errno != ECONNREFUSED) {
      return Error{"USAGE", "another recorder listens at " + text, "give each recorder its own --socket"};
    }
    unlink(text.c_str());
    if (bind(fd.get(), name, sizeof address) != 0) return archive::io_error("cannot listen at", path, errno);
  }
  if (::listen(fd.get(), 128) != 0) return archive::io_error("cannot listen at", path, errno);
  listener_ = std::move(fd);
  return Unit{};
}

void Server::accept_all() {
  while (true) {
    FileDescriptor socket(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!socket) {
      if (errno == EINTR || errno == ECONNABORTED) continue;
      return;
    }
    start_session(std::move(socket));
  }
}

void Server::start_session(FileDescriptor socket) {
  {
    std::lock_guard lock(mutex_);
    if (running_ < kMaxSessions) {
      ++running_;
    } else {
      shared_.events.print(RecorderEvent::note,
                           {{"code", "TOO_MANY_PROCESSES"},
                            {"text", "more processes at once than a recorder takes: one is not captured"}});
      return;  // closes the socket: that process runs uncaptured
    }
  }
  const auto done = [this] {
    std::lock_guard lock(mutex_);
    --running_;
    ended_.notify_all();
  };
  try {
    auto owned = std::make_shared<FileDescriptor>(std::move(socket));
    start_deep_thread([this, owned, done] {
      run_session(std::move(*owned));
      done();
    });
  } catch (const std::exception& error) {
    shared_.events.print(RecorderEvent::note, {{"code", "RECORDER_FAILED"},
                                               {"text", std::string("no thread for a process: ") + error.what()}});
    done();
  }
}

void Server::run_session(FileDescriptor socket) {
  auto link = AgentLink::accept(std::move(socket));
  if (!link) {
    shared_.events.print(RecorderEvent::note, {{"code", link.error().code}, {"text", link.error().message}});
    return;
  }
  Session session(shared_, std::move(*link));
  try {
    session.run();
  } catch (const std::exception& error) {
    // One process's trouble (no memory for its data) is not the others'.
    session.give_up({"RECORDER_FAILED", std::string("the recorder failed: ") + error.what(),
                     "report this with the events of the recorder"});
  }
}

int Server::serve(int end, int signals) {
  const FileDescriptor wake(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  shared_.wake = wake.get();
  int signal_number = 0;
  while (true) {
    pollfd events[3] = {{listener_.get(), POLLIN, 0}, {end, POLLIN, 0}, {signals, POLLIN, 0}};
    if (poll(events, 3, -1) < 0 && errno != EINTR) break;
    if ((events[0].revents & POLLIN) != 0) accept_all();
    if ((events[2].revents & POLLIN) != 0) {
      signalfd_siginfo info{};
      if (read(signals, &info, sizeof info) == sizeof info) signal_number = static_cast<int>(info.ssi_signo);
      break;
    }
    if ((events[1].revents & (POLLIN | POLLHUP | POLLERR | POLLNVAL)) != 0) {
      char ignored[256];
      const ssize_t got = read(end, ignored, sizeof ignored);
      if (got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN)) break;
    }
  }
  if (signal_number != 0) {
    shared_.stopping.store(true);
  } else {
    accept_all();  // agents that connected just before the end
    shared_.draining.store(true);
  }
  wake_and_wait(wake.get());
  return signal_number;
}

void Server::wake_and_wait(int wake_writer) {
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t sent = write(wake_writer, &one, sizeof one);
  std::unique_lock lock(mutex_);
  ended_.wait(lock, [this] { return running_ == 0; });
}

}  // namespace kernloop::recorder
