// Calls that allocate and free memory.
#include <atomic>

#include "capture/cuda/agent.h"
#include "capture/cuda/app/api_call.h"

namespace kernloop::capture {
namespace {

using namespace cuda;

void allocated(const ApiCall& call, uint64_t base, uint64_t size, std::string_view api,
               MemoryClass memory_class = MemoryClass::kDevice, bool of_others = false) {
  TrackedAllocation tracked;
  tracked.allocation.base = base;
  tracked.allocation.size = size;
  tracked.allocation.memory_class = memory_class;
  tracked.allocation.api = api;
  tracked.allocation.of_others = of_others;
  tracked.owner = call.data.context;
  call.agent.memory.add(tracked);
}

// Other processes, or other APIs than CUDA, may write it.
void allocated_by_others(const ApiCall& call, uint64_t base, uint64_t size, std::string_view api) {
  allocated(call, base, size, api, MemoryClass::kHost, true);
}

void after_alloc(const ApiCall& call) {
  if (!call.succeeded()) return;
  const auto& p = call.params<cuMemAlloc_v2_params>();
  allocated(call, *p.dptr, p.bytesize, "cuMemAlloc");
}

void after_alloc_pitch(const ApiCall& call) {
  if (!call.succeeded()) return;
  const auto& p = call.params<cuMemAllocPitch_v2_params>();
  allocated(call, *p.dptr, *p.pPitch * p.Height, "cuMemAllocPitch");
}

// The CPU may write it at any time, as host memory.
void after_alloc_managed(const ApiCall& call) {
  if (!call.succeeded()) return;
  const auto& p = call.params<cuMemAllocManaged_params>();
  allocated(call, *p.dptr, p.bytesize, "cuMemAllocManaged", MemoryClass::kHost);
}

// While a stream is captured into a graph, such a call makes a node of the graph, and the address has memory behind it
// only while the graph runs.
void after_alloc_async(const ApiCall& call) {
  if (!call.succeeded()) return;
  const auto& p = call.params<cuMemAllocAsync_params>();
  if (call.agent.graphs.is_captured(p.hStream)) return;
  allocated(call, *p.dptr, p.bytesize, "cuMemAllocAsync");
}

void after_alloc_from_pool(const ApiCall& call) {
  if (!call.succeeded()) return;
  const auto& p = call.params<cuMemAllocFromPoolAsync_params>();
  if (call.agent.graphs.is_captured(p.hStream)) return;
  allocated(call, *p.dptr, p.bytesize, "cuMemAllocFromPoolAsync");
}

// `by_host`: the CPU will read it, and not the GPU.
void host_memory(const ApiCall& call, void* address, uint64_t size, std::string_view api, bool owned_by_app,
                 bool by_host = true) {
  TrackedAllocation tracked;
  Allocation& allocation = tracked.allocation;
  tracked.freed_by = reinterpret_cast<uint64_t>(address);
  if (by_host) allocation.host_address = tracked.freed_by;
  allocation.base = tracked.freed_by;
  allocation.size = size;
  allocation.memory_class = MemoryClass::kHost;
  allocation.api = api;
  allocation.host_owned = owned_by_app;
  tracked.owner = call.data.context;
  const OwnCalls own;
  CUdeviceptr device = 0;
  if (call.agent.driver->cuMemHostGetDevicePointer(&device, address, 0) == CUDA_SUCCESS) allocation.base = device;
  call.agent.memory.add(tracked);
}

void after_alloc_host(const ApiCall& call) {
  if (!call.succeeded()) return;
  const auto& p = call.params<cuMemAllocHost_v2_params>();
  host_memory(call, *p.pp, p.bytesize, "cuMemAllocHost", false);
}

void after_host_alloc(const ApiCall& call) {
  if (!call.succeeded()) return;
  const auto& p = call.params<cuMemHostAlloc_params>();
  // The CPU reads write-combined memory a hundred times slower than the GPU.
  const bool write_combined = (p.Flags & CU_MEMHOSTALLOC_WRITECOMBINED) != 0;
  host_memory(call, *p.pp, p.bytesize, "cuMemHostAlloc", false, !write_combined);
}

void after_host_register(const ApiCall& call) {
  if (!call.succeeded()) return;
  const auto& p = call.params<cuMemHostRegister_v2_params>();
  host_memory(call, p.p, p.bytesize, "cuMemHostRegister", true);
}

// Memory of another allocator: the driver knows its size.
void others_memory(const ApiCall& call, uint64_t address, std::string_view api) {
  const OwnCalls own;
  CUdeviceptr base = 0;
  size_t size = 0;
  if (call.agent.driver->cuMemGetAddressRange(&base, &size, address) != CUDA_SUCCESS) {
    call.agent.note("IPC_MEMORY", std::string(api) + ": the driver does not tell how large the memory is");
    return;
  }
  allocated_by_others(call, address, base + size - address, api);
}

void after_ipc_open(const ApiCall& call) {
  if (call.succeeded()) others_memory(call, *call.params<cuIpcOpenMemHandle_v2_params>().pdptr, "cuIpcOpenMemHandle");
}
void after_import_pointer(const ApiCall& call) {
  if (call.succeeded())
    others_memory(call, *call.params<cuMemPoolImportPointer_params>().ptr_out, "cuMemPoolImportPointer");
}
void after_map_external(const ApiCall& call) {
  if (call.succeeded())
    others_memory(call, *call.params<cuExternalMemoryGetMappedBuffer_params>().devPtr,
                  "cuExternalMemoryGetMappedBuffer");
}
// Until the resource is unmapped; until then it may be asked for again.
void after_map_graphics(const ApiCall& call) {
  const auto& p = call.params<cuGraphicsResourceGetMappedPointer_v2_params>();
  if (call.succeeded()) allocated_by_others(call, *p.pDevPtr, *p.pSize, "cuGraphicsResourceGetMappedPointer");
}

void after_export(const ApiCall& call) {
  if (!call.succeeded()) return;
  static std::atomic<bool> told{false};
  if (told.exchange(true)) return;
  call.agent.note("IPC_EXPORTED", std::string("the program lets other processes use its memory (") +
                                      call.data.functionName + "): they are not held during a capture");
}

// Gone before the call, or another thread that is given the same address would be overlooked; back if it fails.
void before_free(const ApiCall& call) {
  call.thread.freeing = call.agent.memory.take(call.params<cuMemFree_v2_params>().dptr);
}
void before_free_async(const ApiCall& call) {
  const auto& p = call.params<cuMemFreeAsync_params>();
  if (call.agent.graphs.is_captured(p.hStream)) return;
  call.thread.freeing = call.agent.memory.take(p.dptr);
}
void before_free_host(const ApiCall& call) {
  call.thread.freeing = call.agent.memory.take_host(reinterpret_cast<uint64_t>(call.params<cuMemFreeHost_params>().p));
}
void after_free(const ApiCall& call) {
  if (call.thread.freeing && !call.succeeded()) call.agent.memory.add(*call.thread.freeing);
  call.thread.freeing.reset();
}

}  // namespace

#define ON(function, before, after) table.set(CUPTI_DRIVER_TRACE_CBID_##function, Watch::kAlways, before, after)

void add_memory_calls(ApiTable& table) {
  ON(cuMemAlloc_v2, nullptr, after_alloc);
  ON(cuMemAllocPitch_v2, nullptr, after_alloc_pitch);
  ON(cuMemAllocManaged, nullptr, after_alloc_managed);
  ON(cuMemAllocAsync, nullptr, after_alloc_async);
  ON(cuMemAllocAsync_ptsz, nullptr, after_alloc_async);
  ON(cuMemAllocFromPoolAsync, nullptr, after_alloc_from_pool);
  ON(cuMemAllocFromPoolAsync_ptsz, nullptr, after_alloc_from_pool);
  ON(cuMemAllocHost_v2, nullptr, after_alloc_host);
  ON(cuMemHostAlloc, nullptr, after_host_alloc);
  ON(cuMemHostAlloc_v2, nullptr, after_host_alloc);
  ON(cuMemHostRegister, nullptr, after_host_register);
  ON(cuMemHostRegister_v2, nullptr, after_host_register);
  ON(cuIpcOpenMemHandle, nullptr, after_ipc_open);
  ON(cuIpcOpenMemHandle_v2, nullptr, after_ipc_open);
  ON(cuIpcGetMemHandle, nullptr, after_export);
  ON(cuMemExportToShareableHandle, nullptr, after_export);
  ON(cuMemPoolExportPointer, nullptr, after_export);
  ON(cuIpcCloseMemHandle, before_free, after_free);
  ON(cuMemPoolImportPointer, nullptr, after_import_pointer);
  ON(cuExternalMemoryGetMappedBuffer, nullptr, after_map_external);
  ON(cuGraphicsResourceGetMappedPointer_v2, nullptr, after_map_graphics);
  ON(cuMemFree_v2, before_free, after_free);
  ON(cuMemFreeAsync, before_free_async, after_free);
  ON(cuMemFreeAsync_ptsz, before_free_async, after_free);
  ON(cuMemFreeHost, before_free_host, after_free);
  ON(cuMemHostUnregister, before_free_host, after_free);
}

#undef ON

}  // namespace kernloop::capture
