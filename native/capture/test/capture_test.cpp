// The capture core against a fake device: contents of a capture, and refusals.
#include "capture/core/capture.h"
#include "capture/core/pointer_scan.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <thread>

#include "base/testing/soon.h"
#include "capture/test/fake_device.h"

namespace kernloop::capture {
namespace {

using namespace std::chrono_literals;

constexpr uint64_t kA = 0x400000101000, kB = 0x400000203000, kC = 0x400000305000, kD = 0x400000407000;

std::vector<uint8_t> filled(size_t size, uint8_t value = 0) {
  return std::vector<uint8_t>(size, value);
}

class CaptureTest : public testing::Test {
 protected:
  AllocationMap allocations;
  HoldGate hold;
  FakeDevice device{allocations};
  CollectingSink sink;
  CaptureRequest request;

  void argument(uint64_t value) {
    const size_t at = device.kernarg.size();
    device.kernarg.resize(at + 8);
    std::memcpy(device.kernarg.data() + at, &value, 8);
  }
  CaptureOutcome capture() {
    request.kernarg_bytes = static_cast<uint32_t>(device.kernarg.size());
    return capture_dispatch(request, allocations, hold, device, sink);
  }
  std::set<uint64_t> captured_bases() const {
    std::set<uint64_t> bases;
    for (const auto& [base, region] : sink.regions) bases.insert(base);
    return bases;
  }
};

TEST_F(CaptureTest, FollowsPointersThroughMemoryToAFixedPoint) {
  device.allocate(kA, filled(64));
  device.allocate(kB, filled(64));
  device.allocate(kC, filled(64));
  device.allocate(kD, filled(64));  // nothing leads there
  device.put(kA, 16, kB + 8);
  device.put(kB, 56, kC);
  argument(kA);
  EXPECT_FALSE(capture().refusal);
  EXPECT_EQ(captured_bases(), (std::set<uint64_t>{kA, kB, kC}));
}

TEST_F(CaptureTest, EndsOnCyclesAndSelfReferences) {
  device.allocate(kA, filled(64));
  device.allocate(kB, filled(64));
  device.put(kA, 0, kB);
  device.put(kB, 0, kA);
  device.put(kB, 8, kB);
  argument(kA);
  EXPECT_FALSE(capture().refusal);
  EXPECT_EQ(sink.order.size(), 2u);
}

TEST_F(CaptureTest, FindsUnalignedPointersAtEveryByteOffset) {
  for (uint64_t offset = 0; offset < 8; ++offset) {
    AllocationMap map;
    FakeDevice fresh(map);
    CollectingSink collected;
    fresh.allocate(kA, filled(64));
    fresh.allocate(kB, filled(64));
    fresh.put(kA, 24 + offset, kB + 3);
    fresh.kernarg = filled(8);
    std::memcpy(fresh.kernarg.data(), &kA, 8);
    request.kernarg_bytes = 8;
    EXPECT_FALSE(capture_dispatch(request, map, hold, fresh, collected).refusal);
    EXPECT_TRUE(collected.regions.contains(kB)) << "offset " << offset;
  }
}

TEST_F(CaptureTest, FindsTaggedPointers) {
  device.allocate(kA, filled(64));
  device.allocate(kB, filled(64));
  device.allocate(kC, filled(64));
  device.put(kA, 8, kB | 0xabcd000000000000ull);
  device.put(kA, 24, (kC + 32) | 0x00ff000000000000ull);
  argument(kA);
  EXPECT_FALSE(capture().refusal);
  EXPECT_EQ(captured_bases(), (std::set<uint64_t>{kA, kB, kC}));
}

TEST_F(CaptureTest, FindsPointersInByValueStructsOfTheKernelArguments) {
  device.allocate(kA, filled(64));
  device.kernarg = filled(40, 0x11);
  std::memcpy(device.kernarg.data() + 13, &kA, 8);
  EXPECT_FALSE(capture().refusal);
  EXPECT_EQ(captured_bases(), (std::set<uint64_t>{kA}));
}

TEST_F(CaptureTest, FindsPointersThatLieAcrossTwoChunksOfALargeRegion) {
  device.allocate(kA, filled(kSnapshotChunkBytes + 4096));
  device.allocate(kB + (16ull << 20), filled(64));
  device.put(kA, kSnapshotChunkBytes - 3, kB + (16ull << 20));
  argument(kA);
  EXPECT_FALSE(capture().refusal);
  EXPECT_EQ(sink.order.size(), 2u);
}

// Data of floats around 2.0 looks like tagged addresses of the software GPU's device memory, if one looks too laxly.
TEST_F(CaptureTest, DoesNotTakeFloatsForPointers) {
  std::vector<float> values(1 << 16);
  for (size_t i = 0; i < values.size(); ++i) values[i] = 1.0f + 0.25f * static_cast<float>(i % 17);
  std::vector<uint8_t> bytes(values.size() * 4);
  std::memcpy(bytes.data(), values.data(), bytes.size());
  device.allocate(kA, bytes);
  device.allocate(kD, filled(64 << 20));
  argument(kA);
  EXPECT_FALSE(capture().refusal);
  EXPECT_EQ(captured_bases(), (std::set<uint64_t>{kA}));
}

// 16 GiB in 64 allocations, and 32 MiB of random bits: by the rule for small regions, 16 of their slots look like
// tagged addresses.
TEST(PointerScan, TakesNoRandomBitsForTaggedPointersWhereMuchIsAllocated) {
  AllocationList allocations;
  for (uint64_t i = 0; i < 64; ++i) {
    Allocation allocation;
    allocation.base = 0x7f0000000000 + i * (256ull << 20);
    allocation.size = 256ull << 20;
    allocations.push_back(allocation);
  }
  std::mt19937_64 random(3);
  std::vector<uint64_t> words(4u << 20);
  for (uint64_t& word : words) word = random();
  const auto bytes_of = [](const std::vector<uint64_t>& values) {
    return std::span(reinterpret_cast<const uint8_t*>(values.data()), values.size() * 8);
  };
  std::set<size_t> hits;
  const auto add = [&](size_t hit) { hits.insert(hit); };
  PointerScan scan(allocations);
  scan.restart(words.size() * 8);
  scan.feed(bytes_of(words), add);
  EXPECT_EQ(hits, (std::set<size_t>{}));

  // In a table of that size a tagged start still counts; in a small one a tagged address inside, too.
  words[1000] = allocations[5].base | 0xabcdull << 48;
  words[2000] = (allocations[6].base + 4096) | 0xabcdull << 48;
  scan.restart(words.size() * 8);
  scan.feed(bytes_of(words), add);
  EXPECT_EQ(hits, (std::set<size_t>{5}));
  const std::vector<uint64_t> table{1, (allocations[7].base + 4096) | 0xabcdull << 48};
  scan.restart(table.size() * 8);
  scan.feed(bytes_of(table), add);
  EXPECT_EQ(hits, (std::set<size_t>{5, 7}));
}

TEST_F(CaptureTest, DoesNotFollowIgnoredKernelArguments) {
  device.allocate(kA, filled(64));
  device.allocate(kB, filled(64));
  argument(kA);
  argument(kB);
  request.ignored_kernarg = {{8, 8}};
  EXPECT_FALSE(capture().refusal);
  EXPECT_EQ(captured_bases(), (std::set<uint64_t>{kA}));
  EXPECT_EQ(sink.kernarg_bytes, device.kernarg);  // the recorder zeroes ignored bytes in its description
}

TEST_F(CaptureTest, StartsFromModuleVariablesToo) {
  constexpr uint64_t kVariable = 0x500000001000;
  device.place(kVariable, filled(16));
  device.put(kVariable, 8, kB);
  device.allocate(kB, filled(64));
  request.module_variables = {{"", kVariable, 16}};
  device.kernel = [](FakeDevice& d) { d.at(kVariable)[0] = 7; };
  EXPECT_FALSE(capture().refusal);
  EXPECT_EQ(captured_bases(), (std::set<uint64_t>{kB, kVariable}));
  EXPECT_EQ(sink.regions.at(kVariable).pre[0], 0);
  EXPECT_EQ(sink.regions.at(kVariable).post[0], 7);
}

TEST_F(CaptureTest, PreIsTheStateBeforeAndPostTheStateAfter) {
  device.allocate(kA, filled(3 * kSnapshotChunkBytes + 17, 5));
  argument(kA);
  device.kernel = [](FakeDevice& d) {
    d.at(kA)[kSnapshotChunkBytes + 9] = 6;
    d.at(kA).back() = 8;
  };
  const CaptureOutcome outcome = capture();
  EXPECT_TRUE(outcome.ran);
  EXPECT_FALSE(outcome.refusal);
  const auto& region = sink.regions.at(kA);
  EXPECT_EQ(region.pre, filled(3 * kSnapshotChunkBytes + 17, 5));
  EXPECT_EQ(region.post, device.at(kA));
  EXPECT_EQ(sink.post_bytes, kSnapshotChunkBytes + 17) << "only the two chunks that changed are sent";
  EXPECT_EQ(sink.committed->wave_instructions, 42u);
}

TEST_F(CaptureTest, AWriteOutsideTheScopeRefusesTheCaptureAndNamesTheRegion) {
  device.allocate(kA, filled(64));
  device.allocate(kB, filled(4096));
  argument(kA);
  device.kernel = [](FakeDevice& d) { d.at(kB)[4000] = 1; };
  const CaptureOutcome outcome = capture();
  ASSERT_TRUE(outcome.refusal);
  EXPECT_EQ(outcome.refusal->code, "SCOPE_VIOLATION");
  EXPECT_EQ(outcome.violation, (std::vector<ByteRange>{{kB, 4096}}));
  EXPECT_TRUE(outcome.ran);
  EXPECT_FALSE(sink.committed);
  EXPECT_TRUE(sink.aborted);
}

TEST_F(CaptureTest, AWidenedScopeIncludesTheRegionThatWasMissed) {
  device.allocate(kA, filled(64));
  device.allocate(kB, filled(4096));
  argument(kA);
  device.kernel = [](FakeDevice& d) { d.at(kB)[4000] ^= 1; };
  request.widened = {{kB, 4096}};
  EXPECT_FALSE(capture().refusal);
  EXPECT_EQ(captured_bases(), (std::set<uint64_t>{kA, kB}));
  EXPECT_EQ(sink.regions.at(kB).post[4000], 1);
}

TEST_F(CaptureTest, AChangeOfHostMemoryOutsideIsOnlyNoted) {
  device.allocate(kA, filled(64));
  device.allocate(kB, filled(64), MemoryClass::kHost);
  argument(kA);
  device.kernel = [](FakeDevice& d) { d.at(kB)[0] = 1; };
  EXPECT_FALSE(capture().refusal);
  ASSERT_EQ(sink.outside.size(), 1u);
  EXPECT_EQ(sink.outside[0].base, kB);
}

// Another thread may free memory of its own while a capture reads.
TEST_F(CaptureTest, MemoryOutsideThatTheProgramUnmapsMeanwhileRefusesNothing) {
  device.allocate(kA, filled(64));
  device.allocate(kB, filled(64), MemoryClass::kHost, true);
  device.allocate(kC, filled(64), MemoryClass::kHost, true);
  argument(kA);
  device.unmapped = {kB};
  device.kernel = [](FakeDevice& d) { d.unmapped = {kB, kC}; };
  EXPECT_FALSE(capture().refusal);
  ASSERT_EQ(sink.outside.size(), 1u) << "what was never there has not changed";
  EXPECT_EQ(sink.outside[0].base, kC);
}

TEST_F(CaptureTest, DeviceMemoryOutsideThatCannotBeReadIsARefusal) {
  device.allocate(kA, filled(64));
  device.allocate(kB, filled(64));
  argument(kA);
  device.unmapped = {kB};
  const auto refusal = capture().refusal;
  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->code, "READ_FAILED");
}

TEST_F(CaptureTest, MemoryOfTheProgramThatIsCapturedAndUnmappedMeanwhileIsARefusal) {
  device.allocate(kA, filled(64), MemoryClass::kHost, true);
  argument(kA);
  device.kernel = [](FakeDevice& d) { d.unmapped = {kA}; };
  const auto refusal = capture().refusal;
  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->code, "READ_FAILED");
}

