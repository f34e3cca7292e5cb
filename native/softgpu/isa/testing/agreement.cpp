#include "softgpu/isa/testing/agreement.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
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
      {"floating-point constant for a packed integer",
       std::regex("^v_(pk_\\w*_[iu]16|pk_\\w*_b16|dot2c?_[iu]32_[iu]16)\\w* .*(\\d\\.\\d|0\\.15915494)")},
      {"op_sel or clamp on whole dwords", std::regex("^v_align(bit|byte)_b32(_e64_dpp)? .*(op_sel|clamp)")},
      {"literal of a value that has an inline form", std::regex("lit\\(0x")},
      {"SDWA and DPP forms of a packed multiply-add", std::regex("^v_pk_fmac_f16_(e64|sdwa|dpp) ")},
      {"clamp on a move", std::regex("^v_pk_mov_b32 .*clamp")},
      {"floating-point constant for a packed integer", std::regex("^v_dot2c_i32_i16_e32 v\\d+, -?[\\d.]+,")},
      {"comparison into a read-only value", std::regex("^v_cmpx?_\\w+ src_")},
      {"scalar result into a read-only value", std::regex("^v_(readlane|readfirstlane)_b32 src_")},
      {"carry into a read-only value", std::regex("^v_\\w+ v\\S+, src_")},
      {"mask from a special value",
       std::regex("^v_(cndmask_b32|(add|sub|subrev)_co_ci_u32|(addc|subb|subbrev)_co_u32)_e64 .*, src_\\w+( clamp)?$|"
                  "^v_cndmask_b16 .*, src_\\w+$")},
      {"matrix from a special value", std::regex("^v_(mfma|wmma)_.*(src_|, null)")},
      {"neg or abs on an integer source",
       std::regex("^v_(ldexp_f(16|32|64)|trig_preop_f64|cvt_pk_u8_f32|cvt_pkaccum_u8_f32)\\w* ")},
      {"K of v_madmk, v_madak, v_fmamk or v_fmaak read a second time, with a value that has an inline form",
       std::regex("^v_(mad|fma)[ma]k_f16 v\\d+, 0x")},
      {"register index from a constant", std::regex("^s_movrelsd_2_b32 ")},
      {"register index or jump target from a special value",
       std::regex("^s_(movrels_b(32|64)|setpc_b64|rfe_b64|cbranch_join) .*src_")},
      {"a class of numbers from a floating-point constant", std::regex("^v_cmpx?_class_f16_\\w+ .*\\d\\.\\d")},
      {"neg or abs on a class of numbers",
       std::regex(
           "^v_cmpx?_class_f16\\w* .*(, -?\\|?-?v\\S+|neg\\(0x\\w+\\)|\\|0x\\w+\\||, (-|-?\\|)[a-z][^ ,]*)( |$)")},
      {"an accumulator of bfloat16 that is a constant", std::regex("^v_dot2_bf16_bf16\\w* .*, -?\\|?\\d\\.\\d")},
      {"a dot product of bfloat16 beside another operation", std::regex("v_dual_dot2acc_f32_bf16")},
      {"a result that overlaps a source read after it", std::regex("^v_m?qsad_\\w+ ")},
      {"an instruction that is there to be illegal", std::regex("^v_illegal")},
      {"a DPP form of nothing", std::regex("^v_nop ")},
      {"packed literal whose low half has an inline form",
       std::regex("^v_(dot2c_f32_f16_e32|dot2acc_f32_f16|pk_fmac_f16(_e32)?) v\\d+, 0x")},
      {"graphics",
       std::regex("^(v_interp_|image_|exp |lds_param_load|lds_direct_load|ds_bvh_|ds_(add|sub)_gs_)|src_lds_direct")},
      {"an address from EXEC, as LLVM itself has it in other global memory operations",
       std::regex("^global_load_lds_\\w+ v\\d+, exec( |$)")},
      {"a status word behind the data (tfe)", std::regex("^t?buffer_.* tfe$")},
      {"neg or abs on packed halves", std::regex("^v_dot2(c|acc)_f32_f16_dpp ")},
  };
  for (const Class& known : kClasses) {
    if (std::regex_search(text, known.pattern)) return known.reason;
  }
  return nullptr;
}

