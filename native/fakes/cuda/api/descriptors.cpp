#include "fakes/cuda/memory/descriptors.h"

#include "fakes/cuda/api.h"
#include "fakes/cuda/memory/memory.h"
#include "fakes/cuda/process.h"

namespace kernloop::cuda::fake {
namespace {

CUdeviceptr address_of(const CUDA_RESOURCE_DESC& resource) {
  switch (resource.resType) {
    case CU_RESOURCE_TYPE_ARRAY:
      return alive(resource.res.array.hArray) ? resource.res.array.hArray->base : 0;
    case CU_RESOURCE_TYPE_LINEAR:
      return resource.res.linear.devPtr;
    case CU_RESOURCE_TYPE_PITCH2D:
      return resource.res.pitch2D.devPtr;
    default:
      return 0;
  }
}

CUresult create(const CUDA_RESOURCE_DESC* resource, CUtexObject* object) {
  const Here now = here();
  if (now.error != CUDA_SUCCESS) return now.error;
  const CUdeviceptr address = address_of(*resource);
  if (address == 0) return CUDA_ERROR_INVALID_VALUE;
  *object = add_texture(address);
  return CUDA_SUCCESS;
}

CUresult encode(CUtensorMap* map, void* address, uint32_t rank, const uint64_t* dimensions) {
  if (map == nullptr || rank == 0 || rank > 5) return CUDA_ERROR_INVALID_VALUE;
  const auto base = reinterpret_cast<uint64_t>(address);
  if (base == 0 || base % 16 != 0) return CUDA_ERROR_INVALID_VALUE;
  encode_tensor_map(map, base, rank, dimensions);
  return CUDA_SUCCESS;
}

size_t bytes_of(CUarray_format format) {
  switch (format) {
    case CU_AD_FORMAT_UNSIGNED_INT8:
    case CU_AD_FORMAT_SIGNED_INT8:
      return 1;
    case CU_AD_FORMAT_UNSIGNED_INT16:
    case CU_AD_FORMAT_SIGNED_INT16:
    case CU_AD_FORMAT_HALF:
      return 2;
    default:
      return 4;
  }
}

}  // namespace

CUresult cuArrayCreate(CUarray* array, const CUDA_ARRAY_DESCRIPTOR* wanted) {
  const Here now = here();
  if (now.error != CUDA_SUCCESS) return now.error;
  Allocation allocation;
  allocation.bytes =
      wanted->Width * std::max<size_t>(wanted->Height, 1) * wanted->NumChannels * bytes_of(wanted->Format);
  allocation.device = now.context->device;
  allocation.context = now.context;
  CUdeviceptr base = 0;
  if (const CUresult error = memory().allocate(allocation, &base); error != CUDA_SUCCESS) return error;
  *array = Live<CUarray>::of().add(new CUarray_st{now.context, base});
  return CUDA_SUCCESS;
}

CUresult cuArrayDestroy(CUarray array) {
  if (!Live<CUarray>::of().remove(array)) return CUDA_ERROR_INVALID_HANDLE;
  return memory().free(array->base, {MemoryKind::Device});
}

CUresult cuTexObjectCreate(CUtexObject* texture, const CUDA_RESOURCE_DESC* resource, const CUDA_TEXTURE_DESC*,
                           const CUDA_RESOURCE_VIEW_DESC*) {
  return create(resource, texture);
}

CUresult cuTexObjectDestroy(CUtexObject texture) {
  return remove_texture(texture) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuSurfObjectCreate(CUsurfObject* surface, const CUDA_RESOURCE_DESC* resource) {
  return create(resource, surface);
}

CUresult cuSurfObjectDestroy(CUsurfObject surface) {
  return remove_texture(surface) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuTensorMapEncodeTiled(CUtensorMap* map, CUtensorMapDataType, cuuint32_t rank, void* address,
                                const cuuint64_t* dimensions, const cuuint64_t*, const cuuint32_t*, const cuuint32_t*,
                                CUtensorMapInterleave, CUtensorMapSwizzle, CUtensorMapL2promotion,
                                CUtensorMapFloatOOBfill) {
  return encode(map, address, rank, dimensions);
}

CUresult cuTensorMapEncodeIm2col(CUtensorMap* map, CUtensorMapDataType, cuuint32_t rank, void* address,
                                 const cuuint64_t* dimensions, const cuuint64_t*, const int*, const int*, cuuint32_t,
                                 cuuint32_t, const cuuint32_t*, CUtensorMapInterleave, CUtensorMapSwizzle,
                                 CUtensorMapL2promotion, CUtensorMapFloatOOBfill) {
  return encode(map, address, rank, dimensions);
}

CUresult cuTensorMapEncodeIm2colWide(CUtensorMap* map, CUtensorMapDataType, cuuint32_t rank, void* address,
                                     const cuuint64_t* dimensions, const cuuint64_t*, int, int, cuuint32_t, cuuint32_t,
                                     const cuuint32_t*, CUtensorMapInterleave, CUtensorMapIm2ColWideMode,
                                     CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill) {
  return encode(map, address, rank, dimensions);
}

CUresult cuTensorMapReplaceAddress(CUtensorMap* map, void* address) {
  return map != nullptr ? replace_address(map, reinterpret_cast<uint64_t>(address)) : CUDA_ERROR_INVALID_VALUE;
}

}  // namespace kernloop::cuda::fake
