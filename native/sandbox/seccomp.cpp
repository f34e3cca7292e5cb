#include "sandbox/seccomp.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <initializer_list>
#include <vector>

namespace kernloop::sandbox {
namespace {

#if defined(__x86_64__)
constexpr uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
#error "The numbers of system calls are known for x86_64 and aarch64"
#endif

/// set_mempolicy_home_node of Linux 5.17: what came later is unknown here. Numbers of x32 are higher, too.
constexpr uint32_t kLastKnownCall = 450;

constexpr uint32_t kRefuse = SECCOMP_RET_ERRNO | EPERM;
/// Programs that try a newer call then use an older one.
constexpr uint32_t kUnknown = SECCOMP_RET_ERRNO | ENOSYS;
constexpr uint32_t kAllow = SECCOMP_RET_ALLOW;
constexpr uint32_t kAsk = SECCOMP_RET_USER_NOTIF;

/// clone(2). CLONE_NEWTIME is no flag of it.
constexpr uint32_t kNewNamespaces =
    CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;

/// A filter, written from its first instruction to its last. The number of the call is in the accumulator between
/// rules.
class Filter {
 public:
  Filter() {
    load(offsetof(seccomp_data, arch));
    unless_equal(kArchitecture, 1);
    give(SECCOMP_RET_KILL_PROCESS);
    load(offsetof(seccomp_data, nr));
  }

  void above(uint32_t call, uint32_t action) {
    add(BPF_JMP | BPF_JGT | BPF_K, call, 0, 1);
    give(action);
  }

  void call(long number, uint32_t action) {
    add(BPF_JMP | BPF_JEQ | BPF_K, static_cast<uint32_t>(number), 0, 1);
    give(action);
  }

  /// `action` if (argument & mask) is one of the values, else `otherwise`. The kernel reads these arguments as 32 bits.
  void argument(long number, int position, uint32_t mask, std::initializer_list<uint32_t> values, uint32_t action,
                uint32_t otherwise) {
    const auto count = static_cast<uint8_t>(values.size());
    add(BPF_JMP | BPF_JEQ | BPF_K, static_cast<uint32_t>(number), 0, static_cast<uint8_t>(count + 4));
    load_masked(position, mask);
    uint8_t left = count;
    for (const uint32_t value : values) add(BPF_JMP | BPF_JEQ | BPF_K, value, left--, 0);
    give(otherwise);
    give(action);
  }

  /// Refuses to make files that run as their owner, whoever starts them (S_ISUID, S_ISGID).
  void special_mode(long number, int flags, int mode) {
    add(BPF_JMP | BPF_JEQ | BPF_K, static_cast<uint32_t>(number), 0, 8);
    load_masked(flags, O_CREAT | (O_TMPFILE & ~O_DIRECTORY));
    unless_equal(0, 4);  // the mode has no meaning
    load_masked(mode, S_ISUID | S_ISGID);
    unless_equal(0, 1);
    give(kRefuse);
    load(offsetof(seccomp_data, nr));
  }

  /// `action` if each of both arguments has its value after masking, else `otherwise`.
  struct Wanted {
    int position;
    uint32_t mask;
    uint32_t value;
  };
  void both(long number, Wanted first, Wanted second, uint32_t action, uint32_t otherwise) {
    add(BPF_JMP | BPF_JEQ | BPF_K, static_cast<uint32_t>(number), 0, 8);
    load_masked(first.position, first.mask);
    add(BPF_JMP | BPF_JEQ | BPF_K, first.value, 0, 3);
    load_masked(second.position, second.mask);
    unless_equal(second.value, 1);
    give(otherwise);
    give(action);
  }

  void give(uint32_t action) { add(BPF_RET | BPF_K, action, 0, 0); }

  std::vector<sock_filter> instructions;

