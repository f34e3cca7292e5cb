// One launch in a stream or in a graph: everything that the caller may change after the call is copied.
#pragma once

#include <cstdint>
#include <vector>

#include "abi/cuda/driver.h"

namespace kernloop::cuda::fake {

struct LaunchShape {
  uint32_t grid[3] = {1, 1, 1};
  uint32_t block[3] = {1, 1, 1};
  uint32_t cluster[3] = {1, 1, 1};  // zeros in a call: the function's
  uint32_t dynamic_shared_bytes = 0;
  bool cooperative = false;
};

struct KernelLaunch {
  CUfunction function = nullptr;
  LaunchShape shape;
  std::vector<uint8_t> parameters;
  uint64_t number = 0;       // number of the launch in its process
  uint32_t correlation = 0;  // id of the driver call
  uint32_t stream_id = 0;
  uint64_t graph_node_id = 0;  // 0: not of a graph
};

}  // namespace kernloop::cuda::fake
