// Asynchronous copies, as the SDMA engines of a GPU do them: each starts when its dependencies are zero.
#pragma once

#include <hsa/hsa.h>

#include <atomic>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "softgpu/hsa/queues/signals.h"

namespace kernloop::softgpu {

class CopyEngine {
 public:
  explicit CopyEngine(Signals& signals);
  ~CopyEngine();

  // Runs `work` once every dependency is 0, then completes `completion` (which may be empty). Work that is ready runs
  // in the order of submission; work that waits does not hold up others.
  void submit(std::vector<hsa_signal_t> dependencies, std::function<void()> work, hsa_signal_t completion);

 private:
  struct Job {
    std::vector<WaitTarget> waiting_for;
    std::function<void()> work;
    hsa_signal_t completion;
  };
  void run();

  Signals& signals_;
  std::mutex mutex_;
  std::deque<Job> jobs_;
  std::atomic<bool> changed_{false};
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace kernloop::softgpu
