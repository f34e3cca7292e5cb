#include "capture/core/hold.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <thread>
#include <vector>

#include "base/testing/soon.h"

namespace kernloop::capture {
namespace {

using namespace std::chrono_literals;

TEST(HoldGate, ACallThatReentersTheRuntimeDoesNotWaitForItself) {
  HoldGate gate;
  std::atomic<bool> outer_in{false}, go{false}, done{false};
  std::thread app([&] {
    HoldScope outer(gate);
    outer_in = true;
    EXPECT_TRUE(soon([&] { return go.load(); }));
    HoldScope inner(gate);  // while the other thread wants to hold
    done = true;
  });
  EXPECT_TRUE(soon([&] { return outer_in.load(); }));
  std::thread holder([&] {
    gate.enter();
    go = true;
    gate.take_turn();
    EXPECT_TRUE(gate.wait_alone(Deadline::in(5s)));
    gate.release();
    gate.leave();
  });
  app.join();
  holder.join();
  EXPECT_TRUE(done);
}

// Threads that say who they are, so that others see when the gate has put them to sleep.
class Threads {
 public:
  explicit Threads(size_t count) : ids_(count) {}

  template <typename Work>
  void start(Work&& work) {
    for (size_t i = 0; i < ids_.size(); ++i) {
      threads_.emplace_back([this, i, work] {
        ids_[i] = gettid();
        work();
        ids_[i] = kEnded;
      });
    }
  }
  void join() {
    for (std::thread& thread : threads_) thread.join();
  }
  // Whether each of them sleeps or has ended; the caller may be one of them.
  bool are_others_asleep() const {
    return std::all_of(ids_.begin(), ids_.end(), [](const std::atomic<pid_t>& id) {
      return id == kEnded || id == gettid() || (id != 0 && is_asleep(id));
    });
  }

 private:
  static constexpr pid_t kEnded = -1;
  std::vector<std::atomic<pid_t>> ids_;
  std::vector<std::thread> threads_;
};

TEST(HoldGate, HoldersTakeTurns) {
  constexpr size_t kHolders = 4;
  HoldGate gate;
  std::atomic<int> holding{0}, most{0};
  std::barrier all(kHolders);
  Threads holders(kHolders);
  holders.start([&] {
    for (int round = 0; round < 20; ++round) {
      gate.enter();
      all.arrive_and_wait();  // all are inside, and nobody holds it
      gate.take_turn();
      EXPECT_TRUE(gate.wait_alone(Deadline::in(20s)));
      const int now = ++holding;
      if (now > most) most = now;
      // Until all others wait for their turn or for the next round, or one has got its turn, too.
      EXPECT_TRUE(soon([&] { return holding > 1 || holders.are_others_asleep(); }));
      --holding;
      gate.release();
      gate.leave();
      all.arrive_and_wait();
    }
  });
  holders.join();
  EXPECT_EQ(most, 1);
}

TEST(HoldGate, EveryCallThatWaitedPassesBeforeTheHolderTakesAnotherTurn) {
  constexpr size_t kCallers = 3;
  HoldGate gate;
  for (int round = 0; round < 50; ++round) {
    gate.enter();
    gate.take_turn();
    std::atomic<size_t> passed{0};
    Threads callers(kCallers);
    callers.start([&] {
      HoldScope scope(gate);
      ++passed;
    });
    EXPECT_TRUE(soon([&] { return callers.are_others_asleep(); }));
    gate.let_pass(Deadline::in(20s));
    gate.take_turn();
    EXPECT_TRUE(gate.wait_alone(Deadline::in(20s)));
    EXPECT_EQ(passed, kCallers);
    gate.release();
    gate.leave();
    callers.join();
  }
}

TEST(HoldGate, NobodyIsInsideWhileItIsHeld) {
  HoldGate gate;
  std::atomic<bool> stop{false}, held{false}, is_passed{false};
  Threads callers(3);
  callers.start([&] {
    while (!stop) {
      HoldScope scope(gate);
      if (held) is_passed = true;
    }
  });
  for (int round = 0; round < 50 && !is_passed; ++round) {
    gate.enter();
    gate.take_turn();
    ASSERT_TRUE(gate.wait_alone(Deadline::in(20s)));
    held = true;
    EXPECT_TRUE(soon([&] { return is_passed || callers.are_others_asleep(); }));
    held = false;
    gate.release();
    gate.leave();
  }
  stop = true;
  callers.join();
  EXPECT_FALSE(is_passed);
}

}  // namespace
}  // namespace kernloop::capture
