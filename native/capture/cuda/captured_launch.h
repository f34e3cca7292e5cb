// One launch that selections want, from the callback before the app's call to the one after it.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <vector>

#include "capture/core/selected_dispatch.h"
#include "capture/cuda/app/cubins.h"
#include "capture/cuda/launch/cuda_device.h"
#include "capture/cuda/launch/launch.h"

namespace kernloop::capture {

// Read in the same process by the Triton hooks (python/shim): only a launch that counts here has to be described there:
// one that is captured, or that makes a node of a graph, which may be captured later.
extern "C" std::atomic<uint64_t> kernloop_captures_begun;

class CudaAgent;

class CapturedLaunch {
 public:
  ~CapturedLaunch();
  CapturedLaunch(const CapturedLaunch&) = delete;
  CapturedLaunch& operator=(const CapturedLaunch&) = delete;

  // Null: this launch needs nothing more. Otherwise the app's call must run now, and after() must follow. `launch`:
  // none, if it is of a kind that cannot be captured. `obstacle`: the reason why it cannot, if known.
  static std::unique_ptr<CapturedLaunch> before(CudaAgent& agent, const KernelEntry& kernel, const char* call,
                                                std::optional<Launch> launch, cuda::CUfunction handle,
                                                cuda::CUcontext context, uint64_t index, std::vector<Due> due,
                                                std::optional<Error> obstacle = std::nullopt);
  // True: the launch goes on, past its limit.
  bool after(cuda::CUresult result);

 private:
  explicit CapturedLaunch(CudaAgent& agent) : agent_(agent) {}

  void add(const std::vector<LoadedVariable>& variables);

  CudaAgent& agent_;
  std::vector<uint64_t> added_;       // variables, by address
  std::optional<CudaDevice> device_;  // outlives the hold of the app's other calls
  std::optional<SelectedDispatch> dispatch_;
};

}  // namespace kernloop::capture
