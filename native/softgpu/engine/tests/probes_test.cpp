// Records of probes: the addresses, bytes and units equal those that the tests compute from the kernel's indexing.
#include <gtest/gtest.h>

#include <bit>
#include <random>

#include "softgpu/engine/observe/probes.h"
#include "softgpu/engine/tests/targets.h"

namespace kernloop::softgpu::testing {
namespace {

// One map `m` of records {u64, u64}, and one probe.
std::string request(const std::string& level, uint64_t capacity, const std::string& at, const std::string& first,
                    const std::string& second, const char* action = "save") {
  return R"({"schema": "kernloop.probes/1", "maps": [{"name": "m", "level": ")" + level +
         R"(", "record_bytes": 16, "capacity": )" + std::to_string(capacity) +
         R"(}], "probes": [{"name": "p", "map": "m", "action": ")" + action + R"(", "at": [")" + at +
         R"("], "fields": [{"offset": 0, "bytes": 8, "value": )" + first + R"(}, {"offset": 8, "bytes": 8, "value": )" +
         second + "}]}]}";
}

struct Probed {
  DispatchOutcome outcome;
  ProbeResults results;

  const ProbedMap& map() const { return results.maps.at(0); }
  uint64_t word(uint64_t unit, uint64_t record, uint64_t field) const {
    uint64_t value;
    std::memcpy(&value, map().records.get() + unit * map().unit_bytes + record * 16 + field * 8, 8);
    return value;
  }
  uint32_t count(uint64_t unit) const { return map().counts.get()[unit]; }
};

Probed run(Device& device, const std::string& kernel, Geometry geometry, const Arguments& arguments,
           const std::string& json, DispatchOptions options = {}) {
  std::string problem;
  const auto program = ProbeProgram::parse(json, &problem);
  EXPECT_TRUE(program) << problem;
  Probed probed;
  if (!program) return probed;
  options.probes = program.get();
  options.probed = &probed.results;
  probed.outcome = device.run(kernel, geometry, arguments, options);
  EXPECT_FALSE(probed.outcome.fault) << probed.outcome.fault->text();
  return probed;
}

class Probes : public ::testing::TestWithParam<TargetCase> {
 protected:
  Probes() : device(code_for("accesses", GetParam()), GetParam().isa) {}
  unsigned lanes() const { return GetParam().lanes; }

  Device device;
  Array<uint64_t> table{device.space, 64};
  Array<uint8_t> memory{device.space, 4096};
};

TEST_P(Probes, SeeEachLanesAddressAndNoOtherMemory) {
  struct Case {
    const char* kernel;
    const char* at;
    uint64_t bytes;
    bool is_lds;
  };
  constexpr Case kCases[] = {
      {"load_b32", "memory:global:load", 4, false},    {"flat_load_b32", "memory:global:load", 4, false},
      {"store_b96", "memory:global:store", 12, false}, {"atomic_b64", "memory:global:atomic", 8, false},
      {"lds_load_b128", "memory:lds:load", 16, true},  {"lds_store_b16", "memory:lds:store", 2, true},
      {"lds_atomic_b32", "memory:lds:atomic", 4, true}};
  const uint64_t mask = 0x5af00f0f7001f005 & (~uint64_t{0} >> (64 - lanes()));
  for (const Case& one : kCases) {
    for (unsigned lane = 0; lane < lanes(); ++lane)
      table[lane] = (one.is_lds ? 0 : memory.address()) + (lanes() - 1 - lane) * 48;
    const Probed probed = run(device, one.kernel, linear(lanes(), lanes()), Arguments(table.address(), mask),
                              request("thread", 2, one.at, "\"address\"", "\"bytes\""));
    // The table is read with a load of its own, by all lanes.
    const unsigned before = std::string(one.at) == "memory:global:load" ? 1 : 0;
    for (unsigned lane = 0; lane < lanes(); ++lane) {
      const bool is_active = mask >> lane & 1;
      ASSERT_EQ(probed.count(lane), before + (is_active ? 1 : 0)) << one.kernel << " lane " << lane;
      if (before) {
        ASSERT_EQ(probed.word(lane, 0, 0), table.address() + 8 * lane);
        ASSERT_EQ(probed.word(lane, 0, 1), 8u);
      }
      ASSERT_EQ(probed.word(lane, before, 0), is_active ? table[lane] : 0) << one.kernel << " lane " << lane;
      ASSERT_EQ(probed.word(lane, before, 1), is_active ? one.bytes : 0) << one.kernel << " lane " << lane;
    }
    EXPECT_EQ(probed.map().kept, before * lanes() + static_cast<unsigned>(std::popcount(mask)));
    EXPECT_EQ(probed.map().dropped, 0u);
  }
}

