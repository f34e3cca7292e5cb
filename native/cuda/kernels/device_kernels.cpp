#include "cuda/kernels/device_kernels.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "cuda/kernels/device_kernels_ptx.h"
#include "cuda/kernels/pinned_buffer.h"

namespace kernloop::cuda {

struct DeviceKernels::State {
  State(const Driver& with, LaunchLimits within) : driver(with), limits(within), buffer(with) {}
  ~State() {
    // At process exit the driver may be gone, and the context too: nothing can be done then.
    if (context == nullptr || driver.cuCtxPushCurrent(context) != CUDA_SUCCESS) return;
    buffer.release();
    if (own_stream != nullptr) driver.cuStreamDestroy(own_stream);
    if (module != nullptr) driver.cuModuleUnload(module);
    CUcontext popped;
    driver.cuCtxPopCurrent(&popped);
  }

  Error failed(const char* doing, CUresult result) const {
    return {"DEVICE_ERROR", std::string("device kernels: ") + doing + ": " + driver.describe(result),
            "if the app had an error on this device before, nothing works there any more; else run `kernloop doctor`"};
  }
  Status check(const char* doing, CUresult result) const {
    if (result != CUDA_SUCCESS) return failed(doing, result);
    return Unit{};
  }

  // Runs body() with the context current.
  template <typename Body>
  Status in_context(Body&& body) {
    if (CUresult result = driver.cuCtxPushCurrent(context)) return failed("cuCtxPushCurrent", result);
    Status status = body();
    CUcontext popped;
    if (CUresult result = driver.cuCtxPopCurrent(&popped); result != CUDA_SUCCESS && status.ok())
      return failed("cuCtxPopCurrent", result);
    return status;
  }

  // Divides a range into pieces within one launch's limits: run(offset, bytes).
  template <typename Run>
  Status for_pieces(uint64_t bytes, Run&& run) {
    for (uint64_t offset = 0; offset < bytes; offset += limits.bytes) {
      Status status = run(offset, std::min(limits.bytes, bytes - offset));
      if (!status) return status;
    }
    return Unit{};
  }

  Status reserve(uint64_t bytes) { return buffer.reserve(bytes); }
  void* host() const { return buffer.host(); }
  uint64_t device() const { return buffer.device(); }

  template <typename Params>
  Status run(const char* name, uint64_t blocks, Params params) {
    void* arguments[] = {&params};
    const CUresult result = driver.cuLaunchKernel(kernels.at(name), static_cast<unsigned>(blocks), 1, 1,
                                                  kThreadsPerBlock, 1, 1, 0, stream, arguments, nullptr);
    if (result != CUDA_SUCCESS) return failed(name, result);
    return check(name, driver.cuStreamSynchronize(stream));
  }

  // Runs such a kernel over a range, or two.
  template <typename Visit>
  Status over_range(const char* name, uint64_t base, uint64_t other, uint64_t bytes, Visit&& visit) {
    return for_pieces(bytes, [&](uint64_t offset, uint64_t piece) {
      const uint64_t slice = slice_bytes_of(piece);
      const RangeParams params{base + offset, piece, other + offset, slice / 16, 0};
      return reduce(*this, name, divide_up(piece, slice), params,
                    [&](uint64_t, const BlockResult& result) { visit(offset, result); });
    });
  }
  Status difference(const char* name, uint64_t base, uint64_t other, uint64_t bytes, Comparison* comparison) {
    *comparison = {0, UINT64_MAX};
    return over_range(name, base, other, bytes, [&](uint64_t offset, const BlockResult& result) {
      comparison->differing_bytes += result.first;
      if (result.second != UINT64_MAX)
        comparison->first_difference = std::min(comparison->first_difference, offset + result.second);
    });
  }

  Status fill(uint64_t base, uint64_t bytes, uint64_t pattern);

