#include "capture/core/hold.h"

#include <gtest/gtest.h>

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

TEST(HoldGate, TwoHoldersTakeTurns) {
  HoldGate gate;
  std::atomic<int> holding{0}, most{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 20; ++round) {
        gate.enter();
        gate.take_turn();
        ASSERT_TRUE(gate.wait_alone(Deadline::in(20s)));
        const int now = ++holding;
        if (now > most) most = now;
        std::this_thread::sleep_for(100us);
        --holding;
        gate.release();
        gate.leave();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(most, 1);
}

TEST(HoldGate, NobodyIsInsideWhileItIsHeld) {
  HoldGate gate;
  std::atomic<bool> stop{false}, held{false};
  std::vector<std::thread> callers;
  for (int i = 0; i < 3; ++i) {
    callers.emplace_back([&] {
      while (!stop) {
        HoldScope scope(gate);
        EXPECT_FALSE(held);
      }
    });
  }
  for (int round = 0; round < 50; ++round) {
    gate.enter();
    gate.take_turn();
    ASSERT_TRUE(gate.wait_alone(Deadline::in(20s)));
    held = true;
    std::this_thread::sleep_for(200us);
    held = false;
    gate.release();
    gate.leave();
  }
  stop = true;
  for (std::thread& caller : callers) caller.join();
}

}  // namespace
}  // namespace kernloop::capture
