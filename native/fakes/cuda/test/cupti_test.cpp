#include <cstdlib>
#include <functional>
#include <string>

#include "fakes/cuda/test/gpu_test.h"

namespace kernloop::cuda::fake {
namespace {

struct Call {
  CUpti_CallbackDomain domain;
  uint32_t id;
  CUpti_ApiCallbackSite site;
  std::string symbol;
  uint32_t correlation;
  uint32_t context_uid;
};

class FakeCupti : public GpuTest {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    ASSERT_EQ(cupti().cuptiSubscribe(&subscriber_, on_call, this), CUPTI_SUCCESS);
  }
  void TearDown() override {
    if (subscriber_ != nullptr) cupti().cuptiUnsubscribe(subscriber_);
    GpuTest::TearDown();
  }
  void enable(CUpti_CallbackDomain domain, uint32_t id, bool on = true) {
    ASSERT_EQ(cupti().cuptiEnableCallback(on, subscriber_, domain, id), CUPTI_SUCCESS);
  }

  static void on_call(void* userdata, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) {
    auto* const test = static_cast<FakeCupti*>(userdata);
    Call call = {domain, id, CUPTI_API_ENTER, "", 0, 0};
    if (domain == CUPTI_CB_DOMAIN_DRIVER_API) {
      const auto* api = static_cast<const CUpti_CallbackData*>(data);
      call.site = api->callbackSite;
      call.symbol = api->symbolName != nullptr ? api->symbolName : "";
      call.correlation = api->correlationId;
      call.context_uid = api->contextUid;
    }
    test->calls_.push_back(call);
    if (test->on_call_) test->on_call_(domain, id, data);
  }

