#include "fakes/cuda/test/gpu_test.h"

namespace kernloop::cuda::fake {
namespace {

constexpr size_t kGraphFloats = 4;

class FakeGraphs : public GpuTest {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    module_ = load();
    x_ = upload(std::vector<float>(kGraphFloats, 1.0f));
    captured_ = stream();
  }
  CUresult add_one(CUstream to) { return launch(function(module_, kAddInPlace), to, x_, 1.0f, int{kGraphFloats}); }
  CUstreamCaptureStatus status() {
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    EXPECT_EQ(driver().cuStreamIsCapturing(captured_, &status), CUDA_SUCCESS);
    return status;
  }
  void begin(CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL) {
    ASSERT_EQ(driver().cuStreamBeginCapture(captured_, mode), CUDA_SUCCESS);
  }
  CUgraph end() {
    CUgraph graph = nullptr;
    EXPECT_EQ(driver().cuStreamEndCapture(captured_, &graph), CUDA_SUCCESS);
    return graph;
  }
  CUmodule module_ = nullptr;
  CUdeviceptr x_ = 0;
  CUstream captured_ = nullptr;
};

TEST_F(FakeGraphs, CapturedLaunchesRunWhenTheGraphIsLaunched) {
  begin();
  ASSERT_EQ(add_one(captured_), CUDA_SUCCESS);
  ASSERT_EQ(add_one(captured_), CUDA_SUCCESS);
  EXPECT_EQ(status(), CU_STREAM_CAPTURE_STATUS_ACTIVE);
  const CUgraph graph = end();
  EXPECT_EQ(status(), CU_STREAM_CAPTURE_STATUS_NONE);
  EXPECT_EQ(download(x_, 1)[0], 1.0f) << "nothing ran yet";
  CUgraphExec exec = nullptr;
  ASSERT_EQ(driver().cuGraphInstantiateWithFlags(&exec, graph, 0), CUDA_SUCCESS);
  for (int i = 0; i < 2; ++i) ASSERT_EQ(driver().cuGraphLaunch(exec, captured_), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuStreamSynchronize(captured_), CUDA_SUCCESS);
  EXPECT_EQ(download(x_, 1)[0], 5.0f);
}

TEST_F(FakeGraphs, NodesSayWhatTheyLaunchAndCanBeGivenOtherParameters) {
  begin();
  ASSERT_EQ(add_one(captured_), CUDA_SUCCESS);
  const CUgraph graph = end();
  size_t count = 1;
  CUgraphNode node = nullptr;
  ASSERT_EQ(driver().cuGraphGetNodes(graph, &node, &count), CUDA_SUCCESS);
  ASSERT_EQ(count, 1u);
  CUDA_KERNEL_NODE_PARAMS params = {};
  ASSERT_EQ(driver().cuGraphKernelNodeGetParams(node, &params), CUDA_SUCCESS);
  EXPECT_EQ(params.gridDimX, 4u);
  EXPECT_EQ(*static_cast<float*>(params.kernelParams[1]), 1.0f);
  float ten = 10;
  void* parameters[] = {params.kernelParams[0], &ten, params.kernelParams[2]};
  params.kernelParams = parameters;
  CUgraphExec exec = nullptr;
  ASSERT_EQ(driver().cuGraphInstantiateWithFlags(&exec, graph, 0), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuGraphExecKernelNodeSetParams(exec, node, &params), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuGraphLaunch(exec, captured_), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuStreamSynchronize(captured_), CUDA_SUCCESS);
  EXPECT_EQ(download(x_, 1)[0], 11.0f);
}

TEST_F(FakeGraphs, ACopyThatLostANodeRunsTheOthersAndTheOriginalAll) {
  begin();
  for (int i = 0; i < 3; ++i) ASSERT_EQ(add_one(captured_), CUDA_SUCCESS);
  const CUgraph graph = end();
  CUgraph copy = nullptr;
  ASSERT_EQ(driver().cuGraphClone(&copy, graph), CUDA_SUCCESS);
  CUgraphNode nodes[3] = {}, found = nullptr;
  size_t count = 3;
  ASSERT_EQ(driver().cuGraphGetNodes(graph, nodes, &count), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuGraphNodeFindInClone(&found, nodes[1], copy), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuGraphDestroyNode(found), CUDA_SUCCESS);
  EXPECT_EQ(driver().cuGraphNodeFindInClone(&found, nodes[1], copy), CUDA_ERROR_INVALID_VALUE);
  for (CUgraph each : {copy, graph}) {
    CUgraphExec exec = nullptr;
    ASSERT_EQ(driver().cuGraphInstantiateWithFlags(&exec, each, 0), CUDA_SUCCESS);
    ASSERT_EQ(driver().cuGraphLaunch(exec, captured_), CUDA_SUCCESS);
  }
  ASSERT_EQ(driver().cuStreamSynchronize(captured_), CUDA_SUCCESS);
  EXPECT_EQ(download(x_, 1)[0], 6.0f);
}

class SynchronizingCalls : public FakeGraphs, public testing::WithParamInterface<int> {};

// Calls that an agent must avoid while the app captures: each of these costs the app its graph.
TEST_P(SynchronizingCalls, InvalidateACapture) {
  begin();
  ASSERT_EQ(add_one(captured_), CUDA_SUCCESS);
  CUdeviceptr base = 0;
  float value = 0;
  CUresult result = CUDA_SUCCESS;
  switch (GetParam()) {
    case 0:
      result = driver().cuCtxSynchronize();
      break;
    case 1:
      result = driver().cuStreamSynchronize(captured_);
      break;
    case 2:
      result = driver().cuStreamQuery(captured_);
      break;
    case 3:
      result = driver().cuMemAlloc(&base, 4);
      break;
    case 4:
      result = driver().cuMemcpyDtoH(&value, x_, 4);
      break;
  }
  EXPECT_EQ(result, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  EXPECT_EQ(status(), CU_STREAM_CAPTURE_STATUS_INVALIDATED);
  EXPECT_EQ(add_one(captured_), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  CUgraph graph = nullptr;
  EXPECT_EQ(driver().cuStreamEndCapture(captured_, &graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  EXPECT_EQ(graph, nullptr);
  EXPECT_EQ(add_one(captured_), CUDA_SUCCESS) << "the stream itself is none the worse";
}
INSTANTIATE_TEST_SUITE_P(All, SynchronizingCalls, testing::Range(0, 5));

TEST_F(FakeGraphs, AThreadInRelaxedModeMayAllocateDuringACapture) {
  begin();
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
  ASSERT_EQ(driver().cuThreadExchangeStreamCaptureMode(&mode), CUDA_SUCCESS);
  CUdeviceptr base = 0;
  EXPECT_EQ(driver().cuMemAlloc(&base, 4), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuThreadExchangeStreamCaptureMode(&mode), CUDA_SUCCESS);
  EXPECT_EQ(status(), CU_STREAM_CAPTURE_STATUS_ACTIVE);
  end();
}

TEST_F(FakeGraphs, TheDefaultStreamIsInTheWayOfABlockingCapturedStream) {
  captured_ = stream(CU_STREAM_DEFAULT);
  begin(CU_STREAM_CAPTURE_MODE_RELAXED);
  EXPECT_EQ(add_one(nullptr), CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
  EXPECT_EQ(status(), CU_STREAM_CAPTURE_STATUS_INVALIDATED);
  CUgraph graph = nullptr;
  EXPECT_EQ(driver().cuStreamEndCapture(captured_, &graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
}

TEST_F(FakeGraphs, AStreamThatWaitsForACapturedEventIsCapturedToo) {
  const CUstream other = stream();
  CUevent fork = nullptr, join = nullptr;
  ASSERT_EQ(driver().cuEventCreate(&fork, CU_EVENT_DISABLE_TIMING), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuEventCreate(&join, CU_EVENT_DISABLE_TIMING), CUDA_SUCCESS);
  begin();
  ASSERT_EQ(driver().cuEventRecord(fork, captured_), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuStreamWaitEvent(other, fork, 0), CUDA_SUCCESS);
  ASSERT_EQ(add_one(other), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuEventRecord(join, other), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuStreamWaitEvent(captured_, join, 0), CUDA_SUCCESS);
  size_t count = 0;
  ASSERT_EQ(driver().cuGraphGetNodes(end(), nullptr, &count), CUDA_SUCCESS);
  EXPECT_EQ(count, 1u);
  EXPECT_EQ(download(x_, 1)[0], 1.0f);
}

}  // namespace
}  // namespace kernloop::cuda::fake
