// DeviceCapture for one launch that the driver is about to carry out, or has just carried out.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "capture/core/device_capture.h"
#include "capture/core/host_memory.h"
#include "capture/core/log.h"
#include "capture/core/told_addresses.h"
#include "capture/cuda/app/contexts.h"
#include "capture/cuda/app/graphs.h"
#include "capture/cuda/memory/staging.h"
#include "capture/cuda/memory/tensor_maps.h"
#include "cuda/driver.h"
#include "cuda/kernels/device_kernels.h"

namespace kernloop::capture {

// The driver's view of the captured launch.
struct DeviceLaunch {
  cuda::CUcontext context = nullptr;
  cuda::CUstream stream = nullptr;
  cuda::CUmodule module = nullptr;  // the kernel's; null: unknown
  std::vector<uint8_t> arguments;
};

class CudaDevice : public DeviceCapture {
 public:
  CudaDevice(std::shared_ptr<const cuda::Driver> driver, const Contexts& contexts, const Graphs& graphs,
             const TensorMaps& tensor_maps, const ToldAddresses& told, Log& log, DeviceLaunch launch);
  ~CudaDevice() override;
  CudaDevice(const CudaDevice&) = delete;
  CudaDevice& operator=(const CudaDevice&) = delete;

  std::optional<Error> drain(Deadline deadline) override;
  std::optional<Error> read(const Allocation& from, uint64_t offset, std::span<uint8_t> into) override;
  std::optional<Error> read_kernarg(std::span<uint8_t> into) override;
  std::optional<Error> find_variable(const ModuleVariable& variable, uint64_t* address) override;
  std::optional<bool> was_address_told(const ByteRange& variable) const override { return told_.any_in(variable); }
  void look_at_region(Allocation& region) override;
  bool has_device_checksums() const override { return kernels_ != nullptr; }
  std::optional<Error> checksums(const Allocation& of, std::vector<Checksum>* per_snapshot_chunk) override;
  std::optional<Error> find_pointers(const Allocation& in, const AllocationList& all, std::vector<size_t>* hits,
                                     bool* searched) override;
  void find_opaque(const Allocation& in, uint64_t offset, std::span<const uint8_t> bytes,
                   std::vector<uint64_t>* addresses) override;
  bool may_hold_opaque() override { return !tensor_map_scan().knows_none(); }

  void finish() noexcept override;

  // Around the app's own call: stamps in its stream. Some idle copies come before the first, so that the launch is in
  // the stream by the time of the stamp, and the driver's work for it is not measured.
  void before_run();
  // Memory of another GPU is in the scope.
  bool reaches_peer() const { return reaches_peer_; }
  // It was not seen to end.
  bool still_running() const { return still_running_; }
  // Waits until the launch has ended; `result` is the call's.
  std::optional<Error> after_run(cuda::CUresult result, Deadline deadline, RunReport* report);

 private:
  TensorMapScan& tensor_map_scan();
  std::optional<Error> set_up();
  std::optional<Error> read_host(const Allocation& from, uint64_t offset, std::span<uint8_t> into);
  // The GPU of the launch reads it as its own.
  bool is_local(const Allocation& allocation) const;

  const std::shared_ptr<const cuda::Driver> driver_;
  const Contexts& contexts_;
  const Graphs& graphs_;
  const TensorMaps& tensor_maps_;
  const ToldAddresses& told_;
  Log& log_;
  const DeviceLaunch launch_;
  std::unique_ptr<CudaStaging> staging_;
  std::unique_ptr<cuda::DeviceKernels> kernels_;
  std::optional<TensorMapScan> tensor_map_scan_;
  bool is_of_peer(const Allocation& allocation) const;
  void keep_busy();

  bool reaches_peer_ = false;
  bool still_running_ = false;  // the dispatch, past its limit

  uint64_t readable_ = 0, readable_bytes_ = 0;  // some memory of the device
  cuda::CUevent start_ = nullptr, end_ = nullptr;
  HostMemory host_memory_;
};

}  // namespace kernloop::capture
