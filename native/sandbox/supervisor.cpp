#include "sandbox/supervisor.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <string>

#include "base/descriptor.h"
#include "base/exit_code.h"
#include "sandbox/confine.h"
#include "sandbox/descendants.h"
#include "sandbox/folders.h"
#include "sandbox/seccomp.h"
#include "sandbox/unavailable.h"

namespace kernloop::sandbox {
namespace {

/// Interval between looks at the memory of all processes and at their files.
constexpr int kLookMs = 100;
/// As in a shell: the program was not found, or may not be started.
constexpr int kNotFound = 127, kNotStarted = 126;

/// stdout is the program's.
void complain(const std::string& what) {
  const std::string line = "kernloop-sandbox: error: " + what + "\n";
  (void)!write(STDERR_FILENO, line.data(), line.size());
}

int fail(const Error& error) {
  complain(error.message + " (" + error.hint + ")");
  return error.code == "FILE_NOT_FOUND" ? kExitBadInput : kExitEnvironment;
}

bool send_descriptor(int channel, int sent) {
  char byte = 0;
  iovec data{&byte, 1};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int));
  std::memcpy(CMSG_DATA(header), &sent, sizeof sent);
  return sendmsg(channel, &message, MSG_NOSIGNAL) == 1;
}

/// Nothing if the sender ended without sending one.
FileDescriptor receive_descriptor(int channel) {
  char byte = 0;
  iovec data{&byte, 1};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  if (recvmsg(channel, &message, MSG_CMSG_CLOEXEC) != 1) return {};
  const cmsghdr* header = CMSG_FIRSTHDR(&message);
  if (header == nullptr || header->cmsg_type != SCM_RIGHTS) return {};
  int received = -1;
  std::memcpy(&received, CMSG_DATA(header), sizeof received);
  return FileDescriptor(received);
}

/// Whether this process will end with its parent, which has not ended yet.
bool die_with(pid_t parent, int signal) {
  return prctl(PR_SET_PDEATHSIG, signal, 0, 0, 0) == 0 && getppid() == parent;
}

[[noreturn]] void become_program(const Options& options, FileDescriptor channel, pid_t supervisor,
                                 const sigset_t& signals) {
  if (!die_with(supervisor, SIGKILL)) _exit(kExitEnvironment);
  auto listener = confine(options, channel);
  if (!listener) _exit(fail(listener.error()));
  if (!send_descriptor(channel.get(), listener->get())) _exit(fail(unavailable("the supervisor is not reached")));
  sigprocmask(SIG_SETMASK, &signals, nullptr);
  start_program(options);
  const int why = errno;
  complain(options.command[0] + " cannot be started: " + std::strerror(why));
  _exit(why == ENOENT ? kNotFound : kNotStarted);
}

/// How the program ended: a status of waitpid(2), or a limit that it exceeded.
struct End {
  int status = 0;
  bool is_over_limit = false;
};

class Supervisor {
 public:
  Supervisor(const Options& options, pid_t program, FileDescriptor listener, FileDescriptor signals)
      : options_(options),
        limits_(options.limits),
        program_(program),
        starts_(std::move(listener)),
        signals_(std::move(signals)) {}

  /// Until the program has ended, must end, or the caller has ended.
  End watch() {
    End end;
    for (;;) {
      pollfd waiting[2] = {{signals_.get(), POLLIN, 0}, {is_listening_ ? starts_.descriptor() : -1, POLLIN, 0}};
      poll(waiting, 2, looks() ? kLookMs : -1);
      if (waiting[1].revents & POLLIN)
        starts_.answer(may_start());
      else if (waiting[1].revents != 0)
        is_listening_ = false;
      if (waiting[0].revents & POLLIN && has_ended(end)) return end;
      if (looks() && is_over_limit()) {
        end.is_over_limit = true;
        return end;
      }
    }
  }

  void end_all() {
    end_descendants([this] {
      for (int waiting = 0; waiting < 64; ++waiting) starts_.answer(false);
    });
  }

 private:
  /// Counts anew only if the starts since the last count might have reached the limit. Each process may have an allowed
  /// start on its way that the count does not see: never more than twice the limit.
  bool may_start() {
    if (bound_ >= limits_.processes) {
      const auto tree = descendants();
      if (!tree) return false;
      bound_ = tree->processes_and_threads;
    }
    if (bound_ >= limits_.processes) return false;
    ++bound_;
    return true;
  }

