// Asynchronous copies in flight, by their completion signals. The app may reset or destroy a signal as soon as its copy
// is done, so stores and destruction by the app end an entry too.
#pragma once

#include <atomic>
#include <mutex>
#include <unordered_map>

#include "capture/core/deadline.h"
#include "capture/hsa/hsa_api.h"

namespace kernloop::capture {

class CopyTracker {
 public:
  explicit CopyTracker(const HsaOriginals& hsa) : hsa_(hsa) {}

  // Called before the copy is handed over. Copies may share one signal.
  void started(hsa_signal_t completion);
  void failed_to_start(hsa_signal_t completion);
  // The app wrote to the signal, or destroyed it: the copy that it was for has completed.
  void signal_reused(hsa_signal_t signal) {
    if (count_.load(std::memory_order_relaxed) != 0) forget(signal);
  }
  // False at the deadline.
  bool wait_all(Deadline deadline);

 private:
  void forget(hsa_signal_t signal);
  void sweep();

  const HsaOriginals& hsa_;
  std::mutex mutex_;
  std::unordered_map<uint64_t, hsa_signal_value_t> done_at_;  // signal handle to the value that says "complete"
  std::atomic<size_t> count_{0};
};

}  // namespace kernloop::capture