 private:
  void add(int code, uint32_t value, uint8_t if_true, uint8_t if_false) {
    instructions.push_back({static_cast<uint16_t>(code), if_true, if_false, value});
  }
  void load(size_t offset) { add(BPF_LD | BPF_W | BPF_ABS, static_cast<uint32_t>(offset), 0, 0); }
  void load_masked(int position, uint32_t mask) {
    load(offsetof(seccomp_data, args) + sizeof(uint64_t) * static_cast<size_t>(position));
    add(BPF_ALU | BPF_AND | BPF_K, mask, 0, 0);
  }
  /// Skips `count` instructions if the accumulator is the value.
  void unless_equal(uint32_t value, uint8_t count) { add(BPF_JMP | BPF_JEQ | BPF_K, value, count, 0); }
};

void add_starts(Filter& filter) {
  // Its flags are in memory, which a filter cannot read; glibc then calls clone.
  filter.call(SYS_clone3, kUnknown);
  filter.argument(SYS_clone, 0, kNewNamespaces, {0}, kAsk, kRefuse);
#ifdef __x86_64__
  filter.call(SYS_fork, kAsk);
  filter.call(SYS_vfork, kAsk);
#endif
}

void add_signals(Filter& filter, bool allows_signals) {
  if (!allows_signals)
    for (const long call : {SYS_kill, SYS_tkill, SYS_tgkill, SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo})
      filter.call(call, kRefuse);
  // To all processes: with Landlock it reaches none of the others, and reports success.
  filter.argument(SYS_kill, 0, ~0u, {~0u}, kRefuse, kAllow);
  // Signals about a descriptor to whoever is named as its owner; a lease makes others wait who open the file.
  filter.argument(SYS_fcntl, 1, ~0u, {F_SETOWN, F_SETOWN_EX, F_SETLEASE, F_NOTIFY}, kRefuse, kAllow);
}

void add_files(Filter& filter) {
  // Its flags are in memory.
  filter.call(SYS_openat2, kUnknown);
  filter.special_mode(SYS_openat, 2, 3);
#ifdef __x86_64__
  filter.special_mode(SYS_open, 1, 2);
  filter.argument(SYS_creat, 1, S_ISUID | S_ISGID, {0}, kAllow, kRefuse);
#endif
  // Before ABI 3 Landlock takes a file that is truncated without being opened for writing as read. Mode 3 opens a file
  // for ioctl alone, whoever may read or write it.
  constexpr uint32_t kMode = O_ACCMODE | O_TRUNC;
  const std::initializer_list<uint32_t> refused = {O_RDONLY | O_TRUNC, O_ACCMODE, O_ACCMODE | O_TRUNC};
  filter.argument(SYS_openat, 2, kMode, refused, kRefuse, kAllow);
#ifdef __x86_64__
  filter.argument(SYS_open, 1, kMode, refused, kRefuse, kAllow);
#endif
  // Programs ask these of terminals and pipes. Others change attributes of files that are open for reading (chattr,
  // fs-verity), put input into a terminal, or name who gets signals. ENOTTY: this is no such device.
  filter.argument(SYS_ioctl, 1, ~0u,
                  {TCGETS, 0x802c542a /* TCGETS2 */, TIOCGWINSZ, TIOCGPGRP, FIONREAD, FIONBIO, FIOCLEX, FIONCLEX},
                  kAllow, SECCOMP_RET_ERRNO | ENOTTY);
}

void add_itself(Filter& filter) {
  // Hides its descriptors from the supervisor, which counts removed files.
  filter.argument(SYS_prctl, 0, ~0u, {PR_SET_DUMPABLE}, kRefuse, kAllow);
}

/// These change limits or speed, also of another process; 0 is the caller.
void add_scheduling(Filter& filter) {
  for (const long call :
       {SYS_prlimit64, SYS_sched_setaffinity, SYS_sched_setscheduler, SYS_sched_setparam, SYS_sched_setattr})
    filter.argument(call, 0, ~0u, {0}, kAllow, kRefuse);
  filter.both(SYS_setpriority, {0, ~0u, PRIO_PROCESS}, {1, ~0u, 0}, kAllow, kRefuse);
  filter.both(SYS_ioprio_set, {0, ~0u, 1 /* IOPRIO_WHO_PROCESS */}, {1, ~0u, 0}, kAllow, kRefuse);
}

std::vector<sock_filter> instructions_of(bool allows_signals) {
  Filter filter;
  filter.above(kLastKnownCall, kUnknown);
#define KERNLOOP_REFUSED(name) filter.call(SYS_##name, kRefuse);
#include "sandbox/refused_calls.def"
#undef KERNLOOP_REFUSED
  add_starts(filter);
  add_signals(filter, allows_signals);
  add_files(filter);
  add_itself(filter);
  add_scheduling(filter);
  filter.give(kAllow);
  return filter.instructions;
}

}  // namespace

Result<FileDescriptor> filter_calls(bool allows_signals) {
  auto instructions = instructions_of(allows_signals);
  const sock_fprog program{static_cast<unsigned short>(instructions.size()), instructions.data()};
  FileDescriptor listener(
      static_cast<int>(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program)));
  if (listener) return listener;
  const std::string why = errno == EBUSY ? "another filter of this process has a listener already" : strerror(errno);
  return Error{"SANDBOX_UNAVAILABLE", "the filter of system calls (seccomp) is refused: " + why,
               "use Linux 5.13 or newer, in a container that allows seccomp, and not within another sandbox"};
}

void Starts::answer(bool is_allowed) {
  pollfd waiting{listener_.get(), POLLIN, 0};
  if (poll(&waiting, 1, 0) != 1 || !(waiting.revents & POLLIN)) return;
  // A newer kernel may have longer ones than these headers know.
  seccomp_notif_sizes sizes{};
  if (syscall(SYS_seccomp, SECCOMP_GET_NOTIF_SIZES, 0, &sizes) != 0) return;
  std::vector<uint64_t> asked(std::max<size_t>(sizes.seccomp_notif, sizeof(seccomp_notif)) / 8 + 1);
  std::vector<uint64_t> answered(std::max<size_t>(sizes.seccomp_notif_resp, sizeof(seccomp_notif_resp)) / 8 + 1);
  if (ioctl(listener_.get(), SECCOMP_IOCTL_NOTIF_RECV, asked.data()) != 0) return;
  auto* response = reinterpret_cast<seccomp_notif_resp*>(answered.data());
  response->id = reinterpret_cast<const seccomp_notif*>(asked.data())->id;
  // The arguments that decided are in registers, which nobody can change meanwhile.
  if (is_allowed)
    response->flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
  else
    response->error = -EAGAIN;
  ioctl(listener_.get(), SECCOMP_IOCTL_NOTIF_SEND, response);
}

}  // namespace kernloop::sandbox
