// The most common instructions: registers and single scalars as sources, no modifiers but a sign. They are executed 32
// lanes at a time, each half from its sources to its destination before the next one.
#include <cmath>
#include <limits>
#include <random>

#include "softgpu/engine/vector/tests/test_wave.h"

namespace kernloop::softgpu::vector {
namespace {

constexpr uint64_t kExecs[] = {
    ~0ull, 0xffffffffull, 0xffffffffull << 32, 0x8000000000000001ull, 0xffff0000ffffull, 1ull << 40, 0};
constexpr uint32_t kSignallingNan = 0x7f812345u;

bool is_nan(uint32_t v) {
  return (v & 0x7fffffffu) > 0x7f800000u;
}

// v_fma_f32: the first NaN among the sources, made quiet, else the default NaN.
uint32_t expected_fma(const uint32_t (&v)[3]) {
  const float r = std::fma(as_f32(v[0]), as_f32(v[1]), as_f32(v[2]));
  for (const uint32_t one : v)
    if (is_nan(one)) return one | 0x00400000u;
  return std::isnan(r) ? 0x7fc00000u : fbits(r);
}

TEST(VectorLean, FusedMultiplyAddsWithASignKeepTheirNansWhateverRegisterTheyOverwrite) {
  std::mt19937 random(3);
  const uint32_t special[] = {fbits(std::numeric_limits<float>::infinity()), 0, 0x80000000u, kSignallingNan,
                              0xffc54321u};
  for (unsigned round = 0; round < 7 * 4 * 4; ++round) {
    const uint64_t exec = kExecs[round % 7];
    const unsigned minus = round / 7 % 4, overwritten = round / 28;  // 3: none of the sources
    TestWave w;
    w.scribble();
    for (unsigned r = 1; r <= 3; ++r)
      for (unsigned l = 0; l < kLanes; ++l)
        w.lane(r)[l] = random() % 8 ? fbits(static_cast<float>(random() % 1000) - 500.0f) : special[random() % 5];
    const unsigned dst = overwritten == 3 ? 9 : 1 + overwritten;
    uint32_t expected[kLanes];
    for (unsigned l = 0; l < kLanes; ++l) {
      uint32_t v[3] = {w.lane(1)[l], w.lane(2)[l], w.lane(3)[l]};
      if (minus < 3) v[minus] ^= 0x80000000u;
      expected[l] = exec >> l & 1 ? expected_fma(v) : w.lane(dst)[l];
    }
    Operand source[3] = {vgpr(1), vgpr(2), vgpr(3)};
    if (minus < 3) source[minus] = negated(source[minus]);
    w.wave.set_exec(exec);
    ASSERT_TRUE(w.run(make(Op::v_fma_f32, {vgpr(dst)}, {source[0], source[1], source[2]})));
    for (unsigned l = 0; l < kLanes; ++l) ASSERT_EQ(w.lane(dst)[l], expected[l]) << "round " << round << ", lane " << l;
    ASSERT_EQ(w.wave.exec(), exec);
  }
}

TEST(VectorLean, NegatedScalarsAndConstantsReachEveryLane) {
  TestWave w;
  for (unsigned l = 0; l < kLanes; ++l) w.lane(1)[l] = fbits(static_cast<float>(l));
  w.wave.sgpr[7] = fbits(3.0f);
  ASSERT_TRUE(w.run(make(Op::v_fma_f32, {vgpr(2)}, {vgpr(1), negated(sgpr(7)), constant(fbits(0.5f))})));
  for (unsigned l = 0; l < kLanes; ++l) ASSERT_EQ(w.lane(2)[l], fbits(0.5f - 3.0f * static_cast<float>(l)));
}

TEST(VectorLean, BitsOfHalvesWithoutActiveLanesAreZero) {
  for (const uint64_t exec : kExecs) {
    TestWave w;
    w.fill(1, 5);
    w.wave.sgpr[3] = 5;
    w.wave.set_exec(exec);
    w.wave.set_sgpr64(10, ~0ull);
    ASSERT_TRUE(w.run(make(Op::v_cmp_eq_u32, {sgpr(10, 2)}, {sgpr(3), vgpr(1)})));
    ASSERT_EQ(w.wave.sgpr64(10), exec);
    w.fill(2, ~0u);
    w.wave.set_sgpr64(10, ~0ull);
    ASSERT_TRUE(w.run(make(Op::v_add_co_u32, {vgpr(2), sgpr(10, 2)}, {vgpr(1), vgpr(2)})));
    ASSERT_EQ(w.wave.sgpr64(10), exec);
    for (unsigned l = 0; l < kLanes; ++l) ASSERT_EQ(w.lane(2)[l], exec >> l & 1 ? 4u : ~0u);
  }
}

TEST(VectorLean, ShiftedPairsMayOverlapByOneRegister) {
  for (const uint64_t exec : kExecs) {
    for (const unsigned to : {4u, 5u, 6u}) {
      TestWave w;
      w.scribble();
      uint64_t expected[kLanes];
      for (unsigned l = 0; l < kLanes; ++l) expected[l] = exec >> l & 1 ? w.get64(5, l) << 3 : w.get64(to, l);
      w.wave.set_exec(exec);
      ASSERT_TRUE(w.run(make(Op::v_lshlrev_b64, {vgpr(to, 2)}, {constant(3), vgpr(5, 2)})));
      for (unsigned l = 0; l < kLanes; ++l) ASSERT_EQ(w.get64(to, l), expected[l]) << l;
    }
  }
}

}  // namespace
}  // namespace kernloop::softgpu::vector
