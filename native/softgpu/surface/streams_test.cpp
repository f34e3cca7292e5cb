// Streams, events, callbacks: their order of execution.
#include <atomic>
#include <thread>

#include "softgpu/surface/hip.h"

namespace kernloop::softgpu::surface {
namespace {

TEST(Streams, HavePrioritiesAndFlags) {
  int least = 0, greatest = 0;
  OK(hipDeviceGetStreamPriorityRange(&least, &greatest));
  EXPECT_GE(least, greatest);
  for (int priority = greatest; priority <= least; ++priority) {
    hipStream_t stream = nullptr;
    OK(hipStreamCreateWithPriority(&stream, hipStreamNonBlocking, priority));
    int read = 99;
    unsigned flags = 99;
    OK(hipStreamGetPriority(stream, &read));
    OK(hipStreamGetFlags(stream, &flags));
    EXPECT_EQ(read, priority);
    EXPECT_EQ(flags, hipStreamNonBlocking);
    int* data = device_memory<int>(100);
    OK(launch("fill", 100, stream, data, 100, 5));
    OK(hipStreamSynchronize(stream));
    EXPECT_EQ(downloaded(data, 100), std::vector<int>(100, 5));
    OK(hipFree(data));
    OK(hipStreamDestroy(stream));
  }
}

struct HostFlag {
  HostFlag() {
    EXPECT_EQ(hipHostMalloc(&memory, 64, hipHostMallocMapped), hipSuccess);
    EXPECT_EQ(hipHostGetDevicePointer(&device, memory, 0), hipSuccess);
    *host() = 0;
  }
  ~HostFlag() { (void)hipHostFree(memory); }
  volatile int* host() const { return static_cast<volatile int*>(memory); }
  void* memory = nullptr;
  void* device = nullptr;
};

TEST(Streams, AreNotReadyUntilTheirWorkIsDoneAndDoNotWaitForEachOther) {
  const HostFlag flag;
  hipStream_t waiting = nullptr, working = nullptr;
  OK(hipStreamCreateWithFlags(&waiting, hipStreamNonBlocking));
  OK(hipStreamCreateWithFlags(&working, hipStreamNonBlocking));
  int* out = device_memory<int>(1);
  int* data = device_memory<int>(64);
  OK(launch("wait_for", 1, waiting, flag.device, out));
  EXPECT_EQ(hipStreamQuery(waiting), hipErrorNotReady);
  OK(launch("fill", 64, working, data, 64, 3));
  OK(hipStreamSynchronize(working));
  EXPECT_EQ(hipStreamQuery(working), hipSuccess);
  EXPECT_EQ(hipStreamQuery(waiting), hipErrorNotReady);
  *flag.host() = 42;
  OK(hipStreamSynchronize(waiting));
  EXPECT_EQ(downloaded(out, 1)[0], 42);
  for (hipStream_t stream : {waiting, working}) OK(hipStreamDestroy(stream));
  OK(hipFree(out));
  OK(hipFree(data));
}

TEST(Streams, WaitForAnEventOfAnother) {
  const HostFlag flag;
  hipStream_t first = nullptr, second = nullptr;
  hipEvent_t done = nullptr;
  OK(hipStreamCreateWithFlags(&first, hipStreamNonBlocking));
  OK(hipStreamCreateWithFlags(&second, hipStreamNonBlocking));
  OK(hipEventCreateWithFlags(&done, hipEventDisableTiming));
  int* data = device_memory<int>(64);
  OK(hipMemset(data, 0, 64 * sizeof(int)));
  OK(hipStreamSynchronize(nullptr));  // for these streams do not wait for it
  OK(launch("wait_for", 1, first, flag.device, data));
  OK(hipEventRecord(done, first));
  OK(hipStreamWaitEvent(second, done, 0));
  OK(launch("add", 64, second, data, 64, 1));
  EXPECT_EQ(hipEventQuery(done), hipErrorNotReady);
  EXPECT_EQ(hipStreamQuery(second), hipErrorNotReady);
  *flag.host() = 9;
  OK(hipStreamSynchronize(second));
  EXPECT_EQ(hipEventQuery(done), hipSuccess);
  EXPECT_EQ(downloaded(data, 2), (std::vector<int>{10, 1}));
  OK(hipEventDestroy(done));
  for (hipStream_t stream : {first, second}) OK(hipStreamDestroy(stream));
  OK(hipFree(data));
}

TEST(Streams, CallTheHostInOrder) {
  hipStream_t stream = nullptr;
  OK(hipStreamCreate(&stream));
  int* data = device_memory<int>(64);
  static std::atomic<int> seen;
  static std::atomic<int> order;
  seen = order = 0;
  struct Look {
    int* data;
  } look{data};
  OK(launch("fill", 64, stream, data, 64, 21));
  OK(hipStreamAddCallback(
      stream,
      [](hipStream_t, hipError_t status, void* what) {
        seen = status == hipSuccess && what != nullptr ? 1 : -1;
        ++order;
      },
      &look, 0));
  OK(launch("add", 64, stream, data, 64, 1));
  OK(hipStreamSynchronize(stream));
  EXPECT_EQ(seen, 1);
  EXPECT_EQ(order, 1);
  EXPECT_EQ(downloaded(data, 64), std::vector<int>(64, 22));
  OK(hipStreamDestroy(stream));
  OK(hipFree(data));
}

TEST(Streams, TheDefaultOneWaitsForBlockingOnes) {
  const HostFlag flag;
  hipStream_t blocking = nullptr;
  OK(hipStreamCreate(&blocking));
  int* data = device_memory<int>(64);
  OK(hipMemset(data, 0, 64 * sizeof(int)));
  OK(launch("wait_for", 1, blocking, flag.device, data));
  std::thread host([&] { *flag.host() = 5; });
  OK(launch("add", 64, nullptr, data, 64, 1));
  OK(hipDeviceSynchronize());
  host.join();
  EXPECT_EQ(downloaded(data, 2), (std::vector<int>{6, 1}));
  OK(hipStreamDestroy(blocking));
  OK(hipFree(data));
}

TEST(Streams, OfManyKindsKeepTheirWorkApart) {
  std::vector<hipStream_t> streams(24);
  for (hipStream_t& stream : streams) OK(hipStreamCreate(&stream));
  const uint32_t mask[1] = {1};
  hipStream_t narrow = nullptr;
  OK(hipExtStreamCreateWithCUMask(&narrow, 1, mask));
  streams.push_back(narrow);
  const int count = static_cast<int>(streams.size());
  int* data = device_memory<int>(64 * streams.size());
  for (int i = 0; i < count; ++i) OK(launch("fill", 64, streams[i], data + 64 * i, 64, i));
  for (int i = 0; i < count; ++i) OK(launch("add", 64, streams[i], data + 64 * i, 64, 1000));
  OK(hipDeviceSynchronize());
  const std::vector<int> seen = downloaded(data, 64 * streams.size());
  for (int i = 0; i < 64 * count; ++i) ASSERT_EQ(seen[i], 1000 + i / 64);
  for (hipStream_t stream : streams) OK(hipStreamDestroy(stream));
  OK(hipFree(data));
}

TEST(Streams, WriteValuesAndWaitForThem) {
  void* memory = nullptr;
  OK(hipExtMallocWithFlags(&memory, 8, hipMallocSignalMemory));
  auto* value = static_cast<volatile uint64_t*>(memory);
  *value = 0;
  hipStream_t stream = nullptr;
  OK(hipStreamCreate(&stream));
  OK(hipStreamWriteValue32(stream, memory, 17, 0));
  OK(hipStreamSynchronize(stream));
  EXPECT_EQ(static_cast<uint32_t>(*value), 17u);
  int* data = device_memory<int>(64);
  OK(hipMemset(data, 0, 256));
  OK(hipStreamWaitValue64(stream, memory, 40, hipStreamWaitValueGte, ~uint64_t{0}));
  OK(launch("add", 64, stream, data, 64, 4));
  EXPECT_EQ(hipStreamQuery(stream), hipErrorNotReady);
  *value = 41;
  OK(hipStreamSynchronize(stream));
  EXPECT_EQ(downloaded(data, 64), std::vector<int>(64, 4));
  OK(hipStreamDestroy(stream));
  OK(hipFree(memory));
  OK(hipFree(data));
}

TEST(Events, OfOneStreamAreInItsOrder) {
  hipEvent_t events[3] = {};
  for (hipEvent_t& event : events) OK(hipEventCreate(&event));
  int* data = device_memory<int>(64000);
  OK(hipEventRecord(events[0], nullptr));
  OK(launch("fill", 64000, nullptr, data, 64000, 3));
  OK(hipEventRecord(events[1], nullptr));
  OK(launch("add", 64000, nullptr, data, 64000, 3));
  OK(hipEventRecord(events[2], nullptr));
  OK(hipEventSynchronize(events[2]));
  float first = 0, second = 0, both = 0, backwards = 0;
  OK(hipEventElapsedTime(&first, events[0], events[1]));
  OK(hipEventElapsedTime(&second, events[1], events[2]));
  OK(hipEventElapsedTime(&both, events[0], events[2]));
  OK(hipEventElapsedTime(&backwards, events[2], events[0]));
  EXPECT_GT(first, 0.0f);
  EXPECT_GT(second, 0.0f);
  EXPECT_NEAR(both, first + second, 1e-3f * both) << "milliseconds";
  EXPECT_EQ(backwards, -both);
  EXPECT_EQ(hipEventElapsedTime(nullptr, events[0], events[1]), hipErrorInvalidValue);
  for (hipEvent_t event : events) OK(hipEventDestroy(event));
  OK(hipFree(data));
}

TEST(Events, TimeOnlyWhatTheyWereMadeFor) {
  hipEvent_t start = nullptr, stop = nullptr, untimed = nullptr;
  OK(hipEventCreate(&start));
  OK(hipEventCreate(&stop));
  OK(hipEventCreateWithFlags(&untimed, hipEventDisableTiming));
  int* data = device_memory<int>(6400);
  OK(hipEventRecord(start, nullptr));
  OK(launch("fill", 6400, nullptr, data, 6400, 3));
  OK(hipEventRecord(stop, nullptr));
  OK(hipEventRecord(untimed, nullptr));
  OK(hipEventSynchronize(untimed));
  float milliseconds = -1;
  OK(hipEventElapsedTime(&milliseconds, start, stop));
  EXPECT_GE(milliseconds, 0.0f);
  EXPECT_NE(hipEventElapsedTime(&milliseconds, start, untimed), hipSuccess);
  for (hipEvent_t event : {start, stop, untimed}) OK(hipEventDestroy(event));
  OK(hipFree(data));
}

TEST(Events, OneThatWasNeverRecordedIsReadyAndHasNoTime) {
  hipEvent_t start = nullptr, stop = nullptr;
  OK(hipEventCreate(&start));
  OK(hipEventCreate(&stop));
  OK(hipEventQuery(start));
  OK(hipEventRecord(stop, nullptr));
  OK(hipEventSynchronize(stop));
  float milliseconds = -1;
  EXPECT_NE(hipEventElapsedTime(&milliseconds, start, stop), hipSuccess);
  for (hipEvent_t event : {start, stop}) OK(hipEventDestroy(event));
}

}  // namespace
}  // namespace kernloop::softgpu::surface