  CUpti_SubscriberHandle subscriber_ = nullptr;
  std::vector<Call> calls_;
  std::function<void(CUpti_CallbackDomain, uint32_t, const void*)> on_call_;
};

TEST_F(FakeCupti, AProcessHasOneSubscriber) {
  CUpti_SubscriberHandle other = nullptr;
  EXPECT_EQ(cupti().cuptiSubscribe(&other, on_call, this), CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
  ASSERT_EQ(cupti().cuptiUnsubscribe(subscriber_), CUPTI_SUCCESS);
  EXPECT_EQ(cupti().cuptiSubscribe(&subscriber_, on_call, this), CUPTI_SUCCESS);
}

TEST_F(FakeCupti, ALaunchIsToldOnEntryAndExitWithItsParametersAndKernel) {
  const CUfunction saxpy = function(load(), kSaxpy);
  const CUdeviceptr x = upload({1}), y = upload({1});
  std::vector<uint32_t> grids;
  std::vector<CUresult> results;
  on_call_ = [&](CUpti_CallbackDomain, uint32_t, const void* data) {
    const auto* api = static_cast<const CUpti_CallbackData*>(data);
    const auto* params = static_cast<const cuLaunchKernel_params*>(api->functionParams);
    grids.push_back(params->gridDimX);
    EXPECT_EQ(params->f, saxpy);
    EXPECT_EQ(params->extra, nullptr);
    EXPECT_EQ(*static_cast<int*>(params->kernelParams[3]), 1);
    if (api->callbackSite == CUPTI_API_EXIT) results.push_back(*static_cast<CUresult*>(api->functionReturnValue));
  };
  enable(CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel);
  ASSERT_EQ(launch(saxpy, nullptr, 1.0f, x, y, 1), CUDA_SUCCESS);
  ASSERT_EQ(calls_.size(), 2u);
  EXPECT_EQ(calls_[0].site, CUPTI_API_ENTER);
  EXPECT_EQ(calls_[1].site, CUPTI_API_EXIT);
  EXPECT_EQ(calls_[0].symbol, kSaxpy);
  EXPECT_EQ(calls_[0].correlation, calls_[1].correlation);
  unsigned long long uid = 0;
  ASSERT_EQ(driver().cuCtxGetId(context_, &uid), CUDA_SUCCESS);
  EXPECT_EQ(calls_[0].context_uid, uid);
  EXPECT_EQ(grids, (std::vector<uint32_t>{4, 4}));
  EXPECT_EQ(results, (std::vector<CUresult>{CUDA_SUCCESS}));
}

// A subscriber that has its result unsubscribes in the midst of a call: it no longer sees the exit.
TEST_F(FakeCupti, UnsubscribingInsideACallbackEndsAll) {
  enable(CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2);
  on_call_ = [&](CUpti_CallbackDomain, uint32_t, const void*) {
    EXPECT_EQ(cupti().cuptiUnsubscribe(subscriber_), CUPTI_SUCCESS);
    subscriber_ = nullptr;
  };
  allocate(4);
  allocate(4);
  EXPECT_EQ(calls_.size(), 1u);
}

TEST_F(FakeCupti, DriverCallsInsideACallbackAreToldToo) {
  enable(CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2);
  bool inside = false;
  on_call_ = [&](CUpti_CallbackDomain, uint32_t, const void*) {
    if (std::exchange(inside, true)) return;
    allocate(4);
  };
  allocate(4);
  EXPECT_EQ(calls_.size(), 4u);
  EXPECT_NE(calls_[0].correlation, calls_[1].correlation);
  EXPECT_EQ(calls_[0].correlation, calls_[3].correlation);
}

TEST_F(FakeCupti, AModulesCubinIsHandedOverWhenItIsLoaded) {
  const std::vector<char> cubin = read_test_data("test_kernels.sm_90.cubin");
  std::string seen;
  on_call_ = [&](CUpti_CallbackDomain, uint32_t, const void* data) {
    const auto* module =
        static_cast<const CUpti_ModuleResourceData*>(static_cast<const CUpti_ResourceData*>(data)->resourceDescriptor);
    seen.assign(module->pCubin, module->cubinSize);
  };
  enable(CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_MODULE_LOADED);
  load();
  EXPECT_EQ(seen, std::string(cubin.begin(), cubin.end()));
}

// The module of a library is loaded inside its first launch: after the subscriber heard of the launch.
TEST_F(FakeCupti, ALibrarysModuleIsLoadedWhenAKernelOfItIsFirstLaunched) {
  CUlibrary library = nullptr;
  CUkernel kernel = nullptr;
  enable(CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_MODULE_LOADED);
  enable(CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel);
  ASSERT_EQ(driver().cuLibraryLoadData(&library, read_test_data("test_kernels.sm_90.cubin").data(), nullptr, nullptr, 0,
                                       nullptr, nullptr, 0),
            CUDA_SUCCESS);
  ASSERT_EQ(driver().cuLibraryGetKernel(&kernel, library, kSaxpy), CUDA_SUCCESS);
  EXPECT_TRUE(calls_.empty());
  const CUdeviceptr x = upload({1}), y = upload({1});
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(launch(reinterpret_cast<CUfunction>(kernel), nullptr, 1.0f, x, y, 1), CUDA_SUCCESS);
  }
  ASSERT_EQ(calls_.size(), 5u);
  EXPECT_EQ(calls_[0].symbol, kSaxpy);
  EXPECT_EQ(calls_[1].domain, CUPTI_CB_DOMAIN_RESOURCE);
  EXPECT_EQ(calls_[2].site, CUPTI_API_EXIT);
  EXPECT_EQ(calls_[3].domain, CUPTI_CB_DOMAIN_DRIVER_API);
}

std::vector<std::string>* recorded_kernels = nullptr;
std::vector<uint64_t>* recorded_durations = nullptr;

void give_buffer(uint8_t** buffer, size_t* size, size_t* most) {
  *size = 4096;
  *buffer = static_cast<uint8_t*>(std::aligned_alloc(8, *size));
  *most = 0;
}

void take_buffer(CUcontext, uint32_t, uint8_t* buffer, size_t, size_t valid) {
  CUpti_Activity* record = nullptr;
  while (cupti().cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS) {
    const auto* kernel = reinterpret_cast<const KernelActivityPrefix*>(record);
    recorded_kernels->push_back(kernel->name);
    recorded_durations->push_back(kernel->end - kernel->start);
  }
  std::free(buffer);
}

TEST_F(FakeCupti, KernelsAreRecordedInBuffersOfTheTool) {
  std::vector<std::string> kernels;
  std::vector<uint64_t> durations;
  recorded_kernels = &kernels;
  recorded_durations = &durations;
  const CUfunction saxpy = function(load(), kSaxpy);
  const CUdeviceptr x = upload({1}), y = upload({1});
  ASSERT_EQ(cupti().cuptiActivityRegisterCallbacks(give_buffer, take_buffer), CUPTI_SUCCESS);
  ASSERT_EQ(cupti().cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL), CUPTI_SUCCESS);
  constexpr size_t kLaunches = 50;  // more than a buffer holds
  for (size_t i = 0; i < kLaunches; ++i) ASSERT_EQ(launch(saxpy, nullptr, 1.0f, x, y, 1), CUDA_SUCCESS);
  ASSERT_EQ(driver().cuCtxSynchronize(), CUDA_SUCCESS);
  ASSERT_EQ(cupti().cuptiActivityFlushAll(0), CUPTI_SUCCESS);
  ASSERT_EQ(cupti().cuptiActivityDisable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL), CUPTI_SUCCESS);
  EXPECT_EQ(kernels, std::vector<std::string>(kLaunches, kSaxpy));
  for (uint64_t duration : durations) EXPECT_GT(duration, 0u);
}

