// Streams, graphs, contexts, devices, and kernels that wait for each other.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "fakes/cuda/apps/app.h"

namespace kernloop::cuda::app {
namespace {

constexpr size_t kCount = 1000;

void run_graph(CUgraph graph, CUstream stream, int times) {
  CUgraphExec exec = nullptr;
  CHECK(cuGraphInstantiateWithFlags(&exec, graph, 0));
  for (int i = 0; i < times; ++i) CHECK(cuGraphLaunch(exec, stream));
  CHECK(cuStreamSynchronize(stream));
  CHECK(cuGraphExecDestroy(exec));
  CHECK(cuGraphDestroy(graph));
}

const Command kGraph("graph", "a graph of two kernel nodes, launched twice", [] {
  start();
  CUdeviceptr x = uploaded(ramp(kCount));
  float value = 1.0f;
  int count = kCount;
  void* parameters[] = {&x, &value, &count};
  CUDA_KERNEL_NODE_PARAMS node = {};
  node.func = function(load_module(), kAddInPlace);
  node.gridDimX = blocks_for(kCount).x;
  node.gridDimY = node.gridDimZ = node.blockDimY = node.blockDimZ = 1;
  node.blockDimX = kThreads;
  node.kernelParams = parameters;
  CUgraph graph = nullptr;
  CHECK(cuGraphCreate(&graph, 0));
  CUgraphNode first = nullptr, second = nullptr;
  CHECK(cuGraphAddKernelNode(&first, graph, nullptr, 0, &node));
  CHECK(cuGraphAddKernelNode(&second, graph, &first, 1, &node));
  run_graph(graph, new_stream(), 2);
  EXPECT(downloaded(x, kCount)[1] == 5.0f);
});

const Command kGraphSetParameters("graph-set-parameters", "a node of a graph that is given another kernel", [] {
  start();
  CUdeviceptr x = uploaded(ramp(kCount));
  float value = 1.0f;
  int count = kCount;
  void* parameters[] = {&x, &value, &count};
  const CUmodule module = load_module();
  CUDA_KERNEL_NODE_PARAMS node = {};
  node.func = function(module, kAddInPlace);
  node.gridDimX = node.gridDimY = node.gridDimZ = node.blockDimY = node.blockDimZ = 1;
  node.blockDimX = kThreads;
  node.kernelParams = parameters;
  CUgraph graph = nullptr;
  CHECK(cuGraphCreate(&graph, 0));
  CUgraphNode only = nullptr;
  CHECK(cuGraphAddKernelNode(&only, graph, nullptr, 0, &node));
  node.func = function(module, "_Z10do_nothingPf");
  CHECK(cuGraphKernelNodeSetParams(only, &node));
  run_graph(graph, new_stream(), 1);
  EXPECT(downloaded(x, kCount)[1] == 1.0f);
});

const Command kStreamCapture("stream-capture", "a captured stream, and the same kernel launched plainly after it", [] {
  start();
  const CUfunction add = function(load_module(), kAddInPlace);
  const CUdeviceptr x = uploaded(ramp(kCount));
  const CUstream stream = new_stream();
  CHECK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
  for (int i = 0; i < 2; ++i) add_in_place(add, x, 1.0f, kCount, stream);
  CUgraph graph = nullptr;
  CHECK(cuStreamEndCapture(stream, &graph));
  run_graph(graph, stream, 1);
  add_in_place(add, x, 10.0f, kCount, stream);
  CHECK(cuStreamSynchronize(stream));
  EXPECT(downloaded(x, kCount)[1] == 13.0f);
});

void saxpy_here() {
  const CUdeviceptr x = uploaded(ramp(kCount)), y = uploaded(ramp(kCount));
  saxpy(function(load_module(), kSaxpy), x, y, kCount);
  EXPECT(downloaded(y, kCount)[999] == 2997.0f);
}

const Command kTwoContexts("two-contexts", "two contexts on one device, each with the module", [] {
  CHECK(cuInit(0));
  CUcontext contexts[2] = {};
  for (CUcontext& context : contexts) {
    CHECK(cuCtxCreate(&context, 0, 0));
    saxpy_here();
  }
  CHECK(cuCtxDestroy(contexts[1]));
  CHECK(cuCtxSetCurrent(contexts[0]));
  saxpy_here();
});

const Command kTwoDevices("two-devices", "two devices, each with the module", [] {
  CHECK(cuInit(0));
  int devices = 0;
  CHECK(cuDeviceGetCount(&devices));
  if (devices < 2) fail("two-devices needs two devices");
  for (CUdevice device = 0; device < 2; ++device) {
    start(device);
    saxpy_here();
  }
});

const Command kMultiDeviceLaunch("multi-device-launch", "one cooperative launch on two devices", [] {
  CHECK(cuInit(0));
  CUDA_LAUNCH_PARAMS launches[2] = {};
  CUdeviceptr xs[2] = {};
  float value = 1.0f;
  int count = kCount;
  void* parameters[2][3] = {{&xs[0], &value, &count}, {&xs[1], &value, &count}};
  CUcontext contexts[2] = {};
  for (CUdevice device = 0; device < 2; ++device) {
    contexts[device] = start(device);
    xs[device] = uploaded(ramp(kCount));
    launches[device] = {function(load_module(), kAddInPlace),
                        blocks_for(kCount).x,
                        1,
                        1,
                        kThreads,
                        1,
                        1,
                        0,
                        new_stream(),
                        parameters[device]};
  }
  CHECK(cuLaunchCooperativeKernelMultiDevice(launches, 2, 0));
  for (CUdevice device = 0; device < 2; ++device) {
    CHECK(cuCtxSetCurrent(contexts[device]));
    CHECK(cuCtxSynchronize());
    EXPECT(downloaded(xs[device], kCount)[1] == 2.0f);
  }
});

struct Flag {
  volatile uint32_t* host = nullptr;
  CUdeviceptr device = 0;
};

Flag new_flag() {
  void* pointer = nullptr;
  Flag flag;
  CHECK(cuMemHostAlloc(&pointer, sizeof(uint32_t), CU_MEMHOSTALLOC_DEVICEMAP));
  CHECK(cuMemHostGetDevicePointer(&flag.device, pointer, 0));
  flag.host = static_cast<volatile uint32_t*>(pointer);
  *flag.host = 0;
  return flag;
}

constexpr char kWaitForFlag[] = "_Z13wait_for_flagPVjjPj";

// While the first kernel waits, no call that waits for the whole device returns. A driver that loads kernels lazily
// waits for an idle device before it loads one: such a program would hang by itself.
void load_kernels_with_their_module() {
  setenv("CUDA_MODULE_LOADING", "EAGER", 0);
}

const Command kSpinOnHostFlag("spin-on-host-flag", "add_in_place while another stream's kernel waits for the host", [] {
  load_kernels_with_their_module();
  start();
  const CUmodule module = load_module();
  const Flag flag = new_flag();
  const CUdeviceptr seen = allocate(sizeof(uint32_t)), x = uploaded(ramp(kCount));
  const CUstream waiting = new_stream(), working = new_stream();
  const CUfunction wait = function(module, kWaitForFlag), add = function(module, kAddInPlace);
  launch(wait, Blocks{1}, waiting, flag.device, 1u, seen);
  add_in_place(add, x, 1.0f, kCount, working);
  CHECK(cuStreamSynchronize(working));
  *flag.host = 1;
  CHECK(cuStreamSynchronize(waiting));
  EXPECT(downloaded(x, kCount)[1] == 2.0f);
});

// Running the first kernel alone never ends: it waits for one that is launched only after it.
const Command kSpinOnOtherStream("spin-on-other-stream",
                                 "wait_for_flag, which waits for a later kernel of another stream", [] {
                                   load_kernels_with_their_module();
                                   start();
                                   const CUmodule module = load_module();
                                   const CUdeviceptr flag = allocate(sizeof(uint32_t)),
                                                     seen = allocate(sizeof(uint32_t));
                                   CHECK(cuMemsetD8(flag, 0, sizeof(uint32_t)));
                                   const CUfunction set = function(module, "_Z8set_flagPjj");
                                   const CUstream waiting = new_stream(), setting = new_stream();
                                   launch(function(module, kWaitForFlag), Blocks{1}, waiting, flag, 1u, seen);
                                   launch(set, Blocks{1}, setting, flag, 1u);
                                   CHECK(cuStreamSynchronize(waiting));
                                   uint32_t value = 0;
                                   CHECK(cuMemcpyDtoH(&value, seen, sizeof value));
                                   EXPECT(value == 1);
                                 });

const Command kPerThreadStream("per-thread-stream", "a launch of a program built for per-thread default streams", [] {
  start();
  CUdeviceptr x = uploaded(ramp(kCount));
  float value = 1.0f;
  int count = kCount;
  void* parameters[] = {&x, &value, &count};
  const CUfunction add = function(load_module(), kAddInPlace);
  CHECK(cuLaunchKernel_ptsz(add, blocks_for(kCount).x, 1, 1, kThreads, 1, 1, 0, nullptr, parameters, nullptr));
  CHECK(cuStreamSynchronize_ptsz(nullptr));
  EXPECT(downloaded(x, kCount)[1] == 2.0f);
});

const Command kFork("fork", "a child process, which cannot use the driver; the parent goes on", [] {
  start();
  const CUfunction add = function(load_module(), kAddInPlace);
  const CUdeviceptr x = uploaded(ramp(kCount));
  add_in_place(add, x, 1.0f, kCount);
  CHECK(cuCtxSynchronize());
  const pid_t child = fork();
  if (child == 0) std::_Exit(cuCtxSynchronize() == CUDA_ERROR_NOT_INITIALIZED ? 0 : 1);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  add_in_place(add, x, 1.0f, kCount);
  EXPECT(downloaded(x, kCount)[1] == 3.0f);
});

}  // namespace
}  // namespace kernloop::cuda::app
