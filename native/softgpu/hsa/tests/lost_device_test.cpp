// A fault that a library in front of HIP takes: the queue's callback is not called, and the device is lost.
#include "softgpu/hsa/tests/client.h"

namespace {

std::atomic<bool> takes{false};
std::atomic<int> asked{0};

}  // namespace

// Found by the runtime, as the program exports its symbols.
extern "C" __attribute__((visibility("default"))) int kernloop_softgpu_take_error(hsa_status_t,
                                                                                  kernloop_softgpu_queue_error_t) {
  ++asked;
  return takes;
}

namespace kernloop::softgpu {
namespace {

class LostDevice : public HsaTest {
 protected:
  void SetUp() override {
    HsaTest::SetUp();
    takes = true;
    asked = 0;
  }
  void TearDown() override {
    takes = false;
    HsaTest::TearDown();
  }
  uint32_t* const wild = reinterpret_cast<uint32_t*>(uint64_t{0x4000'dead'0000});
};

TEST_F(LostDevice, CompletesWhatIsInAQueueAndExecutesNoneOfIt) {
  auto* to = device(1);
  *to = 3;
  hsa_queue_t *q = queue(), *other = queue();
  hsa_signal_t failed = signal(1), behind = signal(1), elsewhere = signal(1), later = signal(1);
  enqueue(q, packet(kernel("store"), kernargs(wild, 1u), failed));
  enqueue(q, packet(kernel("store"), kernargs(to, 5u), behind));
  EXPECT_EQ(wait_zero(failed), 0);
  EXPECT_EQ(wait_zero(behind), 0);
  enqueue(other, packet(kernel("store"), kernargs(to, 6u), elsewhere));
  EXPECT_EQ(wait_zero(elsewhere), 0);
  enqueue(queue(), packet(kernel("store"), kernargs(to, 7u), later));
  EXPECT_EQ(wait_zero(later), 0);
  EXPECT_EQ(*to, 3u);
  EXPECT_EQ(errors.count, 0);
  EXPECT_EQ(asked, 1);
  EXPECT_NE(std::string(report(failed).fault_json).find("0x4000dead0000"), std::string::npos);
  for (hsa_signal_t unexecuted : {behind, elsewhere, later}) {
    EXPECT_EQ(report(unexecuted).faulted, 1u);
    EXPECT_NE(std::string(report(unexecuted).fault_json).find("not executed"), std::string::npos);
  }
}

TEST_F(LostDevice, EndsWhatRunsAndWhatWaits) {
  auto* flag = device(1);
  *flag = 0;
  hsa_queue_t *running = queue(), *waiting = queue(), *comparing = queue();
  hsa_signal_t never = signal(1), ran = signal(1), waited = signal(1), compared = signal(1);
  enqueue(running, packet(kernel("wait_for"), kernargs(flag), ran));
  enqueue(waiting, barrier(HSA_PACKET_TYPE_BARRIER_AND, {never}, waited));
  hsa_amd_barrier_value_packet_t value{};
  value.header = {header(HSA_PACKET_TYPE_VENDOR_SPECIFIC), HSA_AMD_PACKET_TYPE_BARRIER_VALUE, 0};
  value.signal = never;
  value.value = 0;
  value.mask = -1;
  value.cond = HSA_SIGNAL_CONDITION_EQ;
  value.completion_signal = compared;
  enqueue(comparing, value);
  enqueue(queue(), packet(kernel("store"), kernargs(wild, 1u)));
  EXPECT_EQ(wait_zero(ran), 0);
  EXPECT_EQ(wait_zero(waited), 0);
  EXPECT_EQ(wait_zero(compared), 0);
  EXPECT_EQ(hsa_signal_load_relaxed(never), 1);
  EXPECT_EQ(errors.count, 0);
  for (hsa_queue_t* q : {running, waiting, comparing}) EXPECT_HSA(hsa_queue_destroy(q));
}

TEST_F(LostDevice, IsThereAgainAfterTheRuntimeWasShutDown) {
  hsa_signal_t failed = signal(1);
  enqueue(queue(), packet(kernel("store"), kernargs(wild, 1u), failed));
  ASSERT_EQ(wait_zero(failed), 0);
  HsaTest::TearDown();
  executable = {};
  HsaTest::SetUp();
  auto* to = device(1);
  hsa_signal_t done = signal(1);
  enqueue(queue(), packet(kernel("store"), kernargs(to, 5u), done));
  EXPECT_EQ(wait_zero(done), 0);
  EXPECT_EQ(*to, 5u);
}

TEST_F(LostDevice, IsNotWhereTheLibraryLeavesTheErrorToTheCallback) {
  takes = false;
  enqueue(queue(), packet(kernel("store"), kernargs(wild, 1u)));
  ASSERT_TRUE(errors.wait());
  EXPECT_EQ(asked, 1);
  auto* to = device(1);
  hsa_signal_t done = signal(1);
  enqueue(queue(), packet(kernel("store"), kernargs(to, 5u), done));
  EXPECT_EQ(wait_zero(done), 0);
  EXPECT_EQ(*to, 5u);
}

// Called by a tool whose callback precedes the program's.
TEST_F(LostDevice, FollowsFromAnErrorThatAToolPassesOn) {
  hsa_queue_t* q = queue();
  takes = false;
  EXPECT_HSA(softgpu.report_queue_error(HSA_STATUS_ERROR_EXCEPTION, q, on_error, &errors));
  EXPECT_EQ(errors.count, 1);
  EXPECT_EQ(errors.source, q);
  takes = true;
  EXPECT_HSA(softgpu.report_queue_error(HSA_STATUS_ERROR_EXCEPTION, q, on_error, &errors));
  EXPECT_EQ(errors.count, 1);
  auto* to = device(1);
  *to = 3;
  hsa_signal_t done = signal(1);
  enqueue(q, packet(kernel("store"), kernargs(to, 5u), done));
  EXPECT_EQ(wait_zero(done), 0);
  EXPECT_EQ(*to, 3u);
  EXPECT_EQ(softgpu.report_queue_error(HSA_STATUS_ERROR_EXCEPTION, q, nullptr, nullptr),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace kernloop::softgpu