// The tool's own id of a call and the kernel that the call launched meet in the correlation id.
struct Correlation {
  uint32_t external = 0, kernel = 0;
  uint64_t id = 0;
};
Correlation* correlation = nullptr;

void take_correlations(CUcontext, uint32_t, uint8_t* buffer, size_t, size_t valid) {
  CUpti_Activity* record = nullptr;
  while (cupti().cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS) {
    if (record->kind == CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION) {
      const auto* external = reinterpret_cast<const CUpti_ActivityExternalCorrelation*>(record);
      correlation->external = external->correlationId;
      correlation->id = external->externalId;
    } else {
      correlation->kernel = reinterpret_cast<const KernelActivityPrefix*>(record)->correlationId;
    }
  }
  std::free(buffer);
}

TEST_F(FakeCupti, TheToolsOwnIdsAreTiedToItsCalls) {
  Correlation found;
  correlation = &found;
  const CUfunction saxpy = function(load(), kSaxpy);
  const CUdeviceptr x = upload({1}), y = upload({1});
  ASSERT_EQ(cupti().cuptiActivityRegisterCallbacks(give_buffer, take_correlations), CUPTI_SUCCESS);
  const CUpti_ActivityKind kinds[] = {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION};
  for (CUpti_ActivityKind kind : kinds) ASSERT_EQ(cupti().cuptiActivityEnable(kind), CUPTI_SUCCESS);
  ASSERT_EQ(cupti().cuptiActivityPushExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, 77), CUPTI_SUCCESS);
  ASSERT_EQ(launch(saxpy, nullptr, 1.0f, x, y, 1), CUDA_SUCCESS);
  uint64_t id = 0;
  ASSERT_EQ(cupti().cuptiActivityPopExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, &id), CUPTI_SUCCESS);
  ASSERT_EQ(driver().cuCtxSynchronize(), CUDA_SUCCESS);
  for (CUpti_ActivityKind kind : kinds) ASSERT_EQ(cupti().cuptiActivityDisable(kind), CUPTI_SUCCESS);
  ASSERT_EQ(cupti().cuptiActivityFlushAll(0), CUPTI_SUCCESS);
  EXPECT_EQ(id, 77u);
  EXPECT_EQ(found.id, 77u);
  EXPECT_NE(found.kernel, 0u);
  EXPECT_EQ(found.kernel, found.external);
}

}  // namespace
}  // namespace kernloop::cuda::fake
