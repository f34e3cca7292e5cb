#include "softgpu/engine/translate/emitter.h"

#include <algorithm>
#include <cstddef>
#include <map>

#include "softgpu/engine/translate/lds_text.h"
#include "softgpu/engine/wave/wave.h"
#include "softgpu/isa/decoder.h"

namespace kernloop::softgpu {

namespace {

using Kind = Operand::Kind;
using vector::FormRule;
using vector::RowShape;
using vector::SourceRule;

constexpr unsigned kSources = 4, kRegisters = 256, kMostGroups = 2;
constexpr char kAllLanes[] =
    "<i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1>";

// lane_group<op> as the C++ ABI names it.
std::string symbol_of(Op op) {
  return "@_ZN8kernloop7softgpu6vector5lanes10lane_groupILNS0_2OpE" + std::to_string(static_cast<unsigned>(op)) +
         "EEEvPjPKjS7_S7_S7_b";
}

// The interpreter's function of a scalar operation, likewise.
std::string scalar_symbol_of(const Instruction& i) {
  const char* const name = i.encoding == Encoding::kSop1   ? "sop1"
                           : i.encoding == Encoding::kSop2 ? "sop2"
                           : i.encoding == Encoding::kSopC ? "sopc"
                                                           : "sopk";
  return std::string("@_ZN8kernloop7softgpu9") + name + "_stepILNS0_2OpE" +
         std::to_string(static_cast<unsigned>(i.op)) + "EEEvRNS0_4WaveERKNS0_11InstructionE";
}

std::string number(uint64_t value) {
  return std::to_string(value);
}

std::string escaped(const void* bytes, size_t count) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (size_t k = 0; k < count; ++k) {
    const auto byte = static_cast<const unsigned char*>(bytes)[k];
    text += {'\\', kDigits[byte >> 4], kDigits[byte & 15]};
  }
  return text;
}

// Registers by number: accumulation registers behind the others.
unsigned plane_of(const Operand& operand) {
  return operand.index + (operand.kind == Kind::kAgpr ? kRegisters : 0);
}

class FunctionText {
 public:
  FunctionText(const Segment& segment, unsigned wave_size, std::string name, ModuleText& module,
               unsigned groups_at_once)
      : segment_(segment),
        wave_size_(wave_size),
        groups_at_once_(segment.lds_reads == 0 ? groups_at_once : 1),
        name_(std::move(name)),
        module_(module) {
    for (unsigned g = 0; g < groups_at_once_ && groups_at_once_ > 1; ++g) groups_[g].name = "." + number(g);
  }

  std::string write() {
    bool has_lanes = false;
    for (const SegmentStep& step : segment_.steps) {
      const std::string comment = "  ; " + disassemble(*step.instruction) + "\n";
      if (step.is_scalar()) {
        const bool is_behind = step.step >= segment_.end_of_lanes;
        (is_behind ? exit_ : entry_) += comment;
        if (!is_behind) keep_results(*step.instruction);
        execute_scalar(is_behind ? exit_ : entry_, *step.instruction);
        continue;
      }
      has_lanes = true;
      body_ += comment;
      for (unsigned g = 0; g < groups_at_once_; ++g) {
        group_ = &groups_[g];
        if (step.lds) {
          read_lds(*step.instruction, *step.lds);
        } else {
          compute(step.operations);
        }
      }
    }
    return "define i32 @" + name_ + "(ptr noalias %wave, ptr noalias %partial) #0 {\nentry:\n" +
           (has_lanes ? with_lanes() : entry_ + "  ret i32 " + number(wave_size_) + "\n}\n");
  }

 private:
  struct Result {
    unsigned plane;
    std::string value;
  };
  using Values = std::vector<std::string>;  // one a dword

  std::string fresh() { return "%x" + number(next_++); }
  std::string define(std::string& block, const std::string& what) {
    std::string name = fresh();
    block += "  " + name + " = " + what + "\n";
    return name;
  }

  // Scalars, in the order of the program before the loop.

