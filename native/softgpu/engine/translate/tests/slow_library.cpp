// A library that takes a while to make its static objects. If one is destroyed meanwhile, the program ends with 7.
#include <unistd.h>

#include <cstdio>

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

}  // namespace
