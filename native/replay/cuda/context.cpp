#include "replay/cuda/context.h"

namespace kernloop::replay {

using namespace cuda;

Result<std::unique_ptr<Context>> Context::find(uint32_t ordinal) {
  auto driver = Driver::load();
  if (!driver) return driver.error();
  std::unique_ptr<Context> context(new Context(*driver, ordinal));
  if (auto found = context->find_device(); !found) return found.error();
  return context;
}

Status Context::find_device() {
  if (auto started = initialise(*driver_); !started) return started;
  int count = 0;
  if (auto counted = check("cuDeviceGetCount", driver_->cuDeviceGetCount(&count), "counting devices"); !counted)
    return counted;
  if (count <= 0 || ordinal_ >= static_cast<uint32_t>(count)) {
    return Error{"DEVICE_NOT_FOUND",
                 "there is no CUDA device " + std::to_string(ordinal_) + ": the driver shows " + std::to_string(count),
                 "choose one with --device, from 0; CUDA_VISIBLE_DEVICES hides devices"};
  }
  if (auto got = check("cuDeviceGet", driver_->cuDeviceGet(&device_, static_cast<int>(ordinal_)), "opening the device");
      !got)
    return got;
  char name[256] = "";
  driver_->cuDeviceGetName(name, sizeof name - 1, device_);
  name_ = name;
  return Unit{};
}

Status Context::enter() {
  CUcontext context = nullptr;
  if (auto retained = check("cuDevicePrimaryCtxRetain", driver_->cuDevicePrimaryCtxRetain(&context, device_),
                            "opening a context on " + name_);
      !retained)
    return retained;
  retained_ = true;
  return check("cuCtxSetCurrent", driver_->cuCtxSetCurrent(context), "opening a context on " + name_);
}

Context::~Context() {
  if (!retained_ || abandoned_) return;
  driver_->cuCtxSetCurrent(nullptr);
  driver_->cuDevicePrimaryCtxRelease(device_);
}

int Context::attribute(CUdevice_attribute which) const {
  int value = 0;
  if (driver_->cuDeviceGetAttribute(&value, which, device_) != CUDA_SUCCESS) return 0;
  return value;
}

std::string Context::pci_bus_id() const {
  char id[32] = "";
  if (driver_->cuDeviceGetPCIBusId(id, sizeof id - 1, device_) != CUDA_SUCCESS) return "";
  return id;
}

ComputeCapability Context::capability() const {
  return {attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR),
          attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)};
}

std::string Context::name_of(CUresult result) const {
  const char* name = nullptr;
  if (driver_->cuGetErrorName(result, &name) == CUDA_SUCCESS && name) return name;
  return "error " + std::to_string(result);
}

Error Context::error(const char* call, CUresult result, const std::string& doing) const {
  const bool memory = result == CUDA_ERROR_OUT_OF_MEMORY;
  return {memory ? "OUT_OF_MEMORY" : "DEVICE_ERROR", doing + " failed: " + call + ": " + describe(result),
          memory ? "free the device's memory (nvidia-smi shows who holds it), or choose another with --device"
                 : "`kernloop doctor` checks the device; the kernel log (dmesg, Xid) may say more"};
}

}  // namespace kernloop::replay
