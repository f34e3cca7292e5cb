// The forms of lane_scan.h and lane_moves.h for different hosts agree with each other and with the plainest loop.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include "softgpu/engine/access/transfer.h"
#include "softgpu/engine/lanes/host_avx512.h"
#include "softgpu/engine/lanes/lane_moves.h"
#include "softgpu/engine/lanes/lane_moves_portable.h"
#include "softgpu/engine/lanes/lane_scan.h"
#include "softgpu/engine/lanes/lane_scan_portable.h"

namespace kernloop::softgpu {

// lane_scan_portable.cpp as a host without AVX2 runs it (lane_scan_baseline.cpp).
namespace baseline {
LaneScan scan_lanes(const uint64_t* addresses, uint32_t bytes);
bool are_contiguous(const uint32_t* low, const uint32_t* high, uint32_t bytes, unsigned lanes);
bool find_rows(const uint32_t* low, const uint32_t* high, uint32_t bytes, unsigned lanes, LaneRows& rows);
uint64_t count_group_lines(const uint64_t* addresses, unsigned shift);
unsigned count_near_lines(const uint64_t* addresses, uint32_t bytes, unsigned shift, uint64_t first);
OffsetScan scan_offsets(const uint32_t* offsets, uint64_t lanes, uint32_t bytes);
}  // namespace baseline

namespace {

void expect_same(const LaneScan& one, const LaneScan& two) {
  ASSERT_EQ(one.lowest, two.lowest);
  ASSERT_EQ(one.highest, two.highest);
  ASSERT_EQ(one.any_bits, two.any_bits);
  ASSERT_EQ(one.contiguous, two.contiguous);
  ASSERT_EQ(one.lines_known, two.lines_known);
  ASSERT_EQ(one.lines, two.lines);
}
void expect_same(const OffsetScan& one, const OffsetScan& two) {
  ASSERT_EQ(one.highest, two.highest);
  ASSERT_EQ(one.any_bits, two.any_bits);
  ASSERT_EQ(one.contiguous, two.contiguous);
}

TEST(LaneScan, IsTheSameInAllForms) {
  std::mt19937_64 random(11);
  for (unsigned round = 0; round < 2000; ++round) {
    uint64_t addresses[64];
    uint32_t offsets[64];
    const uint64_t base = random() >> 2, step = round % 70, lanes = round % 2 ? ~uint64_t{0} : random();
    for (unsigned lane = 0; lane < 64; ++lane) {
      addresses[lane] = base + lane * step + (round % 5 ? 0 : random() % 300);
      offsets[lane] = static_cast<uint32_t>(addresses[lane]);
    }
    uint32_t highest = 0;
    for (unsigned lane = 0; lane < 64; ++lane)
      if (lanes >> lane & 1) highest = std::max(highest, offsets[lane]);
    for (uint32_t bytes : {1u, 4u, 16u}) {
      expect_same(scan_lanes(addresses, bytes), baseline::scan_lanes(addresses, bytes));
      expect_same(portable::scan_lanes(addresses, bytes), baseline::scan_lanes(addresses, bytes));
      expect_same(scan_offsets(offsets, lanes, bytes), baseline::scan_offsets(offsets, lanes, bytes));
      expect_same(portable::scan_offsets(offsets, lanes, bytes), baseline::scan_offsets(offsets, lanes, bytes));
    }
    for (const uint32_t limit : {highest, highest - 1}) {
      ASSERT_EQ(are_within(offsets, lanes, limit), highest <= limit);
      ASSERT_EQ(portable::are_within(offsets, lanes, limit), highest <= limit);
      for (const uint32_t forbidden : {1u, 7u, 0x80000000u}) {
        bool has_forbidden = false;
        for (unsigned lane = 0; lane < 64; ++lane)
          has_forbidden |= (lanes >> lane & 1) && (offsets[lane] & forbidden) != 0;
        ASSERT_EQ(are_within(offsets, lanes, limit, forbidden), highest <= limit && !has_forbidden);
        ASSERT_EQ(portable::are_within(offsets, lanes, limit, forbidden), highest <= limit && !has_forbidden);
      }
    }
  }
}

// Lanes that read parts of rows, as for operands of matrices, and such with one lane elsewhere.
TEST(LaneScan, CountsTheLinesOfGroupsOrGivesNone) {
  std::mt19937_64 random(12);
  unsigned counted = 0;
  for (unsigned round = 0; round < 20000; ++round) {
    constexpr uint64_t kSteps[] = {8, 32, 64, 512, 4096, 0, uint64_t{0} - 64};
    const uint64_t base = (random() >> 1) & ~uint64_t{7}, step = kSteps[random() % 7], row = 16u << random() % 3;
    const uint64_t part = random() % 3 ? 8 * (random() % 3) : step * row;
    uint64_t addresses[kLanes];
    for (unsigned lane = 0; lane < kLanes; ++lane) addresses[lane] = base + lane % row * step + lane / row * part;
    if (random() % 2) addresses[random() % kLanes] += 64 * (random() % 64) - 1024;
    for (const unsigned shift : {6u, 7u}) {
      std::set<uint64_t> lines;
      for (const uint64_t address : addresses) lines.insert(address >> shift);
      const uint64_t here = count_group_lines(addresses, shift);
      counted += here != 0;
      ASSERT_TRUE(here == 0 || here == lines.size()) << round;
      ASSERT_EQ(here, portable::count_group_lines(addresses, shift)) << round;
      ASSERT_EQ(here, baseline::count_group_lines(addresses, shift)) << round;
    }
  }
  EXPECT_GT(counted, 10000u);
}

TEST(LaneScan, GivesInactiveLanesTheAddressOfTheActiveOneBefore) {
  std::mt19937_64 random(13);
  for (unsigned round = 0; round < 2000; ++round) {
    const uint64_t lanes = (round % 2 ? random() : random() & random() & random() & random()) | 1ull << random() % 64;
    uint64_t addresses[kLanes], expected[kLanes];
    for (uint64_t& address : addresses) address = random();
    uint64_t previous = addresses[__builtin_ctzll(lanes)];
    for (unsigned lane = 0; lane < kLanes; ++lane)
      expected[lane] = previous = lanes >> lane & 1 ? addresses[lane] : previous;
    uint64_t anywhere[kLanes];
    std::copy_n(addresses, kLanes, anywhere);
    fill_inactive(addresses, lanes);
    portable::fill_inactive(anywhere, lanes);
    ASSERT_TRUE(std::equal(addresses, addresses + kLanes, expected)) << round;
    ASSERT_TRUE(std::equal(anywhere, anywhere + kLanes, expected)) << round;
  }
}

TEST(LaneScan, CountsLinesThatAreNear) {
  std::mt19937_64 random(14);
  for (unsigned round = 0; round < 2000; ++round) {
    const unsigned shift = 6 + round % 2;
    const uint32_t bytes = 1u << random() % 5, room = (64u << shift) - bytes - 127;
    const uint64_t base = random() >> 1;
    uint64_t addresses[kLanes];
    std::set<uint64_t> lines;
    for (uint64_t& address : addresses) {
      address = base + random() % (1 + random() % room);
      for (uint32_t k = 0; k < bytes; ++k) lines.insert((address + k) >> shift);
    }
    const uint64_t first = *lines.begin();
    ASSERT_EQ(count_near_lines(addresses, bytes, shift, first), lines.size()) << round;
    ASSERT_EQ(baseline::count_near_lines(addresses, bytes, shift, first), lines.size()) << round;
  }
}

// Places of several kinds: side by side, in steps, near each other, anywhere, parts of rows, at the end of 32 bits, and
// with one lane in another high half.
TEST(LaneScan, FindsNothingOrTheTruthAboutPlaces) {
  std::mt19937_64 random(15);
  unsigned found = 0;
  for (unsigned round = 0; round < 20000; ++round) {
    const uint64_t lanes = (round % 3 ? random() : ~uint64_t{0}) | 1ull << random() % 64;
    const auto first = static_cast<uint32_t>(random() % 64), start = static_cast<uint32_t>(random());
    const uint32_t bytes = random() % 5 ? 1u << random() % 5 : 12u;
    const uint32_t spread = random() % 4 ? 3000 : 100000, step = static_cast<uint32_t>(random() % 300);
    VectorRegister low, high;
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      low[lane] = start + (round % 4 ? lane * step : 0) + (round % 5 ? 0 : static_cast<uint32_t>(random() % spread));
      if (round % 13 == 0) low[lane] = start + lane % 16 * (16 * step) + lane / 16 * 32;
      if (random() % 64 == 0) low[lane] -= static_cast<uint32_t>(random() % 500);
      if (round % 7 == 0) low[lane] |= 0xffffff00;
      high[lane] = lanes >> lane & 1 ? 5 : static_cast<uint32_t>(random());
    }
    const auto odd_lane = static_cast<unsigned>(random() % kLanes);
    if (round % 11 == 0) high[odd_lane] = 6;
    uint64_t lowest = ~uint64_t{0}, highest = 0, any = 0;
    std::set<uint64_t> lines;
    bool same_high = true;
    for_lanes(lanes, [&](unsigned lane) {
      const uint64_t at = uint64_t{low[lane]} + first;
      lowest = std::min(lowest, at);
      highest = std::max(highest, at);
      any |= at;
      same_high &= high[lane] == high[__builtin_ctzll(lanes)];
      for (uint64_t line = at / 64; line <= (at + bytes - 1) / 64; ++line) lines.insert(line);
    });
    for (const uint32_t* const with : {static_cast<const uint32_t*>(high), static_cast<const uint32_t*>(nullptr)}) {
      PlaceScan scan;
      if (!scan_places(low, with, first, lanes, bytes, scan)) continue;
      ++found;
      ASSERT_TRUE(same_high || !with) << round;
      ASSERT_EQ(scan.lowest, lowest) << round;
      ASSERT_EQ(scan.highest, highest) << round;
      ASSERT_TRUE(scan.is_aligned == ((any & (bytes - 1)) == 0) || bytes == 12) << round;
      ASSERT_EQ(scan.lines, lines.size()) << round;
      ASSERT_LE(highest + bytes, uint64_t{1} << 32) << round;
    }
  }
  EXPECT_TRUE(found > 10000 || !avx512::host_has()) << found;
}

TEST(LaneScan, SeesLanesSideBySideByBothHalvesOfTheirAddresses) {
  VectorRegister low, high;
  const auto all_forms = [&](uint32_t bytes, unsigned lanes = kLanes) {
    const bool here = are_contiguous(low, high, bytes, lanes);
    EXPECT_EQ(here, portable::are_contiguous(low, high, bytes, lanes));
    EXPECT_EQ(here, baseline::are_contiguous(low, high, bytes, lanes));
    return here;
  };
  const auto place = [&](uint32_t first, uint32_t step) {
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      low[lane] = first + lane * step;
      high[lane] = 7;
    }
  };
  place(0x1000, 4);
  EXPECT_TRUE(all_forms(4));
  EXPECT_TRUE(are_contiguous(low, nullptr, 4));
  EXPECT_FALSE(all_forms(8));
  for (unsigned lane : {1u, 17u, 63u}) {
    place(0x1000, 4);
    high[lane] ^= 1;
    EXPECT_FALSE(all_forms(4)) << lane;
    EXPECT_TRUE(are_contiguous(low, nullptr, 4)) << lane;
    place(0x1000, 4);
    low[lane] ^= 4;
    EXPECT_FALSE(all_forms(4)) << lane;
    EXPECT_EQ(all_forms(4, 32), lane >= 32) << lane;
  }
  place(0xffffff80, 4);  // the low half wraps around in the middle
  EXPECT_FALSE(all_forms(4));
  EXPECT_FALSE(are_contiguous(low, nullptr, 4));
  place(0xffffff00, 4);  // only the wave of 64 lanes reaches the end
  EXPECT_FALSE(all_forms(4));
  EXPECT_TRUE(all_forms(4, 32));
}

