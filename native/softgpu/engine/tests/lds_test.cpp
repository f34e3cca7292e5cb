// DS instructions against host memory.
#include "softgpu/engine/tests/memory_fixture.h"

namespace kernloop::softgpu::testing {
namespace {

class Lds : public Memory {
 protected:
  Lds() {
    for (size_t k = 0; k < lds.size(); ++k) lds[k] = static_cast<uint8_t>(k * 73 + (k >> 8) + 200);
    for (unsigned lane = 0; lane < kLanes; ++lane) wave.vgpr[0][lane] = offset(lane);
  }
  static u32 offset(unsigned lane) { return (63 - lane) * 20; }
};

TEST_F(Lds, ReadsOfEverySize) {
  using Oracle = std::function<u32(const uint8_t*)>;
  const std::vector<std::pair<std::string, Oracle>> table = {
      {"u8", [](const uint8_t* p) { return u32{*p}; }},
      {"i8", [](const uint8_t* p) { return u32(i32{int8_t(*p)}); }},
      {"u16", [](const uint8_t* p) { return u32{take<uint16_t>(p)}; }},
      {"i16", [](const uint8_t* p) { return u32(i32{take<int16_t>(p)}); }},
      {"b32", [](const uint8_t* p) { return take<u32>(p); }},
      {"u8_d16_hi", [](const uint8_t* p) { return u32{*p} << 16; }},
      {"i8_d16", [](const uint8_t* p) { return u32(i32{int8_t(*p)}) & 0xffff; }},
      {"u16_d16_hi", [](const uint8_t* p) { return u32{take<uint16_t>(p)} << 16; }},
  };
  wave.set_exec(kSomeLanes);
  for (const auto& [size, oracle] : table) {
    std::fill_n(wave.vgpr[8], kLanes, kUntouched);
    run("ds_read_" + size);
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      ASSERT_EQ(wave.vgpr[8][lane], (kSomeLanes >> lane & 1) ? oracle(&lds[offset(lane) + 4]) : kUntouched) << size;
    }
    EXPECT_EQ(counters.lds, 1u);
  }
  for (unsigned dwords : {2u, 3u, 4u}) {
    run("ds_read_b" + std::to_string(dwords * 32));
    for (unsigned k = 0; k < dwords; ++k) ASSERT_EQ(wave.vgpr[8 + k][0], take<u32>(&lds[offset(0) + 4 + 4 * k]));
  }
}

TEST_F(Lds, TwoAddressFormsScaleTheirOffsets) {
  run("ds_read2_b32");
  EXPECT_EQ(wave.vgpr[8][3], take<u32>(&lds[offset(3) + 4]));
  EXPECT_EQ(wave.vgpr[9][3], take<u32>(&lds[offset(3) + 12]));
  EXPECT_EQ(counters.lds, 1u);
  run("ds_read2_b64");
  EXPECT_EQ(vector64(8, 3), take<u64>(&lds[offset(3) + 8]));
  EXPECT_EQ(vector64(10, 3), take<u64>(&lds[offset(3) + 24]));
  run("ds_read2st64_b32");
  EXPECT_EQ(wave.vgpr[8][3], take<u32>(&lds[offset(3) + 256]));
  EXPECT_EQ(wave.vgpr[9][3], take<u32>(&lds[offset(3) + 512]));
  wave.set_exec(1 << 3);
  set_vector64(2, 3, 0x1111222233334444);
  set_vector64(4, 3, 0x5555666677778888);
  run("ds_write2_b32");
  EXPECT_EQ(take<u32>(&lds[offset(3) + 4]), 0x33334444u);
  EXPECT_EQ(take<u32>(&lds[offset(3) + 12]), 0x77778888u);
  run("ds_write2st64_b64");
  EXPECT_EQ(take<u64>(&lds[offset(3)]), 0x1111222233334444u);
  EXPECT_EQ(take<u64>(&lds[offset(3) + 512]), 0x5555666677778888u);
}

// clang folds `values[63 - i]` into a negative register and a positive immediate.
TEST_F(Lds, NegativeOffsetsWrapAround) {
  for (unsigned lane = 0; lane < kLanes; ++lane) wave.vgpr[0][lane] = lane % 2 ? offset(lane) : u32{0} - 4;
  run("ds_read_b32");
  for (unsigned lane = 0; lane < kLanes; ++lane)
    ASSERT_EQ(wave.vgpr[8][lane], take<u32>(&lds[lane % 2 ? offset(lane) + 4 : 0])) << lane;
  run("ds_read2_b32");  // offsets 4 and 12
  for (unsigned lane = 0; lane < kLanes; lane += 2) {
    ASSERT_EQ(wave.vgpr[8][lane], take<u32>(&lds[0]));
    ASSERT_EQ(wave.vgpr[9][lane], take<u32>(&lds[8]));
  }
}

TEST_F(Lds, WritesTouchOnlyTheirBytes) {
  struct Row {
    std::string size;
    unsigned bytes, shift;
  };
  for (const Row& row : {Row{"b8", 1, 0}, Row{"b8_d16_hi", 1, 16}, Row{"b16", 2, 0}, Row{"b16_d16_hi", 2, 16},
                         Row{"b32", 4, 0}, Row{"b64", 8, 0}, Row{"b96", 12, 0}, Row{"b128", 16, 0}}) {
    std::vector<uint8_t> expected = lds;
    wave.set_exec(kSomeLanes);
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      u32 values[4];
      for (unsigned k = 0; k < 4; ++k)
        wave.vgpr[2 + k][lane] = values[k] = 0x31415926u * (lane + 3) + k * 0x27182818u + row.bytes;
      values[0] >>= row.shift;
      if (kSomeLanes >> lane & 1) std::memcpy(&expected[offset(lane) + 4], values, row.bytes);
    }
    run("ds_write_" + row.size);
    ASSERT_EQ(expected, lds) << row.size;
  }
}

