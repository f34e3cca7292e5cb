// CUPTI's callbacks: one subscriber a process, which chooses the calls that it is called for.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "abi/cuda/cupti.h"

namespace kernloop::cuda {

struct CUpti_Subscriber_st {
  CUpti_CallbackFunc function = nullptr;
  void* userdata = nullptr;
};

namespace fake {

class Callbacks {
 public:
  CUptiResult subscribe(CUpti_SubscriberHandle* subscriber, CUpti_CallbackFunc function, void* userdata);
  CUptiResult unsubscribe(CUpti_SubscriberHandle subscriber);
  CUptiResult enable(bool on, CUpti_SubscriberHandle subscriber, CUpti_CallbackDomain domain, CUpti_CallbackId id);
  CUptiResult enable_domain(bool on, CUpti_SubscriberHandle subscriber, CUpti_CallbackDomain domain);

  bool wants(CUpti_CallbackDomain domain, CUpti_CallbackId id) const {
    return id < kIds && enabled_[domain][id].load(std::memory_order_acquire);
  }
  // Calls the subscriber if it wants this, in the thread that makes the driver call.
  void call(CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data);
  void resource(CUpti_CallbackIdResource id, CUcontext context, CUstream stream, void* descriptor);

 private:
  static constexpr uint32_t kDomains = 7, kIds = 1024;
  std::atomic<CUpti_SubscriberHandle> subscriber_{nullptr};
  std::array<std::array<std::atomic<bool>, kIds>, kDomains> enabled_ = {};
};

Callbacks& callbacks();

}  // namespace fake
}  // namespace kernloop::cuda
