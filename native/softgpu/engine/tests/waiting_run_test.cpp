// Loops in which a wave waits, and similar ones in which it does not. Words as llvm-mc encodes them for gfx90a.
#include "softgpu/engine/code/waiting_run.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "softgpu/engine/execute/code_cache.h"
#include "softgpu/engine/tests/program.h"

namespace kernloop::softgpu::testing {
namespace {

constexpr uint32_t kWaitForLoads = 0xbf8c0f70, kWaitForScalars = 0xbf8cc07f,
                   kAnotherRound = 0xffff;  // back to the begin

struct Loop {
  const char* name;
  bool waits;
  std::vector<uint32_t> words;  // without the offset of the branch, the last one
  friend void PrintTo(const Loop& loop, std::ostream* out) { *out << loop.name; }
};

const Loop kLoops[] = {
    // global_load_dword v5, v4, s[8:9] glc; s_waitcnt vmcnt(0); buffer_wbinvl1_vol; v_cmp_eq_u32 vcc, 0, v5;
    // s_cbranch_vccnz
    {"flag", true, {0xdc518000, 0x05080004, kWaitForLoads, 0xe0fc0000, 0, 0x7d940a80, 0xbf870000}},
    // s_load_dword s6, s[8:9], 0x0; s_waitcnt lgkmcnt(0); s_cmp_eq_u32 s6, 0; s_cbranch_scc1
    {"flag_by_a_scalar", true, {0xc0020184, 0, kWaitForScalars, 0xbf068006, 0xbf850000}},
    // global_atomic_cmpswap v5, v4, v[2:3], s[8:9] glc; s_waitcnt vmcnt(0); v_cmp_eq_u32 vcc, 0, v5;
    // s_or_b64 s[2:3], vcc, s[2:3]; s_andn2_b64 exec, exec, s[2:3]; s_cbranch_execnz
    {"lock", true, {0xdd058000, 0x05080204, kWaitForLoads, 0x7d940a80, 0x8782026a, 0x89fe027e, 0xbf890000}},
    // global_load_dword v5, v4, s[8:9]; s_waitcnt vmcnt(0); v_add_u32 v4, 4, v4; v_cmp_eq_u32 vcc, 0, v5;
    // s_cbranch_vccnz
    {"search_in_an_array", false, {0xdc508000, 0x05080004, kWaitForLoads, 0x68080884, 0x7d940a80, 0xbf870000}},
    // global_load_dword v5, v4, s[8:9] glc; s_waitcnt vmcnt(0); s_add_i32 s4, s4, 1; v_cmp_gt_u32 vcc, s4, v5;
    // s_cbranch_vccnz
    {"so_many_tries", false, {0xdc518000, 0x05080004, kWaitForLoads, 0x81048104, 0x7d980a04, 0xbf870000}},
    // s_load_dword s6, s[8:9], 0x0; s_waitcnt lgkmcnt(0); s_add_i32 s4, s4, s6; s_cmp_lt_u32 s4, s5; s_cbranch_scc1
    {"sum_of_one_value", false, {0xc0020184, 0, kWaitForScalars, 0x81040604, 0xbf0a0504, 0xbf850000}},
    // global_atomic_add v5, v4, v2, s[8:9] glc; s_waitcnt vmcnt(0); v_cmp_gt_u32 vcc, 9, v5; s_cbranch_vccnz
    {"count_in_memory", false, {0xdd098000, 0x05080204, kWaitForLoads, 0x7d980a89, 0xbf870000}},
    // ds_read_b32 v5, v4; ds_write_b32 v4, v3; s_waitcnt lgkmcnt(0); v_cmp_eq_u32 vcc, 0, v5; s_cbranch_vccnz
    {"store", false, {0xd86c0000, 0x05000004, 0xd81a0000, 0x00000304, kWaitForScalars, 0x7d940a80, 0xbf870000}},
    // v_add_u32 v4, 4, v3; v_cmp_eq_u32 vcc, 0, v4; s_cbranch_vccnz
    {"no_memory", false, {0x68080684, 0x7d940880, 0xbf870000}},
};

class WaitingRun : public ::testing::TestWithParam<Loop> {};
INSTANTIATE_TEST_SUITE_P(Loops, WaitingRun, ::testing::ValuesIn(kLoops),
                         [](const auto& info) { return info.param.name; });

TEST_P(WaitingRun, LooksForWhatOtherWavesChange) {
  const Loop& loop = GetParam();
  struct alignas(CodePage::kBytes) Page {
    uint32_t words[(CodePage::kBytes + CodePage::kTailBytes) / 4];
  };
  auto page = std::make_unique<Page>();
  std::ranges::copy(loop.words, page->words);
  const size_t count = loop.words.size();
  page->words[count - 1] |= kAnotherRound & static_cast<uint32_t>(-static_cast<int>(count));
  const auto base = reinterpret_cast<uint64_t>(page.get());
  CodePage code(kGfx90a, base, base, base + CodePage::kBytes, CodePage::Use::kExecute, nullptr);
  const CodeRun& run = code.run_at(0);
  EXPECT_EQ(run.steps.back().instruction->address, base + 4 * (count - 1));
  EXPECT_EQ(run.waits, loop.waits);
  // A branch elsewhere does not wait.
  page->words[count - 1] ^= 1;
  CodePage other(kGfx90a, base, base, base + CodePage::kBytes, CodePage::Use::kExecute, nullptr);
  EXPECT_FALSE(other.run_at(0).waits);
}

struct WaitingTarget {
  const char* name;
  Isa isa;
  friend void PrintTo(const WaitingTarget& target, std::ostream* out) { *out << target.name; }
};

class LookBack : public ::testing::TestWithParam<WaitingTarget> {};
INSTANTIATE_TEST_SUITE_P(Targets, LookBack,
                         ::testing::Values(WaitingTarget{"gfx90a", Isa::kGfx90a}, WaitingTarget{"gfx942", Isa::kGfx942},
                                           WaitingTarget{"gfx1030", Isa::kGfx1030},
                                           WaitingTarget{"gfx1100", Isa::kGfx1100}),
                         [](const auto& info) { return info.param.name; });

// Each workgroup waits for the previous one, which may begin after all the others.
TEST_P(LookBack, LeavesTheTurnToOthersInEveryOrder) {
  constexpr uint32_t kGroups = 1000, kItems = 128;
  Device device{std::string(KERNLOOP_TEST_OBJECTS) + "/races_" + GetParam().name + "_O3.hsaco", GetParam().isa};
  Array<uint32_t> in(device.space, kGroups * kItems), flags(device.space, kGroups), prefixes(device.space, kGroups),
      out(device.space, kGroups * kItems);
  std::iota(in.begin(), in.end(), 1u);
  const auto instructions = [&](uint64_t seed) {
    std::fill(flags.begin(), flags.end(), 0);
    const DispatchOutcome outcome =
        device.run("look_back", linear(kGroups * kItems, kItems),
                   Arguments(in.address(), flags.address(), prefixes.address(), out.address()),
                   {.max_wave_instructions = 20'000'000, .seed = seed, .threads = 1});
    EXPECT_FALSE(outcome.fault) << outcome.fault->text();
    EXPECT_EQ(prefixes[kGroups - 1], std::accumulate(in.begin(), in.end(), 0u));
    return outcome.counters.wave_instructions;
  };
  const uint64_t ascending = instructions(0);
  for (const uint64_t seed : {1, 2, 3}) EXPECT_LT(instructions(seed), 40 * ascending) << seed;
}

}  // namespace
}  // namespace kernloop::softgpu::testing