TEST(LaneScan, SeesRowsByEachGroupOf16) {
  VectorRegister low, high;
  LaneRows rows;
  const auto all_forms = [&](uint32_t bytes, unsigned lanes = kLanes) {
    const bool here = find_rows(low, high, bytes, lanes, rows);
    for (const auto form : {portable::find_rows, baseline::find_rows}) {
      LaneRows others;
      EXPECT_EQ(form(low, high, bytes, lanes, others), here);
      if (!here) continue;
      EXPECT_EQ(others.side_by_side, rows.side_by_side);
      EXPECT_TRUE(std::equal(rows.first, rows.first + lanes / 16, others.first));
    }
    return here;
  };
  const auto place = [&](uint32_t first, uint32_t step) {
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      low[lane] = first + lane / 16 * 1000 + (lane / 16 == 2 ? 0 : lane % 16 * step);
      high[lane] = 7;
    }
  };
  for (const uint32_t bytes : {1u, 4u, 16u}) {
    place(0x1001, bytes);
    ASSERT_TRUE(all_forms(bytes));
    EXPECT_EQ(rows.side_by_side, 0b1011);
    for (unsigned group = 0; group < 4; ++group) EXPECT_EQ(rows.first[group], 0x1001 + group * 1000);
    ASSERT_TRUE(all_forms(bytes, 32));
    EXPECT_EQ(rows.side_by_side, 0b11);
    for (unsigned lane : {0u, 1u, 15u, 33u, 47u, 63u}) {
      place(0x1001, bytes);
      low[lane] ^= 0x10000;
      EXPECT_FALSE(all_forms(bytes)) << lane;
      EXPECT_EQ(all_forms(bytes, 32), lane >= 32) << lane;
      place(0x1001, bytes);
      high[lane] ^= 1;
      EXPECT_FALSE(all_forms(bytes)) << lane;
      EXPECT_TRUE(find_rows(low, nullptr, bytes, kLanes, rows)) << lane;
      EXPECT_TRUE(portable::find_rows(low, nullptr, bytes, kLanes, rows)) << lane;
    }
    place(0xfffffff8 - 1000, bytes);  // the second group reaches past the low half
    EXPECT_FALSE(all_forms(bytes));
  }
  place(0x1000, 8);
  EXPECT_FALSE(all_forms(4));
}

