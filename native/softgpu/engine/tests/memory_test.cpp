// Vector memory, private memory, buffers and LDS against host memory.
#include <algorithm>
#include <cmath>
#include <functional>

#include "softgpu/engine/tests/lone_wave.h"

namespace kernloop::softgpu::testing {
namespace {

using u32 = uint32_t;
using u64 = uint64_t;
using i32 = int32_t;

constexpr u32 kUntouched = 0xfeedface;

u32 bits(float f) { u32 b; std::memcpy(&b, &f, 4); return b; }
u64 bits(double f) { u64 b; std::memcpy(&b, &f, 8); return b; }

template <typename T>
T take(const uint8_t* from) { T value; std::memcpy(&value, from, sizeof value); return value; }

class Memory : public LoneWave, public ::testing::Test {
 protected:
  static constexpr size_t kBytes = 8192;
  Array<uint8_t> data{space, kBytes, "data"};

  Memory() {
    for (size_t k = 0; k < kBytes; ++k) data[k] = static_cast<uint8_t>(k * 37 + (k >> 8) * 11 + 129);
    for (unsigned row = 8; row < 12; ++row) std::fill_n(wave.vgpr[row], kLanes, kUntouched);
  }

  // Every lane's address: scattered, unaligned, descending.
  u64 place(unsigned lane) { return data.address() + (63 - lane) * 97 + 5; }
  void set_addresses() {
    for (unsigned lane = 0; lane < kLanes; ++lane) set_vector64(0, lane, place(lane));
  }
  const uint8_t* host(unsigned lane) { return reinterpret_cast<const uint8_t*>(place(lane)); }
};

constexpr u64 kSomeLanes = 0xf0f0'1234'8765'0f01;

TEST_F(Memory, LoadsOfEverySizeExtendAsNamed) {
  using Oracle = std::function<u32(const uint8_t*)>;
  const std::vector<std::pair<std::string, Oracle>> table = {
      {"ubyte", [](const uint8_t* p) { return u32{*p}; }},
      {"sbyte", [](const uint8_t* p) { return u32(i32{int8_t(*p)}); }},
      {"ushort", [](const uint8_t* p) { return u32{take<uint16_t>(p)}; }},
      {"sshort", [](const uint8_t* p) { return u32(i32{take<int16_t>(p)}); }},
      {"dword", [](const uint8_t* p) { return take<u32>(p); }},
      // With SRAM ECC the other half of the register becomes 0.
      {"ubyte_d16", [](const uint8_t* p) { return u32{*p}; }},
      {"ubyte_d16_hi", [](const uint8_t* p) { return u32{*p} << 16; }},
      {"sbyte_d16", [](const uint8_t* p) { return u32(i32{int8_t(*p)}) & 0xffff; }},
      {"sbyte_d16_hi", [](const uint8_t* p) { return u32(i32{int8_t(*p)}) << 16; }},
      {"short_d16", [](const uint8_t* p) { return u32{take<uint16_t>(p)}; }},
      {"short_d16_hi", [](const uint8_t* p) { return u32{take<uint16_t>(p)} << 16; }},
  };
  set_addresses();
  for (const auto& [size, oracle] : table) {
    for (const std::string space_name : {"global", "flat"}) {
      for (u64 exec : {~u64{0}, kSomeLanes}) {
        wave.set_exec(exec);
        std::fill_n(wave.vgpr[8], kLanes, kUntouched);
        run(space_name + "_load_" + size);
        for (unsigned lane = 0; lane < kLanes; ++lane) {
          ASSERT_EQ(wave.vgpr[8][lane], (exec >> lane & 1) ? oracle(host(lane)) : kUntouched) << space_name << size << lane;
        }
      }
    }
  }
}

TEST_F(Memory, WideLoadsFillConsecutiveRegisters) {
  set_addresses();
  for (unsigned dwords : {2u, 3u, 4u}) {
    for (unsigned row = 8; row < 12; ++row) std::fill_n(wave.vgpr[row], kLanes, kUntouched);
    wave.set_exec(kSomeLanes);
    run("global_load_dwordx" + std::to_string(dwords));
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      for (unsigned k = 0; k < 4; ++k) {
        const bool loaded = (kSomeLanes >> lane & 1) && k < dwords;
        ASSERT_EQ(wave.vgpr[8 + k][lane], loaded ? take<u32>(host(lane) + 4 * k) : kUntouched) << dwords << " " << lane << " " << k;
      }
    }
  }
  wave.set_exec(~u64{0});
  run("global_load_agpr");
  EXPECT_EQ(wave.agpr[9][3], take<u32>(host(3) + 4));
  run("global_load_over_address");
  EXPECT_EQ(vector64(0, 63), take<u64>(host(63)));
}

TEST_F(Memory, ScalarBasePlusUnsignedVectorOffset) {
  wave.set_sgpr64(0, data.address() - 0x80000000ull + 32);
  for (unsigned lane = 0; lane < kLanes; ++lane) wave.vgpr[0][lane] = 0x80000000u + lane * 8;  // not negative
  run("global_load_saddr");
  for (unsigned lane = 0; lane < kLanes; ++lane) ASSERT_EQ(wave.vgpr[8][lane], take<u32>(&data[16 + lane * 8]));
}

TEST_F(Memory, ContiguousAccessesCountTheirLines) {
  const u64 aligned = (data.address() + 63) & ~u64{63};
  const auto lines = [&](const std::string& snippet, auto address) {
    for (unsigned lane = 0; lane < kLanes; ++lane) set_vector64(0, lane, address(lane));
    run(snippet);
    return counters.memory_transactions;
  };
  EXPECT_EQ(lines("global_load_dword", [&](unsigned lane) { return aligned + 4 * lane; }), 4u);
  EXPECT_EQ(lines("global_load_dword", [&](unsigned lane) { return aligned + 4 * lane + 2; }), 5u);
  EXPECT_EQ(lines("global_load_dword", [&](unsigned lane) { return aligned + 4 * (63 - lane); }), 4u);
  EXPECT_EQ(lines("global_load_dwordx4", [&](unsigned lane) { return aligned + 16 * lane; }), 16u);
  EXPECT_EQ(lines("global_load_dword", [&](unsigned) { return aligned; }), 1u);
  EXPECT_EQ(lines("global_load_dword", [&](unsigned lane) { return aligned + 64 * lane; }), 64u);
  EXPECT_EQ(lines("global_load_dword", [&](unsigned lane) { return aligned + 64 * ((lane * 7) % 64); }), 64u);
  EXPECT_EQ(lines("global_load_dword", [&](unsigned lane) { return aligned + 62 + 64 * (lane % 2); }), 3u);
  wave.set_exec(0b1001);
  EXPECT_EQ(lines("global_load_dword", [&](unsigned lane) { return aligned + 64 * lane; }), 2u);
  EXPECT_EQ(counters.bytes_read, 8u);
  EXPECT_EQ(counters.active_lanes, 2u);
}

TEST_F(Memory, StoresOfEverySizeTouchOnlyTheirBytes) {
  struct Row { std::string size; unsigned bytes, shift; };
  for (const Row& row : {Row{"byte", 1, 0}, Row{"byte_d16_hi", 1, 16}, Row{"short", 2, 0}, Row{"short_d16_hi", 2, 16}, Row{"dword", 4, 0},
                         Row{"dwordx2", 8, 0}, Row{"dwordx3", 12, 0}, Row{"dwordx4", 16, 0}}) {
    std::vector<uint8_t> expected(data.begin(), data.end());
    set_addresses();
    wave.set_exec(kSomeLanes);
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      u32 values[4];
      for (unsigned k = 0; k < 4; ++k) wave.vgpr[2 + k][lane] = values[k] = 0x01020304u * (lane + 3) + k * 0x77000055u;
      values[0] >>= row.shift;
      if (kSomeLanes >> lane & 1) std::memcpy(&expected[place(lane) - data.address()], values, row.bytes);
    }
    run("global_store_" + row.size);
    ASSERT_TRUE(std::equal(expected.begin(), expected.end(), data.begin())) << row.size;
  }
}

