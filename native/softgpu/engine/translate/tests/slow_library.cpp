// A library that takes a while to make its static objects. If one is destroyed meanwhile, the program ends with 7.
// Before it destroys them, it writes to the pipe KERNLOOP_TEST_PIPE, if there is one, and waits a while.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace {

bool is_being_opened = true;

struct First {
  First() { std::puts("opening"), std::fflush(stdout); }
  ~First() {
    if (is_being_opened) ::_exit(7);
  }
} first;

struct Last {
  Last() {
    ::usleep(300000);
    is_being_opened = false;
  }
} last;

[[gnu::destructor]] void announce_end() {
  const char* const pipe = std::getenv("KERNLOOP_TEST_PIPE");
  if (pipe && ::write(std::atoi(pipe), "", 1) == 1) ::usleep(300000);
}

}  // namespace
