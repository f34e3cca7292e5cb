#include <cstring>

#include "fakes/cuda/api.h"
#include "fakes/cuda/memory/memory.h"
#include "fakes/cuda/process.h"
#include "fakes/cuda/settings.h"
#include "fakes/cuda/work/execution.h"

namespace kernloop::cuda::fake {
namespace {

bool on_some_device(CUdeviceptr address, uint64_t bytes, bool write) {
  for (int device = 0; device < settings().devices; ++device) {
    if (memory().reachable(address, bytes, device, write)) return true;
  }
  return false;
}

CUdeviceptr address_of(const void* pointer) {
  return reinterpret_cast<CUdeviceptr>(pointer);
}

struct Copy {
  CUdeviceptr to = 0, from = 0;
  size_t bytes = 0;
};

Work copy_work(Copy copy) {
  Work work;
  work.type = CU_GRAPH_NODE_TYPE_MEMCPY;
  work.run = [copy](CUcontext context) {
    if (!copy_bytes(copy.to, copy.from, copy.bytes)) poison(context, CUDA_ERROR_ILLEGAL_ADDRESS);
  };
  return work;
}

Work fill_work(CUdeviceptr to, uint32_t value, size_t element_bytes, size_t count) {
  Work work;
  work.type = CU_GRAPH_NODE_TYPE_MEMSET;
  work.run = [=](CUcontext) {
    for (size_t i = 0; i < count; ++i)
      std::memcpy(reinterpret_cast<uint8_t*>(to) + i * element_bytes, &value, element_bytes);
  };
  return work;
}

CUresult submit_to(CUstream handle, Work work) {
  const Here now = here();
  if (now.error != CUDA_SUCCESS) return now.error;
  const CUstream stream = resolve_stream(now.context, handle);
  return stream != nullptr ? submit(stream, std::move(work)) : CUDA_ERROR_INVALID_HANDLE;
}

// In the default stream, and done when the call returns.
CUresult submit_and_wait(Work work) {
  const Here now = here();
  if (now.error != CUDA_SUCCESS) return now.error;
  if (const CUresult error = check_unsafe_call(); error != CUDA_SUCCESS) return error;
  if (const CUresult error = submit(now.context->legacy, std::move(work)); error != CUDA_SUCCESS) return error;
  synchronize(now.context->legacy);
  return now.context->error;
}

enum class Side { Host, Device, Any };

// Null pointers and addresses that no device maps are refused by the call itself.
bool valid(const Copy& copy, Side to, Side from) {
  if (copy.to == 0 || copy.from == 0) return false;
  if (to == Side::Device && !on_some_device(copy.to, copy.bytes, true)) return false;
  return from != Side::Device || on_some_device(copy.from, copy.bytes, false);
}

CUresult copy_now(const Copy& copy, Side to, Side from) {
  if (copy.bytes == 0) return here().error;
  return valid(copy, to, from) ? submit_and_wait(copy_work(copy)) : CUDA_ERROR_INVALID_VALUE;
}

CUresult copy_later(const Copy& copy, Side to, Side from, CUstream stream) {
  if (copy.bytes == 0) return here().error;
  return valid(copy, to, from) ? submit_to(stream, copy_work(copy)) : CUDA_ERROR_INVALID_VALUE;
}

CUresult fill_now(CUdeviceptr to, uint32_t value, size_t element_bytes, size_t count) {
  if (count == 0) return here().error;
  if (!on_some_device(to, element_bytes * count, true)) return CUDA_ERROR_INVALID_VALUE;
  return submit_and_wait(fill_work(to, value, element_bytes, count));
}

CUresult fill_later(CUdeviceptr to, uint32_t value, size_t element_bytes, size_t count, CUstream stream) {
  if (count == 0) return here().error;
  if (!on_some_device(to, element_bytes * count, true)) return CUDA_ERROR_INVALID_VALUE;
  return submit_to(stream, fill_work(to, value, element_bytes, count));
}

}  // namespace

CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return copy_now({to, from, bytes}, Side::Any, Side::Any);
}

CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return copy_later({to, from, bytes}, Side::Any, Side::Any, stream);
}

CUresult cuMemcpyDtoH(void* to, CUdeviceptr from, size_t bytes) {
  return copy_now({address_of(to), from, bytes}, Side::Host, Side::Device);
}

CUresult cuMemcpyHtoD(CUdeviceptr to, const void* from, size_t bytes) {
  return copy_now({to, address_of(from), bytes}, Side::Device, Side::Host);
}

CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return copy_now({to, from, bytes}, Side::Device, Side::Device);
}

CUresult cuMemcpyDtoHAsync(void* to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return copy_later({address_of(to), from, bytes}, Side::Host, Side::Device, stream);
}

CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void* from, size_t bytes, CUstream stream) {
  return copy_later({to, address_of(from), bytes}, Side::Device, Side::Host, stream);
}

CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return copy_later({to, from, bytes}, Side::Device, Side::Device, stream);
}

CUresult cuMemcpyPeer(CUdeviceptr to, CUcontext, CUdeviceptr from, CUcontext, size_t bytes) {
  return copy_now({to, from, bytes}, Side::Device, Side::Device);
}

CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext, CUdeviceptr from, CUcontext, size_t bytes, CUstream stream) {
  return copy_later({to, from, bytes}, Side::Device, Side::Device, stream);
}

CUresult cuMemsetD8(CUdeviceptr to, unsigned char value, size_t count) {
  return fill_now(to, value, 1, count);
}

CUresult cuMemsetD32(CUdeviceptr to, unsigned int value, size_t count) {
  return fill_now(to, value, 4, count);
}

CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count, CUstream stream) {
  return fill_later(to, value, 1, count, stream);
}

CUresult cuMemsetD32Async(CUdeviceptr to, unsigned int value, size_t count, CUstream stream) {
  return fill_later(to, value, 4, count, stream);
}

}  // namespace kernloop::cuda::fake
