// SDWA and DPP against models that work on one lane at a time.
#include <optional>
#include <random>

#include "softgpu/engine/vector/tests/half_reference.h"
#include "softgpu/engine/vector/tests/test_wave.h"

namespace kernloop::softgpu::vector {
namespace {

uint32_t select(uint32_t v, unsigned sel, bool sext) {
  switch (sel) {
    case 0:
    case 1:
    case 2:
    case 3:
      return sext ? static_cast<uint32_t>(static_cast<int8_t>(v >> (8 * sel))) : (v >> (8 * sel)) & 0xff;
    case 4:
    case 5:
      return sext ? static_cast<uint32_t>(static_cast<int16_t>(v >> (16 * (sel - 4))))
                  : (v >> (16 * (sel - 4))) & 0xffff;
    default:
      return v;
  }
}
uint32_t place(uint32_t result, uint32_t old, unsigned sel, unsigned unused) {
  if (sel == 6) return result;
  const unsigned bits = sel < 4 ? 8 : 16, at = sel < 4 ? 8 * sel : 16 * (sel - 4);
  uint32_t out = 0;
  for (unsigned b = 0; b < 32; ++b) {
    bool bit = false;
    if (b >= at && b < at + bits)
      bit = (result >> (b - at)) & 1;
    else if (unused == 1)
      bit = b >= at + bits && ((result >> (bits - 1)) & 1);
    else if (unused == 2)
      bit = (old >> b) & 1;
    out |= static_cast<uint32_t>(bit) << b;
  }
  return out;
}

Instruction sdwa(Op op, std::initializer_list<Operand> dst, std::initializer_list<Operand> src,
                 Encoding encoding = Encoding::kVop2) {
  Instruction i = make(op, dst, src, encoding);
  i.is_sdwa = true;
  return i;
}

TEST(VectorSdwa, EverySelectionOfSourcesAndDestinationWorks) {
  TestWave t;
  t.scribble();
  for (unsigned s0 = 0; s0 < 7; ++s0) {
    for (unsigned s1 = 0; s1 < 7; ++s1) {
      for (bool sext : {false, true}) {
        for (unsigned d = 0; d < 7; ++d) {
          for (unsigned unused = 0; unused < 3; ++unused) {
            Instruction i = sdwa(Op::v_add_u32, {vgpr(5)}, {selected(vgpr(1), s0, sext), selected(vgpr(2), s1, !sext)});
            i.dst_sel = static_cast<uint8_t>(d);
            i.dst_unused = static_cast<uint8_t>(unused);
            const uint64_t exec = 0xfffffffffffffff0ull;
            t.wave.set_exec(exec);
            const std::vector<uint32_t> old(t.lane(5), t.lane(5) + kLanes);
            ASSERT_TRUE(t.run(i));
            for (unsigned l = 0; l < kLanes; ++l) {
              const uint32_t sum = select(t.lane(1)[l], s0, sext) + select(t.lane(2)[l], s1, !sext);
              ASSERT_EQ((exec >> l) & 1 ? place(sum, old[l], d, unused) : old[l], t.lane(5)[l])
                  << s0 << s1 << d << unused;
            }
          }
        }
      }
    }
  }
}

TEST(VectorSdwa, HalvesTakeModifiersAfterSelection) {
  TestWave t;
  t.fill(1, 0xc2003c00);  // -3, 1
  t.fill(2, 0x40004400);  // 2, 4
  t.fill(5, 0x11112222);
  Instruction i = sdwa(Op::v_add_f16, {vgpr(5)}, {absolute(selected(vgpr(1), 5)), negated(selected(vgpr(2), 5))});
  i.dst_sel = 5;
  i.dst_unused = 2;
  ASSERT_TRUE(t.run(i));
  EXPECT_EQ(half_of(1) << 16 | 0x2222u, t.lane(5)[0]);
  i = sdwa(Op::v_mul_f16, {vgpr(5)}, {selected(vgpr(1), 5), selected(vgpr(2), 4)});
  i.clamp = true;
  ASSERT_TRUE(t.run(i));
  EXPECT_EQ(0u, t.lane(5)[0]);
}

TEST(VectorSdwa, ComparisonsAndCarriesAndScalarsWork) {
  TestWave t;
  t.fill(1, 0x00ff0010);
  t.wave.sgpr[9] = 0xff;
  ASSERT_TRUE(t.run(sdwa(Op::v_cmp_eq_u32, {sgpr(kVcc, 2)}, {selected(vgpr(1), 2), sgpr(9)}, Encoding::kVopC)));
  EXPECT_EQ(~0ull, t.wave.vcc());
  ASSERT_TRUE(t.run(sdwa(Op::v_cmp_eq_i16, {sgpr(kVcc, 2)}, {selected(vgpr(1), 2, true), sgpr(9)}, Encoding::kVopC)));
  EXPECT_EQ(0u, t.wave.vcc());
  t.fill(2, 0xffffffff);
  t.wave.set_vcc(1);
  ASSERT_TRUE(t.run(sdwa(Op::v_addc_co_u32, {vgpr(3), sgpr(kVcc, 2)}, {selected(vgpr(1), 0), vgpr(2), sgpr(kVcc, 2)})));
  EXPECT_EQ(0x10u, t.lane(3)[0]);
  EXPECT_EQ(0x0fu, t.lane(3)[1]);
  EXPECT_EQ(~0ull, t.wave.vcc());
}

std::optional<unsigned> dpp_source(unsigned control, unsigned lane) {
  const unsigned row = lane / 16 * 16, n = control & 0xf;
  const auto within = [&](int at) -> std::optional<unsigned> {
    if (at < static_cast<int>(row) || at >= static_cast<int>(row) + 16) return std::nullopt;
    return static_cast<unsigned>(at);
  };
  const int l = static_cast<int>(lane);
  if (control < 0x100) return lane / 4 * 4 + ((control >> (lane % 4 * 2)) & 3);
  if (control < 0x110) return within(l + static_cast<int>(n));
  if (control < 0x120) return within(l - static_cast<int>(n));
  if (control < 0x130) return row + (lane + 16 - n) % 16;
  if (control == 0x130) return lane == 63 ? std::nullopt : std::optional(lane + 1);
  if (control == 0x134) return (lane + 1) % 64;
  if (control == 0x138) return lane == 0 ? std::nullopt : std::optional(lane - 1);
  if (control == 0x13c) return (lane + 63) % 64;
  if (control == 0x140) return row + 15 - lane % 16;
  if (control == 0x141) return lane / 8 * 8 + 7 - lane % 8;
  if (control == 0x142) return lane < 16 ? std::nullopt : std::optional(row - 1);
  if (control == 0x143) return lane < 32 ? std::nullopt : std::optional(31u);
  return row + n;  // row_newbcast
}

std::vector<unsigned> dpp_controls() {
  std::vector<unsigned> all = {0x000, 0x0e4, 0x01b, 0x0b1, 0x04e, 0x130, 0x134,
                               0x138, 0x13c, 0x140, 0x141, 0x142, 0x143};
  for (unsigned n = 1; n < 16; ++n) all.insert(all.end(), {0x100 + n, 0x110 + n, 0x120 + n});
  for (unsigned n = 0; n < 16; ++n) all.push_back(0x150 + n);
  return all;
}

TEST(VectorDpp, EveryControlReadsItsLaneAndMasksAndBoundsDecideWhatIsWritten) {
  TestWave t;
  t.scribble();
  for (unsigned control : dpp_controls()) {
    for (bool bound : {false, true}) {
      for (auto [row_mask, bank_mask] : {std::pair{0xf, 0xf}, {0xa, 0xf}, {0xf, 0x3}, {0x5, 0xc}}) {
        for (uint64_t exec : {~0ull, 0xf0f0ffffffff00ffull}) {
          Instruction i = make(Op::v_sub_u32, {vgpr(5)}, {vgpr(1), vgpr(2)}, Encoding::kVop2);
          i.is_dpp = true;
          i.dpp_ctrl = static_cast<uint16_t>(control);
          i.bound_ctrl = bound;
          i.row_mask = static_cast<uint8_t>(row_mask);
          i.bank_mask = static_cast<uint8_t>(bank_mask);
          t.wave.set_exec(exec);
          const std::vector<uint32_t> old(t.lane(5), t.lane(5) + kLanes);
          ASSERT_TRUE(t.run(i));
          for (unsigned l = 0; l < kLanes; ++l) {
            const std::optional<unsigned> from = dpp_source(control, l);
            const bool is_read = from && ((exec >> *from) & 1);
            const bool enabled = ((exec >> l) & 1) && ((row_mask >> (l / 16)) & 1) &&
                                 ((bank_mask >> (l / 4 % 4)) & 1) && (is_read || bound);
            const uint32_t moved = is_read ? t.lane(1)[*from] : 0;
            ASSERT_EQ(enabled ? moved - t.lane(2)[l] : old[l], t.lane(5)[l]) << std::hex << control << " lane " << l;
          }
        }
      }
    }
  }
}

TEST(VectorDpp, SourceMayBeTheDestinationAndModifiersFollowTheMove) {
  TestWave t;
  for (unsigned l = 0; l < kLanes; ++l) t.lane(1)[l] = fbits(static_cast<float>(l));
  Instruction i = make(Op::v_add_f32, {vgpr(1)}, {negated(vgpr(1)), vgpr(1)}, Encoding::kVop2);
  i.is_dpp = true;
  i.dpp_ctrl = 0x141;
  ASSERT_TRUE(t.run(i));
  for (unsigned l = 0; l < kLanes; ++l) {
    EXPECT_EQ(static_cast<float>(l) - static_cast<float>(l / 8 * 8 + 7 - l % 8), as_f32(t.lane(1)[l]));
  }
}

TEST(VectorDpp, SixtyFourBitValuesMoveWhole) {
  TestWave t;
  for (unsigned l = 0; l < kLanes; ++l) t.set64(2, l, dbits(l + 0.25));
  Instruction i = make(Op::v_floor_f64, {vgpr(4, 2)}, {vgpr(2, 2)}, Encoding::kVop1);
  i.is_dpp = true;
  i.dpp_ctrl = 0x153;
  ASSERT_TRUE(t.run(i));
  for (unsigned l = 0; l < kLanes; ++l) EXPECT_EQ(l / 16 * 16 + 3.0, as_f64(t.get64(4, l)));
}

TEST(VectorDpp, RefusesCarriesOfLanesThatItMightNotWrite) {
  TestWave t;
  Instruction i = make(Op::v_add_co_u32, {vgpr(3), sgpr(kVcc, 2)}, {vgpr(1), vgpr(2)}, Encoding::kVop2);
  i.is_dpp = true;
  i.dpp_ctrl = 0x111;
  EXPECT_FALSE(t.supports(i));
  i.bound_ctrl = true;
  EXPECT_TRUE(t.supports(i));
  i.row_mask = 0xa;
  EXPECT_FALSE(t.supports(i));
}

}  // namespace
}  // namespace kernloop::softgpu::vector
