// softgpu_instruction_list [--check PAGE]: prints docs/reference/softgpu-isa.md, or compares it with PAGE.
#include <fstream>
#include <iostream>
#include <iterator>
#include <set>
#include <sstream>

#include "softgpu/engine/instruction_list/survey.h"
#include "softgpu/isa/opcode_table.h"

namespace kernloop::softgpu {
namespace {

// Why whole groups are refused; the first prefix that fits.
struct Reason {
  const char* prefix;
  const char* why;
};
constexpr Reason kReasons[] = {
    {"v_cvt_pkaccum", "no compiler emits it, and how fractions round is not documented"},
    {"v_exp_legacy", "no compiler emits it, and what \"legacy\" changes is not documented"},
    {"v_log_legacy", "no compiler emits it, and what \"legacy\" changes is not documented"},
    {"v_screen_partition", "graphics"},
    {"v_mullit", "graphics"},
    {"ds_ordered_count", "graphics"},
    {"s_endpgm_ordered_ps_done", "graphics"},
    {"tbuffer_", "typed buffers: graphics formats"},
    {"buffer_load_format", "typed buffers: graphics formats"},
    {"buffer_store_format", "typed buffers: graphics formats"},
    {"ds_gws_sema", "global semaphores: emitted for builtins of that name alone; only barriers of a grid are modelled"},
    {"s_sendmsghalt", "messages to hardware that is not modelled"},
    {"s_rfe", "trap handlers"},
    {"s_endpgm_saved", "trap handlers"},
    {"s_setkill", "debuggers"},
    {"s_code_end", "padding that is never executed"},
    {"buffer_store_lds", "stores from LDS: no compiler emits them"},
    {"s_atomic", "scalar atomics: no compiler emits them"},
    {"s_buffer_atomic", "scalar atomics: no compiler emits them"},
    {"s_scratch", "scalar scratch: no compiler emits it"},
    {"s_buffer_store", "scalar stores: no compiler emits them"},
    {"s_store", "scalar stores: no compiler emits them"},
    {"s_cbranch_", "forked control flow: no compiler emits it"},
    {"s_setvskip", "VSKIP: no compiler emits it"},
    {"s_set_gpr_idx", "VGPR indexing"},
    {"s_subvector_loop", "loops over the halves of a wave: no compiler emits them"},
    {"s_movrel", "two registers relative to M0 at once: no compiler emits them"},
    {"v_movrel", "two registers relative to M0 at once: no compiler emits them"},
    {"v_swaprel", "two registers relative to M0 at once: no compiler emits them"},
    {"ds_read_addtid", "addresses by the lane's number: no compiler emits them"},
    {"ds_write_addtid", "addresses by the lane's number: no compiler emits them"},
    {"global_load_dword_addtid", "addresses by the lane's number: no compiler emits them"},
    {"global_store_dword_addtid", "addresses by the lane's number: no compiler emits them"},
    {"ds_condxchg32", "conditional exchange: no compiler emits it"},
    {"s_atc_probe", "probes and discards of caches: no compiler emits them"},
    {"s_dcache_discard", "probes and discards of caches: no compiler emits them"},
    {"v_pipeflush", "flushes of the vector pipeline: no compiler emits them"},
};

const char* reason_of(const std::string& mnemonic) {
  for (const Reason& reason : kReasons)
    if (mnemonic.starts_with(reason.prefix)) return reason.why;
  return "not met in compiled code yet";
}

// Why a modifier is refused where it is.
constexpr Reason kModifierReasons[] = {
    {"clamp", "no compiler sets it there: results are integers, packed or masks"},
    {"omod", "no compiler sets it there: results are integers, packed or masks"},
    {"lds", "no compiler emits scratch loads into LDS"},
    {"dpp", "no compiler emits it, and which carry a lane gets that DPP leaves out is not documented"},
    {"sdwa", "no compiler emits it"},
    {"abid", "broadcasts between more blocks than the matrix has"},
    {"cbsz", "broadcasts between more blocks than the matrix has"},
    {"blgp", "permutations of lanes that this matrix does not have"},
};

std::string modifier_reasons(const std::vector<std::string>& modifiers) {
  std::set<std::string> all;
  for (const std::string& modifier : modifiers) {
    for (const Reason& reason : kModifierReasons)
      if (modifier.starts_with(reason.prefix)) all.insert(reason.why);
  }
  std::string text;
  for (const std::string& one : all) text += (text.empty() ? "" : "; ") + one;
  return text;
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

void print_target(std::ostream& out, const char* name, Target target) {
  const auto found = survey(target);
  std::map<std::string, std::vector<std::string>> done, in_part, refused;
  size_t done_count = 0, part_count = 0, refused_count = 0;
  for (const auto& [mnemonic, one] : found) {
    if (one.is_refused()) {
      ++refused_count;
      refused[reason_of(mnemonic)].push_back("`" + mnemonic + "`");
    } else if (one.is_done()) {
      ++done_count;
      done[joined({one.encodings.begin(), one.encodings.end()})].push_back("`" + mnemonic + "`");
    } else {
      ++part_count;
      const auto modifiers = one.refused_modifiers();
      const std::string key = modifiers.empty() ? "some values of an operand or immediate (below)"
                                                : joined(modifiers) + " – " + modifier_reasons(modifiers);
      in_part[key].push_back("`" + mnemonic + "`");
    }
  }
  out << "\n## " << name << "\n\n"
      << found.size() << " mnemonics: " << done_count << " done, " << part_count << " done but for some modifiers, "
      << refused_count << " refused.\n";
  const auto print = [&](const char* title, const auto& groups, const char* lead) {
    out << "\n### " << title << "\n\n";
    for (const auto& [key, names] : groups)
      out << "- " << lead << key << " (" << names.size() << "): " << joined(names) << "\n";
  };
  print("Refused, all forms", refused, "");
  print("Done, but refused with some modifiers", in_part, "");
  print("Done", done, "");
}

std::string page() {
  std::ostringstream out;
  out << "# Instructions of the software GPU\n\n"
         "Generated by `native/build/bin/softgpu_instruction_list`; a test compares it. Every mnemonic that the "
         "decoder accepts, which is\n"
         "every one that LLVM 15 assembles for the target but for images and graphics (`random_words_test` compares "
         "the two). For each opcode\n"
         "the engine is asked whether it executes random instruction words of it: *done* means all of them. A refused "
         "one ends the dispatch\n"
         "with a fault that names the instruction, when a wave reaches it and not before.\n\n"
         "Refused in every instruction, and left out below: the global data share (`gds` on DS instructions, but for "
         "GWS barriers), and\n"
         "apertures and the POPS id as sources of vector instructions (compilers read apertures by `s_mov_b64`).\n\n"
         "Values of an operand that are refused: hardware registers, messages and swizzles that are not modelled or "
         "have no "
         "meaning;\n"
         "a matrix's block broadcasts that it does not have; neg on integers; on gfx1030 EXEC_HI, a pair of which one "
         "is "
         "EXEC or null, and,\n"
         "in waves of 32 lanes, `src_vccz`.\n\n"
         "\"No compiler emits it\" means clang 15 and 22: neither has an intrinsic, builtin or pattern for it, on "
         "these "
         "targets, outside of\n"
         "graphics.\n";
  print_target(out, "gfx90a", kGfx90a);
  print_target(out, "gfx1030", kGfx1030);
  return out.str();
}

}  // namespace
}  // namespace kernloop::softgpu

int main(int count, char** words) {
  const std::string wanted = kernloop::softgpu::page();
  if (count == 1) {
    std::cout << wanted;
    return 0;
  }
  if (count != 3 || std::string(words[1]) != "--check") {
    std::cerr << "usage: " << words[0] << " [--check PAGE]\n";
    return 2;
  }
  std::ifstream file(words[2]);
  const std::string there{std::istreambuf_iterator<char>(file), {}};
  if (there == wanted) return 0;
  std::cerr << words[2] << " is not what the engine does\n  → " << words[0] << " > " << words[2] << "\n";
  return 1;
}
