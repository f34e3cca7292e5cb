// The agent's own log: one file a process, opened for each line, which leaves no descriptor for the app to close. Never
// stdout; stderr only for messages that a user must see at once, and only while it is still the file that it was at the
// start.
#pragma once

#include <sys/types.h>

#include <mutex>
#include <string>

namespace kernloop::capture {

class Log {
 public:
  Log();
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
  dev_t stderr_device_ = 0;
  ino_t stderr_inode_ = 0;
};

}  // namespace kernloop::capture
