// Ends of a dispatch: every fault names its place, stops promptly, and leaves the engine usable.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>

#include "softgpu/engine/tests/program.h"

namespace kernloop::softgpu::testing {
namespace {

class Faults : public ::testing::TestWithParam<const char*> {
 protected:
  Device device{GetParam()};

  Fault fault_of(const DispatchOutcome& outcome) {
    EXPECT_TRUE(outcome.fault) << "the dispatch must fail";
    return outcome.fault.value_or(Fault{});
  }

  void expect_usable() {
    Array<uint32_t> out(device.space, 64);
    const DispatchOutcome outcome = device.run("store_at", linear(64, 64), Arguments(out.address(), 77u));
    EXPECT_FALSE(outcome.fault);
    EXPECT_EQ(std::count(out.begin(), out.end(), 77u), 64);
  }
};

INSTANTIATE_TEST_SUITE_P(Optimised, Faults, ::testing::Values(KERNLOOP_TEST_PROGRAMS_O0, KERNLOOP_TEST_PROGRAMS_O3),
                         [](const auto& info) { return info.index == 0 ? "O0" : "O3"; });

TEST_P(Faults, NameTheStoreThroughAWildPointer) {
  const Fault fault = fault_of(device.run("store_at", linear(64, 64), Arguments(uint64_t{0x123456780000}, 1u)));
  EXPECT_EQ(fault.kind, Fault::Kind::kMemoryAccess);
  EXPECT_EQ(fault.kernel, "store_at");
  EXPECT_EQ(fault.address, 0x123456780000u);
  EXPECT_EQ(fault.bytes, 4u);
  EXPECT_EQ(fault.lane, 0);
  EXPECT_TRUE(fault.is_write);
  EXPECT_NE(fault.instruction.find("store_dword"), std::string::npos) << fault.instruction;
  EXPECT_GT(fault.pc_offset, 0u);
  EXPECT_EQ(fault.pc, device.program.symbol("store_at") + fault.pc_offset);
  EXPECT_NE(fault.text().find("store_at"), std::string::npos);
  EXPECT_NE(fault.json().find("\"memory_access\""), std::string::npos);
  expect_usable();
}

TEST_P(Faults, CallANullPointerByItsNameWhateverIsMapped) {
  Array<uint32_t> other(device.space, 64);
  for (const uint64_t offset : {uint64_t{0}, uint64_t{0xfff0}}) {
    const Fault fault = fault_of(device.run("store_at", linear(1, 1), Arguments(offset, 1u)));
    EXPECT_EQ(fault.address, offset);
    EXPECT_EQ(fault.detail, "through a null pointer");
  }
  const Fault above = fault_of(device.run("store_at", linear(1, 1), Arguments(uint64_t{0x10000}, 1u)));
  EXPECT_NE(above.detail.find("bytes before the"), std::string::npos) << above.detail;
}

TEST_P(Faults, NameTheLaneAndTheNearestAllocation) {
  Array<uint32_t> out(device.space, 100, "the output");
  std::fill(out.begin(), out.end(), 3u);
  const Fault fault = fault_of(device.run("store_at", linear(128, 128), Arguments(out.address(), 1u), {.threads = 1}));
  EXPECT_EQ(fault.kind, Fault::Kind::kMemoryAccess);
  EXPECT_EQ(fault.wave, 1u);
  EXPECT_EQ(fault.lane, 100 - 64);
  EXPECT_EQ(fault.address, out.address() + 400);
  EXPECT_NE(fault.detail.find("'the output'"), std::string::npos) << fault.detail;
  EXPECT_EQ(out[64], 3u) << "an instruction that faults touches nothing";
}

TEST_P(Faults, RefuseToWriteReadOnlyMemory) {
  Buffer constant(device.space, 4096, "constants", AddressSpace::Access::kRead);
  const Fault fault = fault_of(device.run("store_at", linear(64, 64), Arguments(constant.address(), 1u)));
  EXPECT_EQ(fault.kind, Fault::Kind::kMemoryAccess);
  EXPECT_NE(fault.detail.find("read-only"), std::string::npos) << fault.detail;
}

TEST_P(Faults, StopAtTheEndOfLdsWhereThatIsAskedFor) {
  Array<uint32_t> out(device.space, 64);
  const DispatchOptions options{.faults_past_lds = true};
  EXPECT_FALSE(device.run("lds_overflow", linear(64, 64), Arguments(out.address(), 0u), options).fault);
  const Fault fault = fault_of(device.run("lds_overflow", linear(64, 64), Arguments(out.address(), 10u), options));
  EXPECT_EQ(fault.kind, Fault::Kind::kLdsOutOfRange);
  EXPECT_EQ(fault.lane, 54);
  EXPECT_EQ(fault.address, 256u);
  expect_usable();
}

TEST_P(Faults, StopAStackOverflow) {
  Array<uint32_t> out(device.space, 64);
  const Fault fault = fault_of(device.run("stack_overflow", linear(64, 64), Arguments(out.address())));
  EXPECT_EQ(fault.kind, Fault::Kind::kScratchOutOfRange) << fault.text();
  expect_usable();
}

TEST_P(Faults, EndAnInfiniteLoopExactlyAtItsLimit) {
  Array<uint32_t> out(device.space, 64);
  const Fault fault = fault_of(
      device.run("forever", linear(64, 64), Arguments(out.address()), {.max_wave_instructions = 50000, .threads = 1}));
  EXPECT_EQ(fault.kind, Fault::Kind::kInstructionLimit);
  EXPECT_NE(fault.detail.find("50000"), std::string::npos);
  EXPECT_NE(fault.instruction, "");
  expect_usable();

  // A dispatch that needs exactly the limit completes; with a limit of one less, it does not.
  Arguments arguments(out.address(), 1u);
  const uint64_t needs = device.run("store_at", linear(64, 64), arguments).counters.wave_instructions;
  EXPECT_FALSE(device.run("store_at", linear(64, 64), arguments, {.max_wave_instructions = needs}).fault);
  EXPECT_TRUE(device.run("store_at", linear(64, 64), arguments, {.max_wave_instructions = needs - 1}).fault);
}

// A dispatch whose workgroups end continues, however much it executes; 16 limits are enough for all of it.
TEST_P(Faults, LimitADispatchFromTheEndOfOneWorkgroupToTheNext) {
  constexpr uint32_t kGroups = 1 << 18;  // three workers report 32,768 instructions at a time, perhaps at once
  Array<uint32_t> out(device.space, kGroups * 64);
  Arguments arguments(out.address(), 1u);
  for (const unsigned threads : {1u, 3u}) {
    const uint64_t needs = device.run("store_at", linear(kGroups * 64, 64), arguments).counters.wave_instructions;
    EXPECT_FALSE(device
                     .run("store_at", linear(kGroups * 64, 64), arguments,
                          {.max_wave_instructions = needs / 8, .threads = threads})
                     .fault);
    const Fault fault = fault_of(device.run("store_at", linear(kGroups * 64, 64), arguments,
                                            {.max_wave_instructions = needs / 20, .threads = threads}));
    EXPECT_EQ(fault.kind, Fault::Kind::kInstructionLimit);
    // Several workers report too seldom to say which of the two it was.
    if (threads == 1) EXPECT_NE(fault.detail.find("16 times"), std::string::npos) << fault.detail;
  }
}

TEST_P(Faults, CancelAKernelThatNeverEnds) {
  Array<uint32_t> out(device.space, 64 * 8);
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(50);
  const std::function<bool()> cancelled = [&] { return std::chrono::steady_clock::now() > deadline; };
  DispatchOptions options;
  options.cancelled = &cancelled;
  const Fault fault = fault_of(device.run("forever", linear(64 * 8, 64), Arguments(out.address()), options));
  EXPECT_EQ(fault.kind, Fault::Kind::kCancelled);
  EXPECT_LT(std::chrono::steady_clock::now(), deadline + std::chrono::seconds(5));
  expect_usable();
}

TEST_P(Faults, PassOnATrap) {
  Array<uint32_t> out(device.space, 64);
  EXPECT_FALSE(device.run("give_up", linear(64, 64), Arguments(out.address())).fault);
  const Fault fault = fault_of(device.run("give_up", linear(64, 64), Arguments(out.address())));
  EXPECT_EQ(fault.kind, Fault::Kind::kTrap);
  EXPECT_NE(fault.instruction.find("s_trap"), std::string::npos);
}

TEST_P(Faults, SayWhatInstructionIsUnknown) {
  const uint64_t entry = device.program.symbol("store_at");
  const uint32_t garbage = 0xffffffff;
  std::memcpy(device.program.host(entry), &garbage, 4);
  Array<uint32_t> out(device.space, 64);
  const Fault fault = fault_of(device.run("store_at", linear(64, 64), Arguments(out.address(), 1u)));
  EXPECT_EQ(fault.kind, Fault::Kind::kUnknownInstruction);
  EXPECT_EQ(fault.pc, entry);
  EXPECT_EQ(fault.instruction.substr(0, 10), "0xffffffff");
}

TEST_P(Faults, ExecuteTheBytesThatAreThereNow) {
  // s_endpgm over the entry: the kernel must not run from the earlier decoding.
  Array<uint32_t> out(device.space, 64);
  expect_usable();
  const uint32_t end_program = 0xbf810000;
  std::memcpy(device.program.host(device.program.symbol("store_at")), &end_program, 4);
  EXPECT_FALSE(device.run("store_at", linear(64, 64), Arguments(out.address(), 5u)).fault);
  EXPECT_EQ(std::count(out.begin(), out.end(), 0u), 64);
}

TEST_P(Faults, StopWhereTheCodeEnds) {
  // Everything from 8 bytes after the entry on is unmapped.
  const uint64_t entry = device.program.symbol("store_at");
  device.space.unmap(entry + 8, 1 << 20);
  Array<uint32_t> out(device.space, 64);
  const Fault fault = fault_of(device.run("store_at", linear(64, 64), Arguments(out.address(), 1u)));
  EXPECT_TRUE(fault.kind == Fault::Kind::kMemoryAccess || fault.kind == Fault::Kind::kUnknownInstruction)
      << fault.text();
  EXPECT_LE(fault.pc, entry + 8);
}

TEST_P(Faults, RefuseGeometryAndKernelsThatCannotBe) {
  Array<uint32_t> out(device.space, 64);
  const Arguments arguments(out.address(), 1u);
  EXPECT_EQ(fault_of(device.run("store_at", Geometry{{64, 1, 1}, {2048, 1, 1}}, arguments)).kind,
            Fault::Kind::kBadDispatch);
  EXPECT_EQ(fault_of(device.run("store_at", Geometry{{64, 64, 64}, {32, 32, 2}}, arguments)).kind,
            Fault::Kind::kBadDispatch);
  EXPECT_EQ(fault_of(device.run("store_at", Geometry{{64, 0, 1}, {64, 1, 1}}, arguments)).kind,
            Fault::Kind::kBadDispatch);
  DispatchRequest flat = device.request("store_at", Geometry{{64, 2, 1}, {64, 1, 1}}, arguments);
  flat.dimensions = 1;
  EXPECT_EQ(fault_of(device.engine.run(flat, {})).kind, Fault::Kind::kBadDispatch);
  DispatchRequest request = device.request("store_at", linear(64, 64), arguments);
  request.group_segment_bytes = 65537;
  EXPECT_EQ(fault_of(device.engine.run(request, {})).kind, Fault::Kind::kBadDispatch);
  request = device.request("store_at", linear(64, 64), arguments);
  request.kernel_object = 0x1000;
  const Fault fault = fault_of(device.engine.run(request, {}));
  EXPECT_EQ(fault.kind, Fault::Kind::kBadDispatch);
  EXPECT_EQ(fault.kernel, "store_at");
}

}  // namespace
}  // namespace kernloop::softgpu::testing
