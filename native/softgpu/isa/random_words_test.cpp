// Random words: we accept exactly those that LLVM can disassemble and assemble back, with the same length.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "softgpu/isa/decoder.h"
#include "softgpu/isa/opcode_table.h"
#include "softgpu/isa/testing/agreement.h"
#include "softgpu/isa/testing/llvm_disassembler.h"
#include "softgpu/isa/testing/operand_forms.h"
#include "softgpu/isa/testing/word_generator.h"

namespace kernloop::softgpu::testing {
namespace {

// KERNLOOP_ISA_WORDS, KERNLOOP_ISA_SWEEP_WORDS and KERNLOOP_ISA_SEED widen a run by hand.
size_t setting(const char* name, size_t fallback) {
  const char* value = std::getenv(name);
  return value != nullptr ? std::strtoull(value, nullptr, 0) : fallback;
}

// The wave sizes of gfx1030 differ in the width of masks alone, which fewer words meet as well; gfx942 shares most
// encodings with gfx90a.
size_t share_of(const Subject& subject, size_t words) {
  if (subject.target == kGfx90a) return words;
  if (subject.target == kGfx942) return words / 8;
  if (subject.target == kGfx1100) return words / 4;
  return subject.target == kGfx1030 ? words / 4 : words / 20;
}

void expect_agreement_on(const Subject& subject, size_t count, bool shaped, Agreement& agreement) {
  LlvmOracle oracle(subject);
  ASSERT_NO_FATAL_FAILURE(oracle.require());
  count = share_of(subject, count);
  WordGenerator generator(subject.target.isa, setting("KERNLOOP_ISA_SEED", 1));
  constexpr size_t kBatch = 4000;
  for (size_t done = 0; done < count && !::testing::Test::HasFailure(); done += kBatch) {
    std::vector<Words> items(std::min(kBatch, count - done));
    for (Words& words : items) words = shaped ? generator.shaped() : generator.uniform();
    expect_agreement(oracle, items, agreement);
  }
  for (const auto& [reason, times] : agreement.deliberate) {
    std::printf("refused on purpose %zu times: %s\n", times, reason.c_str());
  }
  std::printf("%zu accepted, %zu refused\n", agreement.accepted, agreement.refused);
}

class RandomWords : public ::testing::TestWithParam<Subject> {
 protected:
  const Subject& subject() const { return GetParam(); }
};

std::string subject_name(const ::testing::TestParamInfo<Subject>& info) {
  return std::string(info.param.mcpu) + "wave" + std::to_string(info.param.target.wave_size);
}
INSTANTIATE_TEST_SUITE_P(Targets, RandomWords,
                         ::testing::Values(kSubjectGfx90a, kSubjectGfx1030, kSubjectGfx1030Wave64, kSubjectGfx942,
                                           kSubjectGfx1100),
                         subject_name);

TEST_P(RandomWords, AcceptanceAndLengthAgreeWithLlvmOnUniformWords) {
  Agreement agreement;
  expect_agreement_on(subject(), setting("KERNLOOP_ISA_WORDS", 20000), false, agreement);
  EXPECT_GT(agreement.accepted, 0u);
  EXPECT_GT(agreement.refused, 0u);
}

TEST_P(RandomWords, AcceptanceAndLengthAgreeWithLlvmOnWordsShapedLikeEncodings) {
  Agreement agreement;
  expect_agreement_on(subject(), setting("KERNLOOP_ISA_WORDS", 40000), true, agreement);
  EXPECT_GT(agreement.accepted, share_of(subject(), 5000));
  EXPECT_GT(agreement.refused, share_of(subject(), 5000));
}

// For waves of 64 lanes: masks are pairs, matrices are half as long, and nothing is issued in pairs.
TEST(RandomWordsOfWave64, AcceptanceAndLengthAgreeWithLlvmOnGfx1100) {
  Agreement agreement;
  expect_agreement_on(kSubjectGfx1100Wave64, setting("KERNLOOP_ISA_WORDS", 40000), true, agreement);
  EXPECT_GT(agreement.accepted, 200u);
  EXPECT_GT(agreement.refused, 200u);
}

bool has_many_failures() {
  return ::testing::UnitTest::GetInstance()->current_test_info()->result()->total_part_count() > 50;
}

// Many more words than the tests above can afford, every second one shaped: if LLVM's disassembler and ours agree on
// acceptance and length, nothing more is checked; the others are judged as above.
TEST_P(RandomWords, AcceptanceAndLengthAgreeWithLlvmOnASweep) {
  LlvmOracle oracle(subject());
  ASSERT_NO_FATAL_FAILURE(oracle.require());
  LlvmDisassembler llvm(subject());
  WordGenerator generator(subject().target.isa, setting("KERNLOOP_ISA_SEED", 3));
  const size_t count = setting("KERNLOOP_ISA_SWEEP_WORDS", 40000);
  size_t accepted = 0, refused = 0;
  Agreement judged;
  constexpr size_t kBatch = 100000;
  for (size_t done = 0; done < count && !has_many_failures(); done += kBatch) {
    std::vector<Words> items(std::min(kBatch, count - done)), to_judge;
    for (size_t i = 0; i < items.size(); ++i) items[i] = i % 2 ? generator.shaped() : generator.uniform();
    const std::vector<uint8_t> lengths = llvm.lengths(items);
    for (size_t i = 0; i < items.size(); ++i) {
      const DecodeResult ours = decode(subject().target, items[i]);
      const unsigned length = ours.status == DecodeStatus::kOk ? ours.instruction.size_bytes : 0;
      if (length != lengths[i]) {
        to_judge.push_back(items[i]);
      } else {
        ++(length != 0 ? accepted : refused);
      }
    }
    if (!to_judge.empty()) expect_agreement(oracle, to_judge, judged);
  }
  EXPECT_GT(accepted, count / 5);
  EXPECT_GT(refused, count / 5);
  const auto record = [](const char* name, size_t value) { RecordProperty(name, std::to_string(value)); };
  record("words", count);
  record("accepted_by_both", accepted);
  record("refused_by_both", refused);
  record("llvm_died", llvm.deaths());
  record("accepted_as_the_assembler_does", judged.accepted);
  record("refused_as_the_assembler_does", judged.refused);
  std::string reasons;
  for (const auto& [reason, times] : judged.deliberate) reasons += reason + ": " + std::to_string(times) + "\n";
  RecordProperty("refused_on_purpose", reasons);
}

TEST_P(RandomWords, EveryRowOfEveryTableIsReachableAndAssemblesBack) {
  LlvmOracle oracle(subject());
  ASSERT_NO_FATAL_FAILURE(oracle.require());
  WordGenerator generator(subject().target.isa, 7);
  constexpr Encoding kEncodings[] = {
      Encoding::kSop1, Encoding::kSop2,    Encoding::kSopK,   Encoding::kSopC,  Encoding::kSopP,  Encoding::kSmem,
      Encoding::kVop1, Encoding::kVop2,    Encoding::kVopC,   Encoding::kVop3,  Encoding::kVop3p, Encoding::kDs,
      Encoding::kFlat, Encoding::kScratch, Encoding::kGlobal, Encoding::kMubuf, Encoding::kMtbuf};
  static_assert(std::size(kEncodings) == std::size(kShapes[0]));
  const auto& shapes = generator.shapes();
  std::vector<Words> items;
  for (size_t e = 0; e < std::size(shapes); ++e) {
    for (unsigned opcode = 0; opcode < 1u << shapes[e].opcode_width; ++opcode) {
      const OpcodeRow* row = find_row(subject().target.isa, kEncodings[e], opcode);
      if (row == nullptr) continue;
      unsigned found = 0;
      for (int attempt = 0; attempt < 200000 && found < 8; ++attempt) {
        const Words words = generator.shaped(shapes[e], opcode);
        const DecodeResult result = decode(subject().target, words);
        if (result.status != DecodeStatus::kOk || result.instruction.op != row->op) continue;
        EXPECT_EQ(result.instruction.encoding, kEncodings[e]);
        items.push_back(words);
        ++found;
      }
      EXPECT_GT(found, 0u) << shapes[e].name << " " << opcode << " " << op_name(row->op);
    }
  }
  Agreement agreement;
  expect_agreement(oracle, items, agreement);
  const auto has_row = [&](Isa isa, Op op) {
    return std::any_of(std::begin(kEncodings), std::end(kEncodings),
                       [&](Encoding encoding) { return find_row(isa, encoding, op) != nullptr; });
  };
  for (unsigned i = 1; i < static_cast<unsigned>(Op::kCount); ++i) {
    const Op op = static_cast<Op>(i);
    EXPECT_EQ(agreement.seen.contains(op), has_row(subject().target.isa, op)) << op_name(op);
    const auto has_it = [&](Isa isa) { return has_row(isa, op); };
    EXPECT_TRUE(std::ranges::any_of(kEveryIsa, has_it)) << op_name(op) << " has no target";
  }
}

// For gfx1030, one wave size is asked about everything, the other about the masks that distinguish the two; gfx942
// about its differences from gfx90a, gfx1100 about halves of registers and its additions to gfx1030.
bool concerns(const Subject& subject, const OpcodeRow& row) {
  const auto is_mask = [](const OperandSpec& spec) { return spec.type == OperandType::kMask; };
  const auto is_half = [](const OperandSpec& spec) { return is_16_bit(spec.type); };
  if (subject.target == kGfx1100) {
    return form_of(Isa::kGfx1030, row.op).encoding == Encoding::kInvalid ||
           std::ranges::any_of(row.signature.dst, is_half) || std::ranges::any_of(row.signature.src, is_half);
  }
  if (subject.target == kGfx942) {
    const OperationForm& shared = form_of(Isa::kGfx90a, row.op);
    return shared.encoding == Encoding::kInvalid || shared.row.flags != row.flags || shared.row.opcode != row.opcode;
  }
  return subject.target != kGfx1030Wave64 || (row.flags & kReadsVcc) ||
         std::ranges::any_of(row.signature.dst, is_mask) || std::ranges::any_of(row.signature.src, is_mask);
}

TEST_P(RandomWords, EverySourceOfVop3AndVop3pTakesWhatLlvmReadsThere) {
  LlvmOracle oracle(subject());
  ASSERT_NO_FATAL_FAILURE(oracle.require());
  LlvmDisassembler llvm(subject());
  std::vector<Words> items, to_judge;
  for (Encoding encoding : {Encoding::kVop3, Encoding::kVop3p}) {
    for (unsigned opcode = 0; opcode < 0x400; ++opcode) {
      const OpcodeRow* row = find_row(subject().target.isa, encoding, opcode);
      if (row == nullptr || !concerns(subject(), *row)) continue;
      const auto forms = operand_forms(subject().target.isa, encoding, opcode, *row);
      items.insert(items.end(), forms.begin(), forms.end());
    }
  }
  const std::vector<uint8_t> lengths = llvm.lengths(items);
  size_t accepted = 0, with_literal = 0;
  for (size_t i = 0; i < items.size(); ++i) {
    const DecodeResult ours = decode(subject().target, items[i]);
    const unsigned length = ours.status == DecodeStatus::kOk ? ours.instruction.size_bytes : 0;
    if (length != lengths[i]) to_judge.push_back(items[i]);
    accepted += length != 0 && length == lengths[i];
    with_literal += length == 12 && length == lengths[i];
  }
  Agreement judged;
  judged.reading_counts = true;
  expect_agreement(oracle, to_judge, judged);
  // gfx942's additions are mostly matrices, which take only vector registers.
  EXPECT_GT(accepted, items.size() / (subject().target == kGfx942 ? 8 : 5));
  if (subject().target.isa == Isa::kGfx1030) EXPECT_GT(with_literal, items.size() / 6);
  std::printf("%zu words: %zu accepted, %zu of them with a literal; %zu judged\n", items.size(), accepted, with_literal,
              to_judge.size());
}

// Reserved selections of SDWA, on which LLVM's disassembler may die, are hardly ever in the words of WordGenerator.
TEST_P(RandomWords, EverySelectionOfSdwaAssemblesBackAndReservedOnesAreRefused) {
  constexpr unsigned kSelections = 7, kUnused = 3;  // that the ISA defines, of 8 and 4
  LlvmOracle oracle(subject());
  ASSERT_NO_FATAL_FAILURE(oracle.require());
  const OpcodeRow* row = find_row(subject().target.isa, Encoding::kVop2, Op::v_and_b32);
  ASSERT_NE(row, nullptr);
  const uint32_t and_sdwa = uint32_t{row->opcode} << 25 | 1 << 17 | 3 << 9 | 249;  // of v3 and v2, into v1
  std::vector<Words> items;
  for (uint32_t fields = 0; fields < 8 * 4 * 8 * 8; ++fields) {
    const uint32_t to = fields & 7, unused = fields >> 3 & 3, first = fields >> 5 & 7, second = fields >> 8;
    items.push_back({and_sdwa, second << 24 | first << 16 | unused << 11 | to << 8 | 2, 0});
  }
  Agreement agreement;
  expect_agreement(oracle, items, agreement);
  const bool has_sdwa = subject().target.isa != Isa::kGfx1100;
  EXPECT_EQ(agreement.accepted, has_sdwa ? kSelections * kSelections * kSelections * kUnused : 0u);
}

TEST_P(RandomWords, EveryImmediateOfSymbolicInstructionsAssemblesBack) {
  LlvmOracle oracle(subject());
  ASSERT_NO_FATAL_FAILURE(oracle.require());
  constexpr uint32_t kWaitcnt = 0xbf8c0000, kSendmsg = 0xbf900000, kNop = 0xbf800000, kBranch = 0xbf820000;
  constexpr uint32_t kGprIndexMode = 0xbf9d0000, kGetreg = 0xb8800000, kSetreg = 0xb9000000, kSwizzle = 0xd87a0000;
  constexpr uint32_t kGfx1030Getreg = 0xb9000000, kGfx1030Setreg = 0xb9800000, kGfx1030Swizzle = 0xd8d40000,
                     kClause = 0xbfa10000, kDepctr = 0xbfa30000;
  std::vector<uint32_t> bases = {kWaitcnt, kSendmsg, kNop, kBranch};
  if (subject().target.isa == Isa::kGfx1100) {
    constexpr uint32_t kGfx1100Waitcnt = 0xbf890000, kGfx1100Sendmsg = 0xbfb60000, kGfx1100Branch = 0xbfa00000,
                       kGfx1100Clause = 0xbf850000, kDelayAlu = 0xbf870000, kGfx1100Depctr = 0xbf880000;
    bases = {kGfx1100Waitcnt, kGfx1100Sendmsg, kNop,    kGfx1100Branch, kGfx1100Clause,
             kDelayAlu,       kGfx1100Depctr,  kGetreg, kSetreg,        kGfx1030Swizzle};
  } else if (subject().target.isa == Isa::kGfx1030) {
    bases.insert(bases.end(), {kGfx1030Getreg, kGfx1030Setreg, kGfx1030Swizzle, kClause, kDepctr});
  } else {
    bases.insert(bases.end(), {kGprIndexMode, kGetreg, kSetreg, kSwizzle});
  }
  Agreement agreement;
  for (uint32_t base : bases) {
    std::vector<Words> items;
    const uint32_t step = subject().target == kGfx90a ? 11 : 47;
    for (uint32_t simm16 = 0; simm16 < 0x10000; simm16 += simm16 < 0x800 ? 1 : step)
      items.push_back({base | simm16, 0, 0});
    expect_agreement(oracle, items, agreement);
  }
  EXPECT_GT(agreement.accepted, 15000u);
}

}  // namespace
}  // namespace kernloop::softgpu::testing
