#include <dlfcn.h>

#include <algorithm>
#include <mutex>
#include <thread>

#include "softgpu/hsa/tests/client.h"
#include "softgpu/hsa/tests/test_tool.h"

namespace kernloop::softgpu {
namespace {

// The intercept functions are in the API table only; a tool library gets that table.
class InterceptTest : public HsaTest {
 protected:
  void SetUp() override {
    setenv("HSA_TOOLS_LIB", KERNLOOP_TEST_TOOL, 1);
    HsaTest::SetUp();
    void* library = dlopen(KERNLOOP_TEST_TOOL, RTLD_NOW | RTLD_NOLOAD);
    ASSERT_NE(library, nullptr) << "HSA_TOOLS_LIB was not loaded";
    auto state = reinterpret_cast<TestToolState* (*)()>(dlsym(library, "test_tool_state"));
    ASSERT_NE(state, nullptr);
    tool = state();
  }
  void TearDown() override {
    HsaTest::TearDown();
    unsetenv("HSA_TOOLS_LIB");
    EXPECT_EQ(tool->unloads, tool->loads);
  }

  hsa_queue_t* intercept_queue(uint32_t size = 64) {
    hsa_queue_t* created = nullptr;
    EXPECT_HSA(tool->intercept_create(agents.gpu, size, HSA_QUEUE_TYPE_MULTI, on_error, &errors, UINT32_MAX, UINT32_MAX,
                                      &created));
    return created;
  }
  TestToolState* tool = nullptr;
};

using Packet = hsa_kernel_dispatch_packet_t;
using Writer = hsa_amd_queue_intercept_packet_writer;

TEST_F(InterceptTest, TheToolIsGivenTheTables) {
  EXPECT_EQ(tool->loads, 1);
  EXPECT_EQ(tool->core_functions, 125u);
  EXPECT_EQ(tool->amd_functions, 48u);
  EXPECT_EQ(tool->runtime_version, 1u);
  EXPECT_EQ(tool->agents_seen_in_on_load, 2) << "a tool may use the API from its OnLoad";
}

TEST_F(InterceptTest, OverwrittenSlotsSeeTheProgramsCalls) {
  const int before = tool->queues_created;
  queue();
  EXPECT_EQ(tool->queues_created, before + 1);
}

TEST_F(InterceptTest, EveryPacketIsSeenInOrderAroundTheRing) {
  constexpr uint32_t kPackets = 300;
  struct Seen {
    std::vector<uint64_t> indices;
    std::vector<void*> kernargs;
  } seen;
  hsa_queue_t* q = intercept_queue(64);
  ASSERT_HSA(tool->intercept_register(
      q,
      [](const void* packets, uint64_t count, uint64_t index, void* data, Writer writer) {
        auto& all = *static_cast<Seen*>(data);
        for (uint64_t i = 0; i < count; ++i) {
          all.indices.push_back(index + i);
          all.kernargs.push_back(static_cast<const Packet*>(packets)[i].kernarg_address);
        }
        writer(packets, count);
      },
      &seen));
  uint32_t *list = device(kPackets), *length = device(1);
  hsa_signal_t done = signal(kPackets);
  std::vector<void*> arguments;
  for (uint32_t i = 0; i < kPackets; ++i) arguments.push_back(kernargs(list, length, i));
  const uint64_t append = kernel("append");
  // Doorbells now and then: submissions of several packets.
  for (uint32_t i = 0; i < kPackets; ++i)
    enqueue(q, packet(append, arguments[i], done), i % 7 == 6 || i % 16 == 0 || i + 1 == kPackets);
  ASSERT_EQ(wait_zero(done), 0);
  ASSERT_EQ(seen.indices.size(), kPackets);
  for (uint32_t i = 0; i < kPackets; ++i) {
    ASSERT_EQ(seen.indices[i], i);
    ASSERT_EQ(seen.kernargs[i], arguments[i]);
    ASSERT_EQ(list[i], i);
  }
}

TEST_F(InterceptTest, AHandlerMayChangeAddAndDropPackets) {
  struct Plan {
    void* other_kernargs;
  } plan;
  uint32_t *list = device(16), *length = device(1);
  plan.other_kernargs = kernargs(list, length, 99u);
  hsa_queue_t* q = intercept_queue();
  ASSERT_HSA(tool->intercept_register(
      q,
      [](const void* packets, uint64_t count, uint64_t index, void* data, Writer writer) {
        for (uint64_t i = 0; i < count; ++i) {
          Packet p = static_cast<const Packet*>(packets)[i];
          if ((index + i) == 1) continue;  // dropped
          if ((index + i) == 2) {          // an extra one in front
            Packet extra = p;
            extra.kernarg_address = static_cast<Plan*>(data)->other_kernargs;
            extra.completion_signal = {};
            writer(&extra, 1);
          }
          writer(&p, 1);
        }
      },
      &plan));
  hsa_signal_t done = signal(2);
  for (uint32_t i = 0; i < 3; ++i) enqueue(q, packet(kernel("append"), kernargs(list, length, i), done));
  ASSERT_EQ(wait_zero(done), 0);
  EXPECT_EQ(std::vector<uint32_t>(list, list + *length), (std::vector<uint32_t>{0, 99, 2}));
}

TEST_F(InterceptTest, TheHandlerRegisteredLastSeesPacketsFirst) {
  static std::vector<int> order;
  order.clear();
  hsa_queue_t* q = intercept_queue();
  for (int handler : {1, 2, 3}) {
    static int names[] = {0, 1, 2, 3};
    ASSERT_HSA(tool->intercept_register(
        q,
        [](const void* packets, uint64_t count, uint64_t, void* data, Writer writer) {
          order.push_back(*static_cast<int*>(data));
          writer(packets, count);
          order.push_back(-*static_cast<int*>(data));
        },
        &names[handler]));
  }
  hsa_signal_t done = signal(1);
  enqueue(q, packet(kernel("store"), kernargs(device(1), 1u), done));
  ASSERT_EQ(wait_zero(done), 0);
  EXPECT_EQ(order, (std::vector<int>{3, 2, 1, -1, -2, -3}));
}

TEST_F(InterceptTest, ABlockedHandlerHoldsUpOnlyWhatPassesThroughIt) {
  struct Gate {
    std::atomic<bool> entered{false}, open{false};
    std::atomic<int> packets{0};
  } gate;
  hsa_queue_t* held = intercept_queue();
  ASSERT_HSA(tool->intercept_register(
      held,
      [](const void* packets, uint64_t count, uint64_t, void* data, Writer writer) {
        auto& gate = *static_cast<Gate*>(data);
        gate.entered = true;
        EXPECT_TRUE(soon([&] { return gate.open.load(); }));
        gate.packets += static_cast<int>(count);
        writer(packets, count);
      },
      &gate));
  uint32_t* to = device(2);
  const uint64_t store = kernel("store");
  void* arguments = kernargs(to, 5u);
  hsa_signal_t done = signal(2), free_done = signal(1);
  std::thread ringing([&] { enqueue(held, packet(store, arguments, done)); });
  EXPECT_TRUE(soon([&] { return gate.entered.load(); }));
  enqueue(held, packet(store, arguments, done));  // returns at once: the first thread will take it along
  enqueue(intercept_queue(), packet(store, kernargs(to + 1, 6u), free_done));
  EXPECT_EQ(wait_zero(free_done), 0);
  EXPECT_EQ(to[0], 0u);
  gate.open = true;
  EXPECT_EQ(wait_zero(done), 0);
  ringing.join();
  EXPECT_EQ(to[0], 5u);
  EXPECT_EQ(gate.packets, 2);
}

TEST_F(InterceptTest, AHandlerMayRingItsOwnQueue) {
  struct Again {
    hsa_queue_t* queue;
    Packet packet;
    bool done = false;
  } again;
  uint32_t* counter = device(1);
  hsa_signal_t done = signal(2);
  hsa_queue_t* q = intercept_queue();
  again.queue = q;
  again.packet = packet(kernel("count_up"), kernargs(counter), done);
  ASSERT_HSA(tool->intercept_register(
      q,
      [](const void* packets, uint64_t count, uint64_t, void* data, Writer writer) {
        auto& again = *static_cast<Again*>(data);
        if (!again.done) {
          again.done = true;
          enqueue(again.queue, again.packet);
        }
        writer(packets, count);
      },
      &again));
  enqueue(q, again.packet);
  EXPECT_EQ(wait_zero(done), 0);
  EXPECT_EQ(*counter, 2u);
}

TEST_F(InterceptTest, FaultsAreReportedOnTheQueueThatTheProgramSees) {
  hsa_queue_t* q = intercept_queue();
  auto* wild = reinterpret_cast<uint32_t*>(uint64_t{0x4000'dead'0000});
  enqueue(q, packet(kernel("store"), kernargs(wild, 1u), signal(1)));
  ASSERT_TRUE(errors.wait());
  EXPECT_EQ(errors.source, q);
  EXPECT_HSA(hsa_queue_destroy(q));
}

TEST_F(InterceptTest, OnlyInterceptQueuesTakeHandlers) {
  auto handler = [](const void*, uint64_t, uint64_t, void*, Writer) {};
  EXPECT_EQ(tool->intercept_register(queue(), handler, nullptr), HSA_STATUS_ERROR_INVALID_QUEUE);
}

}  // namespace
}  // namespace kernloop::softgpu
