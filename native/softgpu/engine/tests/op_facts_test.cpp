// Facts of operations.def about the operations, beyond how they are decoded, against their execution and the decoder's
// tables.
#include "softgpu/isa/op_facts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <string_view>

#include "softgpu/engine/execute/instruction_select.h"
#include "softgpu/engine/observe/profile.h"
#include "softgpu/engine/tests/random_stream.h"
#include "softgpu/isa/decoder.h"
#include "softgpu/isa/opcode_table.h"

namespace kernloop::softgpu::testing {
namespace {

constexpr uint32_t kNop = 0xbf800000;

bool is_executed(Target target, const Instruction& instruction) {
  DecodedInstruction decoded;
  static_cast<Instruction&>(decoded) = instruction;
  return select_for(target, decoded) != nullptr;
}

uint64_t exec_of(const StreamEnd& end) {
  uint64_t exec;
  std::memcpy(&exec, end.scalars.data() + kExec * 4, sizeof exec);
  return exec;
}

bool names_exec(const Instruction& instruction) {
  for (unsigned k = 0; k < instruction.dst_count; ++k) {
    const Operand& result = instruction.dst[k];
    if (result.kind == Operand::Kind::kSgpr && result.index <= kExec + 1 && result.index + result.dwords > kExec)
      return true;
  }
  return false;
}

// Named as an operand, or as a field of STATUS.
bool names_condition(const Instruction& instruction) {
  const auto is_condition = [](const Operand& operand) { return operand.kind == Operand::Kind::kSpecial; };
  return instruction.op == Op::s_getreg_b32 ||
         std::any_of(instruction.src, instruction.src + instruction.src_count, is_condition);
}

// One instruction, executed at two places and times.
class Trial {
 public:
  Trial(StreamMachine& machine, Target target, const Words& words, const Instruction& instruction)
      : instruction_(instruction), text_(machine.text_address()) {
    RandomStream stream{target, {}};
    const size_t count = instruction.size_bytes / 4u;
    stream.words.assign(words.begin(), words.begin() + static_cast<ptrdiff_t>(count));
    here_ = machine.run(stream, 1, true);
    stream.words.insert(stream.words.begin(), kNopsBefore, kNop);
    there_ = machine.run(stream, kNopsBefore + 1, true);
  }

  bool faulted() const { return here_.fault.has_value(); }

  // Effects that a straight-line run would miss; empty if there are none.
  std::string beside_its_results(uint64_t exec_before) const {
    if (here_.pc != text_ + instruction_.size_bytes) return "it goes on elsewhere";
    if (here_.state != WaveState::kReady) return "the wave's state changes";
    StreamEnd moved = there_;
    moved.pc -= kNopsBefore * 4, moved.instructions -= kNopsBefore;
    if (const std::string difference = here_.difference(moved); !difference.empty())
      return "its place or the clock matters: " + difference;
    if (exec_of(here_) != exec_before && !names_exec(instruction_)) return kExecChanges;
    return {};
  }

  static constexpr const char* kExecChanges = "EXEC changes";

 private:
  static constexpr unsigned kNopsBefore = 3;
  const Instruction& instruction_;
  uint64_t text_;
  StreamEnd here_, there_;
};

// Calls `visit(words, instruction)` with words of every opcode number until its results for one add up to `wanted`.
template <typename Visit>
void for_each_opcode(Target target, unsigned wanted, Visit&& visit) {
  WordGenerator generator(target.isa, 5);
  for (const EncodingShape& shape : generator.shapes()) {
    for (unsigned opcode = 0; opcode < 1u << shape.opcode_width; ++opcode) {
      for (unsigned tries = 0, accepted = 0; tries < 3000 && accepted < wanted; ++tries) {
        const Words words = generator.shaped(shape, opcode);
        const DecodeResult decoded = decode(target, words);
        if (decoded.status == DecodeStatus::kOk) accepted += visit(words, decoded.instruction);
      }
    }
  }
}

class OpFactsOf : public ::testing::TestWithParam<Target> {
 protected:
  // EXEC as the next trial finds it, in a state drawn now and then.
  uint64_t fresh_exec() {
    if (trials_++ % 4 == 0) {
      machine.draw_state(random_);
      exec_ = exec_of(machine.run(RandomStream{target, {kNop}}, 1, true));
    }
    return exec_;
  }

  const Target target = GetParam();
  StreamMachine machine{target};