TEST_F(CaptureTest, ScopeAllTakesEverythingButTheKernelArgumentsOwnMemory) {
  device.allocate(kA, filled(64));
  device.allocate(kB, filled(64), MemoryClass::kHost);
  device.allocate(kC, filled(64), MemoryClass::kHost);
  request.scope = ScopeMode::kAll;
  request.kernarg_address = kC + 16;
  EXPECT_FALSE(capture().refusal);
  EXPECT_EQ(captured_bases(), (std::set<uint64_t>{kA, kB}));
}

TEST_F(CaptureTest, TheBudgetIsCheckedBeforeTheBytesAreCopied) {
  device.allocate(kA, filled(64));
  device.allocate(kB, filled(1 << 20));
  device.put(kA, 0, kB);
  argument(kA);
  request.byte_budget = 4096;
  const CaptureOutcome outcome = capture();
  ASSERT_TRUE(outcome.refusal);
  EXPECT_EQ(outcome.refusal->code, "BYTE_BUDGET");
  EXPECT_TRUE(outcome.refusal->message.ends_with(": it needs --max-bytes 1048640 or more")) << outcome.refusal->message;
  EXPECT_FALSE(outcome.ran) << "the caller submits it as if nothing had been";
  EXPECT_EQ(device.bytes_read, 64u);
}

