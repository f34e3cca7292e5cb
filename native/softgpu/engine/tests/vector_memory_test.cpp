// Loads and stores of global memory against host memory.
#include "softgpu/engine/tests/memory_fixture.h"

namespace kernloop::softgpu::testing {
namespace {

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
          ASSERT_EQ(wave.vgpr[8][lane], (exec >> lane & 1) ? oracle(host(lane)) : kUntouched)
              << space_name << size << lane;
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
        ASSERT_EQ(wave.vgpr[8 + k][lane], loaded ? take<u32>(host(lane) + 4 * k) : kUntouched)
            << dwords << " " << lane << " " << k;
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
  struct Row {
    std::string size;
    unsigned bytes, shift;
  };
  for (const Row& row : {Row{"byte", 1, 0}, Row{"byte_d16_hi", 1, 16}, Row{"short", 2, 0}, Row{"short_d16_hi", 2, 16},
                         Row{"dword", 4, 0}, Row{"dwordx2", 8, 0}, Row{"dwordx3", 12, 0}, Row{"dwordx4", 16, 0}}) {
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
  for (unsigned lane = 0; lane < kLanes; ++lane)
    set_vector64(0, lane, (lane % 2 ? other.address() : data.address()) + 4 * lane);
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

}  // namespace
}  // namespace kernloop::softgpu::testing
