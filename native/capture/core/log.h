// The agent's own log: one file a process, opened at the first line. Never stdout; stderr only for what a user must see
// at once.
#pragma once

#include <mutex>
#include <string>

namespace kernloop::capture {

class Log {
 public:
  // `pattern` may hold %p (the process id); empty: no log.
  void open_as(std::string pattern);
  void line(const char* format, ...) __attribute__((format(printf, 2, 3)));
  // Also to stderr, prefixed with "kernloop: ".
  void alarm(const char* format, ...) __attribute__((format(printf, 2, 3)));
  void after_fork_in_child();

 private:
  void write(const char* text);
  std::mutex mutex_;
  std::string pattern_;
  int fd_ = -1;
};

}  // namespace kernloop::capture