// Pointers in the first regions are followed before any region is sent.
TEST_F(CaptureTest, OneByteTooManyIsRefusedBeforeAnythingIsSent) {
  for (const bool enough : {false, true}) {
    sink = {};
    device.bytes_read = 0;
    if (!enough) {
      device.allocate(kA, filled(64));
      device.allocate(kB, filled(4096));
      device.allocate(kC, filled(100));
      device.put(kA, 9, kB);
      device.put(kB, 4000, kC);
      argument(kA);
    }
    request.byte_budget = 64 + 4096 + 100 - (enough ? 0 : 1);
    const CaptureOutcome outcome = capture();
    EXPECT_EQ(outcome.refusal.has_value(), !enough);
    EXPECT_EQ(sink.regions.size(), enough ? 3u : 0u);
    EXPECT_EQ(outcome.ran, enough);
  }
  EXPECT_EQ(device.bytes_read, (64u + 4096 + 100) * 2) << "pre and post: nothing is read twice where all there is fits";
}

TEST_F(CaptureTest, ARegionKnowsWhatLedToIt) {
  device.allocate(kA, filled(64));
  device.allocate(kB, filled(64));
  device.put(kA, 9, kB);
  argument(kA);
  EXPECT_FALSE(capture().refusal);
  EXPECT_EQ(sink.regions.at(kA).origin, (Origin{Reached::kArguments, 0}));
  EXPECT_EQ(sink.regions.at(kB).origin, (Origin{Reached::kRegion, 0}));
  sink = {};
  request.scope = ScopeMode::kAll;
  EXPECT_FALSE(capture_dispatch(request, allocations, hold, device, sink).refusal);
  EXPECT_EQ(sink.regions.at(kA).origin.reached, Reached::kAll);
}