TEST_F(Lds, EndsWithTheWorkgroupsAllocation) {
  wave.vgpr[0][11] = kLdsBytes - 8;
  run("ds_read_b32");
  wave.vgpr[0][11] = kLdsBytes - 7;
  const std::optional<WaveFault> fault = try_run("ds_read_b32");
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->kind, Fault::Kind::kLdsOutOfRange);
  EXPECT_EQ(fault->lane, 11);
  EXPECT_EQ(fault->address, kLdsBytes - 3);
  wave.vgpr[0][11] = 0xfffffff8;  // 4 below 0
  EXPECT_EQ(fault_kind("ds_read_b32"), Fault::Kind::kLdsOutOfRange);
  wave.vgpr[0][11] = 2;
  EXPECT_EQ(fault_kind("ds_add_rtn_u32"), Fault::Kind::kMisaligned);
}

TEST_F(Lds, AtomicsOfBothWidths) {
  const std::vector<std::pair<std::string, Oracle32>> table = {
      {"add_rtn_u32", [](u32 m, u32 d) { return m + d; }},
      {"sub_rtn_u32", [](u32 m, u32 d) { return m - d; }},
      {"rsub_rtn_u32", [](u32 m, u32 d) { return d - m; }},
      {"inc_rtn_u32", [](u32 m, u32 d) { return m < d ? m + 1 : 0; }},
      {"dec_rtn_u32", [](u32 m, u32 d) { return m != 0 && m <= d ? m - 1 : d; }},
      {"min_rtn_i32", [](u32 m, u32 d) { return u32(std::min(i32(m), i32(d))); }},
      {"max_rtn_i32", [](u32 m, u32 d) { return u32(std::max(i32(m), i32(d))); }},
      {"min_rtn_u32", [](u32 m, u32 d) { return std::min(m, d); }},
      {"max_rtn_u32", [](u32 m, u32 d) { return std::max(m, d); }},
      {"and_rtn_b32", [](u32 m, u32 d) { return m & d; }},
      {"or_rtn_b32", [](u32 m, u32 d) { return m | d; }},
      {"xor_rtn_b32", [](u32 m, u32 d) { return m ^ d; }},
      {"wrxchg_rtn_b32", [](u32, u32 d) { return d; }},
  };
  for (const auto& [op, oracle] : table) {
    for (u32 memory : kValues) {
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        wave.vgpr[0][lane] = lane * 4;
        wave.vgpr[2][lane] = kValues[lane % 9];
        std::memcpy(&lds[lane * 4], &memory, 4);
      }
      run("ds_" + op);
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        ASSERT_EQ(take<u32>(&lds[lane * 4]), oracle(memory, kValues[lane % 9])) << op;
        ASSERT_EQ(wave.vgpr[8][lane], memory);
      }
    }
  }
  const u64 memory = 0x1'00000000, operand = 0x0'ffffffff;
  for (const auto& [op, expected] : std::vector<std::pair<std::string, u64>>{{"add_rtn_u64", memory + operand},
                                                                             {"sub_rtn_u64", 1},
                                                                             {"rsub_rtn_u64", operand - memory},
                                                                             {"inc_rtn_u64", 0},
                                                                             {"dec_rtn_u64", operand},
                                                                             {"min_rtn_i64", operand},
                                                                             {"max_rtn_u64", memory},
                                                                             {"and_rtn_b64", 0},
                                                                             {"wrxchg_rtn_b64", operand}}) {
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      wave.vgpr[0][lane] = lane * 8;
      set_vector64(2, lane, operand);
      std::memcpy(&lds[lane * 8], &memory, 8);
    }
    run("ds_" + op);
    EXPECT_EQ(take<u64>(&lds[40]), expected) << op;
    EXPECT_EQ(vector64(8, 5), memory) << op;
  }
}

