// Profile mode: CUPTI's activity records of every kernel, as samples to the recorder.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "capture/core/agent_base.h"
#include "capture/cuda/launch/occupancy.h"
#include "cuda/cupti.h"
#include "cuda/driver.h"

namespace kernloop::capture {

class CudaAgent;

class CudaProfiler {
 public:
  CudaProfiler(CudaAgent& agent, std::shared_ptr<const cuda::Driver> driver, std::shared_ptr<const cuda::Cupti> cupti)
      : agent_(agent), driver_(std::move(driver)), cupti_(std::move(cupti)) {}

  void start();
  // Takes what CUPTI still holds.
  void finish();

 private:
  static void on_buffer_wanted(uint8_t** buffer, size_t* size, size_t* max_records);
  static void on_buffer_done(cuda::CUcontext context, uint32_t stream, uint8_t* buffer, size_t size, size_t valid);
  // `offset`: from CUPTI's clock to the host's CLOCK_MONOTONIC.
  void take(const cuda::KernelActivityPrefix& record, int64_t offset);
  int64_t clock_offset() const;
  const KernelEntry* kernel_named(const std::string& symbol);
  const MultiprocessorLimits& limits_of(uint32_t device);

  CudaAgent& agent_;
  const std::shared_ptr<const cuda::Driver> driver_;
  const std::shared_ptr<const cuda::Cupti> cupti_;
  std::mutex mutex_;
  std::unordered_map<std::string, const KernelEntry*> kernels_;
  std::unordered_map<uint32_t, MultiprocessorLimits> limits_;
  std::atomic<uint64_t> dropped_{0};
};

}  // namespace kernloop::capture