TEST_F(Memory, TheHighestLaneWinsAStoreConflict) {
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    set_vector64(0, lane, data.address());
    wave.vgpr[2][lane] = lane;
  }
  wave.set_exec(0x00ffffffffffffff);
  run("global_store_dword");
  EXPECT_EQ(take<u32>(&data[0]), 55u);
}

TEST_F(Memory, AnAccessThatSpansTwoMappingsIsAMissButLanesMayUseBoth) {
  Array<uint8_t> other(space, 4096, "other");
  for (unsigned lane = 0; lane < kLanes; ++lane) set_vector64(0, lane, (lane % 2 ? other.address() : data.address()) + 4 * lane);
  run("global_load_dword");
  EXPECT_EQ(wave.vgpr[8][2], take<u32>(&data[8]));
  EXPECT_EQ(wave.vgpr[8][3], 0u);
  set_vector64(0, 9, data.address() + kBytes - 2);
  const std::optional<WaveFault> fault = try_run("global_load_dword");
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->lane, 9);
  EXPECT_EQ(fault->bytes, 4u);
  wave.set_exec(~(u64{1} << 9));
  run("global_load_dword");  // an inactive lane's address does not matter
}

TEST_F(Memory, AnAllocationMadeMeanwhileIsFound) {
  set_addresses();
  run("global_load_dword");
  // The port of a running dispatch works on a snapshot; a miss must look again before it faults.
  port.emplace(space, nullptr);
  Array<u32> late(space, 64, "late");
  LaneAddresses addresses;
  for (unsigned lane = 0; lane < kLanes; ++lane) addresses.at[lane] = late.address() + 4 * lane;
  EXPECT_NO_THROW(port->check_global(addresses, ~u64{0}, 4, AccessKind::kStore));
  EXPECT_TRUE(addresses.contiguous);
}