 private:
  std::mt19937_64 random_{11};
  unsigned trials_ = 0;
  uint64_t exec_ = 0;
};
INSTANTIATE_TEST_SUITE_P(Targets, OpFactsOf, ::testing::Values(kGfx90a, kGfx1030, kGfx942, kGfx1100),
                         [](const auto& info) { return std::string(isa_name(info.param.isa)); });

TEST_P(OpFactsOf, WhatIsExecutedIsNamedAndDoesWhatItsRowSays) {
  std::set<Op> executed, tried, changing_exec;
  for_each_opcode(target, 2, [&](const Words& words, const Instruction& instruction) {
    const OpEffect effect = facts_of(instruction.op).effect;
    if (!is_executed(target, instruction) || instruction.gds) return false;
    EXPECT_EQ(facts_of(instruction.op).refused, nullptr) << disassemble(instruction) << " is executed";
    executed.insert(instruction.op);
    if (effect == OpEffect::kEndsRun) return true;
    const uint64_t before = fresh_exec();
    const Trial trial(machine, target, words, instruction);
    if (trial.faulted()) return false;
    tried.insert(instruction.op);
    std::string effects = trial.beside_its_results(before);
    if (effect == OpEffect::kWritesExec && effects == Trial::kExecChanges) {
      changing_exec.insert(instruction.op);
      effects.clear();
    }
    EXPECT_EQ(effects, "") << disassemble(instruction);
    return true;
  });
  EXPECT_GT(executed.size(), 800u);
  std::string untried;  // faulted in every trial
  for (const Op op : executed) {
    if (facts_of(op).effect != OpEffect::kEndsRun && !tried.contains(op)) untried += std::string(op_name(op)) + " ";
  }
  EXPECT_LE(std::ranges::count(untried, ' '), 4) << untried;
  EXPECT_GT(changing_exec.size(), 20u);  // gfx1030 has the comparisons name EXEC
}

TEST_P(OpFactsOf, WhatEndsRunsIsSeenToNeedIt) {
  std::set<Op> seen;
  constexpr unsigned kTrials = 8;
  for_each_opcode(target, kTrials, [&](const Words& words, const Instruction& instruction) {
    if (facts_of(instruction.op).effect != OpEffect::kEndsRun) return kTrials;  // no more of it
    if (!is_executed(target, instruction)) return 0u;
    const uint64_t before = fresh_exec();
    const Trial trial(machine, target, words, instruction);
    if (trial.faulted()) return 0u;
    if (!trial.beside_its_results(before).empty()) seen.insert(instruction.op);
    return 1u;
  });
  for (const Op op : {Op::s_getpc_b64, Op::s_setpc_b64, Op::s_swappc_b64, Op::s_call_b64, Op::s_branch,
                      Op::s_cbranch_scc0, Op::s_memtime, Op::s_barrier, Op::s_sleep, Op::s_endpgm}) {
    if (form_of(target.isa, op).encoding == Encoding::kInvalid) continue;  // gfx1100 has no s_memtime
    EXPECT_TRUE(seen.contains(op)) << op_name(op);
  }
}

// Each scalar operation after a comparison that holds, and after one that does not.
TEST_P(OpFactsOf, ScalarOperationsUseTheConditionAsTheirRowsSay) {
  constexpr uint32_t kComparisons[] = {0xbf070000, 0xbf060000};  // s_cmp_lg_u32 s0, s0; s_cmp_eq_u32 s0, s0
  std::set<Op> tried, writing, reading;
  for_each_opcode(target, 6, [&](const Words& words, const Instruction& instruction) {
    const OpFacts& facts = facts_of(instruction.op);
    if (facts.counted_as != InstructionClass::kSalu || !is_executed(target, instruction)) return false;
    fresh_exec();
    StreamEnd ends[2];
    for (unsigned holds = 0; holds < 2; ++holds) {
      RandomStream stream{target, {kComparisons[holds]}};
      stream.words.insert(stream.words.end(), words.begin(), words.begin() + instruction.size_bytes / 4);
      ends[holds] = machine.run(stream, 2, true);
      if (ends[holds].fault) return false;
    }
    tried.insert(instruction.op);
    const bool keeps = !ends[0].scc && ends[1].scc;
    if (!keeps) writing.insert(instruction.op);
    if (facts.has(kKeepsScc)) EXPECT_TRUE(keeps) << disassemble(instruction);
    if (ends[0].scalars != ends[1].scalars && !names_condition(instruction)) {
      reading.insert(instruction.op);
      EXPECT_TRUE(facts.has(kReadsScc)) << disassemble(instruction);
    }
    return true;
  });
  EXPECT_GT(tried.size(), 100u);
  for (const Op op : tried) {
    EXPECT_NE(facts_of(op).has(kKeepsScc), writing.contains(op)) << op_name(op);
    EXPECT_EQ(facts_of(op).has(kReadsScc), reading.contains(op)) << op_name(op);
  }
}

// Each scalar operation after a move of either value to its destination.
TEST_P(OpFactsOf, ScalarOperationsReadTheirDestinationAsTheirRowsSay) {
  const uint32_t move = target.isa == Isa::kGfx1030 ? 0xbe800300 : 0xbe800000;  // s_mov_b32 s0, s0
  constexpr uint32_t kValues[] = {0x80, 0xc1};                                  // 0, -1
  std::set<Op> tried, reading;
  for_each_opcode(target, 12, [&](const Words& words, const Instruction& instruction) {
    const Operand& result = instruction.dst[0];
    const bool is_in_reach = instruction.dst_count == 1 && result.kind == Operand::Kind::kSgpr && result.index < 100;
    if (facts_of(instruction.op).counted_as != InstructionClass::kSalu || !is_executed(target, instruction))
      return false;
    if (!is_in_reach) return false;
    // M0 says which register these read or write.
    if (std::string_view(op_name(instruction.op)).starts_with("s_movrel")) return false;
    for (unsigned k = 0; k < instruction.src_count; ++k) {
      const Operand& source = instruction.src[k];
      if (source.kind == Operand::Kind::kSgpr && source.index <= result.index &&
          source.index + source.dwords > result.index)
        return false;
    }
    fresh_exec();
    StreamEnd ends[2];
    for (unsigned k = 0; k < 2; ++k) {
      RandomStream stream{target, {move | uint32_t{result.index} << 16 | kValues[k]}};
      stream.words.insert(stream.words.end(), words.begin(), words.begin() + instruction.size_bytes / 4);
      ends[k] = machine.run(stream, 2, true);
      if (ends[k].fault) return false;
    }
    tried.insert(instruction.op);
    if (ends[0].scalars != ends[1].scalars) reading.insert(instruction.op);
    return true;
  });
  EXPECT_GT(tried.size(), 80u);
  for (const Op op : tried) EXPECT_EQ(facts_of(op).has(kReadsResult), reading.contains(op)) << op_name(op);
}

TEST_P(OpFactsOf, WhatPassesTimeChangesNothing) {
  std::set<Op> tried;
  for_each_opcode(target, 4, [&](const Words& words, const Instruction& instruction) {
    if (!facts_of(instruction.op).has(kPassesTime) || !is_executed(target, instruction)) return false;
    fresh_exec();
    RandomStream stream{target, {}};
    stream.words.assign(words.begin(), words.begin() + instruction.size_bytes / 4);
    const StreamEnd end = machine.run(stream, 1, true), idle = machine.run(RandomStream{target, {kNop}}, 1, true);
    tried.insert(instruction.op);
    EXPECT_FALSE(end.fault) << disassemble(instruction);
    EXPECT_TRUE(end.scalars == idle.scalars && end.vectors == idle.vectors && end.scc == idle.scc &&
                end.data == idle.data && end.lds == idle.lds)
        << disassemble(instruction);
    return true;
  });
  EXPECT_GT(tried.size(), 5u);
}

TEST(OpFacts, AnOperationOfWhichNothingIsSaidEndsRuns) {
  EXPECT_EQ(OpFacts{}.effect, OpEffect::kEndsRun);
  EXPECT_EQ(facts_of(Op::kInvalid).effect, OpEffect::kEndsRun);
  EXPECT_EQ(facts_of(Op::kCount).effect, OpEffect::kEndsRun);
  EXPECT_EQ(facts_of(Op::s_wakeup).effect, OpEffect::kEndsRun);  // its row: "other"
}

// The classes in which executions are counted, from the decoder's tables of encodings and operands.
TEST(OpFacts, ClassesFollowFromTheTablesOfTheDecoder) {
  for (unsigned k = 1; k < static_cast<unsigned>(Op::kCount); ++k) {
    const Op op = static_cast<Op>(k);
    const InstructionClass counted_as = facts_of(op).counted_as;
    for (const Isa isa : kEveryIsa) {
      for (unsigned e = 0; e < static_cast<unsigned>(Encoding::kInvalid); ++e) {
        const auto encoding = static_cast<Encoding>(e);
        const OpcodeRow* row = find_row(isa, encoding, op);
        if (row == nullptr) continue;
        const bool has_operands = row->signature.dst_count + row->signature.src_count > 0;
        InstructionClass expected = counted_as;
        if (is_vector_alu(encoding)) {
          expected = row->flags & (kMfma | kWmma) ? InstructionClass::kMfma : InstructionClass::kValu;
        } else if (is_vector_memory(encoding)) {
          const bool is_cache_control = encoding == Encoding::kMubuf && !has_operands;
          expected = is_cache_control ? InstructionClass::kOther : InstructionClass::kVectorMemory;
        } else if (encoding == Encoding::kSmem) {
          // Control of caches without operands; s_dcache_discard names what to discard.
          const bool may_be_either = has_operands && facts_of(op).refused != nullptr;
          if (!may_be_either) expected = has_operands ? InstructionClass::kSmem : InstructionClass::kOther;
        } else if (row->flags & kWaitcnt) {
          expected = InstructionClass::kOther;
        } else {
          EXPECT_TRUE(counted_as == InstructionClass::kSalu || counted_as == InstructionClass::kBranch ||
                      counted_as == InstructionClass::kBarrier || counted_as == InstructionClass::kOther)
              << op_name(op);
        }
        EXPECT_EQ(counted_as, expected) << op_name(op);
      }
    }
    DecodedInstruction instruction;
    instruction.op = op;
    EXPECT_TRUE(counted_as == InstructionClass::kBranch || !is_conditional_branch(instruction)) << op_name(op);
  }
}

}  // namespace
}  // namespace kernloop::softgpu::testing
