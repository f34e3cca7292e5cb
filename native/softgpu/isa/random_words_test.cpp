// Random words: we accept what LLVM can disassemble and assemble back, with the same length, and nothing else.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <regex>
#include <set>

#include "softgpu/isa/opcode_table.h"
#include "softgpu/isa/testing/llvm_oracle.h"
#include "softgpu/isa/testing/round_trip.h"
#include "softgpu/isa/testing/word_generator.h"

namespace kernloop::softgpu::testing {
namespace {

// Encodings that LLVM accepts and we refuse on purpose, because the ISA gives them no meaning.
const char* deliberate_refusal(const std::string& text) {
  struct Class {
    const char* reason;
    std::regex pattern;
  };
  static const Class kClasses[] = {
      {"op_sel or neg on dot products of bytes and nibbles", std::regex("^v_dot[48]_.*(op_sel|neg_)")},
      {"neg on packed integers", std::regex("^v_(pk_\\w*_[iu]16|pk_\\w*_b16|dot2_[iu]32_[iu]16|pk_mov_b32) .*neg_")},
      {"clamp on a move", std::regex("^v_pk_mov_b32 .*clamp")},
      {"floating-point constant for a packed integer", std::regex("^v_dot2c_i32_i16_e32 v\\d+, -?[\\d.]+,")},
      {"comparison into a read-only value", std::regex("^v_cmpx?_\\w+ src_")},
      {"scalar result into a read-only value", std::regex("^v_(readlane|readfirstlane)_b32 src_")},
      {"carry into a read-only value", std::regex("^v_\\w+ v\\S+, src_")},
      {"matrix from a special value", std::regex("^v_mfma_.*src_")},
      {"neg or abs on an integer source",
       std::regex("^v_(ldexp_f(16|32|64)|trig_preop_f64|cvt_pk_u8_f32|cvt_pkaccum_u8_f32)\\w* ")},
      {"K of v_madmk, v_madak, v_fmamk or v_fmaak read a second time, with a value that has an inline form",
       std::regex("^v_(mad|fma)[ma]k_f16 v\\d+, 0x")},
      {"register index from a constant", std::regex("^s_movrelsd_2_b32 ")},
      {"register index or jump target from a special value",
       std::regex("^s_(movrels_b(32|64)|setpc_b64|rfe_b64|cbranch_join) .*src_")},
      {"a DPP form of nothing", std::regex("^v_nop ")},
      {"packed literal whose low half has an inline form", std::regex("^v_dot2c_f32_f16_e32 v\\d+, 0x")},
      {"graphics", std::regex("^(v_interp_|image_|exp )|src_lds_direct")},
      {"a status word behind the data (tfe)", std::regex("^t?buffer_.* tfe$")},
      {"neg or abs on packed halves", std::regex("^v_dot2c_f32_f16_dpp ")},
  };
  for (const Class& known : kClasses) {
    if (std::regex_search(text, known.pattern)) return known.reason;
  }
  return nullptr;
}

std::string describe(const Words& words) {
  char text[40];
  std::snprintf(text, sizeof text, "%08x %08x %08x: ", words[0], words[1], words[2]);
  return text;
}

struct Agreement {
  size_t accepted = 0;
  size_t refused = 0;
  std::map<std::string, size_t> deliberate;
  std::set<Op> seen;
};

// The claims, for each item:
//  - what we accept assembles to the bytes it came from (so LLVM knows it, with this length);
//  - what LLVM disassembles to text that assembles to the same bytes, we accept;
//  - cut short, an accepted instruction is truncated.
void expect_agreement(LlvmOracle& oracle, std::span<const Words> items, Agreement& agreement) {
  const auto llvm_texts = oracle.disassemble(items);
  std::vector<DecodeResult> ours;
  std::vector<std::string> texts;
  std::map<std::string, size_t> text_index;
  const auto index_of = [&](const std::string& text) {
    const auto [at, added] = text_index.try_emplace(text, texts.size());
    if (added) texts.push_back(text);
    return at->second;
  };
  struct Relocated {
    size_t item;
    std::string text;
  };
  std::vector<Relocated> relocated;
  std::vector<std::optional<size_t>> our_text(items.size());
  std::vector<std::optional<size_t>> llvm_text(items.size());
  for (size_t i = 0; i < items.size(); ++i) {
    ours.push_back(decode(oracle.subject().target, items[i]));
    if (llvm_texts[i]) llvm_text[i] = index_of(*llvm_texts[i]);
    if (ours[i].status != DecodeStatus::kOk) continue;
    const AssemblerText text = assembler_text(ours[i].instruction);
    if (text.relocated) {
      relocated.push_back({i, text.text});
    } else {
      our_text[i] = index_of(text.text);
    }
  }
  const auto encodings = oracle.assemble(texts);

  for (size_t i = 0; i < items.size(); ++i) {
    const Instruction& instruction = ours[i].instruction;
    ASSERT_NE(ours[i].status, DecodeStatus::kTruncated) << describe(items[i]);
    if (ours[i].status == DecodeStatus::kOk) {
      ++agreement.accepted;
      agreement.seen.insert(instruction.op);
      for (size_t cut = 0; cut < instruction.size_bytes / 4u; ++cut) {
        EXPECT_EQ(decode(oracle.subject().target, std::span(items[i]).first(cut)).status, DecodeStatus::kTruncated)
            << describe(items[i]);
      }
      if (!our_text[i]) continue;  // relocated: below
      Bytes expected = bytes_of(items[i], instruction.size_bytes);
      keep_expressible(instruction, expected);
      EXPECT_EQ(encodings[*our_text[i]], expected) << describe(items[i]) << texts[*our_text[i]];
      continue;
    }
    ++agreement.refused;
    if (!llvm_text[i] || !encodings[*llvm_text[i]]) continue;
    const Bytes& reassembled = *encodings[*llvm_text[i]];
    const Bytes original = bytes_of(items[i], sizeof(Words));
    if (!std::equal(reassembled.begin(), reassembled.end(), original.begin())) continue;
    const char* reason = deliberate_refusal(*llvm_texts[i]);
    EXPECT_NE(reason, nullptr) << describe(items[i]) << "we refuse: " << *llvm_texts[i];
    if (reason != nullptr) ++agreement.deliberate[reason];
  }

  if (relocated.empty()) return;
  std::string source;
  Bytes expected;
  for (const Relocated& one : relocated) {
    source += one.text + "\n";
    const Bytes bytes = bytes_of(items[one.item], ours[one.item].instruction.size_bytes);
    expected.insert(expected.end(), bytes.begin(), bytes.end());
  }
  EXPECT_EQ(oracle.assemble_section(source + kRelocationLabels), expected);
}

// KERNLOOP_ISA_WORDS and KERNLOOP_ISA_SEED widen a run by hand.
size_t setting(const char* name, size_t fallback) {
  const char* value = std::getenv(name);
  return value != nullptr ? std::strtoull(value, nullptr, 0) : fallback;
}

// The wave sizes of gfx1030 differ in the width of masks alone, which fewer words meet as well.
size_t share_of(const Subject& subject, size_t words) {
  if (subject.target == kGfx90a) return words;
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
                         ::testing::Values(kSubjectGfx90a, kSubjectGfx1030, kSubjectGfx1030Wave64), subject_name);

TEST_P(RandomWords, AcceptanceAndLengthAgreeWithLlvmOnUniformWords) {
  Agreement agreement;
  expect_agreement_on(subject(), setting("KERNLOOP_ISA_WORDS", 40000), false, agreement);
  EXPECT_GT(agreement.accepted, 0u);
  EXPECT_GT(agreement.refused, 0u);
}

TEST_P(RandomWords, AcceptanceAndLengthAgreeWithLlvmOnWordsShapedLikeEncodings) {
  Agreement agreement;
  expect_agreement_on(subject(), setting("KERNLOOP_ISA_WORDS", 100000), true, agreement);
  EXPECT_GT(agreement.accepted, share_of(subject(), 10000));
  EXPECT_GT(agreement.refused, share_of(subject(), 10000));
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
    EXPECT_TRUE(has_row(Isa::kGfx90a, op) || has_row(Isa::kGfx1030, op)) << op_name(op) << " has no row";
  }
}

TEST_P(RandomWords, EveryImmediateOfSymbolicInstructionsAssemblesBack) {
  LlvmOracle oracle(subject());
  ASSERT_NO_FATAL_FAILURE(oracle.require());
  constexpr uint32_t kWaitcnt = 0xbf8c0000, kSendmsg = 0xbf900000, kNop = 0xbf800000, kBranch = 0xbf820000;
  constexpr uint32_t kGprIndexMode = 0xbf9d0000, kGetreg = 0xb8800000, kSetreg = 0xb9000000, kSwizzle = 0xd87a0000;
  constexpr uint32_t kGfx1030Getreg = 0xb9000000, kGfx1030Setreg = 0xb9800000, kGfx1030Swizzle = 0xd8d40000,
                     kClause = 0xbfa10000, kDepctr = 0xbfa30000;
  std::vector<uint32_t> bases = {kWaitcnt, kSendmsg, kNop, kBranch};
  if (subject().target.isa == Isa::kGfx1030) {
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