  const Driver& driver;
  const LaunchLimits limits;
  CUcontext context = nullptr;
  CUmodule module = nullptr;
  CUstream stream = nullptr, own_stream = nullptr;
  PinnedBuffer buffer;  // data that the host reads or writes for the current launch
  std::map<std::string_view, CUfunction> kernels;
};

Status DeviceKernels::State::fill(uint64_t base, uint64_t bytes, uint64_t pattern) {
  return for_pieces(bytes, [&](uint64_t offset, uint64_t piece) {
    const uint64_t blocks = std::clamp<uint64_t>(piece / 16 / 4 / kThreadsPerBlock, 1, 8192);
    return run("kernloop_fill", blocks, FillParams{base + offset, piece, pattern});
  });
}

DeviceKernels::DeviceKernels(std::unique_ptr<State> state) : state_(std::move(state)) {}
DeviceKernels::~DeviceKernels() = default;

Result<std::unique_ptr<DeviceKernels>> DeviceKernels::load(const Driver& driver, LaunchLimits limits,
                                                           std::optional<CUstream> stream) {
  auto state = std::make_unique<State>(driver, limits);
  State& s = *state;
  if (CUresult result = driver.cuCtxGetCurrent(&s.context)) return s.failed("cuCtxGetCurrent", result);
  if (s.context == nullptr) return bad_argument("no context is current");
  if (CUresult result = driver.cuModuleLoadData(&s.module, device_kernels_ptx()))
    return s.failed("cuModuleLoadData of device_kernels.ptx", result);
  if (stream) {
    s.stream = *stream;
  } else if (CUresult result = driver.cuStreamCreate(&s.own_stream, CU_STREAM_NON_BLOCKING)) {
    return s.failed("cuStreamCreate", result);
  } else {
    s.stream = s.own_stream;
  }
  // All that any call needs: allocating pinned memory later could wait for the device.
  if (Status status = s.buffer.reserve(16ull * std::max(limits.blocks, limits.targets)); !status) return status.error();
  for (const char* name : {"kernloop_checksums", "kernloop_restore", "kernloop_compare", "kernloop_touch",
                           "kernloop_fill", "kernloop_set_targets", "kernloop_find_pointers", "kernloop_take_hits"}) {
    if (CUresult result = driver.cuModuleGetFunction(&s.kernels[name], s.module, name)) return s.failed(name, result);
  }
  std::unique_ptr<DeviceKernels> loaded(new DeviceKernels(std::move(state)));
  if (Status status = loaded->self_test(); !status) return status.error();
  return loaded;
}

// Small, and not aligned; a wrong PTX, a driver that miscompiles it or a device that cannot reach host memory show
// here.
Status DeviceKernels::self_test() {
  constexpr uint64_t kBytes = 1003, kOne = 3, kTwo = 2048 + 8;
  PinnedBuffer memory(state_->driver);
  Status status = memory.reserve(4096);
  if (!status) return status;
  auto* host = static_cast<uint8_t*>(memory.host());
  const uint64_t one = memory.device() + kOne, two = memory.device() + kTwo;
  const AddressRange target{one & ((1ull << kAddressBits) - 1), kBytes};
  Checksum128 checksum;
  Comparison comparison;
  std::vector<uint32_t> hits;
  uint64_t changed = 0;
  std::memset(host, 0, 4096);

  status = fill(one, kBytes, 0x0123456789ABCDEFull);
  if (status) status = fill(two, kBytes, target.base + 5);
  if (status) status = checksums(one, kBytes, 1008, {&checksum, 1});
  if (status) status = find_pointers(two, kBytes, {&target, 1}, &hits);
  if (status) status = touch(two, kBytes);
  if (status) status = compare(one, two, kBytes, &comparison);
  if (!status) return status;
  uint64_t differing = 0;
  for (uint64_t i = 0; i < kBytes; ++i) differing += host[kOne + i] != host[kTwo + i];
  bool right = host[kOne] == 0xEF && host[kOne + 7] == 0x01 && host[kOne - 1] == 0 && host[kOne + kBytes] == 0;
  right = right && checksum == checksum_on_host({host + kOne, kBytes}) && hits.size() == 1;
  right = right && comparison.differing_bytes == differing;
  status = restore(two, one, kBytes, &changed);
  if (!status) return status;
  right = right && changed == differing && std::memcmp(host + kOne, host + kTwo, kBytes) == 0;
  if (right) return Unit{};
  return Error{"CUDA_KERNELS_WRONG", "device kernels: they compute something else on this device than on the host",
               "update the driver; if it is recent, please report this with the name of the GPU"};
}

Status DeviceKernels::checksums(CUdeviceptr base, uint64_t bytes, uint64_t chunk_bytes, std::span<Checksum128> out) {
  return state_->in_context([&] { return run_checksums(*state_, base, bytes, chunk_bytes, out); });
}

Status DeviceKernels::find_pointers(CUdeviceptr base, uint64_t bytes, std::span<const AddressRange> targets,
                                    std::vector<uint32_t>* hits, bool tagged_interior) {
  return state_->in_context([&] { return run_find_pointers(*state_, base, bytes, targets, hits, tagged_interior); });
}

Status DeviceKernels::restore(CUdeviceptr destination, CUdeviceptr source, uint64_t bytes, uint64_t* changed_bytes) {
  *changed_bytes = 0;
  for (const uint64_t base : {destination, source})
    if (Status status = check_range(base, bytes); !status) return status;
  if (destination < source + bytes && source < destination + bytes) return bad_argument("the ranges overlap");
  Comparison comparison;
  Status status = state_->in_context(
      [&] { return state_->difference("kernloop_restore", destination, source, bytes, &comparison); });
  *changed_bytes = comparison.differing_bytes;
  return status;
}

Status DeviceKernels::compare(CUdeviceptr one, CUdeviceptr two, uint64_t bytes, Comparison* result) {
  for (const uint64_t base : {one, two})
    if (Status status = check_range(base, bytes); !status) return status;
  return state_->in_context([&] { return state_->difference("kernloop_compare", one, two, bytes, result); });
}

Status DeviceKernels::fill(CUdeviceptr base, uint64_t bytes, uint64_t pattern) {
  if (Status status = check_range(base, bytes); !status) return status;
  return state_->in_context([&] { return state_->fill(base, bytes, pattern); });
}

Status DeviceKernels::touch(CUdeviceptr base, uint64_t bytes) {
  if (Status status = check_range(base, bytes); !status) return status;
  return state_->in_context(
      [&] { return state_->over_range("kernloop_touch", base, base, bytes, [](uint64_t, const BlockResult&) {}); });
}

Status DeviceKernels::flush_l2(CUdeviceptr scratch, uint64_t bytes) {
  Status status = fill(scratch, bytes, 0);
  return status ? touch(scratch, bytes) : status;
}

}  // namespace kernloop::cuda
