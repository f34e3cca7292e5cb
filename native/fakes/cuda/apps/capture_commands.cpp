// Situations that concern capture alone: concurrent work, and things that cannot be followed.
#include <atomic>
#include <cstddef>
#include <cstring>
#include <thread>

#include "fakes/cuda/apps/app.h"

namespace kernloop::cuda::app {
namespace {

constexpr size_t kCount = 1000;

// The other thread moves x in two steps, by a kernel and by a copy from the host, and waits for neither.
const Command kOtherThread("threads", "eight launches of saxpy while another thread uses another stream", [] {
  const CUcontext context = start();
  const CUmodule module = load_module();
  const CUfunction kernel = function(module, kSaxpy), add = function(module, kAddInPlace);
  const CUdeviceptr x = uploaded(ramp(kCount)), y = uploaded(ramp(kCount));
  const CUdeviceptr moved = uploaded(std::vector<float>(kCount, 0.0f));
  std::atomic<bool> stop{false};
  std::atomic<int> rounds{0};
  std::thread other([&] {
    CHECK(cuCtxSetCurrent(context));
    const CUstream stream = new_stream();
    const std::vector<float> zeros(kCount, 0.0f);
    while (!stop) {
      add_in_place(add, moved, 1.0f, kCount, stream);
      add_in_place(add, moved, 1.0f, kCount, stream);
      CHECK(cuStreamSynchronize(stream));
      CHECK(cuMemcpyHtoD(moved, zeros.data(), kCount * sizeof(float)));
      ++rounds;
    }
  });
  for (int i = 0; i < 8; ++i) {
    const int before = rounds;
    while (rounds < before + 3) std::this_thread::yield();
    saxpy(kernel, x, y, kCount);
  }
  stop = true;
  other.join();
  EXPECT(downloaded(y, kCount)[1] == 17.0f);
});

const Command kCaptureBeside("capture-beside", "launches on one stream while another one is captured", [] {
  start();
  const CUfunction add = function(load_module(), kAddInPlace);
  const CUdeviceptr x = uploaded(ramp(kCount));
  const CUstream captured = new_stream(), plain = new_stream();
  CHECK(cuStreamBeginCapture(captured, CU_STREAM_CAPTURE_MODE_GLOBAL));
  add_in_place(add, x, 100.0f, kCount, captured);
  add_in_place(add, x, 1.0f, kCount, plain);
  CUgraph graph = nullptr;
  CHECK(cuStreamEndCapture(captured, &graph));
  EXPECT(graph != nullptr);  // the capture stayed valid
  CHECK(cuGraphDestroy(graph));
  if (argument(0, 1) != 0) add_in_place(add, x, 1.0f, kCount, plain);
  CHECK(cuStreamSynchronize(plain));
});

// None of the other thread's captures becomes invalid.
const Command kCapturesMeanwhile("captures-meanwhile", "launches while another thread captures graph after graph", [] {
  const CUcontext context = start();
  const CUmodule module = load_module();
  const CUfunction add = function(module, kAddInPlace), other_kernel = function(module, kSaxpy);
  const CUdeviceptr x = uploaded(ramp(kCount)), y = uploaded(ramp(kCount));
  const CUstream plain = new_stream(), captured = new_stream();
  // A driver that loads kernels lazily has loaded them then.
  add_in_place(add, x, 0.0f, kCount, plain);
  saxpy(other_kernel, y, y, kCount, plain);
  CHECK(cuStreamSynchronize(plain));
  std::atomic<bool> stop{false};
  std::thread other([&] {
    CHECK(cuCtxSetCurrent(context));
    while (!stop) {
      CHECK(cuStreamBeginCapture(captured, CU_STREAM_CAPTURE_MODE_GLOBAL));
      saxpy(other_kernel, y, y, kCount, captured);
      CUgraph graph = nullptr;
      CHECK(cuStreamEndCapture(captured, &graph));
      CHECK(cuGraphDestroy(graph));
      std::this_thread::yield();
    }
  });
  const int64_t launches = argument(0, 40);
  for (int64_t i = 0; i < launches; ++i) {
    add_in_place(add, x, 1.0f, kCount, plain);
    std::this_thread::yield();
  }
  stop = true;
  other.join();
  CHECK(cuStreamSynchronize(plain));
  EXPECT(downloaded(x, kCount)[1] == 1.0f + static_cast<float>(launches));
});

const Command kVariablePointer("variable-pointer",
                               "the address of a variable as an argument: of the kernel's module, or (1) another", [] {
                                 start();
                                 const CUmodule own = load_module(),
                                                module = argument(0, 0) == 0 ? own
                                                                             : load_module("one_ulp_wrong.sm_90.cubin");
                                 CUdeviceptr bias = 0;
                                 CHECK(cuModuleGetGlobal(&bias, nullptr, module, "gBias"));
                                 add_in_place(function(own, kAddInPlace), bias, 1.0f, 256);
                                 EXPECT(downloaded(bias, 256)[0] == 1.0f);
                               });

// A structure passed by value, of which the kernel reads 1000 of 1536 words: the rest holds the memory's earlier
// content.
const Command kUntracked("untracked",
                         "an address of a graph's memory in a part of a structure that is not read, or (1) of a "
                         "variable of another module; (2) the graph's memory as an argument that is used",
                         [] {
                           start();
                           const CUmodule module = load_module();
                           CUgraph graph = nullptr;
                           CUgraphNode node = nullptr;
                           CUDA_MEM_ALLOC_NODE_PARAMS memory = {};
                           memory.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
                           memory.poolProps.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
                           memory.bytesize = kCount * sizeof(float);
                           CHECK(cuGraphCreate(&graph, 0));
                           CHECK(cuGraphAddMemAllocNode(&node, graph, nullptr, 0, &memory));
                           CUdeviceptr stale = memory.dptr;
                           if (argument(0, 0) == 2) {
                             add_in_place(function(module, kAddInPlace), stale, 1.0f, kCount);
                             CHECK(cuCtxSynchronize());
                             return;
                           }
                           const CUmodule other = load_module("one_ulp_wrong.sm_90.cubin");
                           if (argument(0, 0) == 1) CHECK(cuModuleGetGlobal(&stale, nullptr, other, "gBias"));
                           struct Table {
                             float values[1536];
                           } table = {};
                           for (size_t i = 0; i < kCount; ++i) table.values[i] = static_cast<float>(i);
                           std::memcpy(&table.values[1200], &stale, sizeof stale);
                           const CUdeviceptr out = uploaded(std::vector<float>(kCount, 0.0f));
                           launch(function(module, "_Z16large_parameters10LargeTablePfi"), blocks_for(kCount), nullptr,
                                  table, out, int{kCount});
                           EXPECT(downloaded(out, kCount) == ramp(kCount));
                         });

const Command kArgumentBuffer("argument-buffer", "the arguments of saxpy in one buffer (extra)", [] {
  start();
  struct {
    float a;
    CUdeviceptr x, y;
    int n;
  } arguments = {2.0f, uploaded(ramp(kCount)), uploaded(ramp(kCount)), kCount};
  size_t size = offsetof(decltype(arguments), n) + sizeof arguments.n;  // no more than the kernel takes
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &arguments, CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
  CHECK(cuLaunchKernel(function(load_module(), kSaxpy), blocks_for(kCount).x, 1, 1, kThreads, 1, 1, 0, nullptr, nullptr,
                       extra));
  EXPECT(downloaded(arguments.y, kCount)[999] == 2997.0f);
});

// Both modules are loaded before any of the kernels is launched.
const Command kSameNameTwoLibraries("same-name-two-libraries", "saxpy of two libraries, of which one is wrong", [] {
  start();
  CUkernel kernels[2] = {};
  const char* const cubins[2] = {"test_kernels.sm_90.cubin", "one_ulp_wrong.sm_90.cubin"};
  for (int i = 0; i < 2; ++i) {
    CUlibrary library = nullptr;
    CHECK(cuLibraryLoadData(&library, read_cubin(cubins[i]), nullptr, nullptr, 0, nullptr, nullptr, 0));
    CUdeviceptr bias = 0;
    size_t bytes = 0;
    CHECK(cuLibraryGetGlobal(&bias, &bytes, library, "gBias"));
    CHECK(cuLibraryGetKernel(&kernels[i], library, kSaxpy));
  }
  for (CUkernel kernel : kernels) {
    const CUdeviceptr x = uploaded(ramp(kCount)), y = uploaded(ramp(kCount));
    saxpy(reinterpret_cast<CUfunction>(kernel), x, y, kCount);
    EXPECT((downloaded(y, kCount)[4] > 12.0f) == (kernel == kernels[1]));
  }
});

// Nothing that happens after the thousands of launches tells which library's module is which.
const Command kUnknownCode(
    "unknown-code", "saxpy of two libraries that were loaded unseen, after N launches (5000)", [] {
      start();
      const CUfunction add = function(load_module(), kAddInPlace);
      const CUdeviceptr one = uploaded({0.0f}), x = uploaded(ramp(kCount)), y = uploaded(ramp(kCount));
      for (int64_t i = 0; i < argument(0, 5000); ++i) add_in_place(add, one, 1.0f, 1);
      CUlibrary libraries[2] = {};
      const char* const cubins[2] = {"one_ulp_wrong.sm_90.cubin", "do_nothing.sm_90.cubin"};
      for (int i = 0; i < 2; ++i) {
        CHECK(cuLibraryLoadData(&libraries[i], read_cubin(cubins[i]), nullptr, nullptr, 0, nullptr, nullptr, 0));
      }
      for (CUlibrary library : libraries) {
        CUkernel idle = nullptr;
        CHECK(cuLibraryGetKernel(&idle, library, "_Z10do_nothingPf"));
        launch(reinterpret_cast<CUfunction>(idle), Blocks{1}, nullptr, x);
      }
      CUkernel kernel = nullptr;
      CHECK(cuLibraryGetKernel(&kernel, libraries[0], kSaxpy));
      saxpy(reinterpret_cast<CUfunction>(kernel), x, y, kCount);
      EXPECT(downloaded(y, kCount)[4] > 12.0f);
    });

const Command kEnumerated("enumerated", "saxpy, found among all the kernels of a library", [] {
  start();
  CUlibrary library = nullptr;
  CHECK(cuLibraryLoadData(&library, read_cubin("test_kernels.sm_90.cubin"), nullptr, nullptr, 0, nullptr, nullptr, 0));
  unsigned int count = 0;
  CHECK(cuLibraryGetKernelCount(&count, library));
  std::vector<CUkernel> kernels(count);
  CHECK(cuLibraryEnumerateKernels(kernels.data(), count, library));
  const CUdeviceptr x = uploaded(ramp(kCount)), y = uploaded(ramp(kCount));
  for (CUkernel kernel : kernels) {
    const char* name = nullptr;
    CHECK(cuKernelGetName(&name, kernel));
    if (std::string(name) == kSaxpy) saxpy(reinterpret_cast<CUfunction>(kernel), x, y, kCount);
  }
  EXPECT(downloaded(y, kCount)[999] == 2997.0f);
});

const Command kUnfinished("unfinished", "50 launches, and the end of the program without waiting for them", [] {
  start();
  const CUfunction add = function(load_module(), kAddInPlace);
  const CUdeviceptr x = uploaded(ramp(kCount));
  for (int i = 0; i < 50; ++i) add_in_place(add, x, 1.0f, kCount);
});

}  // namespace
}  // namespace kernloop::cuda::app
