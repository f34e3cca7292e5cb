// The kinds of memory that a kernel's arguments may be in.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>

#include "fakes/cuda/apps/app.h"

namespace kernloop::cuda::app {
namespace {

constexpr size_t kCount = 1000, kMiB = 1 << 20;

const Command kAsyncPool("async-pool", "stream-ordered allocation, with an address used twice", [] {
  start();
  const CUfunction add = function(load_module(), kAddInPlace);
  CUstream stream = nullptr;
  CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  for (int round = 0; round < 2; ++round) {
    const std::vector<float> values = ramp(kCount);
    CUdeviceptr x = 0;
    CHECK(cuMemAllocAsync(&x, kCount * sizeof(float), stream));
    CHECK(cuMemcpyHtoDAsync(x, values.data(), kCount * sizeof(float), stream));
    add_in_place(add, x, 1.0f, kCount, stream);
    std::vector<float> result(kCount);
    CHECK(cuMemcpyDtoHAsync(result.data(), x, kCount * sizeof(float), stream));
    CHECK(cuMemFreeAsync(x, stream));
    CHECK(cuStreamSynchronize(stream));
    EXPECT(result[1] == 2.0f);
  }
});

CUmemAllocationProp device_memory() {
  CUmemAllocationProp properties = {};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  return properties;
}

// PyTorch's expandable segments: the handle is released once the memory is mapped.
void grow(CUdeviceptr segment, size_t from, size_t bytes) {
  const CUmemAllocationProp properties = device_memory();
  CUmemGenericAllocationHandle handle = 0;
  CHECK(cuMemCreate(&handle, bytes, &properties, 0));
  CHECK(cuMemMap(segment + from, bytes, 0, handle, 0));
  CHECK(cuMemRelease(handle));
  const CUmemAccessDesc access = {properties.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  CHECK(cuMemSetAccess(segment + from, bytes, &access, 1));
}

const Command kVmm("vmm", "one large reservation, mapped piece by piece (expandable segments)", [] {
  start();
  CUdeviceptr segment = 0;
  CHECK(cuMemAddressReserve(&segment, 64 * kMiB, 0, 0, 0));
  grow(segment, 0, 2 * kMiB);
  grow(segment, 2 * kMiB, 4 * kMiB);
  const CUdeviceptr x = segment + 2 * kMiB - 512, y = segment + 4 * kMiB;  // x is in both pieces
  upload(x, ramp(kCount));
  upload(y, ramp(kCount));
  const CUfunction kernel = function(load_module(), kSaxpy);
  saxpy(kernel, x, y, kCount);
  EXPECT(downloaded(y, kCount)[999] == 2997.0f);
  CHECK(cuMemUnmap(segment + 2 * kMiB, 4 * kMiB));
  grow(segment, 2 * kMiB, 4 * kMiB);
  upload(x, ramp(kCount));
  upload(y, ramp(kCount));
  saxpy(kernel, x, y, kCount);
  EXPECT(downloaded(y, kCount)[999] == 2997.0f);
});

const Command kReserve("reserve", "asks for 32 MiB at ADDRESS and says whether they were had", [] {
  start();
  const auto wanted = static_cast<CUdeviceptr>(argument(0, 0x500000000000));
  CUdeviceptr window = 0;
  CHECK(cuMemAddressReserve(&window, 32 * kMiB, 0, wanted, 0));
  std::printf(window == wanted ? "there\n" : "elsewhere\n");
  CHECK(cuMemAddressFree(window, 32 * kMiB));
});

const Command kManaged("managed", "managed memory, written and read by the host", [] {
  start();
  CUdeviceptr x = 0;
  CHECK(cuMemAllocManaged(&x, kCount * sizeof(float), CU_MEM_ATTACH_GLOBAL));
  auto* const host = reinterpret_cast<float*>(x);
  for (size_t i = 0; i < kCount; ++i) host[i] = static_cast<float>(i);
  add_in_place(function(load_module(), kAddInPlace), x, 1.0f, kCount);
  CHECK(cuCtxSynchronize());
  EXPECT(host[1] == 2.0f);
});

const Command kPinned("pinned", "page-locked host memory in a kernel's hands", [] {
  start();
  void* pointer = nullptr;
  CHECK(cuMemHostAlloc(&pointer, kCount * sizeof(float), CU_MEMHOSTALLOC_DEVICEMAP));
  auto* const host = static_cast<float*>(pointer);
  for (size_t i = 0; i < kCount; ++i) host[i] = static_cast<float>(i);
  CUdeviceptr x = 0;
  CHECK(cuMemHostGetDevicePointer(&x, pointer, 0));
  add_in_place(function(load_module(), kAddInPlace), x, 1.0f, kCount);
  CHECK(cuCtxSynchronize());
  EXPECT(host[1] == 2.0f);
});

const Command kRegisteredHost("registered-host", "memory of the program, registered", [] {
  start();
  std::vector<float> host = ramp(8 * kCount);
  CHECK(cuMemHostRegister(host.data(), host.size() * sizeof(float), CU_MEMHOSTREGISTER_DEVICEMAP));
  CUdeviceptr x = 0;
  CHECK(cuMemHostGetDevicePointer(&x, host.data(), 0));
  add_in_place(function(load_module(), kAddInPlace), x, 1.0f, host.size());
  CHECK(cuCtxSynchronize());
  EXPECT(host[1] == 2.0f);
  CHECK(cuMemHostUnregister(host.data()));
});

// Imitates another process: this process gets the handle from a descriptor.
const Command kSharedHandle("shared-handle", "mapped memory that came through a shareable handle", [] {
  start();
  CUmemAllocationProp properties = device_memory();
  properties.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  CUmemGenericAllocationHandle own = 0, imported = 0;
  CHECK(cuMemCreate(&own, 2 * kMiB, &properties, 0));
  int descriptor = -1;
  CHECK(cuMemExportToShareableHandle(&descriptor, own, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
  void* const shared = reinterpret_cast<void*>(static_cast<intptr_t>(descriptor));
  CHECK(cuMemImportFromShareableHandle(&imported, shared, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
  CUdeviceptr x = 0;
  CHECK(cuMemAddressReserve(&x, 2 * kMiB, 0, 0, 0));
  CHECK(cuMemMap(x, 2 * kMiB, 0, imported, 0));
  const CUmemAccessDesc access = {properties.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  CHECK(cuMemSetAccess(x, 2 * kMiB, &access, 1));
  upload(x, ramp(kCount));
  add_in_place(function(load_module(), kAddInPlace), x, 1.0f, kCount);
  EXPECT(downloaded(x, kCount)[1] == 2.0f);
  close(descriptor);
});

// The other process: allocates, sends the handle, and waits until its peer is done.
[[noreturn]] void serve_memory(int handles, int requests) {
  start();
  const CUdeviceptr x = uploaded(ramp(kCount));
  CUipcMemHandle handle;
  CHECK(cuIpcGetMemHandle(&handle, x));
  if (write(handles, &handle, sizeof handle) != sizeof handle) fail("the handle cannot be sent");
  char done = 0;
  if (read(requests, &done, 1) < 0) fail("the other process is lost");
  EXPECT(downloaded(x, kCount)[1] == 2.0f);
  std::_Exit(0);
}

const Command kIpc("ipc", "memory of another process", [] {
  int handles[2], requests[2];
  if (pipe(handles) != 0 || pipe(requests) != 0) fail("no pipes");
  const pid_t child = fork();
  if (child == 0) {
    close(requests[1]);
    serve_memory(handles[1], requests[0]);
  }
  start();
  CUipcMemHandle handle;
  if (read(handles[0], &handle, sizeof handle) != sizeof handle) fail("no handle came");
  CUdeviceptr x = 0;
  CHECK(cuIpcOpenMemHandle(&x, handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
  add_in_place(function(load_module(), kAddInPlace), x, 1.0f, kCount);
  CHECK(cuCtxSynchronize());
  CHECK(cuIpcCloseMemHandle(x));
  close(requests[1]);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 0);
});

}  // namespace
}  // namespace kernloop::cuda::app
