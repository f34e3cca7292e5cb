#include "sandbox/limits.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

#include "base/descriptor.h"
#include "sandbox/unavailable.h"

namespace kernloop::sandbox {
namespace {

constexpr rlim_t kOpenFiles = 1024;
/// Size of a core dump. With 0 the kernel would still give it to a program that the system names; with 1 it does not.
constexpr rlim_t kCoreBytes = 1;
/// Address space that a thread takes and hardly uses: glibc's arena (64 MiB) and a stack (8 MiB).
constexpr rlim_t kReservedByThread = rlim_t{72} << 20;

/// Address space beside memory: linkers start a thread for each processor, and abort if one cannot start.
rlim_t reserved() {
  return kReservedByThread * (std::thread::hardware_concurrency() + 2);
}

/// Lowers a limit, never raises it: that needs a privilege.
Status lower(int resource, rlim_t most) {
  rlimit now{};
  if (getrlimit(static_cast<__rlimit_resource_t>(resource), &now) == 0) {
    const rlimit lowered{std::min(now.rlim_max, most), std::min(now.rlim_max, most)};
    if (setrlimit(static_cast<__rlimit_resource_t>(resource), &lowered) == 0) return Unit{};
  }
  return unavailable("a limit cannot be set");
}

}  // namespace

Status set_limits(const Limits& limits) {
  // The first to be killed if memory runs out. Containers may forbid it.
  if (const FileDescriptor score(open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC)); score)
    (void)!write(score.get(), "1000", 4);
  if (auto set = lower(RLIMIT_CORE, kCoreBytes); !set) return set;
  if (auto set = lower(RLIMIT_MSGQUEUE, 0); !set) return set;
  if (auto set = lower(RLIMIT_NOFILE, kOpenFiles); !set) return set;
  if (limits.memory_bytes) {
    if (auto set = lower(RLIMIT_DATA, *limits.memory_bytes); !set) return set;
    if (auto set = lower(RLIMIT_AS, std::min(*limits.memory_bytes, RLIM_INFINITY - reserved()) + reserved()); !set)
      return set;
  }
  if (limits.file_bytes)
    if (auto set = lower(RLIMIT_FSIZE, *limits.file_bytes); !set) return set;
  if (limits.cpu_seconds)
    if (auto set = lower(RLIMIT_CPU, *limits.cpu_seconds); !set) return set;
  return Unit{};
}

}  // namespace kernloop::sandbox
