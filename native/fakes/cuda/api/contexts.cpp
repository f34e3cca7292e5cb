#include "fakes/cuda/api.h"
#include "fakes/cuda/process.h"
#include "fakes/cuda/settings.h"
#include "fakes/cuda/work/streams.h"

namespace kernloop::cuda::fake {

CUresult cuCtxCreate(CUcontext* context, unsigned int flags, CUdevice device) {
  if (const CUresult error = check_initialised(); error != CUDA_SUCCESS) return error;
  if (device < 0 || device >= settings().devices) return CUDA_ERROR_INVALID_DEVICE;
  *context = create_context(device, flags, false);
  context_stack().push_back(*context);
  return CUDA_SUCCESS;
}

CUresult cuCtxDestroy(CUcontext context) {
  if (!alive(context) || context->primary) return CUDA_ERROR_INVALID_CONTEXT;
  destroy_context(context);
  if (current_context() == context) context_stack().pop_back();
  return CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext* context) {
  if (const CUresult error = check_initialised(); error != CUDA_SUCCESS) return error;
  *context = current_context();
  return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext context) {
  if (const CUresult error = check_initialised(); error != CUDA_SUCCESS) return error;
  if (context != nullptr && !alive(context)) return CUDA_ERROR_INVALID_CONTEXT;
  if (!context_stack().empty()) context_stack().pop_back();
  if (context != nullptr) context_stack().push_back(context);
  return CUDA_SUCCESS;
}

CUresult cuCtxPushCurrent(CUcontext context) {
  if (const CUresult error = check_initialised(); error != CUDA_SUCCESS) return error;
  if (!alive(context)) return CUDA_ERROR_INVALID_CONTEXT;
  context_stack().push_back(context);
  return CUDA_SUCCESS;
}

CUresult cuCtxPopCurrent(CUcontext* context) {
  if (current_context() == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  if (context != nullptr) *context = current_context();
  context_stack().pop_back();
  return CUDA_SUCCESS;
}

CUresult cuCtxGetDevice(CUdevice* device) {
  const Here now = here();
  if (now.context == nullptr) return now.error;
  *device = now.context->device;
  return CUDA_SUCCESS;
}

// There is no cache.
CUresult cuCtxResetPersistingL2Cache() {
  return here().error;
}

CUresult cuCtxSynchronize() {
  const Here now = here();
  if (now.error != CUDA_SUCCESS) return now.error;
  if (const CUresult error = check_synchronizing(now.context); error != CUDA_SUCCESS) return error;
  synchronize(now.context);
  return now.context->error;
}

CUresult cuCtxGetLimit(size_t* value, CUlimit limit) {
  const Here now = here();
  if (now.error != CUDA_SUCCESS) return now.error;
  const auto found = now.context->limits.find(limit);
  if (found == now.context->limits.end()) return CUDA_ERROR_UNSUPPORTED_LIMIT;
  *value = found->second;
  return CUDA_SUCCESS;
}

CUresult cuCtxSetLimit(CUlimit limit, size_t value) {
  const Here now = here();
  if (now.error != CUDA_SUCCESS) return now.error;
  const auto found = now.context->limits.find(limit);
  if (found == now.context->limits.end()) return CUDA_ERROR_UNSUPPORTED_LIMIT;
  found->second = value;
  return CUDA_SUCCESS;
}

CUresult cuCtxGetFlags(unsigned int* flags) {
  const Here now = here();
  if (now.error != CUDA_SUCCESS) return now.error;
  *flags = now.context->flags;
  return CUDA_SUCCESS;
}

CUresult cuCtxGetId(CUcontext context, unsigned long long* id) {
  if (context == nullptr) context = current_context();
  if (!alive(context)) return CUDA_ERROR_INVALID_CONTEXT;
  *id = context->uid;
  return CUDA_SUCCESS;
}

CUresult cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  if (least != nullptr) *least = 0;
  if (greatest != nullptr) *greatest = -5;
  return here().error;
}

}  // namespace kernloop::cuda::fake