  std::string wave_member(size_t offset) {
    return define(entry_, "getelementptr i8, ptr %wave, i64 " + number(offset));
  }
  std::string sgpr(unsigned index) { return wave_member(offsetof(Wave, sgpr) + 4 * size_t{index}); }

  void keep_before(const std::string& type, const std::string& address) {
    undo_ += "  store " + type + " " + define(entry_, "load " + type + ", ptr " + address) + ", ptr " + address + "\n";
  }

  // Registers that a function puts back if it has not done all lanes.
  void keep_results(const DecodedInstruction& instruction) {
    if (!keeps_scc_) keep_before("i8", wave_member(offsetof(Wave, scc)));
    keeps_scc_ = true;
    for (unsigned k = 0; k < instruction.dst_count; ++k) {
      for (unsigned dword = 0; dword < 2; ++dword) {
        const unsigned index = instruction.dst[k].index + dword;
        if (kept_.insert(index).second) keep_before("i32", sgpr(index));
        splats_.erase(index);
        masks_read_.erase(index);
        masks_read_.erase(index - 1);
      }
    }
  }

  void execute_scalar(std::string& block, const DecodedInstruction& instruction) {
    block += module_.call_of_scalar(instruction, name_ + ".instruction." + number(next_++));
  }

  std::string splat(const std::string& value) {
    const std::string one = define(entry_, "insertelement <16 x i32> poison, i32 " + value + ", i64 0");
    return define(entry_, "shufflevector <16 x i32> " + one + ", <16 x i32> poison, <16 x i32> zeroinitializer");
  }
  std::string scalar(unsigned index) {
    std::string& known = splats_[index];
    if (known.empty()) known = splat(define(entry_, "load i32, ptr " + sgpr(index)));
    return known;
  }

  // Masks: bits of the group, or those of a scalar register.

  std::string mask_read(const Operand& operand) {
    if (operand.kind == Kind::kConstant) return group_of(number(operand.value));
    if (const auto written = group_->masks.find(operand.index); written != group_->masks.end()) return written->second;
    std::string& known = masks_read_[operand.index];
    if (known.empty()) {
      const std::string type = wave_size_ == 64 ? "i64" : "i32";
      known = define(entry_, "load " + type + ", ptr " + sgpr(operand.index));
      if (wave_size_ == 32) known = define(entry_, "zext i32 " + known + " to i64");
    }
    return group_of(known);
  }
  std::string group_of(const std::string& mask) {
    const std::string shifted = define(body_, "lshr i64 " + mask + ", %lane" + group_->name);
    const std::string bits = define(body_, "trunc i64 " + shifted + " to i16");
    return define(body_, "bitcast i16 " + bits + " to <16 x i1>");
  }

  // Registers.

  std::string address_of(std::string& block, unsigned plane) {
    const std::string file = (plane < kRegisters ? "%vgroup" : "%agroup") + group_->name;
    return define(block, "getelementptr i32, ptr " + file + ", i64 " + number(uint64_t{plane % kRegisters} * kLanes));
  }
  std::string read_plane(unsigned plane) {
    std::string& known = group_->planes[plane];
    if (known.empty()) known = define(body_, "load <16 x i32>, ptr " + address_of(body_, plane) + ", align 4");
    return known;
  }

  std::string dword_of(const Operand& operand, unsigned dword) {
    if (operand.kind == Kind::kSgpr) return scalar(operand.index + dword);
    if (operand.kind == Kind::kConstant)
      return splat(number(dword < 2 ? static_cast<uint32_t>(operand.value >> (32 * dword)) : 0));
    return read_plane(plane_of(operand) + dword);
  }

  std::string binary(const char* operation, const std::string& a, const std::string& b) {
    return define(body_, std::string(operation) + " <16 x i32> " + a + ", " + b);
  }
  std::string with_constant(const char* operation, const std::string& a, uint32_t b) {
    return binary(operation, a, splat(number(b)));
  }
  std::string low_half(const std::string& a) { return with_constant("and", a, 0xffff); }
  // The low half of the first, and the high half of the second.
  std::string merged(const std::string& low, const std::string& high) {
    return binary("or", low_half(low), with_constant("and", high, 0xffff0000));
  }