// -- atomics ----------------------------------------------------------------------------------------------------------

using Oracle32 = std::function<u32(u32 memory, u32 data)>;
const std::vector<std::pair<std::string, Oracle32>>& integer_atomics() {
  static const std::vector<std::pair<std::string, Oracle32>> table = {
      {"swap", [](u32, u32 d) { return d; }},
      {"add", [](u32 m, u32 d) { return m + d; }},
      {"sub", [](u32 m, u32 d) { return m - d; }},
      {"smin", [](u32 m, u32 d) { return u32(std::min(i32(m), i32(d))); }},
      {"umin", [](u32 m, u32 d) { return std::min(m, d); }},
      {"smax", [](u32 m, u32 d) { return u32(std::max(i32(m), i32(d))); }},
      {"umax", [](u32 m, u32 d) { return std::max(m, d); }},
      {"and", [](u32 m, u32 d) { return m & d; }},
      {"or", [](u32 m, u32 d) { return m | d; }},
      {"xor", [](u32 m, u32 d) { return m ^ d; }},
      {"inc", [](u32 m, u32 d) { return m < d ? m + 1 : 0; }},
      {"dec", [](u32 m, u32 d) { return m != 0 && m <= d ? m - 1 : d; }},
  };
  return table;
}

const u32 kValues[] = {0, 1, 5, 6, 7, 0x7fffffff, 0x80000000, 0xfffffffa, 0xffffffff};

TEST_F(Memory, AtomicsReturnTheOldValueAndLeaveTheNew) {
  // Lane k: memory value k / 9, data value k % 9 (all pairs fit twice over).
  for (unsigned round = 0; round < 2; ++round) {
    const auto pair = [&](unsigned lane) { const unsigned k = (lane + round * 40) % 81; return std::make_pair(kValues[k / 9], kValues[k % 9]); };
    for (const auto& [op, oracle] : integer_atomics()) {
      for (const std::string kind : {"global", "flat", "buffer"}) {
        for (unsigned lane = 0; lane < kLanes; ++lane) {
          const auto [memory, operand] = pair(lane);
          std::memcpy(&data[lane * 8], &memory, 4);
          set_vector64(0, lane, kind == "buffer" ? lane * 8 : data.address() + lane * 8);
          wave.vgpr[2][lane] = operand;
        }
        wave.set_sgpr64(0, data.address());
        wave.set_sgpr64(2, kBytes);
        run(kind + "_atomic_" + op);
        for (unsigned lane = 0; lane < kLanes; ++lane) {
          const auto [memory, operand] = pair(lane);
          ASSERT_EQ(wave.vgpr[kind == "buffer" ? 2 : 8][lane], memory) << kind << op;
          ASSERT_EQ(take<u32>(&data[lane * 8]), oracle(memory, operand)) << kind << op << std::hex << " " << memory << " " << operand;
        }
        EXPECT_EQ(counters.atomics, 1u);
      }
    }
  }
}

