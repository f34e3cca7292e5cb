#include "capture/cuda/graph_launch.h"

#include <algorithm>

#include "capture/cuda/captured_launch.h"
#include "capture/cuda/launch/node_launch.h"
#include "capture/cuda/launch/redirection.h"

namespace kernloop::capture {

using namespace cuda;

namespace {

constexpr const char* kCall = "cuGraphLaunch";

bool any(const std::vector<bool>& nodes) {
  return std::find(nodes.begin(), nodes.end(), true) != nodes.end();
}

Error driver_refused(const Driver& driver, const char* what, CUresult result) {
  return {"DEVICE_FAULT", std::string(what) + " returned " + driver.describe(result),
          "the program had an error on the GPU before the dispatch; see its own output"};
}

}  // namespace

GraphLaunch::GraphLaunch(const ApiCall& call, std::shared_ptr<GraphExec> exec, CUstream stream)
    : call_(call),
      agent_(call.agent),
      driver_(*call.agent.driver),
      exec_(std::move(exec)),
      graph_(exec_->graph),
      stream_(stream),
      context_(context_of(driver_, stream, call.data.context)),
      left_(graph_.nodes().size(), true) {}

GraphLaunch::~GraphLaunch() = default;

void GraphLaunch::run() {
  for (size_t number : graph_.order()) {
    const GraphNode& node = graph_.nodes()[number];
    if (!node.enabled) continue;
    for (const CUDA_KERNEL_NODE_PARAMS& params : node.children) count(params, std::nullopt);
    if (node.type == CU_GRAPH_NODE_TYPE_KERNEL) count(node.kernel, number);
  }
}

void GraphLaunch::count(const CUDA_KERNEL_NODE_PARAMS& params, std::optional<size_t> node) {
  Dispatch dispatch;
  dispatch.node = node;
  dispatch.handle = agent_.handle_of(params);
  dispatch.kernel = agent_.launched_kernel(dispatch.handle, nullptr, call_.thread);
  const KernelEntry& kernel = *dispatch.kernel;
  kernel.dispatches->fetch_add(1, std::memory_order_relaxed);
  dispatch.index = agent_.recorder->dispatches()->fetch_add(1, std::memory_order_relaxed);
  if (!kernel.is_wanted()) return;
  agent_.graphs.node_ran(kernel);
  dispatch.launch = read_node(params, stream_);
  dispatch.launch.function = dispatch.handle;
  dispatch.due = agent_.selections.on_dispatch({kernel.selections, kernel.gates, shape_of(kernel, dispatch.launch)});
  if (dispatch.due.empty() || agent_.defer_while_captured(kernel, dispatch.due)) return;
  agent_.tell_of_devices();
  if (const std::string why = obstacle(dispatch, params); !why.empty()) return put_off(dispatch, why);
  capture(std::move(dispatch));
}

std::string GraphLaunch::obstacle(const Dispatch& dispatch, const CUDA_KERNEL_NODE_PARAMS& params) const {
  if (!graph_.obstacle().empty()) return graph_.obstacle();
  if (!dispatch.node) return "the node lies in a child graph";
  if (params.ctx != nullptr && params.ctx != context_) return "the node is of another GPU or context than the stream";
  return {};
}

// Another dispatch is captured instead, if one can be.
void GraphLaunch::put_off(const Dispatch& dispatch, const std::string& why) {
  for (const Due& due : dispatch.due) agent_.selections.settle_defer(due);
  agent_.node_not_taken(*dispatch.kernel, why);
}

std::string GraphLaunch::make(size_t node, Parts* parts) const {
  parts->before = graph_.all_before(node);
  parts->from = left_;
  for (size_t i = 0; i < left_.size(); ++i) {
    parts->before[i] = parts->before[i] && left_[i];
    if (parts->before[i]) parts->from[i] = false;
  }
  parts->behind = parts->from;
  parts->behind[node] = false;
  CUresult made = CUDA_SUCCESS;
  if (any(parts->before)) made = graph_.instantiate(parts->before, &parts->before_exec);
  if (made == CUDA_SUCCESS) made = graph_.instantiate(parts->from, &parts->from_exec);
  if (made == CUDA_SUCCESS) made = graph_.instantiate(parts->behind, &parts->behind_exec);
  return made == CUDA_SUCCESS ? std::string() : "the driver makes no parts of it: " + driver_.describe(made);
}

void GraphLaunch::discard(CUgraphExec exec) const {
  if (exec != nullptr) driver_.cuGraphExecDestroy(exec);
}

// No other launch runs then: one of the same graph in another stream has ended, as the driver would have ensured.
std::optional<Error> GraphLaunch::launch_before(const Parts& parts) {
  const std::chrono::milliseconds limit(agent_.welcome.drain_limit_ms);
  return agent_.while_idle(Deadline::in(limit), [&]() -> std::optional<Error> {
    if (!agent_.redirection.works(driver_, stream_)) {
      return Error{"GRAPH_LAUNCH", "the driver did not let a launch of a graph be replaced by that of its parts",
                   "run the program without CUDA graphs (for PyTorch: no torch.cuda.graph, no torch.compile with "
                   "reduce-overhead), and report the driver's version"};
    }
    if (parts.before_exec == nullptr) return std::nullopt;
    const CUresult launched = driver_.cuGraphLaunch(parts.before_exec, stream_);
    if (launched == CUDA_SUCCESS) return std::nullopt;
    return driver_refused(driver_, "cuGraphLaunch of what the node depends on", launched);
  });
}

void GraphLaunch::refuse(Dispatch dispatch, const Error& why) {
  (void)CapturedLaunch::before(agent_, *dispatch.kernel, kCall, std::move(dispatch.launch), dispatch.handle, context_,
                               dispatch.index, std::move(dispatch.due), why);
}

// The node is past its limit: it may wait for a node of another branch. The other branches run beside it, as in the
// graph, in a stream of their own; only nodes that depend on it stay behind it.
void GraphLaunch::launch_beside(size_t node) {
  std::vector<bool> beside = left_, behind = left_;
  for (size_t i = 0; i < left_.size(); ++i) {
    (graph_.all_before(i)[node] ? beside : behind)[i] = false;
  }
  CUgraphExec beside_exec = nullptr, behind_exec = nullptr;
  CUstream stream = nullptr;
  CUevent end = nullptr;
  if (!any(beside) || graph_.instantiate(beside, &beside_exec) != CUDA_SUCCESS ||
      graph_.instantiate(behind, &behind_exec) != CUDA_SUCCESS ||
      driver_.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING) != CUDA_SUCCESS ||
      driver_.cuEventCreate(&end, CU_EVENT_DISABLE_TIMING) != CUDA_SUCCESS ||
      driver_.cuGraphLaunch(beside_exec, stream) != CUDA_SUCCESS) {
    return;
  }
  left_ = std::move(behind);
  rest_ = behind_exec;
  driver_.cuEventRecord(end, stream);
  driver_.cuStreamWaitEvent(stream_, end, 0);
}

