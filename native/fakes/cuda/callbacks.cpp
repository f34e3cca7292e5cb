#include "fakes/cuda/callbacks.h"

#include "fakes/cuda/settings.h"

namespace kernloop::cuda::fake {

Callbacks& callbacks() {
  static Callbacks* const kCallbacks = new Callbacks;
  return *kCallbacks;
}

// A subscriber's structure is never freed: another thread may be in its callback.
CUptiResult Callbacks::subscribe(CUpti_SubscriberHandle* subscriber, CUpti_CallbackFunc function, void* userdata) {
  if (subscriber == nullptr || function == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
  if (settings().cupti_is_taken) return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
  auto* const wanted = new CUpti_Subscriber_st{function, userdata};
  CUpti_SubscriberHandle none = nullptr;
  if (!subscriber_.compare_exchange_strong(none, wanted)) {
    delete wanted;
    return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
  }
  *subscriber = wanted;
  return CUPTI_SUCCESS;
}

CUptiResult Callbacks::unsubscribe(CUpti_SubscriberHandle subscriber) {
  if (subscriber == nullptr || subscriber_.load() != subscriber) return CUPTI_ERROR_INVALID_PARAMETER;
  for (auto& domain : enabled_) {
    for (auto& id : domain) id.store(false);
  }
  subscriber_.store(nullptr);
  return CUPTI_SUCCESS;
}

CUptiResult Callbacks::enable(bool on, CUpti_SubscriberHandle subscriber, CUpti_CallbackDomain domain,
                              CUpti_CallbackId id) {
  if (subscriber == nullptr || subscriber_.load() != subscriber) return CUPTI_ERROR_INVALID_PARAMETER;
  if (domain == CUPTI_CB_DOMAIN_INVALID || domain >= kDomains || id == 0 || id >= kIds) {
    return CUPTI_ERROR_INVALID_PARAMETER;
  }
  enabled_[domain][id].store(on, std::memory_order_release);
  return CUPTI_SUCCESS;
}

CUptiResult Callbacks::enable_domain(bool on, CUpti_SubscriberHandle subscriber, CUpti_CallbackDomain domain) {
  for (CUpti_CallbackId id = 1; id < kIds; ++id) {
    if (const CUptiResult result = enable(on, subscriber, domain, id); result != CUPTI_SUCCESS) return result;
  }
  return CUPTI_SUCCESS;
}

void Callbacks::call(CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) {
  if (!wants(domain, id)) return;
  if (const CUpti_SubscriberHandle subscriber = subscriber_.load(); subscriber != nullptr) {
    subscriber->function(subscriber->userdata, domain, id, data);
  }
}

void Callbacks::resource(CUpti_CallbackIdResource id, CUcontext context, CUstream stream, void* descriptor) {
  CUpti_ResourceData data = {};
  data.context = context;
  data.resourceHandle.stream = stream;
  data.resourceDescriptor = descriptor;
  call(CUPTI_CB_DOMAIN_RESOURCE, id, &data);
}

}  // namespace kernloop::cuda::fake
