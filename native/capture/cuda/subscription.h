// The agent's one subscription to CUPTI's callbacks, and the set of calls that it watches. An unwatched call costs the
// app nothing; a watched launch costs it about 0.2 us.
#pragma once

#include <array>
#include <memory>
#include <mutex>

#include "base/result.h"
#include "capture/cuda/app/api_call.h"
#include "cuda/cupti.h"

namespace kernloop::capture {

class Subscription {
 public:
  static Result<std::unique_ptr<Subscription>> open(std::shared_ptr<const cuda::Cupti> cupti, const ApiTable& table,
                                                    cuda::CUpti_CallbackFunc callback);

  // Everything that is watched at this level, no more.
  void watch(Watch level);
  // No callback any more: the app runs as without us. From the exit of a call of the app. `alone`: no other thread is
  // in a callback, so that CUPTI itself can go too, unless the app brought it: unsubscribed but attached, it costs a
  // launch about 0.2 us (seen on driver 580).
  void end(bool alone);

 private:
  Subscription(std::shared_ptr<const cuda::Cupti> cupti, const ApiTable& table)
      : cupti_(std::move(cupti)), table_(table) {}
  void enable(uint32_t id, bool on);

  const std::shared_ptr<const cuda::Cupti> cupti_;
  const ApiTable& table_;
  std::mutex mutex_;
  cuda::CUpti_SubscriberHandle handle_ = nullptr;  // null: ended
  std::array<bool, kMaxApiIds> enabled_{};
};

}  // namespace kernloop::capture
