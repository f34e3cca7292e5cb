#include <chrono>
#include <numeric>
#include <thread>

#include "softgpu/hsa/tests/client.h"

namespace kernloop::softgpu {
namespace {

using QueueTest = HsaTest;

TEST_F(QueueTest, DispatchComputesAndCompletesItsSignalWithTimes) {
  uint32_t *a = device(1000), *b = device(1000), *out = device(1000);
  for (uint32_t i = 0; i < 1000; ++i) a[i] = i * i, b[i] = 7 * i;
  hsa_signal_t done = signal(1);
  uint64_t before = 0, after = 0;
  hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP, &before);
  enqueue(queue(), packet(kernel("add"), kernargs(a, b, out), done, 1000, 64));  // the last workgroup is partial
  ASSERT_EQ(wait_zero(done), 0);
  hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP, &after);
  for (uint32_t i = 0; i < 1000; ++i) ASSERT_EQ(out[i], i * i + 7 * i) << i;
  hsa_amd_profiling_dispatch_time_t time{};
  ASSERT_HSA(hsa_amd_profiling_get_dispatch_time(agents.gpu, done, &time));
  EXPECT_LE(before, time.start);
  EXPECT_LT(time.start, time.end);
  EXPECT_LE(time.end, after);
  EXPECT_EQ(report(done).workgroups, 16u);
}

TEST_F(QueueTest, PacketsRunInOrderAroundTheRing) {
  constexpr uint32_t kPackets = 300;  // almost five times the ring
  uint32_t *list = device(kPackets), *length = device(1);
  hsa_signal_t done = signal(kPackets);
  hsa_queue_t* q = queue(64);
  const uint64_t object = kernel("append");
  for (uint32_t i = 0; i < kPackets; ++i) enqueue(q, packet(object, kernargs(list, length, 1000 + i), done));
  ASSERT_EQ(wait_zero(done), 0);
  for (uint32_t i = 0; i < kPackets; ++i) ASSERT_EQ(list[i], 1000 + i);
  EXPECT_EQ(hsa_queue_load_read_index_scacquire(q), kPackets);
}

TEST_F(QueueTest, SeveralProducersShareAQueue) {
  constexpr int kThreads = 4, kEach = 100;
  uint32_t* counter = device(1);
  hsa_signal_t done = signal(kThreads * kEach);
  hsa_queue_t* q = queue(64);
  const auto p = packet(kernel("count_up"), kernargs(counter), done, 64, 64);
  std::vector<std::thread> producers;
  for (int t = 0; t < kThreads; ++t)
    producers.emplace_back([&] {
      for (int i = 0; i < kEach; ++i) enqueue(q, p);
    });
  for (auto& producer : producers) producer.join();
  ASSERT_EQ(wait_zero(done), 0);
  EXPECT_EQ(*counter, 64u * kThreads * kEach);
}

TEST_F(QueueTest, APacketThatBecomesValidLateHoldsUpThoseBehindIt) {
  uint32_t *list = device(2), *length = device(1);
  hsa_signal_t done = signal(2);
  hsa_queue_t* q = queue();
  const uint64_t object = kernel("append");
  const uint64_t first = hsa_queue_add_write_index_relaxed(q, 2);
  write_packet(q, first + 1, packet(object, kernargs(list, length, 2u), done));
  hsa_signal_store_screlease(q->doorbell_signal, static_cast<int64_t>(first + 1));
  // While another queue executes a packet, this one would have had the time for its own.
  hsa_signal_t elsewhere = signal(1);
  enqueue(queue(), packet(kernel("store"), kernargs(device(1), 1u), elsewhere));
  ASSERT_EQ(wait_zero(elsewhere), 0);
  EXPECT_EQ(*length, 0u);
  write_packet(q, first, packet(object, kernargs(list, length, 1u), done));
  hsa_signal_store_screlease(q->doorbell_signal, static_cast<int64_t>(first));
  ASSERT_EQ(wait_zero(done), 0);
  EXPECT_EQ(list[0], 1u);
  EXPECT_EQ(list[1], 2u);
}

