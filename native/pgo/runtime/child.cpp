#include "pgo/runtime/child.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>

namespace kernloop::pgo::runtime {

namespace {

struct Pipe {
  int ends[2] = {-1, -1};
  Pipe() {
    if (::pipe2(ends, O_CLOEXEC) != 0) ends[0] = ends[1] = -1;
  }
  void close(int which) {
    if (ends[which] >= 0) ::close(ends[which]);
    ends[which] = -1;
  }
  ~Pipe() { close(0), close(1); }
};

// A file and not a pipe: a child that does not read all of it must not end this process by SIGPIPE.
int memory_file(const std::string& text) {
  const int file = ::memfd_create("input", MFD_CLOEXEC);
  size_t at = 0;
  while (file >= 0 && at < text.size()) {
    const ssize_t count = ::write(file, text.data() + at, text.size() - at);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return ::close(file), -1;
    at += static_cast<size_t>(count);
  }
  if (file >= 0) ::lseek(file, 0, SEEK_SET);
  return file;
}

std::vector<char*> pointers_to(const std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

// False if it ran past its limit.
bool read_both(Pipe& output, Pipe& errors, ChildEnd& ended, double limit_seconds) {
  using Clock = std::chrono::steady_clock;
  const auto limit =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(limit_seconds));
  const std::pair<Pipe*, std::string*> streams[] = {{&output, &ended.output}, {&errors, &ended.errors}};
  while (output.ends[0] >= 0 || errors.ends[0] >= 0) {
    std::array<pollfd, 2> waiting = {pollfd{output.ends[0], POLLIN, 0}, pollfd{errors.ends[0], POLLIN, 0}};
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(limit - Clock::now()).count();
    if (left <= 0) return false;
    if (::poll(waiting.data(), waiting.size(), static_cast<int>(std::min<long>(left, 60000))) < 0 && errno != EINTR)
      return false;
    for (size_t i = 0; i < 2; ++i) {
      if (waiting[i].fd < 0 || waiting[i].revents == 0) continue;
      char text[65536];
      const ssize_t count = ::read(waiting[i].fd, text, sizeof text);
      if (count > 0) streams[i].second->append(text, static_cast<size_t>(count));
      if (count == 0 || (count < 0 && errno != EINTR)) streams[i].first->close(0);
    }
  }
  return true;
}

}  // namespace

ChildEnd run_child(const ChildRequest& request) {
  ChildEnd ended;
  const int input = memory_file(request.input);
  Pipe output, errors;
  if (input < 0 || output.ends[0] < 0 || errors.ends[0] < 0) {
    if (input >= 0) ::close(input);
    ended.problem = std::string("no pipe: ") + std::strerror(errno);
    return ended;
  }
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, input, 0);
  ::posix_spawn_file_actions_adddup2(&actions, output.ends[1], 1);
  ::posix_spawn_file_actions_adddup2(&actions, errors.ends[1], 2);
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  // The child gets a process group of its own, to be ended as one, and the default signal dispositions, even if the app
  // changed its own.
  sigset_t none, all;
  ::sigemptyset(&none);
  ::sigfillset(&all);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setsigdefault(&attributes, &all);
  pid_t child = -1;
  const int problem = ::posix_spawn(&child, request.words[0].c_str(), &actions, &attributes,
                                    pointers_to(request.words).data(), pointers_to(request.environment).data());
  ::posix_spawn_file_actions_destroy(&actions);
  ::posix_spawnattr_destroy(&attributes);
  ::close(input);
  output.close(1);
  errors.close(1);
  if (problem != 0) {
    ended.problem = std::string("it does not start: ") + std::strerror(problem);
    return ended;
  }
  if (!read_both(output, errors, ended, request.limit_seconds)) {
    ::kill(-child, SIGKILL);
    ended.problem = "it took longer than " + std::to_string(static_cast<long>(request.limit_seconds)) + " s";
  }
  int status = 0;
  pid_t waited;
  while ((waited = ::waitpid(child, &status, 0)) < 0 && errno == EINTR) {
  }
  if (!ended.problem.empty()) return ended;
  // The app may have reaped the child before us (SIGCHLD ignored): then its output has to show how it ended.
  if (waited < 0 || (WIFEXITED(status) && WEXITSTATUS(status) == 0)) {
    ended.ran = true;
  } else {
    ended.problem = WIFEXITED(status) ? "exit code " + std::to_string(WEXITSTATUS(status))
                                      : "signal " + std::to_string(WTERMSIG(status));
  }
  return ended;
}

std::vector<std::string> plain_environment() {
  std::vector<std::string> kept;
  for (const char* name : {"PATH", "HOME", "TMPDIR"}) {
    if (const char* value = std::getenv(name)) kept.push_back(std::string(name) + "=" + value);
  }
  kept.push_back("LC_ALL=C");
  return kept;
}

}  // namespace kernloop::pgo::runtime
