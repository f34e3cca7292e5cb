// The words of operations.def, parsed at compile time: a word that is not in these lists does not compile.
#pragma once

#include <initializer_list>
#include <string_view>

#include "softgpu/isa/op_facts.h"
#include "softgpu/isa/opcode_table.h"

namespace kernloop::softgpu {

inline constexpr const char* kOpNames[] = {
    "invalid",
#define OP(name, ...) #name,
#include "softgpu/isa/operations.def"
#undef OP
};

template <typename Value>
struct Word {
  std::string_view word;
  Value value;
};

inline constexpr Word<InstructionClass> kClassWords[] = {
    {"salu", InstructionClass::kSalu},         {"valu", InstructionClass::kValu},
    {"mfma", InstructionClass::kMfma},         {"smem", InstructionClass::kSmem},
    {"vmem", InstructionClass::kVectorMemory}, {"branch", InstructionClass::kBranch},
    {"barrier", InstructionClass::kBarrier},   {"other", InstructionClass::kOther},
};
inline constexpr Word<OpEffect> kEffectWords[] = {
    {"straight", OpEffect::kNone},
    {"writes_exec", OpEffect::kWritesExec},
};
inline constexpr Word<BranchCondition> kBranchWords[] = {
    {"if_scc0", BranchCondition::kScc0},   {"if_scc1", BranchCondition::kScc1},
    {"if_vccz", BranchCondition::kVccz},   {"if_vccnz", BranchCondition::kVccnz},
    {"if_execz", BranchCondition::kExecz}, {"if_execnz", BranchCondition::kExecnz},
};
inline constexpr Word<MemoryWait> kWaitWords[] = {
    {"waits", MemoryWait::kWaitcnt},         {"waits_vmcnt", MemoryWait::kVmcnt}, {"waits_vscnt", MemoryWait::kVscnt},
    {"waits_lgkmcnt", MemoryWait::kLgkmcnt}, {"waits_all", MemoryWait::kAll},
};
inline constexpr Word<OpTrait> kTraitWords[] = {
    {"adds_lanes", kAddsLanes},     {"nearest_only", kNearestOnly}, {"one_scalar", kOneScalar},
    {"low_half", kLowHalf},         {"high_half", kHighHalf},       {"indexable", kIndexable},
    {"accumulates", kAccumulates},  {"reads_scc", kReadsScc},       {"keeps_scc", kKeepsScc},
    {"reads_result", kReadsResult}, {"saves_exec", kSavesExec},     {"passes_time", kPassesTime},
};
// Why an operation is not executed: "refused:graphics". The page of docs/reference says so.
inline constexpr Word<const char*> kRefusalWords[] = {
    {"brain_float", "results of bfloat16: how they round is not documented"},
    {"cache_probe", "probes and discards of caches: no compiler emits them"},
    {"conditional_exchange", "conditional exchange: no compiler emits it"},
    {"debugger", "debuggers"},
    {"dot_rounding", "sums of two products: how often they round is not documented"},
    {"fork", "forked control flow: no compiler emits it"},
    {"graphics", "graphics"},
    {"half_loop", "loops over the halves of a wave: no compiler emits them"},
    {"lane_address", "addresses by the lane's number: no compiler emits them"},
    {"lds_scratch", "scratch loads into LDS: no compiler emits them"},
    {"lds_store", "stores from LDS: no compiler emits them"},
    {"legacy", "no compiler emits it, and what \"legacy\" changes is not documented"},
    {"message", "messages to hardware that is not modelled"},
    {"padding", "padding that is never executed"},
    {"pipe_flush", "flushes of the vector pipeline: no compiler emits them"},
    {"rounding", "no compiler emits it, and how fractions round is not documented"},
    {"scalar_atomic", "scalar atomics: no compiler emits them"},
    {"scalar_scratch", "scalar scratch: no compiler emits it"},
    {"scalar_store", "scalar stores: no compiler emits them"},
    {"semaphore", "global semaphores: emitted for builtins of that name alone; only barriers of a grid are modelled"},
    {"stochastic", "stochastic rounding: which random bits count is not documented"},
    {"trap_handler", "trap handlers"},
    {"two_relative", "two registers relative to M0 at once: no compiler emits them"},
    {"typed_buffer", "typed buffers: graphics formats"},
    {"vskip", "VSKIP: no compiler emits it"},
};
inline constexpr Word<Encoding> kEncodingWords[] = {
    {"sop1", Encoding::kSop1},   {"sop2", Encoding::kSop2},     {"sopk", Encoding::kSopK},
    {"sopc", Encoding::kSopC},   {"sopp", Encoding::kSopP},     {"smem", Encoding::kSmem},
    {"vop1", Encoding::kVop1},   {"vop2", Encoding::kVop2},     {"vopc", Encoding::kVopC},
    {"vop3", Encoding::kVop3},   {"vop3p", Encoding::kVop3p},   {"ds", Encoding::kDs},
    {"flat", Encoding::kFlat},   {"global", Encoding::kGlobal}, {"scratch", Encoding::kScratch},
    {"mubuf", Encoding::kMubuf}, {"mtbuf", Encoding::kMtbuf},
};

template <typename Value, size_t count>
consteval const Value* find_word(const Word<Value> (&list)[count], std::string_view word) {
  for (const Word<Value>& known : list) {
    if (known.word == word) return &known.value;
  }
  return nullptr;
}

consteval std::string_view next_word(std::string_view& text) {
  const size_t space = text.find(' ');
  const std::string_view word = text.substr(0, space);
  text = space == std::string_view::npos ? std::string_view{} : text.substr(space + 1);
  return word;
}

consteval Op parse_op(std::string_view name) {
  for (unsigned k = 1; k < static_cast<unsigned>(Op::kCount); ++k) {
    if (kOpNames[k] == name) return static_cast<Op>(k);
  }
  throw "no such operation";
}

consteval void parse_fact(OpFacts& facts, std::string_view word) {
  constexpr std::string_view kRefused = "refused:", kAs = "as:";
  if (const auto* effect = find_word(kEffectWords, word)) {
    facts.effect = *effect;
  } else if (const auto* branch = find_word(kBranchWords, word)) {
    facts.branch = *branch;
  } else if (const auto* wait = find_word(kWaitWords, word)) {
    facts.waits_for = *wait;
  } else if (const auto* trait = find_word(kTraitWords, word)) {
    facts.traits |= *trait;
  } else if (word.starts_with(kRefused)) {
    const auto* why = find_word(kRefusalWords, word.substr(kRefused.size()));
    if (!why) throw "no such reason";
    facts.refused = *why;
  } else if (word.starts_with(kAs)) {
    facts.equivalent = parse_op(word.substr(kAs.size()));
  } else {
    throw "no such fact";
  }
}

consteval OpFacts parse_facts(std::string_view text) {
  OpFacts facts;
  const auto* counted_as = find_word(kClassWords, next_word(text));
  if (!counted_as) throw "no such class";
  facts.counted_as = *counted_as;
  while (!text.empty()) parse_fact(facts, next_word(text));
  if (facts.refused && facts.effect != OpEffect::kEndsRun) throw "nothing is known of what is not executed";
  return facts;
}

consteval uint16_t parse_number(std::string_view word) {
  if (!word.starts_with("0x") || word.size() < 3) throw "a number begins with 0x";
  unsigned number = 0;
  for (const char digit : word.substr(2)) {
    const bool decimal = digit >= '0' && digit <= '9';
    if (!decimal && (digit < 'a' || digit > 'f')) throw "no hexadecimal number";
    number = number * 16 + static_cast<unsigned>(decimal ? digit - '0' : digit - 'a' + 10);
  }
  return static_cast<uint16_t>(number);
}

// The columns of a row that hold for every target, before a target's column.
struct CommonForm {
  Encoding encoding = Encoding::kInvalid;
  Signature signature;
  uint64_t flags = 0;
};

consteval Encoding parse_encoding(std::string_view word) {
  const auto* encoding = find_word(kEncodingWords, word);
  if (!encoding) throw "no such encoding";
  return *encoding;
}

// "0x11", "0x11 {exec = f32 f32}", "0x30f vop3 -e64 -sdwa +mods", "0x14 =global_load_b32"; empty if the target has no
// such operation.
consteval OperationForm parse_form(Op op, const CommonForm& common, std::string_view column) {
  OperationForm form;
  if (column.empty()) return form;
  form.encoding = common.encoding;
  const uint16_t number = parse_number(next_word(column));
  form.row = OpcodeRow{number, op, common.signature, common.flags};
  while (!column.empty()) {
    if (column.front() == '{') {
      const size_t end = column.find('}');
      form.row.signature = parse_signature(column.substr(1, end - 1));
      column.remove_prefix(end + 1 < column.size() ? end + 2 : end + 1);
      continue;
    }
    const std::string_view word = next_word(column);
    if (word.front() == '=') {
      form.name = word.substr(1);
    } else if (word.front() == '+') {
      form.row.flags |= parse_flags(word.substr(1));
    } else if (word.front() == '-') {
      if ((form.row.flags & parse_flags(word.substr(1))) == 0) throw "no such option to drop";
      form.row.flags &= ~parse_flags(word.substr(1));
    } else {
      form.encoding = parse_encoding(word);
    }
  }
  return form;
}

struct Operation {
  OpFacts facts;
  OperationForm forms[kIsas];
};

consteval Operation parse_operation(Op op, std::string_view facts, std::string_view encoding, std::string_view operands,
                                    std::string_view options, std::initializer_list<std::string_view> targets) {
  CommonForm common;
  common.encoding = parse_encoding(encoding);
  common.signature = parse_signature(operands);
  common.flags = parse_flags(options);
  Operation operation;
  operation.facts = parse_facts(facts);
  if (targets.size() != kIsas) throw "a row has a column for each target";
  size_t target = 0;
  for (const std::string_view column : targets) operation.forms[target++] = parse_form(op, common, column);
  return operation;
}

}  // namespace kernloop::softgpu
