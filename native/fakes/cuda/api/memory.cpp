#include "fakes/cuda/memory/memory.h"

#include <unistd.h>

#include <cstdio>
#include <cstring>

#include "fakes/cuda/api.h"
#include "fakes/cuda/process.h"
#include "fakes/cuda/settings.h"
#include "fakes/cuda/work/streams.h"

namespace kernloop::cuda::fake {
namespace {

CUmemoryPool default_pool(int device) {
  static auto* const kPools = [] {
    auto* const pools = new std::vector<CUmemoryPool>;
    for (int i = 0; i < settings().devices; ++i)
      pools->push_back(Live<CUmemoryPool>::of().add(new CUmemPoolHandle_st{i}));
    return pools;
  }();
  return (*kPools)[static_cast<size_t>(device)];
}

CUresult allocate(MemoryKind kind, size_t bytes, unsigned int flags, CUdeviceptr* base) {
  const Here now = here();
  if (now.error != CUDA_SUCCESS) return now.error;
  if (base == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (const CUresult error = check_unsafe_call(); error != CUDA_SUCCESS) return error;
  Allocation wanted;
  wanted.bytes = bytes;
  wanted.kind = kind;
  wanted.device = now.context->device;
  wanted.context = now.context;
  wanted.flags = flags;
  return memory().allocate(wanted, base);
}

CUresult allocate_host(void** pointer, size_t bytes, unsigned int flags) {
  CUdeviceptr base = 0;
  const CUresult error = allocate(MemoryKind::Pinned, bytes, flags, &base);
  if (error == CUDA_SUCCESS) *pointer = reinterpret_cast<void*>(base);
  return error;
}

CUresult allocate_from(CUmemoryPool pool, size_t bytes, CUstream handle, CUdeviceptr* base) {
  const Here now = here();
  if (now.error != CUDA_SUCCESS) return now.error;
  const CUstream stream = resolve_stream(now.context, handle);
  if (stream == nullptr || !alive(pool)) return CUDA_ERROR_INVALID_HANDLE;
  if (stream->capture != nullptr) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  Allocation wanted;
  wanted.bytes = bytes;
  wanted.kind = MemoryKind::Pool;
  wanted.device = pool->device;
  wanted.context = now.context;
  wanted.pool = pool;
  return memory().allocate(wanted, base);
}

// Content of a handle of cuIpcGetMemHandle.
struct SharedMemory {
  uint64_t mark;
  int64_t process;
  int64_t descriptor;
  uint64_t offset, bytes;
};
constexpr uint64_t kSharedMark = 0x4B4C'4641'4B45'0001;
static_assert(sizeof(SharedMemory) <= sizeof(CUipcMemHandle));

}  // namespace

CUresult cuMemAlloc(CUdeviceptr* base, size_t bytes) {
  return allocate(MemoryKind::Device, bytes, 0, base);
}

CUresult cuMemAllocPitch(CUdeviceptr* base, size_t* pitch, size_t width, size_t height, unsigned int) {
  *pitch = round_up(width, 512);
  return allocate(MemoryKind::Device, *pitch * height, 0, base);
}

CUresult cuMemAllocManaged(CUdeviceptr* base, size_t bytes, unsigned int flags) {
  return allocate(MemoryKind::Managed, bytes, flags, base);
}

CUresult cuMemAllocAsync(CUdeviceptr* base, size_t bytes, CUstream stream) {
  const Here now = here();
  if (now.error != CUDA_SUCCESS) return now.error;
  return allocate_from(default_pool(now.context->device), bytes, stream, base);
}

CUresult cuMemAllocFromPoolAsync(CUdeviceptr* base, size_t bytes, CUmemoryPool pool, CUstream stream) {
  return allocate_from(pool, bytes, stream, base);
}

// Waits for the context's work, as the real one does.
CUresult cuMemFree(CUdeviceptr base) {
  const Here now = here();
  if (now.error != CUDA_SUCCESS) return now.error;
  if (base == 0) return CUDA_SUCCESS;
  if (const CUresult error = check_unsafe_call(); error != CUDA_SUCCESS) return error;
  synchronize(now.context);
  return memory().free(base, {MemoryKind::Device, MemoryKind::Managed, MemoryKind::Pool});
}

CUresult cuMemFreeAsync(CUdeviceptr base, CUstream handle) {
  const Here now = here();
  if (now.error != CUDA_SUCCESS) return now.error;
  const CUstream stream = resolve_stream(now.context, handle);
  if (stream == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  const auto found = memory().find(base);
  if (!found || found->base != base) return CUDA_ERROR_INVALID_VALUE;
  enqueue(stream, [base] { (void)memory().free(base, {MemoryKind::Device, MemoryKind::Pool}); });
  return CUDA_SUCCESS;
}

CUresult cuMemAllocHost(void** pointer, size_t bytes) {
  return allocate_host(pointer, bytes, 0);
}

CUresult cuMemHostAlloc(void** pointer, size_t bytes, unsigned int flags) {
  return allocate_host(pointer, bytes, flags);
}

CUresult cuMemFreeHost(void* pointer) {
  const Here now = here();
  if (now.error != CUDA_SUCCESS) return now.error;
  synchronize(now.context);
  return memory().free(reinterpret_cast<CUdeviceptr>(pointer), {MemoryKind::Pinned});
}

CUresult cuMemHostRegister(void* pointer, size_t bytes, unsigned int flags) {
  const Here now = here();
  if (now.error != CUDA_SUCCESS) return now.error;
  if (pointer == nullptr || bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  Allocation wanted;
  wanted.base = reinterpret_cast<CUdeviceptr>(pointer);
  wanted.bytes = bytes;
  wanted.kind = MemoryKind::Registered;
  wanted.device = now.context->device;
  wanted.context = now.context;
  wanted.flags = flags;
  return memory().adopt(wanted);
}

CUresult cuMemHostUnregister(void* pointer) {
  const CUresult error = memory().free(reinterpret_cast<CUdeviceptr>(pointer), {MemoryKind::Registered});
  return error == CUDA_SUCCESS ? error : CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
}

CUresult cuMemHostGetDevicePointer(CUdeviceptr* address, void* pointer, unsigned int) {
  const auto found = memory().find(reinterpret_cast<CUdeviceptr>(pointer));
  if (!found || !found->on_host()) return CUDA_ERROR_INVALID_VALUE;
  *address = reinterpret_cast<CUdeviceptr>(pointer);
  return CUDA_SUCCESS;
}

CUresult cuMemHostGetFlags(unsigned int* flags, void* pointer) {
  const auto found = memory().find(reinterpret_cast<CUdeviceptr>(pointer));
  if (!found || !found->on_host()) return CUDA_ERROR_INVALID_VALUE;
  *flags = found->flags | CU_MEMHOSTALLOC_DEVICEMAP;
  return CUDA_SUCCESS;
}

CUresult cuMemGetAddressRange(CUdeviceptr* base, size_t* bytes, CUdeviceptr address) {
  const Here now = here();
  if (now.error != CUDA_SUCCESS) return now.error;
  const auto found = memory().find(address);
  if (!found) return CUDA_ERROR_NOT_FOUND;
  if (base != nullptr) *base = found->base;
  if (bytes != nullptr) *bytes = found->bytes;
  return CUDA_SUCCESS;
}

CUresult cuMemGetInfo(size_t* free, size_t* total) {
  const Here now = here();
  if (now.error != CUDA_SUCCESS) return now.error;
  *total = settings().memory_bytes;
  *free = settings().memory_bytes - memory().used_bytes(now.context->device);
  return CUDA_SUCCESS;
}

namespace {

template <typename T>
CUresult give(void* data, T value) {
  std::memcpy(data, &value, sizeof value);
  return CUDA_SUCCESS;
}

CUresult pointer_attribute(void* data, CUpointer_attribute attribute, const Allocation& allocation,
                           CUdeviceptr address) {
  const bool host_reachable = allocation.on_host() || allocation.kind == MemoryKind::Managed;
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
      return give(data, allocation.context);
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      return give(data, static_cast<unsigned>(allocation.on_host() ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE));
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
      return give(data, address);
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
      return host_reachable ? give(data, address) : CUDA_ERROR_INVALID_VALUE;
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
    case CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID:
      return give(data, static_cast<unsigned long long>(allocation.id));
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
      return give(data, allocation.kind == MemoryKind::Managed ? 1u : 0u);
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      return give(data, allocation.device);
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
      return give(data, allocation.kind == MemoryKind::Device ? 1 : 0);
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
    case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR:
      return give(data, allocation.base);
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
    case CU_POINTER_ATTRIBUTE_MAPPING_SIZE:
      return give(data, static_cast<size_t>(allocation.bytes));
    case CU_POINTER_ATTRIBUTE_MAPPED:
      return give(data, 1);
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
      return give(data, uint64_t{0});
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
      return give(data, allocation.kind == MemoryKind::Mapped ? memory().access(address, allocation.device)
                                                              : CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
      return give(data, allocation.pool);
    default:
      return CUDA_ERROR_NOT_SUPPORTED;
  }
}

}  // namespace

CUresult cuPointerGetAttribute(void* data, CUpointer_attribute attribute, CUdeviceptr address) {
  const Here now = here();
  if (now.context == nullptr) return now.error;
  const auto found = memory().find(address);
  return found ? pointer_attribute(data, attribute, *found, address) : CUDA_ERROR_INVALID_VALUE;
}

// For an unknown pointer all values stay as they are, and the call succeeds.
CUresult cuPointerGetAttributes(unsigned int count, CUpointer_attribute* attributes, void** data, CUdeviceptr address) {
  const Here now = here();
  if (now.context == nullptr) return now.error;
  const auto found = memory().find(address);
  for (unsigned int i = 0; found && i < count; ++i) (void)pointer_attribute(data[i], attributes[i], *found, address);
  return CUDA_SUCCESS;
}

CUresult cuMemPrefetchAsync(CUdeviceptr address, size_t, CUmemLocation, unsigned int, CUstream) {
  const auto found = memory().find(address);
  return found && found->kind == MemoryKind::Managed ? here().error : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemAdvise(CUdeviceptr address, size_t, CUmem_advise, CUmemLocation) {
  const auto found = memory().find(address);
  return found && found->kind == MemoryKind::Managed ? here().error : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemPoolCreate(CUmemoryPool* pool, const CUmemPoolProps* properties) {
  if (properties->location.type != CU_MEM_LOCATION_TYPE_DEVICE) return CUDA_ERROR_NOT_SUPPORTED;
  *pool = Live<CUmemoryPool>::of().add(new CUmemPoolHandle_st{properties->location.id});
  return CUDA_SUCCESS;
}

CUresult cuMemPoolDestroy(CUmemoryPool pool) {
  return Live<CUmemoryPool>::of().remove(pool) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t) {
  return alive(pool) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuDeviceGetDefaultMemPool(CUmemoryPool* pool, CUdevice device) {
  if (device < 0 || device >= settings().devices) return CUDA_ERROR_INVALID_DEVICE;
  *pool = default_pool(device);
  return check_initialised();
}

CUresult cuDeviceGetMemPool(CUmemoryPool* pool, CUdevice device) {
  return cuDeviceGetDefaultMemPool(pool, device);
}

CUresult cuIpcGetMemHandle(CUipcMemHandle* handle, CUdeviceptr address) {
  const auto found = memory().find(address);
  if (!found || found->kind != MemoryKind::Device) return CUDA_ERROR_INVALID_VALUE;
  const SharedMemory shared = {kSharedMark, getpid(), found->backing->fd(), found->offset, found->bytes};
  std::memset(handle, 0, sizeof *handle);
  std::memcpy(handle, &shared, sizeof shared);
  return CUDA_SUCCESS;
}

CUresult cuIpcOpenMemHandle(CUdeviceptr* address, CUipcMemHandle handle, unsigned int) {
  const Here now = here();
  if (now.error != CUDA_SUCCESS) return now.error;
  SharedMemory shared;
  std::memcpy(&shared, &handle, sizeof shared);
  if (shared.mark != kSharedMark) return CUDA_ERROR_INVALID_VALUE;
  if (shared.process == getpid()) return CUDA_ERROR_INVALID_CONTEXT;
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%ld/fd/%ld", static_cast<long>(shared.process),
                static_cast<long>(shared.descriptor));
  Allocation wanted;
  wanted.backing = Backing::open(path);
  if (wanted.backing == nullptr) return CUDA_ERROR_MAP_FAILED;
  wanted.kind = MemoryKind::Imported;
  wanted.device = now.context->device;
  wanted.context = now.context;
  CUdeviceptr base = 0;
  const CUresult error = memory().import(wanted, &base);
  *address = base + shared.offset;
  return error;
}

CUresult cuIpcCloseMemHandle(CUdeviceptr address) {
  const auto found = memory().find(address);
  return found ? memory().free(found->base, {MemoryKind::Imported}) : CUDA_ERROR_INVALID_VALUE;
}

}  // namespace kernloop::cuda::fake
