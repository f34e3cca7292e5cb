#include "cuda/driver.h"

#include <dlfcn.h>

#include <cstdlib>
#include <utility>

namespace kernloop::cuda {
namespace {

constexpr const char* kDefaultLibrary = "libcuda.so.1";

enum Presence { REQUIRED, OPTIONAL };

struct Lookup {
  void* library;
  std::string missing;  // required symbols that the library lacks, comma-separated

  template <typename Function>
  void find(Function& function, const char* symbol, const char* older, Presence presence) {
    void* found = dlsym(library, symbol);
    if (found == nullptr && *older != '\0') found = dlsym(library, older);
    if (found == nullptr && presence == REQUIRED) missing += (missing.empty() ? "" : ", ") + std::string(symbol);
    function = reinterpret_cast<Function>(found);
  }
};

Error missing_driver(const std::string& library) {
  const char* why = dlerror();
  return {"ENVIRONMENT_CUDA_DRIVER_MISSING",
          "the CUDA driver library cannot be opened: " + std::string(why != nullptr ? why : library.c_str()),
          "install the NVIDIA driver (in a container: start it with the NVIDIA runtime, so that libcuda.so.1 is "
          "mounted), or "
          "name the library in KERNLOOP_CUDA_DRIVER; `kernloop doctor` shows what was found"};
}

std::string version_name(int version) {
  if (version <= 0) return "of unknown version";
  return "of CUDA " + std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

Error old_driver(const Driver& driver, const std::string& missing) {
  return {"ENVIRONMENT_CUDA_DRIVER_TOO_OLD",
          driver.path + " is " + version_name(driver.version) + " and lacks " + missing,
          "Kernloop needs the driver of CUDA 12.4 (550) or newer: update the NVIDIA driver"};
}

}  // namespace

Result<std::shared_ptr<const Driver>> Driver::load() {
  const char* named = std::getenv("KERNLOOP_CUDA_DRIVER");
  return load(named != nullptr && *named != '\0' ? named : kDefaultLibrary);
}

Result<std::shared_ptr<const Driver>> Driver::load(const std::string& library) {
  // Never closed: the driver cannot be unloaded, and its threads outlive any handle.
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return missing_driver(library);
  auto driver = std::make_shared<Driver>();
  driver->path = library;
  Lookup lookup{handle, {}};
#define FUNCTION(member, symbol, older, presence, parameters) lookup.find(driver->member, symbol, older, presence);
#include "abi/cuda/driver_functions.def"
#undef FUNCTION
  if (driver->cuDriverGetVersion != nullptr) driver->cuDriverGetVersion(&driver->version);
  if (!lookup.missing.empty()) return old_driver(*driver, lookup.missing);
  return std::shared_ptr<const Driver>(std::move(driver));
}

std::string Driver::describe(CUresult result) const {
  const char* name = nullptr;
  const char* text = nullptr;
  if (cuGetErrorName(result, &name) != CUDA_SUCCESS || name == nullptr) name = "an unknown error";
  if (cuGetErrorString(result, &text) != CUDA_SUCCESS || text == nullptr) text = "no description";
  // A driver that has ended does not tell any more.
  if (result == CUDA_ERROR_DEINITIALIZED) name = "CUDA_ERROR_DEINITIALIZED", text = "the driver has ended";
  return std::string(name) + " (" + std::to_string(static_cast<uint32_t>(result)) + "): " + text;
}

Status initialise(const Driver& driver) {
  const CUresult result = driver.cuInit(0);
  if (result == CUDA_SUCCESS) return Unit{};
  const std::string what = "cuInit: " + driver.describe(result);
  switch (result) {
    case CUDA_ERROR_NO_DEVICE:
      return Error{
          "ENVIRONMENT_CUDA_NO_DEVICE", what,
          "no NVIDIA GPU is visible to this process: check `nvidia-smi`, CUDA_VISIBLE_DEVICES and the container's "
          "devices"};
    case CUDA_ERROR_SYSTEM_DRIVER_MISMATCH:
    case CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE:
      return Error{
          "ENVIRONMENT_CUDA_DRIVER_MISMATCH", what,
          "libcuda.so.1 and the kernel module are of different versions: reboot after a driver update, or remove a "
          "forward-compatibility libcuda from LD_LIBRARY_PATH"};
    case CUDA_ERROR_STUB_LIBRARY:
      return Error{"ENVIRONMENT_CUDA_DRIVER_MISSING", what,
                   driver.path + " is the toolkit's stub: take its folder out of LD_LIBRARY_PATH"};
    default:
      return Error{"ENVIRONMENT_CUDA_DRIVER_FAILED", what,
                   "check `nvidia-smi` and the kernel log (`dmesg | grep -i nvrm`)"};
  }
}

}  // namespace kernloop::cuda
