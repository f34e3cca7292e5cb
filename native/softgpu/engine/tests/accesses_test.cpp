// Counts of one memory access, on each target: kernels/accesses.s makes it at any addresses, by any lanes, and the
// expected figures come from the definitions in docs/reference/softgpu.md, as plain sets of lines.
#include <gtest/gtest.h>

#include <bit>
#include <random>
#include <set>

#include "softgpu/engine/tests/targets.h"

namespace kernloop::softgpu::testing {
namespace {

enum class Does : uint8_t { kRead, kWrite, kBoth };

struct Access {
  const char* kernel;
  uint64_t bytes;  // a lane
  Does does;
};

constexpr Access kGlobal[] = {
    {"load_b8", 1, Does::kRead},          {"load_b16", 2, Does::kRead},    {"load_b32", 4, Does::kRead},
    {"load_b64", 8, Does::kRead},         {"load_b96", 12, Does::kRead},   {"load_b128", 16, Does::kRead},
    {"store_b8", 1, Does::kWrite},        {"store_b16", 2, Does::kWrite},  {"store_b32", 4, Does::kWrite},
    {"store_b64", 8, Does::kWrite},       {"store_b96", 12, Does::kWrite}, {"store_b128", 16, Does::kWrite},
    {"flat_load_b32", 4, Does::kRead},    {"atomic_b32", 4, Does::kBoth},  {"atomic_b64", 8, Does::kBoth},
    {"flat_store_b128", 16, Does::kWrite}};
constexpr Access kLds[] = {
    {"lds_load_b8", 1, Does::kRead},    {"lds_load_b32", 4, Does::kRead},   {"lds_load_b64", 8, Does::kRead},
    {"lds_load_b96", 12, Does::kRead},  {"lds_load_b128", 16, Does::kRead}, {"lds_store_b16", 2, Does::kWrite},
    {"lds_store_b32", 4, Does::kWrite}, {"lds_store_b64", 8, Does::kWrite}, {"lds_store_b128", 16, Does::kWrite},
    {"lds_atomic_b32", 4, Does::kBoth}, {"lds_atomic_b64", 8, Does::kBoth}};

constexpr uint64_t kReach = 32 << 10;

uint64_t lines(const std::vector<uint64_t>& addresses, uint64_t mask, uint64_t bytes, uint64_t line) {
  std::set<uint64_t> touched;
  for (size_t lane = 0; lane < addresses.size(); ++lane) {
    if (!(mask >> lane & 1)) continue;
    for (uint64_t byte = 0; byte < bytes; ++byte) touched.insert((addresses[lane] + byte) / line);
  }
  return touched.size();
}

uint64_t of_width(const Counters& counters, uint64_t bytes) {
  switch (bytes) {
    case 1:
      return counters.transactions_b8;
    case 2:
      return counters.transactions_b16;
    case 4:
      return counters.transactions_b32;
    case 8:
      return counters.transactions_b64;
    case 12:
      return counters.transactions_b96;
    default:
      return counters.transactions_b128;
  }
}

class Accesses : public ::testing::TestWithParam<TargetCase> {
 protected:
  Accesses() : device(code_for("accesses", GetParam()), GetParam().isa) {}

  unsigned lanes() const { return GetParam().lanes; }
  uint64_t all() const { return ~uint64_t{0} >> (64 - lanes()); }

  // Groups of 16 lanes: neighbours or one place for all, mostly in ascending order, some of them over others.
  std::vector<uint64_t> rows(uint64_t bytes, uint64_t alignment) {
    std::vector<uint64_t> chosen(lanes());
    constexpr uint64_t kSteps[] = {0, 8, 16, 48, 64, 128, 1024};
    const uint64_t step = kSteps[random() % std::size(kSteps)];
    uint64_t start = 4096 + random() % 256 / alignment * alignment;
    for (unsigned lane = 0; lane < lanes(); lane += 16) {
      const bool is_row = random() % 4 != 0;
      for (unsigned k = 0; k < 16; ++k) chosen[lane + k] = start + (is_row ? k * bytes : 0);
      start += random() % 16 ? step : -uint64_t{64};
    }
    return chosen;
  }
  // In order and at strides, from aligned and odd places; one address for all; anywhere.
  std::vector<uint64_t> offsets(uint64_t bytes, uint64_t alignment) {
    if (random() % 2) return rows(bytes, alignment);
    std::vector<uint64_t> chosen(lanes());
    const uint64_t start = random() % 256 / alignment * alignment;
    if (random() % 4 == 0) {  // parts of rows, as for operands of matrices
      const uint64_t in_row = lanes() / (random() % 2 + 1) / 2, step = 32 << random() % 4, part = bytes << random() % 4;
      for (unsigned lane = 0; lane < lanes(); ++lane)
        chosen[lane] = (start + lane % in_row * step + lane / in_row * part) % kReach;
      return chosen;
    }
    constexpr uint64_t kStrides[] = {0, 1, 2, 3, 16, 32, 33};
    const uint64_t stride = random() % 3 == 0 ? ~uint64_t{0} : kStrides[random() % std::size(kStrides)];
    for (unsigned lane = 0; lane < lanes(); ++lane) {
      chosen[lane] = start + (stride == ~uint64_t{0} ? random() % 4096 / alignment * alignment : lane * stride * bytes);
      chosen[lane] %= kReach;
    }
    return chosen;
  }
  uint64_t some_lanes() {
    const uint64_t masks[] = {all(), all(), all() >> 1, 1, uint64_t{1} << (lanes() - 1), 0xf0f0f0f0f0f0f0f0, random()};
    return masks[random() % std::size(masks)] & all();
  }