// Offsets in whole dwords or not: scattered, the same, side by side, and each of these in groups of 16.
void place_lanes(VectorRegister& offsets, unsigned kind, std::mt19937& random) {
  const uint32_t first = random() % 64 * 4;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    switch (kind) {
      case 0:
        offsets[lane] = random() % 2000;
        break;
      case 1:
        offsets[lane] = first;
        break;
      case 2:
        offsets[lane] = first + 4 * lane;
        break;
      case 3:
        offsets[lane] = first + lane / 16 * 132;
        break;
      case 4:
        offsets[lane] = first + lane % 16 * 4;
        break;
      default:
        offsets[lane] = first + lane % 16 * 8 + (lane / 16) * 256;
        break;
    }
  }
}

struct Rows {
  alignas(64) VectorRegister row[6];
};

TEST(LaneMoves, LoadAndStoreWhatThePlainestLoopDoes) {
  std::mt19937 random(5);
  std::vector<uint8_t> memory(2048 + 16);
  for (auto& byte : memory) byte = static_cast<uint8_t>(random());
  for (unsigned round = 0; round < 600; ++round) {
    auto before = std::make_unique<Rows>();
    for (auto& row : before->row)
      for (auto& value : row) value = static_cast<uint32_t>(random());
    const unsigned dwords = 1 + round % 4, kind = round / 4 % 6;
    const uint64_t lanes = round % 3 ? ~uint64_t{0} : (uint64_t{random()} << 32 | random());
    VectorRegister offsets;
    place_lanes(offsets, kind, random);
    uint64_t addresses[kLanes];
    for (unsigned lane = 0; lane < kLanes; ++lane)
      addresses[lane] = reinterpret_cast<uint64_t>(memory.data()) + offsets[lane];

    // The register of the addresses is one of the results.
    std::memcpy(before->row[round % 5], offsets, sizeof offsets);
    Rows expected = *before;
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      if (!(lanes >> lane & 1)) continue;
      for (unsigned k = 0; k < dwords; ++k) std::memcpy(&expected.row[k][lane], &memory[offsets[lane] + 4 * k], 4);
    }
    Rows here = *before, anywhere = *before;
    load_dwords(here.row, memory.data(), here.row[round % 5], lanes, dwords);
    portable::load_dwords(anywhere.row, memory.data(), anywhere.row[round % 5], lanes, dwords);
    ASSERT_EQ(std::memcmp(&here, &expected, sizeof here), 0) << round;
    ASSERT_EQ(std::memcmp(&anywhere, &expected, sizeof here), 0) << round;
    using Load = void (*)(VectorRegister*, const uint64_t*, uint64_t);
    constexpr Load kLoads[][2] = {
        {[](auto* rows, auto* at, uint64_t mask) { load_dword(rows[0], at, mask); },
         [](auto* rows, auto* at, uint64_t mask) { portable::load_dword(rows[0], at, mask); }},
        {load_pairs, portable::load_pairs},
        {load_triples, portable::load_triples},
        {load_words, portable::load_words}};
    here = *before, anywhere = *before;
    kLoads[dwords - 1][0](here.row, addresses, lanes);
    kLoads[dwords - 1][1](anywhere.row, addresses, lanes);
    ASSERT_EQ(std::memcmp(&here, &expected, sizeof here), 0) << round;
    ASSERT_EQ(std::memcmp(&anywhere, &expected, sizeof here), 0) << round;

    if (dwords == 4) {
      std::vector<uint8_t> words = memory;
      const std::vector<uint8_t> unchanged = memory;
      for (unsigned lane = 0; lane < kLanes; ++lane)
        for (unsigned k = 0; k < 4 && (lanes >> lane & 1); ++k)
          std::memcpy(&words[offsets[lane] + 4 * k], &before->row[k][lane], 4);
      const auto is_stored = [&](auto&& store) {
        std::copy(unchanged.begin(), unchanged.end(), memory.begin());
        store();
        return memory == words;
      };
      ASSERT_TRUE(is_stored([&] { store_words(before->row, addresses, lanes); })) << round;
      ASSERT_TRUE(is_stored([&] { portable::store_words(before->row, addresses, lanes); })) << round;
    }

    std::vector<uint8_t> stored = memory;
    for (unsigned lane = 0; lane < kLanes; ++lane)
      if (lanes >> lane & 1) std::memcpy(&stored[offsets[lane]], &before->row[5][lane], 4);
    std::vector<uint8_t> copy = memory, other = memory;
    store_dword(before->row[5], copy.data(), offsets, lanes);
    portable::store_dword(before->row[5], other.data(), offsets, lanes);
    ASSERT_EQ(copy, stored) << round;
    ASSERT_EQ(other, stored) << round;
    store_dword(before->row[5], addresses, lanes);
    ASSERT_EQ(memory, stored) << round;
    std::memcpy(memory.data(), copy.data(), memory.size());
    portable::store_dword(before->row[5], addresses, lanes);
    ASSERT_EQ(memory, stored) << round;
  }
}