TEST_F(Memory, LanesOfOneAtomicAddUp) {
  std::memset(&data[0], 0, 8);
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    set_vector64(0, lane, data.address());
    wave.vgpr[2][lane] = lane;
  }
  wave.set_exec(~u64{1});
  run("global_atomic_add_no_return");
  EXPECT_EQ(take<u32>(&data[0]), 63u * 64 / 2);
  EXPECT_EQ(wave.vgpr[8][5], kUntouched) << "nothing is returned without glc";
  run("global_atomic_add");
  EXPECT_EQ(wave.vgpr[8][1], 2016u);
  EXPECT_EQ(wave.vgpr[8][3], 2016u + 1 + 2);
}

TEST_F(Memory, SixtyFourBitAtomicsCarryAcrossTheHalves) {
  const u64 memory = 0x00000000ffffffff, operand = 0x8000000000000001;
  const std::vector<std::pair<std::string, u64>> table = {
      {"add", memory + operand}, {"sub", memory - operand}, {"smin", operand}, {"umin", memory}, {"smax", memory}, {"umax", operand},
      {"and", 1},  {"or", memory | operand}, {"xor", memory ^ operand}, {"inc", memory + 1}, {"dec", memory - 1}, {"swap", operand}};
  for (const auto& [op, expected] : table) {
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      std::memcpy(&data[lane * 8], &memory, 8);
      set_vector64(0, lane, data.address() + lane * 8);
      set_vector64(2, lane, operand);
    }
    run("global_atomic_" + op + "_x2");
    EXPECT_EQ(take<u64>(&data[17 * 8]), expected) << op;
    EXPECT_EQ(vector64(8, 17), memory) << op;
  }
}

TEST_F(Memory, CompareAndSwapStoresTheFirstOperandWhenTheSecondMatches) {
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    const u64 memory = 100 + lane % 2;
    std::memcpy(&data[lane * 8], &memory, 8);
    set_vector64(0, lane, data.address() + lane * 8);
    wave.vgpr[2][lane] = 7;
    wave.vgpr[3][lane] = 101;
  }
  run("global_atomic_cmpswap");
  EXPECT_EQ(take<u32>(&data[0]), 100u);
  EXPECT_EQ(take<u32>(&data[8]), 7u);
  EXPECT_EQ(wave.vgpr[8][1], 101u);
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    set_vector64(2, lane, 0x1122334455667788);
    set_vector64(4, lane, 100);
  }
  run("global_atomic_cmpswap_x2");
  EXPECT_EQ(take<u64>(&data[0]), 0x1122334455667788u);
  EXPECT_EQ(take<u64>(&data[8]), 7u);
}

TEST_F(Memory, FloatAtomicsRoundAndTreatDenormalsAsTheHardwareDoes) {
  struct Row { float memory, operand, sum; };
  const Row rows[] = {{1.5f, 2.25f, 3.75f}, {1e30f, -1e30f, 0.0f}, {16777216.0f, 1.0f, 16777216.0f}, {-0.0f, -0.0f, -0.0f},
                      {1e-40f, 1e-40f, 0.0f},       // denormal operands are flushed
                      {1.5e-38f, -1.4e-38f, 0.0f},  // and so are denormal results
                      {3e38f, 3e38f, HUGE_VALF}};
  for (const Row& row : rows) {
    std::memcpy(&data[0], &row.memory, 4);
    set_vector64(0, 0, data.address());
    wave.vgpr[2][0] = bits(row.operand);
    wave.set_exec(1);
    run("global_atomic_add_f32");
    EXPECT_EQ(take<u32>(&data[0]), bits(row.sum)) << row.memory << " + " << row.operand;
    EXPECT_EQ(wave.vgpr[8][0], bits(row.memory));
  }
  // infinity - infinity is the positive quiet NaN, unlike x86's
  std::memcpy(&data[0], std::vector<u32>{0x7f800000}.data(), 4);
  wave.vgpr[2][0] = 0xff800000;
  run("global_atomic_add_f32");
  EXPECT_EQ(take<u32>(&data[0]), 0x7fc00000u);

  for (const auto& [op, expected] : std::vector<std::pair<std::string, double>>{{"add", 5e-310 - 3.0}, {"min", -3.0}, {"max", 5e-310}}) {
    const double memory = 5e-310;
    std::memcpy(&data[0], &memory, 8);
    set_vector64(2, 0, bits(-3.0));
    run("global_atomic_" + op + "_f64");
    EXPECT_EQ(take<u64>(&data[0]), bits(expected)) << op;
  }
  const double nan = NAN;
  std::memcpy(&data[0], &nan, 8);
  run("global_atomic_max_f64");
  EXPECT_EQ(take<double>(&data[0]), -3.0) << "a number wins over a NaN";
}