TEST_F(Lds, CompareExchangeAndMaskedOr) {
  wave.set_exec(1);
  const auto set = [&](u32 memory, u32 first, u32 second) {
    std::memcpy(&lds[0], &memory, 4);
    wave.vgpr[0][0] = 0;
    wave.vgpr[2][0] = first;
    wave.vgpr[4][0] = second;
  };
  set(5, 5, 9);  // DS compares with the first operand, unlike the vector memory instructions
  run("ds_cmpst_rtn_b32");
  EXPECT_EQ(take<u32>(&lds[0]), 9u);
  EXPECT_EQ(wave.vgpr[8][0], 5u);
  set(5, 6, 9);
  run("ds_cmpst_rtn_b32");
  EXPECT_EQ(take<u32>(&lds[0]), 5u);
  set(0x80000000, 0, 9);  // -0.0 equals 0.0
  run("ds_cmpst_rtn_f32");
  EXPECT_EQ(take<u32>(&lds[0]), 9u);
  set(0xffff0000, 0x00ff00ff, 0x00110011);
  run("ds_mskor_rtn_b32");
  EXPECT_EQ(take<u32>(&lds[0]), 0xff110011u);
  set(1, 2, 3);
  const u32 next = 7;
  std::memcpy(&lds[4], &next, 4);
  run("ds_wrxchg2_rtn_b32");
  EXPECT_EQ(take<u32>(&lds[0]), 2u);
  EXPECT_EQ(take<u32>(&lds[4]), 3u);
  EXPECT_EQ(wave.vgpr[8][0], 1u);
  EXPECT_EQ(wave.vgpr[9][0], 7u);
}

TEST_F(Lds, FloatAtomicsFollowTheDenormalMode) {
  wave.set_exec(1);
  wave.vgpr[0][0] = 0;
  const float tiny = 1e-40f;
  const auto add_tiny = [&] {
    std::memcpy(&lds[0], &tiny, 4);
    wave.vgpr[2][0] = bits(tiny);
    run("ds_add_rtn_f32");
    return take<float>(&lds[0]);
  };
  EXPECT_EQ(add_tiny(), tiny + tiny);
  wave.mode.denorm_f32 = 0;
  EXPECT_EQ(add_tiny(), 0.0f);
  const float one = 1;
  std::memcpy(&lds[0], &one, 4);
  wave.vgpr[2][0] = bits(-2.0f);
  run("ds_min_rtn_f32");
  EXPECT_EQ(take<float>(&lds[0]), -2.0f);
  wave.vgpr[2][0] = bits(3.0f);
  run("ds_max_rtn_f32");
  EXPECT_EQ(take<float>(&lds[0]), 3.0f);
  EXPECT_EQ(wave.vgpr[8][0], bits(-2.0f));
  // Lanes add in ascending order.
  wave.set_exec(7);
  const float values[3] = {1e8f, -1e8f, 1.0f};
  const float zero = 0;
  std::memcpy(&lds[0], &zero, 4);
  for (unsigned lane = 0; lane < 3; ++lane) {
    wave.vgpr[0][lane] = 0;
    wave.vgpr[2][lane] = bits(values[lane]);
  }
  run("ds_add_rtn_f32");
  EXPECT_EQ(take<float>(&lds[0]), 1.0f);
}

