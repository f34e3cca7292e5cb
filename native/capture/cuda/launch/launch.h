// One launch as the app asked for it, whichever of the driver's calls it used.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "abi/cuda/cupti.h"
#include "capture/core/device_capture.h"
#include "capture/core/kernel_table.h"
#include "capture/core/protocol.h"
#include "capture/core/selection.h"
#include "cuda/driver.h"

namespace kernloop::capture {

struct Launch {
  cuda::CUfunction function = nullptr;  // or a CUkernel
  std::array<uint32_t, 3> grid_blocks{1, 1, 1}, block_threads{1, 1, 1};
  uint32_t dynamic_shared_bytes = 0;
  cuda::CUstream stream = nullptr;
  void** parameters = nullptr;
  void** extra = nullptr;
  std::vector<LaunchAttribute> attributes;
  bool programmatic = false;  // may overlap the kernel before it
  std::optional<uint32_t> unknown_attribute;
};

// Function of a call that launches one kernel with its arguments; null for other calls. Cheap.
cuda::CUfunction launched_function(uint32_t id, const void* params);
// Reads an attribute of a launch through a graph's node.
void read_attribute(const cuda::CUlaunchAttribute& attribute, Launch* launch);
// None for calls that cannot be captured: those of CUDA 3 (cuLaunch, cuLaunchGrid), whose arguments were set before,
// and launches on several GPUs at once.
std::optional<Launch> read_launch(uint32_t id, const void* params);

// Properties that distinguish launches of a kernel. For a call that cannot be captured only the kernel is known.
LaunchShape shape_of(const KernelEntry& kernel, const std::optional<Launch>& launch);

// A stream has its context, whichever is current: the calling thread's for the streams that every context has.
cuda::CUcontext context_of(const cuda::Driver& driver, cuda::CUstream stream, cuda::CUcontext current);

struct Parameter {
  uint64_t offset = 0, size = 0;  // bytes
};

// Offsets of a kernel's parameters, from the driver. `handle` as the app gave it, `function` the kernel it refers to.
std::vector<Parameter> parameters_of(const cuda::Driver& driver, cuda::CUfunction handle, cuda::CUfunction function);

// The kernel arguments in one piece, from the app's memory.
std::optional<Error> read_arguments(const Launch& launch, const std::vector<Parameter>& parameters,
                                    std::vector<uint8_t>* bytes);

// Geometry and attributes, with the driver's facts of the function. In the launch's context.
LaunchGeometry geometry_of(const cuda::Driver& driver, const Launch& launch, cuda::CUfunction function);
std::vector<LaunchAttribute> attributes_of(const cuda::Driver& driver, const Launch& launch, cuda::CUfunction function);

}  // namespace kernloop::capture
