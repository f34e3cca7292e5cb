// The agent's own log: one file a process, opened for each line, so that no descriptor of it is there for the app to
// close. Never stdout; stderr only for what a user must see at once, and as long as it is the one that we began with.
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