  Values value_of(const LaneOperation& operation, unsigned k) {
    const Instruction& i = *operation.instruction;
    const FormRule& rule = *operation.rule;
    const SourceRule& source = rule.source[k];
    const bool is_explicit = k < rule.explicit_sources();
    Operand vcc;
    vcc.kind = Kind::kSgpr;
    vcc.index = kVcc;
    const Operand& operand = is_explicit ? i.src[k] : rule.accumulate ? i.dst[0] : vcc;
    if (source.kind == SourceRule::kMask)
      return {define(body_, "zext <16 x i1> " + mask_read(operand) + " to <16 x i32>")};
    Values values;
    for (unsigned dword = 0; dword < source.dwords; ++dword) values.push_back(dword_of(operand, dword));
    if (!is_explicit) return values;
    std::string& top = values.back();
    if (source.bits == 16 && i.encoding == Encoding::kVop3 && (i.op_sel >> k & 1)) top = with_constant("lshr", top, 16);
    const uint32_t sign = source.bits == 16 ? 0x8000 : 0x80000000;
    if (operand.absolute) top = with_constant("and", top, ~sign);
    if (operand.negate) top = with_constant("xor", top, sign);
    return values;
  }

  // The planes of the result; the bits behind the value, if the row has them.
  Values call_row(const LaneOperation& operation, const std::vector<Values>& sources) {
    const FormRule& rule = *operation.rule;
    const Op op = operation.instruction->op;
    module_.declare("declare void " + symbol_of(op) + "(ptr, ptr, ptr, ptr, ptr, i1)\n");
    std::string arguments = "ptr %result";
    for (unsigned k = 0; k < kSources; ++k) {
      if (k >= sources.size()) {
        arguments += ", ptr poison";
        continue;
      }
      const std::string to = "%source" + number(k);
      for (size_t dword = 0; dword < sources[k].size(); ++dword) {
        const std::string at = define(body_, "getelementptr i32, ptr " + to + ", i64 " + number(dword * kLanes));
        body_ += "  store <16 x i32> " + sources[k][dword] + ", ptr " + at + ", align 64\n";
      }
      arguments += ", ptr " + to;
    }
    body_ += "  call void " + symbol_of(op) + "(" + arguments + ", i1 %ieee)\n";
    Values results;
    const unsigned dwords = rule.result_dwords + (rule.has_bit ? 1 : 0);
    for (unsigned dword = 0; dword < dwords; ++dword) {
      const std::string at = define(body_, "getelementptr i32, ptr %result, i64 " + number(dword * kLanes));
      results.push_back(define(body_, "load <16 x i32>, ptr " + at + ", align 64"));
    }
    if (rule.fixes_nan) look_for_nans(rule, results);
    return results;
  }

  void look_for_nans(const FormRule& rule, const Values& results) {
    if (rule.result_bits == 32) {
      group_->floats.push_back(define(body_, "bitcast <16 x i32> " + results[0] + " to <16 x float>"));
      return;
    }
    std::string magnitude =
        with_constant("and", results[rule.result_dwords - 1], rule.result_bits == 16 ? 0x7fff : 0x7fffffff);
    if (rule.result_bits == 64) {
      const std::string any = define(body_, "icmp ne <16 x i32> " + results[0] + ", zeroinitializer");
      magnitude = binary("or", magnitude, define(body_, "zext <16 x i1> " + any + " to <16 x i32>"));
    }
    const std::string limit = splat(number(rule.result_bits == 16 ? 0x7c00 : 0x7ff00000));
    group_->nans.push_back(define(body_, "icmp ugt <16 x i32> " + magnitude + ", " + limit));
  }

  // Reads of LDS.

  void read_lds(const Instruction& i, const LdsRead& read) {
    const std::vector<std::string> values = lds_.read(read, read_plane(plane_of(i.src[0])));
    for (unsigned k = 0; k < values.size(); ++k) {
      group_->planes[plane_of(i.dst[0]) + k] = values[k];
      written_.insert(plane_of(i.dst[0]) + k);
    }
  }