  // Runs it; `access` gets the counts of the instruction before the last one.
  Counters run(const char* kernel, const std::vector<uint64_t>& addresses, uint64_t mask, PcCounts* access) {
    std::copy(addresses.begin(), addresses.end(), table.begin());
    KernelProfile profile;
    const DispatchOutcome outcome = device.run(kernel, linear(lanes(), lanes()), Arguments(table.address(), mask),
                                               DispatchOptions{.profile = &profile});
    EXPECT_FALSE(outcome.fault) << outcome.fault->text();
    EXPECT_EQ(profile.rbegin()->second.instruction, "s_endpgm");
    *access = std::next(profile.rbegin())->second.counts;
    return outcome.counters;
  }

  Device device;
  Array<uint64_t> table{device.space, 64};
  std::mt19937_64 random{11};
};

TEST_P(Accesses, ToMemoryTouchTheLinesOfTheirLanes) {
  Array<uint8_t> memory(device.space, 2 * kReach);
  for (const Access& access : kGlobal) {
    for (int round = 0; round < 60; ++round) {
      const uint64_t mask = some_lanes();
      std::vector<uint64_t> addresses = offsets(access.bytes, access.does == Does::kBoth ? access.bytes : 1);
      for (uint64_t& address : addresses) address += memory.address();
      PcCounts did;
      const Counters c = run(access.kernel, addresses, mask, &did);
      const uint64_t moved = access.bytes * static_cast<unsigned>(std::popcount(mask));
      const uint64_t expected = lines(addresses, mask, access.bytes, 64);
      ASSERT_EQ(did.memory_transactions, expected) << access.kernel << " by the lanes " << std::hex << mask;
      ASSERT_EQ(did.memory_lines_128, lines(addresses, mask, access.bytes, 128)) << access.kernel;
      ASSERT_EQ(did.bytes_read, access.does == Does::kWrite ? 0 : moved) << access.kernel;
      ASSERT_EQ(did.bytes_written, access.does == Does::kRead ? 0 : moved) << access.kernel;
      ASSERT_EQ(did.lanes, std::popcount(mask));
      // The table of addresses is read by lines of its own, 64 bits a lane.
      const uint64_t of_table = lanes() * 8 / 64;
      ASSERT_EQ(of_width(c, access.bytes), expected + (access.bytes == 8 ? of_table : 0)) << access.kernel;
      ASSERT_EQ(c.memory_transactions, expected + of_table);
      ASSERT_EQ(c.lane_bytes, moved + lanes() * 8);
      ASSERT_EQ(c.atomic_lanes, access.does == Does::kBoth ? static_cast<unsigned>(std::popcount(mask)) : 0u);
      ASSERT_EQ(c.active_lanes, 2 * lanes() + static_cast<unsigned>(std::popcount(mask)));
      ASSERT_EQ(c.valu_lanes, lanes());
    }
  }
}

TEST_P(Accesses, AreNotWhatWaitsOrControlsCaches) {
  std::vector<const char*> kernels = {"invalidate"};
  if (GetParam().isa == Isa::kGfx1030) kernels.push_back("wait_for_stores");
  for (const char* kernel : kernels) {
    PcCounts did;
    const Counters c = run(kernel, std::vector<uint64_t>(lanes()), all(), &did);
    EXPECT_EQ(c.other, 4u) << kernel << ", two s_waitcnt, s_endpgm";
    EXPECT_EQ(c.salu, 1u) << kernel;
    EXPECT_EQ(c.smem, 1u) << kernel;
    EXPECT_EQ(c.wave_instructions, 8u);
  }
}

TEST_P(Accesses, ToLdsMoveTheBytesOfTheirLanes) {
  for (const Access& access : kLds) {
    for (int round = 0; round < 10; ++round) {
      const uint64_t mask = some_lanes();
      PcCounts did;
      const Counters c = run(access.kernel, offsets(access.bytes, access.bytes == 12 ? 4 : access.bytes), mask, &did);
      const uint64_t moved = access.bytes * static_cast<unsigned>(std::popcount(mask));
      ASSERT_EQ(c.lds_bytes_read, access.does == Does::kWrite ? 0 : moved) << access.kernel;
      ASSERT_EQ(c.lds_bytes_written, access.does == Does::kRead ? 0 : moved) << access.kernel;
      ASSERT_EQ(c.lds, 1u);
      ASSERT_EQ(did.memory_transactions, 0u);
    }
  }
}

// The sharing of banks among lanes is published for gfx90a, but not for gfx1030: nothing is counted there.
TEST_P(Accesses, ToLdsConflictWhereItIsKnownHow) {
  std::vector<uint64_t> spread(lanes());
  for (unsigned lane = 0; lane < lanes(); ++lane) spread[lane] = uint64_t{lane} * 32 * 4;
  PcCounts did;
  const Counters c = run("lds_load_b32", spread, all(), &did);
  const bool known = GetParam().isa == Isa::kGfx90a;
  EXPECT_EQ(did.lds_passes, known ? 64u : 0u);
  EXPECT_EQ(did.lds_bank_conflicts, known ? 62u : 0u);
  std::set<std::string> names;
  c.for_each(counted_by_profiles(GetParam().isa), [&](const char* name, uint64_t) { names.insert(name); });
  EXPECT_EQ(names.count("lds_bank_conflicts"), known ? 1u : 0u);
  EXPECT_EQ(names.count("lds_bytes_read"), 1u);
}

INSTANTIATE_TEST_SUITE_P(Targets, Accesses, ::testing::ValuesIn(kTargetCases), name_of_target);

}  // namespace
}  // namespace kernloop::softgpu::testing
