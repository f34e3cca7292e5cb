// Threads that help running dispatches. A dispatch never depends on them: the thread that submits it always works, too.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace kernloop::softgpu {

class HelperPool {
 public:
  struct Job {
    std::function<void()> work;  // called once by each helper that joins
    unsigned active = 0;
  };

  ~HelperPool();
  // Asks for up to `helpers` threads to call job.work.
  void submit(Job& job, unsigned helpers);
  // Takes back work that no helper has started yet, then waits for those that have, calling `while_waiting` now and
  // then.
  void finish(Job& job, const std::function<void()>& while_waiting);

 private:
  void serve();

  std::mutex mutex_;
  std::condition_variable wanted_, left_;
  std::deque<Job*> queue_;  // one entry a helper still wanted
  std::vector<std::thread> threads_;
  unsigned idle_ = 0;
  bool stopping_ = false;
};

}  // namespace kernloop::softgpu