  bool has_ended(End& end) {
    signalfd_siginfo signal{};
    if (read(signals_.get(), &signal, sizeof signal) != sizeof signal) return false;
    if (signal.ssi_signo != SIGCHLD) {
      end.status = static_cast<int>(signal.ssi_signo);
      return true;
    }
    int status = 0;
    for (pid_t ended = 0; (ended = waitpid(-1, &status, WNOHANG)) > 0;) {
      if (ended != program_) continue;
      end.status = status;
      return true;
    }
    return false;
  }

  bool looks() const { return limits_.memory_bytes || limits_.folder_bytes; }

  /// Says which.
  bool is_over_limit() {
    const auto now = std::chrono::steady_clock::now();
    if (now < next_look_) return false;
    next_look_ = now + std::chrono::milliseconds(kLookMs);
    const auto tree = descendants();
    if (!tree) {
      complain("the processes of the program cannot be counted any more");
      return true;
    }
    if (limits_.memory_bytes && tree->resident_bytes > *limits_.memory_bytes) {
      complain("the program used more than " + std::to_string(*limits_.memory_bytes) + " bytes of memory");
      return true;
    }
    return limits_.folder_bytes && !files_fit(*tree);
  }

  bool files_fit(const Tree& tree) {
    const auto used = used_bytes(options_.write, tree, *limits_.folder_bytes);
    if (used && *used <= *limits_.folder_bytes) return true;
    complain(used ? "the program's files have more than " + std::to_string(*limits_.folder_bytes) + " bytes"
                  : std::string("the program hides files"));
    return false;
  }

  const Options& options_;
  const Limits& limits_;
  pid_t program_;
  Starts starts_;
  FileDescriptor signals_;
  bool is_listening_ = true;
  std::chrono::steady_clock::time_point next_look_ = std::chrono::steady_clock::now();
  /// At most so many processes and threads are there: those of the last count, and all that started since.
  uint64_t bound_ = 1;
};

/// In the supervising process: writes how the program ended.
void run_supervisor(const Options& options, int result, pid_t caller) {
  sigset_t signals, before;
  sigemptyset(&signals);
  for (const int signal : {SIGCHLD, SIGTERM, SIGINT, SIGHUP, SIGQUIT}) sigaddset(&signals, signal);
  sigprocmask(SIG_BLOCK, &signals, &before);
  FileDescriptor received(signalfd(-1, &signals, SFD_CLOEXEC));
  int channel[2] = {-1, -1};
  const bool is_ready = setsid() > 0 && keep_descendants() && descendants() && received &&
                        socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, channel) == 0;
  if (!is_ready) _exit(fail(unavailable("the program cannot be supervised")));
  if (!die_with(caller, SIGTERM)) _exit(kExitEnvironment);
  FileDescriptor ours(channel[0]), theirs(channel[1]);
  const pid_t self = getpid(), program = fork();
  if (program < 0) _exit(fail(unavailable("no process can be started")));
  if (program == 0) become_program(options, std::move(theirs), self, before);
  theirs.reset();
  Supervisor supervisor(options, program, receive_descriptor(ours.get()), std::move(received));
  const End end = supervisor.watch();
  supervisor.end_all();
  make_removable(options.write);
  (void)!write(result, &end, sizeof end);
  _exit(kExitPass);
}

/// Dies of a signal as the program did, so that the caller sees the same.
int end_as(const End& end) {
  if (end.is_over_limit) return kExitFail;
  if (WIFEXITED(end.status)) return WEXITSTATUS(end.status);
  const int signal = WTERMSIG(end.status);
  const rlimit none{1, 1};
  setrlimit(RLIMIT_CORE, &none);
  ::signal(signal, SIG_DFL);
  raise(signal);
  return 128 + signal;
}

}  // namespace

int supervise(const Options& options) {
  int result[2];
  if (!keep_descendants() || pipe2(result, O_CLOEXEC) != 0)
    return fail(unavailable("the program cannot be supervised"));
  FileDescriptor reading(result[0]), writing(result[1]);
  const pid_t self = getpid(), supervisor = fork();
  if (supervisor < 0) return fail(unavailable("no process can be started"));
  if (supervisor == 0) run_supervisor(options, writing.get(), self);
  writing.reset();
  int status = 0;
  while (waitpid(supervisor, &status, 0) < 0 && errno == EINTR) {
  }
  End end;
  if (read(reading.get(), &end, sizeof end) == sizeof end) return end_as(end);
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  // Nobody answers starts any more: they fail.
  end_descendants([] {});
  complain("the supervisor of the program was killed");
  return kExitEnvironment;
}

}  // namespace kernloop::sandbox
