#include "fakes/cuda/work/graph_work.h"

#include <cstring>

#include "fakes/cuda/process.h"
#include "fakes/cuda/work/execution.h"
#include "fakes/cuda/work/launches.h"

namespace kernloop::cuda::fake {

CUresult prepare_node(CUcontext context, const CUDA_KERNEL_NODE_PARAMS& params, KernelLaunch* launch) {
  // Both are the same for a library's kernel, as cuGraphKernelNodeGetParams returns them.
  if (params.func == nullptr && params.kern == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const CUfunction handle = params.func != nullptr ? params.func : reinterpret_cast<CUfunction>(params.kern);
  const LaunchShape shape = {{params.gridDimX, params.gridDimY, params.gridDimZ},
                             {params.blockDimX, params.blockDimY, params.blockDimZ},
                             {0, 0, 0},
                             params.sharedMemBytes,
                             false};
  return prepare_launch(params.ctx != nullptr ? params.ctx : context, handle, shape, params.kernelParams, params.extra,
                        launch);
}

Work memset_node(const CUDA_MEMSET_NODE_PARAMS& params) {
  Work work;
  work.type = CU_GRAPH_NODE_TYPE_MEMSET;
  work.run = [params](CUcontext) {
    for (size_t row = 0; row < params.height; ++row) {
      auto* const to = reinterpret_cast<uint8_t*>(params.dst + row * params.pitch);
      for (size_t i = 0; i < params.width; ++i)
        std::memcpy(to + i * params.elementSize, &params.value, params.elementSize);
    }
  };
  return work;
}

Work memcpy_node(const CUDA_MEMCPY3D& params) {
  Work work;
  work.type = CU_GRAPH_NODE_TYPE_MEMCPY;
  work.run = [params](CUcontext context) {
    const auto address = [](CUmemorytype type, const void* host, CUdeviceptr device) {
      return type == CU_MEMORYTYPE_HOST ? reinterpret_cast<CUdeviceptr>(host) : device;
    };
    const CUdeviceptr to = address(params.dstMemoryType, params.dstHost, params.dstDevice);
    const CUdeviceptr from = address(params.srcMemoryType, params.srcHost, params.srcDevice);
    for (size_t z = 0; z < params.Depth; ++z) {
      for (size_t y = 0; y < params.Height; ++y) {
        const size_t to_row = (params.dstZ + z) * params.dstHeight + params.dstY + y;
        const size_t from_row = (params.srcZ + z) * params.srcHeight + params.srcY + y;
        if (!copy_bytes(to + to_row * params.dstPitch + params.dstXInBytes,
                        from + from_row * params.srcPitch + params.srcXInBytes, params.WidthInBytes)) {
          poison(context, CUDA_ERROR_ILLEGAL_ADDRESS);
        }
      }
    }
  };
  return work;
}

Work host_node(const CUDA_HOST_NODE_PARAMS& params) {
  Work work;
  work.type = CU_GRAPH_NODE_TYPE_HOST;
  work.run = [params](CUcontext) { params.fn(params.userData); };
  return work;
}

CUresult set_launch(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS& params) {
  if (node->type != CU_GRAPH_NODE_TYPE_KERNEL) return CUDA_ERROR_INVALID_VALUE;
  KernelLaunch launch;
  const CUresult error = prepare_node(node->graph->context, params, &launch);
  if (error != CUDA_SUCCESS) return error;
  // Attributes stay.
  launch.shape.cooperative = node->launch.shape.cooperative;
  node->launch = std::move(launch);
  return CUDA_SUCCESS;
}

CUresult set_work(CUgraphNode node, Work work) {
  if (node->type != work.type) return CUDA_ERROR_INVALID_VALUE;
  node->work = std::move(work.run);
  return CUDA_SUCCESS;
}

}  // namespace kernloop::cuda::fake
