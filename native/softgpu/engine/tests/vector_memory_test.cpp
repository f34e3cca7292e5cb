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

// Groups of 16 lanes whose elements are neighbours, or that read one place, as tiles and broadcasts have them; and what
// is nearly so. `skew` moves one lane.
struct Tile {
  u64 first[4];
  bool one_place[4];
  unsigned skew = kLanes;
  u64 at(unsigned lane, u64 bytes) const {
    return first[lane / 16] + (one_place[lane / 16] ? 0 : lane % 16 * bytes) + (lane == skew ? 1 : 0);
  }
};
const Tile kTiles[] = {
    {{0, 512, 1024, 1536}, {}},
    {{3, 515, 1027, 1539}, {}},                     // unaligned
    {{1536, 1024, 512, 0}, {}},                     // descending
    {{64, 80, 100, 100}, {}},                       // over each other: the later lane is stored
    {{16, 16, 512, 40}, {true, true, true, true}},  // broadcasts
    {{0, 256, 260, 2048}, {false, true, true, false}},
    {{0, 512, 1024, 1536}, {}, 33},
    {{0, 512, 1024, 1536}, {true, true, true, true}, 63},
};

TEST_F(Memory, TilesAndBroadcastsAreReadLaneByLane) {
  for (const Tile& tile : kTiles) {
    for (const auto& [size, bytes] : {std::pair{"sshort", 2u},
                                      {"ubyte_d16_hi", 1u},
                                      {"dword", 4u},
                                      {"dwordx2", 8u},
                                      {"dwordx3", 12u},
                                      {"dwordx4", 16u}}) {
      for (unsigned lane = 0; lane < kLanes; ++lane) set_vector64(0, lane, data.address() + tile.at(lane, bytes));
      for (const char* const space_name : {"global_load_", "flat_load_"}) {
        for (unsigned row = 8; row < 12; ++row) std::fill_n(wave.vgpr[row], kLanes, kUntouched);
        run(std::string(space_name) + size);
        for (unsigned lane = 0; lane < kLanes; ++lane) {
          const uint8_t* const from = &data[tile.at(lane, bytes)];
          for (unsigned k = 0; k < (bytes + 3) / 4; ++k) {
            const u32 expected = bytes == 1   ? u32{*from} << 16
                                 : bytes == 2 ? u32(i32{take<int16_t>(from)})
                                              : take<u32>(from + 4 * k);
            ASSERT_EQ(wave.vgpr[8 + k][lane], expected) << space_name << size << " " << lane;
          }
        }
      }
    }
  }
}

TEST_F(Memory, TilesAreStoredLaneByLane) {
  for (const Tile& tile : kTiles) {
    for (const auto& [size, bytes] :
         {std::pair{"byte", 1u}, {"short", 2u}, {"dword", 4u}, {"dwordx2", 8u}, {"dwordx3", 12u}, {"dwordx4", 16u}}) {
      const std::vector<uint8_t> before(data.begin(), data.end());
      std::vector<uint8_t> expected = before;
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        set_vector64(0, lane, data.address() + tile.at(lane, bytes));
        u32 values[4];
        for (unsigned k = 0; k < 4; ++k)
          wave.vgpr[2 + k][lane] = values[k] = 0x01020304u * (lane + bytes) + k * 0x77000055u;
        std::memcpy(&expected[tile.at(lane, bytes)], values, bytes);
      }
      for (const char* const space_name : {"global_store_", "flat_store_"}) {
        std::copy(before.begin(), before.end(), data.begin());
        run(std::string(space_name) + size);
        ASSERT_TRUE(std::equal(expected.begin(), expected.end(), data.begin())) << space_name << size;
      }
    }
  }
}

// The low halves alone are rows: of other pages, or with a carry between the lanes of a group.
TEST_F(Memory, RowsOfSeveralHighHalvesFaultAtTheLaneThatMisses) {
  const auto fault_at = [&](unsigned lane, u64 address) {
    for (unsigned k = 0; k < kLanes; ++k) set_vector64(0, k, data.address() + k / 16 * 512 + k % 16 * 4);
    set_vector64(0, lane, address);
    const std::optional<WaveFault> fault = try_run("global_load_dword");
    EXPECT_TRUE(fault && fault->address == address && fault->lane == i32(lane) && fault->bytes == 4);
    EXPECT_EQ(counters.bytes_read, 0u);
  };
  for (unsigned lane : {1u, 16u, 47u, 63u}) {
    const u64 right = data.address() + lane / 16 * 512 + lane % 16 * 4;
    fault_at(lane, right + (u64{1} << 32));
  }
  const u64 base = (data.address() & ~u64{0xffffffff}) | 0xffffffe0;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    const u64 next = (base & ~u64{0xffffffff}) | static_cast<u32>(base + lane % 16 * 4);
    set_vector64(0, lane, lane < 32 ? data.address() + lane / 16 * 512 + lane % 16 * 4 : next);
  }
  const std::optional<WaveFault> fault = try_run("global_load_dword");
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->lane, 32);
  EXPECT_EQ(fault->address, base);
}

TEST_F(Memory, ARowThatEndsBehindItsMappingFaultsAtItsFirstLaneOutside) {
  for (const std::string access : {"load", "store"}) {
    for (const u64 inside : {40u, 61u, 63u}) {
      const auto at = [&](unsigned lane) {
        return data.address() + (lane < 48 ? lane / 16 * 512 : kBytes - inside) + lane % 16 * 4;
      };
      for (unsigned lane = 0; lane < kLanes; ++lane) set_vector64(0, lane, at(lane));
      const std::vector<uint8_t> before(data.begin(), data.end());
      const std::optional<WaveFault> fault = try_run("global_" + access + "_dword");
      ASSERT_TRUE(fault);
      EXPECT_EQ(fault->lane, i32(48 + inside / 4));
      EXPECT_EQ(fault->address, at(48 + inside / 4));
      EXPECT_EQ(fault->is_write, access == "store");
      EXPECT_TRUE(std::equal(before.begin(), before.end(), data.begin()));
    }
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