  // Operations.

  void compute(const std::vector<LaneOperation>& operations) {
    std::vector<Result> results;
    for (const LaneOperation& operation : operations) compute(operation, results);
    for (const Result& result : results) {
      group_->planes[result.plane] = result.value;
      written_.insert(result.plane);
    }
  }

  void compute(const LaneOperation& operation, std::vector<Result>& results) {
    const Instruction& i = *operation.instruction;
    if (!operation.rule) return move(i, results);
    switch (operation.rule->shape) {
      case RowShape::kHalves:
        results.push_back({plane_of(i.dst[0]), halves(operation)});
        return;
      case RowShape::kPair:
        for (unsigned half = 0; half < 2; ++half)
          results.push_back({plane_of(i.dst[0]) + half, half_of_pair(operation, half)});
        return;
      default:
        break;
    }
    std::vector<Values> sources;
    for (unsigned k = 0; k < operation.rule->sources; ++k) sources.push_back(value_of(operation, k));
    Values values = call_row(operation, sources);
    if (operation.rule->shape == RowShape::kComparison) return write_mask(i.dst[0], values[0]);
    if (operation.rule->has_bit) write_mask(i.dst[1], values.back());
    if (operation.rule->result_dwords == 1) values[0] = with_other_half(operation, values[0]);
    for (unsigned dword = 0; dword < operation.rule->result_dwords; ++dword)
      results.push_back({plane_of(i.dst[0]) + dword, values[dword]});
  }

  // v_pk_mov_b32 takes each register of the pair from one source (packed.cpp).
  void move(const Instruction& i, std::vector<Result>& results) {
    const unsigned registers = i.op == Op::v_pk_mov_b32 ? 2 : 1;
    for (unsigned k = 0; k < registers; ++k) {
      const bool upper = registers == 2 && (i.op_sel >> k & 1) != 0;
      results.push_back({plane_of(i.dst[0]) + k, register_of_pair(i.src[k], upper)});
    }
  }

  // Constants are the same in both registers.
  std::string register_of_pair(const Operand& operand, bool upper) {
    return dword_of(operand, upper && operand.kind != Kind::kConstant ? 1 : 0);
  }

  std::string with_other_half(const LaneOperation& operation, const std::string& value) {
    if (!keeps_other_half(operation)) return value;
    const Instruction& i = *operation.instruction;
    const std::string before = read_plane(plane_of(i.dst[0]));
    if (operation.rule->result_bits == 16 && i.encoding == Encoding::kVop3 && (i.op_sel & 8))
      return merged(before, with_constant("shl", value, 16));
    return merged(value, before);
  }

  void write_mask(const Operand& operand, const std::string& value) {
    group_->masks[operand.index] = define(body_, "icmp ne <16 x i32> " + value + ", zeroinitializer");
  }

  struct Halves {
    unsigned select, negate;
  };
  static Halves halves_of(const Instruction& i, unsigned half) {
    if (i.encoding != Encoding::kVop3p) return {half ? 7u : 0u, 0};
    return half ? Halves{i.op_sel_hi, i.neg_hi} : Halves{i.op_sel, i.neg_lo};
  }

  std::string halves(const LaneOperation& operation) {
    const Instruction& i = *operation.instruction;
    std::string result[2];
    for (unsigned half = 0; half < 2; ++half) {
      const Halves h = halves_of(i, half);
      std::vector<Values> sources;
      for (unsigned k = 0; k < operation.rule->sources; ++k) {
        const bool is_explicit = k < operation.rule->explicit_sources();
        std::string from = dword_of(is_explicit ? i.src[k] : i.dst[0], 0);
        from = h.select >> k & 1 ? with_constant("lshr", from, 16) : low_half(from);
        if (h.negate >> k & 1) from = with_constant("xor", from, 0x8000);
        sources.push_back({from});
      }
      result[half] = call_row(operation, sources)[0];
    }
    return binary("or", result[0], with_constant("shl", result[1], 16));
  }