TEST(LaneMoves, RowsMoveWhatThePlainestLoopDoes) {
  std::mt19937 random(9);
  std::vector<uint8_t> memory(2048);
  for (auto& byte : memory) byte = static_cast<uint8_t>(random());
  for (unsigned round = 0; round < 400; ++round) {
    const unsigned dwords = 1 + round % 4, lanes = round % 3 ? 64 : 32;
    LaneRows rows{{}, static_cast<uint8_t>(random() % 16)};
    for (uint32_t& first : rows.first) first = random() % (2048 - 256);
    Rows expected, here, anywhere;
    for (auto& row : expected.row)
      for (auto& value : row) value = static_cast<uint32_t>(random());
    here = anywhere = expected;
    const auto at = [&](unsigned lane) {
      return rows.first[lane / 16] + (rows.side_by_side >> lane / 16 & 1 ? lane % 16 * dwords * 4 : 0);
    };
    for (unsigned lane = 0; lane < lanes; ++lane)
      for (unsigned k = 0; k < dwords; ++k) std::memcpy(&expected.row[k][lane], &memory[at(lane) + 4 * k], 4);
    load_rows(here.row, memory.data(), rows, dwords, lanes);
    portable::load_rows(anywhere.row, memory.data(), rows, dwords, lanes);
    ASSERT_EQ(std::memcmp(&here, &expected, sizeof here), 0) << round;
    ASSERT_EQ(std::memcmp(&anywhere, &expected, sizeof here), 0) << round;

    rows.side_by_side = 0xf;
    for (auto& row : here.row)
      for (auto& value : row) value = static_cast<uint32_t>(random());
    std::vector<uint8_t> stored = memory, other = memory;
    for (unsigned lane = 0; lane < lanes; ++lane)
      for (unsigned k = 0; k < dwords; ++k) std::memcpy(&stored[at(lane) + 4 * k], &here.row[k][lane], 4);
    store_rows(here.row, memory.data(), rows, dwords, lanes);
    portable::store_rows(here.row, other.data(), rows, dwords, lanes);
    ASSERT_EQ(memory, stored) << round;
    ASSERT_EQ(other, stored) << round;
  }
}

