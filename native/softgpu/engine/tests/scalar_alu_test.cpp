// Scalar arithmetic against host arithmetic written another way than the implementation.
#include "softgpu/engine/tests/scalar_fixture.h"

namespace kernloop::softgpu::testing {
namespace {

TEST_F(Scalars, BinaryOperationsOn32Bits) {
  using Oracle = std::function<Outcome(u32, u32, bool)>;
  const auto fits = [](i64 x) { return x >= INT32_MIN && x <= INT32_MAX; };
  const auto shl_add = [](unsigned n) -> Oracle {
    return [n](u32 a, u32 b, bool) {
      const u64 sum = (u64{a} << n) + b;
      return Outcome{static_cast<u32>(sum), sum > UINT32_MAX};
    };
  };
  const auto logic = [](std::function<u32(u32, u32)> f) -> Oracle {
    return [f](u32 a, u32 b, bool) { return with_scc_if_not_zero(f(a, b)); };
  };
  const auto field = [](u32 a, u32 control, bool is_signed) {
    u64 out = 0;
    const u32 offset = control % 32, width = std::min<u32>((control >> 16) % 128, 32);
    bool top = false;
    u32 k = 0;
    for (; k < width; ++k) {
      const u32 from = k + offset;
      const bool bit = from < 32 ? (a >> from & 1) : (is_signed && (a >> 31));
      if (bit) out |= u64{1} << k;
      top = bit;
    }
    for (; k < 32; ++k) out |= u64{is_signed && top} << k;
    return static_cast<u32>(out);
  };
  const std::vector<std::pair<std::string, Oracle>> table = {
      {"s_add_u32",
       [](u32 a, u32 b, bool) {
         return Outcome{a + b, u64{a} + b > UINT32_MAX};
       }},
      {"s_sub_u32",
       [](u32 a, u32 b, bool) {
         return Outcome{a - b, a < b};
       }},
      {"s_add_i32",
       [&](u32 a, u32 b, bool) {
         return Outcome{a + b, !fits(i64{i32(a)} + i32(b))};
       }},
      {"s_sub_i32",
       [&](u32 a, u32 b, bool) {
         return Outcome{a - b, !fits(i64{i32(a)} - i32(b))};
       }},
      {"s_addc_u32",
       [](u32 a, u32 b, bool c) {
         return Outcome{a + b + c, u64{a} + b + c > UINT32_MAX};
       }},
      {"s_subb_u32",
       [](u32 a, u32 b, bool c) {
         return Outcome{a - b - c, i64{a} - i64{b} - c < 0};
       }},
      {"s_min_i32",
       [](u32 a, u32 b, bool) {
         return Outcome{u32(std::min(i32(a), i32(b))), i32(a) < i32(b)};
       }},
      {"s_min_u32",
       [](u32 a, u32 b, bool) {
         return Outcome{std::min(a, b), a < b};
       }},
      {"s_max_i32",
       [](u32 a, u32 b, bool) {
         return Outcome{u32(std::max(i32(a), i32(b))), i32(a) > i32(b)};
       }},
      {"s_max_u32",
       [](u32 a, u32 b, bool) {
         return Outcome{std::max(a, b), a > b};
       }},
      {"s_cselect_b32",
       [](u32 a, u32 b, bool c) {
         return Outcome{c ? a : b, c};
       }},
      {"s_and_b32", logic([](u32 a, u32 b) { return a & b; })},
      {"s_or_b32", logic([](u32 a, u32 b) { return a | b; })},
      {"s_xor_b32", logic([](u32 a, u32 b) { return (a | b) - (a & b); })},
      {"s_andn2_b32", logic([](u32 a, u32 b) { return a - (a & b); })},
      {"s_orn2_b32", logic([](u32 a, u32 b) { return ~(~a & b); })},
      {"s_nand_b32", logic([](u32 a, u32 b) { return ~a | ~b; })},
      {"s_nor_b32", logic([](u32 a, u32 b) { return ~a & ~b; })},
      {"s_xnor_b32", logic([](u32 a, u32 b) { return (a & b) | (~a & ~b); })},
      {"s_lshl_b32", logic([](u32 a, u32 b) { return u32(u64{a} << (b % 32)); })},
      {"s_lshr_b32", logic([](u32 a, u32 b) { return u32(u64{a} / (u64{1} << (b % 32))); })},
      {"s_ashr_i32", logic([](u32 a, u32 b) { return u32(i64{i32(a)} >> (b % 32)); })},
      {"s_bfm_b32",
       [](u32 a, u32 b, bool c) {
         return Outcome{u32(((u64{1} << (a % 32)) - 1) << (b % 32)), c};
       }},
      {"s_mul_i32",
       [](u32 a, u32 b, bool c) {
         return Outcome{u32(u64{a} * b), c};
       }},
      {"s_mul_hi_u32",
       [](u32 a, u32 b, bool c) {
         return Outcome{u32(u64{a} * b >> 32), c};
       }},
      {"s_mul_hi_i32",
       [](u32 a, u32 b, bool c) {
         return Outcome{u32(u64(i64{i32(a)} * i32(b)) >> 32), c};
       }},
      {"s_bfe_u32", logic([&](u32 a, u32 b) { return field(a, b, false); })},
      {"s_bfe_i32", logic([&](u32 a, u32 b) { return field(a, b, true); })},
      {"s_absdiff_i32", logic([](u32 a, u32 b) {
         const i32 d = i32(a - b);
         return d == INT32_MIN ? u32(d) : u32(std::abs(d));
       })},
      {"s_lshl1_add_u32", shl_add(1)},
      {"s_lshl2_add_u32", shl_add(2)},
      {"s_lshl3_add_u32", shl_add(3)},
      {"s_lshl4_add_u32", shl_add(4)},
      {"s_pack_ll_b32_b16",
       [](u32 a, u32 b, bool c) {
         return Outcome{(a % 65536) + (b % 65536) * 65536, c};
       }},
      {"s_pack_lh_b32_b16",
       [](u32 a, u32 b, bool c) {
         return Outcome{(a % 65536) + (b / 65536) * 65536, c};
       }},
      {"s_pack_hh_b32_b16",
       [](u32 a, u32 b, bool c) {
         return Outcome{(a / 65536) + (b / 65536) * 65536, c};
       }},
  };
  for (const auto& [op, oracle] : table) {
    for (u32 a : kWords) {
      for (u32 b : kWords) {
        for (bool scc : {false, true})
          check(op, 0xabcd000000000000 | a, 0x1234000000000000 | b, scc, false, oracle(a, b, scc));
      }
    }
  }
}

TEST_F(Scalars, BinaryOperationsOn64Bits) {
  using Oracle = std::function<Outcome(u64, u64, bool)>;
  const auto logic = [](std::function<u64(u64, u64)> f) -> Oracle {
    return [f](u64 a, u64 b, bool) { return with_scc_if_not_zero(f(a, b)); };
  };
  const auto field = [](u64 a, u32 control, bool is_signed) {
    const u32 offset = control % 64, width = std::min<u32>((control >> 16) % 128, 64);
    if (width == 0) return u64{0};
    const i128 extended = is_signed ? i128{i64(a)} : i128{a};
    const i128 shifted = extended >> offset;
    const i128 modulus = i128{1} << width;
    i128 out = ((shifted % modulus) + modulus) % modulus;
    if (is_signed && (out >> (width - 1) & 1)) out -= modulus;
    return u64(out);
  };
  const std::vector<std::pair<std::string, Oracle>> table = {
      {"s_cselect_b64",
       [](u64 a, u64 b, bool c) {
         return Outcome{c ? a : b, c};
       }},
      {"s_and_b64", logic([](u64 a, u64 b) { return a & b; })},
      {"s_or_b64", logic([](u64 a, u64 b) { return a | b; })},
      {"s_xor_b64", logic([](u64 a, u64 b) { return (a | b) - (a & b); })},
      {"s_andn2_b64", logic([](u64 a, u64 b) { return a - (a & b); })},
      {"s_orn2_b64", logic([](u64 a, u64 b) { return ~(~a & b); })},
      {"s_nand_b64", logic([](u64 a, u64 b) { return ~a | ~b; })},
      {"s_nor_b64", logic([](u64 a, u64 b) { return ~a & ~b; })},
      {"s_xnor_b64", logic([](u64 a, u64 b) { return (a & b) | (~a & ~b); })},
      {"s_lshl_b64", logic([](u64 a, u64 b) { return u64(i128{a} << (b % 64)); })},
      {"s_lshr_b64", logic([](u64 a, u64 b) { return u64(i128{a} >> (b % 64)); })},
      {"s_ashr_i64", logic([](u64 a, u64 b) { return u64(i128{i64(a)} >> (b % 64)); })},
      {"s_bfe_u64", logic([&](u64 a, u64 b) { return field(a, u32(b), false); })},
      {"s_bfe_i64", logic([&](u64 a, u64 b) { return field(a, u32(b), true); })},
      {"s_bfm_b64",
       [](u64 a, u64 b, bool c) {
         return Outcome{u64(((i128{1} << (u32(a) % 64)) - 1) << (u32(b) % 64)), c};
       }},
  };
  std::vector<u64> values = long_words();
  for (u64 control : {u64{0x00080004}, u64{0x00400000}, u64{0x0020003f}, u64{0x003f0001}, u64{7}})
    values.push_back(control);
  for (const auto& [op, oracle] : table) {
    for (u64 a : values) {
      for (u64 b : values) {
        for (bool scc : {false, true}) check(op, a, b, scc, true, oracle(a, b, scc));
      }
    }
  }
}

TEST_F(Scalars, UnaryOperations) {
  using Oracle = std::function<Outcome(u64, bool)>;
  const auto reversed = [](u64 x, unsigned bits) {
    u64 out = 0;
    for (unsigned k = 0; k < bits; ++k) out = out * 2 + (x >> k & 1);
    return out;
  };
  const auto quads = [](u64 x, unsigned bits, bool whole) {
    u64 out = 0;
    for (unsigned quad = 0; quad < bits / 4; ++quad) {
      if ((x >> (4 * quad)) % 16 != 0) out |= whole ? u64{15} << (4 * quad) : u64{1} << quad;
    }
    return out;
  };
  const auto sign_run = [](u64 x, unsigned bits) -> u64 {
    for (unsigned n = 1; n < bits; ++n) {
      if ((x >> (bits - 1 - n) & 1) != (x >> (bits - 1) & 1)) return n;
    }
    return 0xffffffff;
  };
  struct Row {
    std::string op;
    bool wide_source, wide_result;
    Oracle oracle;
  };
  const std::vector<Row> table = {
      {"s_mov_b32", false, false,
       [](u64 x, bool c) {
         return Outcome{x, c};
       }},
      {"s_mov_b64", true, true,
       [](u64 x, bool c) {
         return Outcome{x, c};
       }},
      {"s_cmov_b32", false, false,
       [](u64 x, bool c) {
         return Outcome{c ? x : 0x66666666, c};
       }},
      {"s_cmov_b64", true, true,
       [](u64 x, bool c) {
         return Outcome{c ? x : 0x5555555566666666, c};
       }},
      {"s_not_b32", false, false, [](u64 x, bool) { return with_scc_if_not_zero(u32(-1 - i64(x))); }},
      {"s_not_b64", true, true, [](u64 x, bool) { return with_scc_if_not_zero(u64{0} - 1 - x); }},
      {"s_wqm_b32", false, false, [&](u64 x, bool) { return with_scc_if_not_zero(quads(x, 32, true)); }},
      {"s_wqm_b64", true, true, [&](u64 x, bool) { return with_scc_if_not_zero(quads(x, 64, true)); }},
      {"s_quadmask_b32", false, false, [&](u64 x, bool) { return with_scc_if_not_zero(quads(x, 32, false)); }},
      {"s_quadmask_b64", true, true, [&](u64 x, bool) { return with_scc_if_not_zero(quads(x, 64, false)); }},
      {"s_brev_b32", false, false,
       [&](u64 x, bool c) {
         return Outcome{reversed(x, 32), c};
       }},
      {"s_brev_b64", true, true,
       [&](u64 x, bool c) {
         return Outcome{reversed(x, 64), c};
       }},
      {"s_bcnt0_i32_b32", false, false, [](u64 x, bool) { return with_scc_if_not_zero(32 - std::popcount(x)); }},
      {"s_bcnt0_i32_b64", true, false, [](u64 x, bool) { return with_scc_if_not_zero(64 - std::popcount(x)); }},
      {"s_bcnt1_i32_b32", false, false, [](u64 x, bool) { return with_scc_if_not_zero(std::popcount(x)); }},
      {"s_bcnt1_i32_b64", true, false, [](u64 x, bool) { return with_scc_if_not_zero(std::popcount(x)); }},
      {"s_ff0_i32_b32", false, false,
       [](u64 x, bool c) {
         return Outcome{u32(x) == UINT32_MAX ? 0xffffffff : u64(std::countr_one(x)), c};
       }},
      {"s_ff0_i32_b64", true, false,
       [](u64 x, bool c) {
         return Outcome{x == UINT64_MAX ? 0xffffffff : u64(std::countr_one(x)), c};
       }},
      {"s_ff1_i32_b32", false, false,
       [](u64 x, bool c) {
         return Outcome{x == 0 ? 0xffffffff : u64(std::countr_zero(x)), c};
       }},
      {"s_ff1_i32_b64", true, false,
       [](u64 x, bool c) {
         return Outcome{x == 0 ? 0xffffffff : u64(std::countr_zero(x)), c};
       }},
      {"s_flbit_i32_b32", false, false,
       [](u64 x, bool c) {
         return Outcome{x == 0 ? 0xffffffff : u64(std::countl_zero(u32(x))), c};
       }},
      {"s_flbit_i32_b64", true, false,
       [](u64 x, bool c) {
         return Outcome{x == 0 ? 0xffffffff : u64(std::countl_zero(x)), c};
       }},
      {"s_flbit_i32", false, false,
       [&](u64 x, bool c) {
         return Outcome{sign_run(x, 32), c};
       }},
      {"s_flbit_i32_i64", true, false,
       [&](u64 x, bool c) {
         return Outcome{sign_run(x, 64), c};
       }},
      {"s_sext_i32_i8", false, false,
       [](u64 x, bool c) {
         return Outcome{u64((i64(x % 256) ^ 128) - 128), c};
       }},
      {"s_sext_i32_i16", false, false,
       [](u64 x, bool c) {
         return Outcome{u64((i64(x % 65536) ^ 32768) - 32768), c};
       }},
      {"s_abs_i32", false, false, [](u64 x, bool) { return with_scc_if_not_zero(u32(std::abs(i64{i32(u32(x))}))); }},
      {"s_bitset0_b32", false, false,
       [](u64 x, bool c) {
         return Outcome{0x66666666u & ~(1u << (x % 32)), c};
       }},
      {"s_bitset1_b32", false, false,
       [](u64 x, bool c) {
         return Outcome{0x66666666u | 1u << (x % 32), c};
       }},
      {"s_bitset1_b64", false, true,
       [](u64 x, bool c) {
         return Outcome{0x5555555566666666 | u64{1} << (x % 64), c};
       }},
      {"s_bitreplicate_b64_b32", false, true,
       [](u64 x, bool c) {
         u64 out = 0;
         for (int k = 31; k >= 0; --k) out = out * 4 + (x >> k & 1) * 3;
         return Outcome{out, c};
       }},
  };
  for (const Row& row : table) {
    std::vector<u64> values = long_words();
    if (!row.wide_source) values.assign(std::begin(kWords), std::end(kWords));
    for (u64 x : values) {
      for (bool scc : {false, true})
        check(row.op, row.wide_source ? x : 0x7777777700000000 | x, 0, scc, row.wide_result, row.oracle(x, scc));
    }
  }
}

TEST_F(Scalars, ExecSavingOperations) {
  using Oracle = std::function<u64(u64, u64)>;
  const std::vector<std::pair<std::string, Oracle>> saving = {
      {"s_and_saveexec_b64", [](u64 s, u64 e) { return s & e; }},
      {"s_or_saveexec_b64", [](u64 s, u64 e) { return s | e; }},
      {"s_xor_saveexec_b64", [](u64 s, u64 e) { return s ^ e; }},
      {"s_andn2_saveexec_b64", [](u64 s, u64 e) { return s & ~e; }},
      {"s_orn2_saveexec_b64", [](u64 s, u64 e) { return s | ~e; }},
      {"s_nand_saveexec_b64", [](u64 s, u64 e) { return ~s | ~e; }},
      {"s_nor_saveexec_b64", [](u64 s, u64 e) { return ~s & ~e; }},
      {"s_xnor_saveexec_b64", [](u64 s, u64 e) { return ~(s ^ e); }},
      {"s_andn1_saveexec_b64", [](u64 s, u64 e) { return ~s & e; }},
      {"s_orn1_saveexec_b64", [](u64 s, u64 e) { return ~s | e; }},
  };
  const u64 masks[] = {0, 1, ~u64{0}, 0xf0f0f0f0f0f0f0f0, 0x8000000000000001};
  for (u64 source : masks) {
    for (u64 exec : masks) {
      for (const auto& [op, oracle] : saving) {
        wave.set_sgpr64(0, source);
        wave.set_exec(exec);
        run(op);
        EXPECT_EQ(wave.sgpr64(4), exec) << op << ": the old mask is saved";
        EXPECT_EQ(wave.exec(), oracle(source, exec)) << op;
        EXPECT_EQ(wave.scc, wave.exec() != 0) << op;
      }
      for (const std::string op : {"s_andn1_wrexec_b64", "s_andn2_wrexec_b64"}) {
        wave.set_sgpr64(0, source);
        wave.set_exec(exec);
        run(op);
        const u64 expected = op == "s_andn1_wrexec_b64" ? ~source & exec : source & ~exec;
        EXPECT_EQ(wave.exec(), expected) << op;
        EXPECT_EQ(wave.sgpr64(4), expected) << op << ": the new mask is written";
      }
    }
  }
}

TEST_F(Scalars, ComparesOnlyWriteScc) {
  using Oracle = std::function<bool(u32, u32)>;
  const std::vector<std::pair<std::string, Oracle>> table = {
      {"s_cmp_eq_i32", [](u32 a, u32 b) { return a == b; }},
      {"s_cmp_lg_i32", [](u32 a, u32 b) { return a != b; }},
      {"s_cmp_gt_i32", [](u32 a, u32 b) { return i32(a) > i32(b); }},
      {"s_cmp_ge_i32", [](u32 a, u32 b) { return i32(a) >= i32(b); }},
      {"s_cmp_lt_i32", [](u32 a, u32 b) { return i32(a) < i32(b); }},
      {"s_cmp_le_i32", [](u32 a, u32 b) { return i32(a) <= i32(b); }},
      {"s_cmp_eq_u32", [](u32 a, u32 b) { return a == b; }},
      {"s_cmp_lg_u32", [](u32 a, u32 b) { return a != b; }},
      {"s_cmp_gt_u32", [](u32 a, u32 b) { return a > b; }},
      {"s_cmp_ge_u32", [](u32 a, u32 b) { return a >= b; }},
      {"s_cmp_lt_u32", [](u32 a, u32 b) { return a < b; }},
      {"s_cmp_le_u32", [](u32 a, u32 b) { return a <= b; }},
      {"s_bitcmp0_b32", [](u32 a, u32 b) { return (a >> (b % 32)) % 2 == 0; }},
      {"s_bitcmp1_b32", [](u32 a, u32 b) { return (a >> (b % 32)) % 2 == 1; }},
  };
  for (const auto& [op, oracle] : table) {
    for (u32 a : kWords) {
      for (u32 b : kWords) check(op, a, b, !oracle(a, b), true, {0x5555555566666666, oracle(a, b)});
    }
  }
  for (u64 a : long_words()) {
    for (u64 b : long_words()) {
      check("s_cmp_eq_u64", a, b, a != b, true, {0x5555555566666666, a == b});
      check("s_cmp_lg_u64", a, b, a == b, true, {0x5555555566666666, a != b});
    }
    for (u64 bit : {0, 1, 31, 32, 63, 64}) {
      check("s_bitcmp1_b64", a, bit, false, true, {0x5555555566666666, ((a >> (bit % 64)) & 1) == 1});
      check("s_bitcmp0_b64", a, bit, false, true, {0x5555555566666666, ((a >> (bit % 64)) & 1) == 0});
    }
  }
}

TEST_F(Scalars, ImmediatesAreSignExtendedExceptInUnsignedCompares) {
  const u32 immediate = 0xffff8001;
  check("s_movk_i32", 0, 0, true, false, {immediate, true});
  check("s_cmovk_i32", 0, 0, true, false, {immediate, true});
  check("s_cmovk_i32", 0, 0, false, false, {0x66666666, false});
  for (u32 a : kWords) {
    wave.sgpr[0] = a;
    run("s_addk_i32");
    const i64 sum = i64{i32(a)} + i32(immediate);
    EXPECT_EQ(wave.sgpr[0], u32(sum));
    EXPECT_EQ(wave.scc, sum < INT32_MIN || sum > INT32_MAX);
    wave.sgpr[0] = a;
    wave.scc = true;
    run("s_mulk_i32");
    EXPECT_EQ(wave.sgpr[0], u32(i64{i32(a)} * i32(immediate)));
    EXPECT_TRUE(wave.scc);
    wave.sgpr[0] = a;
    run("s_cmpk_lt_i32");
    EXPECT_EQ(wave.scc, i32(a) < i32(immediate));
    run("s_cmpk_lt_u32");
    EXPECT_EQ(wave.scc, a < 0x8001u);
    run("s_cmpk_eq_i32");
    EXPECT_EQ(wave.scc, a == immediate);
    run("s_cmpk_eq_u32");
    EXPECT_EQ(wave.scc, a == 0x8001u);
  }
}

}  // namespace
}  // namespace kernloop::softgpu::testing