TEST_F(CaptureTest, ABudgetThatTheWholeMemoryBreaksNamesTheSmallerScope) {
  device.allocate(kA, filled(64));
  device.allocate(kB, filled(8192));
  argument(kA);
  request.scope = ScopeMode::kAll;
  request.byte_budget = 4096;
  const std::string reason = capture().refusal.value().message;
  EXPECT_TRUE(reason.ends_with(": it needs --max-bytes 8256 or more, or --scope reachable")) << reason;
}

TEST_F(CaptureTest, ABudgetThatIsJustMetIsFine) {
  device.allocate(kA, filled(4096));
  argument(kA);
  request.byte_budget = 4096;
  EXPECT_FALSE(capture().refusal);
}

TEST_F(CaptureTest, DrainsBeforeItReadsAndRunsOnce) {
  device.allocate(kA, filled(64));
  argument(kA);
  EXPECT_FALSE(capture().refusal);
  EXPECT_EQ(device.calls, (std::vector<std::string>{"drain", "kernarg", "run"}));
}

TEST_F(CaptureTest, ADrainThatDoesNotEndIsRefusedWithoutRunning) {
  argument(0);
  request.drain_limit = 50ms;
  device.on_drain = [](Deadline deadline) -> std::optional<Error> {
    EXPECT_TRUE(soon([&] { return deadline.passed(); }));
    return Error{"DRAIN_LIMIT", "", ""};
  };
  const auto start = std::chrono::steady_clock::now();
  const CaptureOutcome outcome = capture();
  EXPECT_EQ(outcome.refusal->code, "DRAIN_LIMIT");
  EXPECT_FALSE(outcome.ran);
  EXPECT_LT(std::chrono::steady_clock::now() - start, 5s);
  // Everything is released: another thread passes.
  std::thread([this] { HoldScope scope(hold); }).join();
}

