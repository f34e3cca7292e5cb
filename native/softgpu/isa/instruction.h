// A decoded GPU instruction: what the decoder produces, the disassembler prints and the engine executes.
#pragma once

#include <cstdint>

#include "softgpu/isa/target.h"

namespace kernloop::softgpu {

struct Wave;
struct Instruction;
using ExecuteFn = void (*)(Wave&, const Instruction&);

// Microcode formats of "AMD Instinct MI200 ISA" chapter 12 and "RDNA 2 ISA" chapter 13. FLAT is split by its SEG field
// because operands differ.
enum class Encoding : uint8_t {
  kSop1,
  kSop2,
  kSopK,
  kSopC,
  kSopP,
  kSmem,
  kVop1,
  kVop2,
  kVopC,
  kVop3,
  kVop3p,
  kDs,
  kFlat,
  kGlobal,
  kScratch,
  kMubuf,
  kMtbuf,
  kVopd,
  kInvalid,
};

// One enumerator a mnemonic, without LLVM's _e32/_e64/_sdwa/_dpp suffix: Op::v_add_f32. From operations.def.
enum class Op : uint16_t {
  kInvalid,
#define OP(name, ...) name,
#include "softgpu/isa/operations.def"
#undef OP
  kCount,
};
const char* op_name(Op op);

// Interpretation of an operand's bits by the operation; decides how inline constants and literals expand.
enum class OperandType : uint8_t {
  kNone,
  kB16,
  kB32,
  kB64,
  kB96,
  kB128,
  kB256,
  kB512,
  kI16,
  kI32,
  kI64,
  kU16,
  kU32,
  kU64,
  kF16,
  kF32,
  kF64,
  kPkF16,
  kPkI16,
  kPkF32,
  kPkI32,
  kMask,  // a bit a lane: 64 or 32 bits, as the wave is wide
  kB1024
};

struct Operand {
  enum class Kind : uint8_t {
    kNone,
    kSgpr,      // index 0..127 into Wave::sgpr: 102 flat_scratch, 104 xnack_mask (both gfx90a), 106 vcc, 124 m0,
                // 125 null (gfx1030, gfx1100: reads 0, keeps nothing), 126 exec
    kVgpr,      // index 0..255
    kAgpr,      // index 0..255 (accumulation registers)
    kConstant,  // `value`, already expanded to the operand's type (f64 literals in the high half, integers
                // sign-extended)
    kSpecial,  // index = source code: 235 shared_base, 236 shared_limit, 237 private_base, 238 private_limit, 251 vccz,
               // 252 execz, 253 scc
    kOff,      // "off" / "null": no address register
  };
  Kind kind = Kind::kNone;
  OperandType type = OperandType::kNone;
  uint8_t dwords = 1;       // registers covered
  uint8_t sdwa_select = 6;  // SDWA src/dst_sel: 0..3 byte, 4..5 word, 6 dword; gfx1100: 4..5 the half that is named
  bool negate = false;      // floating-point modifiers (VOP3/SDWA/DPP)
  bool absolute = false;
  bool sign_extend = false;  // SDWA sext()
  bool is_literal = false;   // printed as a 32-bit literal, not as an inline constant
  uint16_t index = 0;
  uint32_t literal = 0;  // the literal dword as encoded, when is_literal
  uint64_t value = 0;
};

struct Instruction {
  ExecuteFn execute = nullptr;  // filled by the engine when the program is prepared
  Op op = Op::kInvalid;
  Encoding encoding = Encoding::kInvalid;
  Isa isa = Isa::kGfx90a;
  uint8_t size_bytes = 0;  // 4..12
  uint8_t dst_count = 0;
  uint8_t src_count = 0;
  // In the order of LLVM's assembly syntax: destinations first (vdst, then sdst of carries), then sources.
  // Memory, with dst[0] for loads, and for atomics only with glc:
  //   SMEM     [data] base [soffset]; soffset is there if soffset_en, and offen says that an offset is added to it
  //   DS       address [data [data]]
  //   FLAT     vaddr [data];  GLOBAL, SCRATCH  vaddr [data] saddr, where an absent address is kOff
  //   MUBUF    [data] vaddr (kOff without offen and idxen) srsrc soffset
  // VOPD: dst[0], src[0] and src[1] of the one, dst[1], src[2] and src[3] of the other; v_mov_b32 has no second source,
  // and the dword of v_fmamk_f32 and v_fmaak_f32 is literal_dword.
  // Branches: simm16, in dwords from the next instruction.
  // v_cmpx of gfx1030 and gfx1100 names no destination: dst[0] is EXEC all the same.
  Operand dst[2];
  Operand src[5];

  int32_t simm16 = 0;                // SOPP/SOPK, sign-extended; s_waitcnt etc. use it raw
  uint32_t literal_dword = 0;        // s_setreg_imm32_b32's second dword, v_madmk/v_madak's K
  int32_t offset = 0;                // DS/FLAT/GLOBAL/SCRATCH/MUBUF/SMEM immediate, sign rules applied
  uint8_t offset0 = 0, offset1 = 0;  // DS two-address forms, unscaled
  // VOP3 / VOP3P
  bool clamp = false;
  uint8_t omod = 0;                                           // 0 none, 1 *2, 2 *4, 3 /2
  uint8_t op_sel = 0, op_sel_hi = 0, neg_lo = 0, neg_hi = 0;  // bit k = source k; op_sel bit 3 = destination
  uint8_t cbsz = 0, abid = 0, blgp = 0;                       // MFMA
  // SDWA / DPP (forms of VOP1, VOP2, VOPC)
  bool is_sdwa = false, is_dpp = false;
  uint8_t dst_sel = 6, dst_unused = 0;  // dst_unused: 0 pad, 1 sext, 2 preserve
  uint16_t dpp_ctrl = 0;
  uint8_t row_mask = 0xf, bank_mask = 0xf;
  bool bound_ctrl = false;      // true: lanes out of bounds read 0
  bool fetch_inactive = false;  // gfx1030, gfx1100: lanes that EXEC disables are read too
  bool is_dpp8 = false;         // gfx1030, gfx1100, with is_dpp: dpp8_lanes instead of dpp_ctrl and the masks
  uint32_t dpp8_lanes = 0;      // 3 bits a lane of each group of eight
  // memory
  bool glc = false, slc = false, dlc = false, scc = false, gds = false, lds = false, offen = false, idxen = false,
       tfe = false, soffset_en = false;
  uint8_t mtbuf_format = 0;
  Op second = Op::kInvalid;  // VOPD: what is done beside `op`

  // A load that may be volatile, or atomic in the scope of the device: gfx942's sc1 is `scc`. With `slc` (its nt) it is
  // a nontemporal one, which orders nothing (LLVM's memory model for AMDGPU).
  bool is_past_caches() const { return !slc && (glc || dlc || scc); }
};

}  // namespace kernloop::softgpu
