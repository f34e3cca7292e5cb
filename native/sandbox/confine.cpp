#include "sandbox/confine.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <vector>

#include "sandbox/capabilities.h"
#include "sandbox/landlock.h"
#include "sandbox/limits.h"
#include "sandbox/seccomp.h"
#include "sandbox/unavailable.h"

namespace kernloop::sandbox {
namespace {

/// Leaves stdout, stderr and `kept`, which becomes 3; stdin is empty.
Status close_others(FileDescriptor& kept) {
  close(0);
  if (open("/dev/null", O_RDONLY) != 0) return unavailable("/dev/null cannot be opened");
  if (kept.get() != 3) kept = FileDescriptor(dup3(kept.get(), 3, O_CLOEXEC));
  if (!kept || syscall(SYS_close_range, 4, ~0u, 0) != 0) return unavailable("descriptors cannot be closed");
  return Unit{};
}

std::string_view path_of(const Options& options) {
  for (const std::string_view variable : options.environment)
    if (variable.starts_with("PATH=")) return variable.substr(5);
  return "/usr/local/bin:/usr/bin:/bin";
}

}  // namespace

Result<FileDescriptor> confine(const Options& options, FileDescriptor& kept) {
  if (auto closed = close_others(kept); !closed) return closed.error();
  umask(077);
  if (setsid() < 0) return unavailable("there is no session of its own");
  if (auto limited = set_limits(options.limits); !limited) return limited.error();
  if (auto dropped = drop_capabilities(); !dropped) return dropped.error();
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return unavailable("privileges cannot be refused");
  if (auto restricted = restrict_files(options); !restricted) return restricted.error();
  return filter_calls(std::min(landlock_abi(), options.most_abi) >= 6);
}

void start_program(const Options& options) {
  const std::string path(path_of(options));
  std::vector<std::string> variables = options.environment;
  if (std::none_of(variables.begin(), variables.end(), [](const auto& each) { return each.starts_with("PATH="); }))
    variables.push_back("PATH=" + path);
  std::vector<std::string> words = options.command;
  std::vector<char*> environment, arguments;
  for (auto& variable : variables) environment.push_back(variable.data());
  for (auto& word : words) arguments.push_back(word.data());
  environment.push_back(nullptr);
  arguments.push_back(nullptr);
  // execvpe would take a PATH from this program's own environment.
  clearenv();
  setenv("PATH", path.c_str(), 1);
  execvpe(arguments[0], arguments.data(), environment.data());
}

}  // namespace kernloop::sandbox
