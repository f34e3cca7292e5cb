// Work of a stream, and the threads that do it. An operation begins when its predecessor in the stream and all that it
// waits for are done.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

namespace kernloop::cuda::fake {

struct Operation {
  std::function<void()> work;  // may be empty
  std::vector<std::shared_ptr<Operation>> after;
  std::atomic<bool> done{false};
  std::atomic<uint64_t> end_ns{0};  // when it was done, on the clock of now_ns()
};
using OperationPtr = std::shared_ptr<Operation>;

uint64_t now_ns();  // steady

// A thread that does its operations in order. Threads are never joined: one may be in a kernel that never ends.
class Worker {
 public:
  void push(OperationPtr operation);

 private:
  void run();
  std::deque<OperationPtr> queue_;
  bool started_ = false;
};

bool is_done(const OperationPtr& operation);  // null is done
void wait_for(const OperationPtr& operation);

}  // namespace kernloop::cuda::fake
