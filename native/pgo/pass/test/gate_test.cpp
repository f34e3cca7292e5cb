// The gate of the register allocator: its input, which nothing else sees, and its effect.
#include <algorithm>
#include <set>

#include "use_tools.h"

namespace kernloop::pgo_pass {
namespace {

constexpr int kRounds = 200;
const Words kGates = {"off", "uniform", "flatten", "wave"};

const Profile& spill_profile(const std::string& arch) {
  return measured(arch, kSpill, kSpillKernels, kRounds);
}

// Lines "successors: %bb.8(0x7fff…), …" of one kernel, at a point of code generation.
Words successors(const std::string& gate, const std::string& stop, const std::string& kernel) {
  const std::string file = work() + "/stopped.mir";
  run_well(Compile{"gfx90a", kSpill, file, spill_profile("gfx90a").options(gate), {"-mllvm", stop}, "-S"}.command());
  const std::string text = read_text(file);
  size_t at = text.find("\nname:            " + kernel + "\n");
  const size_t end = text.find("\nname: ", at + 1);
  Words lines;
  while ((at = text.find("successors: ", at)) < end) {
    lines.push_back(text.substr(at, text.find('\n', at) - at));
    ++at;
  }
  return lines;
}

uint64_t probability(const Words& lines, size_t line, size_t successor) {
  const std::regex number("\\(0x([0-9a-f]+)\\)");
  auto at = std::sregex_iterator(lines[line].begin(), lines[line].end(), number);
  std::advance(at, successor);
  return std::stoull((*at)[1], nullptr, 16);
}

constexpr double kOne = 0x80000000;

TEST(pgo_gate, register_allocation_sees_waves) {
  const auto lanes = successors("off", "-stop-before=greedy", "spill_divergent");
  const auto waves = successors("wave", "-stop-before=greedy", "spill_divergent");
  ASSERT_EQ(lanes.size(), waves.size());
  // In 3200 rounds of 16 waves, each lane leaves the hot branch if (thread + i) % 10000 is 0: only thread 0 does, in
  // round 0. That is one visit of the cold block, whose branch in machine code goes 50 to 50 by lanes: the structurizer
  // made it.
  std::set<double> shares;
  for (size_t line = 0; line < waves.size(); ++line)
    if (waves[line] != lanes[line]) shares.insert(static_cast<double>(probability(waves, line, 0)) / kOne);
  ASSERT_FALSE(shares.empty());
  EXPECT_NEAR(*shares.begin(), 1.0 / 3200, 1e-6);
}

TEST(pgo_gate, nothing_else_does) {
  for (const auto& kernel : {"spill_divergent", "spill_every"}) {
    const auto off = successors("off", "-stop-after=prologepilog", kernel);
    for (const auto& gate : {"flatten", "wave"}) {
      EXPECT_EQ(successors(gate, "-stop-after=prologepilog", kernel), off) << kernel << " " << gate;
      EXPECT_NE(successors(gate, "-stop-before=greedy", kernel), successors("off", "-stop-before=greedy", kernel))
          << kernel << " " << gate;
    }
  }
}

TEST(pgo_gate, uniform_leaves_the_branches_of_uniform_blocks) {
  // Every block of spill_uniform is uniform, which leaves the gate nothing to do; every one of spill_every's is
  // divergent.
  const auto set = [&](const std::string& kernel) {
    const std::string report = work() + "/uniform.json";
    run_well(Compile{"gfx90a", kSpill, work() + "/u.co", spill_profile("gfx90a").options("uniform", report)}.command());
    return function_of(report, kernel)["branches"]["set"].get<int>();
  };
  EXPECT_EQ(set("spill_uniform"), 0);
  EXPECT_EQ(set("spill_divergent"), 1);
  EXPECT_EQ(set("spill_every"), 2);
}

TEST(pgo_gate, machine_code_verifies_on_four_targets) {
  const json waves = json::parse(read_text(spill_profile("gfx90a").waves));
  for (const std::string arch : {"gfx90a", "gfx942", "gfx1030", "gfx1100"}) {
    Profile profile = spill_profile("gfx90a");
    profile.waves = work() + "/" + arch + ".verify.json";
    json here = waves;
    here["arch"] = arch;
    write_text(profile.waves, here.dump());
    for (const std::string gate : {"uniform", "flatten", "wave"})
      run_well(Compile{arch, kSpill, work() + "/v.co", profile.options(gate), {"-mllvm", "-verify-machineinstrs"}}
                   .command());
  }
}

struct Case {
  std::string arch, source;
  Words kernels;
};

void PrintTo(const Case& which, std::ostream* out) {
  *out << which.arch << " " << which.source;
}

class GatedResults : public testing::TestWithParam<Case> {};

// The reference is the same clang without a profile. The score predicts the executed spills.
TEST_P(GatedResults, are_bit_equal_and_their_spills_as_scored) {
  const auto& [arch, source, kernels] = GetParam();
  const auto& profile = measured(arch, source, kernels, kRounds);
  const std::string code = work() + "/gated.co", report = work() + "/gated.json";
  run_well(Compile{arch, source, code}.command());
  const auto base = execute(arch, code, kernels, kRounds);
  const auto instructions = [&] {
    run_well(KERNLOOP_PGO_OBJCOPY " --dump-section=.text=" + work() + "/text " + code);
    return read_text(work() + "/text");
  };
  const std::string base_code = instructions();
  const auto check = [&](const Words& options, const std::string& what) {
    run_well(Compile{arch, source, code, options}.command());
    const auto results = execute(arch, code, kernels, kRounds);
    for (size_t i = 0; i < kernels.size(); ++i) {
      EXPECT_EQ(results[i]["digest"], base[i]["digest"]) << what << " " << kernels[i];
      const double executed = results[i]["load_dwords"].get<double>() + results[i]["store_dwords"].get<double>();
      const double score = function_of(report, kernels[i])["score"].get<double>();
      EXPECT_NEAR(score, executed, 0.01 * executed) << what << " " << kernels[i];
    }
  };
  for (const auto& gate : kGates) check(profile.options(gate, report), gate);
  auto only_report = profile.options("off", report);
  only_report.push_back("-kernloop-pgo-weights=false");
  check(only_report, "base");
  EXPECT_TRUE(instructions() == base_code) << "to be scored, base was compiled otherwise";
}

INSTANTIATE_TEST_SUITE_P(pgo_gate, GatedResults,
                         testing::Values(Case{"gfx90a", kSpill, kSpillKernels}, Case{"gfx1030", kSpill, kSpillKernels},
                                         Case{"gfx90a", kKinetics, {"kinetics"}}));

// Every machine block whose IR block exists once has the waves measured there, and none has more than its loop.
TEST(pgo_gate, rounds_that_end_early_are_not_taken_for_whole_ones) {
  const auto& profile = measured("gfx90a", kSpecial, {"split", "skipping"}, kRounds);
  const std::string report = work() + "/skipping.json";
  run_well(Compile{"gfx90a", kSpecial, work() + "/skipping.co", profile.options("wave", report)}.command());
  const json function = function_of(report, "skipping");
  const std::string source = read_text(kSpecial);
  const auto fourth =
      1 + std::count(source.begin(), source.begin() + static_cast<long>(source.find("// fourth")), '\n');
  // 16 waves.
  std::map<uint64_t, int> visits;
  for (const auto& block : function["machine_blocks"]) {
    ++visits[block["waves"].get<uint64_t>()];
    if (block.value("line", 0) != fourth) continue;
    EXPECT_EQ(block["waves"], 16 * kRounds / 4) << block;
  }
  EXPECT_GE(visits[16 * kRounds], 1);
  EXPECT_GE(visits[16 * kRounds / 4], 1);
}

// Instruction selection splits a block in front of the divergent one. LLVM's RFC finds a block's letter by its number.
TEST(pgo_gate, blocks_are_found_again_behind_split_ones) {
  const auto& profile = measured("gfx90a", kSpecial, {"split", "skipping"}, kRounds);
  const std::string report = work() + "/split.json";
  run_well(Compile{"gfx90a", kSpecial, work() + "/split.co", profile.options("uniform", report)}.command());
  const json function = function_of(report, "split");
  const std::string pattern = function["pattern"];
  const std::string source = read_text(kSpecial);
  const auto rare = 1 + std::count(source.begin(), source.begin() + static_cast<long>(source.find("// rare")), '\n');
  int divergent = 0, wrong_by_number = 0;
  for (const auto& block : function["machine_blocks"]) {
    if (!block.contains("letter")) continue;
    const bool is_rare = block.value("line", 0) == rare;
    const char by_number = pattern[block["number"].get<size_t>() % pattern.size()];
    EXPECT_EQ(block["letter"], is_rare ? "D" : "U") << block;
    divergent += is_rare;
    wrong_by_number += by_number != (is_rare ? 'D' : 'U');
    if (!is_rare) continue;
    EXPECT_EQ(by_number, 'U') << "the RFC's mapping would be right here: the test shows nothing";
  }
  EXPECT_EQ(divergent, 1);
  EXPECT_GE(wrong_by_number, 2);
}

}  // namespace
}  // namespace kernloop::pgo_pass