// Work that is on the device may wait for work that a held call has yet to hand over.
TEST_F(CaptureTest, HeldCallsPassWhileADrainDoesNotEnd) {
  argument(0);
  request.drain_limit = 20s;
  std::atomic<bool> is_handed_over{false}, is_held{false};
  std::thread other;
  device.on_drain = [&](Deadline deadline) -> std::optional<Error> {
    if (!other.joinable()) {
      other = std::thread([&] {
        if (hold.try_enter()) return;  // the test would prove nothing
        is_held = true;
        const HoldScope call(hold);
        is_handed_over = true;
      });
    }
    while (!is_handed_over && !deadline.passed()) std::this_thread::yield();
    if (is_handed_over) return std::nullopt;
    return Error{"DRAIN_LIMIT", "", ""};
  };
  const CaptureOutcome outcome = capture();
  other.join();
  EXPECT_TRUE(is_held);
  EXPECT_FALSE(outcome.refusal) << outcome.refusal->code;
  EXPECT_TRUE(outcome.ran);
}

// By then post is read, or memory outside of the scope has changed.
TEST_F(CaptureTest, WorkThatWentOnBesideTheDispatchRefusesTheCaptureInsteadOfAViolation) {
  device.allocate(kA, filled(64));
  device.allocate(kB, filled(64));
  argument(kA);
  device.on_check_alone = [&]() -> std::optional<Error> {
    if (sink.post_bytes == 0 && device.at(kB) == filled(64)) return std::nullopt;
    return Error{"QUEUE_WENT_ON", "", ""};
  };
  for (const uint64_t changed : {kA, kB}) {
    sink = {};
    device.kernel = [=](FakeDevice& device) { device.put(changed, 0, ~uint64_t{0}); };
    const CaptureOutcome outcome = capture();
    ASSERT_TRUE(outcome.refusal);
    EXPECT_EQ(outcome.refusal->code, "QUEUE_WENT_ON");
    EXPECT_TRUE(outcome.violation.empty());
    EXPECT_FALSE(sink.committed);
  }
}

TEST_F(CaptureTest, AThreadThatStaysInsideTheRuntimeIsRefusedAtTheLimit) {
  std::atomic<bool> inside{false}, leave{false};
  std::thread stubborn([&] {
    HoldScope scope(hold);
    inside = true;
    EXPECT_TRUE(soon([&] { return leave.load(); }));
  });
  EXPECT_TRUE(soon([&] { return inside.load(); }));
  request.drain_limit = 50ms;
  const CaptureOutcome outcome = capture();
  EXPECT_EQ(outcome.refusal->code, "HOLD_LIMIT");
  EXPECT_FALSE(outcome.ran);
  leave = true;
  stubborn.join();
}

TEST_F(CaptureTest, ARunThatFailsIsRefusedAndReleased) {
  device.allocate(kA, filled(64));
  argument(kA);
  device.run_refusal = Error{"RUN_LIMIT", "", ""};
  const CaptureOutcome outcome = capture();
  EXPECT_EQ(outcome.refusal->code, "RUN_LIMIT");
  EXPECT_TRUE(outcome.ran);
  EXPECT_FALSE(sink.committed);
  std::thread([this] { HoldScope scope(hold); }).join();
}

