#include "fakes/cuda/work/launches.h"

#include <cstdio>

#include "fakes/cuda/api_call.h"
#include "fakes/cuda/functions.h"
#include "fakes/cuda/modules.h"
#include "fakes/cuda/work/gpu.h"

namespace kernloop::cuda::fake {

CUresult prepare_launch(CUcontext context, CUfunction handle, const LaunchShape& shape, void** parameters, void** extra,
                        KernelLaunch* launch) {
  static std::atomic<uint64_t> next_number{1};
  CUfunction function = nullptr;
  if (const CUresult error = resolve_function(context, handle, &function); error != CUDA_SUCCESS) return error;
  launch->shape = shape;
  if (const CUresult error = complete_cluster(*function, launch->shape); error != CUDA_SUCCESS) return error;
  if (const CUresult error = check_shape(*function, launch->shape); error != CUDA_SUCCESS) return error;
  if (!has_code(function->kernel->name)) {
    std::fprintf(stderr, "fake CUDA: there is no host code for the kernel %s\n", function->kernel->name.c_str());
    return CUDA_ERROR_NOT_SUPPORTED;
  }
  launch->function = function;
  launch->number = next_number++;
  launch->correlation = current_correlation();
  return gather_parameters(*function->kernel, parameters, extra, &launch->parameters);
}

}  // namespace kernloop::cuda::fake
