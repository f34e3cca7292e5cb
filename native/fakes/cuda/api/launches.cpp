#include "fakes/cuda/work/launches.h"

#include "fakes/cuda/api.h"
#include "fakes/cuda/functions.h"
#include "fakes/cuda/modules.h"
#include "fakes/cuda/process.h"

namespace kernloop::cuda::fake {
namespace {

CUresult launch_in(CUcontext context, CUfunction function, const LaunchShape& shape, CUstream stream, void** parameters,
                   void** extra) {
  Work work;
  work.type = CU_GRAPH_NODE_TYPE_KERNEL;
  work.launch.emplace();
  const CUresult error = prepare_launch(context, function, shape, parameters, extra, &*work.launch);
  return error == CUDA_SUCCESS ? submit(stream, std::move(work)) : error;
}

CUresult launch(CUfunction function, const LaunchShape& shape, CUstream handle, void** parameters, void** extra) {
  const Here now = here();
  if (now.error != CUDA_SUCCESS) return now.error;
  const CUstream stream = resolve_stream(now.context, handle);
  if (stream == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  return launch_in(now.context, function, shape, stream, parameters, extra);
}

LaunchShape shape_of(const CUlaunchConfig& config) {
  LaunchShape shape = {{config.gridDimX, config.gridDimY, config.gridDimZ},
                       {config.blockDimX, config.blockDimY, config.blockDimZ},
                       {0, 0, 0},
                       config.sharedMemBytes,
                       false};
  for (unsigned int i = 0; i < config.numAttrs; ++i) {
    const CUlaunchAttribute& attribute = config.attrs[i];
    if (attribute.id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE) shape.cooperative = attribute.value.cooperative != 0;
    if (attribute.id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) {
      const auto& cluster = attribute.value.clusterDim;
      shape.cluster[0] = cluster.x;
      shape.cluster[1] = cluster.y;
      shape.cluster[2] = cluster.z;
    }
  }
  return shape;
}

}  // namespace

CUresult cuLaunchKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
                        unsigned int block_x, unsigned int block_y, unsigned int block_z, unsigned int shared_bytes,
                        CUstream stream, void** parameters, void** extra) {
  const LaunchShape shape = {{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, {0, 0, 0}, shared_bytes, false};
  return launch(function, shape, stream, parameters, extra);
}

CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction function, void** parameters, void** extra) {
  if (config == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return launch(function, shape_of(*config), config->hStream, parameters, extra);
}

CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
                                   unsigned int block_x, unsigned int block_y, unsigned int block_z,
                                   unsigned int shared_bytes, CUstream stream, void** parameters) {
  const LaunchShape shape = {{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, {0, 0, 0}, shared_bytes, true};
  return launch(function, shape, stream, parameters, nullptr);
}

// One launch a device, each in a stream of its own.
CUresult cuLaunchCooperativeKernelMultiDevice(CUDA_LAUNCH_PARAMS* launches, unsigned int count, unsigned int) {
  for (unsigned int i = 0; i < count; ++i) {
    const CUDA_LAUNCH_PARAMS& one = launches[i];
    if (!alive(one.hStream)) return CUDA_ERROR_INVALID_HANDLE;
    const LaunchShape shape = {{one.gridDimX, one.gridDimY, one.gridDimZ},
                               {one.blockDimX, one.blockDimY, one.blockDimZ},
                               {0, 0, 0},
                               one.sharedMemBytes,
                               true};
    const CUresult error = launch_in(one.hStream->context, one.function, shape, one.hStream, one.kernelParams, nullptr);
    if (error != CUDA_SUCCESS) return error;
  }
  return CUDA_SUCCESS;
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction handle, int threads,
                                                     size_t dynamic_shared_bytes) {
  const Here now = here();
  if (now.error != CUDA_SUCCESS) return now.error;
  CUfunction function = nullptr;
  if (const CUresult error = resolve_function(now.context, handle, &function); error != CUDA_SUCCESS) return error;
  *blocks = resident_blocks(*function->kernel, static_cast<uint64_t>(threads), dynamic_shared_bytes);
  return CUDA_SUCCESS;
}

CUresult cuOccupancyMaxActiveClusters(int* clusters, CUfunction handle, const CUlaunchConfig* config) {
  const LaunchShape shape = shape_of(*config);
  int blocks = 0;
  const int threads = static_cast<int>(shape.block[0] * shape.block[1] * shape.block[2]);
  const CUresult error =
      cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, handle, threads, shape.dynamic_shared_bytes);
  const uint32_t in_cluster = shape.cluster[0] * shape.cluster[1] * shape.cluster[2];
  if (error == CUDA_SUCCESS) *clusters = blocks * 132 / static_cast<int>(std::max(in_cluster, 1u));
  return error;
}

}  // namespace kernloop::cuda::fake
