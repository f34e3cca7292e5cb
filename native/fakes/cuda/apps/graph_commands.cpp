// Graphs whose kernels a capture takes out of them, or refuses with a reason. Each command checks the results of all
// its nodes: a node that ran twice, too early, or with earlier parameters, shows.
#include <chrono>
#include <cstring>
#include <thread>

#include "fakes/cuda/apps/app.h"

namespace kernloop::cuda::app {
namespace {

constexpr size_t kCount = 1000;

uint32_t bits_of(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

CUDA_KERNEL_NODE_PARAMS kernel_node(CUfunction function, void** parameters) {
  CUDA_KERNEL_NODE_PARAMS node = {};
  node.func = function;
  node.gridDimX = blocks_for(kCount).x;
  node.gridDimY = node.gridDimZ = node.blockDimY = node.blockDimZ = 1;
  node.blockDimX = kThreads;
  node.kernelParams = parameters;
  return node;
}

// Arguments of both kernels, where nodes find them until they are added.
struct Add {
  CUdeviceptr x;
  float value;
  int count = kCount;
  void* parameters[3] = {&x, &value, &count};
};
struct Saxpy {
  CUdeviceptr x, y;
  float a = 2.0f;
  int count = kCount;
  void* parameters[4] = {&a, &x, &y, &count};
};

CUDA_MEMSET_NODE_PARAMS fill(CUdeviceptr to, float value) {
  return {to, 0, bits_of(value), sizeof value, kCount, 1};
}

CUDA_MEMCPY3D copy(CUdeviceptr to, CUdeviceptr from) {
  CUDA_MEMCPY3D params = {};
  params.srcMemoryType = params.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  params.srcDevice = from;
  params.dstDevice = to;
  params.WidthInBytes = kCount * sizeof(float);
  params.Height = params.Depth = 1;
  return params;
}

void take_a_while(void* milliseconds) {
  std::this_thread::sleep_for(std::chrono::milliseconds(*static_cast<int*>(milliseconds)));
}

//     fill x ── x += add ─┬─ y += 2 x ─┬─ u = y ── u += 10
//               z += 1 ───┤            └─ wait ── x += 1000
//                         └─ w += 2 z
struct Branches {
  CUcontext context = nullptr;
  CUfunction saxpy = nullptr, add = nullptr;
  CUdeviceptr x = 0, y = 0, z = 0, w = 0, u = 0;
  int milliseconds = 30;
  CUgraphNode filled = nullptr, added = nullptr, counted = nullptr, copied = nullptr, waited = nullptr;

  CUgraph make(float value, float more) {
    CUgraph graph = nullptr;
    CHECK(cuGraphCreate(&graph, 0));
    const auto with_add = [&](CUdeviceptr to, float by, std::vector<CUgraphNode> after) {
      Add arguments{to, by};
      const CUDA_KERNEL_NODE_PARAMS params = kernel_node(add, arguments.parameters);
      CUgraphNode node = nullptr;
      CHECK(cuGraphAddKernelNode(&node, graph, after.data(), after.size(), &params));
      return node;
    };
    const auto with_saxpy = [&](CUdeviceptr from, CUdeviceptr to, std::vector<CUgraphNode> after) {
      Saxpy arguments{from, to};
      const CUDA_KERNEL_NODE_PARAMS params = kernel_node(saxpy, arguments.parameters);
      CUgraphNode node = nullptr;
      CHECK(cuGraphAddKernelNode(&node, graph, after.data(), after.size(), &params));
      return node;
    };
    const CUDA_MEMSET_NODE_PARAMS filling = fill(x, value);
    CHECK(cuGraphAddMemsetNode(&filled, graph, nullptr, 0, &filling, context));
    added = with_add(x, more, {filled});
    counted = with_add(z, 1.0f, {});
    const CUgraphNode first = with_saxpy(x, y, {added, counted});
    with_saxpy(z, w, {counted});
    const CUDA_MEMCPY3D copying = copy(u, y);
    CHECK(cuGraphAddMemcpyNode(&copied, graph, &first, 1, &copying, context));
    with_add(u, 10.0f, {copied});
    const CUDA_HOST_NODE_PARAMS waiting = {take_a_while, &milliseconds};
    CHECK(cuGraphAddHostNode(&waited, graph, &first, 1, &waiting));
    with_add(x, 1000.0f, {waited});
    return graph;
  }
};

const Command kGraphBranches("graph-branches", "branches, updates of all kinds, four launches in two streams", [] {
  Branches app;
  app.context = start();
  const CUmodule module = load_module();
  app.saxpy = function(module, kSaxpy);
  app.add = function(module, kAddInPlace);
  for (CUdeviceptr* array : {&app.x, &app.y, &app.z, &app.w, &app.u})
    *array = uploaded(std::vector<float>(kCount, 0.0f));
  const CUstream one = new_stream(), other = new_stream();
  const CUgraph graph = app.make(1.0f, 1.0f);
  const Branches nodes = app;
  CUgraphExec exec = nullptr;
  CHECK(cuGraphInstantiateWithFlags(&exec, graph, 0));
  CHECK(cuGraphLaunch(exec, one));  // x = 1 + 1
  // Each node by its own call; the previous launch keeps its parameters.
  const CUDA_MEMSET_NODE_PARAMS filling = fill(app.x, 2.0f);
  CHECK(cuGraphExecMemsetNodeSetParams(exec, nodes.filled, &filling, app.context));
  Add arguments{app.x, 5.0f};
  const CUDA_KERNEL_NODE_PARAMS params = kernel_node(app.add, arguments.parameters);
  CHECK(cuGraphExecKernelNodeSetParams(exec, nodes.added, &params));
  CHECK(cuGraphLaunch(exec, other));  // x = 2 + 5
  CUgraphExecUpdateResultInfo info = {};
  const CUgraph updated = app.make(3.0f, 8.0f);
  CHECK(cuGraphExecUpdate(exec, updated, &info));
  CHECK(cuGraphDestroy(updated));
  CHECK(cuGraphLaunch(exec, other));  // x = 3 + 8
  CHECK(cuGraphNodeSetEnabled(exec, nodes.counted, 0));
  const CUDA_MEMCPY3D copying = copy(app.u, app.w);
  CHECK(cuGraphExecMemcpyNodeSetParams(exec, nodes.copied, &copying, app.context));
  CHECK(cuGraphLaunch(exec, one));
  CHECK(cuStreamSynchronize(one));
  CHECK(cuGraphExecDestroy(exec));
  CHECK(cuGraphDestroy(graph));
  EXPECT(downloaded(app.x, kCount)[999] == 1011.0f);
  EXPECT(downloaded(app.y, kCount)[999] == 2.0f * (2 + 7 + 11 + 11));
  EXPECT(downloaded(app.z, kCount)[999] == 3.0f);
  const float w = 2.0f * (1 + 2 + 3 + 3), w_before = w - 2.0f * 3;
  EXPECT(downloaded(app.w, kCount)[999] == w);
  // The copy is ordered after y, but not after w: it may see either.
  const float u = downloaded(app.u, kCount)[999];
  EXPECT(u == w + 10.0f || u == w_before + 10.0f);
});

// PyTorch's sequence: captured, instantiated, and the graph destroyed; with kernels of a library.
const Command kGraphDestroyed("graph-destroyed", "a captured graph of a library's kernels, destroyed once instantiated",
                              [] {
                                start();
                                CUlibrary library = nullptr;
                                CUkernel kernels[2] = {};
                                CHECK(cuLibraryLoadData(&library, read_cubin("test_kernels.sm_90.cubin"), nullptr,
                                                        nullptr, 0, nullptr, nullptr, 0));
                                CHECK(cuLibraryGetKernel(&kernels[0], library, kSaxpy));
                                CHECK(cuLibraryGetKernel(&kernels[1], library, kAddInPlace));
                                const auto scale = reinterpret_cast<CUfunction>(kernels[0]),
                                           add = reinterpret_cast<CUfunction>(kernels[1]);
                                const CUdeviceptr x = uploaded(ramp(kCount)), y = uploaded(ramp(kCount));
                                const CUstream stream = new_stream();
                                CHECK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
                                add_in_place(add, x, 1.0f, kCount, stream);
                                saxpy(scale, x, y, kCount, stream);
                                add_in_place(add, x, 1.0f, kCount, stream);
                                CUgraph graph = nullptr;
                                CHECK(cuStreamEndCapture(stream, &graph));
                                CUgraphExec exec = nullptr;
                                CHECK(cuGraphInstantiateWithFlags(&exec, graph, 0));
                                CHECK(cuGraphDestroy(graph));
                                for (int i = 0; i < 3; ++i) CHECK(cuGraphLaunch(exec, stream));
                                CHECK(cuGraphExecDestroy(exec));
                                CHECK(cuStreamSynchronize(stream));
                                EXPECT(downloaded(x, kCount)[1] == 7.0f);
                                EXPECT(downloaded(y, kCount)[1] == 1.0f + 2.0f * (2 + 4 + 6));
                              });

struct Child {
  CUfunction add = nullptr;
  CUdeviceptr x = 0, y = 0;
  CUgraphNode node = nullptr;

  Child() {
    start();
    add = function(load_module(), kAddInPlace);
    x = uploaded(ramp(kCount));
    y = uploaded(ramp(kCount));
  }
  CUgraph graph_of(CUdeviceptr to, float by) const {
    CUgraph graph = nullptr;
    CUgraphNode added = nullptr;
    CHECK(cuGraphCreate(&graph, 0));
    Add arguments{to, by};
    const CUDA_KERNEL_NODE_PARAMS params = kernel_node(add, arguments.parameters);
    CHECK(cuGraphAddKernelNode(&added, graph, nullptr, 0, &params));
    return graph;
  }
  // y += 3, with x += 2 as a child before it
  CUgraphExec instantiated() {
    const CUgraph graph = graph_of(y, 3.0f), child = graph_of(x, 2.0f);
    CUgraphNode behind = nullptr;
    CUgraphExec exec = nullptr;
    CHECK(cuGraphAddChildGraphNode(&node, graph, nullptr, 0, child));
    Add arguments{x, 4.0f};
    const CUDA_KERNEL_NODE_PARAMS params = kernel_node(add, arguments.parameters);
    CHECK(cuGraphAddKernelNode(&behind, graph, &node, 1, &params));
    CHECK(cuGraphInstantiateWithFlags(&exec, graph, 0));
    return exec;
  }
};

const Command kGraphChild("graph-child", "two nodes and a child graph with one, then a plain launch, all one kernel",
                          [] {
                            Child app;
                            const CUgraphExec exec = app.instantiated();
                            const CUstream stream = new_stream();
                            CHECK(cuGraphLaunch(exec, stream));
                            add_in_place(app.add, app.x, 1.0f, kCount, stream);
                            CHECK(cuStreamSynchronize(stream));
                            EXPECT(downloaded(app.x, kCount)[1] == 8.0f);
                            EXPECT(downloaded(app.y, kCount)[1] == 4.0f);
                          });

const Command kGraphChildChanged("graph-child-changed", "an executable graph whose child graph was exchanged", [] {
  Child app;
  const CUgraphExec exec = app.instantiated();
  const CUstream stream = new_stream();
  CHECK(cuGraphExecChildGraphNodeSetParams(exec, app.node, app.graph_of(app.x, 100.0f)));
  CHECK(cuGraphLaunch(exec, stream));
  CHECK(cuStreamSynchronize(stream));
  EXPECT(downloaded(app.x, kCount)[1] == 105.0f);
  EXPECT(downloaded(app.y, kCount)[1] == 4.0f);
});

// Without a capture, the branches run concurrently; the test driver runs the branch that was added last first.
const Command kGraphWait("graph-wait", "a node that waits for one of another branch", [] {
  Child app;
  const CUmodule module = load_module();
  CUdeviceptr flag = allocate(sizeof(uint32_t)), seen = allocate(sizeof(uint32_t));
  CHECK(cuMemsetD8(flag, 0, sizeof(uint32_t)));
  uint32_t wanted = 1;
  CUgraph graph = nullptr;
  CUgraphNode waiting = nullptr, behind = nullptr, setting = nullptr;
  CHECK(cuGraphCreate(&graph, 0));
  void* of_waiting[] = {&flag, &wanted, &seen};
  CUDA_KERNEL_NODE_PARAMS params = kernel_node(function(module, "_Z13wait_for_flagPVjjPj"), of_waiting);
  CHECK(cuGraphAddKernelNode(&waiting, graph, nullptr, 0, &params));
  Add arguments{app.x, 2.0f};
  params = kernel_node(app.add, arguments.parameters);
  CHECK(cuGraphAddKernelNode(&behind, graph, &waiting, 1, &params));
  void* of_setting[] = {&flag, &wanted};
  params = kernel_node(function(module, "_Z8set_flagPjj"), of_setting);
  CHECK(cuGraphAddKernelNode(&setting, graph, nullptr, 0, &params));
  CUgraphExec exec = nullptr;
  CHECK(cuGraphInstantiateWithFlags(&exec, graph, 0));
  const CUstream stream = new_stream();
  CHECK(cuGraphLaunch(exec, stream));
  add_in_place(app.add, app.x, 1.0f, kCount, stream);
  CHECK(cuStreamSynchronize(stream));
  EXPECT(downloaded(app.x, kCount)[1] == 4.0f);
});

// The edges of the last node come in the other order: the driver decides the pairing of nodes.
const Command kGraphReordered("graph-reordered", "an update from a graph made otherwise, and then of a node", [] {
  Child app;
  CUgraphNode first[2] = {}, second[2] = {};
  const auto make = [&](CUgraphNode* nodes, bool reversed) {
    CUgraph graph = nullptr;
    CUgraphNode last = nullptr;
    CHECK(cuGraphCreate(&graph, 0));
    Add of_x{app.x, 2.0f}, of_y{app.y, 2.0f};
    CUDA_KERNEL_NODE_PARAMS params = kernel_node(app.add, of_x.parameters);
    CHECK(cuGraphAddKernelNode(&nodes[0], graph, nullptr, 0, &params));
    params = kernel_node(app.add, of_y.parameters);
    CHECK(cuGraphAddKernelNode(&nodes[1], graph, nullptr, 0, &params));
    const CUgraphNode before[2] = {nodes[reversed ? 1 : 0], nodes[reversed ? 0 : 1]};
    CHECK(cuGraphAddKernelNode(&last, graph, before, 2, &params));
    return graph;
  };
  const CUgraph graph = make(first, false);
  CUgraphExec exec = nullptr;
  CUgraphExecUpdateResultInfo info = {};
  CHECK(cuGraphInstantiateWithFlags(&exec, graph, 0));
  CHECK(cuGraphExecUpdate(exec, make(second, true), &info));
  Add arguments{app.x, 5.0f};
  const CUDA_KERNEL_NODE_PARAMS params = kernel_node(app.add, arguments.parameters);
  CHECK(cuGraphExecKernelNodeSetParams(exec, first[0], &params));
  const CUstream stream = new_stream();
  CHECK(cuGraphLaunch(exec, stream));
  CHECK(cuStreamSynchronize(stream));
  EXPECT(downloaded(app.x, kCount)[1] >= 6.0f);
});

const Command kGraphMemoryNode("graph-memory-node", "a graph that allocates memory, then a plain launch", [] {
  Child app;
  const CUgraph graph = app.graph_of(app.x, 2.0f);
  CUDA_MEM_ALLOC_NODE_PARAMS memory = {};
  memory.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  memory.poolProps.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  memory.bytesize = 1 << 20;
  CUgraphNode allocated = nullptr;
  CUgraphExec exec = nullptr;
  CHECK(cuGraphAddMemAllocNode(&allocated, graph, nullptr, 0, &memory));
  CHECK(cuGraphInstantiateWithFlags(&exec, graph, 0));
  const CUstream stream = new_stream();
  CHECK(cuGraphLaunch(exec, stream));
  if (argument(0, 1) != 0) add_in_place(app.add, app.x, 1.0f, kCount, stream);
  CHECK(cuStreamSynchronize(stream));
  EXPECT(downloaded(app.x, kCount)[1] >= 3.0f);
});

}  // namespace
}  // namespace kernloop::cuda::app