TEST_F(Memory, PackedHalvesAddIndependently) {
  struct Row { u32 memory, operand, sum; };
  const Row rows[] = {{0x3c004000, 0x3c003800, 0x40004100},   // 1 + 1 = 2, 2 + 0.5 = 2.5
                      {0x7bff7bff, 0x7bff0000, 0x7c007bff},   // overflow to infinity
                      {0x00010001, 0x00018001, 0x00020000},   // denormals are kept
                      {0x68006801, 0x3c003c00, 0x68006802},   // ties go to even: 2048 + 1, 2050 + 1
                      {0x7c007e01, 0xfc003c00, 0x7e007e01}};  // inf - inf, NaN
  for (const Row& row : rows) {
    std::memcpy(&data[0], &row.memory, 4);
    set_vector64(0, 0, data.address());
    wave.vgpr[2][0] = row.operand;
    wave.set_exec(1);
    run("global_atomic_pk_add_f16");
    EXPECT_EQ(take<u32>(&data[0]), row.sum) << std::hex << row.memory << " + " << row.operand;
  }
}

TEST_F(Memory, AtomicsNeedNaturalAlignment) {
  for (unsigned lane = 0; lane < kLanes; ++lane) set_vector64(0, lane, data.address() + lane * 8 + (lane == 3 ? 4 : 0));
  run("global_atomic_add");
  const std::optional<WaveFault> fault = try_run("global_atomic_add_x2");
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->kind, Fault::Kind::kMisaligned);
  EXPECT_EQ(fault->lane, 3);
}

// -- private memory ---------------------------------------------------------------------------------------------------

TEST_F(Memory, PrivateMemoryIsEachLanesOwnAndInterleavedByDwords) {
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    wave.vgpr[0][lane] = 16;
    wave.vgpr[2][lane] = 500 + lane;
  }
  run("scratch_store_dword");
  EXPECT_EQ(counters.scratch, 1u);
  EXPECT_EQ(counters.vmem_write, 0u);
  run("scratch_load_dword");
  for (unsigned lane = 0; lane < kLanes; ++lane) ASSERT_EQ(wave.vgpr[8][lane], 500 + lane);
  // The same place through the private segment buffer, whose scalar offset counts 64 for each byte of a lane.
  wave.set_sgpr64(0, kScratchWaveBase | u64{1} << 63);
  wave.set_sgpr64(2, 0xffffffffull | u64{(3u << 21) | (1u << 23)} << 32);
  wave.sgpr[32] = 4 * 64;
  run("private_buffer_load");  // 4 + 12
  for (unsigned lane = 0; lane < kLanes; ++lane) ASSERT_EQ(wave.vgpr[8][lane], 500 + lane);
  for (unsigned lane = 0; lane < kLanes; ++lane) wave.vgpr[0][lane] = (lane % 4) * 4;
  run("private_buffer_store");  // 4 + 4 + 4 * (lane % 4)
  for (unsigned lane = 0; lane < kLanes; ++lane) wave.vgpr[0][lane] = 8 + (lane % 4) * 4;
  std::fill_n(wave.vgpr[8], kLanes, 0);
  run("scratch_load_dword");
  for (unsigned lane = 0; lane < kLanes; ++lane) ASSERT_EQ(wave.vgpr[8][lane], 500 + lane);
  // And as a flat address.
  for (unsigned lane = 0; lane < kLanes; ++lane) set_vector64(0, lane, kPrivateApertureBase + 8 + (lane % 4) * 4);
  run("flat_load_dword");
  for (unsigned lane = 0; lane < kLanes; ++lane) ASSERT_EQ(wave.vgpr[8][lane], 500 + lane);
  EXPECT_EQ(counters.scratch, 1u);
  EXPECT_EQ(counters.vmem_read, 0u);
  EXPECT_EQ(fault_kind("private_buffer_load_x2"), Fault::Kind::kUnsupportedInstruction);
}

