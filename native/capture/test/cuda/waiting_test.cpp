// Waiting for the GPU and reading its memory, with drivers scripted by the test.
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <future>
#include <numeric>

#include "capture/cuda/app/contexts.h"
#include "capture/cuda/memory/staging.h"

namespace kernloop::capture {
namespace {

using namespace cuda;

constexpr std::chrono::milliseconds kShort{20}, kLong{60000};

CUcontext context_of(uint64_t value) {
  return reinterpret_cast<CUcontext>(value);
}

std::atomic<CUresult> event_state{CUDA_SUCCESS}, record_result{CUDA_SUCCESS};
std::atomic<int> synchronized{0};
std::promise<void>* gpu_idle = nullptr;

std::shared_ptr<Driver> driver_with_events() {
  auto driver = std::make_shared<Driver>();
  driver->cuCtxPushCurrent = [](CUcontext) { return CUDA_SUCCESS; };
  driver->cuCtxPopCurrent = [](CUcontext*) { return CUDA_SUCCESS; };
  driver->cuCtxSetCurrent = [](CUcontext) { return CUDA_SUCCESS; };
  driver->cuCtxSynchronize = [] {
    if (gpu_idle != nullptr) gpu_idle->get_future().wait();
    ++synchronized;
    return CUDA_SUCCESS;
  };
  driver->cuEventCreate = [](CUevent* event, unsigned int) {
    *event = reinterpret_cast<CUevent>(0x10);
    return CUDA_SUCCESS;
  };
  driver->cuEventDestroy = [](CUevent) { return CUDA_SUCCESS; };
  driver->cuEventQuery = [](CUevent) { return event_state.load(); };
  driver->cuCtxRecordEvent = [](CUcontext, CUevent) { return record_result.load(); };
  driver->cuGetErrorName = [](CUresult, const char** text) {
    *text = "CUDA_ERROR_OF_THE_TEST";
    return CUDA_SUCCESS;
  };
  driver->cuGetErrorString = driver->cuGetErrorName;
  return driver;
}

class ContextsTest : public ::testing::Test {
 protected:
  ContextsTest() {
    event_state = CUDA_SUCCESS;
    record_result = CUDA_SUCCESS;
    synchronized = 0;
    gpu_idle = nullptr;
  }
  std::shared_ptr<Driver> driver = driver_with_events();
};

TEST_F(ContextsTest, WithoutContextsThereIsNothingToWaitFor) {
  event_state = CUDA_ERROR_NOT_READY;
  EXPECT_FALSE(Contexts(driver).wait_idle(Deadline::in(kLong)));
}

TEST_F(ContextsTest, ABusyContextIsTheDrainLimit) {
  Contexts contexts(driver);
  contexts.created(context_of(1));
  event_state = CUDA_ERROR_NOT_READY;
  const auto refusal = contexts.wait_idle(Deadline::in(kShort));
  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->code, "DRAIN_LIMIT");
  contexts.destroyed(context_of(1));
  EXPECT_FALSE(contexts.wait_idle(Deadline::in(kLong)));
}

TEST_F(ContextsTest, AnEarlierFaultIsNoDrainLimit) {
  Contexts contexts(driver);
  contexts.created(context_of(1));
  event_state = CUDA_ERROR_ILLEGAL_ADDRESS;
  const auto refusal = contexts.wait_idle(Deadline::in(kLong));
  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->code, "DEVICE_FAULT");
}

TEST_F(ContextsTest, WithoutEventsOfAContextAThreadWaits) {
  for (const bool missing : {true, false}) {
    if (missing) driver->cuCtxRecordEvent = nullptr;
    record_result = CUDA_ERROR_NOT_SUPPORTED;
    synchronized = 0;
    Contexts contexts(driver);
    contexts.created(context_of(1));
    contexts.created(context_of(1));  // reported twice, kept once
    contexts.created(context_of(2));
    EXPECT_FALSE(contexts.wait_idle(Deadline::in(kLong)));
    EXPECT_EQ(synchronized, 2);
    driver = driver_with_events();
  }
}

TEST_F(ContextsTest, AThreadThatWaitsForEverIsLeftBehind) {
  std::promise<void> idle;
  gpu_idle = &idle;
  driver->cuCtxRecordEvent = nullptr;
  Contexts contexts(driver);
  contexts.created(context_of(1));
  const auto refusal = contexts.wait_idle(Deadline::in(kShort));
  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->code, "DRAIN_LIMIT");
  idle.set_value();
  while (synchronized == 0) std::this_thread::yield();
}

TEST_F(ContextsTest, EachNewContextIsToldOnce) {
  Contexts contexts(driver);
  contexts.created(context_of(1));
  EXPECT_EQ(contexts.take_new(), (std::vector<CUcontext>{context_of(1)}));
  EXPECT_TRUE(contexts.take_new().empty());
  contexts.created(context_of(2));
  contexts.destroyed(context_of(2));
  EXPECT_TRUE(contexts.take_new().empty());
}

