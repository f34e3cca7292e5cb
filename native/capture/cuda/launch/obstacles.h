// Why a launch cannot be captured, as far as that shows before anything is done.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>

#include "capture/core/allocation_map.h"
#include "capture/core/device_capture.h"
#include "capture/core/own_memory.h"
#include "capture/cuda/app/cubins.h"
#include "cuda/driver.h"

namespace kernloop::capture {

// Obstacles by the kernel's name and code.
std::optional<Error> obstacle_of(const std::string& symbol, const CubinChoice& code);

// `call` is a launch of the kernel of a kind that we do not capture.
Error unsupported_call(const std::string& symbol, const std::string& call);

// A launch attribute of a later driver: it may change the kernel's behaviour.
Error unknown_attribute(const std::string& symbol, uint32_t attribute);

// Argument values that the driver knows as addresses of memory, and the agent does not. `is_variable(address)`: whether
// it is in a module, which comes with the capture; it is called for each of them.
std::optional<Error> untracked_memory(const cuda::Driver& driver, const AllocationList& allocations,
                                      std::span<const uint8_t> arguments,
                                      const std::function<bool(uint64_t)>& is_variable);

// KERNLOOP_UNTRACKED_MEMORY=refuse: a dispatch with such a value is not captured. Otherwise the self-check finds out
// whether it is used: unused parts of structures hold old values.
bool refuses_untracked_memory();

// The first argument that leads into memory which the driver does not know.
std::optional<OwnMemory> own_memory(const cuda::Driver& driver, const AllocationList& allocations,
                                    std::span<const uint8_t> arguments);

// nccl*, nvshmem*: their kernels wait for those on other GPUs or in other processes.
bool is_collective(const std::string& symbol);

}  // namespace kernloop::capture