TEST_P(Probes, OfAWaveHaveTheSumOfBytesAndTheFirstLanesAddress) {
  for (unsigned lane = 0; lane < lanes(); ++lane) table[lane] = memory.address() + 64 - lane;
  const uint64_t mask = 0x70;
  const Probed probed = run(device, "store_b8", linear(lanes(), lanes()), Arguments(table.address(), mask),
                            request("warp", 1, "memory:global:store", "\"address\"", "\"bytes\""));
  EXPECT_EQ(probed.map().units, 1u);
  EXPECT_EQ(probed.word(0, 0, 0), memory.address() + 64 - 4);
  EXPECT_EQ(probed.word(0, 0, 1), 3u);
}

TEST_P(Probes, ChangeNothingThatIsCounted) {
  for (unsigned lane = 0; lane < lanes(); ++lane) table[lane] = memory.address() + 8 * lane;
  const auto dispatch = [&](const DispatchOptions& options) {
    return device.run("atomic_b64", linear(3 * lanes(), lanes()), Arguments(table.address(), ~uint64_t{0}), options);
  };
  const DispatchOutcome plain = dispatch({});
  const Probed probed =
      run(device, "atomic_b64", linear(3 * lanes(), lanes()), Arguments(table.address(), ~uint64_t{0}),
          request("warp", 9, "instruction:any", "\"clock\"", "\"pc\""));
  EXPECT_TRUE(plain.counters == probed.outcome.counters);
  // One record an instruction: the clock is its number, and the program counter ascends.
  const uint64_t each = plain.counters.wave_instructions / 3;
  for (uint64_t wave = 0; wave < 3; ++wave) {
    ASSERT_EQ(probed.count(wave), each);
    for (uint64_t k = 0; k < each; ++k) {
      ASSERT_EQ(probed.word(wave, k, 0), wave * each + k + 1);
      ASSERT_TRUE(k == 0 || probed.word(wave, k, 1) > probed.word(wave, k - 1, 1));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, Probes, ::testing::ValuesIn(kTargetCases), name_of_target);

class ProbedPrograms : public ::testing::TestWithParam<const char*> {
 protected:
  Device device{GetParam()};
};

// A grid whose last workgroups are partial in each dimension: a thread's index is by the size of a whole workgroup.
TEST_P(ProbedPrograms, FindThePlaceOfEachThread) {
  constexpr uint32_t kWidth = 21, kHeight = 10, kDepth = 3;
  Array<uint64_t> out(device.space, kWidth * kHeight * kDepth);  // two words each, in one store or two
  const Geometry geometry{{kWidth, kHeight, kDepth}, {8, 4, 2}};
  const Probed probed = run(device, "identity", geometry, Arguments(out.address(), kWidth, kHeight),
                            request("thread", 2, "memory:global:store", "\"address\"", "\"thread\""));
  constexpr uint32_t kGroups[3] = {3, 3, 2};
  ASSERT_EQ(probed.map().units, 18u * 64);
  for (uint32_t group = 0; group < 18; ++group) {
    for (uint32_t thread = 0; thread < 64; ++thread) {
      const uint32_t x = group % kGroups[0] * 8 + thread % 8, y = group / kGroups[0] % kGroups[1] * 4 + thread / 8 % 4,
                     z = group / 9 * 2 + thread / 32;
      const bool is_there = x < kWidth && y < kHeight && z < kDepth;
      const uint64_t unit = group * 64 + thread;
      ASSERT_EQ(probed.count(unit) > 0, is_there) << group << " " << thread;
      ASSERT_EQ(probed.word(unit, 0, 0), is_there ? out.address() + 8 * ((z * kHeight + y) * kWidth + x) : 0);
      ASSERT_EQ(probed.word(unit, 0, 1), is_there ? thread : 0);
    }
  }
}

TEST_P(ProbedPrograms, CountExactlyWhatHasNoRoom) {
  constexpr uint32_t kItems = 700;
  Array<int> a(device.space, kItems), b(device.space, kItems), out(device.space, kItems);
  const Arguments arguments(a.address(), b.address(), out.address(), kItems);
  const auto dispatch = [&](uint64_t capacity) {
    return run(device, "vector_add", linear(768, 128), arguments,
               request("warp", capacity, "instruction:any", "\"clock\"", "1"));
  };
  const Probed all = dispatch(10000);
  uint64_t most = 0;
  for (uint64_t wave = 0; wave < 12; ++wave) most = std::max<uint64_t>(most, all.count(wave));
  EXPECT_EQ(all.map().dropped, 0u);
  EXPECT_EQ(all.map().kept, all.outcome.counters.wave_instructions);
  for (const uint64_t room : {most / 10, uint64_t{1}, uint64_t{0}}) {
    const Probed some = dispatch(room);
    uint64_t kept = 0, dropped = 0;
    for (uint64_t wave = 0; wave < 12; ++wave) {
      ASSERT_EQ(some.count(wave), all.count(wave));
      kept += std::min<uint64_t>(room, all.count(wave));
      dropped += all.count(wave) - std::min<uint64_t>(room, all.count(wave));
      for (uint64_t k = 0; k < std::min<uint64_t>(room, all.count(wave)); ++k)
        ASSERT_EQ(some.word(wave, k, 0), all.word(wave, k, 0));
    }
    EXPECT_EQ(some.map().kept, kept);
    EXPECT_EQ(some.map().dropped, dropped);
  }
}

TEST_P(ProbedPrograms, AddUpTheBytesOfEachThreadWhateverTheThreadsOfTheHost) {
  constexpr uint32_t kItems = 5000;
  Array<int> a(device.space, kItems), b(device.space, kItems), out(device.space, kItems);
  for (const unsigned threads : {1u, 4u}) {
    const Probed probed =
        run(device, "vector_add", linear(5120, 128), Arguments(a.address(), b.address(), out.address(), kItems),
            request("thread", 1, "memory:global:any", "\"bytes\"", "1", "add"), DispatchOptions{.threads = threads});
    for (uint64_t thread = 0; thread < 5120; ++thread) {
      ASSERT_EQ(probed.word(thread, 0, 0), thread < kItems ? 12u : 0u);
      ASSERT_EQ(probed.word(thread, 0, 1), thread < kItems ? 3u : 0u);
    }
    EXPECT_EQ(probed.map().kept, kItems);
  }
}

// On one thread of the host the waves of a kernel without barriers come one after the other.
TEST_P(ProbedPrograms, KnowWhenAWaveBeganAndHowLongItRan) {
  constexpr uint32_t kItems = 640;
  Array<int> a(device.space, kItems), b(device.space, kItems), out(device.space, kItems);
  const Probed probed =
      run(device, "vector_add", linear(kItems, 128), Arguments(a.address(), b.address(), out.address(), kItems),
          request("warp", 1, "kernel-end", "\"start\"", "\"elapsed\""));
  uint64_t clock = 0;
  for (uint64_t wave = 0; wave < kItems / 64; ++wave) {
    ASSERT_EQ(probed.word(wave, 0, 0), clock);
    clock += probed.word(wave, 0, 1);
  }
  EXPECT_EQ(clock, probed.outcome.counters.wave_instructions);
}

TEST_P(ProbedPrograms, TellScratchFromLdsAndGlobalMemory) {
  Array<uint32_t> in(device.space, 64);
  Array<uint64_t> out(device.space, 64);
  const Probed probed = run(device, "local_arrays", linear(64, 64), Arguments(in.address(), out.address()),
                            request("warp", 1, "memory:scratch:any", "\"bytes\"", "1", "add"));
  const Counters& counters = probed.outcome.counters;
  EXPECT_EQ(probed.word(0, 0, 0), counters.scratch_bytes_read + counters.scratch_bytes_written);
  EXPECT_EQ(probed.word(0, 0, 1), counters.scratch);
  EXPECT_GT(counters.scratch, 0u);
}

INSTANTIATE_TEST_SUITE_P(Levels, ProbedPrograms,
                         ::testing::Values(KERNLOOP_TEST_PROGRAMS_O0, KERNLOOP_TEST_PROGRAMS_O3),
                         [](const auto& instance) { return std::string(instance.index == 0 ? "O0" : "O3"); });

TEST(ProbeRequests, SayWhatIsWrong) {
  const auto problem_of = [](const std::string& json) {
    std::string problem;
    EXPECT_FALSE(ProbeProgram::parse(json, &problem));
    return problem;
  };
  const auto expect = [&](const std::string& json, const char* part) {
    EXPECT_NE(problem_of(json).find(part), std::string::npos) << problem_of(json);
  };
  const std::string clock = "\"clock\"";
  expect("", "has no schema");
  expect(R"({"schema": "kernloop.probes/2"})", "no kernloop.probes/1");
  expect(request("block", 1, "kernel-end", clock, clock), "neither thread nor warp");
  expect(request("warp", 1, "kernel", clock, clock), "nothing happens at \"kernel\"");
  expect(request("warp", 1, "memory:global", clock, clock), "nothing happens at");
  expect(request("warp", 1, "memory::load", clock, clock), "nothing happens at");
  expect(request("warp", 1, "instruction:", clock, clock), "nothing happens at");
  expect(request("warp", 1, "kernel-end", "\"address\"", clock), "only an access to memory knows");
  expect(request("warp", 1, "kernel-end", "\"lane\"", clock), "a record of a wave has no");
  expect(request("thread", 1, "memory:scalar:load", clock, clock), "a scalar access is a wave's");
  expect(request("warp", 1, "kernel-end", "\"time\"", clock), "no event knows");
  expect(request("warp", 1, "kernel-end", "-1", clock), "no event knows");
  expect(request("warp", uint64_t{1} << 32, "kernel-end", clock, clock), "capacity is no number up to");
  expect(request("warp", 1, "kernel-end", clock, clock, "drop"), "neither save nor add");
}

TEST(ProbeRequests, ThatNeedMoreMemoryThanThereMayBeAreRefused) {
  Device device(KERNLOOP_TEST_PROGRAMS_O3);
  Array<int> a(device.space, 64);
  std::string problem;
  const auto program = ProbeProgram::parse(request("thread", 4294967294, "kernel-end", "\"clock\"", "1"), &problem);
  ProbeResults results;
  const DispatchOutcome outcome =
      device.run("vector_add", linear(64, 64), Arguments(a.address(), a.address(), a.address(), 64u),
                 DispatchOptions{.probes = program.get(), .probed = &results});
  ASSERT_TRUE(outcome.fault);
  EXPECT_NE(outcome.fault->detail.find("more than 16 GiB"), std::string::npos);
}

}  // namespace
}  // namespace kernloop::softgpu::testing
