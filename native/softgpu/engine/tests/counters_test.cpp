// Counters and profiles against counts by hand, or by the plainest possible program.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "softgpu/engine/observe/bank_conflicts.h"
#include "softgpu/engine/tests/program.h"

namespace kernloop::softgpu::testing {
namespace {

constexpr unsigned kItemsOfGroup = 64;

class Counting : public ::testing::Test {
 protected:
  Device device{KERNLOOP_TEST_COUNTED};
  KernelProfile profile;

  Counters run(const std::string& kernel, const Arguments& arguments, uint32_t workgroups = 1) {
    DispatchOptions options;
    options.profile = &profile;
    const DispatchOutcome outcome =
        device.run(kernel, linear(kItemsOfGroup * workgroups, kItemsOfGroup), arguments, options);
    EXPECT_FALSE(outcome.fault) << outcome.fault->text();
    return outcome.counters;
  }

  // The only executed instruction whose disassembly begins like this.
  const PcProfile& at(const std::string& begin) {
    const PcProfile* found = nullptr;
    for (const auto& [address, pc] : profile) {
      if (!pc.instruction.starts_with(begin)) continue;
      EXPECT_EQ(found, nullptr) << begin << " is there twice";
      found = &pc;
    }
    static const PcProfile kNone;
    EXPECT_NE(found, nullptr) << "no wave reached " << begin;
    return found ? *found : kNone;
  }

