#include "fakes/cuda/api_call.h"

#include <atomic>

#include "fakes/cuda/process.h"

namespace kernloop::cuda::fake {
namespace {

thread_local uint32_t correlation = 0;

}  // namespace

uint32_t current_correlation() {
  return correlation;
}

CorrelationScope::CorrelationScope() : outer_(correlation) {
  static std::atomic<uint32_t> next{1};
  correlation = next++;
  record_external_ids(correlation);
}

CorrelationScope::~CorrelationScope() {
  correlation = outer_;
}

const char* callback_name(uint32_t id) {
  switch (id) {
#define DRIVER_CALLBACK(function, id) \
  case id:                            \
    return #function;
#include "abi/cuda/cupti_driver_callbacks.def"
#undef DRIVER_CALLBACK
    default:
      return nullptr;
  }
}

const char* kernel_name(CUfunction handle) {
  if (const auto kernel = reinterpret_cast<CUkernel>(handle); alive(kernel)) return kernel->kernel->name.c_str();
  return alive(handle) ? handle->kernel->name.c_str() : nullptr;
}

void call_subscriber(uint32_t id, CUpti_CallbackData& data, CUpti_ApiCallbackSite site) {
  data.callbackSite = site;
  data.functionName = callback_name(id);
  data.context = current_context();
  data.contextUid = data.context != nullptr ? data.context->uid : 0;
  data.correlationId = correlation;
  callbacks().call(CUPTI_CB_DOMAIN_DRIVER_API, id, &data);
}

}  // namespace kernloop::cuda::fake
