// Listens for agents and runs a session for each, until the app has ended or a signal arrives.
#pragma once

#include <condition_variable>
#include <filesystem>
#include <mutex>

#include "recorder/session.h"

namespace kernloop::recorder {

class Server {
 public:
  explicit Server(Shared& shared) : shared_(shared) {}
  ~Server();
  Status listen(const std::filesystem::path& path);

  // Returns 0 once `end` (stdin) has reached its end and everything is drained, or the number of the signal received
  // through `signals`.
  int serve(int end, int signals);

 private:
  void accept_all();
  void start_session(FileDescriptor socket);
  void run_session(FileDescriptor socket);
  void wake_and_wait(int wake_writer);

  Shared& shared_;
  std::filesystem::path path_;
  FileDescriptor listener_;
  // Sessions run on threads of their own, detached: a program may start thousands of processes, one after the other.
  std::mutex mutex_;
  std::condition_variable ended_;
  size_t running_ = 0;
};

}  // namespace kernloop::recorder
