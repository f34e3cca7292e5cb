// A library for CUDA_INJECTION64_PATH: prints to stderr which kernels are launched.
#include <cstdio>

#include "cuda/cupti.h"

namespace kernloop::cuda {
namespace {

void on_call(void*, CUpti_CallbackDomain, CUpti_CallbackId id, const void* data) {
  const auto* call = static_cast<const CUpti_CallbackData*>(data);
  if (call->callbackSite != CUPTI_API_ENTER) return;
  const bool plain = id == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel;
  std::fprintf(stderr, "launch %s%s\n", plain ? "" : "for a thread's stream ", call->symbolName);
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int InitializeInjection() {
  const auto cupti = Cupti::load();
  if (!cupti) return 0;
  CUpti_SubscriberHandle subscriber = nullptr;
  if ((*cupti)->cuptiSubscribe(&subscriber, on_call, nullptr) != CUPTI_SUCCESS) return 0;
  for (const uint32_t id : {CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz}) {
    (*cupti)->cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API, id);
  }
  return 1;
}

}  // namespace kernloop::cuda
