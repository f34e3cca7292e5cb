#include "capture/cuda/app/graph_execs.h"

#include "capture/cuda/app/thread_state.h"

namespace kernloop::capture {

using namespace cuda;

bool GraphExecs::parts_running(const Driver& driver) {
  const OwnCalls own;
  std::lock_guard lock(mutex_);
  for (const auto& [exec, followed] : execs_) {
    if (followed->parts_end != nullptr && driver.cuEventQuery(followed->parts_end) == CUDA_ERROR_NOT_READY) return true;
  }
  return false;
}

}  // namespace kernloop::capture