TEST_F(QueueTest, BarrierAndWaitsForAllOfItsSignals) {
  hsa_signal_t a = signal(1), b = signal(1), done = signal(1);
  hsa_queue_t* q = queue();
  enqueue(q, barrier(HSA_PACKET_TYPE_BARRIER_AND, {a, b}, done));
  hsa_signal_store_relaxed(a, 0);
  EXPECT_EQ(wait_zero(done, kSecond / 20), 1);
  hsa_signal_store_relaxed(b, 0);
  EXPECT_EQ(wait_zero(done), 0);
}

TEST_F(QueueTest, BarrierOrWaitsForAnyOfItsSignals) {
  hsa_signal_t a = signal(1), b = signal(1), done = signal(1);
  enqueue(queue(), barrier(HSA_PACKET_TYPE_BARRIER_OR, {a, b}, done));
  EXPECT_EQ(wait_zero(done, kSecond / 20), 1);
  hsa_signal_store_relaxed(b, 0);
  EXPECT_EQ(wait_zero(done), 0);
}

TEST_F(QueueTest, BarrierValueComparesTheMaskedValue) {
  hsa_signal_t watched = signal(0), done = signal(1);
  hsa_amd_barrier_value_packet_t p{};
  p.header.header = header(HSA_PACKET_TYPE_VENDOR_SPECIFIC);
  p.header.AmdFormat = HSA_AMD_PACKET_TYPE_BARRIER_VALUE;
  p.signal = watched;
  p.value = 0x30;
  p.mask = 0xf0;
  p.cond = HSA_SIGNAL_CONDITION_EQ;
  p.completion_signal = done;
  enqueue(queue(), p);
  hsa_signal_store_relaxed(watched, 0x25);
  EXPECT_EQ(wait_zero(done, kSecond / 20), 1);
  hsa_signal_store_relaxed(watched, 0x13a);
  EXPECT_EQ(wait_zero(done), 0);
}

// HIP since 6.0 records events so.
TEST_F(QueueTest, BarrierValueWithoutASignalWaitsForNothing) {
  hsa_signal_t done = signal(1);
  hsa_amd_barrier_value_packet_t p{};
  p.header.header = header(HSA_PACKET_TYPE_VENDOR_SPECIFIC);
  p.header.AmdFormat = HSA_AMD_PACKET_TYPE_BARRIER_VALUE;
  p.value = 1;  // no value of a signal that is not there holds
  p.mask = INT64_MAX;
  p.cond = HSA_SIGNAL_CONDITION_EQ;
  p.completion_signal = done;
  enqueue(queue(), p);
  EXPECT_EQ(wait_zero(done), 0);
  hsa_queue_t* other = queue();
  p.signal = {4711};
  enqueue(other, p);
  ASSERT_TRUE(errors.wait());
  EXPECT_EQ(errors.status, HSA_STATUS_ERROR_INVALID_SIGNAL) << "one that never was is no missing one";
}

TEST_F(QueueTest, TellsItsAgent) {
  hsa_agent_t agent{};
  ASSERT_HSA(hsa_amd_queue_get_info(queue(), HSA_AMD_QUEUE_INFO_AGENT, &agent));
  EXPECT_EQ(agent.handle, agents.gpu.handle);
  uint64_t doorbell = 0;
  EXPECT_EQ(hsa_amd_queue_get_info(queue(), HSA_AMD_QUEUE_INFO_DOORBELL_ID, &doorbell), HSA_STATUS_ERROR_INVALID_QUEUE);
  hsa_queue_t none{};
  EXPECT_EQ(hsa_amd_queue_get_info(&none, HSA_AMD_QUEUE_INFO_AGENT, &agent), HSA_STATUS_ERROR_INVALID_QUEUE);
}

TEST_F(QueueTest, QueuesRunAtTheSameTime) {
  auto* flag = allocate(1, agents.fine);
  hsa_signal_t waited = signal(1), stored = signal(1);
  hsa_queue_t *one = queue(), *other = queue();
  enqueue(one, packet(kernel("wait_for"), kernargs(flag), waited));
  enqueue(other, packet(kernel("store"), kernargs(flag, 1u), stored));
  EXPECT_EQ(wait_zero(waited), 0);
  EXPECT_EQ(wait_zero(stored), 0);
}

