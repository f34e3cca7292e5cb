// Random streams of valid instructions: each ends well or in a named fault, before the limit of instructions, and
// leaves the same registers and memory in every build of the vector semantics, in straight-line runs and one
// instruction at a time.
#include <gtest/gtest.h>

#include <cstdlib>

#include "softgpu/engine/execute/instruction_select.h"
#include "softgpu/engine/tests/random_stream.h"
#include "softgpu/isa/decoder.h"

namespace kernloop::softgpu::testing {
namespace {

constexpr uint64_t kStreamLimit = 300;

// KERNLOOP_STREAMS and KERNLOOP_STREAMS_SEED widen a run by hand.
uint64_t setting(const char* name, uint64_t fallback) {
  const char* value = std::getenv(name);
  return value != nullptr ? std::strtoull(value, nullptr, 0) : fallback;
}

// A fault classifies the instruction at its pc: none, one that the engine refuses, or one that went wrong.
void expect_named(Target target, const RandomStream& stream, const StreamEnd& end, uint64_t text) {
  ASSERT_NE(end.fault->kind, Fault::Kind::kInternal) << end.fault->detail;
  ASSERT_NE(end.fault->detail, "");
  const uint64_t at = (end.pc - text) / 4;
  if (at >= stream.words.size()) return;  // jumped out
  std::vector<uint32_t> words(stream.words.begin() + static_cast<ptrdiff_t>(at), stream.words.end());
  words.resize(words.size() + 4, 0xffffffff);  // words behind the stream
  const DecodeResult decoded = decode(target, words);
  ASSERT_EQ(end.fault->kind == Fault::Kind::kUnknownInstruction, decoded.status != DecodeStatus::kOk)
      << end.fault->detail;
  if (decoded.status != DecodeStatus::kOk) return;
  DecodedInstruction instruction;
  static_cast<Instruction&>(instruction) = decoded.instruction;
  if (select_for(target, instruction) != nullptr) return;
  ASSERT_EQ(end.fault->kind, Fault::Kind::kUnsupportedInstruction) << end.fault->detail;
}

class RandomStreams : public ::testing::TestWithParam<Target> {};

TEST_P(RandomStreams, EndWellOrInANamedFaultAndAlikeInEveryBuild) {
  const Target target = GetParam();
  StreamMachine machine(target);
  const std::vector<vector::Select> builds = vector::runnable_builds();
  const uint64_t first = setting("KERNLOOP_STREAMS_SEED", 1), count = setting("KERNLOOP_STREAMS", 1200);
  uint64_t ended = 0, faulted = 0, limited = 0, instructions = 0;
  for (uint64_t seed = first; seed < first + count; ++seed) {
    std::mt19937_64 random(seed);
    WordGenerator generator(target.isa, seed);
    RandomStream stream = random_stream(target, random, generator);
    machine.draw_state(random);
    const StreamEnd end = machine.run_past_faults(stream, kStreamLimit, random);
    if (end.fault) {
      ASSERT_NO_FATAL_FAILURE(expect_named(target, stream, end, machine.text_address())) << stream.listing();
    }
    ASSERT_LE(end.instructions, kStreamLimit);
    ++(end.fault ? faulted : end.instructions == kStreamLimit ? limited : ended);
    instructions += end.instructions;
    ASSERT_EQ(end.difference(machine.run(stream, kStreamLimit, true)), "") << "seed " << seed << ", by steps\n"
                                                                           << stream.listing();
    // A translator leaves old values in vector registers that nobody reads any more.
    StreamEnd plain = machine.run(stream, kStreamLimit, false, CodePage::Use::kExecute);
    plain.vectors = end.vectors;
    ASSERT_EQ(end.difference(plain), "") << "seed " << seed << ", without registers at the end\n" << stream.listing();
    for (size_t k = 0; k < builds.size(); ++k) {
      const vector::BuildInUse build(builds[k]);
      ASSERT_EQ(end.difference(machine.run(stream, kStreamLimit, false)), "")
          << "seed " << seed << ", build " << k << "\n"
          << stream.listing();
    }
  }
  EXPECT_GT(ended, count / 3);
  EXPECT_GT(faulted, count / 20);
  RecordProperty("streams", std::to_string(count));
  RecordProperty("first_seed", std::to_string(first));
  RecordProperty("builds", std::to_string(builds.size()));
  RecordProperty("ended", std::to_string(ended));
  RecordProperty("faulted", std::to_string(faulted));
  RecordProperty("limited", std::to_string(limited));
  RecordProperty("wave_instructions", std::to_string(instructions));
}

std::string target_name(const ::testing::TestParamInfo<Target>& info) {
  return isa_name(info.param.isa) + std::string("wave") + std::to_string(info.param.wave_size);
}
INSTANTIATE_TEST_SUITE_P(Targets, RandomStreams,
                         ::testing::Values(kGfx90a, kGfx1030, kGfx1030Wave64, kGfx942, kGfx1100, kGfx1100Wave64),
                         target_name);

}  // namespace
}  // namespace kernloop::softgpu::testing
