// The operands and options of one opcode, written as text in the tables and parsed at compile time:
// "f32 mask = f32 f32 f32" reads: destinations, '=', sources. A token is a type, or class:type, or a class alone.
#pragma once

#include <cstdint>
#include <string_view>

#include "softgpu/isa/instruction.h"

namespace kernloop::softgpu {

// Allowed places of an operand. kDefault follows the encoding's field: a scalar source in SOP, a scalar-or-vector
// source in VOP src0 and VOP3, a vector register elsewhere.
enum class OperandClass : uint8_t {
  kDefault,
  kSgpr,           // scalar register only
  kVgpr,           // vector register only
  kAgpr,           // accumulation register only
  kScalar,         // scalar register or inline constant
  kLane,           // lane select: scalar register, m0 or inline constant
  kLiteral,        // the K dword of v_madmk and v_madak
  kBase,           // SMEM sbase: scalar pair or buffer resource
  kProbe,          // SMEM sdata as a plain number
  kAddress,        // DS address
  kData0,          // DS data0 without an address
  kVectorAddress,  // vaddr of FLAT, MUBUF
  kScalarAddress,  // saddr of GLOBAL, SCRATCH
  kResource,       // MUBUF srsrc
  kScalarOffset,   // SMEM and MUBUF soffset
  kExec,           // EXEC, which the text does not name (v_cmpx of gfx1030)
};

struct OperandSpec {
  OperandType type = OperandType::kNone;
  OperandClass where = OperandClass::kDefault;
};

struct Signature {
  OperandSpec dst[2];
  OperandSpec src[5];
  uint8_t dst_count = 0;
  uint8_t src_count = 0;
};

// Options of a row, named in the tables by kFlagNames.
enum RowFlag : uint64_t {
  // SOPK, SOPC, SOPP: how simm16 is written
  kNumber = 1ull << 0,
  kHex = 1ull << 1,
  kLabel = 1ull << 2,
  kWaitcnt = 1ull << 3,
  kMessage = 1ull << 4,
  kHwreg = 1ull << 5,
  kGprIndex = 1ull << 6,
  kLiteralDword = 1ull << 7,  // SOPK followed by a literal
  // VOP1, VOP2, VOPC: which forms there are
  kBare = 1ull << 8,  // LLVM prints no _e32
  kE64 = 1ull << 9,   // VOP3
  kSdwa = 1ull << 10,
  kDpp = 1ull << 11,
  kDpp64 = 1ull << 12,  // DPP limited to row_newbcast (64-bit operands)
  // VOP3, VOP3P: which modifiers
  kClamp = 1ull << 13,
  kOmod = 1ull << 14,
  kMods = 1ull << 15,  // abs and neg although the operand types are not floating point
  kOpSel = 1ull << 16,
  kNeg = 1ull << 17,           // VOP3P: neg_lo and neg_hi
  kReadsVcc = 1ull << 18,      // besides its operands
  kEarlyClobber = 1ull << 19,  // the result is written before all sources are read: it must overlap none
  kMix = 1ull << 20,           // v_fma_mix: neg_hi means abs, op_sel_hi chooses f16
  kMfma = 1ull << 21,
  kAccvgpr = 1ull << 22,  // v_accvgpr_read, v_accvgpr_write
  // Memory
  kReturnsIfGlc = 1ull << 23,  // atomic: dst[0] only with glc
  kNoGlc = 1ull << 24,
  kTwoOffsets = 1ull << 25,  // DS: offset0, offset1
  kGdsOnly = 1ull << 26,
  kNoGds = 1ull << 27,
  kLds = 1ull << 28,  // may load to LDS
  kLdsOnly = 1ull << 29,
  kCoherent = 1ull << 30,  // cache control that the compiler marks with glc and scc
  kGlcOnly = 1ull << 31,   // atomic that always returns
  kPermlane = 1ull << 32,  // op_sel has two bits: fetch inactive lanes, bound control
  kUnless0 = 1ull << 33,   // SOPP: simm16 is written if it is not 0, and in decimal
  // gfx942
  kSourceSelect = 1ull << 34,  // SDWA selects only of the source, and has no modifiers
  kByteSelect = 1ull << 35,    // op_sel has four bits, for any sources
  kSparse = 1ull << 36,        // MFMA of a sparse matrix: the result is the accumulator, too, and there is no blgp
  // gfx1100
  kE64Dpp = 1ull << 37,          // VOP3 and VOP3P with DPP
  kNullOnly = 1ull << 39,        // SOPK: the register is null
  kAccumulatorSel = 1ull << 40,  // op_sel names halves of the accumulator and of the result alone
  kNamedHalves = 1ull << 41,     // op_sel applies only to vector registers, whose names show it
  kWmma = 1ull << 38,            // the result and the accumulator are half as long in wave64
};

struct FlagName {
  std::string_view name;
  uint64_t flag;
};
inline constexpr FlagName kFlagNames[] = {
    {"number", kNumber},
    {"hex", kHex},
    {"label", kLabel},
    {"waitcnt", kWaitcnt},
    {"message", kMessage},
    {"hwreg", kHwreg},
    {"gpr_index", kGprIndex},
    {"literal_dword", kLiteralDword},
    {"bare", kBare},
    {"e64", kE64},
    {"sdwa", kSdwa},
    {"dpp", kDpp},
    {"dpp64", kDpp64},
    {"clamp", kClamp},
    {"omod", kOmod},
    {"mods", kMods},
    {"op_sel", kOpSel},
    {"neg", kNeg},
    {"reads_vcc", kReadsVcc},
    {"early_clobber", kEarlyClobber},
    {"mix", kMix},
    {"mfma", kMfma},
    {"accvgpr", kAccvgpr},
    {"returns_if_glc", kReturnsIfGlc},
    {"no_glc", kNoGlc},
    {"two_offsets", kTwoOffsets},
    {"gds_only", kGdsOnly},
    {"no_gds", kNoGds},
    {"lds", kLds},
    {"lds_only", kLdsOnly},
    {"coherent", kCoherent},
    {"glc_only", kGlcOnly},
    {"permlane", kPermlane},
    {"unless_0", kUnless0},
    {"source_select", kSourceSelect},
    {"byte_select", kByteSelect},
    {"sparse", kSparse},
    {"e64_dpp", kE64Dpp},
    {"wmma", kWmma},
    {"null_only", kNullOnly},
    {"accumulator_sel", kAccumulatorSel},
    {"named_halves", kNamedHalves},
};

struct TypeName {
  std::string_view name;
  OperandType type;
};
inline constexpr TypeName kTypeNames[] = {
    {"b16", OperandType::kB16},     {"b32", OperandType::kB32},     {"b64", OperandType::kB64},
    {"b96", OperandType::kB96},     {"b128", OperandType::kB128},   {"b256", OperandType::kB256},
    {"b512", OperandType::kB512},   {"b1024", OperandType::kB1024}, {"i16", OperandType::kI16},
    {"i32", OperandType::kI32},     {"i64", OperandType::kI64},     {"u16", OperandType::kU16},
    {"u32", OperandType::kU32},     {"u64", OperandType::kU64},     {"f16", OperandType::kF16},
    {"f32", OperandType::kF32},     {"f64", OperandType::kF64},     {"pkf16", OperandType::kPkF16},
    {"pki16", OperandType::kPkI16}, {"pkf32", OperandType::kPkF32}, {"pki32", OperandType::kPkI32},
    {"mask", OperandType::kMask},
};

struct ClassName {
  std::string_view name;
  OperandClass where;
  OperandType type;  // type of a token that names only its class
};
inline constexpr ClassName kClassNames[] = {
    {"sgpr", OperandClass::kSgpr, OperandType::kNone},
    {"vgpr", OperandClass::kVgpr, OperandType::kNone},
    {"agpr", OperandClass::kAgpr, OperandType::kNone},
    {"scalar", OperandClass::kScalar, OperandType::kNone},
    {"lane", OperandClass::kLane, OperandType::kNone},
    {"k", OperandClass::kLiteral, OperandType::kNone},
    {"base", OperandClass::kBase, OperandType::kNone},
    {"addr", OperandClass::kAddress, OperandType::kNone},
    {"data0", OperandClass::kData0, OperandType::kNone},
    {"probe", OperandClass::kProbe, OperandType::kB32},
    {"vaddr", OperandClass::kVectorAddress, OperandType::kB64},
    {"saddr", OperandClass::kScalarAddress, OperandType::kB64},
    {"srsrc", OperandClass::kResource, OperandType::kB128},
    {"soffset", OperandClass::kScalarOffset, OperandType::kU32},
    {"exec", OperandClass::kExec, OperandType::kMask},
};

// A typing error in a table is a compile error: the parsers only run at compile time, where throwing is one.
consteval OperandSpec parse_operand(std::string_view token) {
  OperandSpec spec;
  const size_t colon = token.find(':');
  const std::string_view type = colon == std::string_view::npos ? token : token.substr(colon + 1);
  const std::string_view where = colon == std::string_view::npos ? token : token.substr(0, colon);
  for (const ClassName& known : kClassNames) {
    if (known.name == where) {
      spec.where = known.where;
      spec.type = known.type;
    }
  }
  for (const TypeName& known : kTypeNames) {
    if (known.name == type) spec.type = known.type;
  }
  if (spec.type == OperandType::kNone) throw "no such operand type";
  if (colon != std::string_view::npos && spec.where == OperandClass::kDefault) throw "no such operand class";
  return spec;
}

consteval Signature parse_signature(std::string_view text) {
  Signature signature;
  bool sources = false;
  while (!text.empty()) {
    const size_t space = text.find(' ');
    const std::string_view token = text.substr(0, space);
    text = space == std::string_view::npos ? std::string_view{} : text.substr(space + 1);
    if (token == "=") {
      sources = true;
    } else if (sources) {
      signature.src[signature.src_count++] = parse_operand(token);
    } else {
      signature.dst[signature.dst_count++] = parse_operand(token);
    }
  }
  return signature;
}

consteval uint64_t parse_flags(std::string_view text) {
  uint64_t flags = 0;
  while (!text.empty()) {
    const size_t space = text.find(' ');
    const std::string_view token = text.substr(0, space);
    text = space == std::string_view::npos ? std::string_view{} : text.substr(space + 1);
    bool found = false;
    for (const FlagName& known : kFlagNames) {
      if (known.name == token) {
        flags |= known.flag;
        found = true;
      }
    }
    if (!found) throw "no such flag";
  }
  return flags;
}

constexpr bool is_float(OperandType type) {
  return type == OperandType::kF16 || type == OperandType::kF32 || type == OperandType::kF64;
}

constexpr bool is_16_bit(OperandType type) {
  return type == OperandType::kB16 || type == OperandType::kI16 || type == OperandType::kU16 ||
         type == OperandType::kF16 || type == OperandType::kPkF16 || type == OperandType::kPkI16;
}

constexpr bool is_packed(OperandType type) {
  return type == OperandType::kPkF16 || type == OperandType::kPkI16 || type == OperandType::kPkF32 ||
         type == OperandType::kPkI32;
}

constexpr bool is_16_bit_integer(OperandType type) {
  return type == OperandType::kB16 || type == OperandType::kI16 || type == OperandType::kU16;
}

constexpr unsigned dwords_of(OperandType type) {
  switch (type) {
    case OperandType::kB64:
    case OperandType::kI64:
    case OperandType::kU64:
    case OperandType::kF64:
    case OperandType::kPkF32:
    case OperandType::kPkI32:
    case OperandType::kMask:  // the wider one; in wave32 a mask operand has one register
      return 2;
    case OperandType::kB96:
      return 3;
    case OperandType::kB128:
      return 4;
    case OperandType::kB256:
      return 8;
    case OperandType::kB512:
      return 16;
    case OperandType::kB1024:
      return 32;
    default:
      return 1;
  }
}

}  // namespace kernloop::softgpu
