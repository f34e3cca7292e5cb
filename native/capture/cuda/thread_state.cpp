#include "capture/cuda/thread_state.h"

#include "capture/cuda/captured_launch.h"

namespace kernloop::capture {

ThreadState::ThreadState() = default;
ThreadState::~ThreadState() = default;

ThreadState& this_thread() {
  thread_local ThreadState state;
  return state;
}

}  // namespace kernloop::capture
