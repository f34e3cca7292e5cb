// Meaning of a constant in the code to the operation that reads it.
#include <gtest/gtest.h>

#include <initializer_list>
#include <vector>

#include "softgpu/isa/decoder.h"
#include "softgpu/isa/operand_fields.h"

namespace kernloop::softgpu {
namespace {

Instruction decode(std::initializer_list<uint32_t> words) {
  const DecodeResult result = decode(kGfx90a, std::vector<uint32_t>(words));
  EXPECT_EQ(result.status, DecodeStatus::kOk);
  return result.instruction;
}
DecodeStatus status(std::initializer_list<uint32_t> words) {
  return decode(kGfx90a, std::vector<uint32_t>(words)).status;
}
uint64_t first_source(std::initializer_list<uint32_t> words) {
  return decode(words).src[0].value;
}

constexpr uint32_t kMov32 = 0x7e000200, kAddF16 = 0x3e000000, kCvtF64 = 0x7e000600, kSMov64 = 0xbe800100;
constexpr uint32_t kAshrI64 = 0x90800000, kCmpGtI64 = 0x7dc80000, kCmpGtU64 = 0x7dd80000;

TEST(Operands, InlineIntegersAreSignExtendedToTheOperand) {
  EXPECT_EQ(first_source({kMov32 | 192}), 64u);
  EXPECT_EQ(first_source({kMov32 | 193}), 0xffffffffu);
  EXPECT_EQ(first_source({kMov32 | 208}), 0xfffffff0u);
  EXPECT_EQ(first_source({kSMov64 | 193}), ~uint64_t{0});
  EXPECT_EQ(first_source({kCvtF64 | 208}), static_cast<uint64_t>(-16));
}

TEST(Operands, InlineFloatsTakeTheFormOfTheOperandType) {
  EXPECT_EQ(first_source({kMov32 | 242}), 0x3f800000u);
  EXPECT_EQ(first_source({kAddF16 | 242}), 0x3c00u);
  EXPECT_EQ(first_source({kCvtF64 | 242}), 0x3ff0000000000000u);
  EXPECT_EQ(first_source({kSMov64 | 247}), 0xc010000000000000u);
}

TEST(Operands, OneOverTwoPiIsRoundedForEachWidth) {
  EXPECT_EQ(first_source({kAddF16 | 248}), 0x3118u);
  EXPECT_EQ(first_source({kMov32 | 248}), 0x3e22f983u);
  EXPECT_EQ(first_source({kCvtF64 | 248}), 0x3fc45f306dc9c882u);
}

TEST(Operands, ALiteralOfADoubleIsItsHighDword) {
  EXPECT_EQ(first_source({kCvtF64 | 255, 0x40091234}), 0x4009123400000000u);
}

TEST(Operands, ALiteralOfA64BitIntegerFollowsItsSignedness) {
  EXPECT_EQ(first_source({kSMov64 | 255, 0x80000001}), 0x80000001u);
  EXPECT_EQ(first_source({kCmpGtU64 | 255, 0x80000001}), 0x80000001u);
  EXPECT_EQ(first_source({kCmpGtI64 | 255, 0x80000001}), 0xffffffff80000001u);
  EXPECT_EQ(first_source({kAshrI64 | 255, 0x80000001}), 0xffffffff80000001u);
}

TEST(Operands, ARelocatedLiteralMayHaveAValueThatAlsoHasAnInlineForm) {
  const Instruction addc = decode({0x821fff1f, 0xffffffff});  // s_addc_u32 s31, s31, literal
  EXPECT_EQ(addc.op, Op::s_addc_u32);
  EXPECT_EQ(addc.size_bytes, 8);
  EXPECT_TRUE(addc.src[1].is_literal);
  EXPECT_EQ(addc.src[1].value, 0xffffffffu);
  EXPECT_EQ(disassemble(addc), "s_addc_u32 s31, s31, 0xffffffff");
}

TEST(Operands, AFloatConstantForA16BitIntegerIsRefused) {
  EXPECT_EQ(status({0x4c000000 | 242}), DecodeStatus::kUnknown);  // v_add_u16 1.0
}

TEST(Operands, ImplicitVccIsExplicit) {
  const Instruction compare = decode({0x7d9a0501});  // v_cmp_ne_u32_e32 vcc, s1, v2
  ASSERT_EQ(compare.op, Op::v_cmp_ne_u32);
  EXPECT_EQ(compare.dst[0].kind, Operand::Kind::kSgpr);
  EXPECT_EQ(compare.dst[0].index, 106);
  EXPECT_EQ(compare.dst[0].type, OperandType::kMask);
  const Instruction add = decode({0x38020702});
  ASSERT_EQ(add.op, Op::v_addc_co_u32);
  ASSERT_EQ(add.dst_count, 2);
  EXPECT_EQ(add.dst[1].index, 106);
  ASSERT_EQ(add.src_count, 3);
  EXPECT_EQ(add.src[2].index, 106);
  EXPECT_EQ(disassemble(add), "v_addc_co_u32_e32 v1, vcc, v2, v3, vcc");
}

TEST(Operands, MisalignedVectorTuplesAreRefused) {
  EXPECT_EQ(decode({0x7e000600 | 256 | 2}).src[0].index, 2);
  EXPECT_EQ(status({0x7e000600 | 256 | 3}), DecodeStatus::kUnknown);
  EXPECT_EQ(status({0x7e000600 | 256 | 255}), DecodeStatus::kUnknown);
}

TEST(Operands, TheAccBitSelectsAccumulationRegisters) {
  const Instruction vgpr = decode({0xdc508000, 0x057f0002});  // global_load_dword v5, v[2:3], off
  const Instruction agpr = decode({0xdc508000, 0x05ff0002});
  EXPECT_EQ(vgpr.dst[0].kind, Operand::Kind::kVgpr);
  EXPECT_EQ(agpr.dst[0].kind, Operand::Kind::kAgpr);
  EXPECT_EQ(agpr.src[0].kind, Operand::Kind::kVgpr);
  EXPECT_EQ(agpr.src[1].kind, Operand::Kind::kOff);
}

TEST(Operands, OffsetsAreSignedWhereTheEncodingSaysSo) {
  EXPECT_EQ(decode({0xdc509fff, 0x057f0002}).offset, -1);     // global: 13 bits, signed
  EXPECT_EQ(decode({0xdc500fff, 0x05000002}).offset, 0xfff);  // flat: 12 bits, unsigned
  EXPECT_EQ(status({0xdc501fff, 0x05000002}), DecodeStatus::kUnknown);
  EXPECT_EQ(decode({0xc0020003, 0x001fffff}).offset, -1);  // s_load_dword: 21 bits, signed
  EXPECT_EQ(decode({0xd86c0010, 0x01000002}).offset, 16);  // ds_read_b32
}

TEST(Operands, AtomicsReturnOnlyWithGlc) {
  EXPECT_EQ(decode({0xdd088000, 0x007f0402}).dst_count, 0);  // global_atomic_add v[2:3], v4, off
  const Instruction returning = decode({0xdd098000, 0x057f0402});
  ASSERT_EQ(returning.dst_count, 1);
  EXPECT_EQ(returning.dst[0].index, 5);
  EXPECT_EQ(status({0xdd088000, 0x057f0402}), DecodeStatus::kUnknown);
}

TEST(Operands, TwoDifferentScalarRegistersExceedTheConstantBus) {
  constexpr uint32_t kFma = 0xd1cb0000;
  const auto sources = [](uint32_t a, uint32_t b, uint32_t c) { return a | b << 9 | c << 18; };
  EXPECT_EQ(status({kFma, sources(1, 1, 257)}), DecodeStatus::kOk);  // one register, read twice
  EXPECT_EQ(status({kFma, sources(1, 242, 257)}), DecodeStatus::kOk);
  EXPECT_EQ(status({kFma, sources(1, 2, 257)}), DecodeStatus::kUnknown);
  EXPECT_EQ(status({0x38020602}), DecodeStatus::kUnknown);  // v_addc_co_u32_e32 v1, vcc, s2, v3, vcc: s2 and vcc
}

DecodeResult decode_gfx1030(std::initializer_list<uint32_t> words, Target target = kGfx1030) {
  return decode(target, std::vector<uint32_t>(words));
}

TEST(OperandsOfGfx1030, AMaskIsAsWideAsTheWave) {
  constexpr uint32_t kCmpEqU32E64 = 0xd4c20004;  // v_cmp_eq_u32_e64 s4, v1, v2
  const Instruction narrow = decode_gfx1030({kCmpEqU32E64, 0x00020501}).instruction;
  EXPECT_EQ(narrow.dst[0].dwords, 1u);
  EXPECT_EQ(disassemble(narrow), "v_cmp_eq_u32_e64 s4, v1, v2");
  const Instruction wide = decode_gfx1030({kCmpEqU32E64, 0x00020501}, kGfx1030Wave64).instruction;
  EXPECT_EQ(wide.dst[0].dwords, 2u);
  EXPECT_EQ(disassemble(wide), "v_cmp_eq_u32_e64 s[4:5], v1, v2");
  constexpr uint32_t kIntoOddRegister = kCmpEqU32E64 | 1;
  EXPECT_EQ(decode_gfx1030({kIntoOddRegister, 0x00020501}).status, DecodeStatus::kOk);
  EXPECT_EQ(decode_gfx1030({kIntoOddRegister, 0x00020501}, kGfx1030Wave64).status, DecodeStatus::kUnknown);
}

TEST(OperandsOfGfx1030, CmpxWritesExecWithoutNamingIt) {
  const Instruction cmpx = decode_gfx1030({0x7c220001}).instruction;
  EXPECT_EQ(disassemble(cmpx), "v_cmpx_lt_f32_e32 s1, v0");
  ASSERT_EQ(cmpx.dst_count, 1u);
  EXPECT_EQ(cmpx.dst[0].index, 126u);
}

// LLVM 15 leaves the field of the result 0, later ones write EXEC's code there.
TEST(OperandsOfGfx1030, CmpxInTheLongFormMayNameExec) {
  EXPECT_EQ(disassemble(decode_gfx1030({0xd4d40000, 0x00020001}).instruction), "v_cmpx_gt_u32_e64 s1, v0");
  const Instruction named = decode_gfx1030({0xd4d4007e, 0x00020001}).instruction;
  EXPECT_EQ(disassemble(named), "v_cmpx_gt_u32_e64 s1, v0");
  ASSERT_EQ(named.dst_count, 1u);
  EXPECT_EQ(named.dst[0].index, 126u);
  EXPECT_EQ(decode_gfx1030({0xd4d40004, 0x00020001}).status, DecodeStatus::kUnknown);
}

TEST(OperandsOfGfx1030, OneDwordOrTwoMayBeLoadedIntoNull) {
  EXPECT_EQ(disassemble(decode_gfx1030({0xf4055f40, 0xfa012506}).instruction),
            "s_load_dwordx2 null, s[0:1], 0x12506 glc dlc");
  EXPECT_EQ(disassemble(decode_gfx1030({0xf4001f40, 0xfa000010}).instruction), "s_load_dword null, s[0:1], 0x10");
  EXPECT_EQ(decode_gfx1030({0xf4081f40, 0xfa000010}).status, DecodeStatus::kUnknown);  // four
}

TEST(OperandsOfGfx1030, NullTakesNoPlaceOnTheConstantBus) {
  EXPECT_EQ(disassemble(decode_gfx1030({0xd54b0003, 0x000cfa02}).instruction), "v_fma_f32 v3, s2, null, s3");
  EXPECT_EQ(disassemble(decode_gfx1030({0xd529828e, 0x0000fa38}).instruction),
            "v_sub_co_ci_u32_e64 v142, s2, s56, null, s0 clamp");
  EXPECT_EQ(decode_gfx1030({0xd54b0003, 0x000c0802}).status, DecodeStatus::kUnknown);  // s2, s4, s3
}

TEST(OperandsOfGfx1030, RegistersBelowVccAreGeneral) {
  EXPECT_EQ(disassemble(decode_gfx1030({0xbe800369}).instruction), "s_mov_b32 s0, s105");
  EXPECT_EQ(disassemble(decode({0xbe800069})), "s_mov_b32 s0, xnack_mask_hi");
}

TEST(OperandsOfGfx1030, OddVectorTuplesAndTwoScalarsAreFine) {
  EXPECT_EQ(disassemble(decode_gfx1030({0xdc348000, 0x017d0003}).instruction),
            "global_load_dwordx2 v[1:2], v[3:4], off");
  EXPECT_EQ(disassemble(decode_gfx1030({0xd54b0000, 0x04080402}).instruction), "v_fma_f32 v0, s2, s2, v2");
  EXPECT_EQ(decode_gfx1030({0xd54b0000, 0x04080602}).status, DecodeStatus::kOk);       // s2, s3
  EXPECT_EQ(decode_gfx1030({0xd54b0000, 0x00100602}).status, DecodeStatus::kUnknown);  // s2, s3, s4
}

TEST(OperandsOfGfx1030, AVop3InstructionMayReadALiteral) {
  const Instruction fma = decode_gfx1030({0xd54b0000, 0x040a00ff, 0x40490fdb}).instruction;
  EXPECT_EQ(fma.size_bytes, 12u);
  EXPECT_EQ(fma.src[0].value, 0x40490fdbu);
  EXPECT_EQ(decode_gfx1030({0xd54b0000, 0x040a00ff}).status, DecodeStatus::kTruncated);
}

// LLVM 15 reads them but writes none; compilers since LLVM 16 reduce over rows of lanes with them.
TEST(OperandsOfGfx1030, LanesMayBeNamedByALiteral) {
  const Instruction permute = decode_gfx1030({0xd7780811, 0x03fc0110, 0xfedcba98}).instruction;
  EXPECT_EQ(disassemble(permute), "v_permlanex16_b32 v17, v16, s0, 0xfedcba98 op_sel:[1,0]");
  EXPECT_EQ(permute.size_bytes, 12u);
  EXPECT_EQ(permute.src[2].value, 0xfedcba98u);
  EXPECT_EQ(disassemble(decode_gfx1030({0xd7771811, 0x03fdff10, 0x76543210}).instruction),
            "v_permlane16_b32 v17, v16, 0x76543210, 0x76543210 op_sel:[1,1]");
  EXPECT_EQ(disassemble(decode_gfx1030({0xd7610005, 0x000000ff, 0xfedcba98}).instruction),
            "v_writelane_b32 v5, 0xfedcba98, s0");
  EXPECT_EQ(disassemble(decode_gfx1030({0xd7600005, 0x0001ff10, 0x4248}).instruction),
            "v_readlane_b32 s5, v16, 0x4248");
  EXPECT_EQ(decode_gfx1030({0xd7780811, 0x03fc0110}).status, DecodeStatus::kTruncated);
  EXPECT_EQ(decode_gfx1030({0xd7780811, 0x04400110}).status, DecodeStatus::kUnknown);  // a vector register
  EXPECT_EQ(status({0xd28a0005, 0x000000ff, 0xfedcba98}), DecodeStatus::kUnknown);     // gfx90a has no literals there
}

TEST(OperandsOfGfx1030, ASignExtendedLiteralOfA16BitOperandIsItsLowHalf) {
  const Instruction mad = decode_gfx1030({0xd7400001, 0x040604ff, 0xffff8ad0}).instruction;
  EXPECT_EQ(mad.src[0].value, 0x8ad0u);
  EXPECT_EQ(decode_gfx1030({0xd7400001, 0x040604ff, 0xfffe8ad0}).status, DecodeStatus::kUnknown);
}

TEST(OperandsOfGfx1030, OffsetsHaveTwelveBits) {
  EXPECT_EQ(decode_gfx1030({0xdc308fff, 0x007d0002}).instruction.offset, -1);
  EXPECT_EQ(decode_gfx1030({0xdc3007ff, 0x007d0002}).instruction.offset, 2047);  // flat
  EXPECT_EQ(decode_gfx1030({0xdc300800, 0x007d0002}).status, DecodeStatus::kUnknown);
}

DecodeResult decode_gfx1100(std::initializer_list<uint32_t> words, Target target = kGfx1100) {
  return decode(target, std::vector<uint32_t>(words));
}
std::string text_gfx1100(std::initializer_list<uint32_t> words, Target target = kGfx1100) {
  const DecodeResult result = decode_gfx1100(words, target);
  return result.status == DecodeStatus::kOk ? disassemble(result.instruction) : "";
}

// The operands that other targets share keep their numbers: code that executes them is independent of the target.
TEST(OperandsOfGfx1100, NullAndM0ChangedPlaces) {
  const Instruction null = decode_gfx1100({0xbe80007c}).instruction, m0 = decode_gfx1100({0xbe80007d}).instruction;
  EXPECT_EQ(disassemble(null), "s_mov_b32 s0, null");
  EXPECT_EQ(null.src[0].index, kCodeNull);
  EXPECT_EQ(disassemble(m0), "s_mov_b32 s0, m0");
  EXPECT_EQ(m0.src[0].index, kCodeM0);
  EXPECT_EQ(text_gfx1100({0xf4001f00, 0xf8000010}), "s_load_b32 null, s[0:1], 0x10");
}

TEST(OperandsOfGfx1100, OperationsKeepTheirIdentityUnderNewNames) {
  const Instruction load = decode_gfx1100({0xdc520000, 0x017c0002}).instruction;
  EXPECT_EQ(load.op, Op::global_load_dword);
  EXPECT_EQ(disassemble(load), "global_load_b32 v1, v[2:3], off");
  EXPECT_EQ(text_gfx1100({0x91000201}), "s_and_not1_b32 s0, s1, s2");
}

TEST(OperandsOfGfx1100, ShortFormsNameHalvesInSevenBitsAndLongOnesInOpSel) {
  const Instruction add = decode_gfx1100({0x64000581}).instruction;
  EXPECT_EQ(disassemble(add), "v_add_f16_e32 v0.l, v1.h, v2.l");
  EXPECT_EQ(add.src[0].index, 1u);
  EXPECT_EQ(text_gfx1100({0x65000581}), "v_add_f16_e32 v0.h, v1.h, v2.l");
  EXPECT_EQ(text_gfx1100({0xd65d1008, 0x00124110}), "v_cndmask_b16 v8.l, v16.l, v32.h, s4");
  EXPECT_EQ(text_gfx1100({0xd6485000, 0x040e0501}), "v_fma_f16 v0.h, v1.l, v2.h, v3.l op_sel:[0,1,0,1]");
  EXPECT_EQ(text_gfx1100({0xd6480081, 0x040e0501}), "v_fma_f16 v129.l, v1.l, v2.l, v3.l");
}

TEST(OperandsOfGfx1100, TwoOperationsInOneInstruction) {
  const Instruction dual = decode_gfx1100({0xc9100501, 0x00020104}).instruction;
  EXPECT_EQ(disassemble(dual), "v_dual_add_f32 v0, v1, v2 :: v_dual_mov_b32 v3, v4");
  EXPECT_EQ(dual.op, Op::v_add_f32);
  EXPECT_EQ(dual.second, Op::v_mov_b32);
  EXPECT_EQ(decode_gfx1100({0xc9100501, 0x00020105}).status, DecodeStatus::kUnknown);  // v1 and v5: one bank
  EXPECT_EQ(decode_gfx1100({0xc9100501}).status, DecodeStatus::kTruncated);
  EXPECT_EQ(decode_gfx1100({0xc9100501, 0x00020104}, kGfx1100Wave64).status, DecodeStatus::kUnknown);
}

TEST(OperandsOfGfx1100, MatricesAreHalfAsLongInWavesOf64) {
  EXPECT_EQ(text_gfx1100({0xcc404008, 0x1c224110}), "v_wmma_f32_16x16x16_f16 v[8:15], v[16:23], v[32:39], v[8:15]");
  EXPECT_EQ(text_gfx1100({0xcc404008, 0x1c224110}, kGfx1100Wave64),
            "v_wmma_f32_16x16x16_f16 v[8:11], v[16:23], v[32:39], v[8:11]");
}

TEST(OperandsOfGfx1100, ALongFormMayMoveLanes) {
  EXPECT_EQ(text_gfx1100({0xd6550008, 0x001240fa, 0xff00e410}),
            "v_add3_u32_e64_dpp v8, v16, v32, s4 quad_perm:[0,1,2,3] row_mask:0xf bank_mask:0xf");
  EXPECT_EQ(decode_gfx1100({0xd6550008, 0x001240fa}).status, DecodeStatus::kTruncated);
  EXPECT_EQ(decode_gfx1100({0xd6550008, 0x04c008fa, 0xff00e410}).status, DecodeStatus::kUnknown);  // src1 is a scalar
}

// hipcc of ROCm 7 writes -17 for a half so, as LLVM 22's disassembler reads it: v_cmp_ngt_f16_e32 vcc_lo, 0xcc40, v0.l
TEST(OperandsOfGfx1100, ALiteralOf16BitsIsTheLowHalfOfItsDword) {
  const Instruction compare = decode_gfx1100({0x7c1600ff, 0xffffcc40}).instruction;
  EXPECT_EQ(compare.op, Op::v_cmp_ngt_f16);
  EXPECT_EQ(compare.size_bytes, 8);
  EXPECT_EQ(compare.src[0].value, 0xcc40u);
  EXPECT_EQ(disassemble(compare), "v_cmp_ngt_f16_e32 vcc_lo, 0xcc40, v0.l");
  EXPECT_EQ(decode_gfx1100({0x7c1600ff, 0x0001cc40}).status, DecodeStatus::kUnknown);  // no compiler's
}

TEST(OperandsOfGfx1100, APackedLiteralHasBothHalves) {
  const Instruction product = decode_gfx1100({0xcc104000, 0x180200ff, 0xbc003c00}).instruction;
  EXPECT_EQ(disassemble(product), "v_pk_mul_f16 v0, 0xbc003c00, v0");
  EXPECT_EQ(product.src[0].value, 0xbc003c00u);
}

TEST(Decoder, EmptyInputIsTruncated) {
  EXPECT_EQ(decode(kGfx90a, {}).status, DecodeStatus::kTruncated);
}

TEST(Decoder, GraphicsEncodingsAreUnknown) {
  EXPECT_EQ(status({0xf0800f00, 0x00000000}), DecodeStatus::kUnknown);  // image_sample
  EXPECT_EQ(status({0xc4000000, 0x00000000}), DecodeStatus::kUnknown);  // exp
}

}  // namespace
}  // namespace kernloop::softgpu
