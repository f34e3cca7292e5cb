// What needs hipcc for the host, too: launches with <<<>>>, symbols, managed variables, graphs with kernels.
#include <hip/hip_runtime.h>
// After the runtime's own header.
#include <hip/hip_cooperative_groups.h>

#include "softgpu/surface/hip.h"

// Of external linkage: in an anonymous namespace, clang 15 makes them local in the code object, and HIP finds no such.
__managed__ int managed = 5;
__device__ int scale = 3;
__constant__ int offsets[4] = {1, 2, 3, 4};

namespace kernloop::softgpu::surface {
namespace {

__global__ void affine(const int* in, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] * scale + offsets[i % 4];
}
__global__ void bump(int* data, int n, int by) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] += by;
}
__global__ void bump_managed() {
  managed += 1;
}
// A list of `length` numbers on the device's heap, built, added up and freed by each thread.
__global__ void add_up_list(int* out, int length) {
  struct Node {
    Node* next;
    int value;
  };
  Node* first = nullptr;
  for (int i = 0; i < length; ++i) {
    auto* node = static_cast<Node*>(malloc(sizeof(Node)));
    if (node == nullptr) return;
    *node = Node{first, static_cast<int>(threadIdx.x) + i};
    first = node;
  }
  int sum = 0;
  while (first != nullptr) {
    Node* next = first->next;
    sum += first->value;
    free(first);
    first = next;
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
__global__ void count_all_then_look(int* count, int* seen) {
  if (threadIdx.x == 0) atomicAdd(count, 1);
  cooperative_groups::this_grid().sync();
  if (threadIdx.x == 0) seen[blockIdx.x] = *count;
}
__global__ __launch_bounds__(128) void at_most_128_threads(int* out) {
  out[threadIdx.x] = 1;
}
__global__ void index_of(int* out) {
  extern __shared__ int shared[];
  const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  shared[thread] = static_cast<int>(thread);
  __syncthreads();
  const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const unsigned threads = blockDim.x * blockDim.y * blockDim.z;
  out[block * threads + thread] = static_cast<int>(block * threads) + shared[threads - 1 - thread];
}

TEST(Language, SymbolsAreReadAndWritten) {
  int *in = device_memory<int>(8), *out = device_memory<int>(8);
  const std::vector<int> values = ramp(8, 10);
  OK(hipMemcpy(in, values.data(), 32, hipMemcpyHostToDevice));
  affine<<<1, 64>>>(in, out, 8);
  OK(hipGetLastError());
  EXPECT_EQ(downloaded(out, 5), (std::vector<int>{31, 35, 39, 43, 43}));
  const int changed = -1;
  const int others[2] = {100, 200};
  OK(hipMemcpyToSymbol(HIP_SYMBOL(scale), &changed, sizeof changed, 0, hipMemcpyHostToDevice));
  OK(hipMemcpyToSymbol(HIP_SYMBOL(offsets), others, sizeof others, 2 * sizeof(int), hipMemcpyHostToDevice));
  affine<<<1, 64>>>(in, out, 8);
  EXPECT_EQ(downloaded(out, 5), (std::vector<int>{-9, -9, 88, 187, -13}));
  int read[4] = {};
  OK(hipMemcpyFromSymbol(read, HIP_SYMBOL(offsets), sizeof read, 0, hipMemcpyDeviceToHost));
  EXPECT_EQ(std::vector<int>(read, read + 4), (std::vector<int>{1, 2, 100, 200}));
  size_t bytes = 0;
  void* address = nullptr;
  OK(hipGetSymbolSize(&bytes, HIP_SYMBOL(offsets)));
  OK(hipGetSymbolAddress(&address, HIP_SYMBOL(offsets)));
  EXPECT_EQ(bytes, 16u);
  EXPECT_EQ(downloaded(static_cast<int*>(address), 4)[3], 200);
  OK(hipFree(in));
  OK(hipFree(out));
}

TEST(Language, SymbolsAreCopiedInAStream) {
  hipStream_t stream = nullptr;
  OK(hipStreamCreate(&stream));
  int before[4] = {}, after[4] = {};
  OK(hipMemcpyFromSymbol(before, HIP_SYMBOL(offsets), 16, 0, hipMemcpyDeviceToHost));
  const int others[2] = {-5, -6};
  OK(hipMemcpyToSymbolAsync(HIP_SYMBOL(offsets), others, 8, 4, hipMemcpyHostToDevice, stream));
  OK(hipMemcpyFromSymbolAsync(after, HIP_SYMBOL(offsets), 16, 0, hipMemcpyDeviceToHost, stream));
  OK(hipStreamSynchronize(stream));
  EXPECT_EQ(std::vector<int>(after, after + 4), (std::vector<int>{before[0], -5, -6, before[3]}));
  EXPECT_EQ(hipMemcpyToSymbol(HIP_SYMBOL(offsets), before, 16, 8, hipMemcpyHostToDevice), hipErrorInvalidValue);
  OK(hipMemcpyToSymbol(HIP_SYMBOL(offsets), before, 16, 0, hipMemcpyHostToDevice));
  OK(hipStreamDestroy(stream));
}

TEST(Language, AManagedVariableIsOneForHostAndDevice) {
  managed = 40;
  bump_managed<<<1, 1>>>();
  OK(hipDeviceSynchronize());
  EXPECT_EQ(managed, 41);
}

TEST(Language, GridsAndBlocksHaveThreeDimensions) {
  const dim3 grid(3, 2, 2), block(5, 4, 3);
  const int threads = 60, blocks = 12;
  int* out = device_memory<int>(threads * blocks);
  index_of<<<grid, block, threads * sizeof(int)>>>(out);
  const std::vector<int> seen = downloaded(out, threads * blocks);
  for (int b = 0; b < blocks; ++b)
    for (int t = 0; t < threads; ++t) ASSERT_EQ(seen[b * threads + t], b * threads + threads - 1 - t);
  OK(hipFree(out));
}

// The device library asks the runtime for slabs of 2 MiB.
TEST(Language, KernelsAllocateOnTheDevicesHeap) {
  constexpr int kThreads = 128, kLength = 5;
  int* out = device_memory<int>(2 * kThreads);
  OK(hipMemset(out, 0xff, 2 * kThreads * sizeof(int)));
  add_up_list<<<2, kThreads>>>(out, kLength);
  const std::vector<int> sums = downloaded(out, 2 * kThreads);
  for (int i = 0; i < 2 * kThreads; ++i) ASSERT_EQ(sums[i], kLength * (i % kThreads) + 10) << i;
  OK(hipFree(out));
}

TEST(Language, KernelsSayWhatTheyTake) {
  hipFuncAttributes attributes{};
  OK(hipFuncGetAttributes(&attributes, reinterpret_cast<const void*>(affine)));
  EXPECT_EQ(attributes.maxThreadsPerBlock, 1024);
  EXPECT_GT(attributes.numRegs, 0);
  int blocks = 0;
  OK(hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, affine, 256, 0));
  EXPECT_GT(blocks, 0);
}

TEST(Language, KernelsAreLaunchedByEveryFunctionThereIs) {
  int* data = device_memory<int>(100);
  OK(hipMemset(data, 0, 400));
  int n = 100, by = 7;
  void* arguments[] = {&data, &n, &by};
  OK(hipLaunchKernel(reinterpret_cast<void*>(bump), dim3(2), dim3(64), arguments, 0, nullptr));
  hipEvent_t start = nullptr, stop = nullptr;
  OK(hipEventCreate(&start));
  OK(hipEventCreate(&stop));
  OK(hipExtLaunchKernel(reinterpret_cast<void*>(bump), dim3(2), dim3(64), arguments, 0, nullptr, start, stop, 0));
  OK(hipEventSynchronize(stop));
  float milliseconds = -1;
  OK(hipEventElapsedTime(&milliseconds, start, stop));
  EXPECT_GT(milliseconds, 0.0f);
  EXPECT_EQ(downloaded(data, 100), std::vector<int>(100, 14));

  int* seen = device_memory<int>(8);
  OK(hipMemset(data, 0, 4));
  void* both[] = {&data, &seen};
  void* cooperative = reinterpret_cast<void*>(count_all_then_look);
  OK(hipLaunchCooperativeKernel(cooperative, dim3(8), dim3(64), both, 0, nullptr));
  EXPECT_EQ(downloaded(seen, 8), std::vector<int>(8, 8));
  EXPECT_EQ(hipLaunchCooperativeKernel(cooperative, dim3(100'000), dim3(1024), both, 0, nullptr),
            hipErrorCooperativeLaunchTooLarge);
  EXPECT_EQ(hipLaunchKernel(nullptr, dim3(1), dim3(64), arguments, 0, nullptr), hipErrorInvalidDeviceFunction);
  (void)hipGetLastError();
  at_most_128_threads<<<1, 256>>>(data);
  EXPECT_EQ(hipGetLastError(), hipErrorLaunchFailure);
  for (hipEvent_t event : {start, stop}) OK(hipEventDestroy(event));
  OK(hipFree(data));
  OK(hipFree(seen));
}

TEST(Language, AGraphRecordedFromAStreamDoesItsWorkAtEachLaunch) {
  hipStream_t stream = nullptr;
  OK(hipStreamCreate(&stream));
  int* data = device_memory<int>(100);
  OK(hipMemset(data, 0, 400));
  OK(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
  bump<<<2, 64, 0, stream>>>(data, 100, 2);
  bump<<<2, 64, 0, stream>>>(data, 100, 3);
  hipStreamCaptureStatus state = hipStreamCaptureStatusNone;
  OK(hipStreamIsCapturing(stream, &state));
  EXPECT_EQ(state, hipStreamCaptureStatusActive);
  hipGraph_t graph = nullptr;
  OK(hipStreamEndCapture(stream, &graph));
  hipGraphExec_t executable = nullptr;
  OK(hipGraphInstantiate(&executable, graph, nullptr, nullptr, 0));
  EXPECT_EQ(downloaded(data, 100), std::vector<int>(100, 0));  // recording ran nothing
  for (int i = 0; i < 3; ++i) OK(hipGraphLaunch(executable, stream));
  OK(hipStreamSynchronize(stream));
  EXPECT_EQ(downloaded(data, 100), std::vector<int>(100, 15));
  OK(hipGraphExecDestroy(executable));
  OK(hipGraphDestroy(graph));
  OK(hipStreamDestroy(stream));
  OK(hipFree(data));
}

TEST(Language, AGraphBuiltOfNodesKeepsTheirOrder) {
  hipGraph_t graph = nullptr;
  OK(hipGraphCreate(&graph, 0));
  int* data = device_memory<int>(64);
  std::vector<int> source = ramp(64), back(64, -1);
  hipGraphNode_t up = nullptr, add = nullptr, down = nullptr;
  OK(hipGraphAddMemcpyNode1D(&up, graph, nullptr, 0, data, source.data(), 256, hipMemcpyHostToDevice));
  int n = 64, value = 10;
  void* arguments[] = {&data, &n, &value};
  hipKernelNodeParams parameters{};
  parameters.func = reinterpret_cast<void*>(bump);
  parameters.gridDim = dim3(1);
  parameters.blockDim = dim3(64);
  parameters.kernelParams = arguments;
  OK(hipGraphAddKernelNode(&add, graph, &up, 1, &parameters));
  OK(hipGraphAddMemcpyNode1D(&down, graph, &add, 1, back.data(), data, 256, hipMemcpyDeviceToHost));
  hipGraphExec_t executable = nullptr;
  OK(hipGraphInstantiate(&executable, graph, nullptr, nullptr, 0));
  OK(hipGraphLaunch(executable, nullptr));
  OK(hipDeviceSynchronize());
  EXPECT_EQ(back, ramp(64, 10));
  OK(hipGraphExecDestroy(executable));
  OK(hipGraphDestroy(graph));
  OK(hipFree(data));
}

TEST(Language, AGraphRecordedFromTwoStreamsJoinsThem) {
  hipStream_t one = nullptr, two = nullptr;
  hipEvent_t fork = nullptr, join = nullptr;
  OK(hipStreamCreate(&one));
  OK(hipStreamCreate(&two));
  OK(hipEventCreate(&fork));
  OK(hipEventCreate(&join));
  int *left = device_memory<int>(64), *right = device_memory<int>(64);
  std::vector<int> seen_left(64, -1), seen_right(64, -1);
  OK(hipStreamBeginCapture(one, hipStreamCaptureModeGlobal));
  OK(hipMemsetAsync(left, 0, 256, one));
  OK(hipMemsetAsync(right, 0, 256, one));
  OK(hipEventRecord(fork, one));
  OK(hipStreamWaitEvent(two, fork, 0));
  bump<<<1, 64, 0, two>>>(right, 64, 7);
  OK(hipEventRecord(join, two));
  bump<<<1, 64, 0, one>>>(left, 64, 100);
  OK(hipStreamWaitEvent(one, join, 0));
  OK(hipMemcpyAsync(seen_left.data(), left, 256, hipMemcpyDeviceToHost, one));
  OK(hipMemcpyAsync(seen_right.data(), right, 256, hipMemcpyDeviceToHost, one));
  void* memory = nullptr;
  EXPECT_EQ(hipMalloc(&memory, 16), hipErrorStreamCaptureUnsupported);
  hipGraph_t graph = nullptr;
  OK(hipStreamEndCapture(one, &graph));
  hipGraphExec_t executable = nullptr;
  OK(hipGraphInstantiate(&executable, graph, nullptr, nullptr, 0));
  for (int i = 0; i < 2; ++i) OK(hipGraphLaunch(executable, one));
  OK(hipStreamSynchronize(one));
  EXPECT_EQ(seen_left, std::vector<int>(64, 100));
  EXPECT_EQ(seen_right, std::vector<int>(64, 7));
  OK(hipGraphExecDestroy(executable));
  OK(hipGraphDestroy(graph));
  for (hipEvent_t event : {fork, join}) OK(hipEventDestroy(event));
  for (hipStream_t stream : {one, two}) OK(hipStreamDestroy(stream));
  for (int* data : {left, right}) OK(hipFree(data));
}

TEST(Language, AGraphsNodesAreOfManyKindsAndChange) {
  hipGraph_t graph = nullptr, outer = nullptr, clone = nullptr;
  OK(hipGraphCreate(&graph, 0));
  int* data = device_memory<int>(64);
  std::vector<int> back(64, -1);
  int calls = 0, n = 64, by = 10;
  hipGraphNode_t set = nullptr, add = nullptr, call = nullptr, down = nullptr, inner = nullptr, joint = nullptr;
  hipMemsetParams clearing{};
  clearing.dst = data;
  clearing.elementSize = 4, clearing.width = 64, clearing.height = 1, clearing.value = 5;
  OK(hipGraphAddMemsetNode(&set, graph, nullptr, 0, &clearing));
  void* arguments[] = {&data, &n, &by};
  hipKernelNodeParams adding{};
  adding.func = reinterpret_cast<void*>(bump);
  adding.gridDim = dim3(1), adding.blockDim = dim3(64);
  adding.kernelParams = arguments;
  OK(hipGraphAddKernelNode(&add, graph, &set, 1, &adding));
  hipHostNodeParams calling{};
  calling.fn = [](void* count) { ++*static_cast<int*>(count); };
  calling.userData = &calls;
  OK(hipGraphAddHostNode(&call, graph, &add, 1, &calling));
  OK(hipGraphAddEmptyNode(&joint, graph, &call, 1));
  OK(hipGraphAddMemcpyNode1D(&down, graph, &joint, 1, back.data(), data, 256, hipMemcpyDeviceToHost));
  size_t nodes = 0;
  OK(hipGraphGetNodes(graph, nullptr, &nodes));
  EXPECT_EQ(nodes, 5u);
  hipGraphExec_t executable = nullptr;
  OK(hipGraphInstantiate(&executable, graph, nullptr, nullptr, 0));
  const auto run = [&](hipGraphExec_t what) {
    OK(hipGraphLaunch(what, nullptr));
    OK(hipStreamSynchronize(nullptr));
  };
  run(executable);
  EXPECT_EQ(back, std::vector<int>(64, 15));
  by = 100;
  OK(hipGraphExecKernelNodeSetParams(executable, add, &adding));
  clearing.value = 1;
  OK(hipGraphExecMemsetNodeSetParams(executable, set, &clearing));
  run(executable);
  EXPECT_EQ(back, std::vector<int>(64, 101));
  EXPECT_EQ(calls, 2);

  OK(hipGraphClone(&clone, graph));  // as it was built
  OK(hipGraphCreate(&outer, 0));
  OK(hipGraphAddChildGraphNode(&inner, outer, nullptr, 0, clone));
  hipGraphExec_t nested = nullptr;
  OK(hipGraphInstantiate(&nested, outer, nullptr, nullptr, 0));
  run(nested);
  EXPECT_EQ(back, std::vector<int>(64, 15));
  EXPECT_EQ(calls, 3);
  for (hipGraphExec_t what : {executable, nested}) OK(hipGraphExecDestroy(what));
  OK(hipGraphDestroy(outer));
  OK(hipGraphDestroy(graph));
  OK(hipFree(data));
}

}  // namespace
}  // namespace kernloop::softgpu::surface
