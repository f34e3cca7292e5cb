#include "softgpu/hsa/host/log.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <set>
#include <string>

namespace kernloop::softgpu {
namespace {

std::atomic<int> g_level{0};

void write_line(const char* format, va_list arguments) {
  constexpr char kPrefix[] = "kernloop softgpu: ";
  char line[4096];
  std::memcpy(line, kPrefix, sizeof(kPrefix) - 1);
  size_t length = sizeof(kPrefix) - 1;
  int written = std::vsnprintf(line + length, sizeof(line) - length - 1, format, arguments);
  if (written < 0) return;
  length = std::min(length + static_cast<size_t>(written), sizeof(line) - 2);
  line[length++] = '\n';
  for (size_t done = 0; done < length;) {
    ssize_t n = ::write(STDERR_FILENO, line + done, length - done);
    if (n <= 0) return;  // nowhere left to say it
    done += static_cast<size_t>(n);
  }
}

}  // namespace

void set_log_level(int level) {
  g_level.store(level, std::memory_order_relaxed);
}

bool logs(LogLevel level) {
  return static_cast<int>(level) <= g_level.load(std::memory_order_relaxed);
}

void report_error(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  write_line(format, arguments);
  va_end(arguments);
}

void log_line(LogLevel level, const char* format, ...) {
  if (!logs(level)) return;
  va_list arguments;
  va_start(arguments, format);
  write_line(format, arguments);
  va_end(arguments);
}

void report_unsupported(const char* function, const char* reason) {
  static std::mutex mutex;
  static std::set<std::string>* said =
      new std::set<std::string>;  // outlives static destruction: exit handlers may call us
  std::lock_guard lock(mutex);
  if (said->insert(function).second) report_error("%s is not supported: %s", function, reason);
}

}  // namespace kernloop::softgpu