TEST_F(QueueTest, AKernelThatWaitsForTheHostEnds) {
  auto* flag = allocate(1, agents.fine);
  hsa_signal_t done = signal(1);
  enqueue(queue(), packet(kernel("wait_for"), kernargs(flag), done));
  EXPECT_EQ(wait_zero(done, kSecond / 20), 1);
  __atomic_store_n(flag, 1u, __ATOMIC_RELEASE);
  EXPECT_EQ(wait_zero(done), 0);
}

TEST_F(QueueTest, AWildWriteStopsItsQueueAndNamesTheKernel) {
  auto* to = device(1);
  hsa_signal_t done = signal(1), behind = signal(1);
  hsa_queue_t* q = queue();
  auto* wild = reinterpret_cast<uint32_t*>(uint64_t{0x4000'dead'0000});
  enqueue(q, packet(kernel("store"), kernargs(wild, 1u), done));
  enqueue(q, packet(kernel("store"), kernargs(to, 5u), behind));
  ASSERT_TRUE(errors.wait());
  EXPECT_EQ(errors.status, HSA_STATUS_ERROR_MEMORY_FAULT);
  EXPECT_EQ(errors.source, q);
  EXPECT_EQ(hsa_signal_load_relaxed(done), 1) << "a failed dispatch never completes as if it had succeeded";
  const auto failed = report(done);
  EXPECT_EQ(failed.faulted, 1u);
  const std::string json = failed.fault_json;
  EXPECT_NE(json.find("\"store\""), std::string::npos) << json;
  EXPECT_NE(json.find("0x4000dead0000"), std::string::npos) << json;
  EXPECT_EQ(wait_zero(behind, kSecond / 20), 1) << "nothing behind a fault runs";
  EXPECT_EQ(*to, 0u);
  // Another queue is not concerned.
  hsa_signal_t fine = signal(1);
  enqueue(queue(), packet(kernel("store"), kernargs(to, 6u), fine));
  EXPECT_EQ(wait_zero(fine), 0);
  EXPECT_EQ(*to, 6u);
}

TEST_F(QueueTest, SystemEventHandlersHearOfMemoryFaults) {
  static std::atomic<uint64_t> address;
  address = 0;
  ASSERT_HSA(hsa_amd_register_system_event_handler(
      [](const hsa_amd_event_t* event, void*) {
        address = event->memory_fault.virtual_address;
        return HSA_STATUS_SUCCESS;
      },
      nullptr));
  auto* wild = reinterpret_cast<uint32_t*>(uint64_t{0x4000'dead'0040});
  enqueue(queue(), packet(kernel("store"), kernargs(wild, 1u), signal(1)));
  ASSERT_TRUE(errors.wait());
  EXPECT_EQ(address, 0x4000'dead'0040u);
}