TEST_F(Memory, WideAndUnalignedPrivateAccessesKeepTheirBytesTogether) {
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    set_vector64(0, lane, kPrivateApertureBase + 3 + lane % 5);
    for (unsigned k = 0; k < 4; ++k) wave.vgpr[2 + k][lane] = lane * 0x01010101u + k * 0x10203040u;
  }
  wave.set_exec(kSomeLanes);
  run("flat_store_dwordx4");
  run("flat_load_dwordx4");
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    for (unsigned k = 0; k < 4; ++k) ASSERT_EQ(wave.vgpr[8 + k][lane], (kSomeLanes >> lane & 1) ? wave.vgpr[2 + k][lane] : kUntouched);
  }
  // Single bytes of it.
  for (unsigned byte = 0; byte < 16; ++byte) {
    for (unsigned lane = 0; lane < kLanes; ++lane) wave.vgpr[0][lane] = 3 + lane % 5 + byte;
    run("scratch_load_ubyte");
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      if (kSomeLanes >> lane & 1) {
        ASSERT_EQ(wave.vgpr[8][lane], (wave.vgpr[2 + byte / 4][lane] >> (byte % 4 * 8)) & 0xff);
      }
    }
  }
}

TEST_F(Memory, PrivateMemoryEndsWhereTheKernelSaid) {
  for (unsigned lane = 0; lane < kLanes; ++lane) wave.vgpr[0][lane] = lane == 7 ? kPrivateBytes : 0;
  const std::optional<WaveFault> fault = try_run("scratch_store_dword");
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->kind, Fault::Kind::kScratchOutOfRange);
  EXPECT_EQ(fault->lane, 7);
  EXPECT_EQ(fault->address, kPrivateBytes);
  wave.vgpr[0][7] = kPrivateBytes - 4;
  run("scratch_store_dword");
  EXPECT_EQ(fault_kind("scratch_store_dwordx4"), Fault::Kind::kScratchOutOfRange);
  wave.vgpr[0][7] = static_cast<u32>(-4);
  EXPECT_EQ(fault_kind("scratch_load_dword"), Fault::Kind::kScratchOutOfRange);
  wave.vgpr[0][7] = 0;
  wave.set_sgpr64(kFlatScratch, kScratchBackingBase);  // a prolog that forgot the wave offset
  EXPECT_EQ(fault_kind("scratch_load_dword"), Fault::Kind::kScratchOutOfRange);
}

TEST_F(Memory, ANewWaveFindsItsPrivateMemoryZero) {
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    wave.vgpr[0][lane] = lane % 64 * 4;
    wave.vgpr[2][lane] = 0xffffffff;
  }
  run("scratch_store_dword");
  wave.scratch.begin_wave(kPrivateBytes);
  run("scratch_load_dword");
  EXPECT_EQ(std::count(wave.vgpr[8], wave.vgpr[8] + kLanes, 0u), 64);
}

// -- buffers ----------------------------------------------------------------------------------------------------------

TEST_F(Memory, RawBuffersReadZeroAndDropWritesDwordByDwordPastTheirEnd) {
  wave.set_sgpr64(0, data.address());
  wave.set_sgpr64(2, 100);  // bytes
  wave.sgpr[8] = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane) wave.vgpr[0][lane] = lane * 4;
  run("buffer_load_raw");
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    const u32 offset = lane * 4 + 4;
    ASSERT_EQ(wave.vgpr[8][lane], offset + 4 <= 100 ? take<u32>(&data[offset]) : 0u) << lane;
    ASSERT_EQ(wave.vgpr[9][lane], offset + 8 <= 100 ? take<u32>(&data[offset + 4]) : 0u) << lane;
  }
  wave.vgpr[0][5] = 0x80000000;  // what compilers use for a masked lane
  run("buffer_load_raw");
  EXPECT_EQ(wave.vgpr[8][5], 0u);
  std::vector<uint8_t> expected(data.begin(), data.end());
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    wave.vgpr[0][lane] = lane == 24 ? 96 : 4000;
    wave.vgpr[2][lane] = 11;
    wave.vgpr[3][lane] = 12;
  }
  run("buffer_store_raw");
  const u32 eleven = 11;
  std::memcpy(&expected[96], &eleven, 4);
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), data.begin()));
}

