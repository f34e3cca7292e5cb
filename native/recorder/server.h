// Listens for agents and runs a session for each, until the app has ended or somebody stops us.
#pragma once

#include <filesystem>
#include <thread>
#include <vector>

#include "recorder/session.h"

namespace kernloop::recorder {

class Server {
 public:
  explicit Server(Shared& shared) : shared_(shared) {}
  ~Server();
  Status listen(const std::filesystem::path& path);

  // Returns 0 when `end` (stdin) has reached its end and everything is drained, or the number of the signal that `signals` told of.
  int serve(int end, int signals);

 private:
  void accept_all();
  void finish(int wake_writer);

  Shared& shared_;
  std::filesystem::path path_;
  archive::FileDescriptor listener_;
  std::vector<std::thread> sessions_;
};

}  // namespace kernloop::recorder
