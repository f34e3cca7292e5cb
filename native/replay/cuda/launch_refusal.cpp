#include "replay/cuda/launch_refusal.h"

#include <algorithm>

namespace kernloop::replay {

using namespace cuda;

namespace {

uint64_t threads_of(const Launch& launch) {
  uint64_t threads = 1;
  for (const uint32_t extent : launch.block_threads) threads *= extent;
  return threads;
}

uint64_t shared_opt_in(const Context& context) {
  return static_cast<uint64_t>(std::max(context.attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN), 0));
}

std::string why_too_many_threads(const Context& context, CUfunction function, const Launch& launch) {
  int most = 0, registers = 0;
  const Driver& driver = context.driver();
  if (driver.cuFuncGetAttribute(&most, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function) != CUDA_SUCCESS) return "";
  if (most <= 0 || threads_of(launch) <= static_cast<uint64_t>(most)) return "";
  driver.cuFuncGetAttribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, function);
  return "with its " + std::to_string(registers) + " registers a thread and its launch bounds a block has at most " +
         std::to_string(most) + " threads on " + context.device_name() + ", and the launch has " +
         std::to_string(threads_of(launch));
}

}  // namespace

std::string why_too_large(const Context& context, CUfunction function, const codeobject::Kernel& kernel,
                          const codeobject::Kernel& captured, const Launch& launch) {
  if (std::string why = why_too_many_threads(context, function, launch); !why.empty()) return why;
  const uint64_t own = kernel.group_segment_bytes, dynamic = launch.dynamic_group_segment_bytes;
  const uint64_t most = shared_opt_in(context);
  const auto without_asking =
      static_cast<uint64_t>(std::max(context.attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK), 0));
  const auto asked = launch.attributes.find("max_dynamic_shared_bytes");
  if (asked == launch.attributes.end()) {
    // Only an override has more dynamic memory, which a replay allows by itself.
    if (without_asking == 0 || dynamic > without_asking || own + dynamic <= without_asking) return "";
    return "a block of it takes " + std::to_string(own + dynamic) + " bytes of shared memory (" + std::to_string(own) +
           " static, " + std::to_string(dynamic) + " dynamic), and without the app asking for more it gets " +
           std::to_string(without_asking);
  }
  // An app that allows all remaining shared memory computes it from the kernel's static part.
  const bool is_rest = captured.group_segment_bytes > 0 && asked->second + captured.group_segment_bytes == most;
  if (most == 0 || is_rest || asked->second + own <= most) return "";
  return "the app allows it " + std::to_string(asked->second) +
         " bytes of dynamic shared memory, which the driver "
         "refuses beside its " +
         std::to_string(own) + " static ones: a block has at most " + std::to_string(most);
}

std::string why_not_resident(const Context& context, CUfunction function, const Launch& launch,
                             const CUlaunchConfig& config) {
  const Driver& driver = context.driver();
  int blocks = 0;
  if (driver.cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, static_cast<int>(threads_of(launch)),
                                                         launch.dynamic_group_segment_bytes) != CUDA_SUCCESS)
    return "";
  if (blocks == 0) return "no block of it fits on a multiprocessor of " + context.device_name();
  const auto cooperative = launch.attributes.find("cooperative");
  if (cooperative != launch.attributes.end() && cooperative->second != 0) {
    const int multiprocessors = context.attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    const uint64_t most = static_cast<uint64_t>(blocks) * static_cast<uint64_t>(std::max(multiprocessors, 1));
    uint64_t grid = 1;
    for (const uint32_t extent : launch.grid_blocks) grid *= extent;
    if (grid > most) {
      return "the launch is cooperative and has " + std::to_string(grid) + " blocks, of which at most " +
             std::to_string(most) + " are on " + context.device_name() + " at a time";
    }
  }
  const auto is_cluster = [](const auto& each) { return each.first.find("cluster_blocks_") != std::string::npos; };
  int clusters = 1;
  if (!driver.cuOccupancyMaxActiveClusters ||
      !std::any_of(launch.attributes.begin(), launch.attributes.end(), is_cluster))
    return "";
  if (driver.cuOccupancyMaxActiveClusters(&clusters, function, &config) == CUDA_SUCCESS && clusters == 0)
    return "no cluster of its blocks fits on " + context.device_name();
  return "";
}

}  // namespace kernloop::replay