// Text that LLVM's disassembler writes and its assembler refuses, like the ISA: only the assembler checks limits and
// classes of registers.
bool is_past_the_constant_bus(const std::string& text, Isa isa) {
  static const std::regex kScalar(
      "[ |-](s\\d+|s\\[\\d+:\\d+\\]|ttmp\\w+|vcc(_lo|_hi)?|exec(_lo|_hi)?|m0|src_\\w+|0x[0-9a-f]+)(?=[,| ]|$)");
  const size_t sources = text.find(',');
  if (sources == std::string::npos) return false;
  std::set<std::string> seen;
  for (std::sregex_iterator at(text.begin() + static_cast<ptrdiff_t>(sources), text.end(), kScalar), end; at != end;
       ++at)
    seen.insert((*at)[1]);
  if (text.starts_with("v_div_fmas_")) seen.insert("vcc");
  const bool one = (isa != Isa::kGfx1030 && isa != Isa::kGfx1100) ||
                   std::regex_search(text, std::regex("^v_(lshl|lshr|ashr)rev_[bi]64 "));
  return seen.size() > (one ? 1 : 2);
}

// Bits of VOP3 that the text does not show: LLVM's disassembler reads over them.
bool has_hidden_modifiers(const std::string& text, const Words& words) {
  constexpr uint32_t kAbsAndClamp = 0x8700, kNegAndOmod = 0xf8000000;
  static const std::regex kWithout("^v_(permlanex?16|readlane|writelane)_b32 ");
  if (std::regex_search(text, kWithout) && ((words[0] & kAbsAndClamp) || (words[1] & kNegAndOmod))) return true;
  const size_t shown = text.find(" op_sel:[");
  const auto ones =
      shown == std::string::npos ? 0 : std::count(text.begin() + static_cast<ptrdiff_t>(shown), text.end(), '1');
  return std::popcount(words[0] >> 11 & 0xf) > ones;
}

const char* unwritten_refusal(const std::string& text, const Words& words, Isa isa) {
  static const std::regex kOtherRegister(
      "^v_mfma_.*, (s\\[?\\d|vcc|exec|null|src_)|^v_permlanex?16_b32 v\\d+, ((?!v\\d)|\\S+ .*v\\d)|^v_writelane_b32 "
      "v\\d+, .*v\\d|"
      "^v_readlane_b32 \\w+, ((?!v\\d)|\\w+, v\\d)|^v_mqsad_u32_u8 .*, (?!v\\[)\\S+$|^v_movrels\\w+ v\\d+, (?!v\\d)|"
      "^v_(cndmask_b32|(add|sub|subrev)_co_ci_u32|(addc|subb|subbrev)_co_u32)_e64 .*, v\\S+( clamp)?$|"
      "^v_cndmask_b16 .*, v\\d+$");
  static const std::regex kHalfConstant(
      "_([iu]16|b16|bf16).*(\\b0x3800\\b|\\b0\\.5\\b)|^v_align(bit|byte)_b32.*, 0x3800$");
  char low_half[16];
  std::snprintf(low_half, sizeof low_half, " 0x%x", words[2] & 0xffff);
  static const std::regex kInlineLiteral("lit\\(0x");
  if (std::regex_search(text, kInlineLiteral)) return "literal of a value that has an inline form";
  if (is_past_the_constant_bus(text, isa)) return "more on the constant bus than it carries";
  if (std::regex_search(text, kOtherRegister)) return "a register of another kind than the ISA has there";
  if (std::regex_search(text, kHalfConstant)) return "floating-point constant for a 16-bit integer";
  if (has_hidden_modifiers(text, words)) return "modifiers that the instruction does not have";
  const std::string ended = std::regex_replace(text, std::regex(" op_sel:.*"), "") + ",";
  const bool whole = text.starts_with("v_dot2_bf16_bf16") && text.find("0x") != text.npos;
  if (words[2] > 0xffff && (whole || ended.find(std::string(low_half) + ",") != ended.npos))
    return "a literal wider than its operand";
  return nullptr;
}

