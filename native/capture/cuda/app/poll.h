// Waiting by looking: the driver's own waits know no deadline.
#pragma once

#include <algorithm>
#include <chrono>
#include <thread>

#include "capture/core/deadline.h"

namespace kernloop::capture {

// Calls `done` again and again, ever less often, until it returns true (then so does this) or the deadline has passed.
template <typename Done>
bool poll_until(Deadline deadline, Done&& done) {
  std::chrono::microseconds pause{0};
  while (!done()) {
    if (deadline.passed()) return false;
    if (pause.count() == 0) {
      std::this_thread::yield();
    } else {
      std::this_thread::sleep_for(pause);
    }
    pause = std::min(pause + std::chrono::microseconds(2), std::chrono::microseconds(500));
  }
  return true;
}

}  // namespace kernloop::capture
