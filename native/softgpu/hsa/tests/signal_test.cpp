#include <chrono>
#include <functional>
#include <mutex>
#include <thread>

#include "softgpu/hsa/tests/client.h"

namespace kernloop::softgpu {
namespace {

using SignalTest = HsaTest;

TEST_F(SignalTest, OperationsAreThoseOfTheirNames) {
  using Update = void (*)(hsa_signal_t, hsa_signal_value_t);
  using Host = std::function<int64_t(int64_t, int64_t)>;
  struct Row {
    const char* name;
    std::array<Update, 4> orders;
    Host expected;
  };
#define ORDERS(operation)                                                                                        \
  {                                                                                                              \
    &hsa_signal_##operation##_relaxed, &hsa_signal_##operation##_scacquire, &hsa_signal_##operation##_screlease, \
        &hsa_signal_##operation##_scacq_screl                                                                    \
  }
  const Row rows[] = {
      {"add", ORDERS(add), [](int64_t a, int64_t b) { return a + b; }},
      {"subtract", ORDERS(subtract), [](int64_t a, int64_t b) { return a - b; }},
      {"and", ORDERS(and), [](int64_t a, int64_t b) { return a & b; }},
      {"or", ORDERS(or), [](int64_t a, int64_t b) { return a | b; }},
      {"xor", ORDERS(xor), [](int64_t a, int64_t b) { return a ^ b; }},
  };
#undef ORDERS
  hsa_signal_t s = signal(0);
  for (const Row& row : rows) {
    for (Update update : row.orders) {
      for (int64_t start : {0l, 1l, -1l, 0x1234'5678'9abc'def0l}) {
        for (int64_t operand : {0l, 3l, -7l, 0x0f0f'0f0f'0f0f'0f0fl}) {
          hsa_signal_store_relaxed(s, start);
          update(s, operand);
          ASSERT_EQ(hsa_signal_load_scacquire(s), row.expected(start, operand)) << row.name;
        }
      }
    }
  }
}

TEST_F(SignalTest, ExchangeAndCompareReturnWhatWasThere) {
  hsa_signal_t s = signal(5);
  EXPECT_EQ(hsa_signal_exchange_scacq_screl(s, 6), 5);
  EXPECT_EQ(hsa_signal_cas_scacq_screl(s, 5, 9), 6);
  EXPECT_EQ(hsa_signal_load_relaxed(s), 6);
  EXPECT_EQ(hsa_signal_cas_relaxed(s, 6, 9), 6);
  EXPECT_EQ(hsa_signal_load_relaxed(s), 9);
}

TEST_F(SignalTest, EachConditionEndsItsWait) {
  struct Case {
    hsa_signal_condition_t condition;
    int64_t compare, holds, fails;
  };
  for (const Case& c : {Case{HSA_SIGNAL_CONDITION_EQ, 3, 3, 4}, Case{HSA_SIGNAL_CONDITION_NE, 3, 4, 3},
                        Case{HSA_SIGNAL_CONDITION_LT, 3, -2, 3}, Case{HSA_SIGNAL_CONDITION_GTE, 3, 3, 2}}) {
    hsa_signal_t s = signal(c.fails);
    EXPECT_EQ(hsa_signal_wait_relaxed(s, c.condition, c.compare, kSecond / 100, HSA_WAIT_STATE_BLOCKED), c.fails);
    std::thread other([&, waiter = gettid()] {
      EXPECT_TRUE(soon([&] { return is_asleep(waiter); }));
      hsa_signal_store_screlease(s, c.holds);
    });
    EXPECT_EQ(hsa_signal_wait_scacquire(s, c.condition, c.compare, kLong, HSA_WAIT_STATE_BLOCKED), c.holds);
    other.join();
  }
}

TEST_F(SignalTest, AWaitEndsAtItsTimeLimit) {
  hsa_signal_t s = signal(1);
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(wait_zero(s, kSecond / 20), 1);
  const auto took = std::chrono::steady_clock::now() - start;
  EXPECT_GE(took, std::chrono::milliseconds(50));
  EXPECT_LT(took, std::chrono::seconds(5));
}

TEST_F(SignalTest, WaitsUseNoProcessorTime) {
  hsa_signal_t s = signal(1);
  timespec before{}, after{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &before);
  wait_zero(s, kSecond / 4);
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &after);
  EXPECT_LT((after.tv_sec - before.tv_sec) * 1e9 + (after.tv_nsec - before.tv_nsec), 0.05 * 1e9);
}

TEST_F(SignalTest, WaitAnyTellsWhich) {
  hsa_signal_t signals[] = {signal(1), signal(1), signal(1)};
  hsa_signal_condition_t conditions[] = {HSA_SIGNAL_CONDITION_EQ, HSA_SIGNAL_CONDITION_EQ, HSA_SIGNAL_CONDITION_LT};
  hsa_signal_value_t values[] = {0, 0, 1};
  hsa_signal_value_t seen = 77;
  EXPECT_EQ(hsa_amd_signal_wait_any(3, signals, conditions, values, kSecond / 100, HSA_WAIT_STATE_BLOCKED, &seen),
            UINT32_MAX);
  std::thread other([&, waiter = gettid()] {
    EXPECT_TRUE(soon([&] { return is_asleep(waiter); }));
    hsa_signal_store_screlease(signals[2], -4);
  });
  EXPECT_EQ(hsa_amd_signal_wait_any(3, signals, conditions, values, kLong, HSA_WAIT_STATE_BLOCKED, &seen), 2u);
  EXPECT_EQ(seen, -4);
  other.join();
}

TEST_F(SignalTest, AValueChangedInMemoryIsNoticed) {
  hsa_signal_t s = signal(1);
  volatile hsa_signal_value_t* word = nullptr;
  ASSERT_HSA(hsa_amd_signal_value_pointer(s, &word));
  std::thread other([&, waiter = gettid()] {
    EXPECT_TRUE(soon([&] { return is_asleep(waiter); }));
    *word = 0;  // no API call: no waiter is woken
  });
  EXPECT_EQ(wait_zero(s), 0);
  other.join();
}

TEST_F(SignalTest, AKernelCanLowerASignal) {
  hsa_signal_t lowered = signal(1);
  enqueue(queue(), packet(kernel("lower_signal"), kernargs(lowered.handle)));
  EXPECT_EQ(wait_zero(lowered), 0);
}

TEST_F(SignalTest, AsyncHandlersRunOnceOrAsLongAsTheyAsk) {
  static std::atomic<int> once, often;
  once = often = 0;
  hsa_signal_t s = signal(1), t = signal(1);
  ASSERT_HSA(hsa_amd_signal_async_handler(
      s, HSA_SIGNAL_CONDITION_LT, 1, [](hsa_signal_value_t, void*) { return ++once, false; }, nullptr));
  ASSERT_HSA(hsa_amd_signal_async_handler(
      t, HSA_SIGNAL_CONDITION_NE, 1,
      [](hsa_signal_value_t value, void* data) {
        hsa_signal_store_relaxed(*static_cast<hsa_signal_t*>(data), 1);
        often += static_cast<int>(value);
        return often < 30;
      },
      &t));
  for (int i = 0; i < 3; ++i) {
    hsa_signal_store_screlease(t, 10);
    EXPECT_TRUE(soon([&] { return often >= 10 * (i + 1); }));
    EXPECT_EQ(once, i > 0);
    if (i == 0) hsa_signal_store_screlease(s, 0);
    EXPECT_TRUE(soon([] { return once != 0; }));
  }
  EXPECT_EQ(often, 30);
  EXPECT_EQ(once, 1);
  hsa_signal_store_screlease(t, 10);
  // The thread of the handlers has looked at `t` when it has run two functions, one after the other.
  for (int i = 0; i < 2; ++i) {
    static std::atomic<bool> ran;
    ran = false;
    ASSERT_HSA(hsa_amd_async_function([](void*) { ran = true; }, nullptr));
    EXPECT_TRUE(soon([] { return ran.load(); }));
  }
  EXPECT_EQ(often, 30) << "a handler that returned false is gone";
}

TEST_F(SignalTest, AsyncHandlersMayUseTheApiAndRegisterMore) {
  static std::atomic<bool> second;
  second = false;
  static hsa_signal_t last;
  last = signal(1);
  hsa_signal_t first = signal(1);
  ASSERT_HSA(hsa_amd_signal_async_handler(
      first, HSA_SIGNAL_CONDITION_EQ, 0,
      [](hsa_signal_value_t, void*) {
        hsa_amd_signal_async_handler(
            last, HSA_SIGNAL_CONDITION_EQ, 0, [](hsa_signal_value_t, void*) { return second = true, false; }, nullptr);
        hsa_signal_subtract_screlease(last, 1);
        return false;
      },
      nullptr));
  hsa_signal_store_screlease(first, 0);
  EXPECT_TRUE(soon([] { return second.load(); }));
}

TEST_F(SignalTest, FunctionsCanBeRunOnTheHandlerThread) {
  static std::atomic<bool> ran;
  ran = false;
  ASSERT_HSA(hsa_amd_async_function([](void* flag) { *static_cast<std::atomic<bool>*>(flag) = true; }, &ran));
  EXPECT_TRUE(soon([] { return ran.load(); }));
}

TEST_F(SignalTest, WhatIsNoSignalIsRefused) {
  EXPECT_EQ(hsa_signal_destroy({0}), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_signal_destroy({0x1234}), HSA_STATUS_ERROR_INVALID_SIGNAL);
  hsa_signal_t s = signal(3);
  EXPECT_EQ(hsa_signal_destroy({s.handle + 8}), HSA_STATUS_ERROR_INVALID_SIGNAL);
  EXPECT_HSA(hsa_signal_destroy(s));
  EXPECT_EQ(hsa_signal_destroy(s), HSA_STATUS_ERROR_INVALID_SIGNAL);
  EXPECT_EQ(hsa_signal_load_relaxed(s), 0);
  hsa_signal_store_relaxed(s, 9);
  EXPECT_EQ(hsa_amd_signal_async_handler(
                s, HSA_SIGNAL_CONDITION_EQ, 0, [](hsa_signal_value_t, void*) { return false; }, nullptr),
            HSA_STATUS_ERROR_INVALID_SIGNAL);
}

TEST_F(SignalTest, ThereAreManySignals) {
  std::vector<hsa_signal_t> signals;
  for (int i = 0; i < 5000; ++i) signals.push_back(signal(i));
  for (int i = 0; i < 5000; ++i) ASSERT_EQ(hsa_signal_load_relaxed(signals[static_cast<size_t>(i)]), i);
  for (hsa_signal_t s : signals) ASSERT_HSA(hsa_signal_destroy(s));
}

}  // namespace
}  // namespace kernloop::softgpu