  std::string half_of_pair(const LaneOperation& operation, unsigned half) {
    const Instruction& i = *operation.instruction;
    const Halves h = halves_of(i, half);
    std::vector<Values> sources;
    for (unsigned k = 0; k < operation.rule->sources; ++k) {
      std::string from = register_of_pair(i.src[k], (h.select >> k & 1) != 0);
      if (h.negate >> k & 1) from = with_constant("xor", from, 0x80000000);
      sources.push_back({from});
    }
    return call_row(operation, sources)[0];
  }

  // The function.

  // Bits of the group's lanes in which a result is a NaN, i16. Hosts compare under a mask: two chains of "and" take no
  // instruction of their own.
  std::string any_nan() {
    std::string ordered[2];
    std::vector<std::string>& floats = group_->floats;
    std::vector<std::string>& nans = group_->nans;
    for (size_t k = 0; k < floats.size(); k += 2) {
      const std::string& other = k + 1 < floats.size() ? floats[k + 1] : floats[k];
      const std::string both = define(body_, "fcmp ord <16 x float> " + floats[k] + ", " + other);
      std::string& chain = ordered[k / 2 % 2];
      chain = chain.empty() ? both : define(body_, "and <16 x i1> " + chain + ", " + both);
    }
    for (const std::string& chain : ordered) {
      if (!chain.empty()) nans.push_back(define(body_, "xor <16 x i1> " + chain + ", " + kAllLanes));
    }
    if (nans.empty()) return {};
    std::string any = nans[0];
    for (size_t k = 1; k < nans.size(); ++k) any = define(body_, "or <16 x i1> " + any + ", " + nans[k]);
    return define(body_, "bitcast <16 x i1> " + any + " to i16");
  }

  void finish_group() {
    std::string found;
    for (unsigned g = 0; g < groups_at_once_; ++g) {
      group_ = &groups_[g];
      const std::string any = any_nan();
      if (any.empty()) continue;
      const std::string active = define(body_, "and i16 " + any + ", %bits" + group_->name);
      found = found.empty() ? active : define(body_, "or i16 " + found + ", " + active);
    }
    if (found.empty()) {
      body_ += "  br label %store\n";
      return;
    }
    found = define(body_, "icmp ne i16 " + found + ", 0");
    body_ += "  br i1 " + found + ", label %bail, label %store, !prof !2\n";
  }

  std::string stores() {
    std::string all, some;
    for (unsigned plane : written_) {
      if (segment_.unread.test(plane)) continue;
      for (unsigned g = 0; g < groups_at_once_; ++g) {
        group_ = &groups_[g];
        const std::string at = address_of(body_end_, plane);
        all += "  store <16 x i32> " + group_->planes[plane] + ", ptr " + at + ", align 4\n";
        const std::string old = define(some, "load <16 x i32>, ptr " + at + ", align 4");
        const std::string next = define(some, "select <16 x i1> %active" + group_->name + ", <16 x i32> " +
                                                  group_->planes[plane] + ", <16 x i32> " + old);
        some += "  store <16 x i32> " + next + ", ptr " + at + ", align 4\n";
      }
    }
    return "store:\n" + body_end_ + "  %full = icmp eq i" + number(16 * groups_at_once_) +
           " %bits, -1\n  br i1 %full, label %all, label %some\nall:\n" + all + "  br label %masks\nsome:\n" + some +
           "  br label %masks\nmasks:\n" + add_masks() + "  br label %next\n";
  }

  std::string add_masks() {
    std::string text;
    for (size_t k = 0; k < segment_.masks.size(); ++k) {
      for (unsigned g = 0; g < groups_at_once_; ++g) {
        group_ = &groups_[g];
        const std::string group =
            define(text, "bitcast <16 x i1> " + group_->masks[segment_.masks[k].index] + " to i16");
        const std::string active = define(text, "and i16 " + group + ", %bits" + group_->name);
        const std::string wide = define(text, "zext i16 " + active + " to i64");
        const std::string placed = define(text, "shl i64 " + wide + ", %lane" + group_->name);
        const std::string before = define(text, "load i64, ptr %mask" + number(k));
        const std::string after = define(text, "or i64 " + before + ", " + placed);
        text += "  store i64 " + after + ", ptr %mask" + number(k) + "\n";
      }
    }
    return text;
  }