TEST_F(CaptureTest, ARecorderThatDiesMidwayLeavesTheDispatchToTheCaller) {
  device.allocate(kA, filled(64));
  argument(kA);
  int calls = 0;
  sink.alive = [&] { return ++calls < 4; };
  const CaptureOutcome outcome = capture();
  EXPECT_EQ(outcome.refusal->code, "RECORDER_LOST");
  EXPECT_FALSE(outcome.ran);
}

TEST_F(CaptureTest, CallsOfOtherThreadsWaitWhileTheDispatchRuns) {
  device.allocate(kA, filled(64));
  argument(kA);
  std::atomic<bool> entered{false};
  std::atomic<pid_t> thread{0};
  std::thread other;
  device.kernel = [&](FakeDevice&) {
    other = std::thread([&] {
      thread = gettid();
      HoldScope scope(hold);
      entered = true;
    });
    EXPECT_TRUE(soon([&] { return entered || (thread != 0 && is_asleep(thread)); }));
    EXPECT_FALSE(entered);
  };
  EXPECT_FALSE(capture().refusal);
  other.join();
  EXPECT_TRUE(entered);
}

TEST_F(CaptureTest, ASinkThatThrowsIsARefusalAndEverythingIsReleased) {
  device.allocate(kA, filled(64));
  argument(kA);
  int calls = 0;
  sink.alive = [&]() -> bool { return ++calls == 2 ? throw std::bad_alloc() : true; };
  const CaptureOutcome outcome = capture();
  EXPECT_EQ(outcome.refusal->code, "AGENT_FAILED");
  EXPECT_FALSE(outcome.ran);
  EXPECT_EQ(sink.aborts, 1);
  std::thread([this] { HoldScope scope(hold); }).join();
}

TEST_F(CaptureTest, DroppedBetweenTheHalvesItIsAbortedOnceAndReleased) {
  device.allocate(kA, filled(64));
  argument(kA);
  request.kernarg_bytes = 8;
  {
    const HoldScope inside(hold);
    CaptureRun run(request, allocations, hold, device, sink);
    EXPECT_TRUE(run.before());
    EXPECT_EQ(sink.aborts, 0);
  }
  EXPECT_EQ(sink.aborts, 1);
  EXPECT_EQ(sink.aborted->code, "AGENT_FAILED");
  EXPECT_FALSE(sink.committed);
  std::thread([this] { HoldScope scope(hold); }).join();
}

TEST_F(CaptureTest, ARunThatNeverBeganHoldsAndAbortsNothing) {
  { CaptureRun run(request, allocations, hold, device, sink); }
  EXPECT_EQ(sink.aborts, 0);
  std::thread([this] { HoldScope scope(hold); }).join();
}

TEST_F(CaptureTest, TheHalvesMayBeFarApartButNothingIsReleasedBetweenThem) {
  device.allocate(kA, filled(64));
  argument(kA);
  request.kernarg_bytes = 8;
  const HoldScope inside(hold);
  CaptureRun run(request, allocations, hold, device, sink);
  ASSERT_TRUE(run.before());
  std::thread([this] { EXPECT_FALSE(hold.try_enter()) << "the app's other calls wait"; }).join();
  device.at(kA)[3] = 9;
  run.after(std::nullopt, {});
  EXPECT_FALSE(run.outcome().refusal);
  EXPECT_EQ(sink.regions.at(kA).post[3], 9);
  std::thread([this] { HoldScope scope(hold); }).join();
}

TEST_F(CaptureTest, WithDeviceChecksumsMemoryOutsideIsNeverReadAndOfPostOnlyWhatChanged) {
  device.accelerated = true;
  device.allocate(kA, filled(3 * kSnapshotChunkBytes, 5));
  device.allocate(kA + (64 << 20), filled(2 * kSnapshotChunkBytes, 6));
  argument(kA);
  device.kernel = [](FakeDevice& d) { d.at(kA)[kSnapshotChunkBytes] = 6; };
  EXPECT_FALSE(capture().refusal);
  EXPECT_EQ(sink.regions.at(kA).post, device.at(kA));
  EXPECT_EQ(device.bytes_read, 4 * kSnapshotChunkBytes) << "all of pre, one chunk of post";
}

