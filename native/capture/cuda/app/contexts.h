// The app's contexts, and waiting until the GPU has nothing left to do in any of them. Nothing here blocks without a
// deadline, even if the app's kernels wait forever.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "capture/core/deadline.h"
#include "capture/core/device_capture.h"
#include "cuda/driver.h"

namespace kernloop::capture {

// Makes a context current for a while.
class ContextScope {
 public:
  ContextScope(const cuda::Driver& driver, cuda::CUcontext context);
  ~ContextScope();
  ContextScope(const ContextScope&) = delete;
  ContextScope& operator=(const ContextScope&) = delete;
  bool ok() const { return pushed_; }

 private:
  const cuda::Driver& driver_;
  bool pushed_ = false;
};

class Contexts {
 public:
  explicit Contexts(std::shared_ptr<const cuda::Driver> driver) : driver_(std::move(driver)) {}

  void created(cuda::CUcontext context);
  void destroyed(cuda::CUcontext context);
  std::vector<cuda::CUcontext> all() const;
  // Contexts created since the last call.
  std::vector<cuda::CUcontext> take_new();

  std::optional<Error> wait_idle(Deadline deadline) const;

 private:
  const std::shared_ptr<const cuda::Driver> driver_;
  mutable std::mutex mutex_;
  std::vector<cuda::CUcontext> contexts_, new_;
  std::atomic<bool> has_new_{false};
};

}  // namespace kernloop::capture