TEST_F(Memory, ScalarOffsetsOfBuffersCountUnlessTheRangeCheckDependsOnThem) {
  wave.set_sgpr64(0, data.address());
  wave.set_sgpr64(2, 1000);
  wave.sgpr[8] = 200;
  for (unsigned lane = 0; lane < kLanes; ++lane) wave.vgpr[0][lane] = lane * 8;
  run("buffer_load_raw");
  EXPECT_EQ(wave.vgpr[8][10], take<u32>(&data[200 + 4 + 80]));
  wave.vgpr[0][10] = 900;
  EXPECT_EQ(fault_kind("buffer_load_raw"), Fault::Kind::kUnsupportedInstruction);
}

TEST_F(Memory, StructuredBuffersMultiplyTheIndexByTheStride) {
  wave.sgpr[0] = static_cast<u32>(data.address());
  wave.sgpr[1] = static_cast<u32>(data.address() >> 32) | 24u << 16;
  wave.set_sgpr64(2, 40);  // records
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    wave.vgpr[0][lane] = lane;
    wave.vgpr[1][lane] = lane % 3 * 4;
  }
  run("buffer_load_structured");
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    ASSERT_EQ(wave.vgpr[8][lane], lane < 40 ? take<u32>(&data[lane * 24 + lane % 3 * 4 + 4]) : 0u) << lane;
  }
  run("buffer_load_indexed");
  EXPECT_EQ(wave.vgpr[8][39], take<uint16_t>(&data[39 * 24]));
  EXPECT_EQ(wave.vgpr[8][40], 0u);
  wave.sgpr[1] |= 1u << 31;
  EXPECT_EQ(fault_kind("buffer_load_indexed"), Fault::Kind::kUnsupportedInstruction);
  run("buffer_caches");
}

// -- LDS --------------------------------------------------------------------------------------------------------------

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
  for (unsigned lane = 0; lane < kLanes; ++lane) ASSERT_EQ(wave.vgpr[8][lane], take<u32>(&lds[lane % 2 ? offset(lane) + 4 : 0])) << lane;
  run("ds_read2_b32");  // offsets 4 and 12
  for (unsigned lane = 0; lane < kLanes; lane += 2) {
    ASSERT_EQ(wave.vgpr[8][lane], take<u32>(&lds[0]));
    ASSERT_EQ(wave.vgpr[9][lane], take<u32>(&lds[8]));
  }
}

TEST_F(Lds, WritesTouchOnlyTheirBytes) {
  struct Row { std::string size; unsigned bytes, shift; };
  for (const Row& row : {Row{"b8", 1, 0}, Row{"b8_d16_hi", 1, 16}, Row{"b16", 2, 0}, Row{"b16_d16_hi", 2, 16}, Row{"b32", 4, 0},
                         Row{"b64", 8, 0}, Row{"b96", 12, 0}, Row{"b128", 16, 0}}) {
    std::vector<uint8_t> expected = lds;
    wave.set_exec(kSomeLanes);
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      u32 values[4];
      for (unsigned k = 0; k < 4; ++k) wave.vgpr[2 + k][lane] = values[k] = 0x31415926u * (lane + 3) + k * 0x27182818u + row.bytes;
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
  for (const auto& [op, expected] : std::vector<std::pair<std::string, u64>>{
           {"add_rtn_u64", memory + operand}, {"sub_rtn_u64", 1}, {"rsub_rtn_u64", operand - memory}, {"inc_rtn_u64", 0},
           {"dec_rtn_u64", operand}, {"min_rtn_i64", operand}, {"max_rtn_u64", memory}, {"and_rtn_b64", 0}, {"wrxchg_rtn_b64", operand}}) {
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
  for (unsigned lane = 0; lane < kLanes; ++lane) ASSERT_EQ(wave.vgpr[8][lane], (kSomeLanes >> lane & 1) ? pushed[lane] : kUntouched);
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

TEST_F(Lds, RefusesWhatItDoesNotModel) { EXPECT_EQ(fault_kind("ds_append"), Fault::Kind::kUnsupportedInstruction); }

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