// A literal that names lanes, which compilers write since LLVM 16.
bool has_literal_lanes(const Instruction& instruction) {
  switch (instruction.op) {
    case Op::v_permlane16_b32:
    case Op::v_permlanex16_b32:
      return instruction.src[1].is_literal || instruction.src[2].is_literal;
    case Op::v_readlane_b32:
    case Op::v_writelane_b32:
      return instruction.src[1].is_literal;
    default:
      return false;
  }
}

// With every number as 32 bits: LLVM writes literals that have an inline form like that form.
std::string with_plain_numbers(const std::string& text) {
  static const std::regex kNumber("([ ,\\[])(-?(0x[0-9a-f]+|\\d+(\\.\\d+)?))(?=[,\\]]|$| )");
  std::string result;
  auto rest = text.cbegin();
  for (std::sregex_iterator at(text.begin(), text.end(), kNumber), end; at != end; ++at) {
    result.append(rest, (*at)[2].first);
    const bool is_float = (*at)[4].matched;
    result += std::to_string(is_float ? std::bit_cast<uint32_t>(std::stof((*at)[2]))
                                      : static_cast<uint32_t>(std::stoll((*at)[2], nullptr, 0)));
    rest = (*at)[2].second;
  }
  return result.append(rest, text.cend());
}

// LLVM's text of a v_fma_mix with a 32-bit literal for a 32-bit source: LLVM takes all its sources for halves, shows
// the literal's lower one, and does not assemble it whole.
std::optional<std::string> with_halves_of_literals(Instruction instruction) {
  switch (instruction.op) {
    case Op::v_fma_mix_f32:
    case Op::v_fma_mixlo_f16:
    case Op::v_fma_mixhi_f16:
      break;
    default:
      return std::nullopt;
  }
  bool any = false;
  for (unsigned i = 0; i < instruction.src_count; ++i) {
    Operand& source = instruction.src[i];
    if (!source.is_literal || source.literal <= 0xffff) continue;
    source.literal &= 0xffff;
    any = true;
  }
  return any ? std::optional(disassemble(instruction)) : std::nullopt;
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
    if (has_literal_lanes(ours[i].instruction)) {
      ++agreement.unwritten;
      EXPECT_EQ(with_plain_numbers(disassemble(ours[i].instruction)), with_plain_numbers(llvm_texts[i].value_or("")))
          << describe(items[i]);
      continue;
    }
    if (const auto halves = with_halves_of_literals(ours[i].instruction)) {
      ++agreement.unwritten;
      EXPECT_EQ(with_plain_numbers(*halves), with_plain_numbers(llvm_texts[i].value_or(""))) << describe(items[i]);
      continue;
    }
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
      if (!our_text[i]) continue;  // relocated: below; unwritable by LLVM: above
      Bytes expected = bytes_of(items[i], instruction.size_bytes);
      keep_expressible(instruction, expected);
      EXPECT_EQ(encodings[*our_text[i]], expected) << describe(items[i]) << texts[*our_text[i]];
      continue;
    }
    ++agreement.refused;
    if (!llvm_text[i]) continue;
    if (!encodings[*llvm_text[i]]) {
      if (!agreement.reading_counts) continue;
      const char* reason = unwritten_refusal(*llvm_texts[i], items[i], oracle.subject().target.isa);
      EXPECT_NE(reason, nullptr) << describe(items[i]) << "we refuse: " << *llvm_texts[i] << ", which LLVM reads";
      if (reason != nullptr) ++agreement.deliberate[reason];
      continue;
    }
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
