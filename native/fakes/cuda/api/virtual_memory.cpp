#include <unistd.h>

#include <cstring>

#include "fakes/cuda/api.h"
#include "fakes/cuda/memory/memory.h"
#include "fakes/cuda/process.h"
#include "fakes/cuda/settings.h"

namespace kernloop::cuda::fake {
namespace {

bool valid(const CUmemAllocationProp* properties) {
  if (properties == nullptr || properties->type != CU_MEM_ALLOCATION_TYPE_PINNED) return false;
  const CUmemLocation& location = properties->location;
  return location.type == CU_MEM_LOCATION_TYPE_DEVICE && location.id >= 0 && location.id < settings().devices;
}

}  // namespace

CUresult cuMemAddressReserve(CUdeviceptr* base, size_t bytes, size_t alignment, CUdeviceptr hint,
                             unsigned long long flags) {
  if (const CUresult error = check_initialised(); error != CUDA_SUCCESS) return error;
  if (base == nullptr || flags != 0) return CUDA_ERROR_INVALID_VALUE;
  return memory().reserve(base, bytes, alignment, hint);
}

CUresult cuMemAddressFree(CUdeviceptr base, size_t bytes) {
  return memory().unreserve(base, bytes);
}

CUresult cuMemCreate(CUmemGenericAllocationHandle* handle, size_t bytes, const CUmemAllocationProp* properties,
                     unsigned long long flags) {
  if (const CUresult error = check_initialised(); error != CUDA_SUCCESS) return error;
  if (!valid(properties) || flags != 0) return CUDA_ERROR_INVALID_VALUE;
  return memory().create(*properties, bytes, handle);
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
  return memory().release(handle);
}

CUresult cuMemMap(CUdeviceptr base, size_t bytes, size_t offset, CUmemGenericAllocationHandle handle,
                  unsigned long long flags) {
  return flags == 0 ? memory().map(base, bytes, offset, handle) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemUnmap(CUdeviceptr base, size_t bytes) {
  return memory().unmap(base, bytes);
}

CUresult cuMemSetAccess(CUdeviceptr base, size_t bytes, const CUmemAccessDesc* access, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    if (const CUresult error = memory().set_access(base, bytes, access[i]); error != CUDA_SUCCESS) return error;
  }
  return CUDA_SUCCESS;
}

CUresult cuMemGetAccess(unsigned long long* flags, const CUmemLocation* location, CUdeviceptr address) {
  *flags = memory().access(address, location->id);
  return CUDA_SUCCESS;
}

CUresult cuMemGetAllocationGranularity(size_t* granularity, const CUmemAllocationProp* properties,
                                       CUmemAllocationGranularity_flags) {
  if (!valid(properties)) return CUDA_ERROR_INVALID_VALUE;
  *granularity = kGranule;
  return CUDA_SUCCESS;
}

CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle* handle, void* address) {
  return memory().retain(reinterpret_cast<CUdeviceptr>(address), handle);
}

CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp* properties, CUmemGenericAllocationHandle handle) {
  const auto physical = memory().physical(handle);
  if (!physical) return CUDA_ERROR_INVALID_VALUE;
  *properties = physical->properties;
  return CUDA_SUCCESS;
}

CUresult cuMemExportToShareableHandle(void* shareable, CUmemGenericAllocationHandle handle,
                                      CUmemAllocationHandleType type, unsigned long long) {
  const auto physical = memory().physical(handle);
  if (!physical) return CUDA_ERROR_INVALID_VALUE;
  if (type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) return CUDA_ERROR_NOT_SUPPORTED;
  if (physical->properties.requestedHandleTypes != type) return CUDA_ERROR_INVALID_VALUE;
  const int descriptor = dup(physical->backing->fd());
  std::memcpy(shareable, &descriptor, sizeof descriptor);
  return descriptor >= 0 ? CUDA_SUCCESS : CUDA_ERROR_OPERATING_SYSTEM;
}

// The caller keeps the descriptor.
CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle* handle, void* shareable,
                                        CUmemAllocationHandleType type) {
  if (type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) return CUDA_ERROR_NOT_SUPPORTED;
  auto backing = Backing::adopt(dup(static_cast<int>(reinterpret_cast<intptr_t>(shareable))));
  if (backing == nullptr) return CUDA_ERROR_INVALID_VALUE;
  CUmemAllocationProp properties = {};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  return memory().import(std::move(backing), properties, handle);
}

}  // namespace kernloop::cuda::fake
