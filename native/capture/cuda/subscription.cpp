#include "capture/cuda/subscription.h"

namespace kernloop::capture {

using namespace cuda;

Result<std::unique_ptr<Subscription>> Subscription::open(std::shared_ptr<const Cupti> cupti, const ApiTable& table,
                                                         CUpti_CallbackFunc callback) {
  std::unique_ptr<Subscription> subscription(new Subscription(std::move(cupti), table));
  const Cupti& library = *subscription->cupti_;
  if (const CUptiResult result = library.cuptiSubscribe(&subscription->handle_, callback, nullptr);
      result != CUPTI_SUCCESS) {
    return subscription_error(library, result, "cuptiSubscribe");
  }
  for (uint32_t id : {CUPTI_CBID_RESOURCE_CONTEXT_CREATED, CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING,
                      CUPTI_CBID_RESOURCE_MODULE_LOADED, CUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING}) {
    const CUptiResult result = library.cuptiEnableCallback(1, subscription->handle_, CUPTI_CB_DOMAIN_RESOURCE, id);
    if (result != CUPTI_SUCCESS) return subscription_error(library, result, "cuptiEnableCallback");
  }
  return subscription;
}

// An id that this CUPTI does not know cannot be called either.
void Subscription::enable(uint32_t id, bool on) {
  if (enabled_[id] == on) return;
  cupti_->cuptiEnableCallback(on ? 1 : 0, handle_, CUPTI_CB_DOMAIN_DRIVER_API, id);
  enabled_[id] = on;
}

void Subscription::watch(Watch level) {
  std::lock_guard lock(mutex_);
  if (handle_ == nullptr) return;
  if (level == Watch::kArmed) {
    cupti_->cuptiEnableDomain(1, handle_, CUPTI_CB_DOMAIN_DRIVER_API);
    enabled_.fill(true);
    return;
  }
  // Changed one by one: no call that is always watched is missed meanwhile.
  for (uint32_t id = 1; id < kMaxApiIds; ++id) {
    const ApiHandlers& handlers = table_.of(id);
    const bool used = handlers.before != nullptr || handlers.after != nullptr;
    enable(id, used && handlers.watch >= level);
  }
}

void Subscription::end(bool alone) {
  std::lock_guard lock(mutex_);
  if (handle_ == nullptr) return;
  cupti_->cuptiUnsubscribe(handle_);
  handle_ = nullptr;
  if (alone && !cupti_->was_loaded && cupti_->cuptiFinalize != nullptr) cupti_->cuptiFinalize();
}

}  // namespace kernloop::capture
