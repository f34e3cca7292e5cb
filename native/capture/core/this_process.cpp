#include "capture/core/this_process.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace kernloop::capture {
namespace {

std::string executable_path() {
  char path[kMaxTextBytes];
  const ssize_t size = readlink("/proc/self/exe", path, sizeof path);
  return size > 0 ? std::string(path, static_cast<size_t>(size)) : std::string();
}

std::string command_line() {
  std::string text(kMaxCommandBytes, '\0');
  const int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return {};
  ssize_t size;
  do {
    size = read(fd, text.data(), text.size());
  } while (size < 0 && errno == EINTR);
  close(fd);
  text.resize(size > 0 ? static_cast<size_t>(size) : 0);
  return text;
}

}  // namespace

std::vector<std::string> split_command(std::string_view bytes) {
  std::vector<std::string> arguments;
  while (!bytes.empty() && arguments.size() < kMaxCommandArguments) {
    const size_t end = bytes.find('\0');
    arguments.emplace_back(bytes.substr(0, end));
    if (end == std::string_view::npos) break;
    bytes.remove_prefix(end + 1);
  }
  return arguments;
}

std::string library_of(const void* address) {
  Dl_info info{};
  if (dladdr(address, &info) == 0 || info.dli_fname == nullptr) return {};
  return std::string(info.dli_fname).substr(0, kMaxTextBytes);
}

Hello describe_this_process(const std::string& runtime) {
  Hello hello;
  hello.executable = executable_path();
  hello.runtime = runtime;
  hello.parent_pid = static_cast<uint32_t>(getppid());
  hello.command = split_command(command_line());
  return hello;
}

}  // namespace kernloop::capture