TEST(LaneMoves, NarrowNumbersAreExtendedByZeros) {
  std::mt19937 random(7);
  std::vector<uint8_t> memory(kLanes * 2);
  for (auto& byte : memory) byte = static_cast<uint8_t>(random());
  for (unsigned bytes : {1u, 2u}) {
    Rows here, anywhere;
    load_narrow(here.row[0], memory.data(), bytes);
    portable::load_narrow(anywhere.row[0], memory.data(), bytes);
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      const uint32_t expected = bytes == 1 ? memory[lane] : memory[2 * lane] | memory[2 * lane + 1] << 8;
      ASSERT_EQ(here.row[0][lane], expected);
      ASSERT_EQ(anywhere.row[0][lane], expected);
    }
  }
}

TEST(LaneMoves, ArraysOfHalfAWaveLeaveTheOtherHalfAlone) {
  std::mt19937 random(8);
  for (unsigned dwords : {1u, 2u, 3u, 4u}) {
    std::vector<uint8_t> memory(kLanes * dwords * 4);
    for (auto& byte : memory) byte = static_cast<uint8_t>(random());
    Rows all, here{}, anywhere{};
    load_array(all.row, memory.data(), dwords);
    load_array(here.row, memory.data(), dwords, 32);
    portable::load_array(anywhere.row, memory.data(), dwords, 32);
    std::vector<uint8_t> back(memory.size()), again(memory.size()), expected = memory;
    std::fill(expected.begin() + static_cast<ptrdiff_t>(expected.size() / 2), expected.end(), uint8_t{0});
    store_array(all.row, back.data(), dwords, 32);
    portable::store_array(all.row, again.data(), dwords, 32);
    EXPECT_EQ(back, expected);
    EXPECT_EQ(again, expected);
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      for (unsigned k = 0; k < dwords; ++k) {
        ASSERT_EQ(here.row[k][lane], lane < 32 ? all.row[k][lane] : 0);
        ASSERT_EQ(anywhere.row[k][lane], lane < 32 ? all.row[k][lane] : 0);
      }
    }
  }
}

