// Every vector instruction that the decoder knows is executed, except for the ones listed here.
#include <set>
#include <string>

#include "softgpu/engine/vector/tests/test_wave.h"
#include "softgpu/isa/decoder.h"
#include "softgpu/isa/opcode_table.h"

namespace kernloop::softgpu::vector {
namespace {

// Refused: their behaviour on gfx90a is not documented well enough to be sure of every bit.
const std::set<std::string> kRefused = {
    "v_exp_legacy_f32",
    "v_log_legacy_f32",            // differs by "legacy"
    "v_cvt_pkaccum_u8_f32",        // how fractions round
    "v_screen_partition_4se_b32",  // graphics
};

void consider(std::initializer_list<uint32_t> words, std::set<std::string>& executed, std::set<std::string>& refused) {
  const DecodeResult decoded = decode(kGfx90a, std::span(words.begin(), words.size()));
  if (decoded.status != DecodeStatus::kOk) return;
  const Instruction& i = decoded.instruction;
  const bool vector = i.encoding == Encoding::kVop1 || i.encoding == Encoding::kVop2 || i.encoding == Encoding::kVopC ||
                      i.encoding == Encoding::kVop3 || i.encoding == Encoding::kVop3p;
  if (!vector) return;
  const std::string text = disassemble(i);
  const bool supported = baseline::select(i) != nullptr;
  for (const Select select : runnable_builds()) EXPECT_EQ(supported, select(i) != nullptr) << text;
  (supported ? executed : refused).insert(op_name(i.op));
  if (!supported) {
    EXPECT_TRUE(kRefused.count(op_name(i.op))) << "refused: " << text;
  }
}

bool has_vector_row(Isa isa, Op op) {
  for (Encoding encoding : {Encoding::kVop1, Encoding::kVop2, Encoding::kVopC, Encoding::kVop3, Encoding::kVop3p}) {
    if (find_row(isa, encoding, op) != nullptr) return true;
  }
  return false;
}

TEST(VectorCoverage, EveryDecodableOpcodeIsExecutedOrOnTheListOfRefusedOnes) {
  std::set<std::string> executed, refused;
  for (uint32_t op = 0; op < 256; ++op) {
    consider({0x7e000103 | op << 9 | 2 << 17}, executed, refused);
    consider({0x7e000000 | op << 9}, executed, refused);
    consider({0x7c000103 | op << 17 | 2 << 9}, executed, refused);
    // SDWA (words, dwords) and DPP (row_shr:1 bound_ctrl:0, row_newbcast:1).
    for (uint32_t second : {0x06060603u, 0x05040403u, 0x0c0c1403u}) {
      consider({0x7e0000f9 | op << 9 | 2 << 17, second & 0x00ffffff}, executed, refused);
      consider({0x7c0000f9 | op << 17 | 2 << 9, second & 0xffff00ff}, executed, refused);
    }
    for (uint32_t second : {0xff091103u, 0xff015103u})
      consider({0x7e0000fa | op << 9 | 2 << 17, second}, executed, refused);
  }
  for (uint32_t op = 0; op < 62; ++op) {
    consider({op << 25 | 2 << 17 | 4 << 9 | 0x106, 0x42280000}, executed, refused);
    consider({op << 25 | 2 << 17 | 4 << 9 | 0x106, 0x00004228}, executed, refused);
    for (uint32_t second : {0x06060603u, 0x05041403u})
      consider({op << 25 | 2 << 17 | 4 << 9 | 0xf9, second}, executed, refused);
    for (uint32_t second : {0xff091103u, 0xff095103u})
      consider({op << 25 | 2 << 17 | 4 << 9 | 0xfa, second}, executed, refused);
  }
  for (uint32_t op = 0; op < 1024; ++op) {
    const uint32_t first = 0xd0000050 | op << 16;
    for (uint32_t s : {0x104u, 0x104u | 0x106 << 9, 0x104u | 0x106 << 9 | 0x108 << 18,
                       0x104u | 0x106 << 9 | 0x008 << 18, 0x104u | 0x006 << 9, 0x004u | 0x084 << 9}) {
      consider({first, s}, executed, refused);
    }
  }
  for (uint32_t op = 0; op < 128; ++op) {
    const bool matrix = op >= 0x40 && op != 0x58 && op != 0x59;
    const uint32_t first =
        0xd3800000 | op << 16 | (matrix ? 80 : 2);  // a matrix must not overlap its accumulator in part
    for (uint32_t s : {0x18000104u, 0x18020d04u, 0x1c220d04u, 0x04220d04u}) {
      consider({first | (matrix ? 0 : 0x4000), s}, executed, refused);  // op_sel_hi of a third source
    }
  }
  EXPECT_EQ(kRefused, refused);
  for (unsigned i = 1; i < static_cast<unsigned>(Op::kCount); ++i) {
    const char* name = op_name(static_cast<Op>(i));
    if (!has_vector_row(Isa::kGfx90a, static_cast<Op>(i))) continue;
    EXPECT_TRUE(executed.count(name) || refused.count(name)) << name << " was never met";
  }
}

}  // namespace
}  // namespace kernloop::softgpu::vector
