#include "softgpu/isa/testing/agreement.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <regex>
#include <vector>

#include "softgpu/isa/decoder.h"
#include "softgpu/isa/testing/round_trip.h"

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
      {"mask from a special value", std::regex("^v_(add|sub|subrev)_co_ci_u32_e64 .*, src_\\w+( clamp)?$")},
      {"matrix from a special value", std::regex("^v_mfma_.*src_")},
      {"neg or abs on an integer source",
       std::regex("^v_(ldexp_f(16|32|64)|trig_preop_f64|cvt_pk_u8_f32|cvt_pkaccum_u8_f32)\\w* ")},
      {"K of v_madmk, v_madak, v_fmamk or v_fmaak read a second time, with a value that has an inline form",
       std::regex("^v_(mad|fma)[ma]k_f16 v\\d+, 0x")},
      {"register index from a constant", std::regex("^s_movrelsd_2_b32 ")},
      {"register index or jump target from a special value",
       std::regex("^s_(movrels_b(32|64)|setpc_b64|rfe_b64|cbranch_join) .*src_")},
      {"a DPP form of nothing", std::regex("^v_nop ")},
      {"packed literal whose low half has an inline form", std::regex("^v_(dot2c_f32_f16_e32|pk_fmac_f16) v\\d+, 0x")},
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

}  // namespace

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

}  // namespace kernloop::softgpu::testing