TEST_F(CaptureTest, WithDeviceChecksumsAWriteOutsideIsStillSeen) {
  device.accelerated = true;
  device.allocate(kA, filled(64));
  device.allocate(kB, filled(4096));
  argument(kA);
  device.kernel = [](FakeDevice& d) { d.at(kB)[4000] = 1; };
  const CaptureOutcome outcome = capture();
  EXPECT_EQ(outcome.violation, (std::vector<ByteRange>{{kB, 4096}}));
  EXPECT_EQ(device.bytes_read, 64u);
}

TEST_F(CaptureTest, WhatTheDeviceSearchesIsCompleteBeforeAnyByteIsCopied) {
  device.accelerated = true;
  device.allocate(kA, filled(64));
  device.allocate(kB, filled(64));
  device.allocate(kC, filled(1 << 20));
  device.put(kA, 8, kB);
  device.put(kB, 16, kC + 5);
  argument(kA);
  request.byte_budget = 4096;
  EXPECT_EQ(capture().refusal->code, "BYTE_BUDGET");
  EXPECT_EQ(device.bytes_read, 0u);
  request.byte_budget = 0;
  EXPECT_FALSE(capture_dispatch(request, allocations, hold, device, sink).refusal);
  EXPECT_EQ(captured_bases(), (std::set<uint64_t>{kA, kB, kC}));
}

TEST_F(CaptureTest, WhatTheDeviceHasSearchedTheHostDoesNotSearchAgain) {
  device.accelerated = true;
  device.allocate(kA, filled(64));
  device.allocate(kB, filled(64));
  device.put(kA, 9, kB);  // unaligned: the fake's own search does not see it
  argument(kA);
  EXPECT_FALSE(capture().refusal);
  EXPECT_EQ(captured_bases(), (std::set<uint64_t>{kA}));
}

// Device memory leads to host memory, which only the host searches, which leads to device memory again.
using Totals = std::vector<std::pair<size_t, uint64_t>>;

TEST_F(CaptureTest, HowMuchThereIsInAllIsNotToldWhileWhatIsReadMayLeadFurther) {
  device.allocate(kA, filled(64));
  device.allocate(kB, filled(128));
  device.allocate(kD, filled(32));  // nothing points there, which is known only when all is read
  device.put(kA, 16, kB);
  argument(kA);
  EXPECT_FALSE(capture().refusal);
  EXPECT_EQ(sink.totals, Totals());
}

TEST_F(CaptureTest, HowMuchThereIsInAllIsToldOnceNothingIsLeftOut) {
  device.allocate(kA, filled(64));
  device.allocate(kB, filled(128));
  device.put(kA, 16, kB);
  argument(kA);
  EXPECT_FALSE(capture().refusal);
  EXPECT_EQ(sink.totals, (Totals{{1, 192}}));
}

TEST_F(CaptureTest, HowMuchThereIsInAllIsToldBeforeTheFirstByteWhereABudgetHadItSearched) {
  device.allocate(kA, filled(64));
  device.allocate(kB, filled(128));
  device.allocate(kD, filled(1024));
  device.put(kA, 16, kB);
  argument(kA);
  request.byte_budget = 192;
  EXPECT_FALSE(capture().refusal);
  EXPECT_EQ(sink.totals, (Totals{{0, 192}}));
}

TEST_F(CaptureTest, HowMuchThereIsInAllIsToldByADeviceThatSearchedUnlessOpaquePointersMayLeadFurther) {
  device.accelerated = true;
  device.allocate(kA, filled(64));
  device.allocate(kB, filled(128));
  device.allocate(kD, filled(32));
  device.put(kA, 16, kB);
  argument(kA);
  EXPECT_FALSE(capture().refusal);
  EXPECT_EQ(sink.totals, (Totals{{0, 192}}));

  sink = CollectingSink();
  device.opaque = true;
  EXPECT_FALSE(capture().refusal);
  EXPECT_EQ(sink.totals, Totals());
}