  void expect_same_sums(const Counters& counters) {
    PcCounts sum;
    for (const auto& [address, pc] : profile) sum += pc.counts;
    EXPECT_EQ(sum.executed, counters.wave_instructions);
    EXPECT_EQ(sum.lanes, counters.active_lanes);
    EXPECT_EQ(sum.splits, counters.divergent_branches);
    EXPECT_EQ(sum.taken, counters.branches_taken);
    EXPECT_EQ(sum.memory_transactions, counters.memory_transactions);
    EXPECT_EQ(sum.memory_lines_128, counters.memory_lines_128);
    EXPECT_EQ(sum.bytes_read, counters.bytes_read);
    EXPECT_EQ(sum.bytes_written, counters.bytes_written);
    EXPECT_EQ(sum.lds_passes, counters.lds_passes);
    EXPECT_EQ(sum.lds_bank_conflicts, counters.lds_bank_conflicts);
    EXPECT_EQ(sum.lds_address_conflicts, counters.lds_address_conflicts);
  }
};

// The base is 4096-aligned: lines of 64 and 128 bytes follow from the offsets.
uint64_t lines_of_stride(uint32_t stride, uint32_t lane_bytes, uint64_t line) {
  std::set<uint64_t> lines;
  for (uint64_t item = 0; item < kItemsOfGroup; ++item) {
    for (uint64_t byte = 0; byte < lane_bytes; ++byte) lines.insert((item * stride * lane_bytes + byte) / line);
  }
  return lines.size();
}

TEST_F(Counting, EveryInstructionOfAStridedCopy) {
  Array<uint32_t> in(device.space, 64 * 64), out(device.space, 64);
  // Lines of 64 bytes: 64 lanes of 4 bytes are 4, and no more than one a lane however far apart.
  const std::map<uint32_t, uint64_t> lines = {{0, 1}, {1, 4}, {2, 8}, {16, 64}, {32, 64}, {33, 64}};
  for (const auto& [stride, expected] : lines) {
    const Counters c = run("strided_copy", Arguments(in.address(), out.address(), stride));
    EXPECT_EQ(c.wave_instructions, 10u);
    EXPECT_EQ(c.smem, 2u);
    EXPECT_EQ(c.valu, 3u);
    EXPECT_EQ(c.vmem_read, 1u);
    EXPECT_EQ(c.vmem_write, 1u);
    EXPECT_EQ(c.other, 3u);
    EXPECT_EQ(c.salu + c.branches + c.barriers + c.lds + c.scratch + c.atomics + c.flat + c.mfma, 0u);
    EXPECT_EQ(c.active_lanes, 5 * 64u);
    EXPECT_EQ(c.valu_lanes, 3 * 64u);
    EXPECT_EQ(c.bytes_read, 64 * 4 + 16 + 4u);
    EXPECT_EQ(c.bytes_written, 64 * 4u);
    EXPECT_EQ(c.lane_bytes, 2 * 64 * 4u);
    EXPECT_EQ(at("global_load_dword").counts.memory_transactions, expected) << stride;
    EXPECT_EQ(expected, lines_of_stride(stride, 4, 64)) << stride;
    EXPECT_EQ(at("global_load_dword").counts.memory_lines_128, lines_of_stride(stride, 4, 128)) << stride;
    EXPECT_EQ(at("global_store_dword").counts.memory_transactions, 4u);
    EXPECT_EQ(c.transactions_b32, expected + 4);
    EXPECT_EQ(c.memory_transactions, expected + 4);
    expect_same_sums(c);
  }
}

TEST_F(Counting, WideAccessesByTheirWidth) {
  Array<uint32_t> in(device.space, 64 * 64 * 4), out(device.space, 64 * 4);
  for (uint32_t stride : {1u, 2u, 5u}) {
    const Counters c = run("wide_flat_copy", Arguments(in.address(), out.address(), stride));
    EXPECT_EQ(c.flat, 1u);
    EXPECT_EQ(c.vmem_read, 1u);
    const uint64_t lines = lines_of_stride(stride, 16, 64);
    EXPECT_EQ(lines, stride == 1 ? 16u : stride == 2 ? 32u : 64u);
    EXPECT_EQ(at("flat_load_dwordx4").counts.memory_transactions, lines);
    EXPECT_EQ(at("flat_load_dwordx4").counts.memory_lines_128, lines_of_stride(stride, 16, 128));
    EXPECT_EQ(c.transactions_b128, lines + 16);
    EXPECT_EQ(c.transactions_b32, 0u);
    expect_same_sums(c);
  }
}

TEST_F(Counting, ABranchThatSomeLanesTake) {
  for (uint32_t lanes : {0u, 1u, 17u, 63u, 64u}) {
    const Counters c = run("diverge", Arguments(lanes));
    const bool skipped = lanes == 0, splits = lanes > 0 && lanes < 64;
    EXPECT_EQ(c.wave_instructions, 7 + (skipped ? 0 : 3u)) << lanes;
    EXPECT_EQ(c.branches, 1u);
    EXPECT_EQ(c.conditional_branches, 1u);
    EXPECT_EQ(c.branches_taken, skipped ? 1u : 0u);
    EXPECT_EQ(c.divergent_branches, splits ? 1u : 0u) << lanes;
    EXPECT_EQ(c.valu_lanes, 64 + 3 * lanes) << "v_cmp in all lanes, then three in some";
    const PcProfile& branch = at("s_cbranch_execz");
    EXPECT_TRUE(branch.is_conditional_branch);
    EXPECT_EQ(branch.counts.executed, 1u);
    EXPECT_EQ(branch.counts.taken, skipped ? 1u : 0u);
    EXPECT_EQ(branch.counts.split_before, splits ? 1u : 0u);
    EXPECT_EQ(at("s_and_saveexec_b64").counts.splits, splits ? 1u : 0u);
    EXPECT_EQ(at("v_cmp_gt_u32").counts.true_lanes, lanes);
    EXPECT_EQ(at("v_cmp_gt_u32").counts.false_lanes, 64 - lanes);
    EXPECT_EQ(at("s_or_b64 exec").counts.splits, 0u) << "lanes come back: no split";
    expect_same_sums(c);
  }
}

TEST_F(Counting, EveryRoundOfALoop) {
  for (uint32_t trips : {1u, 2u, 100u}) {
    const Counters c = run("uniform_loop", Arguments(trips), 3);
    EXPECT_EQ(c.wave_instructions, 3 * (3 + 4 * trips));
    EXPECT_EQ(c.salu, 3 * 2 * trips);
    EXPECT_EQ(c.conditional_branches, 3 * trips);
    EXPECT_EQ(c.branches_taken, 3 * (trips - 1));
    EXPECT_EQ(c.divergent_branches, 0u);
    EXPECT_EQ(at("s_cbranch_scc1").counts.taken, 3 * (trips - 1));
    EXPECT_EQ(at("s_cmp_lg_u32").counts.true_lanes, 3 * (trips - 1)) << "a wave counts once";
    EXPECT_EQ(at("s_cmp_lg_u32").counts.false_lanes, 3u);
    EXPECT_EQ(at("v_add_u32").counts.lanes, 3 * 64 * trips);
    expect_same_sums(c);
  }
}

// The first `lanes` of 64 are active, and the condition holds for those before `limit`.
TEST_F(Counting, SidesOfConditionsInActiveLanes) {
  for (const auto& [lanes, limit] : {std::pair{64u, 20u}, {60u, 0u}, {30u, 40u}, {0u, 3u}}) {
    const Counters c = run("sides", Arguments(lanes, limit));
    const uint64_t holds = std::min(lanes, limit), fails = lanes - holds;
    for (const char* both : {"v_cmp_gt_u32", "v_cndmask_b32"}) {
      EXPECT_EQ(at(both).counts.true_lanes, holds) << both << ": lanes that EXEC disables are on no side";
      EXPECT_EQ(at(both).counts.false_lanes, fails) << both;
    }
    EXPECT_EQ(at("s_cselect_b32").counts.true_lanes, limit > 10 ? 1u : 0u);
    EXPECT_EQ(at("s_cselect_b32").counts.false_lanes, limit > 10 ? 0u : 1u);
    EXPECT_EQ(at("v_cmpx_gt_u32").counts.true_lanes, std::min<uint64_t>(lanes, 5)) << "EXEC becomes the result";
    EXPECT_EQ(at("v_cmpx_gt_u32").counts.false_lanes, lanes - std::min<uint64_t>(lanes, 5));
    EXPECT_EQ(at("v_add_u32").counts.true_lanes + at("v_add_u32").counts.false_lanes, 0u);
    expect_same_sums(c);
  }
}

TEST_F(Counting, LanesThatLeaveALoopOneAfterTheOther) {
  const Counters c = run("lane_loop", Arguments(0));
  EXPECT_EQ(c.wave_instructions, 1 + 4 * 4 + 1u);
  // A quarter leaves in every round; after the last no lane is left, which is no split.
  EXPECT_EQ(c.divergent_branches, 3u);
  EXPECT_EQ(at("s_cbranch_execnz").counts.executed, 4u);
  EXPECT_EQ(at("s_cbranch_execnz").counts.taken, 3u);
  EXPECT_EQ(at("s_cbranch_execnz").counts.split_before, 3u);
  EXPECT_EQ(c.valu_lanes, 64 + 2 * (64 + 48 + 32 + 16u));
  expect_same_sums(c);
}

TEST_F(Counting, BankConflictsOfStrides) {
  // Two groups of 32 lanes an instruction. Stride s: 32 lanes on 32 / gcd(s, 32) banks, each with gcd(s, 32) dwords.
  const std::map<uint32_t, uint64_t> conflicts_of_both = {{0, 0},     {1, 0},       {2, 4 * 1},
                                                          {4, 4 * 3}, {32, 4 * 31}, {33, 0}};
  for (const auto& [stride, conflicts] : conflicts_of_both) {
    const Counters c = run("lds_b32", Arguments(stride));
    EXPECT_EQ(c.lds, 2u);
    EXPECT_EQ(c.barriers, 1u);
    EXPECT_EQ(c.lds_bank_conflicts, conflicts) << stride;
    EXPECT_EQ(c.lds_passes, 4 + conflicts) << stride;
    EXPECT_EQ(c.lds_address_conflicts, 0u) << "lanes that want one dword share it";
    EXPECT_EQ(c.lds_bytes_read, 256u);
    EXPECT_EQ(c.lds_bytes_written, 256u);
    EXPECT_EQ(at("ds_read_b32").counts.lds_bank_conflicts, conflicts / 2);
    expect_same_sums(c);
  }
}

TEST_F(Counting, BankConflictsOfWideAccesses) {
  // In order, without gaps: never a conflict, but twice and four times the passes.
  Counters c = run("lds_b64", Arguments(2u));
  EXPECT_EQ(c.lds_bank_conflicts, 0u);
  EXPECT_EQ(c.lds_passes, 2 * 4u);
  c = run("lds_b128", Arguments(4u));
  EXPECT_EQ(c.lds_bank_conflicts, 0u);
  EXPECT_EQ(c.lds_passes, 2 * 8u);
  // 16 bytes 8 dwords apart: 8 lanes access 4 of 8 dwords each; lanes 0 and 4 share banks, and so on.
  c = run("lds_b128", Arguments(8u));
  EXPECT_EQ(at("ds_write_b128").counts.lds_bank_conflicts, 8u);
  // Loads serve lanes 0..3 with 20..23: dwords 0..31 and 160..191, the same banks.
  EXPECT_EQ(at("ds_read_b128").counts.lds_bank_conflicts, 8u);
}

TEST_F(Counting, TwoPlacesAreOneAccessOrTwo) {
  // Neighbours at stride 2 are a row of 64-bit elements; 64 elements apart they are two rows of 32-bit ones.
  EXPECT_EQ(run("lds_pair", Arguments(2u)).lds_bank_conflicts, 2 * 2u);
  EXPECT_EQ(at("ds_write2_b32").counts.lds_bank_conflicts, 0u);
  EXPECT_EQ(at("ds_write2_b32").counts.lds_passes, 4u);
  EXPECT_EQ(at("ds_read2st64_b32").counts.lds_bank_conflicts, 2 * 2u);
  run("lds_pair", Arguments(1u));
  EXPECT_EQ(at("ds_read2st64_b32").counts.lds_bank_conflicts, 0u);
  EXPECT_EQ(at("ds_read2st64_b32").counts.lds_passes, 4u);
}

TEST_F(Counting, AtomicsOnOneDwordTakeTurns) {
  Counters c = run("lds_add", Arguments(0u));
  EXPECT_EQ(c.lds_address_conflicts, 4 * 31u);
  EXPECT_EQ(c.lds_bank_conflicts, 0u);
  EXPECT_EQ(c.lds_passes, 4 * 32u);
  c = run("lds_add", Arguments(32u));
  EXPECT_EQ(c.lds_address_conflicts, 0u);
  EXPECT_EQ(c.lds_bank_conflicts, 4 * 31u);
}

// The definition itself, without the bookkeeping.
LdsPasses plain_passes(const std::vector<std::vector<unsigned>>& groups, const uint32_t* offsets, uint64_t lanes,
                       uint32_t bytes) {
  LdsPasses total;
  for (const auto& group : groups) {
    std::map<uint32_t, std::set<uint32_t>> banks;
    for (unsigned lane : group) {
      if (!(lanes >> lane & 1)) continue;
      for (uint32_t byte = offsets[lane]; byte < offsets[lane] + bytes; ++byte) banks[byte / 4 % 32].insert(byte / 4);
    }
    size_t passes = 0;
    for (const auto& [bank, dwords] : banks) passes = std::max(passes, dwords.size());
    total.passes += passes;
    if (passes > 0) total.bank_conflicts += passes - 1;
  }
  return total;
}

std::vector<std::vector<unsigned>> in_order(unsigned size) {
  std::vector<std::vector<unsigned>> groups(64 / size);
  for (unsigned lane = 0; lane < 64; ++lane) groups[lane / size].push_back(lane);
  return groups;
}

// Composable Kernel documentation, "LDS bank conflicts": the lanes of ds_read_b128.
const std::vector<std::vector<unsigned>> kWideLoadGroups = {
    {0, 1, 2, 3, 20, 21, 22, 23},     {4, 5, 6, 7, 16, 17, 18, 19},     {8, 9, 10, 11, 28, 29, 30, 31},
    {12, 13, 14, 15, 24, 25, 26, 27}, {32, 33, 34, 35, 52, 53, 54, 55}, {36, 37, 38, 39, 48, 49, 50, 51},
    {40, 41, 42, 43, 60, 61, 62, 63}, {44, 45, 46, 47, 56, 57, 58, 59}};

TEST(BankConflicts, AreThoseOfTheDefinitionForAnyOffsets) {
  std::mt19937 random(7);
  for (unsigned round = 0; round < 2000; ++round) {
    uint32_t offsets[64];
    const uint32_t range = 16u << random() % 10, step = 1u << random() % 5;
    for (uint32_t& offset : offsets) offset = random() % range * step;
    const uint64_t lanes = round % 3 ? ~uint64_t{0} : uint64_t{random()} << 32 | random();
    for (const auto& [bytes, size] :
         std::map<uint32_t, unsigned>{{1, 32}, {2, 32}, {4, 32}, {8, 16}, {12, 8}, {16, 8}}) {
      const LdsPasses store = count_lds_passes(offsets, 0, lanes, bytes, LdsUse::kStore);
      const LdsPasses expected = plain_passes(in_order(size), offsets, lanes, bytes);
      ASSERT_EQ(store.passes, expected.passes) << bytes;
      ASSERT_EQ(store.bank_conflicts, expected.bank_conflicts) << bytes;
      const LdsPasses load = count_lds_passes(offsets, 0, lanes, bytes, LdsUse::kLoad);
      const LdsPasses loaded = plain_passes(size == 8 ? kWideLoadGroups : in_order(size), offsets, lanes, bytes);
      ASSERT_EQ(load.passes, loaded.passes) << bytes;
      ASSERT_EQ(load.bank_conflicts, loaded.bank_conflicts) << bytes;
    }
  }
}

TEST_F(Counting, MatrixInstructionsAreVectorOnes) {
  const Counters c = run("matrix", Arguments(0));
  EXPECT_EQ(c.valu, 2u);
  EXPECT_EQ(c.mfma, 1u);
  EXPECT_EQ(c.other, 2u) << "cache control and s_endpgm";
}

TEST_F(Counting, AnOrderThatMattersShowsUnderOtherSeeds) {
  Array<uint32_t> out(device.space, 1);
  std::set<uint32_t> last;
  std::set<uint64_t> executed;
  for (uint64_t seed = 0; seed < 6; ++seed) {
    out[0] = ~0u;
    DispatchOptions options;
    options.seed = seed;
    options.threads = 1;
    const Counters first = device.run("last_writer", linear(64 * 100, 64), Arguments(out.address()), options).counters;
    last.insert(out[0]);
    const uint32_t winner = out[0];
    EXPECT_EQ(device.run("last_writer", linear(64 * 100, 64), Arguments(out.address()), options).counters, first);
    EXPECT_EQ(out[0], winner) << "one seed, one order";
    executed.insert(first.wave_instructions);
  }
  EXPECT_EQ(last.count(99), 1u) << "seed 0 is ascending";
  EXPECT_GE(last.size(), 4u);
  EXPECT_EQ(executed, (std::set<uint64_t>{600}));
}

TEST(Atomics, AreCountedByTheirLanes) {
  Device device(KERNLOOP_TEST_PROGRAMS_O3);
  Array<uint8_t> in(device.space, 8192);
  Array<uint32_t> bins(device.space, 256);
  for (uint32_t i = 0; i < in.count(); ++i) in[i] = static_cast<uint8_t>(i * 7);
  const Counters c =
      device.run("histogram", linear(8192, 256), Arguments(in.address(), bins.address(), 8000u)).counters;
  EXPECT_EQ(c.atomic_lanes, 8000u);
  EXPECT_EQ(c.atomics, 125u) << "waves with any of them";
  EXPECT_EQ(c.lane_bytes, 8000 * (1 + 4u));
}

// Compiled kernels: any number of threads and any seed, with and without a profile.
TEST(Repeatability, EveryFigureIsTheSameInEveryRun) {
  Device device(KERNLOOP_TEST_PROGRAMS_O3);
  Array<uint32_t> in(device.space, 8192), out(device.space, 8192);
  for (uint32_t i = 0; i < in.count(); ++i) in[i] = i * 2654435761u;
  struct Case {
    const char* kernel;
    Geometry geometry;
    Arguments arguments;
  };
  const Case cases[] = {
      {"block_sum", linear(20 * 256, 256), Arguments(in.address(), out.address(), 5000u)},
      {"histogram", linear(8192, 256), Arguments(in.address(), out.address(), 8000u)},
      {"divergent", linear(256, 128), Arguments(out.address())},
      {"local_arrays", linear(64, 64), Arguments(in.address(), out.address())},
      {"recursion", linear(128, 128), Arguments(out.address())},
  };
  for (const Case& a_case : cases) {
    KernelProfile first_profile, profile;
    std::optional<Counters> first, first_plain;
    for (unsigned threads : {1u, 2u, 5u}) {
      for (uint64_t seed : {0u, 1u, 77u}) {
        DispatchOptions options;
        options.seed = seed;
        options.threads = threads;
        const DispatchOutcome plain = device.run(a_case.kernel, a_case.geometry, a_case.arguments, options);
        ASSERT_FALSE(plain.fault) << plain.fault->text();
        options.profile = &profile;
        const Counters counters = device.run(a_case.kernel, a_case.geometry, a_case.arguments, options).counters;
        if (!first) {
          first = counters;
          first_plain = plain.counters;
          first_profile = profile;
        }
        ASSERT_EQ(counters, *first) << a_case.kernel << " with " << threads << " threads, seed " << seed;
        ASSERT_EQ(plain.counters, *first_plain) << a_case.kernel;
        ASSERT_EQ(profile.size(), first_profile.size());
        for (const auto& [address, pc] : profile) ASSERT_EQ(pc.counts, first_profile.at(address).counts);
      }
    }
    std::map<std::string, uint64_t> basic;
    first_plain->for_each(CounterSet::kBasic, [&](const char* name, uint64_t value) { basic[name] = value; });
    first->for_each(CounterSet::kBasic, [&](const char* name, uint64_t value) {
      EXPECT_EQ(basic.at(name), value) << name << ": a profile changes no figure";
    });
  }
}

TEST(Profiles, LeaveWhatTheKernelComputesAlone) {
  Device device(KERNLOOP_TEST_PROGRAMS_O3);
  Array<uint32_t> in(device.space, 64), plain(device.space, 64), profiled(device.space, 64);
  for (uint32_t i = 0; i < 64; ++i) in[i] = i * 40503;
  for (const char* kernel : {"flat_pointers"}) {
    KernelProfile profile;
    ASSERT_FALSE(device.run(kernel, linear(64, 64), Arguments(in.address(), plain.address())).fault);
    ASSERT_FALSE(
        device.run(kernel, linear(64, 64), Arguments(in.address(), profiled.address()), {.profile = &profile}).fault);
    EXPECT_TRUE(std::equal(plain.begin(), plain.end(), profiled.begin()));
    EXPECT_FALSE(profile.empty());
  }
}

}  // namespace
}  // namespace kernloop::softgpu::testing
