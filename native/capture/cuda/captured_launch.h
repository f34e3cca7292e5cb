// One launch that selections want, from the callback before the app's call to the one after it.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "capture/core/selected_dispatch.h"
#include "capture/cuda/cuda_device.h"
#include "capture/cuda/launch.h"

namespace kernloop::capture {

class CudaAgent;

class CapturedLaunch {
 public:
  ~CapturedLaunch();
  CapturedLaunch(const CapturedLaunch&) = delete;
  CapturedLaunch& operator=(const CapturedLaunch&) = delete;

  // Null: nothing more is to be done with this launch. Else the app's call is to run now, and after() to follow.
  // `launch`: nothing, if it is of a kind that cannot be captured.
  static std::unique_ptr<CapturedLaunch> before(CudaAgent& agent, const KernelEntry& kernel, const char* call,
                                                std::optional<Launch> launch, cuda::CUfunction handle,
                                                cuda::CUcontext context, uint64_t index, std::vector<Due> due);
  void after(cuda::CUresult result);

 private:
  explicit CapturedLaunch(CudaAgent& agent) : agent_(agent) {}

  CudaAgent& agent_;
  std::optional<CudaDevice> device_;  // outlives what holds the app's other calls
  std::optional<SelectedDispatch> dispatch_;
};

}  // namespace kernloop::capture