TEST(LaneMoves, LanesPullFromActiveLanesAlone) {
  std::mt19937 random(8);
  for (unsigned round = 0; round < 200; ++round) {
    const uint64_t lanes = round % 3 ? (uint64_t{random()} << 32 | random()) : ~uint64_t{0};
    Rows before;
    for (auto& row : before.row)
      for (auto& value : row) value = static_cast<uint32_t>(random());
    Rows expected = before;
    // The result may replace the data or the numbers of lanes.
    const unsigned out = round % 3;
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      const unsigned from = before.row[1][lane] % kLanes;
      if (lanes >> lane & 1) expected.row[out][lane] = lanes >> from & 1 ? before.row[0][from] : 0;
    }
    Rows here = before, anywhere = before;
    pull_lanes(here.row[out], here.row[0], here.row[1], lanes);
    portable::pull_lanes(anywhere.row[out], anywhere.row[0], anywhere.row[1], lanes);
    ASSERT_EQ(std::memcmp(&here, &expected, sizeof here), 0) << round;
    ASSERT_EQ(std::memcmp(&anywhere, &expected, sizeof here), 0) << round;
  }
}

TEST(LaneMoves, FillsAndCounts) {
  for (const uint32_t first : {0u, 64u, 0xffffffe0u}) {
    uint32_t counted[48], filled[48];
    count_up(counted, 48, first);
    fill_dwords(filled, 48, first);
    for (uint32_t k = 0; k < 48; ++k) {
      ASSERT_EQ(counted[k], first + k);
      ASSERT_EQ(filled[k], first);
    }
  }
}

