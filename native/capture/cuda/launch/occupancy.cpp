#include "capture/cuda/launch/occupancy.h"

#include <algorithm>

namespace kernloop::capture {

using namespace cuda;

namespace {

// Since compute capability 5.0 (the toolkit's cuda_occupancy.h).
constexpr uint32_t kRegistersGrain = 256;  // per warp
constexpr uint32_t kPartitions = 4;        // per multiprocessor: a warp's registers are in one
constexpr uint32_t kSharedGrain = 128;     // bytes of a block

uint32_t round_up(uint32_t value, uint32_t grain) {
  return (value + grain - 1) / grain * grain;
}

}  // namespace

MultiprocessorLimits limits_of(const Driver& driver, CUdevice device) {
  const auto ask = [&](CUdevice_attribute attribute) {
    int value = 0;
    return driver.cuDeviceGetAttribute(&value, attribute, device) == CUDA_SUCCESS && value > 0
               ? static_cast<uint32_t>(value)
               : 0u;
  };
  MultiprocessorLimits limits;
  limits.warp_threads = std::max(1u, ask(CU_DEVICE_ATTRIBUTE_WARP_SIZE));
  limits.threads = ask(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
  limits.blocks = ask(CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR);
  limits.registers = ask(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR);
  limits.shared_bytes = ask(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
  limits.reserved_shared_bytes = ask(CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK);
  return limits;
}

uint32_t resident_blocks(const MultiprocessorLimits& limits, const LaunchNeeds& needs) {
  if (needs.block_threads == 0) return 0;
  const uint32_t warps = round_up(needs.block_threads, limits.warp_threads) / limits.warp_threads;
  uint32_t blocks = std::min(limits.blocks, limits.threads / limits.warp_threads / warps);
  if (needs.registers_per_thread != 0) {
    const uint32_t of_warp = round_up(needs.registers_per_thread * limits.warp_threads, kRegistersGrain);
    blocks = std::min(blocks, limits.registers / kPartitions / of_warp * kPartitions / warps);
  }
  const uint32_t shared = round_up(needs.shared_bytes + limits.reserved_shared_bytes, kSharedGrain);
  if (shared != 0) blocks = std::min(blocks, limits.shared_bytes / shared);
  return blocks;
}

double occupancy_percent(const MultiprocessorLimits& limits, const LaunchNeeds& needs) {
  const uint32_t most = limits.threads / limits.warp_threads;
  if (most == 0) return 0;
  const uint32_t warps = round_up(needs.block_threads, limits.warp_threads) / limits.warp_threads;
  return std::min(100.0, 100.0 * resident_blocks(limits, needs) * warps / most);
}

}  // namespace kernloop::capture
