// From a kernel dispatch packet to the engine, and back to HSA's result.
#pragma once

#include <hsa/hsa.h>

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "softgpu/engine/engine.h"
#include "softgpu/engine/observe/probes.h"
#include "softgpu/hsa/queues/past_lds_report.h"
#include "softgpu/hsa/queues/signals.h"

namespace kernloop::softgpu {

// Changed by the vendor extension while dispatches run; each dispatch reads them once.
struct DispatchSettings {
  std::atomic<uint64_t> max_wave_instructions{0};
  std::atomic<uint64_t> seed{0};
  std::atomic<uint64_t> unwritten_fill{0};
  std::atomic<uint32_t> machine_in_use{0};
  std::atomic<uint32_t> threads{0};
  std::atomic<bool> record_accesses{false};
  std::atomic<bool> profile{false};
  Checks checks;                 // set once, at hsa_init
  bool faults_past_lds = false;  // likewise
  std::atomic<uint64_t> adverse_wave_instructions{0};
  std::atomic<bool> adverse_races{false};
  std::atomic<const Residency*> residency{nullptr};

  void set_probes(std::shared_ptr<const ProbeProgram> probes) {
    std::lock_guard lock(mutex_);
    probes_ = std::move(probes);
  }
  std::shared_ptr<const ProbeProgram> probes() const {
    std::lock_guard lock(mutex_);
    return probes_;
  }
  void watch_float_atomics(std::shared_ptr<const std::vector<AddressRange>> in) {
    std::lock_guard lock(mutex_);
    float_atomics_ = std::move(in);
  }
  std::shared_ptr<const std::vector<AddressRange>> float_atomics() const {
    std::lock_guard lock(mutex_);
    return float_atomics_;
  }

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const ProbeProgram> probes_;
  std::shared_ptr<const std::vector<AddressRange>> float_atomics_;
};

struct KernelInfo {
  std::string name;
  uint32_t group_segment_bytes = 0;
  uint32_t private_segment_bytes = 0;
};

// The queue error that ROCr reports for such a fault.
hsa_status_t status_of(const Fault& fault);

class Dispatcher {
 public:
  using KernelLookup = std::function<std::optional<KernelInfo>(uint64_t kernel_object)>;
  Dispatcher(Engine& engine, DispatchSettings& settings, KernelLookup find_kernel);

  std::shared_ptr<const DispatchRecord> run(const hsa_kernel_dispatch_packet_t& packet, uint64_t packet_address,
                                            uint64_t queue_address, uint64_t dispatch_id,
                                            const std::function<bool()>& cancelled);
  // Record of a dispatch that does not run, because the device is lost.
  std::shared_ptr<const DispatchRecord> not_executed(const hsa_kernel_dispatch_packet_t& packet);

 private:
  Engine& engine_;
  DispatchSettings& settings_;
  PastLdsReport past_lds_;
  KernelLookup find_kernel_;
};

}  // namespace kernloop::softgpu
