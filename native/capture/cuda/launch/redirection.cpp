#include "capture/cuda/launch/redirection.h"

#include "capture/cuda/app/thread_state.h"

namespace kernloop::capture {

using namespace cuda;

namespace {

constexpr uint32_t kLaunched = 1, kInstead = 2;

// An executable graph that writes one word.
CUgraphExec writer(const Driver& driver, CUdeviceptr to, uint32_t value) {
  CUgraph graph = nullptr;
  CUgraphNode node = nullptr;
  CUgraphExec exec = nullptr;
  CUcontext context = nullptr;
  driver.cuCtxGetCurrent(&context);
  const CUDA_MEMSET_NODE_PARAMS params = {to, 0, value, sizeof value, 1, 1};
  if (driver.cuGraphCreate(&graph, 0) != CUDA_SUCCESS) return nullptr;
  if (driver.cuGraphAddMemsetNode(&node, graph, nullptr, 0, &params, context) != CUDA_SUCCESS ||
      driver.cuGraphInstantiateWithFlags(&exec, graph, 0) != CUDA_SUCCESS) {
    exec = nullptr;
  }
  driver.cuGraphDestroy(graph);
  return exec;
}

bool try_it(const Driver& driver, CUstream stream) {
  CUdeviceptr word = 0;
  if (driver.cuMemAlloc(&word, sizeof kLaunched) != CUDA_SUCCESS) return false;
  const CUgraphExec launched = writer(driver, word, kLaunched), instead = writer(driver, word, kInstead);
  uint32_t value = 0;
  if (launched != nullptr && instead != nullptr) {
    this_thread().launch_instead = instead;
    const CUresult result = driver.cuGraphLaunch(launched, stream);
    this_thread().launch_instead = nullptr;
    if (result == CUDA_SUCCESS && driver.cuStreamSynchronize(stream) == CUDA_SUCCESS)
      driver.cuMemcpyDtoH(&value, word, sizeof value);
  }
  for (CUgraphExec exec : {launched, instead}) {
    if (exec != nullptr) driver.cuGraphExecDestroy(exec);
  }
  driver.cuMemFree(word);
  return value == kInstead;
}

}  // namespace

void launch_instead(const CUpti_CallbackData& call, CUgraphExec exec) {
  static_cast<cuGraphLaunch_params*>(const_cast<void*>(call.functionParams))->hGraph = exec;
}

bool Redirection::works(const Driver& driver, CUstream stream) {
  if (!works_) works_ = try_it(driver, stream);
  return *works_;
}

}  // namespace kernloop::capture
