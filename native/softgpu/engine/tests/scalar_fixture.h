// A wave and the values that scalar instructions are tried on.
#pragma once

#include <algorithm>
#include <bit>
#include <functional>

#include "softgpu/engine/tests/lone_wave.h"

namespace kernloop::softgpu::testing {

using u32 = uint32_t;
using u64 = uint64_t;
using i32 = int32_t;
using i64 = int64_t;
using i128 = __int128;

// Outcome of an instruction: its result and SCC.
struct Outcome {
  u64 value;
  bool scc;
};

inline const u32 kWords[] = {0,          1,          2,          31,         32,         33,
                             0x7f,       0x80,       0xff,       0x7fff,     0x8000,     0xffff,
                             0x10005,    0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff,
                             0x12345678, 0xdeadbeef, 0x00100008, 0x00200003, 0x0040001f};

inline std::vector<u64> long_words() {
  std::vector<u64> values;
  for (u32 high : {0u, 1u, 0x7fffffffu, 0x80000000u, 0xffffffffu, 0x1234abcdu}) {
    for (u32 low : {0u, 1u, 0x80000000u, 0xffffffffu, 0x9e3779b9u}) values.push_back(u64{high} << 32 | low);
  }
  return values;
}

class Scalars : public LoneWave, public ::testing::Test {
 protected:
  // Results are in s[4:5]; `wide`: 64 bits of it.
  void check(const std::string& op, u64 a, u64 b, bool scc, bool wide, Outcome expected) {
    wave.set_sgpr64(0, a);
    wave.set_sgpr64(2, b);
    wave.set_sgpr64(4, 0x5555555566666666);
    wave.scc = scc;
    run(op);
    const u64 value = wide ? wave.sgpr64(4) : wave.sgpr[4];
    ASSERT_EQ(value, wide ? expected.value : static_cast<u32>(expected.value))
        << op << std::hex << " a=" << a << " b=" << b << " scc=" << scc;
    ASSERT_EQ(wave.scc, expected.scc) << op << std::hex << " a=" << a << " b=" << b << " scc=" << scc;
    if (!wide) {
      ASSERT_EQ(wave.sgpr[5], 0x55555555u) << op << " writes one register";
    }
  }
};

inline Outcome with_scc_if_not_zero(u64 value) {
  return {value, value != 0};
}

}  // namespace kernloop::softgpu::testing