TEST_F(Lds, PermutesMoveValuesBetweenActiveLanes) {
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    wave.vgpr[0][lane] = ((lane * 5) % 64) * 4 + lane % 4;  // the two lowest bits do not matter
    wave.vgpr[2][lane] = 100 + lane;
  }
  wave.set_exec(kSomeLanes);
  std::fill_n(wave.vgpr[8], kLanes, kUntouched);
  run("ds_permute_b32");
  std::vector<u32> pushed(kLanes, 0);
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if (kSomeLanes >> lane & 1) pushed[(lane * 5) % 64] = 100 + lane;
  }
  for (unsigned lane = 0; lane < kLanes; ++lane)
    ASSERT_EQ(wave.vgpr[8][lane], (kSomeLanes >> lane & 1) ? pushed[lane] : kUntouched);
  run("ds_bpermute_b32");  // offset:4 moves on by one lane
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    const unsigned from = (((lane * 5) % 64) * 4 + lane % 4 + 4) / 4 % 64;
    const u32 pulled = (kSomeLanes >> from & 1) ? 100 + from : 0;
    if (kSomeLanes >> lane & 1) {
      ASSERT_EQ(wave.vgpr[8][lane], pulled) << lane;
    }
  }
  EXPECT_EQ(counters.lds, 1u);
}

TEST_F(Lds, SwizzlePatternsWorkInGroupsOfTheirSize) {
  for (unsigned lane = 0; lane < kLanes; ++lane) wave.vgpr[2][lane] = lane;
  const auto expect = [&](const std::string& snippet, const std::function<unsigned(unsigned)>& from) {
    run(snippet);
    for (unsigned lane = 0; lane < kLanes; ++lane) ASSERT_EQ(wave.vgpr[8][lane], from(lane)) << snippet << " " << lane;
  };
  expect("ds_swizzle_reverse", [](unsigned lane) { return lane / 32 * 32 + 31 - lane % 32; });
  expect("ds_swizzle_xor", [](unsigned lane) { return lane ^ 16; });
  expect("ds_swizzle_broadcast", [](unsigned lane) { return lane / 8 * 8 + 3; });
  const unsigned quad[] = {3, 0, 0, 1};
  expect("ds_swizzle_quad", [&](unsigned lane) { return lane / 4 * 4 + quad[lane % 4]; });
  wave.set_exec(0b10);
  run("ds_swizzle_quad");
  EXPECT_EQ(wave.vgpr[8][1], 0u) << "an inactive lane gives 0";
}

TEST_F(Lds, AppendAndConsumeCountTheActiveLanes) {
  constexpr u32 kBase = 40, kStart = 1000;
  const auto counter = [&] { return take<u32>(&lds[kBase + 4]); };
  std::memcpy(&lds[kBase + 4], &kStart, 4);
  wave.sgpr[kM0] = 0xffff0000 | kBase;  // M0[31:16] is no part of the address
  wave.vgpr[8][0] = 7;
  wave.set_exec(0xf0f0);
  run("ds_append");
  EXPECT_EQ(counter(), kStart + 8);
  EXPECT_EQ(wave.vgpr[8][4], kStart);
  EXPECT_EQ(wave.vgpr[8][15], kStart);
  EXPECT_EQ(wave.vgpr[8][0], 7u) << "an inactive lane keeps its value";
  wave.set_exec(0b111);
  run("ds_consume");
  EXPECT_EQ(counter(), kStart + 5);
  EXPECT_EQ(wave.vgpr[8][2], kStart + 8);
  wave.sgpr[kM0] = kLdsBytes - 4;
  EXPECT_EQ(fault_kind("ds_append"), Fault::Kind::kLdsOutOfRange);
}

TEST_F(Lds, RefusesWhatItDoesNotModel) {
  EXPECT_EQ(fault_kind("ds_read_addtid_b32"), Fault::Kind::kUnsupportedInstruction);
}

TEST_F(Lds, IsReachedThroughFlatAddresses) {
  for (unsigned lane = 0; lane < kLanes; ++lane) set_vector64(0, lane, kSharedApertureBase + offset(lane));
  run("flat_load_dword");
  for (unsigned lane = 0; lane < kLanes; ++lane) ASSERT_EQ(wave.vgpr[8][lane], take<u32>(&lds[offset(lane)]));
  EXPECT_EQ(counters.lds, 1u);
  EXPECT_EQ(counters.vmem_read, 0u);
  set_vector64(0, 5, kSharedApertureBase + kLdsBytes);
  EXPECT_EQ(fault_kind("flat_load_dword"), Fault::Kind::kLdsOutOfRange);
  set_vector64(0, 5, kSharedApertureBase + kApertureBytes);
  EXPECT_EQ(fault_kind("flat_load_dword"), Fault::Kind::kMemoryAccess);
}

}  // namespace
}  // namespace kernloop::softgpu::testing
