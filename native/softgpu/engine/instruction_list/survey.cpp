#include "softgpu/engine/instruction_list/survey.h"

#include <algorithm>
#include <string_view>

#include "softgpu/engine/execute/instruction_select.h"
#include "softgpu/isa/decoder.h"
#include "softgpu/isa/opcode_table.h"
#include "softgpu/isa/testing/word_generator.h"

namespace kernloop::softgpu {

namespace {

constexpr unsigned kSharedBase = 235, kPopsId = 239;  // source codes
constexpr unsigned kWanted = 800, kTries = 12000;     // accepted words an opcode number

constexpr const char* kNames[] = {"SOP1", "SOP2",  "SOPK", "SOPC", "SOPP",   "SMEM",    "VOP1",  "VOP2",  "VOPC",
                                  "VOP3", "VOP3P", "DS",   "FLAT", "GLOBAL", "SCRATCH", "MUBUF", "MTBUF", "VOPD"};

const char* encoding_name(const Instruction& i) {
  const auto which = static_cast<size_t>(i.encoding);
  return which < std::size(kNames) ? kNames[which] : "?";
}

// No word of another number is an instruction of the shape's encoding: thousands of random ones would only show that.
bool has_row(Isa isa, const testing::EncodingShape& shape, unsigned opcode) {
  const auto at = std::ranges::find(kNames, std::string_view(shape.name));
  return find_row(isa, static_cast<Encoding>(at - std::begin(kNames)), opcode) != nullptr;
}

bool is_executed(Target target, const Instruction& i) {
  DecodedInstruction instruction;
  static_cast<Instruction&>(instruction) = i;
  return select_for(target, instruction) != nullptr;
}

std::vector<std::string> modifiers_of(const Instruction& i) {
  std::vector<std::string> names;
  const auto add = [&](bool on, const char* name) {
    if (on) names.emplace_back(name);
  };
  const bool signs = [&] {
    for (const Operand& source : i.src)
      if (source.negate || source.absolute || source.sign_extend) return true;
    return false;
  }();
  const bool carry = i.dst_count > 1 || i.encoding == Encoding::kVopC;
  add(i.clamp, "clamp");
  add(i.omod != 0, "omod");
  add(i.is_sdwa, "sdwa");
  add(i.is_dpp, i.is_dpp8 ? "dpp8" : "dpp");
  add(i.is_dpp && carry && !(i.bound_ctrl && i.row_mask == 0xf && i.bank_mask == 0xf), "dpp that skips lanes");
  add(i.is_sdwa && signs, "sdwa with neg, abs or sext");
  add(i.lds, "lds");
  add(i.tfe, "tfe");
  add(i.glc, "glc");
  add(i.cbsz != 0, "cbsz");
  add(i.abid != 0, "abid");
  add(i.blgp != 0, "blgp");
  return names;
}

// Refused everywhere, which the page says once: the global data share, and apertures and the POPS id as vector sources.
bool is_refused_everywhere(const Instruction& i) {
  if (i.gds) return (form_of(i.isa, i.op).row.flags & kGdsOnly) == 0;
  if (i.encoding < Encoding::kVop1 || i.encoding > Encoding::kVop3p) return false;
  return std::any_of(i.src, i.src + i.src_count, [](const Operand& source) {
    return source.kind == Operand::Kind::kSpecial && source.index >= kSharedBase && source.index <= kPopsId;
  });
}

void consider(Target target, const Instruction& i, std::map<std::string, MnemonicSurvey>& found) {
  if (is_refused_everywhere(i)) return;
  MnemonicSurvey& mnemonic = found[op_name(i.op)];
  mnemonic.encodings.insert(encoding_name(i));
  const bool executed = is_executed(target, i);
  if (const char* why = facts_of(i.op).refused) mnemonic.why_refused = why;
  ++(executed ? mnemonic.executed : mnemonic.refused);
  for (const std::string& name : modifiers_of(i)) ++(executed ? mnemonic.on_executed : mnemonic.on_refused)[name];
}

// Each is executed or not by itself: random words would miss some.
void consider_messages(Target target, const Instruction& i, std::map<std::string, MnemonicSurvey>& found) {
  constexpr int32_t kMessages = 256;
  if ((form_of(i.isa, i.op).row.flags & kMessage) == 0) return;
  Instruction other = i;
  for (other.simm16 = 0; other.simm16 < kMessages; ++other.simm16) consider(target, other, found);
}

}  // namespace

std::vector<std::string> MnemonicSurvey::refused_modifiers() const {
  std::vector<std::string> names;
  for (const auto& [name, count] : on_refused) {
    if (count == refused && !on_executed.contains(name)) return {name};
    if (!on_executed.contains(name)) names.push_back(name);
  }
  return names;
}

std::map<std::string, MnemonicSurvey> survey(Target target) {
  std::map<std::string, MnemonicSurvey> found;
  testing::WordGenerator words(target.isa, 1);
  for (const testing::EncodingShape& shape : words.shapes()) {
    for (unsigned opcode = 0; opcode < 1u << shape.opcode_width; ++opcode) {
      if (!has_row(target.isa, shape, opcode)) continue;
      for (unsigned tries = 0, accepted = 0; tries < kTries && accepted < kWanted; ++tries) {
        const DecodeResult decoded = decode(target, words.shaped(shape, opcode));
        if (decoded.status != DecodeStatus::kOk) continue;
        ++accepted;
        consider(target, decoded.instruction, found);
        consider_messages(target, decoded.instruction, found);
      }
    }
  }
  return found;
}

}  // namespace kernloop::softgpu
