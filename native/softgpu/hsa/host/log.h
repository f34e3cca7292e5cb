// The runtime's messages on stderr. Errors are always written; the rest follows KERNLOOP_SOFTGPU_LOG.
#pragma once

namespace kernloop::softgpu {

enum class LogLevel : int { kSetup = 1, kObjects = 2, kPackets = 3 };

void set_log_level(int level);
bool logs(LogLevel level);

// One line, written at once, so that lines of several threads do not mix.
[[gnu::format(printf, 1, 2)]] void report_error(const char* format, ...);
[[gnu::format(printf, 2, 3)]] void log_line(LogLevel level, const char* format, ...);

// An API function that exists but is not supported: said once per process and function.
void report_unsupported(const char* function, const char* reason);

}  // namespace kernloop::softgpu
