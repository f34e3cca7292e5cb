// Our kernels on the GPU: checksums, pointer search, restore, compare, fill, touch and flush of device memory at memory
// speed. They run on a stream of their own in the context that is current at load(), and every call returns when its
// work is done. Tables and results are in pinned host memory; device memory holds only the module (about 1 MiB, taken
// at load). The ranges may have any alignment. One thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "cuda/driver.h"
#include "cuda/kernels/kernel_runs.h"

namespace kernloop::cuda {

struct Comparison {
  uint64_t differing_bytes = 0;
  uint64_t first_difference = 0;  // offset; only if there is one
};

class DeviceKernels {
 public:
  // Only while the context is idle: loading a module waits for it. `driver` must outlive the object. Runs each kernel
  // once on a few bytes, so that the driver has them ready (and loads nothing lazily in the midst of a capture), and
  // checks what they compute. They run in `stream`, or in a stream of their own: a program that uses one stream pays
  // 0.1 to 0.2 us a kernel from the eighth launch in a second one on (measured on an H200 with driver 580).
  static Result<std::unique_ptr<DeviceKernels>> load(const Driver& driver, LaunchLimits limits = {},
                                                     std::optional<CUstream> stream = std::nullopt);
  ~DeviceKernels();
  DeviceKernels(const DeviceKernels&) = delete;
  DeviceKernels& operator=(const DeviceKernels&) = delete;

  // One a chunk; the last may be short. chunk_bytes is a multiple of 16.
  Status checksums(CUdeviceptr base, uint64_t bytes, uint64_t chunk_bytes, std::span<Checksum128> out);

  // Finds the targets that the region may hold pointers to, by the rules of capture/core/pointer_scan.h: their indices,
  // ascending. The targets are sorted and disjoint. Without `tagged_interior` a tagged address counts only at the start
  // of a target.
  Status find_pointers(CUdeviceptr base, uint64_t bytes, std::span<const AddressRange> targets,
                       std::vector<uint32_t>* hits, bool tagged_interior = true);

  // Makes the destination equal to the source; writes only differing bytes. `changed_bytes` gets their number. The
  // ranges must not overlap.
  Status restore(CUdeviceptr destination, CUdeviceptr source, uint64_t bytes, uint64_t* changed_bytes);

  Status compare(CUdeviceptr one, CUdeviceptr two, uint64_t bytes, Comparison* result);

  // Byte i becomes byte i % 8 of the pattern.
  Status fill(CUdeviceptr base, uint64_t bytes, uint64_t pattern);

  // Reads every byte, so that as much as fits is in the L2 cache.
  Status touch(CUdeviceptr base, uint64_t bytes);

  // Evicts the L2 cache by writing and reading scratch memory, which should be two to three times its size.
  Status flush_l2(CUdeviceptr scratch, uint64_t bytes);

 private:
  struct State;
  explicit DeviceKernels(std::unique_ptr<State> state);
  Status self_test();
  std::unique_ptr<State> state_;
};

}  // namespace kernloop::cuda
