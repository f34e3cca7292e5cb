#include "capture/cuda/launch/cuda_device.h"

#include <algorithm>
#include <cstring>

#include "base/bytes.h"
#include "capture/core/pointer_scan.h"
#include "capture/cuda/app/poll.h"
#include "capture/cuda/app/thread_state.h"
#include "capture/cuda/memory/tracked_memory.h"

namespace kernloop::capture {

using namespace cuda;

CudaDevice::CudaDevice(std::shared_ptr<const Driver> driver, const Contexts& contexts, const Graphs& graphs,
                       const TensorMaps& tensor_maps, const ToldAddresses& told, Log& log, DeviceLaunch launch)
    : driver_(std::move(driver)),
      contexts_(contexts),
      graphs_(graphs),
      tensor_maps_(tensor_maps),
      told_(told),
      log_(log),
      launch_(std::move(launch)) {}

CudaDevice::~CudaDevice() {
  CudaDevice::finish();
  const OwnCalls own;
  const ContextScope current(*driver_, launch_.context);
  for (CUevent event : {start_, end_}) {
    if (event != nullptr) driver_->cuEventDestroy(event);
  }
}

// Freeing pinned memory and unloading a module wait until the GPU is idle. If it is not, they are left allocated:
// otherwise the app would wait for a kernel that may wait for the app.
void CudaDevice::finish() noexcept {
  if (still_running_) {
    (void)kernels_.release();
    (void)staging_.release();
    return;
  }
  const OwnModules own;
  const ContextScope current(*driver_, launch_.context);
  kernels_.reset();
  staging_.reset();
}

// The app's calls are held: a stream that is captured now began after the launch was looked at, and cannot end.
std::optional<Error> CudaDevice::drain(Deadline deadline) {
  if (graphs_.any_captured()) {
    return Error{kDeferred,
                 "just then another thread of the program began to capture a stream into a CUDA graph, during which "
                 "nothing may synchronise",
                 "capture again, or another dispatch: a later ordinal, or one while no graph is captured"};
  }
  const OwnCalls own;
  if (auto refusal = contexts_.wait_idle(deadline)) return refusal;
  return set_up();
}

// Not before the GPU is idle: loading a module waits for that in the driver, without a limit.
std::optional<Error> CudaDevice::set_up() {
  const OwnModules own;
  const ContextScope current(*driver_, launch_.context);
  auto staging = CudaStaging::create(*driver_, launch_.stream, kSnapshotChunkBytes);
  if (!staging) return staging.error();
  staging_ = std::move(*staging);
  auto kernels = DeviceKernels::load(*driver_, {}, launch_.stream);
  if (kernels) {
    kernels_ = std::move(*kernels);
  } else {
    log_.line("memory is compared by the CPU: %s: %s", kernels.error().code.c_str(), kernels.error().message.c_str());
  }
  return std::nullopt;
}

std::optional<Error> CudaDevice::read(const Allocation& from, uint64_t offset, std::span<uint8_t> into) {
  if (from.host_address != 0) return read_host(from, offset, into);
  const OwnCalls own;
  const ContextScope current(*driver_, launch_.context);
  const uint64_t end = offset + into.size();
  const Status done = staging_->read(from.base + offset, into, from.size > end ? from.size - end : 0);
  if (done && into.size() > readable_bytes_) {
    readable_ = from.base + offset;
    readable_bytes_ = into.size();
  }
  if (done) return std::nullopt;
  Error refusal = done.error();
  refusal.message =
      std::to_string(into.size()) + " bytes at " + to_hex_number(from.base + offset) + ": " + refusal.message;
  return refusal;
}

std::optional<Error> CudaDevice::read_host(const Allocation& from, uint64_t offset, std::span<uint8_t> into) {
  const uint64_t address = from.host_address + offset;
  if (!from.host_owned) {
    std::memcpy(into.data(), reinterpret_cast<const void*>(address), into.size());
    return std::nullopt;
  }
  return host_memory_.read(address, into);
}

std::optional<Error> CudaDevice::read_kernarg(std::span<uint8_t> into) {
  if (launch_.arguments.size() > into.size()) {
    return Error{"KERNEL_ARGUMENTS",
                 "the launch has " + std::to_string(launch_.arguments.size()) + " bytes of arguments, its code takes " +
                     std::to_string(into.size()),
                 "report this with the log in .kernloop/logs"};
  }
  // The app may leave out trailing bytes that no parameter uses.
  std::fill(std::copy(launch_.arguments.begin(), launch_.arguments.end(), into.begin()), into.end(), uint8_t{0});
  return std::nullopt;
}

std::optional<Error> CudaDevice::find_variable(const ModuleVariable& variable, uint64_t* address) {
  const OwnCalls own;
  const ContextScope current(*driver_, launch_.context);
  *address = 0;
  CUdeviceptr found = 0;
  size_t bytes = 0;
  const CUresult result = driver_->cuModuleGetGlobal(&found, &bytes, launch_.module, variable.name.c_str());
  if (result == CUDA_ERROR_NOT_FOUND) return std::nullopt;
  if (result != CUDA_SUCCESS) {
    return Error{"MODULE_VARIABLE", "cuModuleGetGlobal of " + variable.name + " returned " + driver_->describe(result),
                 "report this with the log in .kernloop/logs"};
  }
  if (bytes != variable.size) {
    return Error{"MODULE_VARIABLE",
                 variable.name + " has " + std::to_string(bytes) + " bytes in the loaded module, " +
                     std::to_string(variable.size) + " in its code object",
                 "report this with the log in .kernloop/logs"};
  }
  *address = found;
  return std::nullopt;
}

bool CudaDevice::is_local(const Allocation& allocation) const {
  if (allocation.host_address != 0 || allocation.memory_class == MemoryClass::kHost) return false;
  const ContextScope current(*driver_, launch_.context);
  CUdevice here = -1;
  int there = -2;
  return driver_->cuCtxGetDevice(&here) == CUDA_SUCCESS &&
         driver_->cuPointerGetAttribute(&there, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, allocation.base) == CUDA_SUCCESS &&
         here == there;
}

void CudaDevice::look_at_region(Allocation& region) {
  const OwnCalls own;
  if (is_of_peer(region)) reaches_peer_ = true;
}

bool CudaDevice::is_of_peer(const Allocation& allocation) const {
  return allocation.host_address == 0 && allocation.memory_class == MemoryClass::kDevice && !is_local(allocation);
}

std::optional<Error> CudaDevice::checksums(const Allocation& of, std::vector<Checksum>* per_snapshot_chunk) {
  const OwnCalls own;
  if (kernels_ == nullptr || !is_local(of)) return DeviceCapture::checksums(of, per_snapshot_chunk);
  const ContextScope current(*driver_, launch_.context);
  std::vector<Checksum128> sums((of.size + kSnapshotChunkBytes - 1) / kSnapshotChunkBytes);
  const Status done = kernels_->checksums(of.base, of.size, kSnapshotChunkBytes, sums);
  if (!done) return done.error();
  per_snapshot_chunk->clear();
  for (const Checksum128& sum : sums) per_snapshot_chunk->push_back({sum.low, sum.high});
  return std::nullopt;
}

std::optional<Error> CudaDevice::find_pointers(const Allocation& in, const AllocationList& all,
                                               std::vector<size_t>* hits, bool* searched) {
  const OwnCalls own;
  *searched = kernels_ != nullptr && is_local(in);
  if (!*searched) return std::nullopt;
  const ContextScope current(*driver_, launch_.context);
  return search_by<AddressRange>(*kernels_, in, all, hits);
}

void CudaDevice::find_opaque(const Allocation& in, uint64_t offset, std::span<const uint8_t> bytes,
                             std::vector<uint64_t>* addresses) {
  tensor_map_scan().feed(in.base + offset, bytes, addresses);
}

TensorMapScan& CudaDevice::tensor_map_scan() {
  if (!tensor_map_scan_) tensor_map_scan_.emplace(tensor_maps_);
  return *tensor_map_scan_;
}

void CudaDevice::keep_busy() {
  constexpr uint64_t kBytes = 4ull << 20;  // some 80 us
  constexpr int kMostCopies = 32;          // at least 2 us each
  uint64_t bytes = 0;
  for (int i = 0; readable_bytes_ != 0 && i < kMostCopies && bytes < kBytes; ++i, bytes += readable_bytes_) {
    staging_->occupy(readable_, readable_bytes_);
  }
}

void CudaDevice::before_run() {
  const OwnCalls own;
  const ContextScope current(*driver_, launch_.context);
  staging_->forget();
  driver_->cuEventCreate(&start_, CU_EVENT_DEFAULT);
  driver_->cuEventCreate(&end_, CU_EVENT_DEFAULT);
  keep_busy();
  if (start_ != nullptr) driver_->cuEventRecord(start_, launch_.stream);
}

std::optional<Error> CudaDevice::after_run(CUresult result, Deadline deadline, RunReport* report) {
  const OwnCalls own;
  const ContextScope current(*driver_, launch_.context);
  if (result != CUDA_SUCCESS) {
    return Error{"LAUNCH_FAILED", "the driver refused the launch: " + driver_->describe(result),
                 "the program itself is wrong here, or the GPU lacks something"};
  }
  if (start_ == nullptr || end_ == nullptr) {
    return Error{"DEVICE_FAULT", "the driver has no event for the end of the launch", "see the agent's log"};
  }
  // A dispatch that faulted at once shows here already.
  CUresult state = driver_->cuEventRecord(end_, launch_.stream);
  const bool recorded = state == CUDA_SUCCESS;
  if (recorded &&
      !poll_until(deadline, [&] { return (state = driver_->cuEventQuery(end_)) != CUDA_ERROR_NOT_READY; })) {
    still_running_ = true;
    return Error{"RUN_LIMIT", "the dispatch did not end within the run limit",
                 "a kernel that waits for the host or for another stream cannot be captured in isolation; otherwise "
                 "raise --run-limit-ms"};
  }
  if (state != CUDA_SUCCESS) {
    return Error{"DEVICE_FAULT", "the dispatch faulted: " + driver_->describe(state),
                 "the program itself is wrong here; compute-sanitizer tells where"};
  }
  float milliseconds = 0;
  if (driver_->cuEventElapsedTime(&milliseconds, start_, end_) == CUDA_SUCCESS) {
    report->duration_ns = static_cast<uint64_t>(static_cast<double>(milliseconds) * 1e6);
  }
  // Kernels that it launched itself, on streams of their own.
  auto refusal = contexts_.wait_idle(deadline);
  still_running_ = refusal.has_value();
  return refusal;
}

}  // namespace kernloop::capture
