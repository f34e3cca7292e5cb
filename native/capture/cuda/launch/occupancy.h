// Number of blocks of a launch that a multiprocessor holds at once, by the rules of NVIDIA's occupancy calculator.
#pragma once

#include <cstdint>

#include "cuda/driver.h"

namespace kernloop::capture {

struct MultiprocessorLimits {
  uint32_t warp_threads = 32;
  uint32_t threads = 0, blocks = 0, registers = 0, shared_bytes = 0;
  uint32_t reserved_shared_bytes = 0;  // per block, by the system
};

MultiprocessorLimits limits_of(const cuda::Driver& driver, cuda::CUdevice device);

struct LaunchNeeds {
  uint32_t block_threads = 0, registers_per_thread = 0, shared_bytes = 0;
};

uint32_t resident_blocks(const MultiprocessorLimits& limits, const LaunchNeeds& needs);
double occupancy_percent(const MultiprocessorLimits& limits, const LaunchNeeds& needs);

}  // namespace kernloop::capture
