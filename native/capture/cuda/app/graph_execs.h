// The app's executable graphs that are followed: those made while a wanted kernel could be launched.
#pragma once

#include <memory>
#include <mutex>
#include <unordered_map>

#include "capture/cuda/app/followed_graph.h"

namespace kernloop::capture {

// A launch of an executable graph waits for its previous launch, in any stream. If parts replaced that launch, this
// event marks its end; null: none did.
struct GraphExec {
  GraphExec(const cuda::Driver& driver, cuda::CUgraph graph, uint64_t flags) : graph(driver, graph, flags) {}
  FollowedGraph graph;
  cuda::CUevent parts_end = nullptr;
};

class GraphExecs {
 public:
  void made(cuda::CUgraphExec exec, std::shared_ptr<GraphExec> followed) {
    std::lock_guard lock(mutex_);
    execs_[exec] = std::move(followed);
  }
  // Null: not followed.
  std::shared_ptr<GraphExec> find(cuda::CUgraphExec exec) {
    std::lock_guard lock(mutex_);
    const auto known = execs_.find(exec);
    return known != execs_.end() ? known->second : nullptr;
  }
  std::shared_ptr<GraphExec> gone(cuda::CUgraphExec exec) {
    std::lock_guard lock(mutex_);
    const auto known = execs_.find(exec);
    if (known == execs_.end()) return nullptr;
    auto followed = std::move(known->second);
    execs_.erase(known);
    return followed;
  }
  // Parts of a launch are still running: the next launch has to be made to wait for them.
  bool parts_running(const cuda::Driver& driver);

 private:
  std::mutex mutex_;
  std::unordered_map<cuda::CUgraphExec, std::shared_ptr<GraphExec>> execs_;
};

}  // namespace kernloop::capture