  // Masks to the caller of a function that has not done all lanes.
  std::string partial_masks() {
    std::string text;
    for (size_t k = 0; k < segment_.masks.size(); ++k) {
      const std::string value = define(text, "load i64, ptr %mask" + number(k));
      const std::string at = define(text, "getelementptr i64, ptr %partial, i64 " + number(k));
      text += "  store i64 " + value + ", ptr " + at + "\n";
    }
    return text;
  }
  std::string whole_masks() {
    std::string text;
    for (size_t k = 0; k < segment_.masks.size(); ++k) {
      const SegmentMask& mask = segment_.masks[k];
      std::string value = define(text, "load i64, ptr %mask" + number(k));
      if (mask.dwords == 1) value = define(text, "trunc i64 " + value + " to i32");
      const std::string at =
          define(text, "getelementptr i8, ptr %wave, i64 " + number(offsetof(Wave, sgpr) + 4 * size_t{mask.index}));
      text += "  store " + std::string(mask.dwords == 1 ? "i32 " : "i64 ") + value + ", ptr " + at + ", align 4\n";
    }
    return text;
  }

  std::string begin() {
    std::string text;
    text += "  %result = alloca [320 x i32], align 64\n";
    for (unsigned k = 0; k < kSources; ++k) text += "  %source" + number(k) + " = alloca [256 x i32], align 64\n";
    for (size_t k = 0; k < segment_.masks.size(); ++k) {
      text += "  %mask" + number(k) + " = alloca i64\n";
      text += "  store i64 0, ptr %mask" + number(k) + "\n";
    }
    const auto member = [&](const char* name, const char* type, size_t offset) {
      text += std::string("  %at.") + name + " = getelementptr i8, ptr %wave, i64 " + number(offset) + "\n";
      text += std::string("  %") + name + " = load " + type + ", ptr %at." + name + "\n";
    };
    member("vgpr", "ptr", offsetof(Wave, vgpr));
    member("agpr", "ptr", offsetof(Wave, agpr));
    member("exec", "i64", offsetof(Wave, sgpr) + 4 * kExec);
    member("ieee.byte", "i8", offsetof(Wave, mode) + offsetof(Mode, ieee));
    return text + "  %ieee = trunc i8 %ieee.byte to i1\n";
  }

  std::string with_lanes() {
    finish_group();
    const std::string stored = stores(), all = "i" + number(16 * groups_at_once_);
    std::string groups;
    for (unsigned g = 0; g < groups_at_once_; ++g) {
      const std::string& name = groups_[g].name;
      if (groups_at_once_ > 1) {
        groups += "  %lane" + name + " = add i64 %lane, " + number(16 * g) + "\n  %its" + name + " = lshr " + all +
                  " %bits, " + number(16 * g) + "\n  %bits" + name + " = trunc " + all + " %its" + name + " to i16\n";
      }
      groups += "  %active" + name + " = bitcast i16 %bits" + name + " to <16 x i1>\n  %vgroup" + name +
                " = getelementptr i32, ptr %vgpr, i64 %lane" + name + "\n  %agroup" + name +
                " = getelementptr i32, ptr %agpr, i64 %lane" + name + "\n";
    }
    return begin() + lds_.entry() + entry_ +
           "  br label %loop\n"
           "loop:\n"
           "  %lane = phi i64 [ 0, %entry ], [ %lane.next, %next ]\n"
           "  %shifted = lshr i64 %exec, %lane\n"
           "  %bits = trunc i64 %shifted to " +
           all + "\n" + "  %idle = icmp eq " + all + " %bits, 0\n" +
           "  br i1 %idle, label %next, label %body\n"
           "body:\n" +
           groups + body_ + stored +
           "next:\n"
           "  %lane.next = add i64 %lane, " +
           number(16 * groups_at_once_) + "\n" + "  %last = icmp eq i64 %lane.next, " + number(wave_size_) +
           "\n"
           "  br i1 %last, label %done, label %loop, !llvm.loop !0\n"
           "done:\n" +
           whole_masks() + exit_ + "  ret i32 " + number(wave_size_) + "\n" + bail() + "}\n";
  }
  std::string bail() {
    if (groups_[0].nans.empty() && !lds_.is_used()) return {};
    return "bail:\n" + undo_ + partial_masks() + "  %lanes = trunc i64 %lane to i32\n  ret i32 %lanes\n";
  }

