// Asynchronous copies in flight, by their completion signals. The app may reset or destroy a signal as soon as its copy
// is done, so stores and destruction by the app end an entry too.
#pragma once

#include <atomic>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

#include "capture/hsa/queues/hsa_api.h"

namespace kernloop::capture {

// All copies that share a signal.
struct CopyInFlight {
  hsa_signal_t completion;
  std::vector<std::vector<hsa_signal_t>> waits;  // for each, the signals that it waits for
};

class CopyTracker {
 public:
  explicit CopyTracker(const HsaOriginals& hsa) : hsa_(hsa) {}

  // Called before the call may be held.
  void comes(hsa_signal_t completion);
  // Called before the copy is handed over. Copies may share one signal.
  void started(hsa_signal_t completion, std::span<const hsa_signal_t> waits);
  void failed_to_start(hsa_signal_t completion);
  // A packet that is handed over completes the signal, too: the copies are not complete yet when it is lower by theirs.
  void shared_by_packet(hsa_signal_t completion);
  // The host changes the signal by so much: that is none of the copies' doing. Called before it is lower, or after it
  // is higher.
  void changed_by_host(hsa_signal_t signal, uint64_t by) {
    if (count_.load(std::memory_order_relaxed) != 0) shift(signal, by);
  }
  // The app wrote to the signal, or destroyed it: the copy that it was for has completed.
  void signal_reused(hsa_signal_t signal) {
    if (count_.load(std::memory_order_relaxed) != 0) forget(signal);
  }
  std::vector<CopyInFlight> in_flight();
  // Signals of copies that come.
  std::vector<hsa_signal_t> coming();

 private:
  struct Entry {
    hsa_signal_value_t done_at;  // the value that says "complete"
    std::vector<std::vector<hsa_signal_t>> waits;
  };
  Entry& expect_decrement(hsa_signal_t completion);
  void forget(hsa_signal_t signal);
  void shift(hsa_signal_t signal, uint64_t by);
  void sweep();

  const HsaOriginals& hsa_;
  std::mutex mutex_;
  std::unordered_map<uint64_t, Entry> entries_;  // by the signal's handle
  std::vector<hsa_signal_t> coming_;
  std::atomic<size_t> count_{0};
};

}  // namespace kernloop::capture
