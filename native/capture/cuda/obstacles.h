// Why a launch cannot be captured, as far as that shows before anything is done.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>

#include "capture/core/allocation_map.h"
#include "capture/core/device_capture.h"
#include "capture/cuda/cubins.h"
#include "cuda/driver.h"

namespace kernloop::capture {

// By the kernel's name and code.
std::optional<Error> obstacle_of(const std::string& symbol, const CubinChoice& code);

// `call` is a launch of the kernel of a kind that we do not capture.
Error unsupported_call(const std::string& symbol, const std::string& call);

// A launch attribute that came with a later driver: it may change what the kernel does.
Error unknown_attribute(const std::string& symbol, uint32_t attribute);

// Values among the arguments that the driver knows as addresses of memory, and we do not. `is_variable(address)`: of a
// module, which comes with the capture; it is asked about each of them.
std::optional<Error> untracked_memory(const cuda::Driver& driver, const AllocationList& allocations,
                                      std::span<const uint8_t> arguments,
                                      const std::function<bool(uint64_t)>& is_variable);

// KERNLOOP_UNTRACKED_MEMORY=refuse: no dispatch is captured that gets such a value. Else the self-check finds out
// whether it is used: unused parts of structures hold what was there before.
bool refuses_untracked_memory();

// The first value among the arguments that is an address of the program's own memory, allocated without CUDA. Some GPUs
// reach it; to others it is a number.
struct OwnMemory {
  size_t offset = 0;
  uint64_t address = 0;
};
std::optional<OwnMemory> own_memory(const cuda::Driver& driver, const AllocationList& allocations,
                                    std::span<const uint8_t> arguments);

// nccl*, nvshmem*: their kernels wait for those on other GPUs or in other processes.
bool is_collective(const std::string& symbol);

}  // namespace kernloop::capture
