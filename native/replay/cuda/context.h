// The driver, one device of it, and that device's primary context.
#pragma once

#include <memory>
#include <string>

#include "cuda/driver.h"
#include "replay/cuda/device_fit.h"

namespace kernloop::replay {

class Context {
 public:
  // Starts the driver and finds the device. DEVICE_NOT_FOUND, or errors of Driver::load.
  static Result<std::unique_ptr<Context>> find(uint32_t ordinal);
  // Makes the device's primary context, current in this thread.
  Status enter();
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  const cuda::Driver& driver() const { return *driver_; }
  cuda::CUdevice device() const { return device_; }
  uint32_t ordinal() const { return ordinal_; }
  const std::string& device_name() const { return name_; }
  ComputeCapability capability() const;
  int attribute(cuda::CUdevice_attribute which) const;
  std::string pci_bus_id() const;  // "0000:3b:00.0"; empty if the driver does not report it

  // DEVICE_ERROR or OUT_OF_MEMORY: "<doing> failed: cuMemMap: CUDA_ERROR_…: text".
  Error error(const char* call, cuda::CUresult result, const std::string& doing) const;
  Status check(const char* call, cuda::CUresult result, const std::string& doing) const {
    if (result == cuda::CUDA_SUCCESS) return Unit{};
    return error(call, result, doing);
  }
  std::string describe(cuda::CUresult result) const { return driver_->describe(result); }
  std::string name_of(cuda::CUresult result) const;  // "CUDA_ERROR_ILLEGAL_ADDRESS"

  // After a fault or a hang: the driver is not called any more, not even to clean up.
  void abandon() { abandoned_ = true; }
  bool abandoned() const { return abandoned_; }

 private:
  Context(std::shared_ptr<const cuda::Driver> driver, uint32_t ordinal)
      : driver_(std::move(driver)), ordinal_(ordinal) {}
  Status find_device();

  std::shared_ptr<const cuda::Driver> driver_;
  uint32_t ordinal_;
  cuda::CUdevice device_ = 0;
  bool retained_ = false;
  bool abandoned_ = false;
  std::string name_;
};

}  // namespace kernloop::replay
