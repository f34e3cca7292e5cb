// What needs hipcc for the host, too: launches with <<<>>>, symbols, managed variables, graphs with kernels.
#include <hip/hip_runtime.h>

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

}  // namespace
}  // namespace kernloop::softgpu::surface
