// Whether a kernel can be launched as the app launches it. Runtimes refuse launches that the code object does not allow
// (HIP and the CUDA driver; ROCr does not check): the app's own launch would fail, although a replay's might not.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "codeobject/code_object.h"
#include "replay/core/device/device.h"

namespace kernloop::replay {

struct Program;

// Origin of the launch configuration: the capture, options of a replay whose result is unknown, or the variant's own
// source.
enum class LaunchOf { kApp, kOverride, kVariant };

// Reasons why a launch is impossible.
enum class LaunchLimit {
  kBlockThreads,       // more threads a block than the kernel was compiled for
  kRequiredBlock,      // the kernel was compiled for blocks of one shape alone
  kWholeBlocks,        // compiled for whole blocks, and the last one is partial
  kSharedMemory,       // LDS, shared memory: more than a block can have
  kPrivateMemory,      // scratch: more than a wave can have
  kClusterDimensions,  // CUDA
};

struct Obstacle {
  LaunchLimit limit;
  std::string what;  // "it was compiled for at most 64 threads a block (launch bounds), and the launch has 256"
};

// Checks what the code object says; limits that only the device knows: DeviceReplay::check_launch.
std::vector<Obstacle> find_obstacles(const codeobject::Kernel& kernel, const Launch& launch,
                                     const DeviceLimits& device);

// The captured launch for `kernel`, with its own static segments added to the app's dynamic ones. It lacks the facts of
// loaded code: the kernel's address, the kernel arguments.
Launch launch_as_captured(const archive::Geometry& geometry, const codeobject::Kernel& captured,
                          const codeobject::Kernel& kernel);

// LAUNCH_IMPOSSIBLE. An obstacle that the captured kernel has with the captured launch does not count: the app's
// runtime did not look, since it ran.
Status check_launch(DeviceReplay& device, const archive::Geometry& geometry, const Program& program);

constexpr const char* kLaunchImpossible = "LAUNCH_IMPOSSIBLE";
// Error for a kernel that a device refused, or would refuse.
Error launch_impossible(const codeobject::Kernel& kernel, const std::string& why, LaunchOf launch);

}  // namespace kernloop::replay