TEST(LaneMoves, ArraysComeBackAsTheyWere) {
  std::mt19937 random(6);
  for (unsigned dwords : {1u, 2u, 3u, 4u}) {
    std::vector<uint8_t> memory(kLanes * dwords * 4);
    for (auto& byte : memory) byte = static_cast<uint8_t>(random());
    Rows here, anywhere;
    load_array(here.row, memory.data(), dwords);
    portable::load_array(anywhere.row, memory.data(), dwords);
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      for (unsigned k = 0; k < dwords; ++k) {
        uint32_t expected;
        std::memcpy(&expected, &memory[(lane * dwords + k) * 4], 4);
        ASSERT_EQ(here.row[k][lane], expected);
        ASSERT_EQ(anywhere.row[k][lane], expected);
      }
    }
    std::vector<uint8_t> back(memory.size()), again(memory.size());
    store_array(here.row, back.data(), dwords);
    portable::store_array(here.row, again.data(), dwords);
    EXPECT_EQ(back, memory);
    EXPECT_EQ(again, memory);
  }
}

// One thread stores words of four equal dwords, another one looks for words that are mixed: rocPRIM's look-back has a
// flag and a value in words of 16 bytes.
TEST(LaneMoves, WordsOf16BytesAreWholeForOtherThreads) {
  alignas(64) static uint8_t memory[kLanes * 16];
  LaneAddresses scattered{};
  for (unsigned lane = 0; lane < kLanes; ++lane)
    scattered.at[lane] = reinterpret_cast<uint64_t>(memory) + ((lane * 37) % kLanes) * 16;
  static constexpr LaneRows kRows{{512, 0, 256, 768}, 0b1111}, kOnePlace{{512, 0, 256, 768}, 0};
  using Store = void (*)(const VectorRegister*, const LaneAddresses&);
  using Load = void (*)(VectorRegister*, const LaneAddresses&);
  const Store stores[] = {
      [](const VectorRegister* rows, const LaneAddresses&) { store_array(rows, memory, 4); },
      [](const VectorRegister* rows, const LaneAddresses&) { portable::store_array(rows, memory, 4, kLanes); },
      [](const VectorRegister* rows, const LaneAddresses& to) {
        store_lanes<kernloop::softgpu::Store::kB128>(rows, to, ~uint64_t{0});
      },
      [](const VectorRegister* rows, const LaneAddresses&) { store_rows(rows, memory, kRows, 4, kLanes); },
      [](const VectorRegister* rows, const LaneAddresses&) { portable::store_rows(rows, memory, kRows, 4, kLanes); },
  };
  const Load loads[] = {
      [](VectorRegister* rows, const LaneAddresses&) { load_array(rows, memory, 4); },
      [](VectorRegister* rows, const LaneAddresses&) { portable::load_array(rows, memory, 4, kLanes); },
      [](VectorRegister* rows, const LaneAddresses& from) {
        load_lanes<kernloop::softgpu::Load::kB128>(rows, from, ~uint64_t{0});
      },
      [](VectorRegister* rows, const LaneAddresses&) { load_rows(rows, memory, kRows, 4, kLanes); },
      [](VectorRegister* rows, const LaneAddresses&) { portable::load_rows(rows, memory, kRows, 4, kLanes); },
      [](VectorRegister* rows, const LaneAddresses&) { load_rows(rows, memory, kOnePlace, 4, kLanes); },
      [](VectorRegister* rows, const LaneAddresses&) { portable::load_rows(rows, memory, kOnePlace, 4, kLanes); },
  };
  for (const Store store : stores) {
    for (const Load load : loads) {
      std::atomic<bool> done = false;
      std::thread writer([&] {
        Rows rows;
        for (uint32_t value = 0; !done; ++value) {
          for (auto& row : rows.row) std::fill_n(row, kLanes, value);
          store(rows.row, scattered);
        }
      });
      uint64_t mixed = 0;
      Rows rows;
      for (int round = 0; round < 20'000; ++round) {
        load(rows.row, scattered);
        for (unsigned lane = 0; lane < kLanes; ++lane) {
          const uint32_t first = rows.row[0][lane];
          mixed += rows.row[1][lane] != first || rows.row[2][lane] != first || rows.row[3][lane] != first;
        }
      }
      done = true;
      writer.join();
      EXPECT_EQ(mixed, 0u);
    }
  }
}

}  // namespace
}  // namespace kernloop::softgpu
