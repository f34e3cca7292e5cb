// The device's own records of the kernels it ran, through CUPTI. One a process: CUPTI's callbacks carry no context.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "cuda/cupti.h"

namespace kernloop::replay {

class KernelActivity {
 public:
  static Result<std::unique_ptr<KernelActivity>> start(int driver_version);
  ~KernelActivity();
  KernelActivity(const KernelActivity&) = delete;
  KernelActivity& operator=(const KernelActivity&) = delete;

  // Forgets what ran so far.
  void forget();
  // Duration of the only kernel of that name that ran and ended since then. None if CUPTI recorded none, or several.
  std::optional<uint64_t> duration_ns(const std::string& symbol);

 private:
  explicit KernelActivity(std::shared_ptr<const cuda::Cupti> cupti) : cupti_(std::move(cupti)) {}
  std::shared_ptr<const cuda::Cupti> cupti_;
};

}  // namespace kernloop::replay
