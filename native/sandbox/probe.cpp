#include "sandbox/probe.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <iostream>

#include "base/events/sandbox.h"
#include "base/exit_code.h"
#include "base/json.h"
#include "sandbox/confine.h"
#include "sandbox/descendants.h"
#include "sandbox/landlock.h"

namespace kernloop::sandbox {
namespace {

/// Empty if it can be done; else why not.
std::string why_not() {
  int result[2];
  if (!keep_descendants() || !descendants()) return "/proc cannot be read, so that processes cannot be counted";
  if (pipe2(result, O_CLOEXEC) != 0) return "no pipe can be made";
  FileDescriptor reading(result[0]), writing(result[1]);
  const pid_t child = fork();
  if (child < 0) return "no process can be started";
  if (child == 0) {
    Options options;
    options.read = {"/"};
    const auto listener = confine(options, writing);
    if (!listener) (void)!write(writing.get(), listener.error().message.data(), listener.error().message.size());
    _exit(listener ? kExitPass : kExitEnvironment);
  }
  writing.reset();
  std::string message;
  char text[256];
  for (ssize_t size = 0; (size = read(reading.get(), text, sizeof text)) > 0;)
    message.append(text, static_cast<size_t>(size));
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == kExitPass) return "";
  return message.empty() ? "a confined process ended early" : message;
}

}  // namespace

int probe() {
  const std::string lacks = why_not();
  Json event = {{"event", SandboxEvent::sandbox}, {"landlock_abi", landlock_abi()}, {"is_available", lacks.empty()}};
  if (!lacks.empty()) event["reason"] = lacks;
  std::cout << ndjson(event) << '\n';
  return lacks.empty() ? kExitPass : kExitEnvironment;
}

}  // namespace kernloop::sandbox
