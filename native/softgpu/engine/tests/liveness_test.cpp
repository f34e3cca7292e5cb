// Registers that nobody reads any more, by the translator's analysis of code: random streams of instructions end alike
// if such registers are overwritten in the middle.
#include <gtest/gtest.h>

#include <bit>
#include <cstdlib>
#include <cstring>

#include "softgpu/engine/tests/random_stream.h"
#include "softgpu/engine/translate/liveness.h"
#include "softgpu/isa/decoder.h"

namespace kernloop::softgpu::testing {
namespace {

constexpr uint64_t kMostInstructions = 100;
constexpr uint32_t kOverwritten = 0xdeadbeef;

uint64_t value_of(const char* name, uint64_t fallback) {
  const char* value = std::getenv(name);
  return value != nullptr ? std::strtoull(value, nullptr, 0) : fallback;
}

// Few registers, so that instructions meet each other's results; many writes of EXEC.
class Narrow {
 public:
  explicit Narrow(std::mt19937_64& random) : random_(random) {}

  void operator()(const Instruction& instruction, Words& words) {
    switch (instruction.encoding) {
      case Encoding::kSop1:
      case Encoding::kSop2:
        if (random_() % 2) return;
        words[0] = (words[0] & ~0x7f0000u) | kExec << 16;
        if (random_() % 2) words[0] = (words[0] & ~0xffu) | kExec;
        return;
      case Encoding::kVop1:
      case Encoding::kVop2:
      case Encoding::kVopC:
        if (instruction.is_dpp || instruction.is_sdwa) words[1] &= ~kHigh;
        source(words[0], 0);
        if (instruction.encoding != Encoding::kVop1) words[0] &= ~(kHigh << 9);
        if (instruction.encoding != Encoding::kVopC) words[0] &= ~(kHigh << 17);
        return;
      case Encoding::kVop3:
      case Encoding::kVop3p:
        words[0] &= ~kHigh;
        for (const unsigned shift : {0, 9, 18}) source(words[1], shift);
        return;
      case Encoding::kDs:
      case Encoding::kFlat:
      case Encoding::kGlobal:
      case Encoding::kScratch:
        words[1] &= ~(kHigh | kHigh << 8 | kHigh << 24);
        return;
      case Encoding::kMubuf:
        words[1] &= ~(kHigh | kHigh << 8);
        return;
      default:
        return;
    }
  }

 private:
  static constexpr uint32_t kHigh = 0xf8;  // of a register's number

  static void source(uint32_t& word, unsigned shift) {
    if (word >> shift & 0x100) word &= ~(kHigh << shift);
  }

  std::mt19937_64& random_;
};

// Overwrites, before one instruction, what is not live there.
struct Overwriting {
  uint64_t before;  // its number
  bool any_lane;
  Target target;
  uint64_t text;
  VectorRegisterSet registers = {};
  uint64_t lanes = 0;

  void operator()(WaveSlot& wave) {
    if (wave.instructions != before || wave.state != WaveState::kReady) return;
    if (target.wave_size == 32 && wave.exec() >> 32 != 0) return;  // nothing is translated then
    const uint64_t base = text & ~(CodePage::kBytes - 1);
    CodePage page(target, base, text, base + CodePage::kBytes, CodePage::Use::kExecute, nullptr);
    Liveness liveness([&](uint64_t address) { return page.instruction_at(address); });
    lanes = any_lane ? ~uint64_t{0} : wave.exec();
    registers = ~(any_lane ? liveness.in_any_lane(wave.pc) : liveness.in_active_lanes(wave.pc));
    for (size_t k = 0; k < registers.size(); ++k) {
      if (registers.test(k)) for_lanes(lanes, [&](unsigned lane) { wave.vgpr[k][lane] = kOverwritten; });
    }
  }
  bool is_overwritten(size_t dword, uint32_t value) const {
    return registers.test(dword / kLanes) && (lanes >> dword % kLanes & 1) != 0 && value == kOverwritten;
  }
};

class LivenessInRandomStreams : public ::testing::TestWithParam<Target> {};

TEST_P(LivenessInRandomStreams, NobodyReadsWhatIsNotLive) {
  const Target target = GetParam();
  StreamMachine machine(target);
  const uint64_t first = value_of("KERNLOOP_STREAMS_SEED", 1), count = value_of("KERNLOOP_STREAMS", 300);
  uint64_t live = 0, unread = 0, partly = 0;
  for (uint64_t seed = first; seed < first + count; ++seed) {
    std::mt19937_64 random(seed);
    WordGenerator generator(target.isa, seed);
    RandomStream stream = random_stream(target, random, generator, Narrow(random));
    machine.draw_state(random);
    machine.run_past_faults(stream, kMostInstructions, random);
    const StreamEnd end = machine.run(stream, kMostInstructions, true);
    for (unsigned k = 0; k < 5 && end.instructions > 0; ++k) {
      Overwriting overwriting{random() % end.instructions, k == 0, target, machine.text_address()};
      StreamEnd other = machine.run(stream, kMostInstructions, true, CodePage::Use::kRegisters,
                                    [&](WaveSlot& wave) { overwriting(wave); });
      for (size_t dword = 0; dword < other.vectors.size() / 4; ++dword) {
        uint32_t value;
        std::memcpy(&value, &other.vectors[4 * dword], 4);
        if (overwriting.is_overwritten(dword, value))
          std::memcpy(&other.vectors[4 * dword], &end.vectors[4 * dword], 4);
      }
      ASSERT_EQ(end.difference(other), "")
          << "seed " << seed << ", overwritten before instruction " << overwriting.before << "\n"
          << stream.listing();
      const auto of_stream = (overwriting.registers & VectorRegisterSet(0xff)).count();
      unread += of_stream;
      live += 8 - of_stream;
      partly += overwriting.lanes != 0 && std::popcount(overwriting.lanes) < target.wave_size;
    }
  }
  RecordProperty("unread", std::to_string(unread));
  RecordProperty("live", std::to_string(live));
  EXPECT_GT(unread, count * 3);
  EXPECT_GT(live, count * 3);
  EXPECT_GT(partly, count / 4);
}

INSTANTIATE_TEST_SUITE_P(Targets, LivenessInRandomStreams,
                         ::testing::Values(kGfx90a, kGfx1030, kGfx1030Wave64, kGfx942, kGfx1100, kGfx1100Wave64),
                         [](const ::testing::TestParamInfo<Target>& info) {
                           return isa_name(info.param.isa) + std::string("wave") + std::to_string(info.param.wave_size);
                         });

}  // namespace
}  // namespace kernloop::softgpu::testing
