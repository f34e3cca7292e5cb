#include "softgpu/kfd/queue.h"

#include <chrono>
#include <ctime>

namespace kernloop::softgpu::kfd {

bool Queue::wait_until(const std::function<bool()>& is_ready) {
  using std::chrono::microseconds;
  for (unsigned round = 0; !is_ready(); round++) {
    if (is_stopped()) return false;
    if (round < 50) {
      std::this_thread::yield();
    } else {
      // The longer nothing arrives, the less often it polls.
      std::this_thread::sleep_for(round < 500    ? microseconds(20)
                                  : round < 2000 ? microseconds(100)
                                                 : microseconds(500));
    }
  }
  return !is_stopped();
}

uint64_t gpu_ticks() {
  timespec now;
  ::clock_gettime(CLOCK_MONOTONIC_RAW, &now);
  return static_cast<uint64_t>(now.tv_sec) * 100'000'000 + static_cast<uint64_t>(now.tv_nsec) / 10;
}

}  // namespace kernloop::softgpu::kfd