// Device memory is host memory here; copies past `readable_end` fail, as those past an allocation do.
uint64_t readable_end = 0;
std::atomic<int> copies{0};

std::shared_ptr<Driver> driver_with_copies() {
  auto driver = driver_with_events();
  driver->cuStreamCreate = [](CUstream* stream, unsigned int) {
    *stream = reinterpret_cast<CUstream>(0x20);
    return CUDA_SUCCESS;
  };
  driver->cuStreamDestroy = [](CUstream) { return CUDA_SUCCESS; };
  driver->cuStreamSynchronize = [](CUstream) { return CUDA_SUCCESS; };
  driver->cuMemHostAlloc = [](void** memory, size_t bytes, unsigned int) {
    *memory = std::malloc(bytes);
    return CUDA_SUCCESS;
  };
  driver->cuMemFreeHost = [](void* memory) {
    std::free(memory);
    return CUDA_SUCCESS;
  };
  driver->cuEventRecord = [](CUevent, CUstream) { return CUDA_SUCCESS; };
  driver->cuEventSynchronize = [](CUevent) { return CUDA_SUCCESS; };
  driver->cuMemcpyDtoHAsync = [](void* to, CUdeviceptr from, size_t bytes, CUstream) {
    if (from + bytes > readable_end) return CUDA_ERROR_INVALID_VALUE;
    ++copies;
    std::memcpy(to, reinterpret_cast<const void*>(from), bytes);
    return CUDA_SUCCESS;
  };
  return driver;
}

class StagingTest : public ::testing::Test {
 protected:
  StagingTest() : memory(10 * kPiece + 7) {
    std::iota(memory.begin(), memory.end(), uint8_t{0});
    base = reinterpret_cast<uint64_t>(memory.data());
    readable_end = base + memory.size();
    copies = 0;
    auto made = CudaStaging::create(*driver, nullptr, kPiece);
    EXPECT_TRUE(made);
    staging = std::move(*made);
  }
  std::vector<uint8_t> read(uint64_t offset, uint64_t size, uint64_t next) {
    std::vector<uint8_t> bytes(size);
    const Status done = staging->read(base + offset, bytes, next);
    EXPECT_TRUE(done) << done.error().message;
    return bytes;
  }
  std::vector<uint8_t> expected(uint64_t offset, uint64_t size) const {
    return {memory.begin() + static_cast<std::ptrdiff_t>(offset),
            memory.begin() + static_cast<std::ptrdiff_t>(offset + size)};
  }

  static constexpr uint64_t kPiece = 1000;
  std::vector<uint8_t> memory;
  uint64_t base = 0;
  std::shared_ptr<Driver> driver = driver_with_copies();
  std::unique_ptr<CudaStaging> staging;
};

TEST_F(StagingTest, PieceAfterPieceArrivesAndIsCopiedOnce) {
  for (uint64_t offset = 0; offset < memory.size(); offset += kPiece) {
    const uint64_t size = std::min<uint64_t>(kPiece, memory.size() - offset);
    EXPECT_EQ(read(offset, size, memory.size() - offset - size), expected(offset, size));
  }
  EXPECT_EQ(copies, 11);
}

TEST_F(StagingTest, AnotherAddressThanTheNextOneIsNotWhatWasReadAhead) {
  EXPECT_EQ(read(0, kPiece, kPiece), expected(0, kPiece));
  EXPECT_EQ(read(5 * kPiece, kPiece, kPiece), expected(5 * kPiece, kPiece));
  EXPECT_EQ(read(6 * kPiece, 10, 0), expected(6 * kPiece, 10)) << "less than was read ahead";
  EXPECT_EQ(read(6 * kPiece, kPiece, 0), expected(6 * kPiece, kPiece)) << "and more than is left of it";
}

TEST_F(StagingTest, WhatWasReadAheadBeforeMemoryChangedIsForgotten) {
  read(0, kPiece, kPiece);
  for (uint8_t& byte : memory) byte = static_cast<uint8_t>(~byte);
  staging->forget();
  EXPECT_EQ(read(kPiece, kPiece, 0), expected(kPiece, kPiece));
}

TEST_F(StagingTest, AReadAheadThatFailsIsNoErrorUntilItIsAskedFor) {
  readable_end = base + kPiece;
  EXPECT_EQ(read(0, kPiece, kPiece), expected(0, kPiece));
  std::vector<uint8_t> bytes(kPiece);
  const Status done = staging->read(base + kPiece, bytes, 0);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, "READ_FAILED");
}

}  // namespace
}  // namespace kernloop::capture