  const Segment& segment_;
  const unsigned wave_size_, groups_at_once_;
  const std::string name_;
  ModuleText& module_;
  unsigned next_ = 0;
  std::string entry_, body_, body_end_, exit_, undo_;
  LdsText lds_{body_, [this] { return fresh(); }};
  bool keeps_scc_ = false;
  std::map<unsigned, std::string> splats_, masks_read_;
  std::set<unsigned> written_, kept_;
  // Values of 16 lanes.
  struct Group {
    std::string name;  // behind the names of its lane, its bits of EXEC, and its registers
    std::map<unsigned, std::string> planes, masks;
    std::vector<std::string> floats, nans;  // results, and bits of their lanes
  };
  Group groups_[kMostGroups];
  Group* group_ = groups_;  // the one whose values are computed
};

}  // namespace

// Long chains of floating-point arithmetic wait for their results: a host with 32 vector registers computes a second
// group meanwhile. Others would store registers to memory.
unsigned groups_at_once(const Segment& segment) {
  constexpr ptrdiff_t kLongChain = 8;
  ptrdiff_t floats = 0;
  for (const SegmentStep& step : segment.steps) {
    floats += std::ranges::count_if(
        step.operations, [](const LaneOperation& operation) { return operation.rule && operation.rule->float_result; });
  }
  return floats >= kLongChain && __builtin_cpu_supports("avx512f") ? kMostGroups : 1;
}

void ModuleText::add(const Segment& segment, unsigned wave_size, const std::string& name, unsigned groups) {
  const std::string function = FunctionText(segment, wave_size, name, *this, groups).write();
  functions_ += function;  // behind its constants
}

std::string ModuleText::call_of_scalar(const DecodedInstruction& decoded, const std::string& name) {
  const Instruction& same = decoded.equivalent ? *decoded.equivalent : decoded;
  Instruction instruction = same;
  instruction.execute = nullptr;
  functions_ += "@" + name + " = private unnamed_addr constant [" + number(sizeof instruction) + " x i8] c\"" +
                escaped(&instruction, sizeof instruction) + "\", align 8\n";
  const std::string symbol = scalar_symbol_of(same);
  declare("declare void " + symbol + "(ptr, ptr)\n");
  return "  call void " + symbol + "(ptr %wave, ptr @" + name + ")\n";
}

void ModuleText::add(const ModuleText& other) {
  functions_ += other.functions_;
  declarations_.insert(other.declarations_.begin(), other.declarations_.end());
}

std::string ModuleText::text() const {
  std::string text =
      "target datalayout = \"e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-f80:128-n8:16:32:64-S128\"\n"
      "target triple = \"x86_64-pc-linux-gnu\"\n" +
      functions_;
  for (const std::string& declaration : declarations_) text += declaration;
  return text + LdsText::declarations() + "declare i64 @llvm.ctpop.i64(i64)\n" +
         "attributes #0 = { nounwind \"prefer-vector-width\"=\"512\" \"min-legal-vector-width\"=\"512\" }\n"
         "!0 = distinct !{!0, !1}\n!1 = !{!\"llvm.loop.unroll.disable\"}\n"
         "!2 = !{!\"branch_weights\", i32 1, i32 2000}\n"
         "!3 = !{!\"branch_weights\", i32 2000, i32 1}\n";
}

}  // namespace kernloop::softgpu
