// The state of a thread can be asked for as long as the thread runs.
#include "capture/cuda/app/thread_state.h"

#include <gtest/gtest.h>

#include <thread>

namespace kernloop::capture {
namespace {

struct Seen {
  size_t calls = 0, again = 0;
};

// Destroyed after every thread_local that was made later: as a static of the app is that frees GPU memory.
struct LateCaller {
  explicit LateCaller(Seen& where) : seen(where) {}
  ~LateCaller() {
    seen.calls = this_thread().calls.size();
    this_thread().calls.push_back(7);
    seen.again = this_thread().calls.size();
  }
  Seen& seen;
};

TEST(ThreadState, IsThereForCallsThatComeWhileTheThreadEnds) {
  Seen seen{.calls = 99, .again = 99};
  std::thread([&] {
    thread_local LateCaller late(seen);
    (void)late;
    this_thread().calls.assign({1, 2, 3});
  }).join();
  // Anything else was read from a vector that had been destroyed.
  EXPECT_EQ(seen.calls, 0u);
  EXPECT_EQ(seen.again, 1u);
}

TEST(ThreadState, IsOneForEachThread) {
  ThreadState* const mine = &this_thread();
  EXPECT_EQ(&this_thread(), mine);
  std::thread([mine] {
    EXPECT_NE(&this_thread(), mine);
    EXPECT_EQ(this_thread().own_calls, 0u);
    OwnCalls calls;
    EXPECT_EQ(this_thread().own_calls, 1u);
  }).join();
  EXPECT_EQ(mine->own_calls, 0u);
}

}  // namespace
}  // namespace kernloop::capture
