// Duration of the kernel: the device's own record of it through CUPTI, or the time between two events around it, which
// includes the launch.
#pragma once

#include <memory>
#include <string>

#include "replay/cuda/context.h"
#include "replay/cuda/kernel_activity.h"

namespace kernloop::replay {

struct KernelTime {
  uint64_t duration_ns = 0;
  std::string timer;  // "cupti" or "events"
};

class KernelTimer {
 public:
  explicit KernelTimer(Context& context) : context_(context) {}
  ~KernelTimer();
  KernelTimer(const KernelTimer&) = delete;
  KernelTimer& operator=(const KernelTimer&) = delete;

  Status start();
  void use(std::unique_ptr<KernelActivity> activity) { activity_ = std::move(activity); }

  // Around one launch on `stream`. Kernels that ran before are not timed.
  void forget();
  cuda::CUresult before(cuda::CUstream stream);
  cuda::CUresult after(cuda::CUstream stream);
  // CUDA_SUCCESS: done; CUDA_ERROR_NOT_READY: it runs; else what went wrong.
  cuda::CUresult state() const;
  // Time of the launch between before() and after(), which has ended. `symbol` is the kernel's.
  Result<KernelTime> take(const std::string& symbol);

 private:
  Context& context_;
  cuda::CUevent begin_ = nullptr, end_ = nullptr;
  std::unique_ptr<KernelActivity> activity_;
};

}  // namespace kernloop::replay
