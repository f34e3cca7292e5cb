#include "capture/cuda/launch/node_launch.h"

namespace kernloop::capture {

using namespace cuda;

namespace {

// A node has a value for each of these, set or not (driver 580): these are the values that were set.
bool was_asked_for(CUlaunchAttributeID id, const CUlaunchAttributeValue& value) {
  const auto is_cluster = [](const auto& blocks) { return uint64_t{blocks.x} * blocks.y * blocks.z > 1; };
  switch (id) {
    case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
      return value.cooperative != 0;
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
      return is_cluster(value.clusterDim);
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
      return value.clusterSchedulingPolicyPreference == CU_CLUSTER_SCHEDULING_POLICY_LOAD_BALANCING;
    case CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION:
      return is_cluster(value.preferredClusterDim);
    case CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
      return value.sharedMemCarveout != 0;
    default:
      return false;
  }
}

}  // namespace

Launch read_node(const CUDA_KERNEL_NODE_PARAMS& node, CUstream stream) {
  Launch launch;
  launch.function = node.func;
  launch.grid_blocks = {node.gridDimX, node.gridDimY, node.gridDimZ};
  launch.block_threads = {node.blockDimX, node.blockDimY, node.blockDimZ};
  launch.dynamic_shared_bytes = node.sharedMemBytes;
  launch.stream = stream;
  return launch;
}

std::vector<CUlaunchAttribute> attributes_of_node(const Driver& driver, CUgraphNode node) {
  std::vector<CUlaunchAttribute> attributes;
  for (CUlaunchAttributeID id :
       {CU_LAUNCH_ATTRIBUTE_COOPERATIVE, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
        CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE, CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION,
        CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT}) {
    CUlaunchAttribute attribute = {};
    attribute.id = id;
    if (driver.cuGraphKernelNodeGetAttribute(node, id, &attribute.value) == CUDA_SUCCESS &&
        was_asked_for(id, attribute.value)) {
      attributes.push_back(attribute);
    }
  }
  return attributes;
}

CUresult launch_alone(const Driver& driver, const Launch& launch, CUfunction function,
                      std::vector<CUlaunchAttribute> attributes) {
  CUlaunchConfig config = {};
  config.gridDimX = launch.grid_blocks[0];
  config.gridDimY = launch.grid_blocks[1];
  config.gridDimZ = launch.grid_blocks[2];
  config.blockDimX = launch.block_threads[0];
  config.blockDimY = launch.block_threads[1];
  config.blockDimZ = launch.block_threads[2];
  config.sharedMemBytes = launch.dynamic_shared_bytes;
  config.hStream = launch.stream;
  config.attrs = attributes.data();
  config.numAttrs = static_cast<unsigned int>(attributes.size());
  return driver.cuLaunchKernelEx(&config, function, launch.parameters, launch.extra);
}

}  // namespace kernloop::capture
