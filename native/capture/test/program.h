// Child processes for tests: started with an environment, watched, killed, never left behind.
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <map>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace kernloop::testing {

class Program {
 public:
  struct Options {
    std::vector<std::string> command;
    std::map<std::string, std::string> environment;  // on top of ours
    bool pipe_stdin = false;
  };

  explicit Program(const Options& options) {
    int in[2] = {-1, -1}, out[2];
    if (options.pipe_stdin && pipe2(in, O_CLOEXEC) != 0) abort();
    if (pipe2(out, O_CLOEXEC) != 0) abort();
    pid_ = fork();
    if (pid_ == 0) {
      if (options.pipe_stdin) {
        dup2(in[0], STDIN_FILENO);
      } else {
        dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
      }
      dup2(out[1], STDOUT_FILENO);
      dup2(out[1], STDERR_FILENO);
      for (const auto& [name, value] : options.environment) setenv(name.c_str(), value.c_str(), 1);
      std::vector<char*> arguments;
      for (const std::string& argument : options.command) arguments.push_back(const_cast<char*>(argument.c_str()));
      arguments.push_back(nullptr);
      execv(arguments[0], arguments.data());
      _exit(127);
    }
    close(out[1]);
    if (options.pipe_stdin) close(in[0]);
    stdin_ = in[1];
    stdout_ = out[0];
    fcntl(stdout_, F_SETFL, O_NONBLOCK);
  }
  ~Program() {
    if (pid_ > 0 && !ended_) {
      kill(SIGKILL);
      wait(std::chrono::seconds(10));
    }
    close_stdin();
    close(stdout_);
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  pid_t pid() const { return pid_; }
  void kill(int signal_number) { ::kill(pid_, signal_number); }
  void close_stdin() {
    if (stdin_ >= 0) close(std::exchange(stdin_, -1));
  }
  // Waits until the output holds the text. False at the limit or when the program has ended without.
  bool wait_for(const std::string& text, std::chrono::seconds limit = std::chrono::seconds(60)) {
    const auto end = std::chrono::steady_clock::now() + limit;
    while (output_.find(text) == std::string::npos) {
      const bool ended = poll_end();
      read_output();
      if (output_.find(text) != std::string::npos) return true;
      if (ended || std::chrono::steady_clock::now() > end) return false;
      pollfd event{stdout_, POLLIN, 0};
      poll(&event, 1, 20);
    }
    return true;
  }
  // The exit code, 128 + signal, or -1 at the limit.
  int wait(std::chrono::seconds limit = std::chrono::seconds(120)) {
    const auto end = std::chrono::steady_clock::now() + limit;
    while (!poll_end()) {
      read_output();
      if (std::chrono::steady_clock::now() > end) return -1;
      pollfd event{stdout_, POLLIN, 0};
      poll(&event, 1, 20);
    }
    read_output();
    return WIFEXITED(status_) ? WEXITSTATUS(status_) : 128 + WTERMSIG(status_);
  }
  const std::string& output() {
    read_output();
    return output_;
  }

 private:
  bool poll_end() {
    if (!ended_ && waitpid(pid_, &status_, WNOHANG) == pid_) ended_ = true;
    return ended_;
  }
  void read_output() {
    char buffer[65536];
    ssize_t got;
    while ((got = read(stdout_, buffer, sizeof buffer)) > 0) output_.append(buffer, static_cast<size_t>(got));
  }
  pid_t pid_ = -1;
  int stdin_ = -1, stdout_ = -1, status_ = 0;
  bool ended_ = false;
  std::string output_;
};

}  // namespace kernloop::testing