TEST_F(CaptureTest, HowMuchThereIsInAllIsToldOfScopeAllAndAgainWhereTheKernelArgumentsOwnMemoryComesToIt) {
  request.scope = ScopeMode::kAll;
  request.kernarg_address = kD + 8;
  device.allocate(kA, filled(64));
  device.allocate(kB, filled(128));
  device.allocate(kD, filled(32));
  argument(kA);
  EXPECT_FALSE(capture().refusal);
  EXPECT_EQ(sink.totals, (Totals{{0, 192}}));

  sink = CollectingSink();
  device.put(kA, 16, kD);
  EXPECT_FALSE(capture().refusal);
  EXPECT_EQ(sink.totals, (Totals{{0, 192}, {1, 224}}));
}

TEST_F(CaptureTest, HostAndDeviceSearchTakeTurnsUntilNothingIsNew) {
  device.accelerated = true;
  device.allocate(kA, filled(64));
  device.allocate(kB, filled(64), MemoryClass::kHost);
  device.allocate(kC, filled(64));
  device.allocate(kD, filled(64));
  device.put(kA, 8, kB);
  device.put(kB, 17, kC);
  device.put(kC, 24, kD);
  argument(kA);
  EXPECT_FALSE(capture().refusal);
  EXPECT_EQ(captured_bases(), (std::set<uint64_t>{kA, kB, kC, kD}));
}

TEST_F(CaptureTest, ModuleVariablesKnownByNameAreFoundOrLeftOutOrRefused) {
  constexpr uint64_t kVariable = 0x500000001000;
  device.place(kVariable, filled(16));
  device.variables = {{"counter", kVariable}, {"$str", 0}};
  request.module_variables = {{"$str", 0, 8}, {"counter", 0, 16}};
  EXPECT_FALSE(capture().refusal);
  EXPECT_EQ(captured_bases(), (std::set<uint64_t>{kVariable}));
  EXPECT_EQ(sink.regions.at(kVariable).allocation.ordinal, 1u) << "its place in the reply";
  request.module_variables.push_back({"missing", 0, 4});
  EXPECT_EQ(capture().refusal->code, "VARIABLE_UNKNOWN");
}

// Random pointer graphs: the captured set equals that of a plain breadth-first search over the same graph.
TEST_F(CaptureTest, ReachesExactlyWhatASearchOverTheGraphReaches) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 50; ++round) {
    AllocationMap map;
    FakeDevice fresh(map);
    CollectingSink collected;
    const size_t count = 40;
    std::vector<uint64_t> bases;
    for (size_t i = 0; i < count; ++i) bases.push_back(fresh.allocate(0x400000000000 + i * 0x1000, filled(256)));
    std::map<size_t, std::set<size_t>> edges;
    for (size_t i = 0; i < 45; ++i) {
      const size_t from = random() % count, to = random() % count, slot = random() % 31;
      fresh.put(bases[from], slot * 8, bases[to] + random() % 256);
    }
    for (size_t i = 0; i < count; ++i) {  // overwritten links are gone: read the graph back
      for (size_t slot = 0; slot < 32; ++slot) {
        uint64_t value;
        std::memcpy(&value, fresh.at(bases[i]).data() + slot * 8, 8);
        if (value >= bases[0]) edges[i].insert((value - bases[0]) / 0x1000);
      }
    }
    std::set<uint64_t> expected;
    std::vector<size_t> todo = {0};
    while (!todo.empty()) {
      const size_t node = todo.back();
      todo.pop_back();
      if (!expected.insert(bases[node]).second) continue;
      todo.insert(todo.end(), edges[node].begin(), edges[node].end());
    }
    fresh.kernarg.assign(8, 0);
    std::memcpy(fresh.kernarg.data(), &bases[0], 8);
    request.kernarg_bytes = 8;
    EXPECT_FALSE(capture_dispatch(request, map, hold, fresh, collected).refusal);
    std::set<uint64_t> got;
    for (const auto& [base, region] : collected.regions) got.insert(base);
    EXPECT_EQ(got, expected);
  }
}

}  // namespace
}  // namespace kernloop::capture
