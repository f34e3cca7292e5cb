#include "pgo/collect/cuda/collector.h"

#include <unistd.h>

#include <cstdlib>
#include <set>

#include "pgo/collect/log.h"
#include "pgo/format/files.h"

namespace kernloop::pgo::cuda {

namespace {

// The CUDA runtime passes its fat binaries in a wrapper (fatbinary_section.h).
const void* unwrapped(const void* image) {
  constexpr uint32_t kWrapperMagic = 0x466243b1;
  struct Wrapper {
    uint32_t magic, version;
    const void* data;
    const void* unused;
  };
  const auto* wrapper = static_cast<const Wrapper*>(image);
  return wrapper->magic == kWrapperMagic ? wrapper->data : image;
}

std::string in_hex(const void* address) {
  char text[24];
  std::snprintf(text, sizeof text, "%p", address);
  return text;
}

}  // namespace

Collector& Collector::instance() {
  static Collector* const one = new Collector;  // never destroyed: code goes after everything static
  return *one;
}

const Driver* Collector::driver() {
  const std::lock_guard lock(mutex_);
  if (!looked_for_) {
    looked_for_ = true;
    auto loaded = Driver::load();
    if (loaded)
      driver_ = *loaded;
    else
      warn(loaded.error());
  }
  return driver_.get();
}

// A forked process has its parent's handles, but no device behind them.
bool Collector::usable() const {
  return driver_ && process_ == ::getpid();
}

void Collector::add(const void* handle, bool library, const void* image, const char* file) {
  if (!handle || !driver()) return;
  std::vector<Unit> units;
  if (file) {
    const auto bytes = read_file(file);
    if (!bytes) return warn(bytes.error());
    units = find_units_by_name(*bytes);
  } else if (image) {
    image = unwrapped(image);
    const uint64_t size = size_of_cuda_image(image);
    if (size == 0) return note("code " + in_hex(handle) + " is of an unknown kind, and is not looked at");
    units = find_units_by_name({static_cast<const uint8_t*>(image), size});
  }
  if (units.empty())
    return note("code " + in_hex(handle) + " is not instrumented, or compressed (build it with --no-compress)");
  for (const Unit& unit : units) note("code " + in_hex(handle) + ": unit " + unit.cuid);
  const std::lock_guard lock(mutex_);
  Loaded loaded{std::move(units), library, nullptr};
  driver_->cuCtxGetCurrent(&loaded.context);
  loaded_[handle] = std::move(loaded);
  if (process_ != 0) return;
  process_ = ::getpid();
  // The driver is initialised first, so that its own end comes after this.
  std::atexit([] { Collector::instance().finish(); });
}

void Collector::module_loaded(CUmodule module, const void* image) {
  add(module, false, image, nullptr);
}
void Collector::module_loaded_from(CUmodule module, const char* file) {
  add(module, false, nullptr, file);
}
void Collector::library_loaded(CUlibrary library, const void* image) {
  add(library, true, image, nullptr);
}
void Collector::library_loaded_from(CUlibrary library, const char* file) {
  add(library, true, nullptr, file);
}

// A library is loaded in every context that used it: the current one, and the devices' primary ones.
std::vector<CUcontext> Collector::contexts_of(const Loaded& loaded) {
  if (!loaded.library) return {loaded.context};
  std::set<CUcontext> contexts;
  CUcontext current = nullptr;
  if (driver_->cuCtxGetCurrent(&current) == CUDA_SUCCESS && current) contexts.insert(current);
  if (loaded.context) contexts.insert(loaded.context);
  int devices = 0;
  driver_->cuDeviceGetCount(&devices);
  for (int ordinal = 0; ordinal < devices; ++ordinal) {
    CUdevice device{};
    unsigned flags = 0;
    int active = 0;
    CUcontext primary = nullptr;
    if (driver_->cuDeviceGet(&device, ordinal) != CUDA_SUCCESS) continue;
    if (driver_->cuDevicePrimaryCtxGetState(device, &flags, &active) != CUDA_SUCCESS || !active) continue;
    if (driver_->cuDevicePrimaryCtxRetain(&primary, device) != CUDA_SUCCESS) continue;
    contexts.insert(primary);
    driver_->cuDevicePrimaryCtxRelease(device);
  }
  return {contexts.begin(), contexts.end()};
}

bool Collector::read(const void* handle, Loaded& loaded, CUcontext only) {
  bool all = true;
  for (CUcontext context : contexts_of(loaded)) {
    if (only && context != only) continue;
    CUresult result = driver_->cuCtxPushCurrent(context);
    if (result == CUDA_SUCCESS) {
      result = driver_->cuCtxSynchronize();
      if (result == CUDA_SUCCESS) {
        const auto [entry, is_new] = numbers_.emplace(context, next_number_);
        next_number_ += is_new;
        const int number = entry->second;
        all &= session_.read({handle, number}, loaded.units, [&](const Variable& variable) -> std::optional<Buffer> {
          CUdeviceptr address = 0;
          size_t size = 0;
          const CUresult found =
              loaded.library
                  ? driver_->cuLibraryGetGlobal(&address, &size, static_cast<CUlibrary>(const_cast<void*>(handle)),
                                                variable.name.c_str())
                  : driver_->cuModuleGetGlobal(&address, &size, static_cast<CUmodule>(const_cast<void*>(handle)),
                                               variable.name.c_str());
          if (found != CUDA_SUCCESS) return std::nullopt;
          Buffer bytes(size);
          if (driver_->cuMemcpyDtoH(bytes.data(), address, size) != CUDA_SUCCESS) return std::nullopt;
          return bytes;
        });
      }
      CUcontext popped = nullptr;
      driver_->cuCtxPopCurrent(&popped);
    }
    if (result == CUDA_ERROR_DEINITIALIZED && loaded.was_read) {
      note("code " + in_hex(handle) + " was read while the driver was there");
    } else if (result != CUDA_SUCCESS) {
      warn("the counters of code " + in_hex(handle) + " (" + loaded.units[0].cuid +
           ") are lost: " + driver_->describe(result));
      all = false;
    } else {
      loaded.was_read = true;
    }
  }
  return all;
}

void Collector::unloaded(const void* handle) {
  const std::lock_guard lock(mutex_);
  const auto found = loaded_.find(handle);
  if (found == loaded_.end()) return;
  if (usable()) {
    read(handle, found->second);
    session_.retire_all(handle);
    session_.write();
  }
  loaded_.erase(found);
}

void Collector::context_goes(CUcontext context) {
  const std::lock_guard lock(mutex_);
  if (!usable()) return;
  for (auto& [handle, loaded] : loaded_) read(handle, loaded, context);
  session_.write();
  forget(context);
}

void Collector::forget(CUcontext context) {
  const auto number = numbers_.find(context);
  for (auto at = loaded_.begin(); at != loaded_.end();) {
    const auto& [handle, loaded] = *at;
    if (number != numbers_.end()) session_.retire({handle, number->second});
    if (loaded.library && loaded.context == context) at->second.context = nullptr;
    at = !loaded.library && loaded.context == context ? loaded_.erase(at) : std::next(at);
  }
  // Another context may come at the same address.
  if (number != numbers_.end()) numbers_.erase(number);
}

CUcontext Collector::primary_context_may_go(CUdevice device) {
  if (!driver()) return nullptr;
  unsigned flags = 0;
  int active = 0;
  CUcontext primary = nullptr;
  if (driver_->cuDevicePrimaryCtxGetState(device, &flags, &active) != CUDA_SUCCESS || !active) return nullptr;
  if (driver_->cuDevicePrimaryCtxRetain(&primary, device) != CUDA_SUCCESS) return nullptr;
  {
    const std::lock_guard lock(mutex_);
    if (usable()) {
      for (auto& [handle, loaded] : loaded_) read(handle, loaded, primary);
      session_.write();
    }
  }
  driver_->cuDevicePrimaryCtxRelease(device);
  return primary;
}

void Collector::primary_context_went(CUdevice device, CUcontext context) {
  unsigned flags = 0;
  int active = 0;
  if (!context || (driver_->cuDevicePrimaryCtxGetState(device, &flags, &active) == CUDA_SUCCESS && active)) return;
  const std::lock_guard lock(mutex_);
  forget(context);
}

bool Collector::collect() {
  const std::lock_guard lock(mutex_);
  if (!usable()) return true;
  bool all = true;
  for (auto& [handle, loaded] : loaded_) all &= read(handle, loaded);
  return session_.write() && all;
}

// The runtime unloads its code after this, perhaps when the driver has ended: code that is never unloaded is known only
// at the very end.
void Collector::finish() {
  if (usable()) collect();
}

void Collector::warn_of_the_rest() {
  if (!usable()) return;
  const std::lock_guard lock(mutex_);
  for (const auto& [handle, loaded] : loaded_) {
    if (!loaded.was_read || !loaded.context) continue;  // already reported, and given back
    warn("code " + in_hex(handle) + " (" + loaded.units[0].cuid +
         ") was never unloaded: its counters were read at the end of the process, and would be lost if it did not get "
         "there");
  }
}

namespace {

__attribute__((destructor)) void at_last() {
  Collector::instance().warn_of_the_rest();
}

}  // namespace

}  // namespace kernloop::pgo::cuda
