// Lets the app's calls pass, until a capture holds them. Every intercepted call that could touch device memory or hand
// the device work runs inside enter()/leave(); hold() waits for those inside and makes newcomers wait. Cheap when
// nothing is held: two atomic adds.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "capture/core/deadline.h"

namespace kernloop::capture {

class HoldGate {
 public:
  // False when the call would have to wait. A thread that is inside already, or that holds, never waits.
  bool try_enter();
  void enter();
  void leave();

  // The caller is inside (once). Waits for its turn to hold, without a limit: every holder has deadlines. From then on
  // newcomers wait.
  void take_turn();
  // After take_turn(): false at the deadline, while some call stays inside.
  bool wait_alone(Deadline deadline);
  void release();
  // Releases, and waits until every call that was waiting is inside, or another holder has its turn.
  void let_pass(Deadline deadline);

 private:
  std::atomic<uint32_t> inside_{0};
  std::atomic<bool> held_{false};
  std::mutex mutex_;
  uint32_t waiting_ = 0;  // calls that are held
  std::condition_variable changed_;
};

// One intercepted call of the app.
class HoldScope {
 public:
  explicit HoldScope(HoldGate& gate) : gate_(gate) { gate_.enter(); }
  ~HoldScope() { gate_.leave(); }
  HoldScope(const HoldScope&) = delete;
  HoldScope& operator=(const HoldScope&) = delete;

 private:
  HoldGate& gate_;
};

}  // namespace kernloop::capture
