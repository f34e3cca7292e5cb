#include "capture/cuda/app/thread_state.h"

#include <utility>

namespace kernloop::capture {

namespace {

// Has no destructor, so that it can be read for as long as the thread runs.
thread_local ThreadState* current = nullptr;

struct Owner {
  ~Owner() { delete std::exchange(current, nullptr); }
};

}  // namespace

// Statics of the app and its atexit handlers may call the driver once the thread's own state is gone: the state that
// such a call makes is never destroyed.
ThreadState& this_thread() {
  if (current == nullptr) {
    current = new ThreadState;
    thread_local Owner owner;
  }
  return *current;
}

}  // namespace kernloop::capture