TEST_F(QueueTest, AKernelThatNeverEndsIsStoppedAtTheLimit) {
  ASSERT_HSA(softgpu.set_max_wave_instructions(100'000));
  auto* flag = device(1);
  hsa_signal_t done = signal(1);
  enqueue(queue(), packet(kernel("wait_for"), kernargs(flag), done));
  ASSERT_TRUE(errors.wait());
  EXPECT_EQ(errors.status, HSA_STATUS_ERROR_EXCEPTION);
  EXPECT_NE(std::string(report(done).fault_json).find("limit"), std::string::npos);
}

TEST_F(QueueTest, DestroyingAQueueCancelsItsKernel) {
  uint32_t *flag = device(1), *started = device(1), *data = device(1);
  hsa_queue_t* q = queue();
  enqueue(q, packet(kernel("use_until"), kernargs(flag, started, data), signal(1)));
  const volatile uint32_t* has_started = started;
  ASSERT_TRUE(soon([&] { return *has_started != 0; }));
  const auto start = std::chrono::steady_clock::now();
  ASSERT_HSA(hsa_queue_destroy(q));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
  EXPECT_EQ(errors.count, 0) << "being destroyed is no error";
  EXPECT_EQ(hsa_queue_destroy(q), HSA_STATUS_ERROR_INVALID_QUEUE);
}

TEST_F(QueueTest, AnInactiveQueueStartsNothing) {
  auto* to = device(1);
  hsa_queue_t* q = queue();
  ASSERT_HSA(hsa_queue_inactivate(q));
  hsa_signal_t done = signal(1);
  enqueue(q, packet(kernel("store"), kernargs(to, 5u), done));
  EXPECT_EQ(wait_zero(done, kSecond / 20), 1);
  EXPECT_EQ(*to, 0u);
}

TEST_F(QueueTest, PacketsThatAreNotSupportedAreRefusedAloud) {
  auto refused = [&](auto p) {
    errors.count = 0;
    enqueue(queue(), p);
    ASSERT_TRUE(errors.wait());
    EXPECT_EQ(errors.status, HSA_STATUS_ERROR_INVALID_PACKET_FORMAT);
  };
  hsa_agent_dispatch_packet_t agent_dispatch{};
  agent_dispatch.header = header(HSA_PACKET_TYPE_AGENT_DISPATCH);
  refused(agent_dispatch);
  hsa_amd_barrier_value_packet_t pm4{};
  pm4.header.header = header(HSA_PACKET_TYPE_VENDOR_SPECIFIC);
  pm4.header.AmdFormat = 1;
  refused(pm4);
  hsa_barrier_and_packet_t unknown{};
  unknown.header = header(77);
  refused(unknown);
}

TEST_F(QueueTest, DispatchesThatNoAgentCouldRunAreRefusedWithTheReason) {
  uint32_t group_bytes = 0;
  const uint64_t store = kernel("store"), use_lds = kernel("use_lds", &group_bytes);
  EXPECT_EQ(group_bytes, 256u);
  auto* to = device(64);
  struct Case {
    const char* reason;
    std::function<void(hsa_kernel_dispatch_packet_t&)> change;
  };
  const Case cases[] = {
      {"dimensions", [](auto& p) { p.setup = 0; }},
      {"workgroup size is 0", [](auto& p) { p.workgroup_size_y = 0; }},
      {"2048 work-items", [](auto& p) { p.workgroup_size_x = 1024, p.workgroup_size_y = 2; }},
      {"grid size is 0", [](auto& p) { p.grid_size_z = 0; }},
      {"not a kernel", [](auto& p) { p.kernel_object += 8; }},
      {"not a kernel", [](auto& p) { p.kernel_object = 0; }},
      {"100000 bytes of LDS", [](auto& p) { p.group_segment_size = 100000; }},
      {"the kernel needs 256", [&](auto& p) { p.kernel_object = use_lds, p.group_segment_size = 128; }},
  };
  for (const Case& c : cases) {
    errors.count = 0;
    hsa_signal_t done = signal(1);
    auto p = packet(store, kernargs(to, 1u), done);
    c.change(p);
    enqueue(queue(), p);
    ASSERT_TRUE(errors.wait()) << c.reason;
    EXPECT_EQ(errors.status, HSA_STATUS_ERROR_INVALID_ARGUMENT) << c.reason;
    EXPECT_NE(std::string(report(done).fault_json).find(c.reason), std::string::npos) << report(done).fault_json;
  }
  hsa_signal_t done = signal(1);
  auto good = packet(use_lds, kernargs(to), done, 64, 64);
  good.group_segment_size = group_bytes;
  enqueue(queue(), good);
  ASSERT_EQ(wait_zero(done), 0);
  for (uint32_t i = 0; i < 64; ++i) EXPECT_EQ(to[i], (63 - i) * 3);
}

TEST_F(QueueTest, CreationIsCheckedAsInTheSpecification) {
  hsa_queue_t* q = nullptr;
  auto create = [&](hsa_agent_t agent, uint32_t size, uint32_t type = HSA_QUEUE_TYPE_MULTI) {
    return static_cast<int>(hsa_queue_create(agent, size, type, nullptr, nullptr, 0, 0, &q));
  };
  EXPECT_EQ(create(agents.gpu, 0), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(create(agents.gpu, 100), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(create(agents.gpu, 1u << 30), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(create(agents.gpu, 64, 9), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(create(agents.cpu, 64), HSA_STATUS_ERROR_INVALID_QUEUE_CREATION);
  EXPECT_EQ(create({77}, 64), HSA_STATUS_ERROR_INVALID_AGENT);
}

TEST_F(QueueTest, SeedAndThreadsDoNotChangeTheResult) {
  uint32_t *a = device(4096), *b = device(4096), *out = device(4096);
  std::iota(a, a + 4096, 5u);
  for (uint64_t seed : {0ul, 1ul, 99ul}) {
    ASSERT_HSA(softgpu.set_seed(seed));
    ASSERT_HSA(softgpu.set_threads(seed == 1 ? 1 : 2));
    hsa_signal_t done = signal(1);
    enqueue(queue(), packet(kernel("add"), kernargs(a, b, out), done, 4096, 256));
    ASSERT_EQ(wait_zero(done), 0);
    EXPECT_TRUE(std::equal(out, out + 4096, a));
    std::fill_n(out, 4096, 0u);
  }
}

TEST_F(QueueTest, RecordedAccessesAreExactlyWhatTheKernelTouched) {
  uint32_t *a = device(64), *b = device(64), *out = device(64);
  ASSERT_HSA(softgpu.set_access_recording(1));
  hsa_signal_t done = signal(1);
  void* arguments = kernargs(a + 1, b, out + 2);
  enqueue(queue(), packet(kernel("add"), arguments, done, 3, 3));
  ASSERT_EQ(wait_zero(done), 0);
  struct Range {
    uint64_t base, size;
  };
  struct Ranges {
    std::vector<Range> reads, writes;
  } ranges;
  ASSERT_HSA(softgpu.dispatch_accesses(
      done,
      [](uint32_t is_write, uint64_t base, uint64_t size, void* data) {
        auto& all = *static_cast<Ranges*>(data);
        (is_write ? all.writes : all.reads).push_back({base, size});
      },
      &ranges));
  ASSERT_EQ(ranges.writes.size(), 1u);
  EXPECT_EQ(ranges.writes[0].base, reinterpret_cast<uint64_t>(out + 2));
  EXPECT_EQ(ranges.writes[0].size, 12u);
  auto read = [&](const void* base, uint64_t size) {
    for (const Range& range : ranges.reads) {
      if (range.base == reinterpret_cast<uint64_t>(base) && range.size == size) return true;
    }
    return false;
  };
  EXPECT_TRUE(read(a + 1, 12));
  EXPECT_TRUE(read(b, 12));
  // Without recording there is nothing to tell.
  ASSERT_HSA(softgpu.set_access_recording(0));
  hsa_signal_t unrecorded = signal(1);
  enqueue(queue(), packet(kernel("add"), arguments, unrecorded, 3, 3));
  ASSERT_EQ(wait_zero(unrecorded), 0);
  EXPECT_EQ(softgpu.dispatch_accesses(
                unrecorded, [](uint32_t, uint64_t, uint64_t, void*) {}, nullptr),
            HSA_STATUS_ERROR_INVALID_SIGNAL);
}

TEST_F(QueueTest, ASoftQueueIsTheProgramsOwn) {
  hsa_region_t region{};
  ASSERT_HSA(hsa_agent_iterate_regions(
                 agents.cpu,
                 [](hsa_region_t found, void* data) {
                   *static_cast<hsa_region_t*>(data) = found;
                   return HSA_STATUS_INFO_BREAK;
                 },
                 &region) == HSA_STATUS_INFO_BREAK
                 ? HSA_STATUS_SUCCESS
                 : HSA_STATUS_ERROR);
  hsa_signal_t doorbell = signal(-1);
  hsa_queue_t* q = nullptr;
  ASSERT_HSA(hsa_soft_queue_create(region, 16, HSA_QUEUE_TYPE_SINGLE, HSA_QUEUE_FEATURE_AGENT_DISPATCH, doorbell, &q));
  hsa_agent_dispatch_packet_t p{};
  p.header = header(HSA_PACKET_TYPE_AGENT_DISPATCH);
  p.type = 0x8123;
  enqueue(q, p);
  EXPECT_EQ(hsa_signal_wait_relaxed(doorbell, HSA_SIGNAL_CONDITION_GTE, 0, kLong, HSA_WAIT_STATE_BLOCKED), 0);
  EXPECT_EQ(static_cast<hsa_agent_dispatch_packet_t*>(q->base_address)[0].type, 0x8123);
  EXPECT_HSA(hsa_queue_destroy(q));
  EXPECT_HSA(hsa_signal_destroy(doorbell)) << "the doorbell stays the program's";
}

}  // namespace
}  // namespace kernloop::softgpu