void GraphLaunch::capture(Dispatch dispatch) {
  const OwnCalls own;
  const UncapturedCalls uncaptured(driver_);
  const ContextScope current(driver_, context_);
  Parts parts;
  std::string why = make(*dispatch.node, &parts);
  CUDA_KERNEL_NODE_PARAMS params = {};
  const CUgraphNode node = graph_.nodes()[*dispatch.node].copy;
  if (why.empty() && driver_.cuGraphKernelNodeGetParams(node, &params) != CUDA_SUCCESS)
    why = "the driver does not tell the arguments of the node";
  std::optional<Error> refusal;
  if (why.empty()) refusal = launch_before(parts);
  if (refusal && refusal->code == kDeferred) why = refusal->message;
  if (!why.empty() || refusal) {
    for (CUgraphExec exec : {parts.before_exec, parts.from_exec, parts.behind_exec}) discard(exec);
    return why.empty() ? refuse(std::move(dispatch), *refusal) : put_off(dispatch, why);
  }
  discard(rest_);
  rest_ = parts.from_exec;
  left_ = parts.from;
  Launch& launch = dispatch.launch;
  launch.parameters = params.kernelParams;
  launch.extra = params.extra;
  std::vector<CUlaunchAttribute> attributes = attributes_of_node(driver_, node);
  for (const CUlaunchAttribute& attribute : attributes) read_attribute(attribute, &launch);
  launch.attributes.push_back({"graph_node", 1});
  const auto captured = CapturedLaunch::before(agent_, *dispatch.kernel, kCall, launch, dispatch.handle, context_,
                                               dispatch.index, std::move(dispatch.due), std::nullopt);
  if (captured == nullptr) return discard(parts.behind_exec);
  const CUresult result = launch_alone(driver_, launch, dispatch.handle, std::move(attributes));
  const bool is_running = captured->after(result);
  // The rest is launched by the app's call, and never destroyed: it may still run when the app destroys the graph.
  if (result == CUDA_SUCCESS) {
    left_ = parts.behind;
    std::swap(rest_, parts.behind_exec);
    if (is_running) launch_beside(*dispatch.node);
  }
  discard(parts.behind_exec);
  discard(parts.before_exec);
}

}  // namespace kernloop::capture
