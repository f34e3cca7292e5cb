// One launch of an executable graph by the app. Its kernels count as dispatches, in an order that the graph allows. To
// capture one, parts replace the launch, in its stream: the node's dependencies, the node as a plain launch, and the
// rest, which the app's own call launches.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "capture/cuda/agent.h"
#include "capture/cuda/app/graph_execs.h"
#include "capture/cuda/launch/launch.h"

namespace kernloop::capture {

class GraphLaunch {
 public:
  GraphLaunch(const ApiCall& call, std::shared_ptr<GraphExec> exec, cuda::CUstream stream);
  ~GraphLaunch();
  GraphLaunch(const GraphLaunch&) = delete;
  GraphLaunch& operator=(const GraphLaunch&) = delete;

  void run();
  // Graph that the app's call must launch instead; null: the app's own.
  cuda::CUgraphExec rest() const { return rest_; }

 private:
  struct Dispatch {
    const KernelEntry* kernel = nullptr;
    cuda::CUfunction handle = nullptr;
    std::optional<size_t> node;  // nothing: a kernel of a child graph
    Launch launch;
    uint64_t index = 0;
    std::vector<Due> due;
  };
  // The nodes left to run, as parts: before the node, from it on, and after it.
  struct Parts {
    std::vector<bool> before, from, behind;
    cuda::CUgraphExec before_exec = nullptr, from_exec = nullptr, behind_exec = nullptr;
  };

  void count(const cuda::CUDA_KERNEL_NODE_PARAMS& params, std::optional<size_t> node);
  void capture(Dispatch dispatch);
  std::string obstacle(const Dispatch& dispatch, const cuda::CUDA_KERNEL_NODE_PARAMS& params) const;
  // Empty if all are available. Nothing has run until then.
  std::string make(size_t node, Parts* parts) const;
  std::optional<Error> launch_before(const Parts& parts);
  void discard(cuda::CUgraphExec exec) const;
  void launch_beside(size_t node);
  void refuse(Dispatch dispatch, const Error& why);
  void put_off(const Dispatch& dispatch, const std::string& why);

  const ApiCall& call_;
  CudaAgent& agent_;
  const cuda::Driver& driver_;
  const std::shared_ptr<GraphExec> exec_;
  const FollowedGraph& graph_;
  const cuda::CUstream stream_;
  const cuda::CUcontext context_;
  std::vector<bool> left_;            // nodes that have not run
  cuda::CUgraphExec rest_ = nullptr;  // them; null: the app's own, all of them
};

}  // namespace kernloop::capture
