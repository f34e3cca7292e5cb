#include "sandbox/landlock.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/descriptor.h"
#include "sandbox/unavailable.h"

namespace kernloop::sandbox {
namespace {

// include/uapi/linux/landlock.h of Linux 6.12: the headers of Debian 12 end with ABI 2.
struct RulesetAttributes {
  uint64_t handled_access_fs;
  uint64_t handled_access_net;
  uint64_t scoped;
};
struct __attribute__((packed)) PathBeneath {
  uint64_t allowed_access;
  int32_t parent_fd;
};
constexpr long kCreateRuleset = 444, kAddRule = 445, kRestrictSelf = 446;
constexpr unsigned kVersionFlag = 1;
constexpr int kPathBeneath = 1;

constexpr uint64_t kExecute = 1 << 0, kWriteFile = 1 << 1, kReadFile = 1 << 2, kReadDir = 1 << 3, kRemoveDir = 1 << 4,
                   kRemoveFile = 1 << 5, kMakeDir = 1 << 7, kMakeRegular = 1 << 8, kRefer = 1 << 13,
                   kTruncate = 1 << 14;
/// A rule for a file that is no folder must have no others.
constexpr uint64_t kOfFiles = kExecute | kWriteFile | kReadFile | kTruncate;

/// All rights of an ABI are handled, so that what no rule grants is refused.
uint64_t handled_rights(int abi) {
  if (abi >= 5) return (1 << 16) - 1;  // ioctl of devices
  if (abi >= 3) return (1 << 15) - 1;  // truncation
  if (abi >= 2) return (1 << 14) - 1;  // links and moves between folders, which ABI 1 refuses always
  return (1 << 13) - 1;
}

constexpr uint64_t kReading = kExecute | kReadFile | kReadDir;
/// No symbolic links, sockets, pipes or devices: whoever reads the results must not be led elsewhere, or wait for ever.
/// No execution: a compiler starts programs of its own alone.
constexpr uint64_t kWriting =
    kReadFile | kReadDir | kWriteFile | kTruncate | kMakeRegular | kMakeDir | kRemoveFile | kRemoveDir | kRefer;

Status allow(int ruleset, const std::string& path, uint64_t rights) {
  const FileDescriptor opened(open(path.c_str(), O_PATH | O_CLOEXEC));
  struct stat facts {};
  if (!opened || fstat(opened.get(), &facts) != 0)
    return Error{"FILE_NOT_FOUND", path + " cannot be opened: " + std::strerror(errno), "name files that exist"};
  PathBeneath rule{S_ISDIR(facts.st_mode) ? rights : rights & kOfFiles, opened.get()};
  if (syscall(kAddRule, ruleset, kPathBeneath, &rule, 0) != 0) return unavailable("a rule for " + path + " is refused");
  return Unit{};
}

}  // namespace

int landlock_abi() {
  return static_cast<int>(std::max(0L, syscall(kCreateRuleset, nullptr, 0, kVersionFlag)));
}

Status restrict_files(const Options& options) {
  const int abi = std::min(landlock_abi(), options.most_abi);
  if (abi < 1) return Error{"SANDBOX_UNAVAILABLE", "this kernel has no Landlock", "use Linux 5.13 or newer"};
  // TCP (bind, connect) from ABI 4 on, abstract Unix sockets and signals from 6 on: no rule grants any of it.
  const RulesetAttributes attributes{handled_rights(abi), abi >= 4 ? 3u : 0u, abi >= 6 ? 3u : 0u};
  const FileDescriptor ruleset(static_cast<int>(syscall(kCreateRuleset, &attributes, sizeof attributes, 0)));
  if (!ruleset) return unavailable("Landlock cannot be set up");
  const uint64_t handled = attributes.handled_access_fs;
  for (const auto& path : options.read)
    if (auto allowed = allow(ruleset.get(), path, kReading & handled); !allowed) return allowed;
  for (const auto& path : options.write)
    if (auto allowed = allow(ruleset.get(), path, kWriting & handled); !allowed) return allowed;
  for (const char* path : {"/dev/null", "/dev/zero", "/dev/random", "/dev/urandom"})
    if (auto allowed = allow(ruleset.get(), path, (kReadFile | kWriteFile | kTruncate) & handled); !allowed)
      return allowed;
  if (syscall(kRestrictSelf, ruleset.get(), 0) != 0) return unavailable("Landlock cannot be applied");
  return Unit{};
}

}  // namespace kernloop::sandbox
