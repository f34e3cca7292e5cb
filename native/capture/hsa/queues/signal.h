// Signals of our own, and the app's signals completed on its behalf.
#pragma once

#include <cstdint>
#include <utility>

#include "capture/core/deadline.h"
#include "capture/hsa/queues/hsa_api.h"

namespace kernloop::capture {

class OwnSignal {
 public:
  OwnSignal() = default;
  OwnSignal(OwnSignal&& other) noexcept : hsa_(other.hsa_), signal_(std::exchange(other.signal_, hsa_signal_t{0})) {}
  OwnSignal& operator=(OwnSignal&& other) noexcept {
    std::swap(hsa_, other.hsa_);
    std::swap(signal_, other.signal_);
    return *this;
  }
  ~OwnSignal() {
    if (signal_.handle != 0) hsa_->core.hsa_signal_destroy_fn(signal_);
  }
  // Empty when the runtime has no signal left.
  static OwnSignal create(const HsaOriginals& hsa, hsa_signal_value_t value) {
    OwnSignal own;
    own.hsa_ = &hsa;
    if (hsa.core.hsa_signal_create_fn(value, 0, nullptr, &own.signal_) != HSA_STATUS_SUCCESS) own.signal_.handle = 0;
    return own;
  }
  explicit operator bool() const { return signal_.handle != 0; }
  hsa_signal_t get() const { return signal_; }
  hsa_signal_value_t value() const { return hsa_->core.hsa_signal_load_scacquire_fn(signal_); }
  // The device may still write to it: it lives as long as the process.
  void leak() { signal_.handle = 0; }

 private:
  const HsaOriginals* hsa_ = nullptr;
  hsa_signal_t signal_{0};
};

// Waits for value < 1. `give_up` is asked every few milliseconds. True when the value was reached.
template <typename GiveUp>
bool wait_below_one(const HsaOriginals& hsa, hsa_signal_t signal, Deadline deadline, GiveUp&& give_up) {
  uint64_t frequency = 0;
  hsa.core.hsa_system_get_info_fn(HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY, &frequency);
  const uint64_t slice = std::max<uint64_t>(frequency / 100, 1);  // 10 ms
  while (hsa.core.hsa_signal_wait_scacquire_fn(signal, HSA_SIGNAL_CONDITION_LT, 1, slice, HSA_WAIT_STATE_BLOCKED) >=
         1) {
    if (deadline.passed() || give_up()) return hsa.core.hsa_signal_load_scacquire_fn(signal) < 1;
  }
  return true;
}

// Does to the app's signal what the packet would have done: time stamps, then the decrement that wakes waiters.
void complete_for_app(const HsaOriginals& hsa, hsa_signal_t own, hsa_signal_t app);

}  // namespace kernloop::capture
